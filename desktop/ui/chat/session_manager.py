"""Chat sessions: one conversation with its running answer, and the manager of all running sessions."""

import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.engine import Question, Services
from desktop.domain.assistants import Assistant
from desktop.domain.events import (
    Beside,
    CheckEvent,
    ToolAsks,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import Conversation, ConversationInfo, Folder, MessageStatus
from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.domain.procedures import StartOutline
from desktop.domain.sources import PagesChecked
from desktop.domain.transcript import NOTHING_SHOWN, Transcript

PIECE_CHARS: Final = 8192
"""Consecutive pieces of a text are joined up to this length on the way to the window."""

WAITING_PIECES: Final = 2
"""The number of events that wait for a busy window before the turn, and with it the model, is paused."""


class ChatSession(QObject):
    """Owns the messages of one conversation, and runs one turn at a time, also while it is not displayed.

    Signals, each with the conversation's id first:
        opened: the messages were read from the disk; `shown` contains also what the running turn has written so far.
        event_arrived: a TurnEvent; `shown` is the state after it.
        running_changed: whether a turn is running.
        failed: an error outside any message.
        returned: the Question that did not start a turn.
    """

    opened = Signal(str)
    event_arrived = Signal(str, object)
    running_changed = Signal(str, bool)
    failed = Signal(str, object)
    returned = Signal(str, object)

    def __init__(
        self, conversation_id: str, engine: Services, loop: BackgroundLoop, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.id = conversation_id
        self._engine = engine
        self._loop = loop
        self._shown = NOTHING_SHOWN
        self._aside: Transcript | None = None
        """The branch in which the turn runs, if the user has switched to other versions meanwhile."""
        self._question: Question | None = None
        self._turn: Job | None = None
        self._has_begun = False
        self._requests: list[ToolAsks] = []
        """The tool calls of the running turn that asked for approval."""
        self._loading: Job | None = None
        self._waits_for_start = False
        self._is_held = False
        self._stopped: Transcript = NOTHING_SHOWN
        """The messages when the turn was stopped."""

    @property
    def shown(self) -> Transcript:
        """The messages that the conversation shows, and its sources."""
        return self._shown

    @property
    def is_displayed(self) -> bool:
        """Whether `shown` follows the events: not while it is read again, or the turn runs in another branch."""
        return self._aside is None and self._loading is None

    @property
    def is_running(self) -> bool:
        """Whether a turn is running."""
        return self._turn is not None

    @property
    def has_begun(self) -> bool:
        """Whether the running turn has reported which question it answers, and where."""
        return self._has_begun

    def open(self) -> None:
        """Read the conversation from disk; `opened` follows."""
        # Until a turn reports the ids of its messages, they cannot be distinguished from earlier ones.
        self._waits_for_start = self._turn is not None and not self._has_begun
        if not self._waits_for_start:
            self._loading = self._load(self._on_loaded)

    def ask(self, question: Question) -> None:
        """Start a turn."""
        self._question = question
        self._run(partial(self._engine.turns.ask, question))

    def go_on(
        self, message_id: str, model: str, assistant: Assistant, outline: StartOutline | None = None
    ) -> None:
        """Continue an interrupted answer, or rewrite a text with an `outline`."""
        self._question = None
        self._run(partial(self._engine.turns.go_on, self.id, message_id, model, assistant, outline))

    def answer_with_models(self, message_id: str, models: tuple[str, ...], assistant: Assistant) -> None:
        """Request answers from further models."""
        self._question = None
        self._run(partial(self._engine.turns.answer_with_models, self.id, message_id, models, assistant))

    def apply(self, event: CheckEvent | PagesChecked) -> None:
        """Apply an event of a check that does not belong to a turn."""
        self._shown = self._shown.after(event)

    def stop(self) -> None:
        """Stop the turn; its text so far is kept."""
        if self._turn is not None:
            self._turn.cancel()

    def hold(self, is_held: bool) -> None:
        """Pause the turn while the page that shows it is behind, or resume it."""
        self._is_held = is_held
        if self._turn is not None:
            self._turn.hold(is_held)

    def _run(self, work: Callable[[], AsyncIterator[TurnEvent]]) -> None:
        self._turn = self._loop.run(
            self,
            work,
            self._on_ended,
            self._on_failed,
            progressed=self._on_event,
            cancelled=self._on_stopped,
            join=_join_events,
            limit=WAITING_PIECES,
        )
        self._turn.hold(self._is_held)
        self.running_changed.emit(self.id, True)

    def _load(self, slot: Callable[[Conversation], None]) -> Job:
        work = partial(self._engine.conversations.load, self.id)
        return self._loop.run(self, work, slot, self._on_load_failed)

    def _end(self) -> None:
        self._turn = None
        self._has_begun = False
        self._requests = []
        self._aside = None
        self._shown = self._shown.without_turn()
        self.running_changed.emit(self.id, False)
        # The conversation being read from disk may be from before the end of the turn.
        if self._waits_for_start or self._loading is not None:
            self.open()

    @Slot(object)
    def _on_event(self, event: TurnEvent) -> None:
        self._has_begun = True
        if self._aside is None:
            self._shown = self._shown.after(event)
        else:
            self._aside = self._aside.after(event)
        inner = event.event if isinstance(event, Beside) else event
        if isinstance(inner, ToolAsks):
            self._requests.append(inner)
        if self._waits_for_start:
            self.open()
        self.event_arrived.emit(self.id, event)

    @Slot(object)
    def _on_loaded(self, conversation: Conversation) -> None:
        self._loading = None
        loaded = Transcript.of(conversation.messages, conversation.sources)
        turn = self._aside or self._shown
        if turn.answers and not loaded.contains_turn(turn):
            self._shown, self._aside = loaded, turn
        else:
            self._shown, self._aside = loaded.with_turn(turn), None
        self.opened.emit(self.id)
        for request in self._requests:  # another window may have taken over the session
            self.event_arrived.emit(self.id, request)

    @Slot(object)
    def _on_load_failed(self, error: Exception) -> None:
        self._loading = None
        self.failed.emit(self.id, error)

    @Slot(object)
    def _on_ended(self, _nothing: object) -> None:
        self._end()

    @Slot()
    def _on_stopped(self) -> None:
        # A stopped turn emits no final event: its text is on disk.
        has_begun = self._has_begun
        self._stopped = self._aside or self._shown
        self._end()
        if self._stopped.unfinished:
            self._load(self._on_stopped_loaded)
        elif not has_begun:
            self.open()  # the question may have been written to disk
            self._give_back()

    @Slot(object)
    def _on_stopped_loaded(self, conversation: Conversation) -> None:
        for message in conversation.messages:
            if message.id in self._stopped.unfinished:
                ended = TurnFinished(message)
                is_beside = message.id != self._stopped.usual
                self._shown = self._shown.after(ended)
                self.event_arrived.emit(self.id, Beside(message.id, ended) if is_beside else ended)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        has_begun = self._has_begun
        self._end()
        self.failed.emit(self.id, error)
        if not has_begun:
            self._give_back()

    def _give_back(self) -> None:
        if self._question is not None:
            self.returned.emit(self.id, self._question)


def _join_events(last: TurnEvent, event: TurnEvent) -> TurnEvent | None:
    """Join two pieces of the same text; return None for other events, and if the result would be too long."""
    match last, event:
        case TextDelta(before), TextDelta(text) if len(before) + len(text) <= PIECE_CHARS:
            return TextDelta(before + text)
        case ReasoningDelta(before), ReasoningDelta(text) if len(before) + len(text) <= PIECE_CHARS:
            return ReasoningDelta(before + text)
        case Beside(one, before), Beside(other, text) if one == other:
            joined = _join_events(before, text)
            return None if joined is None else Beside(one, joined)
        case _:
            return None


NEW = ""
"""Id of a conversation without messages."""


class SessionManager(QObject):
    """Displays one conversation and keeps the others running.

    Signals:
        current_changed: id of the open conversation; `NEW` for an empty one.
        started: id of the conversation created by the question in the empty one.
        opened: the Transcript to show.
        event_arrived: a TurnEvent of the open conversation, in the displayed branch, and the Transcript after it.
        answered: id of any conversation whose answer is complete.
        tool_asked: id of any conversation, and the ToolAsks that waits in it.
        answer_ended: id of any conversation, and the Message of a complete or interrupted answer.
        running_changed: whether the open conversation is being answered.
        all_running_changed: ids (frozenset) of all conversations that are being answered.
        list_outdated: id of a conversation whose title or date has changed.
        failed: an error outside any message.
        question_returned: a Question, of any conversation, that could not be asked or was stopped at once.
    """

    current_changed = Signal(str)
    started = Signal(str)
    opened = Signal(object)
    event_arrived = Signal(object, object)
    answered = Signal(str)
    tool_asked = Signal(str, object)
    answer_ended = Signal(str, object)
    running_changed = Signal(bool)
    all_running_changed = Signal(object)
    list_outdated = Signal(str)
    failed = Signal(object)
    question_returned = Signal(object)

    def __init__(self, engine: Services, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._loop = loop
        self._sessions: dict[str, ChatSession] = {}
        self._current = NEW
        self.folder: Folder | None = None
        """The folder in which a question in the empty conversation creates one."""
        self._is_page_behind = False
        self._creating: Job | None = None
        self._is_creation_stopped = False

    @property
    def current(self) -> str:
        """Id of the open conversation."""
        return self._current

    @property
    def shown(self) -> Transcript:
        """The messages that the open conversation shows; empty until they are read from the disk."""
        session = self._sessions.get(self._current)
        return NOTHING_SHOWN if session is None else session.shown

    @property
    def is_running(self) -> bool:
        """Whether the open conversation is being answered."""
        if self._current == NEW:
            return self._creating is not None
        return self._current in self._sessions and self._sessions[self._current].is_running

    @property
    def is_beginning(self) -> bool:
        """Whether the open conversation is being answered and its branch is not known yet."""
        session = self._sessions.get(self._current)
        return self.is_running and (session is None or not session.has_begun)

    @Slot(str)
    def open(self, conversation_id: str) -> None:
        """Open a conversation, or an empty one for `NEW`."""
        self.folder = None
        self._switch_to(conversation_id)
        if conversation_id != NEW:
            self._session(conversation_id).open()

    def begin_in(self, folder: Folder) -> None:
        """Open an empty conversation that will belong to a folder."""
        self.folder = folder
        self._switch_to(NEW)

    def reload(self) -> None:
        """Read the open conversation again because it has changed on disk."""
        if self._current != NEW:
            self._session(self._current).open()

    def ask(self, question: Question) -> None:
        """Ask in the open conversation, and set its id in `question`.

        The text that the user typed is written to disk first.
        """
        question = replace(question, conversation_id=self._current, message_id=uuid.uuid4().hex)
        if not question.repeats:  # a repeated question is already stored in the conversation
            self._engine.question_journal.keep(question, self.folder.id if self.folder else "")
        if self._current != NEW:
            self._session(self._current).ask(question)
            return
        self._is_creation_stopped = False
        folder = self.folder.id if self.folder else ""
        create = partial(self._engine.conversations.create, question.assistant.id, folder)
        end = partial(self._on_not_created, question)
        then = partial(self._on_created, question)
        self._creating = self._loop.run(self, create, then, self.failed, cancelled=end)
        self._creating.failed.connect(end)
        self.running_changed.emit(True)

    def go_on(
        self, message_id: str, model: str, assistant: Assistant, outline: StartOutline | None = None
    ) -> None:
        """Continue an answer of the open conversation, or rewrite a text with an `outline`."""
        if self._current != NEW and not self.is_running:
            self._session(self._current).go_on(message_id, model, assistant, outline)

    def answer_with_models(self, message_id: str, models: tuple[str, ...], assistant: Assistant) -> None:
        """Request answers to the last question of the open conversation from further models."""
        if self._current != NEW and not self.is_running:
            self._session(self._current).answer_with_models(message_id, models, assistant)

    def apply(self, conversation_id: str, event: CheckEvent | PagesChecked) -> None:
        """Apply an event of a check, if its conversation is open."""
        if conversation_id == self._current != NEW:
            self._session(conversation_id).apply(event)
            self.event_arrived.emit(event, self.shown)

    @Slot()
    def stop(self) -> None:
        """Stop the turn of the open conversation."""
        if self._current == NEW and self._creating is not None:
            self._is_creation_stopped = True
            self._creating.cancel()
        elif self._current in self._sessions:
            self._sessions[self._current].stop()

    def stop_all(self) -> None:
        """Stop every turn."""
        for session in self._sessions.values():
            session.stop()

    @Slot(bool)
    def hold(self, is_page_behind: bool) -> None:
        """Pause the open conversation's turn while the page is behind. Other turns are not displayed."""
        self._is_page_behind = is_page_behind
        for key, session in self._sessions.items():
            session.hold(is_page_behind and key == self._current)

    def forget(self, conversation_id: str) -> None:
        """Stop the turn of a conversation that is being deleted, and close the conversation."""
        if conversation_id in self._sessions:
            self._sessions[conversation_id].stop()
        if conversation_id == self._current:
            self.open(NEW)

    def release(self) -> ChatSession | None:
        """Detach and return the open session with its running turn, for `adopt` of another manager.

        Return None for an empty conversation.
        """
        session = self._sessions.pop(self._current, None)
        if session is not None:
            for signal, slot in self._connections_of(session):
                signal.disconnect(slot)
            session.hold(False)
            session.setParent(None)
            self.open(NEW)
        return session

    def adopt(self, session: ChatSession) -> None:
        """Open a session that another manager released."""
        session.setParent(self)
        for signal, slot in self._connections_of(session):
            signal.connect(slot)
        self._sessions[session.id] = session
        self.open(session.id)
        self._on_running_changed(session.id, session.is_running)

    def _switch_to(self, conversation_id: str) -> None:
        self._current = conversation_id
        for key in [
            key
            for key, session in self._sessions.items()
            if key != conversation_id and not session.is_running
        ]:
            self._sessions.pop(key).deleteLater()
        self.hold(self._is_page_behind)
        self.current_changed.emit(conversation_id)
        self.running_changed.emit(self.is_running)
        if conversation_id == NEW:
            self.opened.emit(NOTHING_SHOWN)

    def _session(self, conversation_id: str) -> ChatSession:
        if conversation_id not in self._sessions:
            session = ChatSession(conversation_id, self._engine, self._loop, self)
            for signal, slot in self._connections_of(session):
                signal.connect(slot)
            self._sessions[conversation_id] = session
        return self._sessions[conversation_id]

    def _connections_of(
        self, session: ChatSession
    ) -> tuple[tuple[SignalInstance, Callable[..., object]], ...]:
        return (
            (session.opened, self._on_opened),
            (session.event_arrived, self._on_event),
            (session.running_changed, self._on_running_changed),
            (session.failed, self._on_failed),
            (session.returned, self._on_returned),
        )

    def _on_created(self, question: Question, info: ConversationInfo) -> None:
        if self._is_creation_stopped:  # too late to prevent the conversation, but not the question
            self._on_not_created(question)
            return
        self._creating = None
        session = self._session(info.id)
        if self._current == NEW:
            self._current = info.id
            self.started.emit(info.id)
        session.ask(replace(question, conversation_id=info.id))

    def _on_not_created(self, question: Question, _error: Exception | None = None) -> None:
        self._creating = None
        self.running_changed.emit(self.is_running)
        self.question_returned.emit(question)

    @Slot(str)
    def _on_opened(self, conversation_id: str) -> None:
        if conversation_id == self._current:
            self.opened.emit(self.shown)

    @Slot(str, object)
    def _on_event(self, conversation_id: str, event: TurnEvent) -> None:
        if conversation_id == self._current and self._sessions[conversation_id].is_displayed:
            self.event_arrived.emit(event, self.shown)
        if isinstance(event, Beside):
            event = event.event
        if isinstance(event, ToolAsks):
            self.tool_asked.emit(conversation_id, event)
        if isinstance(event, TurnFinished) and event.message.status is MessageStatus.COMPLETE:
            self.answered.emit(conversation_id)
        if isinstance(event, TurnStarted):
            self.list_outdated.emit(conversation_id)
        if isinstance(event, TurnFinished | TurnFailed):
            self.answer_ended.emit(conversation_id, event.message)

    @Slot(str, bool)
    def _on_running_changed(self, conversation_id: str, is_running: bool) -> None:
        if conversation_id == self._current:
            self.running_changed.emit(is_running)
        self.all_running_changed.emit(
            frozenset(key for key, session in self._sessions.items() if session.is_running)
        )
        if not is_running:
            self.list_outdated.emit(conversation_id)

    @Slot(str, object)
    def _on_failed(self, _conversation_id: str, error: Exception) -> None:
        self.failed.emit(error)

    @Slot(str, object)
    def _on_returned(self, _conversation_id: str, question: Question) -> None:
        self.question_returned.emit(question)
