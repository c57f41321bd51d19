"""The history store: full-text search over all conversations, and search by meaning.

    conversations ─ log of changes ─▶ HistoryIndex (a thread) ─▶ history.db ─▶ HistoryReader (another one)

A search indexes recent changes first, so that the latest messages are found. Embeddings of messages are vectors beside
the terms, compared one by one with that of a query.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from desktop.domain.history import HistoryPage, HistoryQuery, Hit, PastAnswer
from desktop.errors import DatabaseDamaged, StorageError, UnknownConversation
from desktop.sqlite import transaction, translate_errors, translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.history_index import (
    FILE_NAME,
    TEXT,
    HistoryIndex,
    HistoryReader,
    IndexPosition,
    delete_index,
    excerpt_of,
    hit_of,
    is_right,
    key_of,
)
from desktop.storage.message_tree import past_answer
from desktop.text.sentences import split_sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# ruff: noqa: S608 - statements are put together from constants, never from data

PIECE_CHARS: Final = 700
MOST_PIECES: Final = 4
MOST_HITS: Final = 30
LEAST_COSINE: Final = 0.75
"""Minimum cosine, for the built-in model.

Below it two texts have nothing in common; above it they may have little.
"""

_AT_ONCE: Final = 8_192
_CANDIDATES: Final = 300

_UNEMBEDDED = f"""SELECT entries.key, {TEXT} FROM entries
    JOIN truth.messages AS m ON m.position = entries.position
    WHERE NOT entries.is_embedded ORDER BY entries.key DESC LIMIT ?"""
_MESSAGE = f"""SELECT m.id, m.conversation_id, m.speaker, m.model, {TEXT}, m.created_at, c.title, c.assistant, c.is_archived
    FROM entries
    JOIN truth.messages AS m ON m.position = entries.position
    JOIN truth.conversations AS c ON c.id = m.conversation_id
    WHERE entries.key = ? AND c.deleted_at IS NULL AND m.deleted_at IS NULL"""


@dataclass(frozen=True)
class Unembedded:
    """A message without embeddings: its pieces, none if it has no text."""

    key: int
    pieces: tuple[str, ...]


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the pieces of a message to embed: whole sentences up to a maximum length."""
    pieces: list[str] = []
    start = end = 0
    for sentence in split_sentences(text[: PIECE_CHARS * (MOST_PIECES + 1)]):
        if end > start and sentence.end - start > PIECE_CHARS:
            pieces.append(text[start:end].strip())
            start = end
        end = sentence.end
    pieces.append(text[start:end].strip())
    return tuple(piece for piece in pieces if piece)[:MOST_PIECES]


def list_unembedded(db: sqlite3.Connection, count: int) -> list[Unembedded]:
    """Return the newest messages without embeddings."""
    return [Unembedded(key, pieces_of(text)) for key, text in db.execute(_UNEMBEDDED, (count,))]


def put_embeddings(db: sqlite3.Connection, vectors: Mapping[int, Sequence[bytes]]) -> None:
    """Store the float32 vectors of messages by their keys; messages deleted meanwhile are skipped."""
    with transaction(db):
        for key, several in vectors.items():
            _put_one(db, key, several)


def _put_one(db: sqlite3.Connection, key: int, vectors: Sequence[bytes]) -> None:
    known = db.execute("UPDATE entries SET is_embedded = 1 WHERE key = ?", (key,)).rowcount
    rows = [(key, number, _as_bytes(vector)) for number, vector in enumerate(vectors)]
    db.executemany("INSERT OR REPLACE INTO meanings VALUES (?, ?, ?)", rows if known else [])


def _measure_embedded(db: sqlite3.Connection) -> float:
    """Return the share of messages with embeddings, from 0 to 1."""
    total, left = db.execute("SELECT count(*), count(*) - sum(is_embedded) FROM entries").fetchone()
    return 1.0 if not total else 1 - left / total


def most_similar(db: sqlite3.Connection, query: HistoryQuery, asked: bytes) -> HistoryPage:
    """Return the messages whose meaning is closest to a vector, closest first."""
    hits: list[Hit] = []
    seen: set[int] = set()
    for key, piece in _nearest(db, asked):
        row = None if key in seen else db.execute(_MESSAGE, (key,)).fetchone()
        seen.add(key)
        if row is None or not _is_wanted(key, row, query) or not is_right(db, row[0]):
            continue
        shown = pieces_of(row[4])
        hits.append(hit_of(row, excerpt_of(shown[min(piece, len(shown) - 1)] if shown else row[4], None)))
        if len(hits) == MOST_HITS:
            break
    return HistoryPage(tuple(hits), None, _measure_embedded(db))


