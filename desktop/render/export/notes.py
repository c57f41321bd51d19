"""Text of an answer as a note in a knowledge base: Markdown that ends with the sources of its marks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

from desktop.domain.sources import Source
from desktop.render.export.source_list import ListFormat, format_source_list
from desktop.render.labels import Labels
from desktop.render.markdown.citations import groups_in, pieces_of

_TITLE_CHARS: Final = 60
_ENTRY: Final = re.compile(r"^- \[(\d+)\] .*?(https?://\S+)$", re.MULTILINE)
_MARK: Final = re.compile(r"\[(\d+)\]")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"]+")
_BLANK_LINES: Final = re.compile(r"\n\s*\n")
_MARKS: Final = re.compile(r"\s*\[\d+\]")


def note_title(text: str) -> str:
    """Return the title of a note: how its text begins, without marks."""
    return shorten(_MARKS.sub("", text), _TITLE_CHARS, placeholder="…")


def note_of(text: str, sources: Mapping[int, Source], labels: Labels) -> str:
    """Return selected text of an answer with the list of the sources that its marks name."""
    text = _BLANK_LINES.sub("\n\n", text)  # a selection has one for each part of the page
    numbers = {
        number
        for group in groups_in(text)
        for is_known, found in pieces_of(group[0], sources)
        if is_known
        for number in found
    }
    if not numbers:
        return text
    listed = format_source_list([sources[number] for number in sorted(numbers)], ListFormat.PLAIN, labels)
    entries = "\n".join(f"- {line}" for line in listed.splitlines())
    return f"{text}\n\n## {labels.sources}\n\n{entries}\n"


@dataclass(frozen=True)
class NoteLink:
    """A part of the text of a note that leads to an address."""

    start: int
    end: int
    address: str


def links_in_note(text: str) -> tuple[NoteLink, ...]:
    """Return the addresses in a note, and its marks whose sources it lists."""
    addresses = {int(entry[1]): entry[2] for entry in _ENTRY.finditer(text)}
    links = [NoteLink(found.start(), found.end(), found[0]) for found in _ADDRESS.finditer(text)]
    links += [
        NoteLink(mark.start(), mark.end(), addresses[int(mark[1])])
        for mark in _MARK.finditer(text)
        if int(mark[1]) in addresses
    ]
    return tuple(sorted(links, key=lambda link: link.start))
