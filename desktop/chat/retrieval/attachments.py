"""Attachments of a question: files, read into a base of the conversation, and answers of other conversations."""

import re
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from desktop.chat.answer.step_log import StepLog
from desktop.chat.emit import EmitStep
from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.history import PastAnswer
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress, ItemState, Retriever
from desktop.domain.messages import Conversation, StepKind, StepStatus
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.errors import KnowledgeError
from desktop.settings import egress
from desktop.storage.conversation_store import ConversationStore

NAME_OF_ATTACHMENTS = "\x01"
"""Prefix of the names of such bases: a user cannot type it, and `strip` keeps it."""

IN_FULL = frozenset({ItemState.READY, ItemState.FAILED})
"""Final states of a file that is searched by words and embeddings."""
AS_TEXT = IN_FULL | {ItemState.KEYWORD_READY}
"""Final states of a file that only needs its text; its embeddings can follow later."""


class KnowledgeGateway(Retriever, Protocol):
    """The part of the knowledge service that attachments need."""

    async def bases(self) -> tuple[BaseInfo, ...]:
        """Return all bases."""
        ...

    async def create(self, name: str) -> BaseInfo:
        """Create an empty base."""
        ...

    async def update(self, base: BaseInfo) -> BaseInfo:
        """Apply the options of a base."""
        ...

    def add(self, base_id: str, paths: Sequence[Path]) -> AsyncGenerator[ItemProgress]:
        """Read files into a base."""
        ...


def is_attachment_base(base: BaseInfo) -> bool:
    """Say whether a base holds the files of a conversation and is not in the user's list."""
    return base.name.startswith(NAME_OF_ATTACHMENTS)


def owner_of(base: BaseInfo) -> str | None:
    """Return the id of the conversation whose files a base holds; None for a base in the user's list."""
    return base.name.removeprefix(NAME_OF_ATTACHMENTS) if is_attachment_base(base) else None


async def attachment_base(bases: KnowledgeGateway, conversation_id: str) -> BaseInfo:
    """Return the base for the files of a conversation; it is created if missing.

    Its `floor` is 0, so all that a search finds counts: a question with a file is about that file, whatever its words are.
    """
    name = NAME_OF_ATTACHMENTS + conversation_id
    known = (base for base in await bases.bases() if base.name == name)
    base = next(known, None) or await bases.create(name)
    stays_here = egress.current().stays_here or base.options.stays_here
    options = replace(base.options, stays_here=stays_here, floor=0.0)
    return base if options == base.options else await bases.update(replace(base, options=options))


async def take_in(
    bases: KnowledgeGateway,
    base: BaseInfo,
    files: Sequence[Path],
    log: StepLog,
    *,
    emit: EmitStep,
    ends: Collection[ItemState] = IN_FULL,
) -> None:
    """Read files into `base`, with a visible step for each; a failed file does not stop the others.

    Ends once all files have reached one of `ends`; the remaining work on them continues.
    """
    started: dict[str, StepStarted] = {}
    ended: set[str] = set()
    async with aclosing(bases.add(base.id, files)) as progress:
        async for step in progress:
            item = step.item
            if item.id not in started:
                started[item.id] = log.start(StepKind.READ, item.name)
                await emit(started[item.id])
            if item.state in ends and item.id not in ended:
                ended.add(item.id)
                await emit(_finished(log, started[item.id], item))
            if len(ended) == len(started):  # the first steps list all files
                return


async def attach(
    bases: KnowledgeGateway,
    conversation_id: str,
    files: Sequence[Path],
    scope: list[str],
    log: StepLog,
    *,
    emit: EmitStep,
    ends: Collection[ItemState] = IN_FULL,
) -> None:
    """Read the files of a question into the base of its conversation, and add that base to `scope`.

    A failure is reported as a step.
    """
    try:
        base = await attachment_base(bases, conversation_id)
        scope.append(base.id)
        if files:
            await take_in(bases, base, files, log, emit=emit, ends=ends)
    except KnowledgeError as error:
        started = log.start(StepKind.READ, ", ".join(path.name for path in files))
        await emit(started)
        await emit(log.finish(started, status=StepStatus.FAILED, count=0, detail=str(error)))


def _finished(log: StepLog, started: StepStarted, item: ItemInfo) -> StepFinished:
    if item.state is ItemState.FAILED:
        return log.finish(started, status=StepStatus.FAILED, count=0, detail=item.error)
    return log.finish(started, count=item.passages)


MAX_CHARS: Final = 40_000
"""Longer answers are cut to this length when cited."""

_MARK = re.compile(r" ?\[(\d+(?:[,，]\s*\d+)*)\]")


async def with_past(
    past: Iterable[PastAnswer], conversation: Conversation, store: ConversationStore
) -> Conversation:
    """Return a conversation with past answers as sources, which the model gets with every question from now on.

    The conversation is already on disk.
    """
    ledger = Ledger.of(conversation.sources)
    numbers = ledger.register(map(_passage, past))
    cited = [source for source in ledger.sources if source.number in numbers]
    await store.save_sources(conversation.info.id, cited)
    for number in numbers:
        await store.pin(conversation.info.id, number, is_pinned=True)
    pinned = tuple(dict.fromkeys((*conversation.pinned, *numbers)))
    return replace(conversation, sources=ledger.sources, pinned=pinned)


def _passage(answer: PastAnswer) -> Passage:
    text = without_marks(answer.text, answer.offered)
    return Passage(
        SourceKind.ANSWER,
        answer.title,
        text[:MAX_CHARS],
        document=answer.document,
        published=answer.created_at.astimezone().date().isoformat(),
    )


def without_marks(text: str, numbers: Collection[int]) -> str:
    """Return an answer without the marks of its own sources, whose numbers belong to other sources here."""

    def kept(mark: re.Match[str]) -> str:
        return "" if {int(number) for number in re.findall(r"\d+", mark[1])} <= set(numbers) else mark[0]

    return _MARK.sub(kept, text)
