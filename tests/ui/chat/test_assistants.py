"""Assistants in the window: picked, kept with the conversation, shown, and gone."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QMenu

from desktop.chat.assistants import with_assistant, without_assistant
from desktop.domain.assistants import GENERAL, Assistant, Parameters
from desktop.domain.knowledge import BaseInfo
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.search import WEB_OFF, EngineInfo
from desktop.settings.model import Settings
from desktop.ui.chat.composer_state import AvailableChoices, start_of
from desktop.ui.chat.session_manager import NEW
from desktop.ui.sidebar.conversation_model import AssistantRole
from tests.ui.on_page import click, shown, wait_for_text

LAWYER = Assistant(
    "lawyer",
    "Lawyer",
    "§",
    "Name the paragraph.",
    model="openai/gpt-5",
    web=WEB_OFF,
    bases=("Contracts",),
    parameters=Parameters(temperature=0.1),
    suggestions=("What is a contract?",),
)


def with_lawyer(settings: Settings, lawyer: Assistant = LAWYER) -> Settings:
    settings = replace(settings, window=replace(settings.window, language="en"))
    return with_assistant(settings, lawyer)


@pytest.fixture
def window(engine, open_window, qtbot):
    engine.worker.put("Contracts")
    engine.preferences.settings = with_lawyer(engine.preferences.settings)
    window = open_window()
    qtbot.wait_until(lambda: bool(window.knowledge_store.bases))
    return window


def pick(menu: QMenu, text: str) -> None:
    menu.aboutToShow.emit()
    action = next(action for action in menu.actions() if action.text().endswith(text))
    action.trigger()


def switches(window) -> tuple[str, str, tuple[str, ...]]:
    composer = window.composer
    return composer.model.choice, composer.web.choice, composer.bases.chosen


def ask(window, qtbot, text: str) -> None:
    window.composer.text.setPlainText(text)
    window.composer.send.click()
    qtbot.wait_until(lambda: window.sessions.current != NEW and not window.sessions.is_running)


def test_switches_start_from_the_wishes_of_the_assistant(window):
    before = switches(window)
    pick(window.composer.assistant.menu(), "Lawyer")
    assert switches(window) == ("openai/gpt-5", WEB_OFF, ("b1",))
    assert window.store.settings.chat.model == QUOTES_MODEL
    pick(window.composer.assistant.menu(), "General")
    assert switches(window) == before


def test_what_is_picked_against_a_wish_counts_until_the_conversation_is_left(window):
    pick(window.composer.assistant.menu(), "Lawyer")
    window.composer.model.picked.emit(QUOTES_MODEL)
    window.composer.bases.picked.emit(())
    assert switches(window) == (QUOTES_MODEL, WEB_OFF, ())
    window.start_new()
    assert switches(window) == ("openai/gpt-5", WEB_OFF, ("b1",))


def test_a_conversation_keeps_its_assistant(window, engine, qtbot):
    pick(window.composer.assistant.menu(), "Lawyer")
    ask(window, qtbot, "Is it binding?")
    first = window.sessions.current
    question = engine.turns.questions[-1]
    assert (question.assistant, question.model, question.web) == (LAWYER, "openai/gpt-5", WEB_OFF)
    window.start_new()
    assert window.composer.assistant.choice == LAWYER
    pick(window.composer.assistant.menu(), "General")
    qtbot.wait_until(lambda: window.sidebar.model.rowCount() > 0)
    window.sessions.open(first)
    assert window.composer.assistant.choice == LAWYER
    pick(window.composer.assistant.menu(), "Coder")
    qtbot.wait_until(lambda: engine.load(first).info.assistant == "coder")


def test_the_list_shows_and_filters_by_assistant(window, engine, qtbot):
    mine, other = (
        engine.put("Binding", texts=("a", "b")),
        engine.put("Tides", texts=("a", "b")),
    )
    engine.loop.call(engine.conversations.assign(mine, "lawyer"))
    window.library.refresh()
    model = window.sidebar.model
    qtbot.wait_until(lambda: set(model.ids) == {mine, other})
    assert model.row_of(mine).data(AssistantRole) == LAWYER
    assert model.row_of(other).data(AssistantRole) is None
    pick(window.sidebar.assistants.menu(), "Lawyer")
    assert model.ids == (mine,)
    pick(window.sidebar.assistants.menu(), "General")
    assert model.ids == (other,)
    pick(window.sidebar.assistants.menu(), "All assistants")
    assert set(model.ids) == {mine, other}


def test_the_assistant_welcomes_with_its_suggestions(window, engine, qtbot):
    wait_for_text(window, qtbot, "Quotes answers with exact sentences")
    pick(window.composer.assistant.menu(), "Lawyer")
    wait_for_text(window, qtbot, "What is a contract?")
    assert "Lawyer" in shown(window, qtbot)
    assert "Quotes answers" not in shown(window, qtbot)  # the model of the assistant does
    window.composer.model.picked.emit(QUOTES_MODEL)
    wait_for_text(window, qtbot, "Quotes answers with exact sentences")
    window.composer.model.picked.emit("openai/gpt-5")
    click(window, qtbot, ".example")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    assert engine.turns.questions[0].text == "What is a contract?"
    qtbot.wait_until(lambda: not window.sessions.is_running)


def test_a_deleted_assistant_is_done_without_and_said_so(window, engine, qtbot):
    conversation = engine.put("Binding", texts=("a", "b"))
    engine.loop.call(engine.conversations.assign(conversation, "lawyer"))
    window.library.refresh()
    qtbot.wait_until(lambda: window.sidebar.model.ids == (conversation,))
    window.sessions.open(conversation)
    window.store.apply(without_assistant(window.store.settings, "lawyer"))
    assert window.composer.assistant.choice == GENERAL
    assert "was deleted" in window.notices._text.text()
    window.store.apply(with_lawyer(window.store.settings))
    assert window.composer.assistant.choice == LAWYER


def test_an_assistant_whose_model_is_gone_falls_back_visibly(window):
    window.store.apply(with_lawyer(window.store.settings, replace(LAWYER, model="openai/gone")))
    pick(window.composer.assistant.menu(), "Lawyer")
    assert window.composer.model.choice == QUOTES_MODEL
    assert "gone, the model of “Lawyer”, isn’t available" in window.notices._text.text()


def test_what_is_missing_is_judged_only_once_it_is_known():
    settings = Settings()
    lawyer = replace(LAWYER, web="tavily")
    start = start_of(lawyer, settings, AvailableChoices())
    assert (start.model, start.web, start.bases, start.problems) == (
        "openai/gpt-5",
        "tavily",
        ("Contracts",),
        (),
    )
    offer = AvailableChoices(
        (ModelInfo(QUOTES_MODEL, "Quotes", ""),),
        (EngineInfo("tavily", "Tavily", needs_key=True, is_ready=False),),
        (BaseInfo("b2", "Other"),),
    )
    start = start_of(lawyer, settings, offer)
    assert (start.model, start.web, start.bases) == (QUOTES_MODEL, settings.search.choice, ())
    assert len(start.problems) == 3
