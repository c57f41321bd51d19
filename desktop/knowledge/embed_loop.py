"""The loop that gives passages their vectors, behind the one that reads."""

import asyncio
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from desktop.domain.knowledge import ItemProgress
from desktop.errors import AppError, IndexUnavailable
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.fullness import is_full, storage_full
from desktop.knowledge.index.library import Library
from desktop.knowledge.index.passages import Passages, PendingPassage
from desktop.knowledge.steps import Steps
from desktop.knowledge.vector_room import VectorRoom

EMBED_BATCH = 16
_WINDOW = 256
"""Passages taken together so that those of like length share a batch."""
FULL_PAUSE_S = 20.0
"""So long nothing is tried while the disk has no room, unless somebody asks for something."""


class EmbedLoop:
    """Works on what is on disk; it goes on where the last run of the program ended."""

    def __init__(self, database: Database, vectors: VectorRoom, steps: Steps) -> None:
        self._library = Library(database)
        self._passages = Passages(database)
        self._vectors = vectors
        self._steps = steps
        self._to_embed = asyncio.Event()

    def wake(self) -> None:
        """Say that there may be something to do."""
        self._to_embed.set()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            self._to_embed.clear()
            pending = self._passages.pending(_WINDOW)
            pause_s = None
            try:
                if pending:
                    await self._embed(sorted(pending, key=lambda passage: len(passage.text)))
                    continue
            except IndexUnavailable as error:
                self._give_up(pending, error)
            except sqlite3.OperationalError as error:
                if not is_full(error):
                    raise
                self._give_up(pending, storage_full(error))
                pause_s = FULL_PAUSE_S
            await wait_for(self._to_embed, pause_s)

    async def _embed(self, pending: Sequence[PendingPassage]) -> None:
        for begin in range(0, len(pending), EMBED_BATCH):
            batch = pending[begin : begin + EMBED_BATCH]
            vectors = await self._vectors.embed([passage.embedded_text for passage in batch])
            await asyncio.gather(*self._keep(batch, vectors))
            documents = {passage.document for passage in batch}
            self._passages.finish_documents(documents)
            for document in documents:
                done = self._passages.count_embedded(document)
                for item in self._library.items_of(document):
                    self._steps.publish(ItemProgress(item, done, item.passages))

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
                self._steps.publish(ItemProgress(replace(item, error=str(error))))


async def wait_for(event: asyncio.Event, at_most_s: float | None) -> None:
    """Wait for something to do, and not longer than that."""
    try:
        async with asyncio.timeout(at_most_s):
            await event.wait()
    except TimeoutError:
        return
