"""The window is on the screen before its content, and comes back where it was."""

import errno
import json
import os
import threading

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QLabel

from desktop.ui.window.main_window import MainWindow, WindowPlace

WAIT_S = 60
"""How long a busy disk may take."""


@pytest.fixture
def open_frame(qtbot, tmp_path):
    def opened() -> MainWindow:
        frame = MainWindow(tmp_path)
        qtbot.add_widget(frame)
        with qtbot.wait_signal(frame.painted):
            frame.show()
        return frame

    return opened


def test_it_says_once_that_it_is_painted_and_is_filled_then(open_frame, qtbot):
    frame = open_frame()
    again = []
    frame.painted.connect(lambda: again.append(True))
    content = QLabel("content")
    frame.fill(content)
    frame.repaint()
    assert frame.centralWidget() is content
    assert again == []


def test_place_and_size_are_remembered(open_frame):
    frame = open_frame()
    frame.resize(701, 503)
    frame.close()
    assert frame.place.flush(WAIT_S)
    again = open_frame()
    assert (again.width(), again.height()) == (701, 503)


@pytest.mark.parametrize(("theme", "is_dark"), [("dark", True), ("light", False)])
def test_its_first_colour_is_that_of_the_theme(open_frame, tmp_path, theme, is_dark):
    (tmp_path / "settings.json").write_text(json.dumps({"window": {"theme": theme}}))
    colour = open_frame().grab().toImage().pixelColor(600, 300)
    assert (colour.lightness() < 128) is is_dark


@pytest.mark.parametrize("settings", [b"{", b"[]", b'{"window": 3}', b"\xff\x00"])
def test_damaged_settings_do_not_keep_it_from_the_screen(open_frame, tmp_path, settings):
    (tmp_path / "settings.json").write_bytes(settings)
    assert open_frame().isVisible()


def test_closing_hides_a_window_that_stays_until_the_person_quits(open_frame, qtbot):
    frame = open_frame()
    frame.set_stays(True)
    with qtbot.assert_not_emitted(frame.closed):
        frame.close()
    assert not frame.isVisible()
    frame.come_forward()
    assert frame.isVisible()
    with qtbot.wait_signal(frame.closed):
        frame.end()


def test_the_place_is_kept_while_the_window_is_open(open_frame, tmp_path, qtbot):
    frame = open_frame()
    frame.resize(723, 511)
    qtbot.wait_until(lambda: frame.place.state("geometry") == frame.saveGeometry())
    assert frame.place.flush(WAIT_S)
    assert (tmp_path / "window.ini").is_file()  # and a crash from here on loses nothing of it


def test_a_place_that_an_earlier_version_kept_is_found(open_frame, tmp_path):
    before = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    frame = open_frame()
    frame.resize(733, 521)
    before.setValue("geometry", frame.saveGeometry())
    before.setValue("sidebar", "hidden")
    before.sync()
    del before
    again = open_frame()
    assert (again.width(), again.height()) == (733, 521)
    assert again.place.text("sidebar") == "hidden"


def test_a_disk_that_does_not_answer_does_not_hold_the_window_up(open_frame, tmp_path, monkeypatch, qtbot):
    is_syncing, goes_on = threading.Event(), threading.Event()
    sync = os.fsync

    def wait_and_sync(descriptor):
        is_syncing.set()
        assert goes_on.wait(60)
        sync(descriptor)

    frame = open_frame()
    monkeypatch.setattr("desktop.settings.atomic_files.os.fsync", wait_and_sync)
    try:
        for name in ("first", "second", "third"):
            frame.place.keep_text("conversation", name)
            qtbot.wait_until(is_syncing.is_set)  # Qt's loop goes round while the disk does not answer
            assert frame.place.text("conversation") == name
        assert not frame.place.flush(0.0)
        assert not (tmp_path / "window.ini").exists()
    finally:
        goes_on.set()
    assert frame.place.flush(WAIT_S)
    assert WindowPlace(tmp_path / "window.ini").text("conversation") == "third"


def test_a_full_disk_is_noted_and_the_next_change_is_written(open_frame, tmp_path, monkeypatch, caplog):
    frame = open_frame()

    def refuse(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("desktop.settings.atomic_files.os.fsync", refuse)
        frame.place.keep_text("conversation", "lost")
        assert frame.place.flush(WAIT_S)
    assert "No space left" in caplog.text
    frame.place.keep_text("conversation", 'with "quotes" and \\ and 中文')
    assert frame.place.flush(WAIT_S)
    assert WindowPlace(tmp_path / "window.ini").text("conversation") == 'with "quotes" and \\ and 中文'
