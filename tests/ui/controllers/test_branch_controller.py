"""Several models side by side in the window: picked, shown, stopped, chosen, and restored."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from desktop.domain.messages import MessageStatus
from desktop.domain.models import ModelInfo
from desktop.ui.chat.session_manager import NEW
from desktop.ui.controllers.branch_controller import ComparisonDialog
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.transcript.page_channel import ACTIONS
from tests.ui.fakes.scripts import record_calls
from tests.ui.on_page import click, script

MODELS = ("openai/gpt-5", "ollama/qwen3:8b")


@pytest.fixture
def window(open_window):
    window = open_window()
    window.resize(1300, 800)  # room for several answers side by side
    return window


def heads(window, qtbot) -> list[str]:
    """Return the heads of answers that are shown."""
    code = (
        "[...document.querySelectorAll('.who')].filter(e => e.offsetParent).map(e => e.innerText).join('|')"
    )
    return [head for head in script(window, qtbot, code).split("|") if head]


def texts(window, qtbot) -> int:
    """Return how many answers can be read."""
    return script(
        window, qtbot, "[...document.querySelectorAll('.answer > .text')].filter(e => e.offsetParent).length"
    )


def compare(window, qtbot, text: str = "Why tides?") -> None:
    window.composer.model.compare(MODELS)
    window.composer.text.setPlainText(text)
    window.composer.send.click()
    qtbot.wait_until(lambda: window.sessions.current != NEW and not window.sessions.is_running)


def test_two_to_four_models_are_picked(engine, qtbot):
    models = asyncio.run(engine.models.models())
    dialog = ComparisonDialog(models, ("quotes",))
    qtbot.add_widget(dialog)
    dialog.show()
    assert not dialog.compare.isEnabled()
    dialog.rows.item(2).setCheckState(Qt.CheckState.Checked)
    assert dialog.compare.isEnabled()
    dialog.filter.setText("ollama")
    assert [dialog.view.isRowHidden(row) for row in range(4)] == [True, False, True, True]
    dialog.rows.item(2).setCheckState(Qt.CheckState.Unchecked)
    dialog.rows.item(3).setCheckState(Qt.CheckState.Checked)
    with qtbot.wait_signal(dialog.picked) as picked:
        dialog.compare.click()
    assert picked.args == [("quotes", models[3].id)]


def test_models_of_one_name_are_listed_by_their_ids(qtbot):
    models = (ModelInfo("p/a/m", "m", "P"), ModelInfo("p/b/m", "m", "P"), ModelInfo("p/n", "n", "P"))
    dialog = ComparisonDialog(models, ())
    qtbot.add_widget(dialog)
    assert [dialog.rows.item(row).text() for row in range(3)] == ["p/a/m", "p/b/m", "n  (P)"]


def test_one_model_alone_leads_to_where_there_are_more(engine, qtbot):
    dialog = ComparisonDialog(asyncio.run(engine.models.models())[:1], ("quotes",))
    qtbot.add_widget(dialog)
    dialog.show()
    assert any("Add a provider" in each.text() for each in dialog.findChildren(QLabel))
    assert not dialog.compare.isEnabled()


def test_a_list_that_is_opened_before_the_models_are_known_fills_when_they_are(engine, qtbot):
    models = asyncio.run(engine.models.models())
    dialog = ComparisonDialog((), ("quotes", models[2].id))
    qtbot.add_widget(dialog)
    dialog.show()
    assert dialog.rows.rowCount() == 0
    dialog.show_models(models[:3])
    assert dialog.chosen == ["quotes", models[2].id]
    assert dialog.compare.isEnabled()
    dialog.rows.item(2).setCheckState(Qt.CheckState.Unchecked)
    dialog.show_models(models)
    assert dialog.rows.rowCount() == len(models)
    assert dialog.chosen == ["quotes"], "what the user unchecked stays so"


def test_a_comparison_that_is_opened_in_the_first_seconds_hears_of_the_models(window, engine, qtbot):
    models = asyncio.run(engine.models.models())
    window.catalogue.models = ()
    window.shortcuts["compare"].trigger()
    dialog = window.findChild(ComparisonDialog)
    assert dialog.rows.rowCount() == 0
    window.catalogue.models_listed.emit(models)
    assert dialog.rows.rowCount() == len(models)
    dialog.close()


def test_the_models_answer_side_by_side_and_one_is_gone_on_with(window, engine, qtbot):
    compare(window, qtbot)
    question = engine.turns.questions[-1]
    assert (question.model, question.also) == (MODELS[0], MODELS[1:])
    qtbot.wait_until(lambda: len(heads(window, qtbot)) == 2)
    first, second = heads(window, qtbot)
    assert first.startswith("gpt-5")
    assert second.startswith("qwen3:8b")
    tops = script(
        window, qtbot, "[...document.querySelectorAll('.answer')].map(e => e.offsetTop).join(' ')"
    ).split()
    assert len(set(tops)) == 1
    click(window, qtbot, "[data-standing=compared] [data-action=choose]")
    qtbot.wait_until(lambda: texts(window, qtbot) == 1)
    (left,) = heads(window, qtbot)
    assert left.startswith("gpt-5")
    click(window, qtbot, ".fold")
    qtbot.wait_until(lambda: texts(window, qtbot) == 2)


def test_asking_on_folds_the_others(window, qtbot):
    compare(window, qtbot)
    qtbot.wait_until(lambda: texts(window, qtbot) == 2)
    window.composer.model.picked.emit("quotes")
    window.composer.model.set_beside(())
    window.composer.text.setPlainText("And?")
    window.composer.send.click()
    qtbot.wait_until(lambda: len(window.sessions.shown.messages) == 5 and not window.sessions.is_running)
    qtbot.wait_until(lambda: len(heads(window, qtbot)) == 1)
    qtbot.wait_until(lambda: texts(window, qtbot) == 2)


def test_one_or_all_are_stopped(window, engine, qtbot):
    engine.models.is_gated = True
    window.composer.model.compare(MODELS)
    window.composer.text.setPlainText("Why?")
    window.composer.send.click()
    qtbot.wait_until(lambda: len(heads(window, qtbot)) == 2)
    click(window, qtbot, "[data-standing=compared] [data-action=stop]")
    columns = "document.querySelectorAll('.answer.streaming').length"
    qtbot.wait_until(lambda: script(window, qtbot, columns) == 1)
    window.sessions.stop()
    qtbot.wait_until(lambda: not window.sessions.is_running)
    messages = engine.load(window.sessions.current).messages
    assert MessageStatus.STOPPED in {message.status for message in messages}


def test_another_model_answers_beside_the_last_answer(window, engine, qtbot):
    window.composer.text.setPlainText("Why tides?")
    window.composer.send.click()
    qtbot.wait_until(lambda: window.sessions.current != NEW and not window.sessions.is_running)
    window.transcripts.action_requested.emit(
        ActionRequest(window.sessions.shown.last_answer, MessageAction.BESIDE)
    )
    menu = QApplication.activePopupWidget() or window.findChildren(type(window.composer.model.menu()))[-1]
    menu.picked.emit("openai/gpt-5")
    menu.close()
    qtbot.wait_until(lambda: len(heads(window, qtbot)) == 2)
    qtbot.wait_until(lambda: not window.sessions.is_running)
    assert len(engine.turns.questions) == 1
    window.sessions.open(window.sessions.current)
    qtbot.wait_until(lambda: len(heads(window, qtbot)) == 2)


def test_a_column_that_failed_is_answered_again_by_its_own_model(window, engine, qtbot):
    asked = record_calls(engine.turns, "answer_with_models")
    compare(window, qtbot)
    _, usual, column = window.sessions.shown.messages
    window.transcripts.action_requested.emit(ActionRequest(column.id, MessageAction.RETRY))
    qtbot.wait_until(lambda: bool(asked) and not window.sessions.is_running)
    assert [each[1:3] for each in asked] == [(usual.id, (column.model,))]
    assert len(engine.turns.questions) == 1


def test_a_wait_of_one_answer_is_skipped(window, engine, qtbot):
    compare(window, qtbot)
    answer, skipped = window.sessions.shown.last_answer, record_calls(engine.turns, "skip_wait")
    window.transcripts.action_requested.emit(ActionRequest(answer, MessageAction.SKIP_WAIT))
    qtbot.wait_until(lambda: skipped == [(answer,)])
    assert "skip_wait" in ACTIONS
