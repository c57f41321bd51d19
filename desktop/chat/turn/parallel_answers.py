"""Several answers to one question, written at the same time into one sink."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from desktop.chat.answer_recorder import AnswerRecorder
from desktop.chat.emit import Emit
from desktop.domain.events import Beside, TurnEvent, TurnFailed, TurnFinished
from desktop.domain.messages import AnswerRole, Conversation, Message, MessageStatus, Speaker
from desktop.domain.sources import Ledger, Source
from desktop.domain.trace import Trace
from desktop.errors import AppError, InternalError, LookupStopped
from desktop.storage.message_tree import InsertPoint

if TYPE_CHECKING:  # most answers have none
    from desktop.chat.procedures.documents import OpenDocument


@dataclass(frozen=True)
class SharedSources:
    """The sources that were looked up for a question, shared by all its answers.

    `document` is given as a whole if the question asks for the gist of links or files.
    """

    ledger: Ledger
    pinned: tuple[Source, ...]
    sources: tuple[Source, ...]
    trace: Trace
    document: "OpenDocument | None" = None


@dataclass(frozen=True)
class ParallelAnswer:
    """An answer, and what writes it."""

    answer: AnswerRecorder
    write: Callable[[Emit], Awaitable[None]]

    def label(self, event: TurnEvent) -> TurnEvent:
        """Return an event; events of further answers are wrapped in `Beside` with the id of their message."""
        message = self.answer.message
        return event if message.standing is AnswerRole.USUAL else Beside(message.id, event)


class ParallelAnswers:
    """Holds the answers that are being written, so that each can be stopped separately."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopped: set[str] = set()

    def stop(self, message_id: str) -> None:
        """Stop one answer; the others continue. An answer that has ended is not changed."""
        task = self._tasks.get(message_id)
        if task is not None and message_id not in self._stopped:
            self._stopped.add(message_id)
            task.cancel()

    async def run(self, writings: Sequence[ParallelAnswer], emit: Emit) -> None:
        """Write all answers at the same time, into one sink. Cancelling it stops all of them."""
        tasks = {
            writing.answer.message.id: asyncio.create_task(self._run(writing, emit)) for writing in writings
        }
        self._tasks |= tasks
        try:
            await asyncio.wait(tasks.values())
            await asyncio.gather(*tasks.values())
        finally:
            for message_id, task in tasks.items():
                if not task.cancelling():  # a second cancellation would interrupt the clean-up
                    task.cancel()
                del self._tasks[message_id]
            await asyncio.gather(*tasks.values(), return_exceptions=True)
            self._stopped -= tasks.keys()

    async def _run(self, writing: ParallelAnswer, emit: Emit) -> None:
        has_ended = False

        async def emit_labelled(event: TurnEvent) -> None:
            nonlocal has_ended
            has_ended = isinstance(event, TurnFinished | TurnFailed)
            await emit(writing.label(event))

        try:
            await writing.write(emit_labelled)
        except asyncio.CancelledError:
            if writing.answer.message.id not in self._stopped:
                raise
            await emit(writing.label(TurnFinished(writing.answer.message)))
        except Exception as error:
            # Even its final state could not be written: report that, so that it does not look unfinished.
            if not has_ended:
                await emit(writing.label(_fail(writing.answer.message, error)))
            raise


def _fail(message: Message, error: Exception) -> TurnFailed:
    """Return the final event of an answer whose task failed without one."""
    told = error if isinstance(error, AppError) else InternalError(detail=type(error).__name__)
    return TurnFailed(replace(message, status=MessageStatus.FAILED, error=str(told)), told.is_transient)


async def run_leader(
    work: Callable[[Emit], Awaitable[None]], found: "asyncio.Future[SharedSources]", emit: Emit
) -> None:
    """Run the answer that looks up sources for all; if it fails before that, the others get its error."""
    try:
        await work(emit)
    except AppError as error:
        _release(found, error)
        raise
    finally:
        _release(found, LookupStopped())


def _release(found: "asyncio.Future[SharedSources]", error: AppError) -> None:
    """Pass an error to the callers that still wait for the sources."""
    if not found.done():
        found.set_exception(error)
        found.exception()  # marks the exception as retrieved, also without waiting callers


def sources_of_answer(conversation: Conversation, answer: Message) -> SharedSources:
    """Return the sources that an answer was given, for parallel answers."""
    offered = set(answer.offered)
    sources = tuple(source for source in conversation.sources if source.number in offered)
    return SharedSources(Ledger.of(conversation.sources), (), sources, Trace())


async def start_parallel_answers(usual: AnswerRecorder, models: Sequence[str]) -> tuple[AnswerRecorder, ...]:
    """Write empty answers of further `models` to the question of an answer to disk and return them."""
    now = datetime.now(UTC)
    answers = []
    for model in models:
        message = Message(
            id=uuid.uuid4().hex,
            conversation_id=usual.message.conversation_id,
            speaker=Speaker.MODEL,
            text="",
            created_at=now,
            status=MessageStatus.STREAMING,
            model=model,
            standing=AnswerRole.COMPARED,
            known=usual.message.known,
        )
        added = await usual.store.add_message(message, InsertPoint(beside=usual.message.id))
        answers.append(AnswerRecorder(usual.asked, added, usual.store))
    return tuple(answers)
