"""Reads pages and caches them: plain HTTP first, the browser only for pages that need JavaScript.

Pages of ordinary size are parsed in a thread, which takes a few tenths of a second at worst. A thread cannot be
stopped: PDFs and long pages, which may take long or crash, go to a process with time and memory limits.
"""

import asyncio
import errno
import math
import os
import re
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import urldefrag

import msgspec

from desktop.domain.search import PageStatus, WebPage
from desktop.errors import BrowserMissing, plain_reason
from desktop.phrases import sentences, translatable
from desktop.search.browser.requests import Rendered, RenderStatus
from desktop.search.fetcher import FetchedResponse, Fetcher, FetchFailed, Validators
from desktop.search.picture_fetcher import IconCollector
from desktop.search.reader.parse import (
    BARRIER_MESSAGES,
    LIMIT_S,
    Barrier,
    ParsedPage,
    RawResponse,
    is_html,
    reading_of,
)
from desktop.search.reader.recent_pages import RecentPages
from desktop.text.child_processes import ParserDied, ProcessPool
from desktop.text.message_codec import decode_msgpack

ORDINARY_BYTES = 256 * 1024
"""The worst known page of this length takes 0.6 s of CPU; most articles are shorter."""
_WORKERS = 2

_TOO_SLOW = translatable("The page takes too long to read.")
_STOPPED = translatable("The page made its reader crash ({status}).")


class ParserPool:
    """A pool of parser processes for one event loop. Closing it ends the processes."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        """Create the pool; processes start when a page needs one."""
        self._limit_s = limit_s
        self._threads = ThreadPoolExecutor(_WORKERS, thread_name_prefix="page")
        self._processes = ProcessPool("desktop.search.reader.parse", _WORKERS)

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the running processes."""
        return self._processes.pids

    async def parse(self, received: RawResponse) -> ParsedPage:
        """Return the parsed page; an unreadable page contains the reason."""
        if len(received.body) <= ORDINARY_BYTES and _is_harmless(received):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, reading_of, received)
        payload = msgspec.msgpack.encode(received)
        try:
            async with self._processes.turn(len(received.body)) as child:
                return await child.ask(payload, _decode, self._limit_s)
        except TimeoutError:
            return ParsedPage(WebPage(PageStatus.TIMED_OUT, received.url, error=_TOO_SLOW))
        except ParserDied as error:
            words = _STOPPED.format(status=error)
            return ParsedPage(WebPage(PageStatus.FAILED, received.url, error=words))

    async def aclose(self) -> None:
        """End the processes; parsing in a thread finishes by itself soon."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self._processes.aclose()


def _is_harmless(received: RawResponse) -> bool:
    return is_html(received.body, received.media_type) or b"%PDF-" not in received.body[:1_024]


def _decode(payload: bytes) -> ParsedPage:
    page: ParsedPage = decode_msgpack(payload, ParsedPage)
    return page


MAX_PAGES = 400
MAX_CHARS = 20_000_000
_DEFAULT_AGE_S = 600.0
_LONGEST_AGE_S = 3_600.0
_MAX_AGE = re.compile(r"\bmax-age\s*=\s*\"?(\d{1,9})")
_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True)
class CachedPage:
    """A cached page with its validators and expiry."""

    page: WebPage
    validators: Validators
    fresh_until: float


class PageCache:
    """Caches the most recent pages in memory. Only READ pages are stored, since failures may be temporary."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, CachedPage] = OrderedDict()
        self._chars = 0

    def get(self, url: str) -> CachedPage | None:
        """Return the cached page at `url`, fresh or not."""
        kept = self._kept.get(url)
        if kept is not None:
            self._kept.move_to_end(url)
        return kept

    def is_fresh(self, kept: CachedPage) -> bool:
        """Say whether a page may be used without revalidation."""
        return self._clock() < kept.fresh_until

    def expire(self) -> None:
        """Have the servers asked for changes before a page is used again, however long they said that it holds."""
        self._kept.update({url: replace(kept, fresh_until=-math.inf) for url, kept in self._kept.items()})

    def put(self, url: str, page: WebPage, validators: Validators, headers: Mapping[str, str]) -> None:
        """Store `page` unless it failed or its server forbids it; `headers` have lower-case names."""
        self._drop(url)
        if page.status is not PageStatus.READ or "no-store" in headers.get("cache-control", "").lower():
            return
        self._kept[url] = CachedPage(page, validators, self._clock() + _fresh_s(headers))
        self._chars += len(page.text)
        while len(self._kept) > MAX_PAGES or self._chars > MAX_CHARS:
            self._drop(next(iter(self._kept)))

    def _drop(self, url: str) -> None:
        kept = self._kept.pop(url, None)
        if kept is not None:
            self._chars -= len(kept.page.text)


