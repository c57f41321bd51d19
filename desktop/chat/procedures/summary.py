"""Summarizes a long document part by part: its requests, the notes that are read from the replies, and the outline."""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from itertools import zip_longest

from desktop.chat.procedures.context import (
    NOTHING,
    TOO_LONG,
    FinalRequest,
    ModelSession,
    ProcedureContext,
    ProcedureRun,
    fill_templates,
    parse_source_numbers,
    without_echoes,
)
from desktop.chat.procedures.documents import OpenDocument, halves, join_sections, passages_in, sections_of
from desktop.chat.procedures.quoting import format_quoted_sentence, salient_notes
from desktop.chat.prompt import BuiltPrompt, build_continuation, format_source, in_manner
from desktop.chat.step_log import extend_trace
from desktop.chat.tools.results import cut
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL, ModelRequest, PromptMessage, TextDelta
from desktop.domain.procedures import DocumentSection, KeyPoint, NoteKind, Phase, SummaryState
from desktop.domain.sources import Ledger, Source
from desktop.errors.servers import ContextTooLong
from desktop.phrases import pluralize, sentences, translatable
from desktop.providers.quotes.model import as_text
from desktop.text.almost_xml import elements
from desktop.text.language import language_of
from desktop.text.tokens import estimate_tokens

_NOTE_CHARS = 800
_MOST_NOTES = 16
_MOST_CONDENSED = 8


def part_messages(reading: SummaryState, place: int, sources: Sequence[Source]) -> tuple[PromptMessage, ...]:
    """Return the request to read the part at `place`, whose passages are `sources`."""
    section = reading.sections[place]
    fields = {
        "document": escape(reading.document.name if reading.document else "", quote=False),
        "question": escape(reading.question, quote=False) or NOTHING,
        "part": str(place + 1),
        "parts": str(len(reading.sections)),
        "title": escape(section.title, quote=False) or NOTHING,
        "sources": "\n\n".join(map(format_source, sources)),
    }
    return fill_templates("read_part", fields, reading.language)


def read_part(written: str, sources: Sequence[Source]) -> tuple[KeyPoint, ...]:
    """Return a model's notes; a note that names none of the passages is not evidence and is dropped."""
    return _notes(written, {source.number for source in sources}, ("read_part", "read_part_zh"))


def _notes(written: str, numbers: Collection[int], prompts: Sequence[str] = ()) -> tuple[KeyPoint, ...]:
    found = list(elements(written, [kind.value for kind in NoteKind]))
    for prompt in prompts:
        found = without_echoes(found, prompt)
    notes = [
        KeyPoint(NoteKind(element.name), element.text[:_NOTE_CHARS], named)
        for element in found
        if element.text and (named := parse_source_numbers(element, numbers))
    ]
    return tuple(dict.fromkeys(notes))[:_MOST_NOTES]


def condense_messages(reading: SummaryState, parts: Sequence[DocumentSection]) -> tuple[PromptMessage, ...]:
    """Return the request to merge the notes on some parts."""
    fields = {
        "question": escape(reading.question, quote=False) or NOTHING,
        "most": str(_MOST_CONDENSED),
        "notes": "\n\n".join(
            _format_section(number, part, part.notes) for number, part in enumerate(parts, 1)
        ),
    }
    return fill_templates("read_condense", fields, reading.language)


def read_condensed(written: str, parts: Sequence[DocumentSection]) -> tuple[KeyPoint, ...]:
    """Return the merged notes from a model's reply."""
    return _notes(written, {number for part in parts for note in part.notes for number in note.numbers})


def answer_messages(
    reading: SummaryState, notes: Sequence[tuple[DocumentSection, Sequence[KeyPoint]]]
) -> tuple[PromptMessage, ...]:
    """Return the request for the answer, with the notes of each part."""
    told = "\n\n".join(_format_section(number, *part) for number, part in enumerate(notes, 1) if part[1])
    fields = {
        "document": reading.document.name if reading.document else "",
        "question": reading.question or NOTHING,
        "notes": told or NOTHING,
    }
    return fill_templates("read_answer", fields, reading.language)


def note_line(note: KeyPoint) -> str:
    """Return a note in the form for the model."""
    return f"- {note.kind}: {note.text}" + "".join(f" [{number}]" for number in note.numbers)


def _format_section(number: int, section: DocumentSection, notes: Sequence[KeyPoint]) -> str:
    pages = f" (p. {section.first_page}-{section.last_page})" if section.first_page else ""
    return "\n".join([f"{number}. {section.title}{pages}", *map(note_line, notes)])


