"""Embedding of texts, and storage and search of vectors: one thread for models, one per Chroma.

A Chroma database is synchronised with SQLite, which has all vectors.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL, BaseInfo
from desktop.domain.privacy import Channel
from desktop.errors import AppError, IndexUnavailable, StorageFull, VectorsRebuilt
from desktop.errors.servers import ChromaDown
from desktop.knowledge.embedding.encoders import Encoders
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.vector_rows import CollectionKey, VectorRows
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.work_thread import WorkThread
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.settings.model import ChromaServer

if TYPE_CHECKING:
    from desktop.knowledge.chroma_index import ChromaIndex

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
        return self._thread.run(lambda: self._open().upsert(key, vectors))

    def delete(self, key: CollectionKey, passages: Collection[int]) -> asyncio.Future[None]:
        """Queue passages for deletion, immediately; if it fails, `settle` repairs the collection."""
        return self._thread.run(lambda: self._open().delete(key, passages))

    def clear(self, key: CollectionKey) -> asyncio.Future[None]:
        """Delete all vectors of a collection; `settle` fills it again."""
        return self._thread.run(lambda: self._open().clear(key))

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
                found = await self._thread.run(lambda: self._open().nearest(key, query, count))
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
            await self._thread.run(lambda: self._open().nearest(key, query, count)), self.is_settled(key)
        )

    async def settle(self, keys: Collection[CollectionKey]) -> None:
        """Synchronise collections with SQLite; raises the same errors as `nearest`."""
        for key in keys:
            async with self._settling:  # for each, so that a query waits for one collection at most
                if not self.is_settled(key):
                    with self._noting():
                        await self._settle(key)

    async def _settle(self, key: CollectionKey) -> None:
        steps = await self._thread.run(lambda: self._open().settle(key))
        while await self._thread.run(lambda: next(steps, _END)) is not _END:
            pass

    async def remove_leftovers(self, keys: Collection[CollectionKey]) -> None:
        """Delete our collections except these; raises the same errors as `nearest`."""
        with self._noting():
            await self._thread.run(lambda: self._open().remove_leftovers(keys))

    async def test(self) -> None:
        """Connect; raises the same errors as `nearest`."""
        await self._thread.run(lambda: self._open().ping())

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

    def _open(self) -> "ChromaIndex":
        """Return the index; to be called in its thread only."""
        from desktop.knowledge.chroma_index import ChromaIndex, LocalChroma, RemoteChroma

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


LOAD_TIMEOUT_S = 60.0
COMPARED_AT_ONCE = 32
LOCAL_BATCH = 16
"""Larger batches are no faster on a CPU and make a query wait longer."""
SERVED_BATCH = 64
RETRY_S = 5.0
"""Seconds after which a failed server is tried again."""
SETTLED_AT_ONCE = 10_000
"""For a base of so many vectors the local Chroma is loaded as soon as the worker runs, otherwise when a base is first
searched or changed: it needs two seconds of processor time and 50 to 180 MB. Until then the vectors in SQLite answer.
"""
_MODELS = "models"

_MODEL_BUSY = translatable("the embedding model is busy.")
_NO_SERVER = translatable("It is no longer in the settings.")
_MISSING = translatable("its folder was missing")
_COPYING = translatable("Vectors are still being copied; some passages are found by keyword only.")

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Nearest:
    """The cosine similarity of passages to a query, the query's unit vector, and notes on failures."""

    query: bytes
    cosines: dict[int, float]
    notes: tuple[str, ...] = ()


