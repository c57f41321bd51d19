"""Vectors in Chroma, one collection per base; rebuilt from SQLite when they are missing or damaged."""

import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import chromadb
import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError
from numpy.typing import NDArray

from desktop.knowledge.index.passages import Passages

_log = logging.getLogger(__name__)

_BATCH = 1_000
_DAMAGE = (ChromaError, sqlite3.Error, OSError, ValueError, KeyError, RuntimeError)
"""What Chroma has been seen to raise at files that it did not write."""


class Vectors:
    """The nearest passages of each base. `passages` and `list_bases` are the truth it is repaired from."""

    def __init__(self, folder: Path, passages: Passages, list_bases: Callable[[], Iterable[str]]) -> None:
        self._folder = folder
        self._passages = passages
        self._list_bases = list_bases
        try:
            self._client = _open(folder)
            self._reconcile()
        except _DAMAGE as error:
            self._rebuild(error)

    def upsert(self, base_id: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Add the vectors of passages."""
        try:
            self._put(base_id, vectors)
        except _DAMAGE as error:
            self._rebuild(error)

    def delete(self, base_id: str, passages: Sequence[int]) -> None:
        """Forget passages; unknown ones are none."""
        try:
            self._drop(base_id, passages)
        except _DAMAGE as error:
            self._rebuild(error)

    def delete_base(self, base_id: str) -> None:
        """Forget a base."""
        try:
            self._client.delete_collection(_name(base_id))
        except NotFoundError:
            return
        except _DAMAGE as error:
            self._rebuild(error)

    def nearest(self, base_id: str, query: bytes, count: int) -> list[tuple[int, float]]:
        """Return the nearest passages with their cosine similarity, best first."""
        try:
            return self._nearest(base_id, query, count)
        except _DAMAGE as error:
            self._rebuild(error)
            return self._nearest(base_id, query, count)

    def _nearest(self, base_id: str, query: bytes, count: int) -> list[tuple[int, float]]:
        collection = self._collection(base_id)
        if collection.count() == 0:
            return []
        found = collection.query(query_embeddings=_matrix([query]), n_results=count, include=["distances"])
        distances = found["distances"] or [[]]
        return [(int(key), 1 - far) for key, far in zip(found["ids"][0], distances[0], strict=True)]

    def _collection(self, base_id: str) -> Collection:
        return self._client.get_or_create_collection(
            _name(base_id), embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def _put(self, base_id: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        collection = self._collection(base_id)
        for begin in range(0, len(vectors), _BATCH):
            batch = vectors[begin : begin + _BATCH]
            collection.upsert(
                ids=[str(passage) for passage, _ in batch],
                embeddings=_matrix([vector for _, vector in batch]),
            )

    def _drop(self, base_id: str, passages: Iterable[int]) -> None:
        keys = [str(passage) for passage in passages]
        collection = self._collection(base_id)
        for begin in range(0, len(keys), _BATCH):
            collection.delete(ids=keys[begin : begin + _BATCH])

    def _reconcile(self) -> None:
        """Bring Chroma to what SQLite says, whatever a sudden end left undone."""
        bases = {_name(base_id): base_id for base_id in self._list_bases()}
        for collection in self._client.list_collections():
            if collection.name not in bases:
                self._client.delete_collection(collection.name)
        for base_id in bases.values():
            wanted = self._passages.with_vectors(base_id)
            held = {int(key) for key in self._collection(base_id).get(include=[])["ids"]}
            self._drop(base_id, held - wanted)
            missing = sorted(wanted - held)
            for begin in range(0, len(missing), _BATCH):
                self._put(base_id, self._passages.vectors(missing[begin : begin + _BATCH]))

    def _rebuild(self, reason: Exception) -> None:
        _log.warning("rebuilding the vectors in %s: %s", self._folder, reason)
        # Chroma keeps one open system per folder for the whole process; the damaged one must go first.
        SharedSystemClient.clear_system_cache()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._client = _open(self._folder)
        self._reconcile()


def _open(folder: Path) -> ClientAPI:
    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))


def _matrix(vectors: Sequence[bytes]) -> NDArray[np.float32 | np.int32]:
    matrix: NDArray[np.float32 | np.int32] = np.frombuffer(b"".join(vectors), np.float32).reshape(
        len(vectors), -1
    )
    return matrix


def _name(base_id: str) -> str:
    return f"base-{base_id}"
