"""What a loader gives back."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PART_JOIN = "\n\n"
SECTION_JOIN = " › "

_UNSTORABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufeff\ufffe\uffff]")

Report = Callable[[int, int], None]
"""Told of pages done and pages in total."""


@dataclass(frozen=True)
class Part:
    """A stretch of text under one heading and on one page; `section` is the path of headings."""

    text: str
    page: int | None = None
    section: str = ""


@dataclass(frozen=True)
class Document:
    """The text of a file. `title` is what the file calls itself, empty where it does not."""

    title: str
    parts: tuple[Part, ...]
    pages: int | None = None

    @property
    def text(self) -> str:
        """The extracted text that offsets count in."""
        return PART_JOIN.join(part.text for part in self.parts)


class Loader(Protocol):
    """Reads one kind of file.

    Raises:
        KnowledgeError: the file is damaged, locked, empty or not what it says.
    """

    def __call__(self, path: Path, report: Report, /) -> Document:
        """Return the text of the file at `path`."""
        ...


def clean(text: str) -> str:
    """Return `text` with one kind of line break and without what neither eyes nor databases can take."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def document_of(title: str, parts: list[Part], pages: int | None = None) -> Document:
    """Return a document of the parts that hold any text."""
    cleaned = (Part(clean(part.text).strip(), part.page, clean(part.section)) for part in parts)
    return Document(clean(title).strip(), tuple(part for part in cleaned if part.text), pages)
