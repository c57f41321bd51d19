"""Loads the content of a file source for the viewer, outside the GUI thread."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QImage, QImageReader

from desktop.chat.api.knowledge import Knowledge
from desktop.domain.file_formats import PDF, PICTURE, format_named
from desktop.domain.knowledge import OriginalState
from desktop.domain.sources import Source, SourceKind, document_of
from desktop.ui.viewer.text import MarkedText, mark_passage, stretch_of

_LARGEST_PICTURE: Final = QSize(4000, 4000)


@dataclass(frozen=True)
class ViewRequest:
    """A source to show; `words` are the part of its passage that supports a sentence of an answer."""

    source: Source
    words: str = ""


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


async def open_source(knowledge: Knowledge, wanted: ViewRequest) -> LoadedSource:
    """Load the content of a file; of a page, its stored passage.

    Raises:
        KnowledgeError: the knowledge bases are unavailable.
    """
    source = wanted.source
    if source.kind is not SourceKind.FILE:
        return load_stored_passage(wanted)
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


def _picture(path: Path) -> QImage | None:
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.width() > _LARGEST_PICTURE.width() or size.height() > _LARGEST_PICTURE.height():
        reader.setScaledSize(size.scaled(_LARGEST_PICTURE, Qt.AspectRatioMode.KeepAspectRatio))
    picture = reader.read()
    return None if picture.isNull() else picture
