"""Proxies on the loopback address: one of HTTP, one of SOCKS 5. They look names up in a table of their own."""

import asyncio
import base64
import contextlib
from dataclasses import dataclass, field
from typing import Self

from tests.serving import serve_connections


@dataclass
class ProxyServer:
    """Connects to the port that `names` has for a host, on loopback; other hosts do not exist for it."""

    names: dict[str, int] = field(default_factory=dict)
    login: str = ""
    asked: list[str] = field(default_factory=list)
    scheme: str = "http"

    async def __aenter__(self) -> Self:
        serve = self._serve_socks if self.scheme == "socks5" else self._serve_http
        self._serve = serve
        self._connections = serve_connections(self._enter)
        self.port = await self._connections.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.__aexit__(None, None, None)

    @property
    def address(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await self._serve(reader, writer)

    async def _serve_http(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        line, *headers = head.decode("latin-1").split("\r\n")
        method, target, _ = line.split(" ")
        self.asked.append(f"{method} {target}")
        wanted = "Proxy-Authorization: Basic " + base64.b64encode(self.login.encode()).decode()
        if self.login and wanted not in headers:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        place = target if method == "CONNECT" else target.split("/")[2]
        host = place.partition(":")[0]
        if host not in self.names:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        upstream, sending = await asyncio.open_connection("127.0.0.1", self.names[host])
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            path = "/" + target.split("/", 3)[3]
            sending.write(head.replace(target.encode(), path.encode(), 1))
        await _joined(reader, writer, upstream, sending)

    async def _serve_socks(self, reader, writer):
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        method = 2 if self.login else 0
        if method not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes([5, method]))
        if self.login:
            _, length = await reader.readexactly(2)
            name = (await reader.readexactly(length)).decode()
            password = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
            is_right = f"{name}:{password}" == self.login
            writer.write(bytes([1, not is_right]))
            if not is_right:
                return
        _, _, _, kind = await reader.readexactly(4)
        length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        host = (await reader.readexactly(length)).decode("latin-1")
        await reader.readexactly(2)
        self.asked.append(f"SOCKS {host}")
        if host not in self.names:
            writer.write(b"\x05\x04\x00\x01" + bytes(6))
            return
        upstream, sending = await asyncio.open_connection("127.0.0.1", self.names[host])
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await _joined(reader, writer, upstream, sending)


async def _joined(reader, writer, upstream, sending) -> None:
    try:
        await asyncio.gather(_pump(reader, sending), _pump(upstream, writer))
    finally:
        sending.close()


async def _pump(reader, writer) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    writer.close()