def _fresh_s(headers: Mapping[str, str]) -> float:
    """Return how many more seconds a response is fresh (RFC 9111, 4.2; this is a private cache)."""
    control = headers.get("cache-control", "").lower()
    if "no-cache" in control:
        return 0.0
    if found := _MAX_AGE.search(control):
        lifetime = float(found[1])
    elif "expires" in headers:
        lifetime = _seconds_until(headers["expires"], headers.get("date", ""))
    else:
        return _DEFAULT_AGE_S
    age = headers.get("age", "")
    spent = float(age) if _SECONDS.fullmatch(age) else 0.0
    return min(max(0.0, lifetime - spent), _LONGEST_AGE_S)


def _seconds_until(expires: str, date: str) -> float:
    """Return the seconds from a response's `Date`, or else from now, to its expiry; 0 for an invalid date."""
    try:
        until = parsedate_to_datetime(expires)
        since = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return (until - since).total_seconds()
    except (ValueError, TypeError, OverflowError):  # `Expires: 0` is common; a date without a zone is invalid
        return 0.0


MAX_FILE_BYTES = 20 * 1024 * 1024

_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_NOT_MODIFIED = 304
_LONGEST_SHOWN_CHARS = 10_000_000
_LATE = translatable("The page did not load in time.")
_UNOPENED = translatable("{name} can’t be opened: {detail}.")
_RENDERED_STATUS = {
    RenderStatus.TIMED_OUT: PageStatus.TIMED_OUT,
    RenderStatus.OFFLINE: PageStatus.OFFLINE,
    RenderStatus.NO_PROXY: PageStatus.OFFLINE,
    RenderStatus.REFUSED: PageStatus.REFUSED,
    RenderStatus.FAILED: PageStatus.FAILED,
}


class Renderer(Protocol):
    """The part of a browser that reading needs."""

    async def fetch(self, url: str, *, timeout_s: float = ...) -> Rendered:
        """Load `url` and return the displayed page.

        Raises:
            BrowserMissing: none is installed.
        """
        ...


class PageService(Protocol):
    """The part of a remote page reader that reading needs."""

    async def improve(self, page: WebPage) -> WebPage:
        """Return an unreadable page as another service reads it, or unchanged."""
        ...


