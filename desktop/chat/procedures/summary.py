"""Summarizes a long document part by part, as one async iterator of events.

    parts ─▶ read one ─▶ notes, with the numbers of passages ─┬─ all are read, or the user wants the answer ─▶ answer
              ▲                                               │
              └───────────────────── the next ◀───────────────┘

No request contains more than one part, and the last one only notes: the document can be many times larger than
the model's window. Only passages that a note names get numbers. Every change event contains the whole state; a
caller that stores it can resume the summary.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from desktop.chat.answer.step_log import extend_trace
from desktop.chat.procedures.context import ProcedureContext, ProcedureRun
from desktop.chat.procedures.documents import (
    OpenDocument,
    halves,
    join_sections,
    passages_in,
    sections_of,
)
from desktop.chat.procedures.model_session import TOO_LONG, FinalRequest, ModelSession
from desktop.chat.procedures.quoting import salient_notes
from desktop.chat.procedures.summary_prompts import (
    batches,
    condense_messages,
    cost_of,
    final_request,
    notes_budget,
    outline,
    part_messages,
    quote_sections,
    read_condensed,
    read_part,
)
from desktop.chat.tools.results import cut
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL, TextDelta
from desktop.domain.procedures import DocumentSection, KeyPoint, Phase, SummaryState
from desktop.domain.sources import Ledger, Source
from desktop.errors.servers import ContextTooLong
from desktop.phrases import pluralize, sentences, translatable
from desktop.text.language import language_of

_PART_SHARE = 0.5
"""Share of the model's window that a part of the document can fill."""
_SAMPLE_PASSAGES = 20

_MOST_ROUNDS = 4
"""Maximum number of times that notes are merged; each time, their number should at least halve."""

_TOGETHER = translatable("Notes merged: {before} into {after}.")
_PERSON_ENDED = translatable("You requested the answer.")
_UNREADABLE = translatable(
    "The model’s notes couldn’t be read, so sentences from the document are used instead."
)
_UNREAD_NOTES = (
    translatable("{count} part has no notes from the model."),
    translatable("{count} parts have no notes from the model."),
)


async def summarize(state: SummaryState, document: OpenDocument, context: ProcedureContext) -> None:
    """Summarize a document from its current state. Cancelling it stops everything.

    Raises:
        ProviderError: the model failed; the summary can be resumed.
    """
    await _SummaryRun(state, document, context).run()


