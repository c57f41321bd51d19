"""Exports Markdown with footnotes: citations as `[^n]`, each source defined once, unique link labels."""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from markdown_it.common.utils import normalizeReference

from desktop.domain.messages import Conversation, Message, Speaker
from desktop.render.export.common_parts import (
    UsedSources,
    attachment_names,
    clean,
    format_status,
    heading_of,
    markdown_line,
    markdown_text,
    one_line,
)
from desktop.render.export.source_list import markdown_entry, markdown_list
from desktop.render.labels import Labels
from desktop.render.markdown.citations import pieces_of, unknown_text
from desktop.render.markdown.tree import CODE, Block, Kind, RenderTarget
from desktop.render.message import CitationSpan, ParsedMessage, parse_message, places_of

_LABEL = r"(?:[^\[\]\\]|\\.)*"
_LINK_DEFINITION = re.compile(rf"^[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)?\[({_LABEL})\]:", re.MULTILINE)
_REFERENCE = re.compile(
    rf"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\\.|\[(?P<text>{_LABEL})\](?:\[(?P<label>{_LABEL})\])?",
    re.DOTALL,
)


class Edit(NamedTuple):
    """A piece of a source text, and its replacement."""

    start: int
    end: int
    text: str


def reference_edits(
    parsed: ParsedMessage, source: str, taken: set[str], marks: Collection[int]
) -> list[Edit]:
    """Return the edits that rename a message's labels to names not in `taken`, and add these to it.

    Every label is renamed, as the same `[home]` may be plain text in another message of the file. `marks` are
    the positions where citations begin.
    """
    names = _definition_names(parsed.scope.references, taken)
    if not names:
        return []
    text = _without_code(parsed.document, source)
    definitions = list(_definitions(text, names))
    known = {edit.start for edit in definitions} | {mark + 1 for mark in marks}
    return definitions + list(_references(text, names, known))


