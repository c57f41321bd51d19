"""The reader process seen from the worker: started when needed, replaced when a file kills it."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from desktop.errors import CorruptFile
from desktop.knowledge.frames import framed, next_frame
from desktop.knowledge.reader import TIMEOUT_S
from desktop.knowledge.reading import Reading
from desktop.knowledge.wire import PageDone, ReaderReply, ReadFailed, error_of
from desktop.phrases import phrase

_SLOW = phrase("reading it took longer than {seconds} s")
_STOPPED = phrase("it made the reader stop ({status})")


class ReaderProcess:
    """Reads one file at a time."""

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self.timeout_s = timeout_s
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The process that reads now, if there is one."""
        return self._process.pid if self._process is not None else None

    async def read(self, path: Path, report: Callable[[int, int], None]) -> Reading:
        """Return what is in a file; cancelling ends the process in the middle of it.

        Raises:
            KnowledgeError: the file cannot be read, took too long, or killed the reader.
        """
        process = await self._running()
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._converse(process, path, report)
        except TimeoutError as error:
            await self.aclose()
            detail = _SLOW.format(seconds=round(self.timeout_s))
            raise CorruptFile(name=path.name, detail=detail) from error
        except asyncio.CancelledError:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.wait()

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "desktop.knowledge.reader",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        return self._process

    async def _converse(
        self, process: asyncio.subprocess.Process, path: Path, report: Callable[[int, int], None]
    ) -> Reading:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(framed(msgspec.msgpack.encode(str(path))))
        while (payload := await next_frame(process.stdout)) is not None:
            reply: ReaderReply = msgspec.msgpack.decode(payload, type=ReaderReply)
            if isinstance(reply, PageDone):
                report(reply.done, reply.total)
            elif isinstance(reply, ReadFailed):
                raise error_of(reply.error, reply.fields)
            else:
                return reply.reading
        status = await process.wait()
        await self.aclose()
        raise CorruptFile(name=path.name, detail=_STOPPED.format(status=_words(status)))


def _words(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return str(status)
