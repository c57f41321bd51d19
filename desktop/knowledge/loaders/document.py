"""What a loader gives back."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # most files need no numbers, and importing them takes longer than reading one
    import numpy as np
    import numpy.typing as npt

PART_JOIN = "\n\n"
SECTION_JOIN = " › "

_UNSTORABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufeff\ufffe\uffff]")

Report = Callable[[int, int], None]
"""Told of pages done and pages in total."""

Pixels: TypeAlias = "npt.NDArray[np.uint8]"
"""A picture: rows of columns of blue, green and red."""

ReadPicture = Callable[[Pixels], str]
"""Returns the text in a picture. May raise `NeedsScan` where this is not the time for it."""


Draw: TypeAlias = "Callable[[Path, int | None], Pixels | None]"
"""Returns a page of a file as a picture."""


class NeedsScan(Exception):
    """A page has no text layer, and pictures are not read here and now."""


def ignore_pages(done: int, total: int) -> None:
    """Take a report and do nothing with it."""


@dataclass(frozen=True)
class Desk:
    """What a loader works with; without `read_picture` pictures are left unread."""

    report: Report = ignore_pages
    read_picture: ReadPicture | None = None


@dataclass(frozen=True)
class Part:
    """A stretch of text under one heading and on one page; `section` is the path of headings."""

    text: str
    page: int | None = None
    section: str = ""


@dataclass(frozen=True)
class Document:
    """The text of a file. `title` is what the file calls itself, empty where it does not.

    `scanned` pages had no text of their own and were read as pictures.
    """

    title: str
    parts: tuple[Part, ...]
    pages: int | None = None
    scanned: int = 0

    @property
    def text(self) -> str:
        """The extracted text that offsets count in."""
        return PART_JOIN.join(part.text for part in self.parts)


class Loader(Protocol):
    """Reads one kind of file.

    Raises:
        KnowledgeError: the file is damaged, locked, empty or not what it says.
    """

    def __call__(self, path: Path, desk: Desk, /) -> Document:
        """Return the text of the file at `path`."""
        ...


def clean(text: str) -> str:
    """Return `text` with one kind of line break and without what neither eyes nor databases can take."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def document_of(title: str, parts: Iterable[Part], pages: int | None = None, scanned: int = 0) -> Document:
    """Return a document of the parts that hold any text."""
    cleaned = (Part(clean(part.text).strip(), part.page, clean(part.section)) for part in parts)
    return Document(clean(title).strip(), tuple(part for part in cleaned if part.text), pages, scanned)
