"""The reader process seen from the worker: started when needed, replaced when a file kills it."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from desktop.errors import CorruptFile
from desktop.knowledge.reader import TIMEOUT_S
from desktop.knowledge.reading import Reading
from desktop.knowledge.wire import PageDone, ReaderReply, ReadFailed, ReadOk, error_of
from desktop.phrases import phrase
from desktop.text.child import Child, ChildDied

_SLOW = phrase("reading it took longer than {seconds} s")
_STOPPED = phrase("it made the reader stop ({status})")


class ReaderProcess:
    """Reads one file at a time."""

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self.timeout_s = timeout_s
        self._child = Child("desktop.knowledge.reader")

    @property
    def pid(self) -> int | None:
        """The process that reads now, if there is one."""
        return self._child.pid

    async def read(self, path: Path, report: Callable[[int, int], None]) -> Reading:
        """Return what is in a file; cancelling ends the process in the middle of it.

        Raises:
            KnowledgeError: the file cannot be read, took too long, or killed the reader.
        """

        def take(payload: bytes) -> ReadOk | ReadFailed | None:
            reply: ReaderReply = msgspec.msgpack.decode(payload, type=ReaderReply)
            if isinstance(reply, PageDone):
                report(reply.done, reply.total)
                return None
            return reply

        try:
            reply: ReadOk | ReadFailed = await self._child.ask(
                msgspec.msgpack.encode(str(path)), take, self.timeout_s
            )
        except TimeoutError as error:
            detail = _SLOW.format(seconds=round(self.timeout_s))
            raise CorruptFile(name=path.name, detail=detail) from error
        except ChildDied as error:
            raise CorruptFile(name=path.name, detail=_STOPPED.format(status=error)) from error
        if isinstance(reply, ReadFailed):
            raise error_of(reply.error, reply.fields)
        return reply.reading

    async def aclose(self) -> None:
        """End the process, whatever it does."""
        await self._child.aclose()
