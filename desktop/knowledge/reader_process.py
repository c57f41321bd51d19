"""The reader processes seen from the worker: started when needed, replaced when a file kills one.

Texts, scans and drawings have their own: a scan takes seconds a page, and the files behind it are not to
wait for that; nor is a question that wants to see a page to wait for either.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from desktop.domain.paths import path_text
from desktop.errors import ReadingFailed
from desktop.knowledge.error_wire import error_of
from desktop.knowledge.reader import SCAN_TIMEOUT_S, TIMEOUT_S
from desktop.knowledge.reader_wire import (
    DrawFile,
    Drawn,
    PageDone,
    ReaderReply,
    ReadFailed,
    ReadFile,
    ReadOk,
    ScanNeeded,
)
from desktop.knowledge.reading import Reading, ReadOptions
from desktop.phrases import phrase
from desktop.text.child import Child, ChildDied

TEXTS_AT_ONCE = max(1, min(2, os.cpu_count() or 1))
"""So many files with a text are read side by side."""
IDLE_S = 60.0
"""After so long without a scan the models that read pictures give their memory back."""

_SLOW = phrase("reading it took longer than {seconds} s")
_STOPPED = phrase("the program that reads it crashed ({status})")
_TOO_MUCH = phrase("it takes more memory than a file may, or is damaged ({status})")
_KILLED = "SIGKILL"
"""By somebody else, or by a system short of memory that need not have chosen the right one: it is tried again."""
_NO_MEMORY = frozenset({"SIGABRT", "SIGKILL"})
"""How a process ends whose parser is written in C++ or Rust and is given no more memory, or which the system ends."""

_DRAW_TIMEOUT_S = 15.0
"""A question waits for it."""

_Answer = ReadOk | ReadFailed | ScanNeeded | Drawn


def _stay() -> None:
    """Do nothing when a file turns out to be a scan."""


class ReaderProcess:
    """Reads files, a few with a text side by side and beside them scans one by one."""

    def __init__(self, timeout_s: float = TIMEOUT_S, idle_s: float = IDLE_S) -> None:
        self.timeout_s = timeout_s
        self._idle_s = idle_s
        self._texts = _Lane(TEXTS_AT_ONCE)
        self._scans = _Lane()
        self._drawings = _Lane()
        self._woken = asyncio.Event()
        self._rest: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """A process that reads texts now, if there is one."""
        return self._texts.pid

    @property
    def scan_pid(self) -> int | None:
        """The process that reads scans now, if there is one."""
        return self._scans.pid

    async def read(
        self,
        path: Path,
        report: Callable[[int, int], None],
        options: ReadOptions = ReadOptions(),  # noqa: B008 - frozen
        on_scan: Callable[[], None] = _stay,
    ) -> Reading:
        """Return what is in a file; cancelling ends the process in the middle of it.

        Calls may overlap. `on_scan` hears it once when the file turns out to have pages without a text
        layer: from then on it takes long, and other files can be read meanwhile.

        Raises:
            KnowledgeError: the file cannot be read, took too long, or killed the reader.
        """
        answer = await self._ask(self._texts, path, report, options)
        if isinstance(answer, ScanNeeded):
            on_scan()
            answer = await self._scan(path, report, options)
        if isinstance(answer, ReadFailed):
            raise error_of(answer.error, answer.fields)
        assert isinstance(answer, ReadOk)  # who reads pictures has no reason to send them elsewhere
        return answer.reading

    async def draw(self, path: Path, page: int | None) -> bytes:
        """Return a page that was read as a picture as a JPEG; empty where it has a text of its own.

        Raises:
            KnowledgeError: it cannot be drawn.
        """
        request = msgspec.msgpack.encode(DrawFile(path_text(path), page))
        answer = await self._request(
            self._drawings, path, request, lambda _done, _total: None, _DRAW_TIMEOUT_S
        )
        if isinstance(answer, ReadFailed):
            raise error_of(answer.error, answer.fields)
        assert isinstance(answer, Drawn)
        return answer.jpeg

    async def _scan(self, path: Path, report: Callable[[int, int], None], options: ReadOptions) -> _Answer:
        await self._wake()
        try:
            return await self._ask(self._scans, path, report, options)
        finally:
            await self._wake()
            self._woken.clear()
            self._rest = asyncio.create_task(self._end_when_idle())

    async def _ask(
        self, lane: "_Lane", path: Path, report: Callable[[int, int], None], options: ReadOptions
    ) -> _Answer:
        request = msgspec.msgpack.encode(
            ReadFile(path_text(path), options, reads_pictures=lane is self._scans)
        )
        timeout_s = SCAN_TIMEOUT_S if lane is self._scans else self.timeout_s
        return await self._request(lane, path, request, report, timeout_s)

    async def _request(
        self, lane: "_Lane", path: Path, request: bytes, report: Callable[[int, int], None], timeout_s: float
    ) -> _Answer:
        def take(payload: bytes) -> _Answer | None:
            reply: ReaderReply = msgspec.msgpack.decode(payload, type=ReaderReply)
            if isinstance(reply, PageDone):
                report(reply.done, reply.total)
                return None
            return reply

        try:
            async with lane.turn() as child, asyncio.timeout(None if lane is self._scans else timeout_s):
                try:
                    return await child.ask(request, take, timeout_s)
                except ChildDied as error:
                    if str(error) != _KILLED:
                        raise
                return await child.ask(request, take, timeout_s)
        except TimeoutError as error:
            detail = _SLOW.format(seconds=round(timeout_s))
            raise ReadingFailed(name=path.name, detail=detail) from error
        except ChildDied as error:
            words = _TOO_MUCH if str(error) in _NO_MEMORY else _STOPPED
            raise ReadingFailed(name=path.name, detail=words.format(status=error)) from error

    async def _wake(self) -> None:
        """End the wait for idleness; a process that is being ended is waited for."""
        self._woken.set()
        rest, self._rest = self._rest, None
        if rest is not None:
            await rest

    async def _end_when_idle(self) -> None:
        try:
            async with asyncio.timeout(self._idle_s):
                await self._woken.wait()
        except TimeoutError:
            await self._scans.end_idle()

    async def aclose(self) -> None:
        """End the processes, whatever they do."""
        await self._wake()
        await self._texts.aclose()
        await self._scans.aclose()
        await self._drawings.aclose()


class _Lane:
    """Processes that do the same, and whose turn it is."""

    def __init__(self, width: int = 1) -> None:
        self._children = [Child("desktop.knowledge.reader") for _ in range(width)]
        self._free = self._children[::-1]
        self._turns = asyncio.Semaphore(width)

    @property
    def pid(self) -> int | None:
        """The first process that is there, if there is one."""
        return next((child.pid for child in self._children if child.pid is not None), None)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[Child]:
        """Give a process that has nothing to do, for as long as the block lasts.

        It is the one that was in use last: a second one is not started as long as the first can do it all.
        """
        async with self._turns:
            child = self._free.pop()
            try:
                yield child
            finally:
                self._free.append(child)

    async def end_idle(self) -> None:
        """End the processes that have nothing to do."""
        for child in self._free:
            await child.aclose()

    async def aclose(self) -> None:
        """End the processes, whatever they do."""
        for child in self._children:
            await child.aclose()
