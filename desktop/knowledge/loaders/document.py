"""The result of a loader, and helpers for loaders: cleaning, limits, headings, wrapped lines."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from desktop.domain.sources import SECTION_JOIN

if TYPE_CHECKING:  # most files do not need numpy, and importing it takes longer than reading a file
    import numpy as np
    import numpy.typing as npt

PART_JOIN = "\n\n"

_GRAIN = 6.0
"""The deviation of scanned blank paper is below this, on a scale of 255."""
_GRAIN_STEP = 3

MAX_TEXT_BYTES = 10_000_000
"""Maximum text per file, in UTF-8: about twenty thick books in English, six in Chinese.

The time and memory for Chinese terms grow about in proportion to the bytes of its characters.
"""

_MAX_NAME_CHARS = 1_000
"""Maximum length of a title or heading path, as both are stored and indexed with every passage."""

_UNSTORABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufeff\ufffe\uffff]")

Report = Callable[[int, int], None]
"""Called with the number of pages done and the total."""

Pixels: TypeAlias = "npt.NDArray[np.uint8]"
"""A picture: an array of rows, columns and channels (blue, green, red)."""

ReadPicture = Callable[[Pixels], str]
"""Returns the text in a picture. May raise `NeedsScan` if this process must not read pictures."""


Draw: TypeAlias = "Callable[[Path, int | None], Pixels | None]"
"""Returns a page of a file as a picture."""
_SENTENCE_END = re.compile(r"[.!?:。！？：；…][\"'”’」』）)\]]*$")
_CJK_END = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]$")
_CJK_START = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
_ITEM_START = re.compile(r"(?:[-•◦▪●*·–]|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]+[、）)])\s*\S")
_FULL_LINE = 0.75
"""Lines of at least this share of the longest line of a page were wrapped."""


class NeedsScan(Exception):
    """A page has no text layer, and this process does not read pictures."""


def ignore_pages(done: int, total: int) -> None:
    """Ignore a progress report."""


def never_late() -> bool:
    """Set no time limit."""
    return False


@dataclass(frozen=True)
class LoaderContext:
    """The context of a loader; without `read_picture`, pictures are not read.

    Loaders that can stop early do so when it `is_late`. With `describes`, a model is available for pages that
    show something but have no text. With `keeps_links`, Word files, PDFs and web pages become Markdown with their
    links, foot- and endnotes.
    """

    report: Report = ignore_pages
    read_picture: ReadPicture | None = None
    is_late: Callable[[], bool] = never_late
    describes: bool = False
    keeps_links: bool = False


@dataclass(frozen=True)
class DocumentPart:
    """A section of text under one heading and on one page; `section` is the path of headings."""

    text: str
    page: int | None = None
    section: str = ""


@dataclass(frozen=True)
class Document:
    """The text of a file. `title` comes from the file's own metadata or content, or is empty.

    `scanned` pages had no text and were read as pictures. If it `is_cut`, it has only the beginning of the
    file. `wordless` pages show something but have no text; for a picture, the page is None.
    """

    title: str
    parts: tuple[DocumentPart, ...]
    pages: int | None = None
    scanned: int = 0
    is_cut: bool = False
    wordless: tuple[int | None, ...] = ()

    @property
    def text(self) -> str:
        """The extracted text to which offsets refer."""
        return PART_JOIN.join(part.text for part in self.parts)


class Loader(Protocol):
    """Reads one type of file.

    Raises:
        KnowledgeError: the file is damaged, locked, empty or of another type.
    """

    def __call__(self, path: Path, context: LoaderContext, /) -> Document:
        """Return the text of the file at `path`."""
        ...


def clean(text: str) -> str:
    """Return `text` with uniform line breaks, without characters that cannot be displayed or stored."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def shows_something(picture: Pixels) -> bool:
    """Say whether a picture shows more than one colour and paper grain."""
    return bool(picture[::_GRAIN_STEP, ::_GRAIN_STEP].std() >= _GRAIN)


def size_of(text: str) -> int:
    """Return the size of a text in bytes, as counted for `MAX_TEXT_BYTES`."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def first_of(text: str, size: int = MAX_TEXT_BYTES) -> tuple[str, bool]:
    """Return the beginning of a text that fits into `size` bytes, and whether there is more."""
    if size_of(text) <= size:
        return text, False
    return text[:size].encode("utf-8", "replace")[:size].decode("utf-8", "ignore").rstrip(), True


def document_of(
    title: str,
    parts: Iterable[DocumentPart],
    pages: int | None = None,
    scanned: int = 0,
    *,
    is_cut: bool = False,
    is_late: Callable[[], bool] = never_late,
) -> Document:
    """Return a document of the parts that have text; stops reading parts after `MAX_TEXT_BYTES`.

    `is_cut` says that `parts` are already cut off; parts that come when it `is_late` are left out.
    """
    kept: list[DocumentPart] = []
    left = MAX_TEXT_BYTES
    for part in parts:
        if kept and is_late():
            is_cut = True
            break
        text, is_too_long = first_of(clean(part.text).strip(), left)
        if text:
            kept.append(DocumentPart(text, part.page, clean(part.section)[:_MAX_NAME_CHARS]))
            left -= size_of(text)
        if is_too_long:
            is_cut = True
            break
    return Document(clean(title).strip()[:_MAX_NAME_CHARS], tuple(kept), pages, scanned, is_cut)


HeadingPath = tuple[tuple[int, str], ...]
"""The level and text of each heading."""


def add_heading(path: HeadingPath, level: int, words: str) -> HeadingPath:
    """Return the path with another heading, which ends headings of the same and deeper levels."""
    return (*(heading for heading in path if heading[0] < level), (level, words))


def section_of(path: HeadingPath) -> str:
    """Return a heading path as the section of a part."""
    return SECTION_JOIN.join(words for _, words in path if words)


def reflow(text: str) -> str:
    """Join lines that were broken only by the width of the page."""
    lines = [line.strip() for line in clean(text).split("\n")]
    full = _FULL_LINE * max((len(line) for line in lines), default=0)
    joined: list[str] = []
    previous = ""
    for line in lines:
        if previous and line and _goes_on(previous, line, full):
            joined[-1] = _join(joined[-1], line)
        else:
            joined.append(line)
        previous = line
    return "\n".join(joined)


def _goes_on(previous: str, line: str, full: float) -> bool:
    if _ITEM_START.match(line):
        return False
    if line[0].islower() and not _SENTENCE_END.search(previous):
        return True
    return len(previous) >= full and not (
        _SENTENCE_END.search(previous) and len(previous) < full / _FULL_LINE
    )


def _join(left: str, right: str) -> str:
    if left.endswith(("\u00ad", "\ufffe")):
        return left[:-1] + right
    if left.endswith("-") and right[0].islower() and left[-2:-1].isalpha():
        return left[:-1] + right
    if _CJK_END.search(left) and _CJK_START.match(right):
        return left + right
    return f"{left} {right}"
