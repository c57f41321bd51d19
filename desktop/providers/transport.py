"""The HTTP client under the SDKs: patient with a slow start, not with a dead line; no proxy to this machine."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import anyio
import httpx2

from desktop.domain.addresses import leads_to_a_server
from desktop.domain.privacy import Channel
from desktop.errors import ProxyUnusable
from desktop.phrases import phrase
from desktop.settings import border
from desktop.settings.proxies import ProxyChoice

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
"""What may come up below or around an SDK that is not its own: network, TLS, decoding, JSON."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""No event of a stream is longer; a server that sends more without a line break fills the memory."""

_NOT_AN_ADDRESS = phrase("The address has to begin with https:// or http:// and name a site.")
_SILENT = phrase("Nothing arrived for {seconds} s.")


@dataclass(frozen=True)
class Timeouts:
    """How long to wait: for the connection, for the first byte of the answer, between two pieces of it."""

    connect_s: float = 10.0
    first_byte_s: float = 120.0
    between_s: float = 60.0

    @property
    def of_client(self) -> httpx2.Timeout:
        """The same in terms of the HTTP client, which knows one limit for all reading."""
        return httpx2.Timeout(self.first_byte_s, connect=self.connect_s, pool=self.connect_s)


PATIENCE = Timeouts()
SYSTEM_PROXY = ProxyChoice()


def new_client(
    base_url: str,
    timeouts: Timeouts,
    proxy: ProxyChoice = SYSTEM_PROXY,
    channel: Channel = Channel.MODEL,
) -> httpx2.AsyncClient:
    """Return a client that follows no redirects: they would carry the key to another host.

    Raises:
        ValueError: the proxy cannot be used.
    """
    try:
        found = proxy.proxy_for(base_url)
    except ProxyUnusable as error:
        raise ValueError(str(error)) from error
    return _PatientClient(
        timeouts,
        channel,
        timeout=timeouts.of_client,
        trust_env=False,
        proxy=None if found is None else found.url,
        verify=_tls(),
    )


@cache
def _tls() -> ssl.SSLContext:
    """Read the certificates of the system once; it takes a tenth of a second."""
    return httpx2.create_ssl_context()


class _PatientClient(httpx2.AsyncClient):
    def __init__(self, timeouts: Timeouts, channel: Channel, **options: Any) -> None:
        super().__init__(**options)
        self._channel = channel
        self._timeouts = timeouts

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        if not leads_to_a_server(
            str(request.url)
        ):  # the network layer fails in its own way at a port that is none
            raise httpx2.UnsupportedProtocol(_NOT_AN_ADDRESS)
        border.cross(str(request.url), self._channel, int(request.headers.get("content-length", "0")))
        response = await super().send(request, **options)
        if not response.is_stream_consumed:
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _PatientStream(response.stream, self._timeouts)
        return response


class _PatientStream(httpx2.AsyncByteStream):
    """A body whose first piece may take long, whose later ones may not, and whose lines end."""

    def __init__(self, stream: httpx2.AsyncByteStream, timeouts: Timeouts) -> None:
        self._stream = stream
        self._timeouts = timeouts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        limit_s = self._timeouts.first_byte_s
        line_bytes = 0
        pieces = aiter(self._stream)
        while (piece := await _next_within(pieces, limit_s)) is not None:
            limit_s = self._timeouts.between_s
            line_end = piece.rfind(b"\n")
            line_bytes = len(piece) - line_end - 1 + (line_bytes if line_end < 0 else 0)
            if line_bytes > MAX_LINE_BYTES:
                raise httpx2.DecodingError(phrase("A line of the answer does not end."))
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _next_within(pieces: AsyncIterator[bytes], limit_s: float) -> bytes | None:
    try:
        async with asyncio.timeout(limit_s):
            return await anext(pieces, None)
    except TimeoutError:
        raise httpx2.ReadTimeout(_SILENT.format(seconds=round(limit_s))) from None
