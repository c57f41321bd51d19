"""One life of a Chromium process: from its start to its end or death. Imports Playwright."""

import asyncio
import contextlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Self

from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Page, Playwright, Response, Route, async_playwright
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from desktop.search.browser_install import needs_no_sandbox
from desktop.search.rendering import BrowserOptions, PageRequest, Purpose, Rendered, RenderStatus

_ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-notifications",
    "--no-pings",
    "--mute-audio",
)
_UNNEEDED = frozenset({"image", "media", "font", "texttrack", "eventsource", "websocket", "manifest", "ping"})
_LOADS_PER_PAGE = 25
_CLOSING_S = 5.0
_GRACE_S = 2.0
"""How long a page that has loaded may still take to show what is waited for."""
_LULL_S = 0.2
"""How long no further result may come in before a page that still loads counts as complete."""

_OFFLINE = (
    "ERR_NAME_NOT_RESOLVED",
    "ERR_NAME_RESOLUTION_FAILED",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_NETWORK_CHANGED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_RESET",
    "ERR_CONNECTION_CLOSED",
    "ERR_EMPTY_RESPONSE",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_TUNNEL_CONNECTION_FAILED",
    "ERR_SOCKS_CONNECTION_FAILED",
)
_SLOW = ("ERR_TIMED_OUT", "ERR_CONNECTION_TIMED_OUT")
_REFUSED = ("ERR_BLOCKED_BY_CLIENT",)


class Died(Exception):
    """The browser or the page ended while it was needed. Stays inside `search`."""


class CannotStart(Exception):
    """A browser is there but does not start; `str()` is fit for the person. Stays inside `search`."""


FindBrowser = Callable[[str, str], Path]


