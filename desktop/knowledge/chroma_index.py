"""Vectors in Chroma, in a local folder or on a server, with one collection per base and model.

Collections are filled from SQLite when they are missing or damaged.
"""

import atexit
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeVar
from urllib.parse import quote, urlsplit

import chromadb
import httpx
import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.fastapi import FastAPI
from chromadb.api.models.Collection import Collection as ChromaCollection
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import ChromaError, InvalidArgumentError, InvalidDimensionException, NotFoundError
from numpy.typing import NDArray

from desktop.errors import AppError, StorageFull, plain_reason
from desktop.errors.servers import ChromaDown
from desktop.knowledge.index.disk_errors import is_full, remove, storage_full
from desktop.knowledge.index.vector_rows import CollectionKey, VectorRows
from desktop.phrases import IN_KNOWLEDGE, translatable
from desktop.settings.atomic_files import has_no_room
from desktop.settings.model import ChromaServer

_API = "/api/v2"
_PATIENCE = httpx.Timeout(30.0, connect=5.0)
_BRIEF = httpx.Timeout(10.0, connect=5.0)
_UNAUTHORISED = frozenset({401, 403})
_PORTS = {"http": 80, "https": 443}
_MAX_DETAIL_CHARS = 200

_UNREACHABLE = translatable("Check its address and your connection.")
_REFUSED = translatable("It did not accept the token. Check it {in_settings}.").format(**IN_KNOWLEDGE)
_NO_ADDRESS = translatable("“{url}” is not a valid address. It must begin with http:// or https://.")
_NO_CHROMA = translatable("The server at this address is not a Chroma server of version 1.")
_NO_DATABASE = translatable("It has no database “{database}” in the tenant “{tenant}”.")
_SAID = translatable("It said: {detail}")
CHROMA_ERRORS = (ChromaError, httpx.HTTPError, OSError, ValueError, KeyError, RuntimeError)
"""Exceptions that Chroma has been seen to raise for server failures and for files that it did not write."""
_T = TypeVar("_T")
_BATCH = 1_000
_PAGE = 10_000
"""Number of ids per request, as servers may limit the size of a response."""
_OWNER = "footnote"
_FULL = "disk is full"
"""What SQLite says in Chroma's library, which reports no code."""
_DAMAGE = (*CHROMA_ERRORS, sqlite3.Error)
_OTHER_CONTENT = (NotFoundError, InvalidArgumentError, InvalidDimensionException)
"""A collection is gone, or another program has added vectors of another dimension."""


class ChromaLocation(Protocol):
    """A location of a Chroma database."""

    @property
    def is_own(self) -> bool:
        """Whether all of its content belongs to us, so that it may be deleted if it is damaged."""
        ...

    def open(self) -> ClientAPI:
        """Return a client; raises AppErrors and Chroma's exceptions."""
        ...

    def empty(self) -> None:
        """Delete all of its content."""
        ...

    def failure(self, error: Exception) -> Exception:
        """Convert an error of Chroma to the error to raise."""
        ...