@dataclass
class PageReader:
    """Reads pages by address. Without a `renderer`, pages that need a browser report that.

    `helper` is used for pages that cannot be read in any other way. `limit_s` limits the time of one page,
    including the wait for a slot and the browser.
    """

    fetcher: Fetcher
    renderer: Renderer | None = None
    cache: PageCache = field(default_factory=PageCache)
    parsers: ParserPool = field(default_factory=ParserPool)
    helper: PageService | None = None
    limit_s: float = 45.0
    browser_limit_s: float = 20.0
    icons: IconCollector | None = None
    recent: RecentPages = field(default_factory=RecentPages)

    async def read(self, url: str) -> WebPage:
        """Return the page at `url`. Its status and error report any problem."""
        key = urldefrag(url.strip()).url
        kept = self.cache.get(key)
        if kept is not None and self.cache.is_fresh(kept):
            self._remember(key, kept.page)
            return replace(kept.page, is_cached=True)
        try:
            async with asyncio.timeout(self.limit_s):
                page = await self._read(key, kept)
                return page if self.helper is None else await self._ask_helper(key, page, self.helper)
        except TimeoutError:
            return WebPage(PageStatus.TIMED_OUT, url, error=_LATE)

    async def read_fresh(
        self, url: str, is_document: Callable[[FetchedResponse], bool]
    ) -> WebPage | FetchedResponse:
        """Return the current page at `url`, bypassing the cache.

        A response for which `is_document` is true is returned unparsed, so that the caller can parse it.
        """
        key = urldefrag(url.strip()).url
        try:
            async with asyncio.timeout(self.limit_s):
                answer = await self.fetcher.fetch(key)
                if isinstance(answer, FetchedResponse) and is_document(answer):
                    return answer
                page = await self._accept(key, answer)
                return page if self.helper is None else await self._ask_helper(key, page, self.helper)
        except TimeoutError:
            return WebPage(PageStatus.TIMED_OUT, url, error=_LATE)

    async def read_many(self, urls: Iterable[str]) -> AsyncGenerator[tuple[str, WebPage], None]:
        """Read pages in parallel and yield each with its address as it finishes, in any order."""
        tasks = {asyncio.create_task(self.read(url)): url for url in dict.fromkeys(urls)}
        waiting = set(tasks)
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield tasks[task], task.result()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _read(self, url: str, kept: CachedPage | None) -> WebPage:
        answer = await self.fetcher.fetch(url, kept.validators if kept else None)
        if isinstance(answer, FetchedResponse) and answer.status == _NOT_MODIFIED and kept is not None:
            self.cache.put(url, kept.page, kept.validators, answer.headers)
            self._remember(url, kept.page)
            return replace(kept.page, is_cached=True)
        return await self._accept(url, answer)

    async def _accept(self, url: str, answer: FetchedResponse | FetchFailed) -> WebPage:
        if isinstance(answer, FetchFailed):
            failed = WebPage(answer.status, url, error=answer.error, has_no_host=answer.has_no_host)
            # A server that closes the connection may only reject clients that are not browsers.
            return await self._render(failed, url) if answer.status is PageStatus.FAILED else failed
        reading = await self.parsers.parse(_response_of(answer))
        self._learn_icon(reading)
        if reading.wall is None:
            self.recent.add(url, reading.page, answer.body, answer.media_type)
        page = await self._past(reading, url, is_final=answer.is_truncated)
        self.cache.put(url, page, answer.validators, answer.headers)
        return page

    async def _ask_helper(self, key: str, page: WebPage, helper: PageService) -> WebPage:
        """Return the page as read by `helper`; the result is cached because it may cost money."""
        better = await helper.improve(page)
        if better is not page:
            self.recent.add(key, better)
            self.cache.put(key, better, Validators(), {})
        return better

    async def _past(self, reading: ParsedPage, address: str, *, is_final: bool) -> WebPage:
        """Return the page behind the barrier if the browser gets there, else the page with the reason.

        `is_final` skips the browser, because an oversized body would only be loaded again.
        """
        if reading.wall is None:
            return reading.page
        status = PageStatus.EMPTY if reading.wall is Barrier.SCRIPT else PageStatus.BLOCKED
        plain = replace(reading.page, status=status, error=BARRIER_MESSAGES[reading.wall])
        return plain if is_final or reading.wall is Barrier.LOGIN else await self._render(plain, address)

    async def _render(self, plain: WebPage, address: str) -> WebPage:
        """Read `plain` again in the browser; keep it if the browser gets no better result."""
        if self.renderer is None:
            return plain
        try:
            async with self.fetcher.host_slots(plain.url):
                rendered = await self.renderer.fetch(plain.url, timeout_s=self.browser_limit_s)
        except BrowserMissing as error:
            return replace(plain, error=sentences((plain.error, str(error))))
        if not rendered.html:
            status = _RENDERED_STATUS.get(rendered.status, plain.status)
            return replace(plain, status=status, error=rendered.error or plain.error)
        shown = _response_of_rendered(rendered)
        reading = await self.parsers.parse(shown)
        self._learn_icon(reading)
        if reading.wall is None or (reading.wall is Barrier.SCRIPT and reading.page.text):
            self.recent.add(address, reading.page, shown.body, shown.media_type)
            return reading.page
        status = PageStatus.EMPTY if reading.wall is Barrier.SCRIPT else PageStatus.BLOCKED
        return replace(reading.page, status=status, error=BARRIER_MESSAGES[reading.wall])

    def _remember(self, url: str, page: WebPage) -> None:
        """Remember a page from the cache for longer than what was read since."""
        known = self.recent.find(url)
        if known is None or known.page.text != page.text:
            self.recent.add(url, page)

    def _learn_icon(self, reading: ParsedPage) -> None:
        if self.icons is not None and reading.icons and reading.page.status is PageStatus.READ:
            self.icons.learn(reading.page.url, reading.icons)

    async def aclose(self) -> None:
        """End the parser processes."""
        await self.parsers.aclose()


async def read_file(path: Path, url: str = "") -> WebPage:
    """Read a saved page; `url` is its original address."""
    where = url or _address(path)
    try:
        body = await asyncio.to_thread(_contents, path)
    except OSError as error:
        words = _UNOPENED.format(name=path.name, detail=plain_reason(error))
        return WebPage(PageStatus.FAILED, where, error=words)
    media_type = "text/html" if path.suffix.lower() in _HTML_SUFFIXES else ""
    parsers = ParserPool()
    try:
        return (await parsers.parse(RawResponse(where, body, media_type=media_type))).page
    finally:
        await parsers.aclose()


def _address(path: Path) -> str:
    return path.absolute().as_uri()


def _contents(path: Path) -> bytes:
    if not path.is_file():  # a pipe or a device may never end
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES)


def _response_of(answer: FetchedResponse) -> RawResponse:
    return RawResponse(
        url=answer.url,
        body=answer.body,
        status=answer.status,
        media_type=answer.media_type,
        charset=answer.charset,
        headers=answer.headers,
        is_truncated=answer.is_truncated,
    )


def _response_of_rendered(rendered: Rendered) -> RawResponse:
    return RawResponse(
        url=rendered.url,
        body=rendered.html[:_LONGEST_SHOWN_CHARS].encode("utf-8", "replace"),
        status=rendered.http_status,
        media_type="text/html",
        charset="utf-8",
        is_rendered=True,
    )
