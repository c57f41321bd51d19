"""A small HTTP server on the loopback address whose manners can be as bad as needed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Self

from tests.serving import serve_connections


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class PageServer:
    """Answers the paths it was given and 404 to all others. Connections are closed after each answer."""

    handlers: dict[str, Handler] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    most_open: int = 0

    async def __aenter__(self) -> Self:
        self._connections = serve_connections(self._serve)
        self.port = await self._connections.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.__aexit__(None, None, None)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def on(self, path: str, handler: Handler) -> str:
        self.handlers[path] = handler
        return self.url(path)

    def page(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> str:
        data = body.encode() if isinstance(body, str) else body

        async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
            send_head(writer, status, {"Content-Length": str(len(data)), **named(headers)})
            writer.write(data)

        return self.on(path, answer)

    def redirect(self, path: str, location: str, status: int = 302, **headers: str) -> str:
        return self.page(path, b"", status, Location=location, **headers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            path = head[0].split(" ")[1]
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
            request = Request(path, headers)
            self.requests.append(request)
            handler = self.handlers.get(path.partition("?")[0])
            if handler is None:
                send_head(writer, 404, {"Content-Length": "0"})
            else:
                await handler(request, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open_now -= 1


def named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def send_head(writer: asyncio.StreamWriter, status: int, headers: dict[str, str]) -> None:
    lines = [f"HTTP/1.1 {status} Whatever", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))


def article(title: str, *paragraphs: str) -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{body}</article></body></html>"
