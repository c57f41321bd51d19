"""Fetches pages over plain HTTP within limits, including decompression; errors are values, not exceptions."""

import asyncio
import email.message
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Protocol, Self
from weakref import WeakValueDictionary

import httpx

from desktop.domain.search import PageStatus
from desktop.errors import plain_reason
from desktop.phrases import translatable
from desktop.search.ssrf_guard import AddressRefused, GuardedBackend, HostUnknown, SsrfGuard
from desktop.search.transport import BackendTransport, ChooseProxy, ProxiedTransport, system_proxy

SUPPORTED_ENCODINGS = "gzip, deflate"

_GZIP = 16 + zlib.MAX_WBITS
_RAW_DEFLATE = -zlib.MAX_WBITS
_PIECE_BYTES = 256 * 1024
_RATIO_FREE_BYTES = 1024 * 1024
"""Small bodies may have any ratio: a page of spaces is not a decompression bomb."""


class DecompressionBomb(Exception):
    """A body exceeds the allowed ratio when it is decompressed."""


class Undecodable(Exception):
    """A body is not compressed as its header says."""


class Decompressor(Protocol):
    """Decompresses a body piece by piece as it arrives."""

    def feed(self, data: bytes, free_bytes: int) -> bytes:
        """Return the decompressed `data`, at most slightly more than `free_bytes` bytes."""
        ...


class Identity:
    """For bodies that are not compressed."""

    def feed(self, data: bytes, free_bytes: int) -> bytes:
        """Return `data`, cut to one byte more than `free_bytes`."""
        return data[: free_bytes + 1]


class Zlib:
    """Decompresses gzip and deflate in small pieces, with a limit on the ratio."""

    def __init__(self, encoding: str, max_ratio: int) -> None:
        self._bits = _GZIP if encoding == "gzip" else zlib.MAX_WBITS
        self._inflate = zlib.decompressobj(self._bits)
        self._max_ratio = max_ratio
        self._taken = 0
        self._given = 0

    def feed(self, data: bytes, free_bytes: int) -> bytes:
        """Return the decompressed `data`; output beyond `free_bytes` is not computed.

        Raises:
            DecompressionBomb: the body exceeds the allowed ratio.
            Undecodable: this is not gzip or deflate.
        """
        self._taken += len(data)
        out = bytearray()
        while data and len(out) <= free_bytes:
            piece = self._decompress(data)
            out += piece
            self._given += len(piece)
            if self._given > max(_RATIO_FREE_BYTES, self._taken * self._max_ratio):
                raise DecompressionBomb
            if self._inflate.eof:  # gzip allows several members in a row; anything else is padding
                data = self._inflate.unused_data
                if self._bits != _GZIP or not data.startswith(b"\x1f\x8b"):
                    break
                self._inflate = zlib.decompressobj(self._bits)
            else:
                data = self._inflate.unconsumed_tail
        return bytes(out)

    def _decompress(self, data: bytes) -> bytes:
        try:
            return self._inflate.decompress(data, _PIECE_BYTES)
        except zlib.error as error:
            if self._given or self._bits != zlib.MAX_WBITS:
                raise Undecodable(plain_reason(error)) from error
        # "deflate" should have a zlib header, but some servers omit it (RFC 9110, 8.4.1.2)
        self._bits = _RAW_DEFLATE
        self._inflate = zlib.decompressobj(self._bits)
        try:
            return self._inflate.decompress(data, _PIECE_BYTES)
        except zlib.error as error:
            raise Undecodable(plain_reason(error)) from error


def inflater_for(content_encoding: str, max_ratio: int) -> Decompressor | None:
    """Return the decompressor for a Content-Encoding header, or None for an encoding that was not requested."""
    encoding = content_encoding.strip().lower()
    if encoding in {"", "identity"}:
        return Identity()
    if encoding in {"gzip", "x-gzip"}:
        return Zlib("gzip", max_ratio)
    return Zlib("deflate", max_ratio) if encoding == "deflate" else None


