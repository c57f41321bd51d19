"""The requests of a summary: prompts, parsing of notes, and the outline and text for the user."""

from collections.abc import Collection, Iterator, Sequence
from html import escape
from itertools import zip_longest

from desktop.chat.procedures.context import ProcedureContext
from desktop.chat.procedures.model_session import (
    NOTHING,
    FinalRequest,
    ModelSession,
    pair,
    parse_source_numbers,
    without_echoes,
)
from desktop.chat.procedures.quoting import format_quoted_sentence
from desktop.chat.prompt.builder import BuiltPrompt, build_continuation, format_source, in_manner
from desktop.domain.models import ModelRequest, PromptMessage
from desktop.domain.procedures import DocumentSection, KeyPoint, NoteKind, SummaryState
from desktop.domain.sources import Source
from desktop.phrases import pluralize, translatable
from desktop.providers.quotes.model import as_text
from desktop.text.almost_xml import elements
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
    return pair("read_part", fields, reading.language)


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
        "notes": "\n\n".join(_told(number, part, part.notes) for number, part in enumerate(parts, 1)),
    }
    return pair("read_condense", fields, reading.language)


def read_condensed(written: str, parts: Sequence[DocumentSection]) -> tuple[KeyPoint, ...]:
    """Return the merged notes from a model's reply."""
    return _notes(written, {number for part in parts for note in part.notes for number in note.numbers})


def answer_messages(
    reading: SummaryState, notes: Sequence[tuple[DocumentSection, Sequence[KeyPoint]]]
) -> tuple[PromptMessage, ...]:
    """Return the request for the answer, with the notes of each part."""
    told = "\n\n".join(_told(number, *part) for number, part in enumerate(notes, 1) if part[1])
    fields = {
        "document": reading.document.name if reading.document else "",
        "question": reading.question or NOTHING,
        "notes": told or NOTHING,
    }
    return pair("read_answer", fields, reading.language)


def note_line(note: KeyPoint) -> str:
    """Return a note in the form for the model."""
    return f"- {note.kind}: {note.text}" + "".join(f" [{number}]" for number in note.numbers)


def _told(number: int, section: DocumentSection, notes: Sequence[KeyPoint]) -> str:
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
    queues = [_ranked(section.notes) for section in sections]
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


def _ranked(notes: Sequence[KeyPoint]) -> list[KeyPoint]:
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
        chosen = _spread(
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


def _spread(queues: Sequence[Sequence[KeyPoint]]) -> list[KeyPoint]:
    """Return notes from all parts of the document, in its order, without duplicates."""
    chosen: dict[str, tuple[int, KeyPoint]] = {}
    for rank in range(max(map(len, queues), default=0)):
        row = [(place, queue[rank]) for place, queue in enumerate(queues) if rank < len(queue)]
        fresh = [(place, note) for place, note in row if note.text not in chosen]
        for place, note in _evenly(fresh, _MOST_QUOTED - len(chosen)):
            chosen.setdefault(note.text, (place, note))
    return [note for _, note in sorted(chosen.values(), key=lambda pair: pair[0])]


def _evenly(row: Sequence[tuple[int, KeyPoint]], count: int) -> list[tuple[int, KeyPoint]]:
    """Return `count` of the notes, evenly spaced."""
    if len(row) <= count:
        return list(row)
    return [row[index * len(row) // count] for index in range(count)]
