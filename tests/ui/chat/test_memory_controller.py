"""What is said to be remembered is kept, can be taken back, and stays out of conversations where it is off."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.domain.drafts import Draft
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.settings.model import MemorySettings
from desktop.ui.chat.session_manager import NEW
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from tests.ui.parts import build_parts


class Room:
    """The parts of the window that have to do with memory."""

    def __init__(self, engine, loop) -> None:
        window = QWidget()
        parts = build_parts(engine, loop, window)
        self.window = window
        self.composer, self.sessions, self.store = parts.composer, parts.sessions, parts.store
        self.asking, self.remembering = parts.chat.asking, parts.chat.remembering
        self.notices = []
        self.errors = []
        self.remembering.noticed.connect(self.notices.append)
        self.remembering.failed.connect(self.errors.append)

    def send(self, text: str) -> None:
        self.composer.put(Draft(text))
        self.composer.submitted.emit()


@pytest.fixture
def space(engine, loop, qtbot):
    space = Room(engine, loop)
    qtbot.add_widget(space.window)
    space.window.show()
    yield space
    space.sessions.stop_all()


def texts(engine):
    return [memory.text for memory in engine.loop.call(engine.memories.all())]


def uses_memory(engine, conversation_id):
    return engine.loop.call(engine.memories.is_used_in(conversation_id))


def wait(qtbot, condition):
    qtbot.wait_until(lambda: bool(condition()))


@pytest.mark.parametrize("message", ["/remember I live in Oslo.", "记住我住在奥斯陆。"])
def test_a_fact_that_is_typed_is_kept_not_asked_and_can_be_taken_back(space, engine, qtbot, message):
    space.send(message)
    wait(qtbot, lambda: space.notices)
    assert len(texts(engine)) == 1
    assert engine.turns.questions == []
    assert space.composer.draft == Draft()
    assert space.notices[0].text.startswith("Saved to memory: “")
    space.notices[0].act()
    wait(qtbot, lambda: not texts(engine))
    assert space.composer.draft.text == message


def test_what_is_remembered_already_is_said_and_not_taken_back(space, engine, qtbot):
    engine.loop.call(engine.memories.add("I live in Oslo."))
    with qtbot.wait_signal(space.remembering.memory_store.listed):
        space.remembering.memory_store.refresh()
    space.send("/remember I live in Oslo.")
    wait(qtbot, lambda: space.notices)
    assert (space.notices[0].text, space.notices[0].act) == (
        "Already in memory: “I live in Oslo.”",
        None,
    )


def test_what_cannot_be_kept_comes_back_into_the_composer(space, qtbot):
    space.send("/remember")
    wait(qtbot, lambda: space.errors)
    assert space.composer.draft.text == "/remember"


def test_a_message_and_selected_words_are_remembered_from_the_page(space, engine, qtbot):
    space.send("My dog is called Bruno, how do I calm him?")
    wait(qtbot, lambda: not space.sessions.is_running and engine.turns.questions)
    space.remembering.remember(ActionRequest("nobody", MessageAction.REMEMBER))
    asked = space.sessions.shown.messages[0].id
    space.remembering.remember(ActionRequest(asked, MessageAction.REMEMBER))
    space.remembering.remember(ActionRequest("", MessageAction.REMEMBER, "dogs fear fireworks"))
    wait(qtbot, lambda: len(space.notices) == 2)
    assert sorted(texts(engine)) == ["My dog is called Bruno, how do I calm him?", "dogs fear fireworks"]


def test_a_cited_memory_is_shown_on_its_page(space, engine, qtbot):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.MEMORY, "You said", "I live in Oslo.", document="k7")])
    with qtbot.wait_signal(space.remembering.page_asked):
        space.remembering.show_source(ledger.sources[0])
    assert space.remembering.memory_store.wanted == "k7"


def with_a_memory(space, engine, qtbot):
    engine.loop.call(engine.memories.add("I live in Oslo."))
    space.remembering.memory_store.refresh()
    wait(qtbot, lambda: space.composer.memory.is_offered)


def test_the_switch_is_there_while_there_is_something_to_use(space, engine, qtbot):
    assert not space.composer.memory.is_offered
    with_a_memory(space, engine, qtbot)
    settings = space.store.settings
    space.store.apply(replace(settings, memory=MemorySettings(is_on=False)))
    assert not space.composer.memory.is_offered


def test_memory_is_switched_off_for_one_conversation_from_its_first_question_on(space, engine, qtbot):
    other = engine.put("Other", texts=("q", "a"))
    with_a_memory(space, engine, qtbot)
    QTest.mouseClick(space.composer.memory, Qt.MouseButton.LeftButton)
    space.send("Where do I live?")
    wait(qtbot, lambda: space.sessions.current and not uses_memory(engine, space.sessions.current))
    assert [question.uses_memory for question in engine.turns.questions] == [False]
    silent = space.sessions.current
    space.sessions.open(other)
    wait(qtbot, lambda: space.composer.memory.is_on)
    space.sessions.open(silent)
    assert not space.composer.memory.is_on
    space.sessions.open(NEW)
    assert space.composer.memory.is_on
    space.sessions.open(silent)
    QTest.mouseClick(space.composer.memory, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: uses_memory(engine, silent))


def test_until_it_is_known_a_conversation_uses_no_memory(space, engine, qtbot):
    other = engine.put("Other", texts=("q", "a"))
    space.sessions.open(other)
    assert not space.composer.memory.is_on
    wait(qtbot, lambda: space.composer.memory.is_on)