USER_AGENT = "Mozilla/5.0 (compatible; Footnote/0.1; reads pages that a person asked for)"
_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Encoding": SUPPORTED_ENCODINGS,
    "Accept-Language": "en;q=0.8,zh;q=0.7,*;q=0.5",
    "Upgrade-Insecure-Requests": "1",
}
_NO_HOST = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOT_TRUSTED = translatable(
    "The site’s certificate isn’t trusted ({detail}). If your network has its own certificate "
    "authority, set SSL_CERT_FILE to its certificates."
)
_UNKNOWN_ENCODING = translatable("The page uses an unknown compression ({encoding}).")


@dataclass(frozen=True)
class Limits:
    """The limits of one page. Bytes are counted after decompression."""

    max_bytes: int = 10 * 1024 * 1024
    max_ratio: int = 200
    max_redirects: int = 8
    connect_s: float = 8.0
    idle_s: float = 10.0
    total_s: float = 25.0
    per_host: int = 2
    overall: int = 8


@dataclass(frozen=True)
class Validators:
    """The validators with which a server can say that a page has not changed (RFC 9110, 13.1)."""

    etag: str = ""
    last_modified: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a conditional request."""
        wanted = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in wanted.items() if value}


@dataclass(frozen=True)
class FetchedResponse:
    """A server's response with any status. `url` is the address after redirects."""

    url: str
    status: int
    body: bytes = field(repr=False)
    media_type: str = ""
    charset: str = ""
    is_truncated: bool = False
    validators: Validators = Validators()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """All headers, names in lower case."""


@dataclass(frozen=True)
class FetchFailed:
    """There was no response; `error` is a text for the user.

    `has_no_host` says that the system knows no host of this name, which is not so if it could not look it up.
    """

    url: str
    status: PageStatus
    error: str
    has_no_host: bool = False


