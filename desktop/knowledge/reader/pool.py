"""The worker's pool of reader processes, which are started on demand and replaced when a file kills one.

Small texts, large texts, scans and renderings have separate processes: a scan takes seconds per page, a large
text up to a minute, and other files should not wait for them; nor should a question that needs a rendered page.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from desktop.domain.addresses import path_text
from desktop.errors import ReadingFailed
from desktop.knowledge.reader.main import SCAN_TIMEOUT_S, TIMEOUT_S
from desktop.knowledge.reader.protocol import (
    DrawFile,
    Drawn,
    LargeFile,
    PageDone,
    ParsedFile,
    ReaderReply,
    ReadFailed,
    ReadFile,
    ReadOk,
    ReadOptions,
    ScanNeeded,
)
from desktop.phrases import translatable
from desktop.text.child_processes import ParserDied, ParserProcess, ProcessPool
from desktop.text.message_codec import decode_msgpack, error_of

TEXTS_AT_ONCE = max(1, min(2, os.cpu_count() or 1))
"""Number of files with text that are read in parallel."""
IDLE_S = 60.0
"""After this time without a scan, the OCR process is ended to free its memory."""

SLICE_S = 2.0
"""A small text that takes longer is moved aside, so that other files wait for it no longer than this."""
LARGE_BYTES = 16 * 2**20
"""Unpacked size above which a file is not read by the processes for small files. Reading this much takes a
second.
"""
_MOST_ASIDE = 3
"""Number of slow texts read at once, each in a process that may use `MAX_MEMORY_BYTES`."""
_MOST_LARGE = _MOST_ASIDE - 1
"""How many of these may be large: one place is reserved for small texts that took longer than `SLICE_S`."""

_SLOW = translatable("reading it took longer than {seconds} s")
_STOPPED = translatable("its reader crashed ({status})")
_TOO_MUCH = translatable("it needs too much memory or is damaged ({status})")
_KILLED = "SIGKILL"
"""Sent by another program, or by a system short of memory that may have chosen the wrong process: the file is
retried.
"""
_NO_MEMORY = frozenset({"SIGABRT", "SIGKILL"})
"""How a process ends if a C++ or Rust parser runs out of memory, or if the system kills it."""

_READER = "desktop.knowledge.reader.main"
_DRAW_TIMEOUT_S = 15.0
"""A short timeout, because a question waits for it."""

_Answer = ReadOk | ReadFailed | ScanNeeded | LargeFile | Drawn


def _stay() -> None:
    """Do nothing when a file is a scan, or slow."""


class ReaderPool:
    """Reads files: a few with text in parallel, and beside them one scan at a time."""

    def __init__(
        self,
        timeout_s: float = TIMEOUT_S,
        idle_s: float = IDLE_S,
        slice_s: float = SLICE_S,
        large_bytes: int = LARGE_BYTES,
    ) -> None:
        self.timeout_s = timeout_s
        self._slice_s = slice_s
        self._large_bytes = large_bytes
        self._idle_s = idle_s
        self._texts = ProcessPool(_READER, TEXTS_AT_ONCE)
        self._aside = ProcessPool(_READER, _MOST_ASIDE)
        self._large = asyncio.Semaphore(_MOST_LARGE)
        self._scans = ProcessPool(_READER)
        self._drawings = ProcessPool(_READER)
        self._woken = asyncio.Event()
        self._rest: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The id of a process that currently reads texts, or None."""
        return next(iter(self._texts.pids), None)

    @property
    def scan_pid(self) -> int | None:
        """The id of the process that currently reads scans, or None."""
        return next(iter(self._scans.pids), None)

    async def read(
        self,
        path: Path,
        report: Callable[[int, int], None],
        options: ReadOptions = ReadOptions(),
        on_scan: Callable[[], None] = _stay,
    ) -> ParsedFile:
        """Return the content of a file; cancelling kills the process.

        Calls may overlap. `on_scan` is called when the file turns out to have pages without a text layer, or to
        be slow: from then on it takes long, and other files can be read meanwhile.

        Raises:
            KnowledgeError: the file cannot be read, took too long, or killed the reader.
        """
        answer = await self._read_text(path, report, options, on_scan)
        if isinstance(answer, ScanNeeded):
            on_scan()
            answer = await self._scan(path, report, options)
        if isinstance(answer, ReadFailed):
            raise error_of(answer.error, answer.fields)
        assert isinstance(answer, ReadOk)  # the process that reads pictures does not refuse scans
        return answer.reading

    async def draw(self, path: Path, page: int | None) -> bytes:
        """Return a page that was read as a picture as a JPEG; empty if the page has a text layer.

        Raises:
            KnowledgeError: it cannot be rendered.
        """
        request = msgspec.msgpack.encode(DrawFile(path_text(path), page))
        async with self._drawings.turn() as child:
            answer = await self._request(child, path, request, lambda _done, _total: None, _DRAW_TIMEOUT_S)
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

    async def _read_text(
        self,
        path: Path,
        report: Callable[[int, int], None],
        options: ReadOptions,
        on_slow: Callable[[], None],
    ) -> _Answer:
        """Read a small text for `slice_s`; move large texts and slow ones to separate processes.

        In both places, shorter files are first. If no separate process is free, a slow text is aborted, and
        read again when one is.
        """
        size = await asyncio.to_thread(_size_of, path)
        answer: _Answer | None = LargeFile()
        if size <= self._large_bytes:
            answer = await self._read_small(path, report, options, on_slow, size)
        if not isinstance(answer, LargeFile):
            return answer or await self._read_aside(path, report, options, size)
        on_slow()
        async with self._large:
            return await self._read_aside(path, report, options, size)

    async def _read_aside(
        self, path: Path, report: Callable[[int, int], None], options: ReadOptions, size: int
    ) -> _Answer:
        """Read a slow text in a process of its own, which ends afterwards."""
        async with self._aside.turn(size) as child:
            try:
                return await self._ask(self._aside, path, _after_first(report), options, child)
            finally:
                await child.aclose()

    async def _read_small(
        self,
        path: Path,
        report: Callable[[int, int], None],
        options: ReadOptions,
        on_slow: Callable[[], None],
        size: int,
    ) -> _Answer | None:
        """Return the result, or None after `slice_s` if no separate process is free to continue."""
        child = await self._texts.take(size)
        has_begun = asyncio.Event()
        heard = _after_first(report, has_begun.set)
        work = asyncio.ensure_future(self._ask(self._texts, path, heard, options, child))
        beginning = asyncio.ensure_future(has_begun.wait())
        place: ParserProcess | None = None
        try:
            await asyncio.wait({work, beginning}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({work}, timeout=self._slice_s)
            if not work.done():
                on_slow()
                if (place := self._aside.take_if_free()) is not None:
                    self._texts.replace(child)
            return await work if work.done() or place is not None else None
        finally:
            work.cancel()
            beginning.cancel()
            try:  # a second cancellation may come during either wait
                await asyncio.wait({work, beginning})
                if place is not None:
                    await child.aclose()
            finally:
                if place is None:
                    self._texts.give_back(child)
                else:
                    self._aside.give_back(place)

    async def _ask(
        self,
        lane: ProcessPool,
        path: Path,
        report: Callable[[int, int], None],
        options: ReadOptions,
        child: ParserProcess | None = None,
    ) -> _Answer:
        """Read a file in a lane when it is its turn, or with a child that was taken already."""
        request = msgspec.msgpack.encode(
            ReadFile(
                path_text(path),
                options,
                reads_pictures=lane is self._scans,
                max_bytes=self._large_bytes if lane is self._texts else None,
            )
        )
        timeout_s = SCAN_TIMEOUT_S if lane is self._scans else self.timeout_s
        if child is not None:
            return await self._request(child, path, request, report, timeout_s)
        async with lane.turn() as free:
            # A scan may take any time as long as its lines keep coming.
            return await self._request(free, path, request, report, timeout_s, in_all=False)

    async def _request(
        self,
        child: ParserProcess,
        path: Path,
        request: bytes,
        report: Callable[[int, int], None],
        timeout_s: float,
        *,
        in_all: bool = True,
    ) -> _Answer:
        """Send a request to a child; give up after `timeout_s` without a reply or, if `in_all`, in total."""

        def take(payload: bytes) -> _Answer | None:
            reply: ReaderReply = decode_msgpack(payload, ReaderReply)
            if isinstance(reply, PageDone):
                report(reply.done, reply.total)
                return None
            return reply

        try:
            async with asyncio.timeout(timeout_s if in_all else None):
                try:
                    return await child.ask(request, take, timeout_s)
                except ParserDied as error:
                    if str(error) != _KILLED:
                        raise
                return await child.ask(request, take, timeout_s)
        except TimeoutError as error:
            detail = _SLOW.format(seconds=round(timeout_s))
            raise ReadingFailed(name=path.name, detail=detail) from error
        except ParserDied as error:
            words = _TOO_MUCH if str(error) in _NO_MEMORY else _STOPPED
            raise ReadingFailed(name=path.name, detail=words.format(status=error)) from error

    async def _wake(self) -> None:
        """Cancel the idle timer, and wait for a process that is being ended."""
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
        """End the processes, even if they are busy."""
        await self._wake()
        await self._texts.aclose()
        await self._aside.aclose()
        await self._scans.aclose()
        await self._drawings.aclose()


def _size_of(path: Path) -> int:
    """Return the size of a file on disk; for a missing file, the reader reports the error."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _after_first(
    report: Callable[[int, int], None], begin: Callable[[], None] | None = None
) -> Callable[[int, int], None]:
    """Return a callback that skips the first report, which only says that the process has started."""
    has_begun = False

    def heard(done: int, total: int) -> None:
        nonlocal has_begun
        if has_begun:
            report(done, total)
        elif begin is not None:
            begin()
        has_begun = True

    return heard
