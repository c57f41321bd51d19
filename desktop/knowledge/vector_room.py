"""The one thread that holds the embedding model and Chroma, so that neither meets another."""

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from desktop.errors import IndexUnavailable
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.passages import Passages
from desktop.phrases import phrase

if TYPE_CHECKING:
    from desktop.knowledge.embed import Embedder
    from desktop.knowledge.index.vectors import Vectors

LOAD_TIMEOUT_S = 60.0
COMPARED_AT_ONCE = 32

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_FAILED = phrase("vectors failed ({detail}).")


class VectorRoom:
    """Work is done in the order it is handed in; who embeds much hands it in batch by batch."""

    def __init__(self, folder: Path, database: Path) -> None:
        self._folder = folder
        self._path = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vectors")
        self._embedder: Embedder | None = None
        self._vectors: Vectors | None = None
        self._truth: Database | None = None

    @property
    def is_loaded(self) -> bool:
        """Say whether the model is there."""
        return self._embedder is not None

    def close(self) -> None:
        """Finish what is under way and take no more."""
        self._thread.shutdown(wait=True, cancel_futures=True)
        if self._truth is not None:
            self._truth.close()

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text."""
        return await self._run(lambda: self._model().encode(texts))

    async def compare(self, texts: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Return the cosines of pairs of texts; in batches, so that whoever searches waits for one of them only."""
        starts = range(0, len(texts), COMPARED_AT_ONCE)
        batches = [await self.embed(texts[start : start + COMPARED_AT_ONCE]) for start in starts]
        vectors = [np.frombuffer(vector, np.float32) for batch in batches for vector in batch]
        return [float(vectors[one] @ vectors[other]) for one, other in pairs]

    def upsert(self, base_id: str, vectors: Sequence[tuple[int, bytes]]) -> asyncio.Future[None]:
        """Index vectors; takes its place in the order at once."""
        return self._run(lambda: self._index().upsert(base_id, vectors))

    def delete(self, base_id: str, passages: Sequence[int]) -> asyncio.Future[None]:
        """Forget passages; takes its place in the order at once."""
        return self._run(lambda: self._index().delete(base_id, passages))

    def delete_base(self, base_id: str) -> asyncio.Future[None]:
        """Forget a base; takes its place in the order at once."""
        return self._run(lambda: self._index().delete_base(base_id))

    async def leg(
        self, query: str, base_ids: Sequence[str], candidates: Sequence[int], count: int
    ) -> dict[int, float]:
        """Return the cosines of the nearest passages and of `candidates` that have a vector.

        Raises:
            IndexUnavailable: the model or Chroma failed, or took too long to load.
        """
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                return await self._run(lambda: self._leg(query, base_ids, candidates, count))
        except TimeoutError as error:
            raise IndexUnavailable(detail=phrase("the embedding model is busy.")) from error

    def _leg(
        self, query: str, base_ids: Sequence[str], candidates: Sequence[int], count: int
    ) -> dict[int, float]:
        (asked,) = self._model().encode([query])
        cosines: dict[int, float] = {}
        for base_id in base_ids:
            cosines.update(self._index().nearest(base_id, asked, count))
        direction = np.frombuffer(asked, np.float32)
        missing = [passage for passage in candidates if passage not in cosines]
        for passage, vector in Passages(self._database()).vectors(missing):
            cosines[passage] = float(np.frombuffer(vector, np.float32) @ direction)
        return cosines

    def _run(self, work: Callable[[], _T]) -> asyncio.Future[_T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, _guarded, work)

    def _model(self) -> "Embedder":
        if self._embedder is None:
            os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when the libraries are imported
            os.environ["TOKENIZERS_PARALLELISM"] = "false"
            from desktop.knowledge.embed import Embedder  # noqa: PLC0415 - torch takes seconds to import

            self._embedder = Embedder()
        return self._embedder

    def _index(self) -> "Vectors":
        if self._vectors is None:
            from desktop.knowledge.index.vectors import Vectors  # noqa: PLC0415 - so does Chroma, a little

            database = self._database()
            bases = Bases(database)
            self._vectors = Vectors(self._folder, Passages(database), bases.ids)
        return self._vectors

    def _database(self) -> Database:
        if self._truth is None:
            self._truth = Database(self._path)
        return self._truth


def _guarded(work: Callable[[], _T]) -> _T:
    """Turn what model and Chroma raise into the error that is shown."""
    try:
        return work()
    except Exception as error:
        _log.exception("vectors failed")
        raise IndexUnavailable(detail=_FAILED.format(detail=f"{type(error).__name__}: {error}")) from error
