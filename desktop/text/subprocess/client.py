"""The parent's side of a process for parsers that may hang, fill the memory or crash.

It starts when it is first needed, serves one request after another, and is replaced if a request ends it. It
runs a module that calls `desktop.text.subprocess.server.serve`.
"""

import asyncio
import signal
from collections.abc import Callable
from typing import TypeVar

from desktop.installation import module_command, own_environment
from desktop.text.subprocess.server import encode_frame, next_frame

_T = TypeVar("_T")


class ParserDied(Exception):
    """The process ended during a request; `str()` is the signal or the status."""


class ParserProcess:
    """One process. It takes one request at a time, which the caller must ensure."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: asyncio.subprocess.Process | None = None

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
        process.stdin.write(encode_frame(payload))
        while (reply := await next_frame(process.stdout)) is not None:
            if (answer := take(reply)) is not None:
                return answer
        raise ParserDied(_words(await process.wait()))


def _words(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return str(status)
