"""Transport for Footnote as a server: JSON-RPC, one message per line, over this process's stdin and stdout.

The SDK has such a transport. This one also limits the length of a line, answers lines that are not JSON-RPC,
stops reading from a client that does not read its answers, and can be stopped while it waits for input.
"""

import asyncio
import os
import queue
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

MAX_LINE_BYTES: Final = 1024 * 1024
"""Maximum length of a message; the longest text that a tool takes fits in."""
MOST_OPEN: Final = 512
"""How many requests may be without an answer before no more input is read."""
_PIECE_BYTES = 65_536
_EDGE_BYTES = 400
_ID = rb'"id"\s*:\s*(-?\d{1,15}|"[^"\\]{1,100}")'
_ID_BEFORE = re.compile(rb"\A[^\[]{0,200}?" + _ID)
_ID_BEHIND = re.compile(_ID + rb'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*\Z')
_TOO_LONG = f"A message may have {MAX_LINE_BYTES} bytes at most; this one was not read."
_NOT_JSON = "This line is not a JSON-RPC message."


@dataclass(frozen=True)
class _LongLine:
    """A line that was too long to be kept; `id` is that of its request, if it stands at one of its ends."""

    id: str | int | None


@asynccontextmanager
async def stdio_server_transport() -> AsyncIterator[TransportStreams]:
    """Provide the message streams of this process's stdin and stdout.

    Meanwhile file descriptor 1 is stderr, so that nothing that a library or a child process prints reaches the
    client, and descriptor 0 is empty.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage]()
    client = _Client(reading, writing)
    tasks = (
        asyncio.create_task(client.receive(to_server, outgoing.clone())),
        asyncio.create_task(client.send(to_client)),
    )
    try:
        yield incoming, outgoing
    finally:
        incoming.close()
        outgoing.close()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        # The threads may still use the duplicates, so only the process's end closes them.
        os.dup2(reading, 0)
        os.dup2(writing, 1)


class _Client:
    """The client at the other end.

    Its threads are daemons: one that is blocked by the client does not keep the process.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._open: set[str | int] = set()
        """Requests without an answer."""
        self._has_closed = asyncio.Event()

    async def receive(
        self,
        to_server: "MemoryObjectSendStream[SessionMessage | Exception]",
        answers: "MemoryObjectSendStream[SessionMessage]",
    ) -> None:
        """Pass on the client's messages until its end closes."""
        loop = asyncio.get_running_loop()
        lines, incoming = anyio.create_memory_object_stream[bytes | _LongLine | None]()

        def put(line: bytes | _LongLine | None) -> None:
            asyncio.run_coroutine_threadsafe(lines.send(line), loop).result()

        threading.Thread(target=self._read, args=(put,), name="mcp-stdin", daemon=True).start()
        async with to_server, answers, incoming:
            async for line in incoming:
                if line is None:
                    return
                message = _parse(line)
                if isinstance(message, JSONRPCError):
                    await answers.send(SessionMessage(message))
                    continue
                await self._note_received(message)
                await to_server.send(SessionMessage(message))

    async def _note_received(self, message: JSONRPCMessage) -> None:
        """Wait while too many requests are open."""
        if isinstance(message, JSONRPCRequest):
            while len(self._open) >= MOST_OPEN:
                self._has_closed.clear()
                await self._has_closed.wait()
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._close((message.params or {}).get("requestId"))  # it gets no answer

    def _close(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._open.discard(request_id)
            self._has_closed.set()

    async def send(self, to_client: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        """Send our messages; those behind a closed pipe are dropped."""
        loop = asyncio.get_running_loop()
        waiting: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self._write, args=(waiting, loop), name="mcp-stdout", daemon=True).start()
        async with to_client:
            async for message in to_client:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                written: asyncio.Future[None] = loop.create_future()
                waiting.put((f"{text}\n".encode(), written))
                await written
                if isinstance(message.message, JSONRPCResponse | JSONRPCError):
                    self._close(message.message.id)

    def _read(self, put: "Callable[[bytes | _LongLine | None], None]") -> None:
        try:
            for line in _read_lines(self._reading):
                put(line)
            put(None)
        except (RuntimeError, CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the transport or the loop has ended

    def _write(
        self,
        waiting: "queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]]",
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        while True:
            data, written = waiting.get()
            with suppress(OSError):  # the client is gone; the end of its input says so too
                while data:
                    data = data[os.write(self._writing, data) :]
            try:
                loop.call_soon_threadsafe(_finish_write, written)
            except RuntimeError:
                return  # the loop has ended


def _parse(line: bytes | _LongLine) -> JSONRPCMessage:
    """Return the message in a line, or the error to answer with."""
    if isinstance(line, _LongLine):
        error = ErrorData(code=INVALID_REQUEST, message=_TOO_LONG)
        return JSONRPCError(jsonrpc="2.0", id=line.id, error=error)
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        error = ErrorData(code=PARSE_ERROR, message=_NOT_JSON)
        request_id = _request_id(line[:_EDGE_BYTES], line[-_EDGE_BYTES:])
        return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)


def _read_lines(descriptor: int) -> Iterator[bytes | _LongLine]:
    """Yield the lines that are not blank; one that is too long is never kept whole."""
    line, tail, is_long = bytearray(), b"", False
    while piece := _read_piece(descriptor):
        *ended, rest = piece.split(b"\n")
        for part in ended:
            line += part if not is_long else b""
            tail = (tail + part)[-_EDGE_BYTES:]
            if is_long or len(line) > MAX_LINE_BYTES:
                yield _LongLine(_request_id(bytes(line[:_EDGE_BYTES]), tail))
            elif line.strip():
                yield bytes(line)
            line, tail, is_long = bytearray(), b"", False
        tail = (tail + rest)[-_EDGE_BYTES:]
        if not is_long:
            line += rest
        if len(line) > MAX_LINE_BYTES:
            line, is_long = line[:_EDGE_BYTES], True
    if line.strip() and not is_long:
        yield bytes(line)


def _read_piece(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _PIECE_BYTES)
    except OSError:
        return b""


def _request_id(head: bytes, tail: bytes) -> str | int | None:
    """Return the id of a request from its ends; what stands in its parameters is not mistaken for it."""
    found = _ID_BEFORE.search(head.partition(b'"params"')[0]) or _ID_BEHIND.search(tail)
    if found is None:
        return None
    text = found[1].decode("utf-8", "replace")
    return text[1:-1] if text.startswith('"') else int(text)


def _finish_write(written: "asyncio.Future[None]") -> None:
    if not written.done():
        written.set_result(None)
