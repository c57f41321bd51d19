import asyncio
import gc
import json
from collections import deque
from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest

from desktop.chat.api.engine import Question
from desktop.domain.assistants import GENERAL
from desktop.domain.events import SourcesAdded, StepFinished, StepStarted, TurnFinished, TurnStarted
from desktop.domain.messages import Folder, MessageStatus
from desktop.domain.models import TextDelta
from desktop.errors import StorageFull
from desktop.ui.chat.session_manager import NEW, SessionManager
from tests.ui.fakes.turns import WORDS
from tests.ui.on_page import script, wait_for_text


class Screen:
    """What a person would see of the open conversation: messages by id, and the order of events."""

    def __init__(self, sessions: SessionManager) -> None:
        self.texts: dict[str, str] = {}
        self.status: dict[str, MessageStatus] = {}
        self.events: list[type] = []
        sessions.opened.connect(self.show)
        sessions.event_arrived.connect(self.apply)
        sessions.current_changed.connect(self.clear)

    @property
    def answer(self):
        """The text of the last message."""
        return next(reversed(self.texts.values()), "")

    @property
    def last_status(self):
        return next(reversed(self.status.values()), None)

    def clear(self, _conversation_id=""):
        self.texts, self.status, self.events = {}, {}, []

    def show(self, shown):
        self.texts = {message.id: message.text for message in shown.messages}
        self.status = {message.id: message.status for message in shown.messages}

    def apply(self, event, shown):
        self.events.append(type(event))
        self.show(shown)


@pytest.fixture
def sessions(engine, loop, qapp):
    sessions = SessionManager(engine.port, loop)
    yield sessions
    sessions.deleteLater()


@pytest.fixture
def screen(sessions):
    return Screen(sessions)


def question(text="How do tides work?") -> Question:
    return Question(text, NEW)


def test_the_first_question_starts_a_conversation(sessions, screen, engine, qtbot):
    started = []
    sessions.started.connect(started.append)
    sessions.ask(question())
    assert sessions.is_running
    qtbot.wait_until(lambda: not sessions.is_running and sessions.current != NEW)
    assert started == [sessions.current]
    assert engine.turns.questions[0].conversation_id == sessions.current
    assert list(screen.texts.values()) == ["How do tides work?", "".join(WORDS)]
    assert screen.events[:4] == [TurnStarted, StepStarted, StepFinished, SourcesAdded]
    assert screen.events[-1] is TurnFinished


def test_a_conversation_on_disk_is_shown(sessions, screen, engine, qtbot):
    kept = engine.put("Tides", texts=("Q", "A"))
    sessions.open(kept)
    qtbot.wait_until(lambda: list(screen.texts.values()) == ["Q", "A"])


def test_an_answer_runs_on_while_another_conversation_is_open(sessions, screen, engine, loop, qtbot):
    engine.models.is_gated = True
    other = engine.put("Other", timedelta(days=1), ("Q", "A"))
    sessions.ask(question())
    loop.call(engine.models.allow(2))
    qtbot.wait_until(lambda: screen.answer == "Tides follow ")
    running = sessions.current

    sessions.open(other)
    qtbot.wait_until(lambda: list(screen.texts.values()) == ["Q", "A"])
    assert not sessions.is_running
    loop.call(engine.models.allow(1))

    sessions.open(running)
    assert sessions.is_running
    qtbot.wait_until(lambda: screen.answer == "Tides follow the ")
    assert set(screen.events) <= {TextDelta}  # what had happened before is not told again
    loop.call(engine.models.allow(10))
    qtbot.wait_until(lambda: not sessions.is_running)
    assert list(screen.texts.values()) == ["How do tides work?", "".join(WORDS)]


def test_events_of_other_conversations_are_not_shown(sessions, screen, engine, loop, qtbot):
    engine.models.is_gated = True
    sessions.ask(question())
    qtbot.wait_until(lambda: len(screen.texts) == 2)
    sessions.open(NEW)
    with qtbot.wait_signal(sessions.list_outdated):
        loop.call(engine.models.allow(10))
    assert screen.texts == {}


def test_two_conversations_are_answered_at_once(sessions, engine, loop, qtbot):
    engine.models.is_gated = True
    running = []
    sessions.all_running_changed.connect(running.append)
    sessions.ask(question("one"))
    qtbot.wait_until(lambda: bool(running) and len(running[-1]) == 1)
    sessions.open(NEW)
    sessions.ask(question("two"))
    qtbot.wait_until(lambda: len(running[-1]) == 2)
    loop.call(engine.models.allow(20))
    qtbot.wait_until(lambda: running[-1] == frozenset())


def test_stop_keeps_the_text_and_shows_that_it_was_stopped(sessions, screen, engine, loop, qtbot):
    engine.models.is_gated = True
    sessions.ask(question())
    loop.call(engine.models.allow(2))
    qtbot.wait_until(lambda: screen.answer == "Tides follow ")
    sessions.stop()
    qtbot.wait_until(lambda: screen.last_status is MessageStatus.STOPPED)
    assert screen.answer == "Tides follow "
    assert not sessions.is_running