def _definition_names(labels: Iterable[str], taken: set[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for label in labels:
        name = next(name for count in itertools.count(1) if (name := f"{label}-{count}") not in taken)
        taken.add(name)
        names[label] = name.lower()
    return names


def _without_code(document: Block, source: str) -> str:
    """Return a source text with its code blocks blanked out, so that all positions stay the same."""
    lines = source.split("\n")
    for block in _code(document):
        for line in range(block.first_line - 1, min(block.first_line + len(block.lines), len(lines))):
            lines[line] = " " * len(lines[line])
    return "\n".join(lines)


def _code(block: Block) -> Iterator[Block]:
    if block.kind in CODE:
        yield block
    for child in block.children:
        yield from _code(child)


def _definitions(text: str, names: Mapping[str, str]) -> Iterator[Edit]:
    for match in _LINK_DEFINITION.finditer(text):
        if name := names.get(normalizeReference(match[1])):
            yield Edit(*match.span(1), name)


def _references(text: str, names: Mapping[str, str], known: Collection[int]) -> Iterator[Edit]:
    for match in _REFERENCE.finditer(text):
        if match["text"] is None or match.start("text") in known:
            continue
        has_label = match["label"] is not None
        name = names.get(normalizeReference(match["label"] or match["text"]))
        if name is None:
            continue
        if has_label:
            yield Edit(*match.span("label"), name)
        elif text.startswith("]", match.start() - 1):  # the label of a text that contains brackets
            yield Edit(*match.span("text"), name)
        elif not text.startswith("(", match.end()):
            yield Edit(match.end(), match.end(), f"[{name}]")


_BEFORE_TEXT = " \t>*+-.)0123456789"
"""Characters that may precede the text of a line: quote and list marks."""

_LOOK_BACK: Final = 200
_IN_ADDRESS = re.compile(r"(?:://|www\.|@)\S+$", re.IGNORECASE)
_FORMULA = re.compile(r"(?<!\\)(?:\\\\)*\\([(\[])[^A-Za-z\\]*$")
_ALMOST_DEFINITION = re.compile(r"\]:(?=[ \t]*\n?[ \t>]*$)")
_DEFINITION = re.compile(r"\[\^([^\]\[\s]{1,99})\]:")


@dataclass(frozen=True)
class _ExportedAnswer:
    """The cleaned text of an answer, with the positions of its marks."""

    text: str
    parsed: ParsedMessage
    places: Sequence[CitationSpan]

    @property
    def numbers(self) -> Iterator[int]:
        """The numbers that are citation marks."""
        for place in self.places:
            for is_known, run in pieces_of(place.group, self.parsed.scope.titles) if place.group else ():
                yield from run if is_known else ()


@dataclass(frozen=True)
class _UsedLabels:
    """The footnote and link labels used in a file so far; `links` is None if there is only one message."""

    notes: set[str]
    links: set[str] | None


def markdown_of(conversation: Conversation, labels: Labels) -> str:
    """Return a conversation as Markdown; for a single message, its text and its sources.

    The message's own footnotes keep their labels unless a source or another message uses them.
    """
    used = UsedSources(conversation)
    answers = [_read(message, used) for message in conversation.messages]
    for answer in answers:
        used.note(answer.numbers if answer else ())
    is_alone = len(conversation.messages) == 1
    taken = _UsedLabels({str(source.number) for source in used.cited}, None if is_alone else set())
    parts = [] if is_alone else [f"# {markdown_line(one_line(conversation.info.title))}"]
    for message, answer in zip(conversation.messages, answers, strict=True):
        if not is_alone:
            parts.append(f"## {markdown_line(heading_of(message, labels))}")
        parts += _question(message) if answer is None else [_with_footnotes(answer, taken)]
        if status := format_status(message, labels):
            parts.append(f"*{markdown_line(status)}*")
    if used.read:
        parts += [f"## {labels.not_cited}", markdown_list(used.read, labels)]
    definitions = (f"[^{source.number}]: {markdown_entry(source, labels)}" for source in used.cited)
    parts.append("\n".join(definitions))
    return "\n\n".join(part for part in parts if part) + "\n"


def _read(message: Message, used: UsedSources) -> _ExportedAnswer | None:
    if message.speaker is Speaker.USER:
        return None
    text = clean(message.text).removesuffix("\n")
    parsed = parse_message(text, message.sources_among(used.sources), RenderTarget.PAGE)
    return _ExportedAnswer(text, parsed, places_of(parsed, text))


def _question(message: Message) -> list[str]:
    files = "\n".join(f"- {markdown_line(name)}" for name in attachment_names(message))
    return [markdown_text(message.text), files]


def _with_footnotes(answer: _ExportedAnswer, taken: _UsedLabels) -> str:
    text, parsed = answer.text, answer.parsed
    names = _names([note.info for note in parsed.footnotes], taken.notes)
    edits = _rename_definitions(parsed, text, names)
    for place in answer.places:
        if place.note:
            edits.append(Edit(place.start, place.end, f"[^{names[place.note]}]"))
        else:
            written = _write_group(pieces_of(place.group, parsed.scope.titles))
            edits += [Edit(place.start, place.end, written), *_guard_mark(text, place)]
    if taken.links is not None:
        edits += reference_edits(parsed, text, taken.links, {place.start for place in answer.places})
    return _apply_edits(text, edits) + _missing_end(parsed, text)


def _write_group(pieces: list[tuple[bool, list[int]]]) -> str:
    """Return a group as footnote references; numbers without a source are left as they are."""
    return "".join(
        "".join(f"[^{number}]" for number in run) if is_known else unknown_text(run)
        for is_known, run in pieces
    )


def _guard_mark(source: str, place: CitationSpan) -> Iterator[Edit]:
    """Yield edits that keep a mark from becoming part of a link, a definition or other syntax around it."""
    start = max(0, place.start - _LOOK_BACK)
    before = source[max(start, source.rfind("\n", start, place.start) + 1) : place.start]
    follower = source[place.end : place.end + 1]
    if opener := _FORMULA.search(before):
        # `\([1][2]\)` is not a formula, but `\([^1][^2]\)` looks like one.
        end = place.start - len(before) + opener.end(1)
        yield Edit(end - 2, end, f"&#{ord(opener[1])};")
    if colon := _ALMOST_DEFINITION.search(source, start, place.start):
        yield Edit(colon.end() - 1, colon.end(), "&#58;")  # `[a]:[1, 2]` defines no link, `[a]:[^1][^2]` does
    if _IN_ADDRESS.search(before):
        yield Edit(place.start, place.start, " ")  # `【1】` ends a bare address, `[^1]` does not
    if follower == "(" or (follower == ":" and not before.strip(_BEFORE_TEXT)):
        yield Edit(place.end, place.end + 1, f"&#{ord(follower)};")


def _names(labels: list[str], taken: set[str]) -> dict[str, str]:
    """Return a unique label for each footnote of a message."""
    names: dict[str, str] = {}
    for label in labels:
        if label in names:
            continue
        name, count = label, 1
        while name in taken:
            count += 1
            name = f"{label}-{count}"
        taken.add(name)
        names[label] = name
    return names


def _rename_definitions(parsed: ParsedMessage, source: str, names: dict[str, str]) -> list[Edit]:
    starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    edits = []
    for note in parsed.footnotes:
        match = _DEFINITION.search(source, starts[note.first_line - 1])
        assert match is not None, "a footnote begins with its label"
        edits.append(Edit(match.start(), match.end(), f"[^{names[match[1]]}]:"))
    return edits


def _apply_edits(source: str, edits: list[Edit]) -> str:
    pieces, at = [], 0
    for edit in sorted(set(edits)):
        pieces += [source[at : edit.start], edit.text]
        at = edit.end
    return "".join(pieces) + source[at:]


def _missing_end(parsed: ParsedMessage, source: str) -> str:
    """Return the closing mark of a code block that an answer leaves open, so that later text is not code."""
    last = parsed.document.children[-1] if parsed.document.children else None
    if last is None or last.kind is not Kind.FENCE:
        return ""
    is_open = last.first_line + len(last.lines) == source.removesuffix("\n").count("\n") + 1
    return f"\n{last.sign * last.level}" if is_open else ""
