"""The messages of a turn on disk: a question and its empty answer, which is then recorded while it is written.

An answer has limits and times, a journal on disk, and a final state.
"""

import asyncio
import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final

from desktop import errors
from desktop.chat.api.engine import Question
from desktop.chat.emit import Emit, EmitStep
from desktop.chat.step_log import StepLog
from desktop.chat.titles import title_of
from desktop.domain.events import (
    CitationsChecked,
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TextReplaced,
    ThinkingEnded,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import (
    AnswerCost,
    Conversation,
    Message,
    MessageStatus,
    SettingsPage,
    Speaker,
    StepKind,
    StepStatus,
    main_branch,
    offered_numbers,
)
from desktop.domain.models import QUOTES_MODEL, Price, ReasoningDelta, TextDelta, UsageReported
from desktop.domain.privacy import EgressEvent, merge_events
from desktop.domain.procedures import (
    DocumentTask,
    DraftState,
    Phase,
    Procedure,
    Research,
    StartOutline,
    SummaryState,
    TextCheck,
    with_outline,
)
from desktop.domain.search import WEB_OFF
from desktop.errors import (
    AppError,
    InternalError,
    QuestionDamaged,
    StorageError,
    UnknownConversation,
    servers,
)
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.storage.branch_operations import BranchOperations
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.message_tree import InsertPoint

_log = logging.getLogger(__name__)

_BROKEN_OFF = frozenset({MessageStatus.FAILED, MessageStatus.STOPPED, MessageStatus.INTERRUPTED})


@dataclass(frozen=True)
class TurnStart:
    """A question and its empty answer, both on disk, and the messages that led to them.

    `question` says how to answer: a repeated question is answered in the same way as before.
    """

    question: Question
    before: Conversation
    asked: Message
    answer: Message


async def start_turn(question: Question, conversation: Conversation, store: ConversationStore) -> TurnStart:
    """Write a question, its empty answer, and the title of a conversation that begins with it: all of it, or nothing.

    Raises:
        UnknownConversation: the message that it edits or repeats is not shown.
        QuestionDamaged: the text of the repeated question is lost.
    """
    earlier = question.edits or question.repeats
    before = conversation.messages
    asked, answer = _new_messages(question)
    if earlier:
        position = _position(before, earlier)
        before, repeated, rest = before[:position], before[position], before[position + 1 :]
    if question.repeats:
        asked = with_words(repeated)
        question = replace(_in_same_manner(question, takewhile(_is_answer, rest)), files=asked.files)
        await _drop_empty(rest, store)
    title = ""
    if not before:
        title = title_of(question.text.strip() or ", ".join(path.name for path in question.files))
    before = main_branch(before)
    answer = replace(answer, known=offered_numbers(before))
    placed = [(answer, InsertPoint(after=asked.id))]
    if not question.repeats:
        placed.insert(0, (asked, InsertPoint(instead_of=question.edits)))
    *stored, answer = await store.add_messages(placed, title)
    asked = stored[0] if stored else asked
    return TurnStart(question, replace(conversation, messages=before), asked, answer)


def _new_messages(question: Question) -> tuple[Message, Message]:
    """Return a question and its empty answer."""
    now = datetime.now(UTC)
    asked = Message(
        id=question.message_id or uuid.uuid4().hex,
        conversation_id=question.conversation_id,
        speaker=Speaker.USER,
        text=question.text,
        created_at=now,
        attachments=tuple(map(str, question.files)),
    )
    answer = Message(
        id=uuid.uuid4().hex,
        conversation_id=question.conversation_id,
        speaker=Speaker.MODEL,
        text="",
        created_at=now,
        status=MessageStatus.STREAMING,
        model=question.model,
    )
    return asked, answer


def with_words(asked: Message) -> Message:
    """Return a question that is asked again.

    Raises:
        QuestionDamaged: its text is lost.
    """
    if asked.is_damaged:
        raise QuestionDamaged
    return asked


def conversation_up_to(conversation: Conversation, message_id: str) -> Conversation:
    """Return a conversation as it led to an answer: earlier messages, the question, and that answer.

    Raises:
        UnknownConversation: the answer is not shown, or has no question.
    """
    position = _position(conversation.messages, message_id)
    earlier = conversation.messages[:position]
    asked = [n for n, message in enumerate(earlier) if message.speaker is Speaker.USER]
    if not asked:
        raise UnknownConversation
    before = main_branch(conversation.messages[: asked[-1]])
    return replace(
        conversation, messages=(*before, conversation.messages[asked[-1]], conversation.messages[position])
    )


def _position(messages: Sequence[Message], message_id: str) -> int:
    for position, message in enumerate(messages):
        if message.id == message_id:
            return position
    raise UnknownConversation


def _in_same_manner(question: Question, answers: Iterable[Message]) -> Question:
    """Return a repeated question with the procedure of its answer, unless it sets another one."""
    state = next((answer.procedure for answer in answers if answer.procedure is not None), None)
    wants_other = question.procedure or question.queries or question.without or question.also
    if state is None or wants_other:
        return question
    question = question_to_resume(question, state)
    is_wish = isinstance(state, SummaryState) and not state.question
    return replace(question, is_wish=is_wish, web=WEB_OFF if question.stays_here else question.web)


def question_to_resume(question: Question, state: Procedure) -> Question:
    """Return the question of a resumed procedure, with its original mode and places."""
    match state:
        case Research():
            return replace(question, procedure=state.depth, web=state.web, bases=state.bases)
        case SummaryState():
            return replace(question, procedure=DocumentTask.READ, web=WEB_OFF, bases=state.bases)
        case DraftState():
            return replace(question, procedure=DocumentTask.WRITE, web=WEB_OFF, bases=state.bases)
        case TextCheck():
            return replace(question, procedure=DocumentTask.CHECK, web=state.web, bases=state.bases)


def with_new_outline(answer: Message, outline: StartOutline) -> Message:
    """Return an answer with a new outline to continue writing; an answer without a draft is not changed."""
    if not isinstance(answer.procedure, DraftState):
        return answer
    changed = with_outline(answer.procedure, outline.headings)
    return replace(answer, procedure=replace(changed, phase=Phase.WRITING, ended_by=""))


async def _drop_empty(answers: Sequence[Message], store: ConversationStore) -> None:
    """Delete the last answers that were interrupted before their first word."""
    is_last = all(map(_is_answer, answers))
    if is_last and all(map(_is_empty, answers)):
        for message in answers:
            await BranchOperations(store).delete(message.id)


def _is_answer(message: Message) -> bool:
    return message.speaker is Speaker.MODEL


def _is_empty(message: Message) -> bool:
    said = message.text.strip() or message.reasoning.strip() or message.procedure
    return message.status in _BROKEN_OFF and not said


Clock = Callable[[], float]

_COUNTS_ONLY = (ReasoningDelta, UsageReported)
"""Events that arrive without ending the thinking."""


class AnswerTimer:
    """Measures the time of an answer from its creation; continues from `before` for a continued answer."""

    def __init__(self, before: AnswerCost | None = None, clock: Clock = time.monotonic) -> None:
        self._before = before or AnswerCost()
        self._clock = clock
        self._started = clock()
        self._thinking_since: float | None = None
        self._thought_s = self._before.thinking_s
        self.price: Price | None = None

    def note(self, event: TurnEvent) -> ThinkingEnded | None:
        """Record the time of an event; return an event if the model has visibly stopped thinking."""
        if isinstance(event, ReasoningDelta) and self._thinking_since is None:
            self._thinking_since = self._clock()
        if isinstance(event, _COUNTS_ONLY) or self._thinking_since is None:
            return None
        self._stop_thinking()
        return ThinkingEnded(self._thought_s)

    def measure(self, usage: UsageReported | None) -> AnswerCost:
        """Return what the answer has cost until now."""
        self._stop_thinking()
        seconds = self._before.seconds + self._clock() - self._started
        spent = replace(self._before, seconds=seconds, thinking_s=self._thought_s)
        if usage is None or self.price is None:
            return spent
        return replace(
            spent,
            cost=usage.cost(self.price),
            currency=self.price.currency,
            input_cost=usage.input_cost(self.price),
        )

    def _stop_thinking(self) -> None:
        if self._thinking_since is not None:
            self._thought_s += self._clock() - self._thinking_since
            self._thinking_since = None


_ERROR_FIXES: Final[dict[type[errors.AppError], SettingsPage]] = {
    errors.MissingKey: SettingsPage.MODELS,
    errors.KeyringUnavailable: SettingsPage.MODELS,
    servers.AuthFailed: SettingsPage.MODELS,
    servers.ModelNotFound: SettingsPage.MODELS,
    servers.QuotaExceeded: SettingsPage.MODELS,
    servers.RequestRejected: SettingsPage.MODELS,
    servers.ProviderDown: SettingsPage.MODELS,
    servers.LocalModelError: SettingsPage.MODELS,
    servers.ProviderGarbage: SettingsPage.MODELS,
    errors.ProxyUnusable: SettingsPage.NETWORK,
    errors.NotReached: SettingsPage.NETWORK,
    errors.UnknownEngine: SettingsPage.SEARCH,
    errors.NowhereToLook: SettingsPage.SEARCH,
    errors.BrowserMissing: SettingsPage.SEARCH,
    errors.ServerUnusable: SettingsPage.TOOLS,
    servers.McpError: SettingsPage.TOOLS,
    errors.ModelMissing: SettingsPage.KNOWLEDGE,
    errors.ModelUnusable: SettingsPage.KNOWLEDGE,
    servers.EmbedderRefused: SettingsPage.KNOWLEDGE,
    servers.EmbedderDown: SettingsPage.KNOWLEDGE,
    servers.ChromaDown: SettingsPage.KNOWLEDGE,
}


def settings_page_for(error: errors.AppError) -> SettingsPage:
    """Return the settings page where an error can be fixed, or none if only waiting or retrying can help."""
    return next(
        (_ERROR_FIXES[kind] for kind in type(error).__mro__ if kind in _ERROR_FIXES), SettingsPage.NONE
    )


_MARK = re.compile(r"\[\d")


def _settings_page_of(answer: Message, error: AppError | None) -> SettingsPage:
    """Return the settings page that helps with an answer: where its error can be fixed, or with models if Quotes had nothing to quote."""
    if error is not None:
        return settings_page_for(error)
    is_ordinary = answer.model == QUOTES_MODEL and answer.procedure is None
    quotes_nothing = answer.status is MessageStatus.COMPLETE and not _MARK.search(answer.text)
    return SettingsPage.MODELS if is_ordinary and quotes_nothing else SettingsPage.NONE


@dataclass
class AnswerRecorder:
    """The answer as it grows; data that is not in here is lost when the turn ends."""

    asked: Message
    message: Message
    store: ConversationStore
    log: StepLog = field(default_factory=StepLog)
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    watch: AnswerTimer = field(init=False)
    is_written: bool = False
    """The text is complete; at most the check of its citations is still running."""
    sent: list[EgressEvent] = field(default_factory=list)
    """What was sent to other machines for it; answers that share a lookup share this."""

    def __post_init__(self) -> None:
        """Continue the earlier counts if an answer is continued."""
        self.watch = AnswerTimer(self.message.spent)
        before = self.message.spent
        has_begun = bool(self.message.text or self.message.steps)
        # Of an answer that was begun by an earlier version, or before a crash, it is not known.
        self._sent_before = before.sent if before is not None else None if has_begun else ()

    def apply(self, event: TurnEvent) -> None:
        """Apply an event to the message."""
        match event:
            case TextDelta(text):
                self.text.append(text)
            case ReasoningDelta(text):
                self.reasoning.append(text)
            case UsageReported():
                self.message = replace(self.message, usage=event)
            case CitationsChecked(_, check):
                self.message = replace(self.message, check=check)
            case ProcedureChanged(procedure):
                self.message = replace(self.message, procedure=procedure)
            case TextReplaced(text):
                self.text.clear()
                self.message = replace(self.message, text=text, is_damaged=False)
            case SourcesAdded(sources):
                self.message = self.message.with_sources(sources)
            case _:
                pass

    def step_sink(self, emit: Emit) -> EmitStep:
        """Return a sink for the steps of a lookup, which become steps of the answer."""

        async def record_step(event: StepStarted | StepFinished) -> None:
            await emit(self.log.record(event))

        return record_step

    async def journal(self, event: TurnEvent) -> None:
        """Write to disk what an event shows to the user."""
        match event:
            case TextDelta(text):
                await self.store.journal(self.message.id, text=text)
            case ReasoningDelta(text):
                await self.store.journal(self.message.id, reasoning=text)
            case SourcesAdded() | ProcedureChanged() | TextReplaced():
                # After a crash, the stored text must find its sources and be able to continue.
                await self.store.update_message(self.as_it_stands())
            case _:
                pass

    async def end(self, status: MessageStatus, error: AppError | None = None) -> Message:
        """Write the final message to disk, with the `error` that ended it, and return it.

        If the disk fails, the store keeps the message, tells the user, and writes it as soon as possible: the answer
        has ended all the same.
        """
        if status is not MessageStatus.COMPLETE or self.is_written:
            self.log.abandon()
        if status is MessageStatus.COMPLETE and self.message.procedure is not None:
            done = replace(self.message.procedure, phase=Phase.DONE)
            self.message = replace(self.message, procedure=done)
        sent = None if self._sent_before is None else merge_events(self._sent_before, self.sent)
        spent = replace(self.watch.measure(self.message.usage), sent=sent)
        told = "" if error is None else str(error)
        answer = replace(self.as_it_stands(), status=status, error=told, spent=spent)
        self.message = replace(answer, settings_page=_settings_page_of(answer, error))
        try:
            await self.store.update_message(self.message)
        except StorageError as problem:
            _log.warning("The end of an answer is not on the disk yet: %s", problem)
        return self.message

    def as_it_stands(self) -> Message:
        """Return the message with everything received so far."""
        return replace(
            self.message,
            text=self.message.text + "".join(self.text),
            reasoning=self.message.reasoning + "".join(self.reasoning),
            steps=self.log.steps,
        )


async def record(answer: AnswerRecorder, work: Callable[[Emit], Awaitable[None]], emit: Emit) -> None:
    """Run `work`, journal its events, and end the message exactly once, however it ends."""

    async def journal(event: TurnEvent) -> None:
        if thought := answer.watch.note(event):
            await emit(thought)
        answer.apply(event)
        await answer.journal(event)
        await emit(event)

    try:
        await emit(TurnStarted(answer.asked, answer.message))
        with egress.collect(answer.sent):
            await limit_output(work, answer.message, answer.log, journal)
    except AppError as error:
        if answer.is_written:  # only the check failed: the answer is complete
            await emit(answer.log.report(StepKind.CHECK, StepStatus.FAILED, str(error)))
            await emit(TurnFinished(await answer.end(MessageStatus.COMPLETE)))
            return
        message = await answer.end(MessageStatus.FAILED, error)
        await emit(TurnFailed(message, error.is_transient))
    except asyncio.CancelledError:
        # A user who stops the check of a complete answer keeps the complete answer.
        status = MessageStatus.COMPLETE if answer.is_written else MessageStatus.STOPPED
        await asyncio.shield(answer.end(status))
        raise
    except (
        Exception
    ) as error:  # a bug: it is raised, but the text seen so far stays, and the answer can be retried
        internal = InternalError(detail=type(error).__name__)
        await emit(TurnFailed(await answer.end(MessageStatus.FAILED, internal), internal.is_transient))
        raise
    else:
        await emit(TurnFinished(await answer.end(MessageStatus.COMPLETE)))


TEXT_CHARS: Final = 2_000_000
"""Maximum length of an answer: more than any model writes, and still a page that can be displayed."""

REASONING_CHARS: Final = 1_000_000

PIECE_CHARS: Final = 4096
"""Longer pieces are split, so that a consumer never needs long for one of them."""

_TEXT_FULL = translatable("The answer was stopped at the limit of {count} characters.")
_REASONING_FULL = translatable(
    "The answer was stopped because its reasoning reached the limit of {count} characters."
)


class _OutputFull(Exception):
    """The answer has reached its maximum length."""


async def limit_output(
    work: Callable[[Emit], Awaitable[None]], message: Message, log: StepLog, emit: Emit
) -> None:
    """Run `work` until the text or the reasoning of `message` is full; then end it and report that."""
    budget = {
        TextDelta: TEXT_CHARS - len(message.text),
        ReasoningDelta: REASONING_CHARS - len(message.reasoning),
    }

    async def limit(event: TurnEvent) -> None:
        if not isinstance(event, TextDelta | ReasoningDelta):
            await emit(event)
            return
        kind = type(event)
        for start in range(0, min(len(event.text), budget[kind]), PIECE_CHARS):
            await emit(kind(event.text[start : min(start + PIECE_CHARS, budget[kind])]))
        budget[kind] -= len(event.text)
        if budget[kind] < 0:
            raise _OutputFull

    try:
        await work(limit)
    except _OutputFull:
        words = (
            _TEXT_FULL.format(count=TEXT_CHARS)
            if budget[TextDelta] < 0
            else _REASONING_FULL.format(count=REASONING_CHARS)
        )
        for step in log.steps:
            if step.status is StepStatus.RUNNING:
                await emit(log.record(StepFinished(replace(step, status=StepStatus.DEGRADED, detail=words))))