def test_a_stopped_answer_goes_on(sessions, screen, engine, loop, qtbot):
    engine.models.is_gated = True
    sessions.ask(question())
    loop.call(engine.models.allow(1))
    qtbot.wait_until(lambda: screen.answer == "Tides ")
    sessions.stop()
    qtbot.wait_until(lambda: screen.last_status is MessageStatus.STOPPED)
    engine.models.is_gated = False
    answer = list(screen.texts)[-1]
    screen.clear()
    sessions.go_on(answer, "quotes", GENERAL)
    qtbot.wait_until(lambda: screen.last_status is MessageStatus.COMPLETE)
    assert list(screen.texts)[-1] == answer
    assert screen.answer == "Tides " + "".join(WORDS)


def test_a_question_that_could_not_be_asked_comes_back(sessions, engine, qtbot):
    error = StorageFull(detail="")
    failures, returned = [], []
    sessions.failed.connect(failures.append)
    sessions.question_returned.connect(returned.append)
    with patch.object(engine.conversations, "add_messages", side_effect=error):
        sessions.ask(question())
        qtbot.wait_until(lambda: len(returned) == 1)
    assert failures == [error]
    assert returned[0].text == "How do tides work?"
    assert not sessions.is_running


@pytest.mark.parametrize("where", ["new", "old"])
def test_a_question_that_is_stopped_before_it_began_comes_back(where, sessions, engine, qtbot):
    async def never(*_):
        await asyncio.Event().wait()
        yield

    engine.turns.ask = never
    returned = []
    sessions.question_returned.connect(returned.append)
    if where == "old":
        sessions.open(engine.put("Tides", texts=("Q", "A")))
    sessions.ask(question())
    if where == "old":
        qtbot.wait_until(lambda: sessions.is_running)
    sessions.stop()
    qtbot.wait_until(lambda: len(returned) == 1)
    assert returned[0].text == "How do tides work?"
    assert returned[0].conversation_id == sessions.current
    assert not sessions.is_running


def test_opening_again_at_once_shows_the_messages_once(sessions, screen, engine, qtbot):
    kept = engine.put("Tides", texts=("Q", "A"))
    sessions.open(kept)
    sessions.ask(question("And springs?"))
    sessions.open(kept)
    qtbot.wait_until(lambda: not sessions.is_running and screen.last_status is MessageStatus.COMPLETE)
    assert list(screen.texts.values()) == ["Q", "A", "And springs?", "".join(WORDS)]


def test_forgetting_the_open_conversation_leaves_an_empty_one(sessions, screen, engine, loop, qtbot):
    engine.models.is_gated = True
    sessions.ask(question())
    qtbot.wait_until(lambda: SourcesAdded in screen.events)  # the answer waits for its first word
    deleted = sessions.current
    sessions.forget(deleted)
    assert sessions.current == NEW
    assert screen.texts == {}
    qtbot.wait_until(lambda: engine.load(deleted).messages[-1].status is MessageStatus.STOPPED)


def test_what_is_sent_is_on_disk_before_anything_else_happens(sessions, engine, qtbot, monkeypatch):
    monkeypatch.setattr("desktop.services.composer.WAIT_S", 60)  # however slow the disk is
    folder = Folder("f1", "Physics")
    sessions.begin_in(folder)
    sessions.ask(question())
    (journalled,) = (engine.folder / "sent-questions").glob("*.json")  # no event loop has run since
    kept = json.loads(journalled.read_bytes())
    assert (kept["text"], kept["folder"]) == ("How do tides work?", "f1")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    assert engine.turns.questions[0].message_id == kept["id"]
    qtbot.wait_until(lambda: not sessions.is_running)


def test_a_question_that_is_repeated_is_not_kept_twice(sessions, engine, loop, qtbot):
    kept = engine.put("Tides", texts=("Q", "A"))
    asked = engine.load(kept).messages[0]
    sessions.open(kept)
    sessions.ask(replace(question(), repeats=asked.id))
    assert list(engine.folder.glob("sent-questions/*.json")) == []
    qtbot.wait_until(lambda: not sessions.is_running)


def count_holders(messages):
    """Return how many containers in this process hold two or more of these very objects, `messages` not counted."""
    ids, found = {id(message) for message in messages}, set()
    for message in messages:
        for each in gc.get_referrers(message):
            if each is not messages and isinstance(each, dict | list | tuple | set | frozenset | deque):
                held = each.values() if isinstance(each, dict) else each
                if sum(id(one) in ids for one in held) > 1:
                    found.add(id(each))
    return len(found)


def test_only_one_object_holds_the_shown_messages(window, engine, loop, qtbot, monkeypatch):
    """The session, its readers and the page share one mapping, before, during and after an answer."""
    load = engine.conversations.load

    async def load_copies(conversation_id):
        kept = await load(conversation_id)
        return replace(kept, messages=tuple(replace(message) for message in kept.messages))

    monkeypatch.setattr(engine.conversations, "load", load_copies)
    texts = [f"Text {number}" for number in range(20)]
    window.sessions.open(engine.put("Tides", texts=texts))
    wait_for_text(window, qtbot, texts[-1])
    loaded = window.sessions.shown.messages
    counts = [count_holders(loaded)]
    engine.models.is_gated = True
    window.asking.ask("And springs?")
    loop.call(engine.models.allow(3))
    wait_for_text(window, qtbot, "Tides follow the")
    counts.append(count_holders(loaded))
    loop.call(engine.models.allow(20))
    qtbot.wait_until(lambda: not window.sessions.is_running)
    qtbot.wait_until(lambda: script(window, qtbot, "!document.querySelector('.streaming')"))
    counts.append(count_holders(loaded))
    assert len(loaded) == len(texts)
    assert counts == [1, 1, 1]
