"""Asynchronous access to one Chroma database in its own thread, and its synchronisation with SQLite."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from desktop.domain.privacy import Channel
from desktop.errors import AppError, ChromaDown, VectorsRebuilt
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.vector_rows import CollectionKey, VectorRows
from desktop.knowledge.work_thread import WorkThread
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.settings.model import ChromaServer

if TYPE_CHECKING:
    from desktop.knowledge.vectors.chroma_index import ChromaIndex

# Chroma takes a second to import.
# ruff: noqa: PLC0415

QUIET_S = 3.0
"""Seconds after the failure of a server during which queries do not try it again."""
PATIENCE_S = 8.0
"""Seconds that a query of a large base waits for vectors that are still being copied; after that it uses the ones
that are there.
"""
COMPARED = 100_000
"""Vectors that a query is compared with directly while Chroma is being loaded or filled: this takes a second at most."""
_ANSWER_LIMIT_S = 10.0
_SLOW = translatable("It did not respond within {seconds} s.")
_END = object()


@dataclass(frozen=True)
class ChromaSite:
    """The location of a Chroma database: a folder, or a server with its token."""

    folder: Path | None = None
    server: ChromaServer | None = None
    token: str = ""

    def __repr__(self) -> str:
        """Return a representation that is safe to log."""
        return f"Site({self.server or self.folder})"


class Found(NamedTuple):
    """The nearest passages with their cosines; `is_complete` is false where some vectors could not be compared."""

    passages: list[tuple[int, float]]
    is_complete: bool = True


class ChromaCollections:
    """The collections of one Chroma database.

    Belongs to one event loop; `tell_user` is called in any thread.
    """

    def __init__(
        self, site: ChromaSite, database: Path, tell_user: Callable[[AppError], None] = lambda _notice: None
    ) -> None:
        self.site = site
        self._tell_user = tell_user
        self._database = database
        self._thread = WorkThread("chroma")
        self._comparing = WorkThread("vectors")
        self._vectors: ChromaIndex | None = None
        self._truth: IndexDatabase | None = None
        self._failure: AppError | None = None
        self._failed_at = 0.0
        self._settling = asyncio.Lock()

    def close(self) -> None:
        """Close the client, without waiting for a server that does not respond."""
        self._comparing.close()
        self._thread.close(waits=self.site.server is None)
        if self._vectors is not None:
            self._vectors.close()
        if self._truth is not None and self.site.server is None:
            self._truth.close()

    def is_settled(self, key: CollectionKey) -> bool:
        """Say whether a collection is in sync with SQLite."""
        return self._vectors is not None and self._vectors.is_settled(key)

    def upsert(self, key: CollectionKey, vectors: Sequence[tuple[int, bytes]]) -> asyncio.Future[None]:
        """Queue vectors for indexing, immediately; if it fails, `settle` repairs the collection."""
        return self._thread.run(lambda: self._opened().upsert(key, vectors))

    def delete(self, key: CollectionKey, passages: Collection[int]) -> asyncio.Future[None]:
        """Queue passages for deletion, immediately; if it fails, `settle` repairs the collection."""
        return self._thread.run(lambda: self._opened().delete(key, passages))

    def clear(self, key: CollectionKey) -> asyncio.Future[None]:
        """Delete all vectors of a collection; `settle` fills it again."""
        return self._thread.run(lambda: self._opened().clear(key))

    async def nearest(self, key: CollectionKey, query: bytes, count: int) -> Found:
        """Return the nearest passages. Where Chroma is not ready, the vectors in SQLite are compared one by one.

        Raises:
            ChromaDown, IndexUnavailable: it is unavailable; for a while, it is not tried again.
            StaysHere: it is a server, but the query must not leave this machine.
        """
        if self.site.server is None:
            return await self._nearest_here(key, query, count)
        # A query that must not leave this machine is not a failure of the server.
        egress.require_egress(self.site.server.url, Channel.INDEX, len(query))
        if self._failure is not None and time.monotonic() - self._failed_at < QUIET_S:
            raise self._failure
        with self._noting():
            async with asyncio.timeout(_ANSWER_LIMIT_S):
                found = await self._thread.run(lambda: self._opened().nearest(key, query, count))
        return Found(found, self.is_settled(key))

    async def _nearest_here(self, key: CollectionKey, query: bytes, count: int) -> Found:
        if not self.is_settled(key):
            compared = await self._comparing.run(lambda: _compare(self._database, key, query, count))
            if compared is not None:
                return Found(compared)
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self.settle([key])
        return Found(
            await self._thread.run(lambda: self._opened().nearest(key, query, count)), self.is_settled(key)
        )

    async def settle(self, keys: Collection[CollectionKey]) -> None:
        """Synchronise collections with SQLite; raises the same errors as `nearest`."""
        for key in keys:
            async with self._settling:  # for each, so that a query waits for one collection at most
                if not self.is_settled(key):
                    with self._noting():
                        await self._settle(key)

    async def _settle(self, key: CollectionKey) -> None:
        steps = await self._thread.run(lambda: self._opened().settle(key))
        while await self._thread.run(lambda: next(steps, _END)) is not _END:
            pass

    async def remove_leftovers(self, keys: Collection[CollectionKey]) -> None:
        """Delete our collections except these; raises the same errors as `nearest`."""
        with self._noting():
            await self._thread.run(lambda: self._opened().remove_leftovers(keys))

    async def test(self) -> None:
        """Connect; raises the same errors as `nearest`."""
        await self._thread.run(lambda: self._opened().ping())

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Record success or failure, so that queries need not wait for an unavailable database."""
        try:
            yield
        except TimeoutError as error:
            name = self.site.server.name if self.site.server else ""
            detail = _SLOW.format(seconds=round(_ANSWER_LIMIT_S))
            self._fail(ChromaDown(server=name, detail=detail))
            raise ChromaDown(server=name, detail=detail) from error
        except AppError as error:
            self._fail(error)
            raise
        self._failure = None

    def _fail(self, error: AppError) -> None:
        if self.site.server is not None:
            self._failure, self._failed_at = error, time.monotonic()

    def _on_rebuilt(self, reason: str) -> None:
        self._tell_user(VectorsRebuilt(detail=reason))

    def _opened(self) -> "ChromaIndex":
        """Return the index; to be called in its thread only."""
        from desktop.knowledge.vectors.chroma_index import ChromaIndex, LocalChroma, RemoteChroma

        if self._vectors is None:
            self._truth = IndexDatabase(self._database)
            server, folder = self.site.server, self.site.folder
            assert server is not None or folder is not None
            place = RemoteChroma(server, self.site.token) if server else LocalChroma(folder or Path())
            self._vectors = ChromaIndex(place, VectorRows(self._truth), self._on_rebuilt)
        return self._vectors


def _compare(database: Path, key: CollectionKey, query: bytes, count: int) -> list[tuple[int, float]] | None:
    """Return the passages of a base whose vectors in SQLite are nearest to a query; None if there are too many."""
    asked = np.frombuffer(query, np.float32)
    found: list[tuple[int, float]] = []
    compared = 0
    with closing(IndexDatabase(database)) as truth:
        for piece in VectorRows(truth).in_pieces(key.base_id, key.model):
            compared += len(piece)
            if compared > COMPARED:
                return None
            vectors = np.frombuffer(b"".join(vector for _, vector in piece), np.float32)
            cosines = vectors.reshape(len(piece), -1) @ asked
            found += zip((passage for passage, _ in piece), cosines.tolist(), strict=True)
            found = nlargest(count, found, key=itemgetter(1))
    return found