_LINE_TOKENS = 3
_RANK = {
    kind: rank
    for rank, kind in enumerate(
        (NoteKind.ANSWER, NoteKind.NEW, NoteKind.POINT, NoteKind.CLAIM, NoteKind.EVIDENCE, NoteKind.GIST)
    )
}


def cost_of(sections: Sequence[DocumentSection]) -> int:
    """Return the approximate number of tokens of the notes on some parts."""
    return sum(_cost(note) for section in sections for note in section.notes)


def batches(sections: Sequence[DocumentSection], budget: int) -> Iterator[tuple[DocumentSection, ...]]:
    """Yield batches of consecutive parts that fit; a part that is too large forms its own batch."""
    batch: list[DocumentSection] = []
    for section in sections:
        if batch and cost_of([*batch, section]) > budget:
            yield tuple(batch)
            batch = []
        batch.append(section)
    if batch:
        yield tuple(batch)


def fair_share(
    sections: Sequence[DocumentSection], budget: int
) -> list[tuple[DocumentSection, tuple[KeyPoint, ...]]]:
    """Return the notes that fit into `budget` tokens, by part, in order.

    Every part contributes its best note before any contributes its second, so that no section of a long
    document is lost.
    """
    queues = [_rank(section.notes) for section in sections]
    kept: list[set[KeyPoint]] = [set() for _ in sections]
    for row in zip_longest(*queues):
        for place, note in enumerate(row):
            cost = _cost(note) if note is not None else 0
            if note is not None and cost <= budget:
                kept[place].add(note)
                budget -= cost
    return [
        (section, tuple(note for note in section.notes if note in chosen))
        for section, chosen in zip(sections, kept, strict=True)
    ]


def _rank(notes: Sequence[KeyPoint]) -> list[KeyPoint]:
    """Return notes sorted so that the first of each kind come before the second."""
    by_kind = {kind: [note for note in notes if note.kind is kind] for kind in _RANK}
    rows = zip_longest(*(by_kind[kind] for kind in sorted(by_kind, key=_RANK.__getitem__)))
    return [note for row in rows for note in row if note is not None]


def _cost(note: KeyPoint) -> int:
    return estimate_tokens(note_line(note)) + _LINE_TOKENS


_LEFT_OUT = (
    translatable("{count} note left out for lack of space."),
    translatable("{count} notes left out for lack of space."),
)

_ENGLISH = {
    "outline": "Outline",
    "part": "Part {number}",
    "page": "p. {first}",
    "pages": "pp. {first}–{last}",
    "unread": "not read",
    "nothing": "The document has no sentence that says so in so many words.",
    NoteKind.ANSWER: "Answer",
    NoteKind.POINT: "Key points",
    NoteKind.NEW: "What is new",
    NoteKind.CLAIM: "What is claimed",
    NoteKind.EVIDENCE: "With what evidence",
}
_CHINESE = {
    "outline": "提纲",
    "part": "第 {number} 部分",
    "page": "第 {first} 页",
    "pages": "第 {first}–{last} 页",
    "unread": "未读",
    "nothing": "文档中没有明确这样说的句子。",
    NoteKind.ANSWER: "回答",
    NoteKind.POINT: "要点",
    NoteKind.NEW: "有什么新内容",
    NoteKind.CLAIM: "提出了什么主张",
    NoteKind.EVIDENCE: "依据是什么",
}
_QUOTED = (NoteKind.POINT, NoteKind.NEW, NoteKind.CLAIM, NoteKind.EVIDENCE)
_HEAD_TOKENS = 20
"""Tokens that a part needs in addition to its notes: number, title, pages."""
_MOST_QUOTED = 12
"""Maximum number of sentences under one heading without a model."""


def outline(reading: SummaryState) -> str:
    """Return the outline of a document as Markdown: every part with its pages and its content."""
    words = _words(reading)
    rows = [_row(number, section, words) for number, section in enumerate(reading.sections, 1)]
    return f"## {words['outline']}\n\n" + "\n".join(rows) + "\n\n"