class _SummaryRun(ProcedureRun[SummaryState]):
    def __init__(self, state: SummaryState, document: OpenDocument, context: ProcedureContext) -> None:
        super().__init__(state, context)
        self._document = document
        self._model_session = ModelSession(context)

    async def run(self) -> None:
        if not self.state.sections:
            await self._begin()
        if self.state.phase in {Phase.READING, Phase.PAUSED}:
            await self._read_all()
        await self._answer()
        await self._change(phase=Phase.DONE)

    async def _begin(self) -> None:
        passages = self._document.passages
        sample = self.state.question or " ".join(passage.text for passage in passages[:_SAMPLE_PASSAGES])
        budget = int(self._model_session.window.context_tokens * _PART_SHARE)
        await self._change(
            document=self._document.info,
            sections=sections_of(passages, budget),
            language=self.state.language or language_of(sample),
            phase=Phase.READING,
        )

    # Reading

    async def _read_all(self) -> None:
        context = self._context
        step = context.log.start(StepKind.READ, self._document.info.name)
        await self._emit(step)
        shortened = False
        while (place := self._next()) is not None:
            await self._wait_while_paused(Phase.READING)
            if context.control.wants_answer:
                break
            try:
                await self._read(place)
            except ContextTooLong:
                if not self._model_session.shrink():
                    raise
                shortened = True
                await self._put(place, *halves(self.state.sections[place], self._document.passages))
        if self._next() is not None:
            await self._change(ended_by=_PERSON_ENDED)
        poor = sum(bool(section.problem) for section in self.state.sections)
        words = [self.state.ended_by, TOO_LONG if shortened else ""]
        words += [pluralize(_UNREAD_NOTES, poor), _UNREADABLE] if poor else []
        detail = sentences(words)
        status = StepStatus.DEGRADED if detail else StepStatus.DONE
        await self._emit(context.log.finish(step, status=status, count=self.state.read_count, detail=detail))

    def _next(self) -> int | None:
        """Return the index of the first unread part."""
        return next((place for place, part in enumerate(self.state.sections) if not part.is_read), None)

    async def _read(self, place: int) -> None:
        """Take notes on one part, and number the passages that they name."""
        infos = passages_in(self.state.sections[place], self._document.passages)
        # Numbers for this request only: most of a long document is never cited.
        local = Ledger()
        local.register(map(self._document.passage, infos))
        await self._model_session.look(local.sources)
        notes, problem = await self._notes(place, local.sources)
        await self._model_session.report_pages()
        if self._context.control.wants_answer and not notes:
            return
        named = sorted({number for note in notes for number in note.numbers})
        passages = [self._document.passage(infos[number - 1]) for number in named]
        numbers = self._context.ledger.register(passages)
        real = dict(zip(named, numbers, strict=True))
        await self._keep(numbers)
        told = tuple(replace(note, numbers=tuple(real[number] for number in note.numbers)) for note in notes)
        section = replace(self.state.sections[place], notes=told, is_read=True, problem=problem)
        await self._put(place, section)

    async def _notes(self, place: int, sources: Sequence[Source]) -> tuple[tuple[KeyPoint, ...], str]:
        """Return the notes on a part and, if they are not the model's, the reason."""
        context = self._context
        if context.picked.id == QUOTES_MODEL:
            return await asyncio.to_thread(salient_notes, sources, self.state.question), ""
        budget = int(self._model_session.window.context_tokens * _PART_SHARE)
        fitting = [replace(source, text=cut(source.text, budget)) for source in sources]
        messages = self._model_session.showing(part_messages(self.state, place, fitting), sources)
        written = await self._model_session.complete(messages, breaks_off=True)
        notes = read_part(written, sources)
        if notes or context.control.wants_answer:
            return notes, ""
        return await asyncio.to_thread(salient_notes, sources, self.state.question), _UNREADABLE

    async def _keep(self, numbers: Sequence[int]) -> None:
        if sources := self._sources(sorted(numbers)):
            await self._keep_sources(sources)
            await self._keep_trace(extend_trace(self._trace, sources))

    async def _put(self, place: int, *sections: DocumentSection) -> None:
        """Replace one part by others."""
        known = self.state.sections
        await self._change(sections=(*known[:place], *sections, *known[place + 1 :]))

    # Answering

    async def _answer(self) -> None:
        await self._change(phase=Phase.WRITING)
        context, head = self._context, outline(self.state)
        so_far = context.answer_so_far
        if not so_far.startswith(head):
            await self._emit(TextDelta(head.removeprefix(so_far) if head.startswith(so_far) else head))
            so_far = head
        rest = so_far.removeprefix(head)
        if context.picked.id == QUOTES_MODEL:
            for piece in quote_sections(self.state):
                if fresh := piece.removeprefix(rest[: len(piece)]):
                    await self._emit(TextDelta(fresh))
                rest = rest[len(piece) :]
            return
        await self._condense()
        await self._model_session.write(partial(self._final_request, so_far=rest))

    async def _condense(self) -> None:
        """Merge the notes of a very long document until they fit the last request, or no longer shrink."""
        context, parts = self._context, self.state.digest or self.state.sections
        budget = notes_budget(self.state, context, self._model_session)
        before = sum(len(part.notes) for part in parts)
        if cost_of(parts) <= budget:
            return
        step = context.log.start(StepKind.CONTEXT)
        await self._emit(step)
        for _ in range(_MOST_ROUNDS):
            size = cost_of(parts)
            batch_budget = int(self._model_session.window.context_tokens * _PART_SHARE)
            try:
                parts = tuple([await self._together(batch) for batch in batches(parts, batch_budget)])
            except ContextTooLong:
                if not self._model_session.shrink():
                    raise
                budget = notes_budget(self.state, context, self._model_session)
                continue
            await self._change(digest=parts)
            if cost_of(parts) <= budget or cost_of(parts) >= size:
                break
        after = sum(len(part.notes) for part in parts)
        await self._emit(context.log.finish(step, detail=_TOGETHER.format(before=before, after=after)))

    async def _together(self, batch: Sequence[DocumentSection]) -> DocumentSection:
        """Return some parts as one with fewer notes; if the model writes none, the notes are not changed."""
        written = await self._model_session.complete(condense_messages(self.state, batch))
        notes = read_condensed(written, batch) or tuple(note for part in batch for note in part.notes)
        return join_sections(batch, notes)

    def _final_request(self, model_session: ModelSession, *, so_far: str) -> FinalRequest:
        return final_request(self.state, self._context, model_session, so_far)
