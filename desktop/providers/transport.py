"""HTTP client for the SDKs: long timeout before the first byte, short ones after; no proxy for localhost."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import anyio
import httpx2

from desktop.domain.addresses import leads_to_a_server
from desktop.domain.privacy import Channel
from desktop.errors import ProxyUnusable, plain_reason
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.settings.proxies import ProxyChoice, is_loopback
from desktop.text.stream_limits import UNPACKABLE, LimitExceeded, StreamLimits, StreamMeter, Unpacker

NETWORK_ERRORS = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    anyio.EndOfStream,
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    OSError,
    ValueError,
    RecursionError,
)
"""Errors that may occur below or around an SDK: network, TLS, decoding, JSON."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Maximum length of an event in a stream; a server that sends no line break would fill the memory."""

MAX_BODY_BYTES = 32 * 1024 * 1024
"""Maximum size of an unpacked response that is not streamed."""

MAX_ERROR_BYTES = 1024 * 1024
"""Maximum size of an error response, of which only a sentence is shown."""

MODEL_LIMITS = StreamLimits(total_bytes=256 * 1024 * 1024, silence_s=900.0)
"""The longest answer that is kept has 3 million characters, at worst each in an event of its own."""

TOOL_LIMITS = StreamLimits()
"""Tool servers may keep a stream open for days."""

METER = "desktop.stream_meter"
"""Name of the response extension that holds its `StreamMeter`."""

_KEPT = httpx2.Limits(max_connections=100, max_keepalive_connections=20)
_NOT_KEPT = httpx2.Limits(max_connections=100, max_keepalive_connections=0)
"""For a server on this computer: a new connection costs nothing, and llama.cpp closes one that rests at the moment at which
the client may still use it, which fails the request.
"""

_NOT_AN_ADDRESS = translatable("The address must begin with https:// or http:// and contain a host name.")
_SILENT = translatable("Nothing arrived for {seconds} s.")


@dataclass(frozen=True)
class Timeouts:
    """Timeouts for the connection, for the first byte of the response, and between two pieces of it."""

    connect_s: float = 10.0
    first_byte_s: float = 120.0
    between_s: float = 60.0

    @property
    def of_client(self) -> httpx2.Timeout:
        """Return the timeouts for the HTTP client, which has only one limit for all reads."""
        return httpx2.Timeout(self.first_byte_s, connect=self.connect_s, pool=self.connect_s)


PATIENCE = Timeouts()
SYSTEM_PROXY = ProxyChoice()


def new_client(
    base_url: str,
    timeouts: Timeouts,
    proxy: ProxyChoice = SYSTEM_PROXY,
    channel: Channel = Channel.MODEL,
) -> httpx2.AsyncClient:
    """Return a client that follows no redirects, as these would send the key to another host.

    Raises:
        ValueError: the proxy cannot be used.
    """
    try:
        found = proxy.proxy_for(base_url)
    except ProxyUnusable as error:
        raise ValueError(str(error)) from error
    limits = TOOL_LIMITS if channel is Channel.TOOLS else MODEL_LIMITS
    return _PatientClient(
        channel,
        timeout=timeouts.of_client,
        trust_env=False,
        headers={"Accept-Encoding": UNPACKABLE},
        transport=_LimitedTransport(
            timeouts,
            limits,
            trust_env=False,
            proxy=None if found is None else httpx2.Proxy(found.url),
            verify=_tls(),
            pool=_NOT_KEPT if is_loopback(base_url) else _KEPT,
        ),
    )


@cache
def _tls() -> ssl.SSLContext:
    """Load the system's certificates once, as this takes a tenth of a second."""
    return httpx2.create_ssl_context()


class _PatientClient(httpx2.AsyncClient):
    def __init__(self, channel: Channel, **options: Any) -> None:
        super().__init__(**options)
        self._channel = channel

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        if not leads_to_a_server(
            str(request.url)
        ):  # the network layer raises an error of its own for an invalid port
            raise httpx2.UnsupportedProtocol(_NOT_AN_ADDRESS)
        sent = str(request.url), self._channel, int(request.headers.get("content-length", "0"))
        egress.require_egress(*sent)
        connection: Any = None

        async def note(event: str, details: Mapping[str, Any]) -> None:
            nonlocal connection
            if event.endswith(".connect_tcp.complete"):
                connection = details["return_value"]
            elif event.endswith(".setup_socks5_connection.failed"):  # httpcore would leave it open
                await connection.aclose()

        request.extensions = {**request.extensions, "trace": note}
        try:
            return await super().send(request, **options)
        except httpx2.ConnectError:
            if (
                connection is None
            ):  # a host whose certificate is refused was reached, and a proxy was told the host
                egress.withdraw_egress(*sent)
            raise


