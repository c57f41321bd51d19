"""An httpx transport over Footnote's own connections, directly or through HTTP and SOCKS 5 proxies."""

import asyncio
import base64
import contextlib
import ipaddress
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping
from functools import cache
from http import HTTPStatus

import httpcore
import httpx

from desktop.domain.privacy import Channel
from desktop.errors import ProxyUnusable, StaysHere, plain_reason
from desktop.phrases import IN_NETWORK, translatable
from desktop.search.ssrf_guard import HostUnknown, SocketOption
from desktop.settings import egress
from desktop.settings.proxies import Proxy, ProxyChoice

_KEEPALIVE_S = 15.0


class BackendTransport(httpx.AsyncBaseTransport):
    """A transport that uses the connections of `backend`, such as those to addresses that a guard has checked.

    httpx's own transport accepts no network backend, so this one uses httpcore's pool directly. The pool is
    keyed by host name: connections are reused only for the host they were checked for.
    """

    def __init__(self, backend: httpcore.AsyncNetworkBackend, *, max_connections: int = 100) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls_context(),
            max_connections=max_connections,
            keepalive_expiry=_KEEPALIVE_S,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`; the response body is streamed later."""
        assert isinstance(request.stream, httpx.AsyncByteStream)
        url = request.url
        outgoing = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = await self._pool.handle_async_request(outgoing)
        except _FOREIGN as error:
            raise _translate(error) from error
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._answer.aiter_stream():
                yield piece
        except _FOREIGN as error:
            raise _translate(error) from error

    async def aclose(self) -> None:
        await self._answer.aclose()


_FOREIGN = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


def _translate(error: Exception) -> httpx.TransportError:
    """Return the httpx exception for an httpcore exception."""
    if isinstance(error, httpcore.TimeoutException):
        return httpx.ReadTimeout(plain_reason(error))
    if isinstance(error, httpcore.ConnectError):
        return httpx.ConnectError(plain_reason(error))
    if isinstance(error, httpcore.ProtocolError):
        return httpx.RemoteProtocolError(plain_reason(error))
    return httpx.ReadError(plain_reason(error))


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Steps = Generator[bytes | int, bytes, None]

TIMEOUT_S = 15.0
WANTS_LOGIN = 407
_SOCKS_VERSION = 5
_IPV4, _NAME, _IPV6 = 1, 3, 4
_NO_LOGIN, _LOGIN = 0, 2
_REPLIES = {
    1: translatable("it failed"),
    2: translatable("its rules forbid this site"),
    3: translatable("the site’s network can’t be reached"),
    4: translatable("the site can’t be reached"),
    5: translatable("the site refuses the connection"),
}

_UNREACHABLE = translatable("The proxy {proxy} can’t be reached. Check it {in_settings}.")
_REFUSED_LOGIN = translatable(
    "The proxy {proxy} did not accept the user name and password. Check them {in_settings}."
)
_NO_PROXY = translatable("The server at {proxy} is not a proxy of this type. Check it {in_settings}.")
_REFUSED = translatable("The proxy {proxy} did not connect: {detail}.")
_SLOW = translatable("it did not respond in time")
_HTTP = translatable("it returned HTTP {code}")


class ProxyFailed(Exception):
    """The proxy did not connect; `str()` is a text for the user. Stays inside `search`."""


async def open_tunnel(proxy: Proxy, host: str, port: int) -> Streams:
    """Return a connection to `host` through `proxy`, which resolves the name.

    Raises:
        ProxyFailed: the proxy is unreachable, refuses, or is too slow.
    """
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _open_tunnel(proxy, host, port)
    except TimeoutError as error:
        raise ProxyFailed(_REFUSED.format(proxy=proxy.address, detail=_SLOW)) from error


async def _open_tunnel(proxy: Proxy, host: str, port: int) -> Streams:
    reader, writer = await open_proxy(proxy)
    try:
        if proxy.is_socks:
            await _ask_socks(proxy, reader, writer, host, port)
        else:
            await _ask_connect(proxy, reader, writer, host, port)
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
        writer.close()
        raise not_a_proxy(proxy) from error
    except BaseException:
        writer.close()
        raise
    return reader, writer


async def open_proxy(proxy: Proxy) -> Streams:
    """Return a connection to the proxy itself.

    Raises:
        ProxyFailed: it is unreachable.
    """
    try:
        if proxy.scheme == "https":
            return await asyncio.open_connection(
                proxy.host, proxy.port, ssl=_tls(), server_hostname=proxy.host
            )
        return await asyncio.open_connection(proxy.host, proxy.port)
    except OSError as error:
        raise ProxyFailed(_UNREACHABLE.format(proxy=proxy.address, **IN_NETWORK)) from error


def not_a_proxy(proxy: Proxy) -> ProxyFailed:
    """Return the error for a server that does not respond like a proxy."""
    return ProxyFailed(_NO_PROXY.format(proxy=proxy.address, **IN_NETWORK))


def proxy_login_error(proxy: Proxy) -> ProxyFailed:
    """Return the error for a proxy that rejects the given name and password."""
    return ProxyFailed(_REFUSED_LOGIN.format(proxy=proxy.address, **IN_NETWORK))


def login_header(proxy: Proxy) -> bytes:
    """Return the header line with name and password, without line end; empty if there are none."""
    if not proxy.username:
        return b""
    login = base64.b64encode(f"{proxy.username}:{proxy.password}".encode())
    return b"Proxy-Authorization: Basic " + login


async def _ask_connect(
    proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int
) -> None:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1".encode("ascii"), f"Host: {place}".encode("ascii")]
    writer.write(b"\r\n".join([*lines, *filter(None, [login_header(proxy)]), b"", b""]))
    head = await reader.readuntil(b"\r\n\r\n")
    version, _, rest = head.partition(b" ")
    if not version.startswith(b"HTTP/"):
        raise ValueError(version)
    code = int(rest[:3])
    if code == WANTS_LOGIN:
        raise proxy_login_error(proxy)
    if not HTTPStatus.OK <= code < HTTPStatus.MULTIPLE_CHOICES:
        raise ProxyFailed(_REFUSED.format(proxy=proxy.address, detail=_HTTP.format(code=code)))


def socks_steps(proxy: Proxy, host: str, port: int) -> Steps:
    """Yield the steps of a SOCKS connection to `host`: bytes to send, and the number of bytes to receive next.

    Raises:
        ProxyFailed: the proxy refuses, or does not speak SOCKS 5.
    """
    methods = bytes([_NO_LOGIN, _LOGIN] if proxy.username else [_NO_LOGIN])
    yield bytes([_SOCKS_VERSION, len(methods)]) + methods
    version, method = yield 2
    if version != _SOCKS_VERSION:
        raise not_a_proxy(proxy)
    if method == _LOGIN and proxy.username:
        name, password = proxy.username.encode(), proxy.password.encode()
        yield bytes([1, len(name)]) + name + bytes([len(password)]) + password
        _, refused = yield 2
        if refused:
            raise proxy_login_error(proxy)
    elif method != _NO_LOGIN:
        raise proxy_login_error(proxy)
    yield bytes([_SOCKS_VERSION, 1, 0]) + _place(host) + port.to_bytes(2, "big")
    _, reply, _, kind = yield 4
    length = {_IPV4: 4, _IPV6: 16}.get(kind) or (yield 1)[0]
    yield length + 2
    if reply:
        detail = _REPLIES.get(reply, _REPLIES[1])
        raise ProxyFailed(_REFUSED.format(proxy=proxy.address, detail=detail))


async def _ask_socks(
    proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int
) -> None:
    async def send(data: bytes) -> None:
        writer.write(data)

    await follow(socks_steps(proxy, host, port), send, reader.readexactly)


async def follow(
    steps: Steps, send: Callable[[bytes], Awaitable[None]], receive: Callable[[int], Awaitable[bytes]]
) -> None:
    """Execute `steps`; `receive` returns exactly the requested number of bytes."""
    with contextlib.suppress(StopIteration):
        wanted = next(steps)
        while True:
            received = b""
            if isinstance(wanted, bytes):
                await send(wanted)
            else:
                received = await receive(wanted)
            wanted = steps.send(received)


def _place(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = host.encode("ascii")
        return bytes([_NAME, len(name)]) + name
    return bytes([_IPV4 if isinstance(address, ipaddress.IPv4Address) else _IPV6]) + address.packed


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def tls_context() -> ssl.SSLContext:
    """Return the settings of TLS with httpx's certificates, or with those that the environment names.

    All clients share it and none may change it: loading the certificates takes 25 ms each time.
    """
    return _tls_of(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _tls_of(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    return httpx.create_ssl_context()


ChooseProxy = Callable[[], Awaitable[ProxyChoice]]
"""Returns the user's current choice."""

Judge = Callable[[str, int], Awaitable[None]]
"""Raises if a host must not be requested even though a proxy will resolve it."""

_FAILED = translatable("The proxy {proxy} can’t be used ({detail}). Check it {in_settings}.")
_NO_ANSWER = translatable("it can’t be reached")


async def system_proxy() -> ProxyChoice:
    """Return the system's proxy settings."""
    return ProxyChoice()


class ProxiedTransport(httpx.AsyncBaseTransport):
    """Sends each request through the proxy chosen for it, or over `direct`.

    A proxy resolves names itself, so `judge` is called first; `direct` makes its own checks. The message of an
    httpx.ProxyError is a text for the user: it explains the problem with the proxy, or that a conversation
    stays on this machine.
    """

    def __init__(
        self,
        choose: ChooseProxy,
        direct: httpx.AsyncBaseTransport,
        judge: Judge | None = None,
        *,
        channel: Channel = Channel.READING,
    ) -> None:
        self._channel = channel
        self._choose = choose
        self._direct = direct
        self._judge = judge
        self._by_proxy: dict[Proxy, httpx.AsyncBaseTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`; the response body is streamed later."""
        sent_bytes = int(request.headers.get("content-length", "0"))
        try:
            egress.require_egress(str(request.url), self._channel, sent_bytes)
            proxy = (await self._choose()).proxy_for(str(request.url))
        except (ProxyUnusable, StaysHere) as error:
            raise httpx.ProxyError(str(error)) from error
        if proxy is None:
            connection = _TracedEvent(request, "connection.connect_tcp.complete")
            try:
                return await self._direct.handle_async_request(request)
            except (httpx.ConnectError, HostUnknown):
                if not connection.has_happened:  # a host whose certificate is refused was reached
                    egress.withdraw_egress(str(request.url), self._channel, sent_bytes)
                raise
        if self._judge is not None:
            url = request.url
            await self._judge(
                url.raw_host.decode("ascii"), url.port or (443 if url.scheme == "https" else 80)
            )
        # A SOCKS connection looks like a direct one; a CONNECT proxy may use TLS itself.
        handshake = _TracedEvent(
            request, "connection.start_tls.started" if proxy.is_socks else "proxy.start_tls.started"
        )
        try:
            response = await self._through(proxy).handle_async_request(request)
            if response.status_code == WANTS_LOGIN:  # for plain http the proxy responds in place of the site
                await response.aclose()
                raise proxy_login_error(proxy)
        except ProxyFailed as error:
            raise httpx.ProxyError(str(error)) from error
        except (httpx.ProxyError, httpx.ConnectError) as error:
            if handshake.has_happened:  # the proxy has connected; a later error comes from the site
                raise
            detail = plain_reason(error) if isinstance(error, httpx.ProxyError) else _NO_ANSWER
            raise httpx.ProxyError(
                _FAILED.format(proxy=proxy.address, detail=detail, **IN_NETWORK)
            ) from error
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in (self._direct, *self._by_proxy.values()):
            await transport.aclose()

    def _through(self, proxy: Proxy) -> httpx.AsyncBaseTransport:
        if proxy not in self._by_proxy:
            trusted = tls_context()
            own = trusted if proxy.scheme == "https" else None
            self._by_proxy[proxy] = (
                BackendTransport(_SocksBackend(proxy))
                if proxy.is_socks
                else httpx.AsyncHTTPTransport(
                    verify=trusted, proxy=httpx.Proxy(proxy.url, ssl_context=own), trust_env=False
                )
            )
        return self._by_proxy[proxy]


class _TracedEvent:
    """Detects an event in httpcore's trace of a request, such as that the TLS handshake with the site has begun."""

    def __init__(self, request: httpx.Request, name: str) -> None:
        self._name = name
        self.has_happened = False
        request.extensions = {**request.extensions, "trace": self._note}

    async def _note(self, event: str, _details: Mapping[str, object]) -> None:
        self.has_happened = self.has_happened or event == self._name


class _SocksBackend(httpcore.AsyncNetworkBackend):
    """Opens connections through a SOCKS proxy; httpcore's own backend leaks the socket of a refused one."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        proxy = self._proxy
        stream = await self._network.connect_tcp(
            proxy.host, proxy.port, timeout, local_address, socket_options
        )

        async def receive(count: int) -> bytes:
            received = b""
            while len(received) < count:
                piece = await stream.read(count - len(received))
                if not piece:
                    raise not_a_proxy(proxy)
                received += piece
            return received

        try:
            async with asyncio.timeout(timeout):
                await follow(socks_steps(proxy, host, port), stream.write, receive)
        except TimeoutError as error:
            await stream.aclose()
            raise httpcore.ConnectTimeout from error
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)