@dataclass(frozen=True)
class LocalChroma:
    """A Chroma database in a local folder."""

    folder: Path
    is_own: bool = True

    def open(self) -> ClientAPI:
        """Open the folder, and create it if necessary."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = _encodable(self.folder)
        try:
            return chromadb.PersistentClient(path=path, settings=Settings(anonymized_telemetry=False))
        except Exception:
            # Chroma keeps a system that could not start, and the next client would fail for want of its parts.
            SharedSystemClient.clear_system_cache()
            raise

    def empty(self) -> None:
        """Remove the folder."""
        # Chroma keeps one open system per folder for the whole process; the damaged one must be removed first.
        SharedSystemClient.clear_system_cache()
        remove(self.folder)

    def failure(self, error: Exception) -> Exception:
        """Return that the disk is full, if it is; else the error unchanged."""
        if _FULL in str(error) or is_full(error, self.folder) or has_no_room(self.folder):
            return storage_full(error)
        return error


@cache
def _encodable(folder: Path) -> str:
    """Return a path to the folder that UTF-8 can encode, as Chroma requires; file names can be any bytes.

    If the path itself cannot be encoded, this is a link in the temporary folder, removed when the process ends.
    """
    path = str(folder)
    try:
        path.encode()
    except UnicodeEncodeError:
        links = TemporaryDirectory(prefix="footnote-vectors-", ignore_cleanup_errors=True)
        atexit.register(links.cleanup)
        link = Path(links.name, "vectors")
        link.symlink_to(folder, target_is_directory=True)
        return str(link)
    return path


@dataclass(frozen=True)
class RemoteChroma:
    """A Chroma server, which may also hold collections of other users; those are left untouched."""

    server: ChromaServer
    token: str = field(default="", repr=False)
    is_own: bool = False

    def open(self) -> ClientAPI:
        """Connect; raises ChromaDown and Chroma's exceptions."""
        parts = urlsplit(self.server.url.strip())
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ChromaDown(server=self.server.name, detail=_NO_ADDRESS.format(url=self.server.url))
        # Some servers expect the token in Chroma's own header, others, behind a proxy, in the usual one.
        headers = (
            {"x-chroma-token": self.token, "Authorization": f"Bearer {self.token}"} if self.token else {}
        )
        self._ping(headers)
        client = chromadb.HttpClient(
            host=parts.hostname,
            port=parts.port or _PORTS[parts.scheme],
            ssl=parts.scheme == "https",
            headers=headers,
            settings=Settings(anonymized_telemetry=False),
            tenant=self.server.tenant,
            database=self.server.database,
        )
        # WORKAROUND: Chroma's client (1.5) waits forever, and has no setting for a timeout.
        for session in _http_sessions(client):
            session.timeout = _PATIENCE
        return client

    def empty(self) -> None:
        """Do nothing, as others may use the server too."""

    def failure(self, error: Exception) -> Exception:
        """Convert an error of Chroma or the network to an AppError."""
        if isinstance(error, AppError):
            return error
        if isinstance(error, httpx.HTTPError):
            return ChromaDown(server=self.server.name, detail=_UNREACHABLE)
        detail = " ".join(plain_reason(error).split())[:_MAX_DETAIL_CHARS]
        return ChromaDown(server=self.server.name, detail=_SAID.format(detail=detail))

    def _ping(self, headers: dict[str, str]) -> None:
        """Check the server first, as Chroma's own client would wait forever or leak a connection."""
        heartbeat = self._get(f"{_API}/heartbeat", headers)
        if heartbeat.status_code in _UNAUTHORISED:
            raise ChromaDown(server=self.server.name, detail=_REFUSED)
        if heartbeat.status_code != httpx.codes.OK:
            raise ChromaDown(server=self.server.name, detail=_NO_CHROMA)
        tenant, database = quote(self.server.tenant, safe=""), quote(self.server.database, safe="")
        answer = self._get(f"{_API}/tenants/{tenant}/databases/{database}", headers)
        if answer.status_code != httpx.codes.OK:
            said = _NO_DATABASE.format(tenant=self.server.tenant, database=self.server.database)
            raise ChromaDown(server=self.server.name, detail=said)

    def _get(self, path: str, headers: dict[str, str]) -> httpx.Response:
        try:
            return httpx.get(self.server.url.strip().rstrip("/") + path, headers=headers, timeout=_BRIEF)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ChromaDown(server=self.server.name, detail=_UNREACHABLE) from error


def release(client: ClientAPI) -> None:
    """Close the connections of a client; callable from any thread."""
    # WORKAROUND: Chroma's client (1.5) leaves its connections to the garbage collector, even after it is
    # closed.
    for session in _http_sessions(client):
        session.close()


def _http_sessions(client: ClientAPI) -> list[httpx.Client]:
    """Return the HTTP sessions of a client, which opens a second one for the tenant and the database."""
    servers = [getattr(each, "_server", None) for each in (client, getattr(client, "_admin_client", None))]
    return [server._session for server in servers if isinstance(server, FastAPI)]  # noqa: SLF001 - there is no other way in


_log = logging.getLogger(__name__)


