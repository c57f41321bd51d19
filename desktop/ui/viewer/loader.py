"""Loads the content of a file source for the viewer, outside the GUI thread."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QImage, QImageReader

from desktop.chat.api.data import PageArchive
from desktop.chat.api.knowledge import Knowledge
from desktop.domain.file_formats import PDF, PICTURE, format_named
from desktop.domain.knowledge import OriginalState
from desktop.domain.sources import Locator, PageTexts, Source, SourceKind, document_of
from desktop.ui.viewer.text import MarkedText, mark_passage, stretch_of

_LARGEST_PICTURE: Final = QSize(4000, 4000)


@dataclass(frozen=True)
class ViewRequest:
    """A source to show; `words` are the part of its passage that supports a sentence of an answer.

    `conversation_id` is the conversation whose kept page is shown; empty for none.
    """

    source: Source
    words: str = ""
    conversation_id: str = ""


class ViewKind(StrEnum):
    """How a source is shown. `PASSAGE` shows the passage stored with the answer, if the file is unavailable."""

    PDF = auto()
    PROSE = auto()
    CODE = auto()
    PICTURE = auto()
    PASSAGE = auto()


@dataclass(frozen=True)
class LoadedSource:
    """A source that is ready to be shown; `text` is always set."""

    shape: ViewKind
    state: OriginalState
    text: MarkedText
    picture: QImage | None = None
    page: PageTexts | None = None
    """The kept page whose text is shown."""


def path_of(source: Source) -> Path:
    """Return the path of a source's file."""
    return Path(QUrl(source.url).toLocalFile())


def is_stored(source: Source) -> bool:
    """Say whether a source is a page or a note whose whole text is in a knowledge base."""
    return source.kind is SourceKind.FILE and not source.url.startswith("file:")


def load_stored_passage(wanted: ViewRequest, state: OriginalState = OriginalState.UNCHANGED) -> LoadedSource:
    """Return the passage that was stored with the answer."""
    text = wanted.source.text
    return LoadedSource(ViewKind.PASSAGE, state, MarkedText(text, words=stretch_of(wanted.words, text, 0)))


async def open_source(
    knowledge: Knowledge, wanted: ViewRequest, pages: PageArchive | None = None
) -> LoadedSource:
    """Load the content of a file, or a page as it was read; if it is not kept, the passage stored with the answer.

    Raises:
        KnowledgeError: the knowledge bases are unavailable.
        CitedPageDamaged: the kept page cannot be read.
    """
    source = wanted.source
    if source.kind is not SourceKind.FILE:
        return await _open_page(pages, wanted)
    if is_stored(source):
        return await _open_text(knowledge, wanted, ViewKind.PROSE)
    path = path_of(source)
    state = await knowledge.state_of(path, document_of(source))
    file_format = format_named(path)
    if state is not OriginalState.UNCHANGED:
        return load_stored_passage(wanted, state)
    if file_format is PDF:
        return LoadedSource(ViewKind.PDF, state, MarkedText(source.text))
    if file_format is PICTURE and (picture := await asyncio.to_thread(_picture, path)) is not None:
        return LoadedSource(ViewKind.PICTURE, state, MarkedText(source.text), picture)
    return await _open_text(knowledge, wanted, ViewKind.PROSE if file_format.is_prose else ViewKind.CODE)


async def _open_text(knowledge: Knowledge, wanted: ViewRequest, shape: ViewKind) -> LoadedSource:
    """Return the whole text that a base has of a source, else its stored passage."""
    source = wanted.source
    whole = await knowledge.text_of(document_of(source))
    if not whole:
        return load_stored_passage(wanted)
    text = await asyncio.to_thread(mark_passage, whole, source.text, source.locator, wanted.words)
    return LoadedSource(shape, OriginalState.UNCHANGED, text)


async def _open_page(pages: PageArchive | None, wanted: ViewRequest) -> LoadedSource:
    page = None
    if pages is not None and wanted.conversation_id:
        page = await pages.load(wanted.conversation_id, wanted.source.number)
    if page is None:
        return load_stored_passage(wanted)
    text = await asyncio.to_thread(_page_text, page.text, wanted)
    return LoadedSource(ViewKind.PROSE, OriginalState.UNCHANGED, text, page=page)


def _page_text(text: str, wanted: ViewRequest) -> MarkedText:
    """Return the text of a page with the part of the source marked that has the words."""
    first, *others = wanted.source.passages or ("",)
    part = next((each for each in others if wanted.words and wanted.words in each), first)
    where = wanted.source.locator if part is first else Locator()
    return mark_passage(text, part, where, wanted.words)


def _picture(path: Path) -> QImage | None:
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.width() > _LARGEST_PICTURE.width() or size.height() > _LARGEST_PICTURE.height():
        reader.setScaledSize(size.scaled(_LARGEST_PICTURE, Qt.AspectRatioMode.KeepAspectRatio))
    picture = reader.read()
    return None if picture.isNull() else picture
