"""The file from which an item is read: the user's own, or a temporary copy of stored content.

Pages that were read as pictures are rendered from it, if it has not changed.
"""

import asyncio
import hashlib
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import ItemInfo, ItemKind, PagePicture
from desktop.errors import FileUnreadable, KnowledgeError, NothingToRead, plain_reason
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore, StoredContent
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.loaders.registry import check_file
from desktop.knowledge.reader.pool import ReaderPool
from desktop.phrases import translatable

_LONGEST_NAME = 80
_NOT_KEPT = translatable("Read it again.")
_CHANGED = translatable("it has changed since it was read")


@dataclass(frozen=True)
class Original:
    """A file to read; `stamp` shows whether it has changed since."""

    path: Path
    stamp: str


@asynccontextmanager
async def original_of(item: ItemInfo, content: StoredContent | None, spool: Path) -> AsyncIterator[Original]:
    """Provide the file of an item for the duration of the block.

    Raises:
        FileUnreadable: it does not exist.
        NothingToRead: no content is stored for the note or link.
        OSError: there is no space for the file.
    """
    if item.kind is ItemKind.FILE:
        path = path_of(item.path)
        yield Original(path, await asyncio.to_thread(stamp_of, path))
        return
    if content is None:
        raise NothingToRead(name=item.name, detail=_NOT_KEPT)
    folder = spool / item.id
    try:
        path = await asyncio.to_thread(_write, folder, item.name, content)
        yield Original(path, await asyncio.to_thread(stamp_of, path))
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file; only opens regular files up to the maximum size.

    Raises:
        KnowledgeError: it cannot be opened, is not a regular file, or cannot be read.
    """
    try:
        check_file(path)
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileUnreadable(name=path.name, detail=plain_reason(error, within_sentence=True)) from error


def stamp_of(path: Path) -> str:
    """Return a stamp that changes when the file changes.

    Raises:
        FileUnreadable: it does not exist.
    """
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise FileUnreadable(name=path.name, detail=translatable("it does not exist")) from error
    except OSError as error:
        raise FileUnreadable(name=path.name, detail=plain_reason(error, within_sentence=True)) from error
    return f"{found.st_mtime_ns} {found.st_size}"


def _write(folder: Path, title: str, content: StoredContent) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else " " for letter in title).strip()[:_LONGEST_NAME]
    path = folder / f"{name or '-'}{content.suffix}"
    path.write_bytes(content.body)
    return path


class PageImageRenderer:
    """Renders one page at a time; stored content is written to `spool` for it."""

    def __init__(self, database: IndexDatabase, reader: ReaderPool, spool: Path) -> None:
        self._library = ItemStore(database)
        self._passages = Passages(database)
        self._reader = reader
        self._spool = spool
        self._turn = asyncio.Lock()

    async def draw(self, sha256: str, page: int | None) -> PagePicture:
        """Return a page of the file with this SHA-256, from any copy that is unchanged."""
        documents = self._passages.scans(sha256)
        problem = ""
        for item in (item for document in documents for item in self._library.items_of(document)):
            try:
                async with self._turn:
                    return PagePicture(await self._draw_image(item, sha256, page))
            except KnowledgeError as error:
                problem = str(error)
            except OSError as error:
                problem = str(
                    FileUnreadable(name=item.name, detail=plain_reason(error, within_sentence=True))
                )
        return PagePicture(problem=problem)

    async def _draw_image(self, item: ItemInfo, sha256: str, page: int | None) -> bytes:
        async with original_of(item, self._library.content(item.id), self._spool) as original:
            if await asyncio.to_thread(digest_of, original.path) != sha256:
                raise FileUnreadable(name=item.name, detail=_CHANGED)
            jpeg = await self._reader.draw(original.path, page)
            if await asyncio.to_thread(stamp_of, original.path) != original.stamp:
                raise FileUnreadable(name=item.name, detail=_CHANGED)
            return jpeg
