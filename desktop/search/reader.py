"""Reads pages: plain HTTP first, the browser only where a page shows its text to nothing else."""

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol
from urllib.parse import urldefrag

from desktop.domain.search import Page, PageStatus
from desktop.errors import BrowserMissing
from desktop.phrases import phrase
from desktop.search.fetch import Fetched, Fetcher, FetchFailed
from desktop.search.reader_cache import Kept, PageCache
from desktop.search.reader_formats import html_of, is_html, page_from_bytes, page_from_html
from desktop.search.reader_walls import Wall, wall_of
from desktop.search.rendering import Rendered, RenderStatus

MAX_FILE_BYTES = 20 * 1024 * 1024

_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_NOT_MODIFIED = 304
_OK = range(200, 300)
_GONE = frozenset({404, 410})
_UNOPENED = phrase("{name} cannot be opened: {detail}.")
_CUT = phrase("Only the first {size} MB were read.")
_SITE_FAILED = phrase("The site answered with an error ({code}).")
_NO_SUCH_PAGE = phrase("There is no such page.")
_RENDERED_STATUS = {
    RenderStatus.TIMED_OUT: PageStatus.TIMED_OUT,
    RenderStatus.OFFLINE: PageStatus.OFFLINE,
    RenderStatus.REFUSED: PageStatus.REFUSED,
    RenderStatus.FAILED: PageStatus.FAILED,
}


class Renderer(Protocol):
    """A browser, as far as reading needs one."""

    async def fetch(self, url: str, *, timeout_s: float = ...) -> Rendered:
        """Load `url` and return what the page shows.

        Raises:
            BrowserMissing: none is installed.
        """
        ...


@dataclass(frozen=True)
class _Reading:
    """A page as it was read, and what stands in its way."""

    page: Page
    wall: Wall | None = None


@dataclass
class PageReader:
    """Reads pages by address. Without a `renderer`, pages that need a browser say so.

    `limit_s` bounds one page, waiting for its turn and the browser included.
    """

    fetcher: Fetcher
    renderer: Renderer | None = None
    cache: PageCache = field(default_factory=PageCache)
    limit_s: float = 45.0
    browser_limit_s: float = 20.0

    async def read(self, url: str) -> Page:
        """Return the page at `url`. What goes wrong with it is in its status and error."""
        key = urldefrag(url.strip()).url
        kept = self.cache.get(key)
        if kept is not None and self.cache.is_fresh(kept):
            return replace(kept.page, is_cached=True)
        try:
            async with asyncio.timeout(self.limit_s):
                return await self._read(key, kept)
        except TimeoutError:
            return Page(PageStatus.TIMED_OUT, url, error=phrase("The page did not arrive in time."))

    async def read_many(self, urls: Iterable[str]) -> AsyncGenerator[tuple[str, Page], None]:
        """Read pages side by side and yield each with its address as it comes; order is not kept."""
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

    async def _read(self, url: str, kept: Kept | None) -> Page:
        answer = await self.fetcher.fetch(url, kept.validators if kept else None)
        if isinstance(answer, FetchFailed):
            failed = Page(answer.status, url, error=answer.error)
            # A server that breaks off may only dislike the way that a program connects.
            return await self._render(failed) if answer.status is PageStatus.FAILED else failed
        if answer.status == _NOT_MODIFIED and kept is not None:
            self.cache.put(url, kept.page, kept.validators, answer.cache_control)
            return replace(kept.page, is_cached=True)
        reading = await asyncio.to_thread(_reading_of, answer)
        page = await self._past(reading)
        self.cache.put(url, page, answer.validators, answer.cache_control)
        return page

    async def _past(self, reading: _Reading) -> Page:
        """Return the page behind the wall if a browser gets there, else the page with the reason."""
        if reading.wall is None:
            return reading.page
        status = PageStatus.EMPTY if reading.wall is Wall.SCRIPT else PageStatus.BLOCKED
        plain = replace(reading.page, status=status, error=str(reading.wall))
        return plain if reading.wall is Wall.LOGIN else await self._render(plain)

    async def _render(self, plain: Page) -> Page:
        """Read `plain` again in the browser; what the browser cannot do better stays as it is."""
        if self.renderer is None:
            return plain
        try:
            rendered = await self.renderer.fetch(plain.url, timeout_s=self.browser_limit_s)
        except BrowserMissing as error:
            return replace(plain, error=f"{plain.error} {error}")
        if not rendered.html:
            status = _RENDERED_STATUS.get(rendered.status, plain.status)
            return replace(plain, status=status, error=rendered.error or plain.error)
        reading = await asyncio.to_thread(_reading_of_rendered, rendered)
        if reading.wall is None or (reading.wall is Wall.SCRIPT and reading.page.text):
            return reading.page
        status = PageStatus.EMPTY if reading.wall is Wall.SCRIPT else PageStatus.BLOCKED
        return replace(reading.page, status=status, error=str(reading.wall))


async def read_file(path: Path, url: str = "") -> Page:
    """Read a saved page; `url` is where it came from."""
    return await asyncio.to_thread(_read_file, path, url)


def _read_file(path: Path, url: str) -> Page:
    where = url or path.absolute().as_uri()
    try:
        if not path.is_file():  # a pipe or a device may never end
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        with path.open("rb") as file:
            body = file.read(MAX_FILE_BYTES)
    except OSError as error:
        words = _UNOPENED.format(name=path.name, detail=error.strerror or error)
        return Page(PageStatus.FAILED, where, error=words)
    media_type = "text/html" if path.suffix.lower() in _HTML_SUFFIXES else ""
    return page_from_bytes(body, where, media_type=media_type)


def _reading_of(answer: Fetched) -> _Reading:
    """Judge what a server sent; takes a few milliseconds of CPU and belongs in a thread."""
    page, source = _page_and_source(answer)
    if answer.is_truncated:
        page = replace(page, notes=(*page.notes, _CUT.format(size=len(answer.body) >> 20)))
    if answer.status in _GONE:
        return _Reading(replace(page, status=PageStatus.NOT_FOUND, error=_NO_SUCH_PAGE))
    wall = (
        wall_of(answer.status, answer.headers, source, page.text, answer.url) if source or page.text else None
    )
    if wall is None and answer.status not in _OK:
        words = _SITE_FAILED.format(code=answer.status)
        return _Reading(replace(page, status=PageStatus.FAILED, error=words))
    return _Reading(page, wall)


def _page_and_source(answer: Fetched) -> tuple[Page, str]:
    if is_html(answer.body, answer.media_type):
        source = html_of(answer.body, answer.charset)
        return page_from_html(source, answer.url), source
    page = page_from_bytes(answer.body, answer.url, media_type=answer.media_type, charset=answer.charset)
    return page, ""


def _reading_of_rendered(rendered: Rendered) -> _Reading:
    page = page_from_html(rendered.html, rendered.url)
    if rendered.http_status in _GONE:
        return _Reading(replace(page, status=PageStatus.NOT_FOUND, error=_NO_SUCH_PAGE))
    return _Reading(page, wall_of(rendered.http_status, {}, rendered.html, page.text, rendered.url))
