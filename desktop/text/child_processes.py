"""Child processes, as their parent sees them: parsers that may hang, fill the memory or crash, and programs that install something.

A parser process starts when it is first needed, serves one request after another, and is replaced if a request ends
it. It runs a module that calls `desktop.text.child_server.serve`.
"""

import asyncio
import heapq
import itertools
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from desktop.installation import module_command, own_environment
from desktop.text.child_server import encode_frame, next_frame

_T = TypeVar("_T")


class ParserDied(Exception):
    """The process ended during a request; `str()` is the signal or the status."""


class ParserProcess:
    """One process. It takes one request at a time, which the caller must ensure."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: asyncio.subprocess.Process | None = None
        self._reading = asyncio.Lock()
        """Only one task may read what the process writes."""

    @property
    def pid(self) -> int | None:
        """The id of the running process, or None."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the process ahead of its first use."""
        await self._running()

    async def ask(self, payload: bytes, take: Callable[[bytes], _T | None], timeout_s: float) -> _T:
        """Send a request and pass every response to `take` until that returns a value.

        Any early end also kills the process, because its state is unknown.

        Raises:
            ParserDied: the request ended the process.
            TimeoutError: there was no response for longer than `timeout_s`.
        """
        is_answered = False
        try:
            async with asyncio.timeout(timeout_s) as limit:

                def heard(reply: bytes) -> _T | None:
                    limit.reschedule(asyncio.get_running_loop().time() + timeout_s)
                    return take(reply)

                answer = await self._converse(await self._running(), payload, heard)
            is_answered = True
            return answer
        finally:
            if not is_answered:
                await self.aclose()

    async def aclose(self) -> None:
        """Kill the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        async with self._reading:  # a request that was running reads to the end first
            await process.communicate()  # wait() alone leaves the pipe open while it holds unread bytes

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *module_command(self._module),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=own_environment(),
            )
        return self._process

    async def _converse(
        self, process: asyncio.subprocess.Process, payload: bytes, take: Callable[[bytes], _T | None]
    ) -> _T:
        assert process.stdin is not None
        assert process.stdout is not None
        async with self._reading:
            process.stdin.write(encode_frame(payload))
            while (reply := await next_frame(process.stdout)) is not None:
                if (answer := take(reply)) is not None:
                    return answer
        raise ParserDied(_words(await process.wait()))


class ProcessPool:
    """Identical processes with a queue, in which the smallest request is next."""

    def __init__(self, module: str, width: int = 1) -> None:
        self._module = module
        self._children = [ParserProcess(module) for _ in range(width)]
        self._free = self._children[::-1]
        self._waiting: list[tuple[int, int, asyncio.Future[ParserProcess]]] = []
        self._order = itertools.count()

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the running processes."""
        return tuple(child.pid for child in self._children if child.pid is not None)

    @asynccontextmanager
    async def turn(self, size: int = 0) -> AsyncGenerator[ParserProcess]:
        """Provide an idle process for the duration of the block.

        It is the one that was used last: a second process is only started if the first is busy.
        """
        child = await self.take(size)
        try:
            yield child
        finally:
            self.give_back(child)

    def take_if_free(self) -> ParserProcess | None:
        """Return an idle process, or None; return it with `give_back` or `replace`."""
        return self._free.pop() if self._free else None

    async def take(self, size: int = 0) -> ParserProcess:
        """Wait for an idle process; return it with `give_back` or `replace`."""
        if (child := self.take_if_free()) is not None:
            return child
        given: asyncio.Future[ParserProcess] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (size, next(self._order), given))
        try:
            return await given
        except asyncio.CancelledError:
            if given.done() and not given.cancelled():  # both at the same time
                self.give_back(given.result())
            raise

    def give_back(self, child: ParserProcess) -> None:
        """Return a process to the pool."""
        while self._waiting:
            _, _, given = heapq.heappop(self._waiting)
            if not given.done():
                given.set_result(child)
                return
        self._free.append(child)

    def replace(self, child: ParserProcess) -> None:
        """Leave a taken process to the caller, and start another one in its place."""
        self._children[self._children.index(child)] = fresh = ParserProcess(self._module)
        self.give_back(fresh)

    async def end_idle(self) -> None:
        """End the idle processes."""
        for child in self._free:
            await child.aclose()

    async def aclose(self) -> None:
        """End the processes, even if they are busy; requests that wait for one are cancelled."""
        for _, _, given in self._waiting:
            given.cancel()
        for child in self._children:
            await child.aclose()


def _words(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return str(status)


_NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0
_ENDING_S = 3.0
_CHUNK_BYTES = 64 * 1024


@asynccontextmanager
async def running_installer(*command: str, environment: Mapping[str, str]) -> AsyncIterator[Process]:
    """Run a program while the block lasts; it and its children have ended afterwards. Raises OSErrors."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        env=environment,
        start_new_session=True,
        creationflags=_NO_WINDOW,
    )
    try:
        yield process
    finally:
        _signal(process, signal.SIGTERM)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_ENDING_S):
                    await process.communicate()
        finally:  # also if it is cancelled once more
            _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
            await process.communicate()


async def read_output(process: Process, tick_s: float | None = None) -> AsyncGenerator[list[str], None]:
    """Yield the new lines of a program until it ends; with `tick_s` also when there were none for so long."""
    assert process.stdout is not None
    rest = b""
    while True:
        try:
            async with asyncio.timeout(tick_s):
                chunk = await process.stdout.read(_CHUNK_BYTES)
        except TimeoutError:
            yield []
            continue
        *lines, rest = re.split(rb"[\r\n]+", rest + chunk)
        if not chunk:
            lines.append(rest)
        yield [line.decode("utf-8", "replace") for line in lines]
        if not chunk:
            return


def _signal(process: Process, number: signal.Signals) -> None:
    if process.returncode is not None:
        return  # the process id may have been reused
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()  # its children end when the connection breaks
        else:
            os.killpg(process.pid, number)
