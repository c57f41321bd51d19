"""A conversation is kept on this machine from its first question on, and shows it when it is opened again."""

from unittest.mock import patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.domain.search import WEB_OFF
from desktop.errors import StorageUnavailable
from desktop.ui.chat.session_manager import NEW
from desktop.ui.composer.composer import Draft
from desktop.ui.window.workspace import Workspace


@pytest.fixture
def workspace(engine, loop, qtbot):
    workspace = Workspace(engine.port, loop, QApplication.instance())
    qtbot.add_widget(workspace)
    yield workspace
    workspace.cancel_all()


def wait(qtbot, condition):
    qtbot.wait_until(lambda: bool(condition()))


def keep_here(engine, conversation_id):
    engine.loop.call(engine.privacy.keep_here(conversation_id, is_kept=True))


def is_kept(engine, *conversation_ids):
    return [engine.loop.call(engine.privacy.stays_here(each)) for each in conversation_ids]


def click(switch):
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)


def test_the_first_question_takes_the_choice_along_and_looks_nothing_up(workspace, engine, qtbot):
    composer = workspace.composer
    click(composer.local_only)
    assert composer.local_only.text() == "Local only"
    assert not composer.web.isEnabled()
    composer.put(Draft("What is in my notes?"))
    composer.submitted.emit()
    wait(qtbot, lambda: engine.turns.questions)
    (question,) = engine.turns.questions
    assert question.stays_here
    assert question.web == WEB_OFF


def test_each_conversation_shows_what_holds_in_it(workspace, engine, qtbot):
    kept, other = (engine.put(title, texts=("q", "a")) for title in ("Kept", "Other"))
    keep_here(engine, kept)
    switch = workspace.composer.local_only
    workspace.sessions.open(kept)
    wait(qtbot, lambda: switch.is_on)
    workspace.sessions.open(other)
    assert not switch.is_on
    click(switch)
    wait(qtbot, lambda: is_kept(engine, kept, other) == [True, True])
    workspace.sessions.open(kept)
    wait(qtbot, lambda: switch.is_on)
    click(switch)
    wait(qtbot, lambda: is_kept(engine, kept, other) == [False, True])
    assert workspace.composer.web.isEnabled()
    workspace.sessions.open(NEW)
    assert not switch.is_on


def test_a_choice_that_cannot_be_kept_is_said_and_not_shown(workspace, engine, qtbot):
    known = engine.put("Known", texts=("q", "a"))
    workspace.sessions.open(known)
    wait(qtbot, lambda: workspace.sessions.current == known)
    with patch.object(
        engine.privacy, "keep_here", side_effect=StorageUnavailable(path="c.db", detail="read-only")
    ):
        click(workspace.composer.local_only)
        assert workspace.composer.local_only.is_on
        wait(qtbot, lambda: not workspace.composer.local_only.is_on)
    assert workspace.notices.isVisibleTo(workspace)


def test_what_is_begun_keeps_its_choice_while_something_else_is_looked_at(workspace, engine, qtbot):
    other = engine.put("Other", texts=("q", "a"))
    composer = workspace.composer
    click(composer.local_only)
    composer.put(Draft("What is in my notes?"))
    workspace.sessions.open(other)
    assert not composer.local_only.is_on
    workspace.sessions.open(NEW)
    assert composer.local_only.is_on
    assert not composer.web.isEnabled()
    composer.submitted.emit()
    wait(qtbot, lambda: engine.turns.questions)
    assert engine.turns.questions[0].stays_here
    wait(qtbot, lambda: is_kept(engine, NEW) == [False])
    workspace.sessions.open(NEW)
    assert not composer.local_only.is_on


def test_what_is_begun_keeps_its_choice_over_a_restart(engine, loop, qtbot):
    keep_here(engine, NEW)
    workspace = Workspace(engine.port, loop, QApplication.instance())
    qtbot.add_widget(workspace)
    workspace.begin()
    wait(qtbot, lambda: workspace.composer.local_only.is_on)
    workspace.cancel_all()