class LimitedResponse(httpx2.Response):
    """A response that tracks the readers of its body, so that none is left to the garbage collector."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._readers: list[AsyncGenerator[bytes, None]] = []

    def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        """Iterate over the unpacked body."""
        self._readers.append(super().aiter_bytes(chunk_size))
        return self._readers[-1]

    async def close_readers(self) -> None:
        """Close the connection, then each iterator over the body; none of them may be running."""
        await self.aclose()
        for reader in self._readers:
            await reader.aclose()


class _LimitedTransport(httpx2.AsyncHTTPTransport):
    """Limits the body of every response, for all readers: the caller, the client and the authentication."""

    def __init__(self, timeouts: Timeouts, limits: StreamLimits, pool: httpx2.Limits, **options: Any) -> None:
        super().__init__(limits=pool, **options)
        self._timeouts = timeouts
        self._limits = limits

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        try:
            unpacker = Unpacker(response.headers.get("content-encoding", ""))
        except ValueError as error:
            await response.aclose()
            raise httpx2.DecodingError(plain_reason(error)) from error
        meter = StreamMeter(self._limits if _is_stream(response) else _limits_of_body(response.status_code))
        return LimitedResponse(
            response.status_code,
            # The body is unpacked here, so the length in the header is no longer correct.
            headers=[pair for pair in response.headers.raw if pair[0].lower() not in _OF_PACKED]
            if "content-encoding" in response.headers
            else response.headers,
            stream=_PatientStream(response.stream, self._timeouts, unpacker, meter),
            extensions={**response.extensions, METER: meter},
        )


_OF_PACKED = frozenset({b"content-encoding", b"content-length"})


def _is_stream(response: httpx2.Response) -> bool:
    """Say whether a body may be an event stream; streams have many content types, JSON has only one."""
    content_type = response.headers.get("content-type", "").lower()
    return response.is_success and "json" not in content_type.partition(";")[0]


def _limits_of_body(status: int) -> StreamLimits:
    size = MAX_BODY_BYTES if httpx2.codes.is_success(status) else MAX_ERROR_BYTES
    return StreamLimits(burst_lines=size, burst_bytes=size, total_bytes=size)


class _PatientStream(httpx2.AsyncByteStream):
    """A body with a long timeout before the first piece, a short one after it, and size limits."""

    def __init__(
        self, stream: httpx2.AsyncByteStream, timeouts: Timeouts, unpacker: Unpacker, meter: StreamMeter
    ) -> None:
        self._stream = stream
        self._timeouts = timeouts
        self._unpacker = unpacker
        self._meter = meter
        self._limit_s = timeouts.first_byte_s
        self._line_bytes = 0
        self._pieces: AsyncIterator[bytes] | None = None
        self._unpacked: Iterator[bytes] = iter(())

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the rest of the body: an SDK that reads the end of an answer continues where it stopped."""
        return self

    async def __anext__(self) -> bytes:
        while (piece := next(self._unpacked, None)) is None:
            if self._pieces is None:
                self._pieces = aiter(self._stream)
            packed = await _next_within(self._pieces, self._limit_s)
            if packed is None:
                raise StopAsyncIteration
            self._limit_s = self._timeouts.between_s
            self._unpacked = _unpack(self._unpacker, packed)
        line_end = piece.rfind(b"\n")
        self._line_bytes = len(piece) - line_end - 1 + (self._line_bytes if line_end < 0 else 0)
        if self._line_bytes > MAX_LINE_BYTES:
            raise httpx2.DecodingError(translatable("The answer contains a line without an end."))
        try:
            self._meter.take(piece)
        except LimitExceeded as error:
            raise httpx2.DecodingError(str(error)) from error
        await asyncio.sleep(0)  # one packed piece can yield much data: let Stop and other tasks run
        return piece

    async def aclose(self) -> None:
        """Close the connection, then the reader, which has nothing to wait for any more."""
        await self._stream.aclose()
        if isinstance(self._pieces, AsyncGenerator):
            await self._pieces.aclose()


def _unpack(unpacker: Unpacker, packed: bytes) -> Iterator[bytes]:
    try:
        yield from unpacker.feed(packed)
    except ValueError as error:
        raise httpx2.DecodingError(plain_reason(error)) from error


async def _next_within(pieces: AsyncIterator[bytes], limit_s: float) -> bytes | None:
    try:
        async with asyncio.timeout(limit_s):
            return await anext(pieces, None)
    except TimeoutError:
        raise httpx2.ReadTimeout(_SILENT.format(seconds=round(limit_s))) from None
