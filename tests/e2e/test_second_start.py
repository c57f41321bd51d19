"""A second start brings what it was for to the window that is open, and ends."""

import subprocess
import sys

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSystemTrayIcon

from desktop.app import Launcher
from desktop.app.process import LaunchRequest, take_lock
from desktop.settings.folders import AppFolders
from desktop.ui.controllers.topics_controller import TopicsController
from desktop.ui.window.quick_window import QuickWindowController
from tests.cases import cases
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window, wait_for


def test_files_and_a_question_reach_the_window_that_runs(qapp, tmp_path):
    data = tmp_path / "data"
    page = tmp_path / "tides.md"
    page.write_text("# Tides\n\nThe moon pulls the sea.\n")
    with running_site() as site, take_lock(data):
        configure(data, site)
        with running_window(qapp, data) as driver:
            driver.frame.showMinimized()
            command = [sys.executable, "-m", "desktop", "--data-dir", str(data)]
            arguments = ["open", str(page), "--question", "What pulls the sea?"]
            with subprocess.Popen([*command, *arguments]) as second:
                composer = driver.window.composer
                driver.wait_for(lambda: composer.draft.text == "What pulls the sea?", "the question")
                assert second.wait(60) == 0
            assert composer.draft.files == (page,)
            assert not driver.frame.isMinimized()
            assert not driver.window.sessions.is_running  # the user looks it over first


def test_a_link_shows_a_conversation_or_fills_the_composer_and_sends_nothing(qapp, tmp_path):
    data = tmp_path / "data"
    with running_site() as site:
        configure(data, site)
        with running_window(qapp, data) as driver:
            driver.ask("What pulls the sea?")
            sessions, session = driver.window.sessions, driver.program.session
            asked = sessions.current
            session.run(LaunchRequest(question="And the lakes?", is_new=True))
            assert sessions.current != asked
            assert driver.window.composer.draft.text == "And the lakes?"
            session.run(LaunchRequest(conversation_id=asked))
            assert sessions.current == asked
            session.run(LaunchRequest(is_new=True))
            assert sessions.current != asked
            assert not sessions.is_running


def test_a_start_for_a_quick_question_shows_no_more_than_that_and_ends_with_it(qapp, tmp_path):
    start = Launcher(
        qapp, AppFolders(tmp_path, tmp_path / "cache", tmp_path / "logs"), LaunchRequest(is_quick=True)
    )
    ended = []
    start.frame.closed.connect(lambda: ended.append(True))
    try:
        wait_for(lambda: start.program is not None, "the program")
        quick = start.program.window.findChild(QuickWindowController)
        wait_for(lambda: quick.window is not None and quick.window.isVisible(), "the quick window")
        assert not start.frame.isVisible()
        QTest.keyClick(quick.window, Qt.Key.Key_Escape)
        wait_for(lambda: ended, "the end")
    finally:
        start.close()
        shiboken6.delete(start.frame)


@cases("has_tray", [True, False])
def test_a_start_with_the_session_waits_where_it_can_be_called_and_shows_itself_where_it_cannot(
    has_tray, qapp, tmp_path, monkeypatch
):
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: has_tray)
    start = Launcher(
        qapp, AppFolders(tmp_path, tmp_path / "cache", tmp_path / "logs"), LaunchRequest(is_hidden=True)
    )
    try:
        wait_for(lambda: start.program is not None, "the program")
        assert start.frame.isVisible() is not has_tray
        wait_for(lambda: start.frame.findChild(TopicsController), "what looks up topics")
        start.program.session.run(LaunchRequest())
        assert start.frame.isVisible()
        wait_for(lambda: start.program.window.transcripts.page is not None, "the page")
        wait_for(lambda: start.program.window.has_begun, "the begin")
        assert len(start.frame.findChildren(TopicsController)) == 1
    finally:
        start.frame.end()
        start.close()
        shiboken6.delete(start.frame)
