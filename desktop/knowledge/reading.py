"""What the reader process makes of a file."""

import msgspec

from desktop.knowledge.loaders.document import Document
from desktop.knowledge.split import Chunk, split
from desktop.text.terms import terms


class Entry(msgspec.Struct, frozen=True):
    """A passage ready for the index; `head` and `body` are its terms, parted by spaces.

    `head` are those of the document's name, title and section, under which a passage can be found
    although it does not repeat them.
    """

    chunk: Chunk
    head: str
    body: str


class Reading(msgspec.Struct, frozen=True):
    """A file as the index takes it in."""

    title: str
    pages: int | None
    text: str
    entries: tuple[Entry, ...]


def reading_of(document: Document, name: str) -> Reading:
    """Return the passages of a document called `name` with their terms."""
    heads: dict[str, str] = {}
    entries: list[Entry] = []
    for chunk in split(document):
        if chunk.section not in heads:
            heads[chunk.section] = _joined(f"{name}\n{document.title}\n{chunk.section}")
        entries.append(Entry(chunk, heads[chunk.section], _joined(chunk.text)))
    return Reading(document.title, document.pages, document.text, tuple(entries))


def _joined(text: str) -> str:
    return " ".join(terms(text))
