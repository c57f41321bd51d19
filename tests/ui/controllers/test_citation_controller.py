"""Checking the citations of an answer in the window: on request, with progress, a way out, and a result that stays."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox

from desktop.chat.checking import checker
from desktop.settings.model import ALWAYS, BY_WORDS, ON_REQUEST
from desktop.ui.controllers.citation_controller import CitationCheckController
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from tests.cases import cases
from tests.ui.fakes.scripts import record_calls
from tests.ui.on_page import click, script, shown, wait_for_text
from tests.ui.settings.test_dialog import control, dialog, pick
from tests.ui.window.test_workspace import ask

__all__ = ["dialog"]

DOUBTFUL = ("Tides ", "follow the moon ", "and Jupiter [1].")
LINE = "1 claim · 0 found in its sources · 1 doubtful"


def wait_for_mark(window, qtbot, kind: str) -> dict:
    """Return what the first mark is once it is of a kind: it follows the line below the answer."""

    def mark() -> dict:
        return script(
            window,
            qtbot,
            "(m => ({kind: m.className, name: m.getAttribute('aria-label'), "
            "sign: getComputedStyle(m, '::after').content}))(document.querySelector('a.citation'))",
        )

    qtbot.wait_until(lambda: mark()["kind"] == kind)
    return mark()


def is_checking(window) -> bool:
    return window.findChild(CitationCheckController).is_running


@pytest.fixture
def answered(window, engine, qtbot):
    engine.models.words = DOUBTFUL
    ask(window, qtbot, "How do tides work?")
    wait_for_text(window, qtbot, "Tides follow the moon")
    qtbot.wait_until(lambda: not window.sessions.is_running)
    qtbot.wait_until(lambda: script(window, qtbot, "!!document.querySelector('a.citation')"))
    qtbot.wait_until(lambda: not is_checking(window))  # the check that begins by itself
    return window.sessions.shown.last_answer


@pytest.fixture
def gated_check(answered, engine, monkeypatch):
    """Have checks wait before they compare the first claim."""

    async def wait(batch, _cases, _judges):
        await engine.models.pass_gate()
        return batch

    monkeypatch.setattr(checker, "apply_judges", wait)
    engine.models.is_gated = True


def test_a_weak_mark_looks_and_sounds_different_and_its_card_says_why(window, answered, qtbot):
    wait_for_mark(window, qtbot, "citation")
    click(window, qtbot, "[data-action=check]")
    wait_for_text(window, qtbot, LINE)
    doubted = wait_for_mark(window, qtbot, "citation doubted weak")
    assert doubted["name"].endswith("(weakly supported)")
    assert "?" in doubted["sign"]
    hover = (
        "document.querySelector('a.citation').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    script(window, qtbot, hover)
    card = "document.getElementById('card').innerText"
    qtbot.wait_until(lambda: "Missing from the source: Jupiter." in script(window, qtbot, card))
    script(window, qtbot, "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
    assert script(window, qtbot, card) == ""
    click(window, qtbot, "button.doubt")  # the line leads to the mark, and to its card
    qtbot.wait_until(lambda: "Missing from the source: Jupiter." in script(window, qtbot, card))
    assert script(window, qtbot, "document.activeElement.matches('a.citation.doubted')")


@cases("when, is_checked", [(BY_WORDS, True), (ON_REQUEST, False), (ALWAYS, False)])
def test_a_new_answer_is_checked_by_words_if_the_settings_say_so(
    open_window, engine, qtbot, when, is_checked
):
    engine.models.words = DOUBTFUL
    settings = engine.preferences.settings
    engine.preferences.settings = replace(
        settings, chat=replace(settings.chat, checks_citations=when, model="openai/gpt-5")
    )
    window = open_window()
    with qtbot.wait_signal(window.sessions.answer_ended):
        ask(window, qtbot, "How do tides work?")
    if is_checked:
        wait_for_text(window, qtbot, LINE)
        qtbot.wait_until(lambda: not is_checking(window))
    assert not is_checking(window)


@cases(
    "fields, is_checked",
    [
        ({"text": "Tides follow the moon.", "known": ()}, False),
        ({"text": "Tides follow the moon [1].", "known": ()}, True),
        ({"text": "Tides follow the moon.", "known": ((1, 1),)}, True),
        ({"text": "Tides follow the moon.", "known": None}, True),
    ],
)
def test_an_answer_without_sources_and_marks_is_not_checked_by_itself(
    window, answered, qtbot, fields, is_checked
):
    checks = window.findChild(CitationCheckController)
    qtbot.wait_until(lambda: not checks.is_running)
    answer = window.sessions.shown.get(answered)
    checks.check_new(window.sessions.current, replace(answer, check=None, **fields))
    assert checks.is_running == is_checked
    qtbot.wait_until(lambda: not checks.is_running)


def test_the_result_is_there_again_when_the_conversation_is_opened_again(window, answered, qtbot):
    window.transcripts.action_requested.emit(ActionRequest(answered, MessageAction.CHECK))
    wait_for_text(window, qtbot, LINE)
    conversation = window.sessions.current
    window.start_new()
    qtbot.wait_until(lambda: LINE not in shown(window, qtbot))
    window.sessions.open(conversation)
    wait_for_text(window, qtbot, LINE)
    wait_for_mark(window, qtbot, "citation doubted weak")


@pytest.mark.usefixtures("gated_check")
def test_a_check_shows_how_far_it_is_and_can_be_stopped(window, answered, qtbot):
    click(window, qtbot, "[data-action=check]")
    wait_for_text(window, qtbot, "Checking citations: 0 of 1")
    click(window, qtbot, "[data-action=stop_check]")
    qtbot.wait_until(lambda: not is_checking(window))
    qtbot.wait_until(lambda: "Checking citations" not in shown(window, qtbot))
    assert LINE not in shown(window, qtbot)
    wait_for_mark(window, qtbot, "citation")


@pytest.mark.usefixtures("gated_check")
def test_a_check_that_the_user_asks_for_replaces_the_one_that_runs_by_itself(window, engine, answered, qtbot):
    checks = window.findChild(CitationCheckController)
    engine.change(
        window.sessions.current, 1, model="openai/gpt-5"
    )  # what Quotes says is not checked by itself
    checked = record_calls(engine.turns, "check")
    checks.check_new(window.sessions.current, window.sessions.shown.get(answered))
    qtbot.wait_until(lambda: len(checked) == 1)
    window.transcripts.action_requested.emit(ActionRequest(answered, MessageAction.CHECK))
    wait_for_text(window, qtbot, "Checking citations: 0 of 1")
    assert checks.is_running
    checks.check_new(window.sessions.current, window.sessions.shown.get(answered))  # not the other way round
    engine.loop.call(engine.models.allow(1))
    wait_for_text(window, qtbot, LINE)
    qtbot.wait_until(lambda: not checks.is_running)
    assert [by_words for *_, by_words in checked] == [True, False]


@pytest.mark.usefixtures("gated_check")
def test_a_check_goes_on_while_another_conversation_is_open(window, engine, answered, qtbot):
    window.transcripts.action_requested.emit(ActionRequest(answered, MessageAction.CHECK))
    wait_for_text(window, qtbot, "Checking citations")
    conversation = window.sessions.current
    window.start_new()
    engine.loop.call(engine.models.allow(1))
    qtbot.wait_until(lambda: not is_checking(window))
    assert LINE not in shown(window, qtbot)
    window.sessions.open(conversation)
    wait_for_text(window, qtbot, LINE)


def test_the_line_and_the_mark_speak_chinese(window, answered, qtbot):
    window.transcripts.set_language("zh_CN")
    window.transcripts.action_requested.emit(ActionRequest(answered, MessageAction.CHECK))
    wait_for_text(window, qtbot, "1 条说法 · 0 条在来源中找到 · 1 条存疑")
    assert wait_for_mark(window, qtbot, "citation doubted weak")["name"].endswith("(依据不足)")


def test_the_settings_say_when_to_check_and_whether_a_model_judges(dialog, context, engine, qtbot):
    dialog.go_to("models")
    pick(control(dialog, QComboBox, "Check citations"), "After every answer, with the models below")
    control(dialog, QCheckBox, "Also check with a model").click()
    chat = context.store.settings.chat
    assert (chat.checks_citations, chat.checks_with_model) == (ALWAYS, True)
    qtbot.wait_until(lambda: engine.preferences.settings == context.store.settings)
    pick(control(dialog, QComboBox, "Check citations"), "On request and after research")
    assert context.store.settings.chat.checks_citations == ON_REQUEST
