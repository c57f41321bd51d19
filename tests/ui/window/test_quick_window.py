"""A question from anywhere: the quick window, its key, and the way from there to the main window."""

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from desktop.chat.api.system import KeyNews
from desktop.domain.events import ToolAsks
from desktop.domain.models import ToolCall
from desktop.errors import GlobalKeyUnavailable
from desktop.ui.chat.session_manager import NEW
from desktop.ui.composer.completion import CompletionPopup
from desktop.ui.window.quick_window import QuickWindowController
from tests.ui.fakes.scripts import Calls, script_steps
from tests.ui.on_page import wait_for_text

KEYS = "Ctrl+Alt+Space"


def use_keys(window, keys):
    settings = window.store.settings
    window.store.apply(replace(settings, program=replace(settings.program, quick_keys=keys)))


@pytest.fixture
def quick(window):
    """The quick window, on the screen; it ends with the other one."""
    window.quick_asked.emit()
    yield window.findChild(QuickWindowController).window
    window.ending.emit()


def ask(quick, qtbot, text):
    qtbot.keyClicks(quick.composer.text, text)
    qtbot.keyClick(quick.composer.text, Qt.Key.Key_Return)


def test_its_key_brings_it_up_and_another_key_after_a_change(window, engine, qtbot):
    keeper = window.findChild(QuickWindowController)
    before = Calls()
    for keys in (KEYS, "Meta+F"):
        pressed, news = asyncio.Event(), (KeyNews.HELD, KeyNews.PRESSED)
        held = script_steps(engine.surroundings, "listen_to_key", news[0], pressed, news[1], asyncio.Event())
        use_keys(window, keys)
        qtbot.wait_until(lambda: window.quick_key.is_held)
        assert held == [(keys,)]
        assert before.cancelled == len(before)
        before = held
        engine.release(pressed)
        qtbot.wait_until(lambda: keeper.window is not None and keeper.window.isVisible())
        qtbot.keyClick(keeper.window, Qt.Key.Key_Escape)
        assert not keeper.window.isVisible()
    use_keys(window, "")
    qtbot.wait_until(lambda: before.cancelled == 1)


def test_a_key_that_is_not_to_be_had_is_known_with_its_reason(window, engine, qtbot):
    error = GlobalKeyUnavailable(keys=KEYS, detail="Another program uses it.")
    script_steps(engine.surroundings, "listen_to_key", error)
    use_keys(window, KEYS)
    qtbot.wait_until(lambda: "footnote --quick" in str(window.quick_key.error))
    script_steps(engine.surroundings, "listen_to_key", KeyNews.HELD, asyncio.Event())
    use_keys(window, "Meta+F")
    qtbot.wait_until(lambda: window.quick_key.is_held and window.quick_key.error is None)


def test_an_answer_appears_in_it_while_the_main_window_stays_as_it_is(quick, window, engine, qtbot):
    assert quick.composer.text.hasFocus() or not quick.isActiveWindow()
    ask(quick, qtbot, "How do tides work?")
    wait_for_text(quick, qtbot, "Tides follow the moon")
    assert window.sessions.current == NEW
    qtbot.wait_until(lambda: window.sidebar.view.model().rowCount() > 0)  # it is a conversation as any


def test_what_runs_goes_on_in_the_main_window(quick, window, engine, loop, qtbot):
    engine.models.is_gated = True
    ask(quick, qtbot, "How do tides work?")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    loop.call(engine.models.allow(2))
    qtbot.wait_until(quick.open_button.isVisible)
    quick.open_button.click()
    assert not quick.isVisible()
    assert window.sessions.is_running
    loop.call(engine.models.allow(50))
    wait_for_text(window, qtbot, "Tides follow the moon")
    qtbot.wait_until(lambda: not window.sessions.is_running)
    assert len(engine.turns.questions) == 1
    assert quick.sessions.current == NEW


def test_a_tool_that_asks_is_answered_in_the_main_window(quick, window, engine, loop, qtbot):
    engine.models.is_gated = True
    ask(quick, qtbot, "How do tides work?")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    quick.sessions.tool_asked.emit("", ToolAsks("1", ToolCall("a", "web_search", "{}")))
    assert not quick.isVisible()
    assert window.sessions.current != NEW
    loop.call(engine.models.allow(50))
    qtbot.wait_until(lambda: not window.sessions.is_running)


def test_it_is_empty_when_it_is_called_again(quick, window, qtbot):
    ask(quick, qtbot, "How do tides work?")
    wait_for_text(quick, qtbot, "Tides follow the moon")
    qtbot.wait_until(lambda: not quick.sessions.is_running)
    quick.close()
    window.quick_asked.emit()
    assert quick.sessions.current == NEW
    assert quick.transcripts.isHidden()


def test_what_was_started_for_one_question_ends_after_it_has_been_answered(
    quick, window, engine, loop, qtbot
):
    left = []
    window.quick_left.connect(lambda: left.append(quick.sessions.is_running))
    engine.models.is_gated = True
    ask(quick, qtbot, "How do tides work?")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    qtbot.keyClick(quick, Qt.Key.Key_Escape)
    assert left == []
    loop.call(engine.models.allow(50))
    qtbot.wait_until(lambda: left == [False])


def test_what_is_switched_and_typed_in_it_holds_as_in_the_main_window(quick, window, engine, qtbot):
    quick.composer.local_only.picked.emit(True)
    assert not window.composer.local_only.isChecked()  # each conversation has its own
    ask(quick, qtbot, "How do tides work?")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    assert engine.turns.questions[0].stays_here
    wait_for_text(quick, qtbot, "Tides follow the moon")
    qtbot.wait_until(lambda: not quick.sessions.is_running)
    ask(quick, qtbot, "/remember dogs fear fireworks")
    qtbot.wait_until(lambda: "dogs fear fireworks" in quick.notices.text)
    quick.composer.text.text_given.emit("long " * 100)
    qtbot.wait_until(lambda: len(quick.composer.draft.files) == 1)
    assert window.composer.draft.files == ()


def test_past_answers_are_cited_in_it_and_not_in_the_main_window(quick, window, engine, qtbot):
    engine.put("Sea", texts=("Where?", "The almanac lists the tides."))
    qtbot.keyClicks(quick.composer.text, "@almanac")
    popup = quick.findChild(CompletionPopup)
    qtbot.wait_until(lambda: popup.isVisible() and popup.current.detail == "Sea")
    qtbot.keyClick(quick.composer.text, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: len(quick.composer.past.answers) == 1)
    assert window.composer.past.answers == ()