class Fetcher:
    """Fetches pages with a limit in total and a lower one per host. Close it, or use `async with`."""

    def __init__(
        self,
        guard: SsrfGuard,
        limits: Limits | None = None,
        *,
        user_agent: str = USER_AGENT,
        choose_proxy: ChooseProxy = system_proxy,
    ) -> None:
        self._guard = guard
        self._limits = limits or Limits()
        timeout = httpx.Timeout(self._limits.idle_s, connect=self._limits.connect_s, pool=None)
        direct = BackendTransport(GuardedBackend(guard), max_connections=self._limits.overall * 2)
        self._transport = ProxiedTransport(choose_proxy, direct, guard.check_for_proxy)
        self._client = httpx.AsyncClient(
            transport=self._transport,
            headers={**_HEADERS, "User-Agent": user_agent},
            timeout=timeout,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
        )
        self._slots = asyncio.Semaphore(self._limits.overall)
        self._host_slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def fetch(self, url: str, validators: Validators | None = None) -> FetchedResponse | FetchFailed:
        """Fetch `url` and follow redirects; the guard checks every hop before it is connected to."""
        trip = _RedirectChain(self._limits.total_s, (validators or Validators()).headers)
        try:
            target = self._guard.check_url(url)
            for _ in range(self._limits.max_redirects + 1):
                answer = await self._fetch_once(target, trip)
                if not isinstance(answer, httpx.URL):
                    return answer
                target = self._guard.check_url(str(answer))
        except tuple(kind for kind, _, _ in _FAILURES) as error:
            return _failure(url, error)
        return FetchFailed(url, PageStatus.FAILED, translatable("The page redirects too often."))

    def host_slots(self, url: httpx.URL | str) -> asyncio.Semaphore:
        """Return the semaphore that limits the simultaneous requests to a host, shared by all callers."""
        host = httpx.URL(url).host
        return self._host_slots.setdefault(host, asyncio.Semaphore(self._limits.per_host))

    async def _fetch_once(
        self, url: httpx.URL, trip: "_RedirectChain"
    ) -> FetchedResponse | FetchFailed | httpx.URL:
        """Return the response, or the address to which it redirects."""
        async with self.host_slots(url), self._slots, trip.limit_hop():
            request = self._client.build_request("GET", url, headers=trip.headers)
            trip.cookies.set_cookie_header(request)
            # Bypasses the client, which parses redirects even if it does not follow them, and fails on
            # malformed ones.
            response = await self._transport.handle_async_request(request)
            response.request = request
            try:
                trip.cookies.extract_cookies(response)
                location = response.headers.get("location", "")
                if response.status_code in _REDIRECTS and location:
                    return url.join(location)
                return await self._receive(response)
            finally:
                await response.aclose()

    async def _receive(self, response: httpx.Response) -> FetchedResponse | FetchFailed:
        url = str(response.url)
        encoding = response.headers.get("content-encoding", "")
        inflater = inflater_for(encoding, self._limits.max_ratio)
        if inflater is None:
            return FetchFailed(url, PageStatus.UNSUPPORTED, _UNKNOWN_ENCODING.format(encoding=encoding))
        body = bytearray()
        limit = self._limits.max_bytes
        async for piece in response.aiter_raw():
            body += inflater.feed(piece, limit - len(body))
            if len(body) > limit:
                break
        media_type, charset = _content_type(response.headers.get("content-type", ""))
        return FetchedResponse(
            url=url,
            status=response.status_code,
            body=bytes(body[:limit]),
            media_type=media_type,
            charset=charset,
            is_truncated=len(body) > limit,
            validators=Validators(
                response.headers.get("etag", ""), response.headers.get("last-modified", "")
            ),
            headers={name.lower(): value for name, value in response.headers.items()},
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _RedirectChain:
    """The redirect chain of one page, with its own time limit and cookies.

    Some sites set a cookie and redirect to themselves until the cookie comes back.
    """

    def __init__(self, total_s: float, headers: dict[str, str]) -> None:
        self.headers = headers
        self.cookies = httpx.Cookies()
        self._left_s = total_s

    @asynccontextmanager
    async def limit_hop(self) -> AsyncIterator[None]:
        """Measure the time of one hop, without the wait for a slot."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        async with asyncio.timeout(self._left_s):
            yield
        self._left_s -= loop.time() - started


_FAILURES: tuple[tuple[type[Exception], PageStatus, str], ...] = (
    (AddressRefused, PageStatus.REFUSED, "{error}"),
    (HostUnknown, PageStatus.OFFLINE, translatable("{error} The site or the network may be down.")),
    (TimeoutError, PageStatus.TIMED_OUT, translatable("The page did not load in time.")),
    (httpx.TimeoutException, PageStatus.TIMED_OUT, translatable("The page did not load in time.")),
    (httpx.ProxyError, PageStatus.OFFLINE, "{error}"),
    (httpx.ConnectError, PageStatus.OFFLINE, translatable("The connection to the site failed.")),
    (
        httpx.InvalidURL,
        PageStatus.REFUSED,
        translatable("The page redirects to an address that is not valid."),
    ),
    # idna's errors, for invalid host names
    (
        UnicodeError,
        PageStatus.REFUSED,
        translatable("The page redirects to an address that is not valid."),
    ),
    (
        DecompressionBomb,
        PageStatus.REFUSED,
        translatable("The page is suspiciously large when decompressed."),
    ),
    (Undecodable, PageStatus.FAILED, translatable("The page couldn’t be decompressed.")),
    (httpx.HTTPError, PageStatus.FAILED, translatable("The connection was lost while the page was loading.")),
)


def _failure(url: str, error: Exception) -> FetchFailed:
    """Translate the errors of the guard, httpx and the decompression; the first match is the most specific."""
    status, words = next((status, words) for kind, status, words in _FAILURES if isinstance(error, kind))
    if isinstance(error, httpx.ConnectError) and (fault := _certificate_fault(error)):
        return FetchFailed(url, status, _NOT_TRUSTED.format(detail=fault))
    return FetchFailed(url, status, words.format(error=plain_reason(error)), has_no_host=_has_no_host(error))


def _has_no_host(error: Exception) -> bool:
    """Say whether a name server answered that there is no such host."""
    cause = error.__cause__ or error.__context__  # httpcore raises it again without its cause
    return isinstance(error, HostUnknown) and isinstance(cause, socket.gaierror) and cause.errno in _NO_HOST


def _certificate_fault(error: BaseException | None) -> str:
    """Return OpenSSL's own message about a site's certificate, or an empty string for other errors."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message
        error = error.__cause__ or error.__context__
    return ""


def _content_type(header: str) -> tuple[str, str]:
    message = email.message.Message()
    message["content-type"] = header.replace("\n", " ").replace("\r", " ")
    charset = message.get_param("charset", "")
    return (
        message.get_content_type() if header else "",
        charset if isinstance(charset, str) else "",
    )