class Session:
    """A running Chromium with its pages."""

    def __init__(self, playwright: Playwright, chromium: Chromium, options: BrowserOptions) -> None:
        """Use `start` instead."""
        self._playwright = playwright
        self._chromium = chromium
        self._options = options
        self._user_agent = ""
        self._contexts: dict[Purpose, BrowserContext] = {}
        self._idle: dict[Purpose, list[Page]] = {purpose: [] for purpose in Purpose}
        self._loads: dict[Page, int] = {}
        self._preparing = asyncio.Lock()

    @classmethod
    async def start(cls, options: BrowserOptions, find: FindBrowser) -> Self:
        """Start a browser.

        Raises:
            BrowserMissing: from `find`.
            CannotStart: it ended at once.
        """
        try:
            playwright = await async_playwright().start()
        except (PlaywrightError, OSError) as error:
            raise CannotStart(f"The browser's driver could not be started: {_first_line(error)}") from error
        try:
            executable = find(options.executable, playwright.chromium.executable_path)
            chromium = await playwright.chromium.launch(
                executable_path=executable,
                headless=options.is_headless,
                chromium_sandbox=not needs_no_sandbox(),
                args=list(_ARGUMENTS),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            session = cls(playwright, chromium, options)
            session._user_agent = await session._own_user_agent()
        except PlaywrightError as error:
            await playwright.stop()
            raise CannotStart(f"The browser could not be started: {_first_line(error)}") from error
        except BaseException:
            await playwright.stop()
            raise
        return session

    @property
    def is_alive(self) -> bool:
        """Whether the process answers."""
        return self._chromium.is_connected()

    @property
    def open_pages(self) -> int:
        """Pages that are open now."""
        return len(self._loads)

    async def render(self, request: PageRequest) -> Rendered:
        """Load a page.

        Raises:
            Died: the browser or the page ended meanwhile.
        """
        try:
            async with self._page(request.purpose) as page:
                return await _load(page, request)
        except PlaywrightError as error:
            if self._is_death(error):
                raise Died(_first_line(error)) from error
            return _failure(error, request)

    async def close(self) -> None:
        """End the browser; a dead one is only cleaned up after."""
        with contextlib.suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await self._save_state()
                await self._chromium.close()
        with contextlib.suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await self._playwright.stop()

    async def _own_user_agent(self) -> str:
        """Return what this browser calls itself, without the word that tells that nobody looks at it."""
        devtools = await self._chromium.new_browser_cdp_session()
        version = await devtools.send("Browser.getVersion")
        await devtools.detach()
        return str(version["userAgent"]).replace("HeadlessChrome", "Chrome")

    @contextlib.asynccontextmanager
    async def _page(self, purpose: Purpose) -> AsyncIterator[Page]:
        """Lend a page; one that was interrupted or failed is closed instead of lent again."""
        idle = self._idle[purpose]
        page = idle.pop() if idle else await self._new_page(purpose)
        self._loads[page] = self._loads.get(page, 0) + 1
        is_reusable = False
        try:
            yield page
            is_reusable = self._loads[page] < _LOADS_PER_PAGE
            if is_reusable:
                await page.goto("about:blank")
                idle.append(page)
        except BaseException:
            is_reusable = False
            raise
        finally:
            if not is_reusable:
                self._loads.pop(page, None)
                with contextlib.suppress(PlaywrightError):
                    await asyncio.shield(page.close())

    async def _new_page(self, purpose: Purpose) -> Page:
        async with self._preparing:
            if purpose not in self._contexts:
                self._contexts[purpose] = await self._new_context(purpose)
        page = await self._contexts[purpose].new_page()
        page.on("popup", _close_popup)
        return page

    async def _new_context(self, purpose: Purpose) -> BrowserContext:
        state = self._options.state_file if purpose is Purpose.SEARCH else None
        context = await self._chromium.new_context(
            user_agent=self._user_agent,
            locale=self._options.locale or None,
            accept_downloads=False,
            service_workers="block",
            storage_state=state if state is not None and _is_state(state) else None,
        )
        await context.route("**/*", self._judge)
        return context

    async def _judge(self, route: Route) -> None:
        """Let a request go on, or not."""
        is_allowed = self._options.is_allowed
        is_wanted = route.request.resource_type not in _UNNEEDED
        if is_wanted and is_allowed is not None:
            is_wanted = await is_allowed(route.request.url)
        with contextlib.suppress(PlaywrightError):  # the page may be gone before the answer is
            await (route.continue_() if is_wanted else route.abort("blockedbyclient"))

    async def _save_state(self) -> None:
        """Keep the cookies of searches for the next run."""
        context, target = self._contexts.get(Purpose.SEARCH), self._options.state_file
        if context is None or target is None:
            return
        text = json.dumps(await context.storage_state())
        await asyncio.to_thread(_write_privately, target, text)

    def _is_death(self, error: PlaywrightError) -> bool:
        words = str(error).lower()
        return (
            not self.is_alive
            or "has been closed" in words
            or "crashed" in words
            or "connection closed" in words
        )


async def _load(page: Page, request: PageRequest) -> Rendered:
    response: Response | None = None
    try:
        async with asyncio.timeout(request.timeout_s):
            response = await page.goto(request.url, wait_until="commit", timeout=0)
            html = await _first_enough(page, request, response)
            return Rendered(RenderStatus.LOADED, page.url, html, _code(response))
    except TimeoutError:
        words = f"The page did not load within {request.timeout_s:.0f} s."
        html = await _so_far(page) if response is not None else ""
        return Rendered(RenderStatus.TIMED_OUT, request.url, html, _code(response), words)


async def _first_enough(page: Page, request: PageRequest, response: Response | None) -> str:
    """Return the page as it was served if that is enough, else as it is shown; whichever is there first."""
    shown = asyncio.ensure_future(_shown(page, request))
    tasks: list[asyncio.Future[str]] = [shown]
    try:
        if request.is_enough is not None and response is not None:
            served = asyncio.ensure_future(_served(response))
            tasks.append(served)
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if served.done() and await asyncio.to_thread(request.is_enough, served.result()):
                return served.result()
        return await shown
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _served(response: Response) -> str:
    """Return the body, or nothing where Chromium keeps none, as for a page that replaced itself."""
    try:
        return await response.text()
    except (PlaywrightError, UnicodeDecodeError):
        return ""


async def _shown(page: Page, request: PageRequest) -> str:
    """Return the page once what is waited for is there."""
    if request.click and await _appears(page, request.click):
        await page.locator(", ".join(request.click)).first.click(no_wait_after=True, timeout=0)
    if request.wait_for and await _appears(page, request.wait_for):
        await _settle(page, request.wait_for)
    else:
        await page.wait_for_load_state("domcontentloaded", timeout=0)
    return await page.content()


async def _so_far(page: Page) -> str:
    """Return what a page that never ends loading shows already."""
    try:
        async with asyncio.timeout(_GRACE_S):
            return await page.content()
    except TimeoutError:
        return ""


async def _appears(page: Page, selectors: tuple[str, ...]) -> bool:
    """Wait for the first of `selectors`, but not much longer than the page takes to load."""
    sought = asyncio.ensure_future(page.wait_for_selector(", ".join(selectors), state="attached", timeout=0))
    loaded = asyncio.ensure_future(page.wait_for_load_state("load", timeout=0))
    try:
        await asyncio.wait({sought, loaded}, return_when=asyncio.FIRST_COMPLETED)
        if not sought.done():
            await asyncio.wait({sought}, timeout=_GRACE_S)
        return sought.done() and sought.exception() is None
    finally:
        for waiting in (sought, loaded):
            waiting.cancel()
        await asyncio.gather(sought, loaded, return_exceptions=True)


async def _settle(page: Page, selectors: tuple[str, ...]) -> None:
    """Wait until no more of what was waited for comes in; scripts that block the rest are not waited for."""
    sought, count = page.locator(", ".join(selectors)), 0
    parsed = asyncio.ensure_future(page.wait_for_load_state("domcontentloaded", timeout=0))
    try:
        while not parsed.done() and (found := await sought.count()) != count:
            count = found
            await asyncio.wait({parsed}, timeout=_LULL_S)
    finally:
        parsed.cancel()
        await asyncio.gather(parsed, return_exceptions=True)


def _failure(error: PlaywrightError, request: PageRequest) -> Rendered:
    """Turn Chromium's network errors into an outcome: the one place that knows their names."""
    words = str(error)
    if isinstance(error, PlaywrightTimeout) or any(name in words for name in _SLOW):
        return Rendered(RenderStatus.TIMED_OUT, request.url, error="The site did not answer in time.")
    if any(name in words for name in _OFFLINE):
        return Rendered(
            RenderStatus.OFFLINE, request.url, error="The site cannot be reached. Is the network there?"
        )
    if any(name in words for name in _REFUSED):
        return Rendered(RenderStatus.REFUSED, request.url, error="This address may not be opened.")
    return Rendered(
        RenderStatus.FAILED, request.url, error=f"The page could not be loaded: {_first_line(error)}"
    )


def _code(response: Response | None) -> int:
    return 0 if response is None else response.status


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


async def _close_popup(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()


def _is_state(path: Path) -> bool:
    """Say whether `path` holds cookies; a file cut off by a crash is as good as none."""
    try:
        return isinstance(json.loads(path.read_text("utf-8")), dict)
    except (OSError, ValueError):
        return False


def _write_privately(path: Path, text: str) -> None:
    """Replace `path` in one step, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)