class VectorService:
    """Embeds texts and searches vectors. Belongs to one event loop.

    `folder` holds Chroma's local files. `tell_user` receives messages for the user; it is called in any thread.
    """

    def __init__(
        self, folder: Path, database: Path, tell_user: Callable[[AppError], None] = lambda _notice: None
    ) -> None:
        self._folder = folder
        self._tell_user = tell_user
        self._path = database
        self._thread = WorkThread("models")
        self.store = ModelStore(database.parent / _MODELS)
        self._encoders = Encoders(self.store, self._thread)
        self._truth = IndexDatabase(database)
        self._bases = Bases(self._truth)
        self._sites: dict[str, ChromaCollections] = {}
        self._changed = asyncio.Event()
        self._is_down = False
        self._full: set[str] = set()
        self._is_missing = not folder.exists() and self._has_local_vectors()

    def _has_local_vectors(self) -> bool:
        rows = VectorRows(self._truth)
        return any(
            rows.has_any(base.id, base.model) for base in self._bases.all() if base.options.place == ""
        )

    def with_models(self, work: Callable[[], _T]) -> "asyncio.Future[_T]":
        """Run `work` in the thread of the models, after everything submitted before it."""
        return self._thread.run(work)

    @property
    def setup(self) -> WorkerConfig:
        """The current settings."""
        return self._encoders.setup

    def close(self) -> None:
        """Finish running work and accept no more."""
        self._thread.close()
        for collections in self._sites.values():
            collections.close()
        self._truth.close()

    async def configure(self, setup: WorkerConfig) -> None:
        """Use new settings from now on."""
        await self._encoders.configure(setup)
        for place, collections in list(self._sites.items()):
            if place and collections.site != self._site(place):
                self._sites.pop(place).close()
        self.refresh()

    def refresh(self) -> None:
        """Signal that bases may have been added, removed or moved."""
        self._changed.set()

    async def run(self) -> None:
        """Keep each Chroma database in sync with SQLite until cancelled; retry those that are down."""
        if self._is_missing:
            self._tell_user(VectorsRebuilt(detail=_MISSING))
        while True:
            self._changed.clear()
            places = {base.options.place for base in self._bases.all()} | set(self._sites)
            outcomes = await asyncio.gather(*(self._bring(place) for place in places))
            self._is_down = not all(outcomes)
            try:
                async with asyncio.timeout(RETRY_S if self._is_down else None):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def target_of(self, base: BaseInfo) -> str:
        """Return the model for embedding a base."""
        return self.setup.model_for(base.options)

    def batch_of(self, model: str) -> int:
        """Return the batch size for a model; larger for servers because of their latency."""
        return LOCAL_BATCH if self.setup.embedder(model) is None else SERVED_BATCH

    def languages(self, model: str) -> tuple[str, ...]:
        """Return the languages of a model, as in `EmbeddingModel`."""
        return self._encoders.languages(model)

    def fingerprint(self, model: str) -> str:
        """Return an id that changes with a model's vectors; raises KnowledgeError if it is missing."""
        return self._encoders.fingerprint(model)

    async def delete_model(self, model: str) -> None:
        """Remove a downloaded model; raises ModelInUse."""
        users = [base.name for base in self._bases.all() if model in {base.model, self.target_of(base)}]
        await self._encoders.delete(model, users)

    async def embed(
        self, texts: Sequence[str], model: str = BUILT_IN_MODEL, *, is_query: bool = False
    ) -> list[bytes]:
        """Return one vector per text; raises KnowledgeError."""
        return await self._encoders.embed(model, texts, is_query=is_query)

    async def compare(self, texts: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Return the cosines of pairs of texts, computed in batches so that a search waits for one at most.

        The embeddings come from MiniLM, because the callers' thresholds were measured with it: cosines of E5
        are between 0.7 and 1.
        """
        starts = range(0, len(texts), COMPARED_AT_ONCE)
        batches = [
            await self.embed(texts[start : start + COMPARED_AT_ONCE], MINILM_MODEL) for start in starts
        ]
        vectors = [np.frombuffer(vector, np.float32) for batch in batches for vector in batch]
        return [float(vectors[one] @ vectors[other]) for one, other in pairs]

    def upsert(
        self, base_id: str, vectors: Sequence[tuple[int, bytes]], model: str = BUILT_IN_MODEL
    ) -> asyncio.Future[None]:
        """Index vectors that are stored in SQLite already; the call is queued immediately."""
        key = CollectionKey(base_id, model)
        return self._send_change(methodcaller("upsert", key, vectors), base_id)

    async def delete(self, base_id: str, passages: Sequence[int]) -> None:
        """Delete passages that are deleted in SQLite already."""
        for key in self._keys_of(base_id):
            await self._send_change(methodcaller("delete", key, passages), base_id)

    async def remove_leftovers(self) -> None:
        """Delete the collections of bases that are deleted in SQLite already."""
        if self._folder.exists():
            self._at("")  # also where it was not used so far
        self.refresh()
        await self._bring("")

    async def forget(self, model: str) -> None:
        """Delete all vectors of a model, which are deleted in SQLite already."""
        for base in self._bases.all():
            if model in {base.model, self.target_of(base)}:
                await self._send_change(methodcaller("clear", CollectionKey(base.id, model)), base.id)
        self.refresh()

    async def nearest(
        self, queries: Sequence[str], base_ids: Sequence[str], count: int, model: str = BUILT_IN_MODEL
    ) -> list[Nearest]:
        """Return the nearest passages to each query in bases of one model.

        Raises:
            KnowledgeError: the model failed, or took too long to load.
        """
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                asked = await self.embed(queries, model, is_query=True)
        except TimeoutError as error:
            raise IndexUnavailable(detail=_MODEL_BUSY) from error
        return [await self.nearest_to(query, base_ids, count, model) for query in asked]

    async def nearest_to(self, query: bytes, base_ids: Sequence[str], count: int, model: str) -> Nearest:
        """Return the nearest passages to a vector in bases of one model."""
        collections = [CollectionKey(base_id, model) for base_id in base_ids]
        answers = await asyncio.gather(*(self._nearest_on(key, query, count) for key in collections))
        cosines: dict[int, float] = {}
        notes: dict[str, None] = {}
        for answer in answers:
            cosines |= answer.cosines
            notes |= dict.fromkeys(answer.notes)
        return Nearest(query, cosines, tuple(notes))

    async def _nearest_on(self, key: CollectionKey, query: bytes, count: int) -> Nearest:
        try:
            collections = self._at(self._place_of(key.base_id))
            found = await collections.nearest(key, query, count)
        except AppError as error:
            self._retry_failed()
            return Nearest(query, {}, (str(error),))
        if not collections.is_settled(key):
            self._retry_failed()
        return Nearest(query, dict(found.passages), () if found.is_complete else (_COPYING,))

    async def test_server(self, server: ChromaServer, token: str | None) -> None:
        """Connect to a Chroma server; raises ChromaDown."""
        kept = self.setup.secret(f"chroma/{server.id}")
        collections = ChromaCollections(
            ChromaSite(server=server, token=kept if token is None else token), self._path
        )
        try:
            await collections.test()
        finally:
            collections.close()

    async def keep_models(self, models: Iterable[str]) -> None:
        """Unload the local models that no base needs."""
        await self._encoders.keep({BUILT_IN_MODEL, *models})

    async def _bring(self, place: str) -> bool:
        """Synchronise the database at `place` with SQLite; return whether it succeeded."""
        wanted = [
            key
            for base in self._bases.all()
            for key in self._keys_of_base(base)
            if base.options.place == place
        ]
        if place not in self._sites and not (wanted and self._is_settled_at_once(place, wanted)):
            return True
        try:
            collections = self._at(place)
            await collections.remove_leftovers(wanted)
            await collections.settle(wanted)
        except AppError as error:
            _log.warning("%s", error)
            if isinstance(error, StorageFull) and place not in self._full:
                self._full.add(place)
                self._tell_user(error)
            return False
        self._full.discard(place)
        return True

    def _is_settled_at_once(self, place: str, keys: Sequence[CollectionKey]) -> bool:
        """Say whether a Chroma that was not used yet is worth its memory now: a server, a lost folder, a large base."""
        rows = VectorRows(self._truth)
        return (
            place != ""
            or self._is_missing
            or any(rows.has_many(key.base_id, key.model, SETTLED_AT_ONCE) for key in keys)
        )

    def _keys_of_base(self, base: BaseInfo) -> list[CollectionKey]:
        return [CollectionKey(base.id, model) for model in dict.fromkeys((base.model, self.target_of(base)))]

    def _keys_of(self, base_id: str) -> list[CollectionKey]:
        return [key for base in self._bases.all() if base.id == base_id for key in self._keys_of_base(base)]

    def _place_of(self, base_id: str) -> str:
        return self._bases.options(base_id).place

    def _send_change(
        self, tell: Callable[[ChromaCollections], asyncio.Future[None]], base_id: str
    ) -> asyncio.Future[None]:
        """Send a change to Chroma; a server that is down gets it at the next synchronisation."""
        try:
            told = tell(self._at(self._place_of(base_id)))
        except AppError:
            told = asyncio.get_running_loop().create_future()
            told.set_result(None)
            return told
        return asyncio.ensure_future(self._heard(told))

    async def _heard(self, told: asyncio.Future[None]) -> None:
        try:
            await told
        except (ChromaDown, StorageFull) as error:  # SQLite has the vectors
            _log.warning("%s", error)
            self._retry_failed()

    def _retry_failed(self) -> None:
        """Synchronise failed collections with SQLite again, unless they are already being retried."""
        if not self._is_down:
            self.refresh()

    def _at(self, place: str) -> ChromaCollections:
        if place not in self._sites:
            self._sites[place] = ChromaCollections(self._site(place), self._path, self._tell_user)
        return self._sites[place]

    def _site(self, place: str) -> ChromaSite:
        if not place:
            return ChromaSite(self._folder)
        for server in self.setup.settings.chroma_servers:
            if server.id == place:
                return ChromaSite(server=server, token=self.setup.secret(f"chroma/{place}"))
        raise ChromaDown(server=place, detail=_NO_SERVER)