def _is_wanted(key: int, row: Sequence[object], query: HistoryQuery) -> bool:
    return (
        query.speaker in (None, row[2])
        and query.assistant in (None, row[7])
        and (query.since is None or key >= key_of(query.since))
        and (query.until is None or key < key_of(query.until))
    )


def _nearest(db: sqlite3.Connection, asked: bytes) -> list[tuple[int, int]]:
    """Return keys and pieces, closest first."""
    import numpy as np  # noqa: PLC0415 - no start waits for it

    question = np.frombuffer(asked, np.float32)
    best: list[tuple[float, int, int]] = []
    rows = db.execute("SELECT key, piece, vector FROM meanings")
    while batch := rows.fetchmany(_AT_ONCE):
        cosines = _cosines(b"".join(row[2] for row in batch), question)
        places = np.argsort(cosines)[::-1][:_CANDIDATES]
        near = [
            (float(cosines[place]), *batch[place][:2]) for place in places if cosines[place] >= LEAST_COSINE
        ]
        best = sorted([*best, *near], reverse=True)[:_CANDIDATES]
    return [(key, piece) for _, key, piece in best]


def _cosines(vectors: bytes, question: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np  # noqa: PLC0415 - no start waits for it

    rows = np.frombuffer(vectors, np.int8).reshape(-1, len(question)).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(question)
    cosines: NDArray[np.float32] = rows @ question / np.maximum(lengths, 1e-9)
    return cosines


def _as_bytes(vector: bytes) -> bytes:
    import numpy as np  # noqa: PLC0415 - no start waits for it

    numbers = np.frombuffer(vector, np.float32)
    return np.round(numbers * (127 / max(float(np.abs(numbers).max()), 1e-9))).astype(np.int8).tobytes()


AT_ONCE: Final = 200
"""How many messages are indexed in one step; the program can be closed between steps."""
MOST_STEPS: Final = 5
"""The maximum number of steps a search waits for; thousands of imported messages are found a little later."""
LOOK_S: Final = 5.0
"""How often to check for changes while there is no search, in seconds."""
BREATH: Final = 0.5
"""Maximum share of the time used to index old messages; the rest is for requests of the user."""

_T = TypeVar("_T")

_log = logging.getLogger(__name__)


class HistoryStore:
    """Searches and maintains the index of a database. Methods raise `StorageError`s. Belongs to the asyncio thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._opening = asyncio.Lock()
        self._stepping = asyncio.Lock()
        self._writing: _ThreadBound[HistoryIndex] | None = None
        self._reading: _ThreadBound[HistoryReader] | None = None
        self._has_searched = False

    async def search(self, query: HistoryQuery, rest: int | None = None) -> HistoryPage:
        """Return a page of results."""
        try:
            return await self._page(query, rest)
        except DatabaseDamaged:
            await self._begin_anew()
            return await self._page(query, None)

    async def _page(self, query: HistoryQuery, rest: int | None) -> HistoryPage:
        writing, reading = await self._connections()
        if rest is None:
            for _ in range(MOST_STEPS):
                if not await self._follow(writing):
                    break
        self._has_searched = True
        return await reading.do(lambda reader: reader.page(query, rest))

    async def list_all(self) -> None:
        """Index all messages that are not indexed yet, then return.

        Raises:
            StorageError: the disk fails.
        """
        writing, _ = await self._connections()
        while (
            await self._follow(writing)
            or await self._go_back(writing)
            or await writing.do(HistoryIndex.remove_leftovers)
        ):
            pass

    async def keep_up(self) -> AsyncGenerator[float, None]:
        """Keep the index up to date, yielding the indexed share; never ends by itself.

        Disk errors are retried.
        """
        was_busy = True  # opening the index has read all of it, for the check
        while True:
            try:
                writing, reading = await self._connections()
                is_more = (
                    await self._follow(writing)
                    or await self._go_back(writing)
                    or await writing.do(HistoryIndex.remove_leftovers)
                )
                if not is_more and was_busy:
                    await writing.do(HistoryIndex.release)
                was_busy = is_more
                if self._has_searched:
                    self._has_searched = False
                    await reading.do(HistoryReader.release)
                yield await writing.do(lambda index: index.reach)
            except DatabaseDamaged as error:
                _log.warning("The index of the history is made anew: %s", error)
                await self._begin_anew()
                is_more = True
            except StorageError as error:  # a search reports it; the disk may have space later
                _log.warning("The history cannot be listed now: %s", error)
                is_more = False
            if not is_more:
                await asyncio.sleep(LOOK_S)

    async def list_unembedded(self, count: int) -> list[Unembedded]:
        """Return the newest messages without embeddings."""
        writing, _ = await self._connections()
        return await writing.do(lambda index: list_unembedded(index.connection, count))

    async def put_meanings(self, vectors: Mapping[int, Sequence[bytes]]) -> None:
        """Store embeddings of messages, by the keys from `unembedded`."""
        writing, _ = await self._connections()
        await writing.do(lambda index: put_embeddings(index.connection, vectors))

    async def find_similar(self, query: HistoryQuery, asked: bytes) -> HistoryPage:
        """Return the messages whose meaning is closest to a vector; `reach` is the share with embeddings."""
        _, reading = await self._connections()
        self._has_searched = True
        return await reading.do(lambda reader: most_similar(reader.connection, query, asked))

    async def answer(self, message_id: str) -> PastAnswer:
        """Return an answer to refer to in a question.

        Raises:
            UnknownConversation: it no longer exists.
        """
        with translate_read_errors(self._database.path):
            answer = await self._database.read(partial(past_answer, message_id))
        if answer is None:
            raise UnknownConversation
        return answer

    async def aclose(self) -> None:
        """Close the files."""
        async with self._opening:
            connections = [holder for holder in (self._reading, self._writing) if holder is not None]
            self._reading = self._writing = None
            for holder in connections:
                await holder.close()

    async def erase_deleted(self) -> None:
        """Remove all text of deleted messages from the index. Takes as long as copying it."""
        writing, _ = await self._connections()
        while await self._follow(writing):
            pass
        await writing.do(HistoryIndex.erase_deleted)

    async def _begin_anew(self) -> None:
        """Discard a damaged index; the next use creates another."""
        await self.aclose()
        path = self._database.path.with_name(FILE_NAME)
        with translate_errors(path):
            await asyncio.to_thread(delete_index, path)

    async def _follow(self, writing: "_ThreadBound[HistoryIndex]") -> bool:
        """Index one step of changes; return whether there may be more."""
        async with self._stepping:
            followed = await writing.do(lambda index: index.follow(AT_ONCE))
            if followed is None:
                return False
            await self._database.write(partial(_take_off, followed), is_derived=True)
            return True

    async def _go_back(self, writing: "_ThreadBound[HistoryIndex]") -> bool:
        clock = asyncio.get_running_loop().time
        began = clock()
        async with self._stepping:
            is_more = await writing.do(lambda index: index.go_back(AT_ONCE))
        await asyncio.sleep((clock() - began) * BREATH)
        return is_more

    async def _connections(self) -> "tuple[_ThreadBound[HistoryIndex], _ThreadBound[HistoryReader]]":
        if self._writing is not None and self._reading is not None:
            return self._writing, self._reading
        # Shielded: the thread of a search that is cancelled still makes the index, and the next one must not make
        # it as well.
        return await asyncio.shield(asyncio.create_task(self._open()))

    async def _open(self) -> "tuple[_ThreadBound[HistoryIndex], _ThreadBound[HistoryReader]]":
        async with self._opening:
            if self._writing is None or self._reading is None:
                await self._database.open()
                path = self._database.path
                writing = await _ThreadBound.open_bound("history-index", path, HistoryIndex)
                try:
                    reading = await _ThreadBound.open_bound("history-search", path, HistoryReader)
                except BaseException:
                    await writing.close()
                    raise
                self._writing, self._reading = writing, reading
            return self._writing, self._reading


class _Closeable(Protocol):
    def close(self) -> None: ...


_C = TypeVar("_C", bound=_Closeable)


class _ThreadBound(Generic[_C]):
    """An object that belongs to one thread, and that thread."""

    def __init__(self, thread: ThreadPoolExecutor, owner: _C, path: Path) -> None:
        self._thread = thread
        self._owner = owner
        self._path = path

    @classmethod
    async def open_bound(cls, name: str, path: Path, make: Callable[[Path], _C]) -> "_ThreadBound[_C]":
        """Let `make` open the files that belong to the conversations at `path`."""
        thread = ThreadPoolExecutor(1, name)
        try:
            owner = await _in(thread, path, lambda: make(path))
        except BaseException:
            thread.shutdown(wait=False)
            raise
        return cls(thread, owner, path)

    async def do(self, work: Callable[[_C], _T]) -> _T:
        """Run `work` in the thread of the object."""
        return await _in(self._thread, self._path, lambda: work(self._owner))

    async def close(self) -> None:
        """Finish running work and close the files."""
        await self.do(lambda owner: owner.close())
        self._thread.shutdown()


async def _in(thread: ThreadPoolExecutor, path: Path, work: Callable[[], _T]) -> _T:
    def translating() -> _T:
        with translate_errors(path.with_name(FILE_NAME)):
            return work()

    # Shielded: a connection is not closed while it is in use.
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(thread, translating))


def _take_off(followed: IndexPosition, connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM history_due WHERE turn <= ?", (followed.turn,))
    connection.execute("UPDATE history_stamp SET stamp = ?", (followed.stamp,))
