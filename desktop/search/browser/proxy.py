"""The local proxy for all browser traffic.

Chromium resolves names and follows redirects itself, out of reach of any hook on its requests. It is therefore
started with this loopback proxy, which looks up the allowed addresses of a host and connects only to those.
This covers redirects, frames, workers and WebSockets.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import SplitResult, urlsplit, urlunsplit

from desktop.errors import ProxyUnusable
from desktop.search.browser.requests import Addresses
from desktop.search.ssrf_guard import AddressRefused, HostUnknown
from desktop.search.transport import (
    WANTS_LOGIN,
    ChooseProxy,
    ProxyFailed,
    Streams,
    login_header,
    open_proxy,
    open_tunnel,
    proxy_login_error,
)
from desktop.settings.proxies import Proxy

_LONGEST_HEAD_BYTES = 64 * 1024
_CHUNK_BYTES = 64 * 1024
_CONNECT_S = 15.0
_HEAD_S = 30.0
_LOOK_UP_S = 3.0
_UNASKED_HOSTS = frozenset(
    {
        "accounts.google.com",
        "clients2.google.com",
        "clientservices.googleapis.com",
        "content-autofill.googleapis.com",
        "optimizationguide-pa.googleapis.com",
        "safebrowsing.googleapis.com",
        "update.googleapis.com",
    }
)
"""Hosts that Chromium contacts by itself whatever its switches say. Seen with release 156."""
_HOP_HEADERS = frozenset({b"proxy-connection", b"proxy-authorization", b"connection", b"keep-alive"})


class BrowserProxy:
    """A forwarding proxy on loopback; `refusals` counts the blocked connections."""

    def __init__(self, addresses: Addresses, choose_proxy: ChooseProxy | None = None) -> None:
        """Create the proxy. `addresses` raises `AddressRefused` or `HostUnknown`.

        If `choose_proxy` returns a proxy, connections go through that one.
        """
        self._addresses = addresses
        self._choose_proxy = choose_proxy
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.refusals = 0
        self.proxy_problem = ""
        """The last error of the upstream proxy; empty if it connected."""

    @classmethod
    async def start(cls, addresses: Addresses, choose_proxy: ChooseProxy | None = None) -> Self:
        """Start the proxy on a free port."""
        gate = cls(addresses, choose_proxy)
        gate._server = await asyncio.start_server(gate._accept, "127.0.0.1", 0, limit=_LONGEST_HEAD_BYTES)
        return gate

    @property
    def address(self) -> str:
        """The proxy address for the browser."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Close the proxy and all its connections."""
        if self._server is not None:
            try:
                for listener in self._server.sockets:
                    with contextlib.suppress(NotImplementedError):  # on Windows
                        asyncio.get_running_loop().remove_reader(listener)
                # Or asyncio would never close what it has accepted and not begun to serve.
                await asyncio.sleep(0)
            finally:
                self._server.close()
        for task, writer in self._open.items():
            task.cancel()
            writer.close()  # a task that has not begun would not
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is not None and not self._server.is_serving():
            writer.close()  # asyncio had accepted it before the end
            return
        task = asyncio.get_running_loop().create_task(self._enter(reader, writer))
        self._open[task] = writer
        task.add_done_callback(self._open.pop)

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # the browser notices the closed connection and reports it
        except asyncio.CancelledError:
            pass  # the proxy is closing; this task is no longer awaited
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_S):
            head = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = head.partition(b" ")
        target = rest.partition(b" ")[0].decode("ascii")
        is_tunnel = method == b"CONNECT"
        parts = urlsplit(f"//{target}" if is_tunnel else target)
        host, port = parts.hostname or "", parts.port or 80
        if host in _UNASKED_HOSTS:
            return
        try:
            proxy = await self._proxy(host, port, is_tunnel=is_tunnel)
            async with self._connect(proxy, host, port, is_tunnel=is_tunnel) as (upstream, sending):
                if is_tunnel:
                    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    await asyncio.gather(_pump(reader, sending), _pump(upstream, writer))
                    return
                sending.write(_rewritten(head, parts, proxy))
                await asyncio.gather(_send_body(reader, sending, head), _answer(upstream, writer, proxy))
        except AddressRefused:
            self.refusals += 1
            writer.write(b"HTTP/1.1 403 Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except (ProxyFailed, ProxyUnusable) as error:
            self.proxy_problem = str(error)
            writer.write(b"HTTP/1.1 502 No proxy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except HostUnknown:
            writer.write(b"HTTP/1.1 502 Unknown host\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()

    async def _proxy(self, host: str, port: int, *, is_tunnel: bool) -> Proxy | None:
        """Return the proxy chosen for a host, after checking that the host may be requested."""
        if self._choose_proxy is None:
            return None
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        scheme = "https" if is_tunnel else "http"
        proxy = (await self._choose_proxy()).proxy_for(f"{scheme}://{place}")
        if proxy is not None:
            with contextlib.suppress(HostUnknown, TimeoutError):  # the proxy may know the host
                async with asyncio.timeout(_LOOK_UP_S):
                    await self._addresses(host, port)
        return proxy

    @asynccontextmanager
    async def _connect(
        self, proxy: Proxy | None, host: str, port: int, *, is_tunnel: bool
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Connect through the proxy, or to the first address that answers."""
        if proxy is None:
            upstream, sending = await self._direct(host, port)
        else:
            is_forwarding = not is_tunnel and not proxy.is_socks
            opening = open_proxy(proxy) if is_forwarding else open_tunnel(proxy, host, port)
            upstream, sending = await opening
            self.proxy_problem = ""
        try:
            yield upstream, sending
        finally:
            sending.close()

    async def _direct(self, host: str, port: int) -> Streams:
        addresses = await self._addresses(host, port)
        sending: asyncio.StreamWriter | None = None
        async with asyncio.timeout(_CONNECT_S):
            for address in addresses:
                with contextlib.suppress(OSError):
                    upstream, sending = await asyncio.open_connection(address, port)
                    break
        if sending is None:
            raise ConnectionRefusedError(host)
        return upstream, sending


def _rewritten(head: bytes, target: SplitResult, proxy: Proxy | None) -> bytes:
    """Return a request head in the form that the server or an upstream proxy expects, for this request only."""
    request, *headers = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    is_forwarded = proxy is not None and not proxy.is_socks
    scheme, place = (target.scheme, target.netloc) if is_forwarded else ("", "")
    path = urlunsplit((scheme, place, target.path or "/", target.query, "")).encode("ascii")
    method, _, rest = request.partition(b" ")
    version = rest.rpartition(b" ")[2]
    kept = [line for line in headers if line.partition(b":")[0].lower() not in _HOP_HEADERS]
    is_upgrade = any(line.lower().startswith(b"upgrade:") for line in kept)
    kept.append(b"Connection: Upgrade" if is_upgrade else b"Connection: close")
    if proxy is not None and is_forwarded:
        kept += filter(None, [login_header(proxy)])
    return b"\r\n".join([b" ".join((method, path, version)), *kept, b"", b""])


async def _send_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
    """Send the body and nothing after it, because further data could be a request to another host."""
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while length > 0:
        chunk = await reader.read(min(length, _CHUNK_BYTES))
        if not chunk:
            return
        length -= len(chunk)
        writer.write(chunk)
        await writer.drain()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: Proxy | None) -> None:
    """Forward a response unless it is the upstream proxy's own refusal."""
    beginning = await reader.read(_CHUNK_BYTES)
    if proxy is not None and beginning.split(b" ", 2)[1:2] == [b"%d" % WANTS_LOGIN]:
        raise proxy_login_error(proxy)
    writer.write(beginning)
    await _pump(reader, writer)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward data until the connection ends."""
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    writer.close()
