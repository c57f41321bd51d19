"""Files on their way into the index: a list on disk, one file read at a time, vectors behind."""

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from desktop.domain.knowledge import ItemInfo, ItemProgress, ItemState
from desktop.errors import AppError, FileUnreadable, IndexUnavailable
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.library import Library
from desktop.knowledge.index.passages import Passages, PendingPassage
from desktop.knowledge.reader_process import ReaderProcess
from desktop.knowledge.vector_room import VectorRoom
from desktop.knowledge.wire import path_text
from desktop.phrases import phrase

EMBED_BATCH = 16
_EMBED_WINDOW = 256
"""Passages taken together so that those of like length share a batch."""
_ENDED = frozenset({ItemState.READY, ItemState.FAILED})

_log = logging.getLogger(__name__)


class Ingest:
    """Two loops over what is on disk; they go on where the last run of the program ended."""

    def __init__(self, database: Database, vectors: VectorRoom, reader: ReaderProcess) -> None:
        self._library = Library(database)
        self._passages = Passages(database)
        self._vectors = vectors
        self._reader = reader
        self._to_read = asyncio.Event()
        self._to_embed = asyncio.Event()
        self._watchers: dict[asyncio.Queue[ItemProgress], frozenset[str]] = {}
        self._reading: tuple[str, asyncio.Task[None]] | None = None

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as loops:
                loops.create_task(self._read_loop())
                loops.create_task(self._embed_loop())
        finally:
            await self._reader.aclose()

    async def enqueue(self, base_id: str, paths: Sequence[Path]) -> list[str]:
        """Put files and the files of folders on the list; return their ids."""
        files = await asyncio.to_thread(files_of, paths)
        item_ids = self._library.enqueue(base_id, [Path(path_text(path)) for path in files])
        self._to_read.set()
        return item_ids

    def wake(self) -> None:
        """Look again for something to do: a base may have been paused no longer."""
        self._to_read.set()
        self._to_embed.set()

    async def watch(self, item_ids: Iterable[str]) -> AsyncGenerator[ItemProgress]:
        """Yield where each file stands, then every step of it until it is READY or FAILED."""
        open_ids = dict.fromkeys(item_ids)
        queue: asyncio.Queue[ItemProgress] = asyncio.Queue()
        self._watchers[queue] = frozenset(open_ids)
        try:
            for item in [self._library.item(item_id) for item_id in open_ids]:
                if item is not None:
                    queue.put_nowait(ItemProgress(item))
            open_ids = dict.fromkeys(item_id for item_id in open_ids if self._library.item(item_id))
            while open_ids:
                progress = await queue.get()
                yield progress
                if progress.item.state in _ENDED or progress.item.error:
                    open_ids.pop(progress.item.id, None)
        finally:
            del self._watchers[queue]

    async def remove(self, item: ItemInfo) -> None:
        """Take a file out of its base, in the middle of being read or not."""
        passages = self._library.remove_item(item.id)
        self._stop_reading(item.id)
        if passages:
            await self._vectors.delete(item.base_id, passages)
        self._publish(ItemProgress(replace(item, state=ItemState.FAILED, error=phrase("It was removed."))))

    def _stop_reading(self, item_id: str) -> None:
        if self._reading is not None and self._reading[0] == item_id:
            self._reading[1].cancel()

    async def withdraw(self, item_ids: Iterable[str]) -> None:
        """Take those files off the list that are not searchable yet."""
        unread = {ItemState.WAITING, ItemState.READING}
        for item in [self._library.item(item_id) for item_id in item_ids]:
            if item is None or item.state not in unread:
                continue
            if self._library.take_back(item.id):
                self._stop_reading(item.id)
            else:
                await self.remove(item)

    def _publish(self, progress: ItemProgress) -> None:
        for queue, item_ids in self._watchers.items():
            if progress.item.id in item_ids:
                queue.put_nowait(progress)

    def _publish_state(self, item_id: str, done: int = 0, total: int = 0) -> None:
        item = self._library.item(item_id)
        if item is not None:
            self._publish(ItemProgress(item, done, total))

    async def _read_loop(self) -> None:
        while True:
            item = self._library.next_waiting()
            if item is None:
                self._to_read.clear()
                await self._to_read.wait()
                continue
            task = asyncio.create_task(self._read(item))
            self._reading = (item.id, task)
            try:
                await asyncio.wait({task})
            finally:
                task.cancel()
                await asyncio.wait({task})
                self._reading = None
            if not task.cancelled():
                task.result()  # what is no AppError is a bug or a full disk: neither may pass unseen
            self._to_embed.set()

    async def _read(self, item: ItemInfo) -> None:
        self._library.set_reading(item.id)
        self._publish_state(item.id)
        try:
            dropped = await self._take_in(item)
        except AppError as error:
            dropped = self._library.fail(item.id, str(error))
        except asyncio.CancelledError:
            self._library.put_back(item.id)
            raise
        self._publish_state(item.id)
        if dropped:
            await self._vectors.delete(item.base_id, dropped)

    async def _take_in(self, item: ItemInfo) -> list[int]:
        """Read a file unless its content is known; return the passages of an earlier reading."""
        path = Path(item.path)
        digest, stamp = await asyncio.to_thread(_digest_and_stamp, path)
        dropped = self._library.link_known(item.id, digest)
        if dropped is not None:
            return dropped
        reading = await self._reader.read(path, lambda done, total: self._publish_state(item.id, done, total))
        if _stamp(path) != stamp:
            raise FileUnreadable(name=path.name, detail=phrase("it was changed while it was read"))
        return self._library.put(item.id, digest, reading)

    async def _embed_loop(self) -> None:
        while True:
            pending = self._passages.pending(_EMBED_WINDOW)
            if pending:
                try:
                    await self._embed(sorted(pending, key=lambda passage: len(passage.text)))
                    continue
                except IndexUnavailable as error:
                    self._give_up(pending, error)
            self._to_embed.clear()
            await self._to_embed.wait()

    async def _embed(self, pending: Sequence[PendingPassage]) -> None:
        for begin in range(0, len(pending), EMBED_BATCH):
            batch = pending[begin : begin + EMBED_BATCH]
            vectors = await self._vectors.embed([passage.embedded_text for passage in batch])
            await asyncio.gather(*self._keep(batch, vectors))
            finished = self._passages.finish_documents()
            for document in {*finished, *(passage.document for passage in batch)}:
                done = self._passages.count_embedded(document)
                for item in self._library.items_of(document):
                    self._publish(ItemProgress(item, done, item.passages))

    def _keep(self, batch: Sequence[PendingPassage], vectors: Sequence[bytes]) -> list[asyncio.Future[None]]:
        """Store vectors and line their indexing up at once, so that a later removal comes after it."""
        by_base: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
        for passage, vector in zip(batch, vectors, strict=True):
            by_base.setdefault((passage.base_id, passage.model), []).append((passage.id, vector))
        futures = []
        for (base_id, model), rows in by_base.items():
            kept = self._passages.put_vectors(model, rows)
            if kept:
                futures.append(self._vectors.upsert(base_id, kept))
        return futures

    def _give_up(self, pending: Iterable[PendingPassage], error: AppError) -> None:
        for document in {passage.document for passage in pending}:
            for item in self._library.items_of(document):
                self._publish(ItemProgress(replace(item, error=str(error))))


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the files themselves and those in folders, sorted, hidden ones left out."""
    files: dict[Path, None] = {}
    for path in paths:
        if not path.is_dir():
            files[path.absolute()] = None
            continue
        for folder, subfolders, names in os.walk(path):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
            for name in sorted(names):
                if not name.startswith("."):
                    files[Path(folder, name).absolute()] = None
    return list(files)


def _digest_and_stamp(path: Path) -> tuple[str, tuple[int, int]]:
    """Return the SHA-256 of a file and what tells whether it changed; only regular files are opened.

    Raises:
        FileUnreadable: it cannot be opened or is no file.
    """
    try:
        stamp = _stamp(path)
        if not path.is_file():
            raise FileUnreadable(name=path.name, detail=phrase("it is not a file"))
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), stamp
    except OSError as error:
        raise FileUnreadable(name=path.name, detail=(error.strerror or str(error)).lower()) from error


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise FileUnreadable(name=path.name, detail=phrase("it does not exist")) from error
    return found.st_mtime_ns, found.st_size
