"""Checks a text from elsewhere claim by claim, as one async function that reports its state.

    text ─▶ references and claims ─▶ some claims at once ─▶ … ─▶ the text with marks, and their verdicts

The state is stored after every few claims, and a check that was interrupted goes on from there.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop.chat.checking.texts import (
    MOST_CLAIMS,
    MOST_WEB_CLAIMS,
    EvidencePlaces,
    TextChecker,
    prepare_text,
    write_marks,
)
from desktop.chat.procedures.context import ProcedureContext, ProcedureRun
from desktop.domain.citation_check import DOUBTED
from desktop.domain.events import CitationsChecked, TextReplaced
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.procedures import Phase, TextCheck, TextClaim
from desktop.errors import AppError, NoTextToCheck
from desktop.phrases import pluralize, sentences, translatable
from desktop.search.intent import links_in, without_links

_AT_ONCE = 8
_NAME_CHARS = 60
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^\s()]{1,2000}\)")
_SIGNS = " #*_>-=`\t"
_PERSON_ENDED = translatable("You ended the check here.")
_NOT_OPENED = translatable(
    "The cited pages were not opened, because nothing of this chat may leave this computer."
)
_DOUBTED = (
    translatable("{count} claim is not clearly supported by its source."),
    translatable("{count} claims are not clearly supported by their sources."),
)


@dataclass(frozen=True)
class OutsideText:
    """A text from elsewhere as Markdown, with its links; `notes` tell what was left out."""

    name: str
    text: str
    notes: tuple[str, ...] = ()


class OutsideTexts(Protocol):
    """Reads texts that are to be checked."""

    async def load_file(self, path: Path, report: Callable[[int, int], None]) -> OutsideText:
        """Return a file of any format that Footnote reads; raises KnowledgeError."""
        ...

    async def load_page(self, address: str) -> OutsideText:
        """Return a page or a file on the web; raises KnowledgeError."""
        ...


async def check_text(
    state: TextCheck,
    message_id: str,
    asked: str,
    files: tuple[Path, ...],
    *,
    texts: OutsideTexts,
    places: EvidencePlaces,
    context: ProcedureContext,
) -> None:
    """Check a text from its current state: the first of `files`, the page that was `asked` for, or what was pasted.

    Raises:
        KnowledgeError: the text cannot be read, or the bases are not available.
    """
    run = _TextCheckRun(state, message_id, places, context)
    if not state.claims:
        await run.begin(await _load(asked, files, texts, context))
    await run.check_all()
    await run.finish()


async def _load(
    asked: str, files: tuple[Path, ...], texts: OutsideTexts, context: ProcedureContext
) -> OutsideText:
    links = links_in(asked)
    is_page = len(links) == 1 and not without_links(asked).strip()
    if not files and not is_page:
        return OutsideText(_name_of(asked), asked)
    step = context.log.start(StepKind.READ, files[0].name if files else links[0])
    await context.emit(step)
    try:
        if files:
            loaded = await texts.load_file(files[0], lambda _done, _total: None)
        else:
            loaded = await texts.load_page(links[0])
    except AppError as error:
        await context.emit(context.log.finish(step, status=StepStatus.FAILED, count=0, detail=str(error)))
        raise
    await context.emit(context.log.finish(step, detail=sentences(loaded.notes)))
    return loaded


def _name_of(text: str) -> str:
    """Return the first words of a pasted text, without Markdown."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    words = " ".join(_LINK.sub(r"\1", first).strip(_SIGNS).split())
    return words if len(words) <= _NAME_CHARS else f"{words[:_NAME_CHARS].rstrip()}…"


class _TextCheckRun(ProcedureRun[TextCheck]):
    def __init__(
        self, state: TextCheck, message_id: str, places: EvidencePlaces, context: ProcedureContext
    ) -> None:
        super().__init__(state, context)
        self._message_id = message_id
        self._places = places
        self._kept: dict[int, str] = {}

    async def begin(self, loaded: OutsideText) -> None:
        """Find references and claims."""
        most = MOST_CLAIMS if self._places.search_web is None else MOST_WEB_CLAIMS
        prepared = await asyncio.to_thread(prepare_text, loaded.text, self._context.ledger, most)
        if not prepared.claims:
            raise NoTextToCheck(name=loaded.name)
        await self._keep_new_sources(prepared.claims)
        is_closed = self._places.read is None and any(claim.cited for claim in prepared.claims)
        await self._change(
            name=loaded.name,
            text=prepared.text,
            claims=prepared.claims,
            notes=(*loaded.notes, *prepared.notes, *((_NOT_OPENED,) if is_closed else ())),
            phase=Phase.CHECKING,
        )
        await self._emit(TextReplaced(prepared.text))

    async def check_all(self) -> None:
        """Check the claims that are not checked yet, until the user ends it."""
        context = self._context
        step = context.log.start(StepKind.CHECK, self.state.name)
        await context.emit(step)
        checker = TextChecker(self._places, context.ledger)
        async with aclosing(checker):
            while waiting := [index for index, claim in enumerate(self.state.claims) if not claim.is_checked]:
                await self._wait_while_paused(Phase.CHECKING)
                if context.control.wants_answer:
                    await self._change(ended_by=_PERSON_ENDED)
                    break
                batch = waiting[:_AT_ONCE]
                checked = await checker.check([self.state.claims[index] for index in batch])
                claims = dict(enumerate(self.state.claims)) | dict(zip(batch, checked, strict=True))
                await self._keep_new_sources(checked)
                notes = dict.fromkeys((*self.state.notes, *checker.notes))
                await self._change(claims=tuple(claims.values()), notes=tuple(notes))
        done = self.state.checked
        doubted = sum(claim.verdict.support in DOUBTED for claim in done)
        words = [self.state.ended_by, pluralize(_DOUBTED, doubted) if doubted else "", *self.state.notes]
        await context.emit(context.log.finish(step, count=len(done), detail=sentences(words)))

    async def finish(self) -> None:
        """Write the text with its marks."""
        titles = {source.number: source.title for source in self._context.ledger.sources}
        text, check = await asyncio.to_thread(write_marks, self.state.text, self.state.claims, titles)
        await self._emit(TextReplaced(text))
        await self._emit(CitationsChecked(self._message_id, check))
        await self._change(phase=Phase.DONE)

    async def _keep_new_sources(self, claims: tuple[TextClaim, ...]) -> None:
        """Store the sources of claims whose text is new."""
        numbers = {number for claim in claims for number in claim.cited}
        numbers |= {mark.number for claim in claims for mark in claim.judged}
        fresh = tuple(
            source
            for source in self._context.ledger.sources
            if source.number in numbers and self._kept.get(source.number) != source.text_hash
        )
        if fresh:
            self._kept |= {source.number: source.text_hash for source in fresh}
            await self._keep_sources(fresh)
