"""A warm headless Chromium for result pages and for pages that need JavaScript.

It starts with the first page and is restarted when it dies, even while a page is loading. After many pages a new process
takes over in a quiet moment, and the old one ends with its last page. Two cookie jars are
kept apart: the cookies of search engines (a refused consent, a solved captcha) are stored on disk, those of
read pages are discarded. No Playwright exception leaves this module.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from desktop.domain.privacy import Channel
from desktop.errors import AppError, StaysHere
from desktop.phrases import translatable
from desktop.search.browser.discovery import find_browser
from desktop.search.browser.requests import (
    BrowserOptions,
    CookieJar,
    IsDone,
    PageRequest,
    Rendered,
    RenderStatus,
)
from desktop.settings import egress

# Playwright is imported with the first page that needs a browser.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from playwright.async_api import StorageState

    from desktop.search.browser.session import Session

__all__ = ["Browser", "BrowserOptions", "CookieJar", "RenderStatus", "Rendered"]

_ATTEMPTS = 2
_CHANNELS = {CookieJar.SEARCH: Channel.SEARCH, CookieJar.READING: Channel.READING}
RENEWAL_QUIET_S = 3.0
"""How long no page must have been asked for, in seconds, before a new process is started beside the old one."""
_log = logging.getLogger(__name__)
_STOPPED = translatable("The browser stopped twice while loading this page ({problem}).")


class Browser:
    """The browser that the rest of the program uses; belongs to one event loop."""

    def __init__(self, options: BrowserOptions | None = None) -> None:
        """Create the browser object; the process starts with the first page."""
        self._options = options or BrowserOptions()
        self._slots = asyncio.Semaphore(self._options.concurrency)
        self._starting = asyncio.Lock()
        self._session: Session | None = None
        self._kept: StorageState | None = None
        self._showing = asyncio.Lock()
        self._replaced: set[Session] = set()
        """Sessions whose last pages are still loading."""
        self._renewal: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def is_running(self) -> bool:
        """Whether a browser process is running."""
        return self._session is not None and self._session.is_alive

    @property
    def open_pages(self) -> int:
        """The number of open pages, including idle ones."""
        return 0 if self._session is None else self._session.open_pages

    async def start(self) -> None:
        """Start the browser ahead of its first use.

        Raises:
            BrowserMissing: none is installed.
        """
        await self._ready()

    async def fetch(
        self,
        url: str,
        *,
        wait_for: Sequence[str] = (),
        click: Sequence[str] = (),
        is_enough: Callable[[str], bool] | None = None,
        is_wall: Callable[[str], bool] | None = None,
        timeout_s: float = 20.0,
        purpose: CookieJar = CookieJar.READING,
    ) -> Rendered:
        """Load a page and return it once a selector of `wait_for` is there; see `PageRequest`.

        Raises:
            BrowserMissing: none is installed; everything else is an outcome.
        """
        try:
            egress.require_egress(url, _CHANNELS[purpose])
        except StaysHere as error:
            return Rendered(RenderStatus.REFUSED, url, error=str(error))
        request = PageRequest(url, purpose, tuple(wait_for), tuple(click), is_enough, timeout_s, is_wall)
        async with self._slots:
            rendered = await self._fetch(request)
        if not rendered.is_reached:
            egress.withdraw_egress(url, _CHANNELS[purpose])
        return rendered

    async def _fetch(self, request: PageRequest) -> Rendered:
        from desktop.search.browser.session import BrowserDied, BrowserStartError

        problem = ""
        for _ in range(_ATTEMPTS):
            try:
                session = await self._ready()
            except BrowserStartError as error:
                return Rendered(RenderStatus.FAILED, request.url, error=str(error))
            try:
                return await session.render(request)
            except BrowserDied as error:
                problem = str(error)
                await self._drop(session)
            finally:
                await self._after_load(session)
        words = _STOPPED.format(problem=problem)
        return Rendered(RenderStatus.FAILED, request.url, error=words)

    async def show(self, url: str, *, is_done: IsDone) -> Rendered:
        """Show a page of a search engine in a window until `is_done` accepts its content.

        There is no timeout; cancelling closes the window. The window starts with the cookies of the searches,
        and later searches use the cookies that are set in it.

        Returns:
            LOADED with the page; without it if the user closed the window first.

        Raises:
            BrowserMissing: none is installed; everything else is an outcome.
        """
        from desktop.search.browser.session import show_window

        async with self._showing:
            session = self._session
            state = self._kept if session is None else await session.state() or self._kept
            shown, state = await show_window(url, self._options, find_browser, state, is_done)
            await self._remember(state)
        return shown

    async def _remember(self, state: "StorageState | None") -> None:
        """Use `state` for the current and all later searches."""
        if state is None:
            return
        from desktop.search.browser.session import write_state

        self._kept = state
        if self._options.state_file is not None:
            await asyncio.to_thread(write_state, self._options.state_file, state)
        if self._session is not None:
            await self._session.use_state(state)

    async def _after_load(self, session: "Session") -> None:
        """End a session that was replaced with its last page, or replace one that has loaded many."""
        if session in self._replaced:
            await self._end(session)
        elif session.loads >= self._options.renew_after:
            if self._renewal is not None:
                self._renewal.cancel()
            is_overdue = session.loads >= 2 * self._options.renew_after
            self._renewal = asyncio.create_task(self._renew(session, 0.0 if is_overdue else RENEWAL_QUIET_S))

    async def _renew(self, old: "Session", quiet_s: float) -> None:
        """Start another session, and use it from now on."""
        from desktop.search.browser.session import BrowserStartError, Session

        await asyncio.sleep(quiet_s)
        try:
            fresh = await Session.start(self._options, find_browser, await old.state() or self._kept)
        except (AppError, BrowserStartError) as error:  # the old one goes on
            _log.warning("The browser could not be renewed: %s", error)
            old.loads = 0
            return
        if self._session is not old:  # it was closed, or died, in the meantime
            await fresh.close()
            return
        self._session = fresh
        self._replaced.add(old)
        await self._end(old)

    async def _end(self, session: "Session") -> None:
        """Close a session that was replaced, unless one of its pages is still loading."""
        if not session.loading:
            self._replaced.discard(session)
            await session.close()

    async def close(self) -> None:
        """Close the browser and wait until its processes have ended; it can be started again."""
        renewal, self._renewal = self._renewal, None
        if renewal is not None:
            renewal.cancel()
            await asyncio.gather(renewal, return_exceptions=True)
        async with self._starting:
            session, self._session = self._session, None
        sessions = (*self._replaced, *((session,) if session is not None else ()))
        self._replaced.clear()
        await asyncio.gather(*(each.close() for each in sessions))

    async def close_when_idle(self) -> None:
        """Close the browser once no page is loading; it can be started again."""
        async with AsyncExitStack() as slots:
            for _ in range(self._options.concurrency):
                await slots.enter_async_context(self._slots)
            await self.close()

    async def _ready(self) -> "Session":
        from desktop.search.browser.session import Session

        async with self._starting:
            if self._session is not None and self._session.is_alive:
                return self._session
            if self._session is not None:
                await self._session.close()
            self._session = await Session.start(self._options, find_browser, self._kept)
            return self._session

    async def _drop(self, session: "Session") -> None:
        """Close a dead session unless another task has already replaced it."""
        async with self._starting:
            if self._session is session:
                self._session = None
            self._replaced.discard(session)
        await session.close()