def quote_sections(reading: SummaryState) -> Iterator[str]:
    """Yield the text after the outline without a model: sentences of the document under each heading."""
    words = _words(reading)
    kinds = (NoteKind.ANSWER, *_QUOTED) if reading.question else _QUOTED
    for kind in kinds:
        yield f"## {words[kind]}\n\n"
        chosen = _choose_from_all_parts(
            [[note for note in section.notes if note.kind is kind] for section in reading.sections]
        )
        for note in chosen:
            yield f"- {format_quoted_sentence(note.text, note.numbers)}\n"
        yield "\n" if chosen else f"{words['nothing']}\n\n"


def notes_budget(reading: SummaryState, context: ProcedureContext, model_session: ModelSession) -> int:
    """Return how many tokens of notes fit into the last request."""
    bare = in_manner(
        answer_messages(reading, [(part, part.notes[:0]) for part in reading.sections]), context.manner
    )
    taken = sum(estimate_tokens(message.text) for message in bare) + _HEAD_TOKENS * len(reading.sections)
    return model_session.window.context_tokens - model_session.window.answer_tokens - taken


def final_request(
    reading: SummaryState, context: ProcedureContext, model_session: ModelSession, so_far: str
) -> FinalRequest:
    """Return the request for the text after the outline; `so_far` is its part from an earlier run."""
    window, parts = model_session.window, reading.digest or reading.sections
    notes = fair_share(parts, notes_budget(reading, context, model_session) - estimate_tokens(so_far))
    left_out = sum(len(part.notes) for part in parts) - sum(len(kept) for _, kept in notes)
    messages = in_manner(answer_messages(reading, notes), context.manner)
    request = ModelRequest(
        model=context.picked.name,
        messages=build_continuation(BuiltPrompt(messages, ()), so_far) if so_far else messages,
        max_output_tokens=window.answer_tokens,
        effort=context.effort,
        question=reading.question,
        answer_so_far=so_far,
    )
    return FinalRequest(request, (pluralize(_LEFT_OUT, left_out),) if left_out else ())


def _words(reading: SummaryState) -> dict[str, str]:
    return _CHINESE if reading.language == "zh" else _ENGLISH


def _row(number: int, section: DocumentSection, words: dict[str, str]) -> str:
    title = as_text(section.title) or words["part"].format(number=number)
    place = _pages(section, words)
    head = f"{number}. **{title}**" + (f" ({place})" if place else "")
    gist = next((note for note in section.notes if note.kind is NoteKind.GIST), None)
    if gist is not None:
        # The title is excluded: it is not a claim of the passage.
        return f"{head}\n    - {format_quoted_sentence(gist.text, gist.numbers)}"
    return head if section.is_read else f"{head}: {words['unread']}"


def _pages(section: DocumentSection, words: dict[str, str]) -> str:
    if section.first_page is None:
        return ""
    kind = "page" if section.first_page == section.last_page else "pages"
    return words[kind].format(first=section.first_page, last=section.last_page)


def _choose_from_all_parts(queues: Sequence[Sequence[KeyPoint]]) -> list[KeyPoint]:
    """Return notes from all parts of the document, in its order, without duplicates."""
    chosen: dict[str, tuple[int, KeyPoint]] = {}
    for rank in range(max(map(len, queues), default=0)):
        row = [(place, queue[rank]) for place, queue in enumerate(queues) if rank < len(queue)]
        fresh = [(place, note) for place, note in row if note.text not in chosen]
        for place, note in _choose_evenly(fresh, _MOST_QUOTED - len(chosen)):
            chosen.setdefault(note.text, (place, note))
    return [note for _, note in sorted(chosen.values(), key=lambda pair: pair[0])]


def _choose_evenly(row: Sequence[tuple[int, KeyPoint]], count: int) -> list[tuple[int, KeyPoint]]:
    """Return `count` of the notes, evenly spaced."""
    if len(row) <= count:
        return list(row)
    return [row[index * len(row) // count] for index in range(count)]


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
        messages = self._model_session.with_page_images(part_messages(self.state, place, fitting), sources)
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
                parts = tuple([await self._join_parts(batch) for batch in batches(parts, batch_budget)])
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

    async def _join_parts(self, batch: Sequence[DocumentSection]) -> DocumentSection:
        """Return some parts as one with fewer notes; if the model writes none, the notes are not changed."""
        written = await self._model_session.complete(condense_messages(self.state, batch))
        notes = read_condensed(written, batch) or tuple(note for part in batch for note in part.notes)
        return join_sections(batch, notes)

    def _final_request(self, model_session: ModelSession, *, so_far: str) -> FinalRequest:
        return final_request(self.state, self._context, model_session, so_far)
