"""The history store: full-text search over all conversations.

    conversations ─ log of changes ─▶ HistoryIndex (a thread) ─▶ history.db ─▶ HistoryReader (another one)

A search indexes recent changes first, so that the latest messages are found.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from desktop.domain.history import HistoryPage, HistoryQuery, PastAnswer
from desktop.errors import DatabaseDamaged, StorageError, UnknownConversation
from desktop.sqlite import translate_errors, translate_read_errors
from desktop.storage import history_embeddings as history_meanings
from desktop.storage.db.database import Database
from desktop.storage.history_embeddings import Unembedded
from desktop.storage.history_index import FILE_NAME, HistoryIndex, HistoryReader, IndexPosition, throw_away
from desktop.storage.message_tree import past_answer

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
        was_busy = False
        while True:
            try:
                writing, _ = await self._connections()
                is_more = (
                    await self._follow(writing)
                    or await self._go_back(writing)
                    or await writing.do(HistoryIndex.remove_leftovers)
                )
                if not is_more and was_busy:
                    await writing.do(HistoryIndex.release)
                was_busy = is_more
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

    async def unembedded(self, count: int) -> list[Unembedded]:
        """Return the newest messages without embeddings."""
        writing, _ = await self._connections()
        return await writing.do(lambda index: history_meanings.list_unembedded(index.connection, count))

    async def put_meanings(self, vectors: Mapping[int, Sequence[bytes]]) -> None:
        """Store embeddings of messages, by the keys from `unembedded`."""
        writing, _ = await self._connections()
        await writing.do(lambda index: history_meanings.put(index.connection, vectors))

    async def alike(self, query: HistoryQuery, asked: bytes) -> HistoryPage:
        """Return the messages whose meaning is closest to a vector; `reach` is the share with embeddings."""
        _, reading = await self._connections()
        return await reading.do(lambda reader: history_meanings.most_similar(reader.connection, query, asked))

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
            await asyncio.to_thread(throw_away, path)

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
                writing = await _ThreadBound.opened("history-index", path, HistoryIndex)
                try:
                    reading = await _ThreadBound.opened("history-search", path, HistoryReader)
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
    async def opened(cls, name: str, path: Path, make: Callable[[Path], _C]) -> "_ThreadBound[_C]":
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