class ChromaIndex:
    """Nearest-neighbour search in collections that are filled from `rows`. Belongs to one thread.

    A damaged local database is rebuilt and the call repeated; `on_rebuilt` is given the reason.

    Raises:
        ChromaDown: the database is on a server, and the server failed.
    """

    def __init__(
        self,
        place: ChromaLocation,
        rows: VectorRows,
        on_rebuilt: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._place = place
        self._on_rebuilt = on_rebuilt
        self._rows = rows
        self._owner = rows.owner()
        self._client: ClientAPI | None = None
        self._collections: dict[CollectionKey, ChromaCollection] = {}
        self._settled: set[CollectionKey] = set()

    def upsert(self, collection_key: CollectionKey, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Add the vectors of passages."""
        self._mending(collection_key, lambda: self._put(collection_key, vectors))

    def delete(self, collection_key: CollectionKey, passages: Collection[int]) -> None:
        """Delete passages; unknown ids are ignored."""
        self._mending(collection_key, lambda: self._drop(collection_key, passages))

    def clear(self, collection_key: CollectionKey) -> None:
        """Delete all vectors of a collection."""
        self._settled.discard(collection_key)
        self._collections.pop(collection_key, None)
        self._mending(None, lambda: self._remove(collection_key))

    def nearest(self, collection_key: CollectionKey, query: bytes, count: int) -> list[tuple[int, float]]:
        """Return the nearest passages with their cosine similarity, best first."""
        return self._mending(collection_key, lambda: self._nearest(collection_key, query, count))

    def ping(self) -> None:
        """Check that the database responds."""
        self._mending(None, lambda: self._open().heartbeat())

    def close(self) -> None:
        """Close the client, from any thread; a running call fails. The next call reopens it."""
        client, self._client = self._client, None
        if client is not None:
            release(client)

    def is_settled(self, collection_key: CollectionKey) -> bool:
        """Say whether a collection has been compared with SQLite, and not failed since."""
        return collection_key in self._settled

    def remove_leftovers(self, collection_keys: Collection[CollectionKey]) -> None:
        """Delete our collections except these."""
        self._mending(
            None, lambda: self._remove_leftovers({collection_key.name for collection_key in collection_keys})
        )
        self._settled &= set(collection_keys)
        self._collections = {
            collection_key: kept
            for collection_key, kept in self._collections.items()
            if collection_key in collection_keys
        }

    def settle(self, collection_key: CollectionKey) -> Iterator[None]:
        """Synchronise a collection with SQLite; yields after each step to let other work run."""
        if collection_key in self._settled:
            return
        wanted = self._rows.list_held(collection_key.base_id, collection_key.model)
        held = self._mending(None, lambda: self._list_held(collection_key))
        self.delete(collection_key, held - wanted)
        missing = sorted(wanted - held)
        for begin in range(0, len(missing), _BATCH):
            self.upsert(collection_key, self._rows.of(collection_key.model, missing[begin : begin + _BATCH]))
            yield
        self._settled.add(collection_key)

    def _nearest(self, collection_key: CollectionKey, query: bytes, count: int) -> list[tuple[int, float]]:
        found = self._collection(collection_key).query(
            query_embeddings=_matrix([query]), n_results=count, include=["distances"]
        )
        distances = found["distances"] or [[]]
        return [(int(key), 1 - far) for key, far in zip(found["ids"][0], distances[0], strict=True)]

    def _remove(self, collection_key: CollectionKey) -> None:
        with suppress(NotFoundError):
            self._open().delete_collection(collection_key.name)

    def _put(self, collection_key: CollectionKey, vectors: Sequence[tuple[int, bytes]]) -> None:
        for begin in range(0, len(vectors), _BATCH):
            batch = vectors[begin : begin + _BATCH]
            self._collection(collection_key).upsert(
                ids=[str(passage) for passage, _ in batch],
                embeddings=_matrix([vector for _, vector in batch]),
            )

    def _drop(self, collection_key: CollectionKey, passages: Iterable[int]) -> None:
        keys = [str(passage) for passage in passages]
        for begin in range(0, len(keys), _BATCH):
            self._collection(collection_key).delete(ids=keys[begin : begin + _BATCH])

    def _list_held(self, collection_key: CollectionKey) -> set[int]:
        collection = self._collection(collection_key)
        held: set[int] = set()
        while page := collection.get(include=[], limit=_PAGE, offset=len(held))["ids"]:
            held.update(map(int, page))
        return held

    def _remove_leftovers(self, names: Collection[str]) -> None:
        for collection in self._open().list_collections():
            is_ours = self._place.is_own or (collection.metadata or {}).get(_OWNER) == self._owner
            if is_ours and collection.name not in names:
                self._open().delete_collection(collection.name)

    def _collection(self, collection_key: CollectionKey) -> ChromaCollection:
        if collection_key not in self._collections:
            self._collections[collection_key] = self._open().get_or_create_collection(
                collection_key.name,
                embedding_function=None,  # the default one downloads a model
                metadata={_OWNER: self._owner, "model": collection_key.model},
                configuration={"hnsw": {"space": "cosine"}},
            )
        return self._collections[collection_key]

    def _open(self) -> ClientAPI:
        if self._client is None:
            self._client = self._place.open()
        return self._client

    def _mending(self, collection_key: CollectionKey | None, work: Callable[[], _T]) -> _T:
        """Run `work`; if it fails, rebuild the collection, then the whole local database."""
        try:
            return work()
        except _DAMAGE as error:
            _log.warning("Chroma failed: %s", error)
            failure = self._place.failure(error)
            self._settled.discard(collection_key) if collection_key else self._settled.clear()
            self._collections.clear()
            if not self._place.is_own:
                self._take_down(collection_key, error)
                raise failure from error
            if isinstance(failure, StorageFull):  # it is not damaged, and could not be rebuilt
                self.close()
                raise failure from error
            reason = str(failure)
        self.close()
        self._settled.clear()
        self._place.empty()
        if collection_key is not None:
            for _ in self._refill(collection_key):
                pass
        result = work()
        self._on_rebuilt(reason)
        return result

    def _take_down(self, collection_key: CollectionKey | None, error: Exception) -> None:
        """Mark a server's collection with wrong content, so that the next `settle` refills it."""
        if collection_key is not None and isinstance(error, _OTHER_CONTENT) and self._client is not None:
            with suppress(*CHROMA_ERRORS):
                self._client.delete_collection(collection_key.name)
        self.close()

    def _refill(self, collection_key: CollectionKey) -> Iterator[None]:
        passages = sorted(self._rows.list_held(collection_key.base_id, collection_key.model))
        for begin in range(0, len(passages), _BATCH):
            self._put(collection_key, self._rows.of(collection_key.model, passages[begin : begin + _BATCH]))
            yield
        self._settled.add(collection_key)


def _matrix(vectors: Sequence[bytes]) -> NDArray[np.float32 | np.int32]:
    matrix: NDArray[np.float32 | np.int32] = np.frombuffer(b"".join(vectors), np.float32).reshape(
        len(vectors), -1
    )
    return matrix
