"""Pages that ask for a person: the dialog that waits, and the notice that offers it."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QWidget

from desktop.domain.events import StepFinished, TurnFinished, TurnStarted
from desktop.domain.messages import Message, Speaker, Step, StepKind, StepStatus
from desktop.domain.search import EngineHealth, Obstacle, SearchOutcome, SearchStatus
from desktop.ui.dialogs.browser_dialogs import CaptchaDialog
from desktop.ui.window.notices import CaptchaNotifier
from tests.ui.fakes.scripts import script_result

BLOCKED = EngineHealth(
    "bing", "Bing", SearchStatus.BLOCKED, "Bing asks.", 1, obstacle=Obstacle.CAPTCHA, query="tides"
)
ANSWER = TurnFinished(Message("a1", "c1", Speaker.MODEL, "", datetime.now(UTC)))


def search_step(status: StepStatus) -> StepFinished:
    return StepFinished(Step(1, StepKind.SEARCH, "tides", status))


FOUND = SearchOutcome(SearchStatus.RESULTS, "bing", "tides")


@pytest.fixture
def gate():
    """Engines show their pages until it is open."""
    return asyncio.Event()


@pytest.fixture
def shown(engine, gate):
    """Return which pages of engines were shown."""
    return script_result(engine.searches(), "show", gate, FOUND)


@pytest.fixture
def dialog(engine, loop, qtbot, shown):
    dialog = CaptchaDialog(BLOCKED, engine.port.searches, loop)
    qtbot.add_widget(dialog)
    dialog.open()
    qtbot.wait_until(lambda: len(shown) == 1)
    return dialog


def test_it_waits_until_the_engine_answers(dialog, engine, gate, shown, qtbot):
    assert "Bing" in dialog.title.text()
    assert dialog.closing.text() == "Cancel"
    with qtbot.wait_signals([dialog.solved, dialog.finished]):
        engine.release(gate)
    assert shown == [("bing", "tides")]


def test_cancel_closes_the_page(dialog, shown, qtbot):
    dialog.closing.click()
    qtbot.wait_until(lambda: shown.cancelled == 1)
    assert not dialog.isVisible()


def test_what_did_not_help_is_said_and_can_be_tried_again(engine, loop, qtbot):
    refused = replace(FOUND, status=SearchStatus.BLOCKED, error="There is no screen.")
    script_result(engine.searches(), "show", refused)
    dialog = CaptchaDialog(BLOCKED, engine.port.searches, loop)
    qtbot.add_widget(dialog)
    dialog.open()
    qtbot.wait_until(lambda: dialog.text.text() == "There is no screen.")
    script_result(engine.searches(), "show", replace(FOUND, status=SearchStatus.NOTHING_FOUND))
    with qtbot.wait_signal(dialog.solved):
        dialog.again.click()


@pytest.fixture
def watch(engine, loop, qtbot, shown):
    window = QWidget()
    qtbot.add_widget(window)
    script_result(engine.searches(), "health", (BLOCKED,))
    return CaptchaNotifier(engine.port.searches, loop, window)


def noticed(watch, qtbot):
    with qtbot.wait_signal(watch.noticed) as notice:
        watch.watch(search_step(StepStatus.DEGRADED))
    watch.watch(ANSWER)
    return notice.args[0]


def test_a_blocked_engine_is_told_once_and_one_click_shows_its_page_and_searches_again(
    watch, engine, gate, qtbot
):
    notice = noticed(watch, qtbot)
    assert "Bing" in notice.text
    assert "searched" in notice.text
    with qtbot.wait_signal(watch.solved) as solved:
        notice.act()
        engine.release(gate)
    assert solved.args == ["a1"]


def test_after_another_question_nothing_is_asked_unless_the_person_wants_it(watch, engine, gate, qtbot):
    notice = noticed(watch, qtbot)
    watch.watch(TurnStarted(ANSWER.message, replace(ANSWER.message, id="a2")))
    with qtbot.wait_signal(watch.noticed) as after:
        notice.act()
        engine.release(gate)
    assert after.args[0].text == "Bing is working again."
    with qtbot.wait_signal(watch.solved) as solved:
        after.args[0].act()
    assert solved.args == ["a1"]


@pytest.mark.parametrize("goes_on", [True, False])
def test_help_during_a_turn_is_worth_another_question_only_if_no_search_went_on(
    watch, engine, gate, qtbot, goes_on
):
    notices, asked = [], []
    watch.solved.connect(asked.append)
    watch.noticed.connect(notices.append)
    watch.watch(search_step(StepStatus.DEGRADED))
    qtbot.wait_until(lambda: len(notices) == 1)
    notices[0].act()
    dialog = watch.parent().findChild(CaptchaDialog)
    with qtbot.wait_signal(dialog.solved):
        engine.release(gate)
    if goes_on:
        watch.watch(search_step(StepStatus.DONE))
    watch.watch(ANSWER)
    assert asked == []  # while the answer is on its way no other can be asked for
    watch.repeat_if_solved(False)
    watch.repeat_if_solved(False)
    assert asked == ([] if goes_on else ["a1"])


def test_nothing_is_said_twice_of_an_engine_but_of_the_next_one(watch, engine, qtbot):
    noticed(watch, qtbot)
    watch.watch(search_step(StepStatus.DEGRADED))
    watch.watch(ANSWER)
    script_result(engine.searches(), "health", (BLOCKED, replace(BLOCKED, engine="google", name="Google")))
    assert "Google" in noticed(watch, qtbot).text


def test_nothing_is_said_after_a_search_that_went_well(watch, engine, qtbot):
    watch.watch(search_step(StepStatus.DONE))
    watch.watch(ANSWER)
    script_result(engine.searches(), "health", (replace(BLOCKED, engine="google", name="Google"),))
    assert "Google" in noticed(watch, qtbot).text
