"""A loopback HTTP/1.1 server that says exactly the bytes a test wants, in the pieces it wants."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

SSE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Connection:
    request: Request
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def until_gone(self) -> None:
        while await self.reader.read(1024):
            pass


Script = Callable[[Connection], Awaitable[None]]


@dataclass
class Wire:
    """What a running server has seen."""

    port: int
    requests: list[Request] = field(default_factory=list)
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@asynccontextmanager
async def serving(*scripts: Script) -> AsyncIterator[Wire]:
    """Serve; the n-th request gets the n-th script, later ones the last."""
    wire = Wire(0)
    serving: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                wire.requests.append(request)
                wire.answering.set()
                script = scripts[min(len(wire.requests), len(scripts)) - 1]
                await script(Connection(request, reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            wire.gone.set()
            writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving[asyncio.ensure_future(serve(reader, writer))] = (
            writer  # closed below even if it has not begun
        )

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        server.close()
        for writer in serving.values():
            writer.close()
        await asyncio.gather(*serving)


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def sse(*events: object, done: bool = True) -> bytes:
    """Write OpenAI-style events."""
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events]
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode()


def openai_says(text: str) -> bytes:
    """Write a whole answer as OpenAI's chat completions stream it."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    return sse(
        {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "seeing", "choices": [choice]}
    )


def named_sse(*events: dict[str, Any]) -> bytes:
    """Write Anthropic-style events."""
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events
    ).encode()


def cut(data: bytes, seed: int, largest: int = 40) -> Iterable[bytes]:
    """Cut into pieces of random size; with `largest` 1 into single bytes."""
    dice = random.Random(seed)
    while data:
        size = dice.randint(1, largest)
        yield data[:size]
        data = data[size:]


def streaming(data: bytes, *, seed: int = 0, largest: int = 4096, end: bytes = END) -> Script:
    """Answer with an event stream in pieces; `end` b"" leaves it unfinished and hangs up."""

    async def script(connection: Connection) -> None:
        await connection.send(SSE_HEAD, *(chunk(piece) for piece in cut(data, seed, largest)), end)
        if end != END:
            connection.writer.close()

    return script


def answering(status: int, body: object, **headers: str) -> Script:
    """Answer at once; a `body` that is neither bytes nor text is sent as JSON."""
    is_raw = isinstance(body, bytes | str)
    data = (body if isinstance(body, bytes) else body.encode()) if is_raw else json.dumps(body).encode()
    all_headers = {
        "Content-Type": "text/html" if is_raw else "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
        "Content-Length": str(len(data)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items())

    async def script(connection: Connection) -> None:
        await connection.send(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + data)

    return script


def stalling(*pieces: bytes) -> Script:
    """Send `pieces`, then nothing until the other side goes away."""

    async def script(connection: Connection) -> None:
        await connection.send(*pieces)
        await connection.until_gone()

    return script


def hanging_up(*pieces: bytes) -> Script:
    """Send `pieces` and close the connection."""

    async def script(connection: Connection) -> None:
        await connection.send(*pieces)
        connection.writer.close()

    return script
