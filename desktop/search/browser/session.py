"""The life of one Chromium process with its cookies, from start to end or crash. Imports Playwright.

It may have a window, in which the user completes a search engine's check.
"""

import asyncio
import contextlib
import errno
import json
import os
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, TypeGuard, cast

from playwright._impl._driver import compute_driver_executable
from playwright.async_api import Browser as Chromium
from playwright.async_api import (
    BrowserContext,
    Page,
    Playwright,
    ProxySettings,
    Request,
    Route,
    StorageState,
    StorageStateCookie,
    async_playwright,
)
from playwright.async_api import Error as PlaywrightError

from desktop.errors import plain_reason
from desktop.phrases import translatable
from desktop.search.browser.discovery import needs_no_sandbox
from desktop.search.browser.page_loader import (
    DocumentLoads,
    ServedDocument,
    failure,
    first_line,
    is_closing,
    load,
    refusal_outcome,
    without_error_page,
)
from desktop.search.browser.proxy import BrowserProxy
from desktop.search.browser.requests import (
    BrowserOptions,
    CookieJar,
    IsDone,
    PageRequest,
    Rendered,
    RenderStatus,
)

_DRIVER_END = attrgetter("stop.__self__._client._transport.on_error_future")
"""Gives Playwright's own note of a driver that ends by itself, to which it has no public way. Seen with release 1.65."""


async def start_playwright() -> Playwright:
    """Start Playwright's driver. It ends if this is cancelled, which Playwright does not see to.

    Raises:
        PlaywrightError: it did not start.
    """
    program, _ = compute_driver_executable()
    if shutil.which(program) is None:
        raise PlaywrightError(f"{program}: {os.strerror(errno.ENOENT)}")
    starting = asyncio.create_task(_start_driver())
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # One that does not start holds nothing up; it is ended behind this if it starts later.
        await asyncio.wait({asyncio.create_task(_stop_started(starting))}, timeout=_CLOSING_S)
        raise


async def _start_driver() -> Playwright:
    try:
        playwright = await async_playwright().start()
    except Exception as error:  # Playwright raises this class itself where its driver ends at once
        raise PlaywrightError(plain_reason(error)) from error
    # Without this, asyncio would report the end of a driver that was killed as an error that nobody handles.
    with contextlib.suppress(AttributeError):  # another release may have it in another place
        ended: asyncio.Future[None] = _DRIVER_END(playwright)
        ended.add_done_callback(lambda future: future.cancelled() or future.exception())
    return playwright


async def _stop_started(starting: asyncio.Task[Playwright]) -> None:
    await asyncio.wait({starting})
    if not starting.cancelled() and starting.exception() is None:
        await starting.result().stop()


async def state_of(context: BrowserContext) -> StorageState:
    """Return the cookies and storage of `context`."""
    cookies = [cast("StorageStateCookie", cookie) for cookie in await context.cookies()]
    return StorageState(cookies=cookies, origins=[])


async def replace_state(context: BrowserContext, state: StorageState) -> None:
    """Replace the cookies and storage of `context` with `state`."""
    await context.clear_cookies()
    cookies: list[Any] = [*state["cookies"]]  # Playwright's parameter type is private
    await context.add_cookies(cookies)


def read_state(path: Path) -> StorageState | None:
    """Return the stored state, or None if there is none or the file was cut off by a crash."""
    try:
        state = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return StorageState(cookies=state["cookies"], origins=[]) if _has_cookies(state) else None


def _has_cookies(state: object) -> TypeGuard[dict[str, list[StorageStateCookie]]]:
    return isinstance(state, dict) and isinstance(state.get("cookies"), list)


def write_state(path: Path, state: StorageState) -> None:
    """Replace `path` atomically, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(state, file)
    Path(name).replace(path)


ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--deny-permission-prompts",
    "--disable-notifications",
    "--no-pings",
    # UDP would bypass the proxy. Chrome and the headless shell know this under different names.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
_NO_ACCESSIBILITY = {"ACCESSIBILITY_ENABLED": "0"}
"""Keeps the invisible browser off the bus of screen readers, which would announce it as a second program."""
_UNNEEDED = frozenset({"image", "media", "font", "texttrack", "eventsource", "websocket", "manifest", "ping"})
_LOADS_PER_PAGE = 25
_CLOSING_S = 5.0
_LEAVING_S = 1.0
_LENDING_S = 10.0
"""How long opening a page may take; a browser that takes longer hangs."""
_NO_DRIVER = translatable("The browser’s driver couldn’t be started: {detail}")
_HANGS = translatable("it does not respond")
_NO_BROWSER = translatable("The browser couldn’t be started: {detail}")

_BLANK = "<html><head></head><body></body></html>"


class BrowserDied(Exception):
    """The browser or the page ended while in use. Stays inside `search`."""


class BrowserStartError(Exception):
    """A browser is installed but does not start; `str()` is a text for the user. Stays inside `search`."""


FindBrowser = Callable[[str, str], Path]


@dataclass(frozen=True)
class _Resting:
    """An idle page that can be lent again; `blanking` says whether it is ready."""

    page: Page
    blanking: asyncio.Task[bool]


class Session:
    """A running Chromium with its pages."""

    def __init__(
        self,
        playwright: Playwright,
        chromium: Chromium,
        gates: Mapping[CookieJar, BrowserProxy],
        options: BrowserOptions,
        state: StorageState | None,
    ) -> None:
        """Use `start` instead."""
        self._state = state
        self._playwright = playwright
        self._gates = gates
        self._chromium = chromium
        self._options = options
        self._user_agent = ""
        self._contexts: dict[CookieJar, BrowserContext] = {}
        self._resting: dict[CookieJar, deque[_Resting]] = {purpose: deque() for purpose in CookieJar}
        self.loads = 0
        """Pages loaded since the start."""
        self.loading = 0
        """Pages that are being loaded now."""
        self._failed_redirects = 0
        """Requests that failed after a host had answered with a redirect."""
        self._loads: dict[Page, int] = {}
        self._served: dict[Page, ServedDocument] = {}
        self._documents = DocumentLoads()
        self._preparing = asyncio.Lock()

    @classmethod
    async def start(
        cls, options: BrowserOptions, find: FindBrowser, state: StorageState | None = None
    ) -> Self:
        """Start a browser; `state` is the cookies of searches, None loads them from disk.

        Raises:
            BrowserMissing: from `find`.
            BrowserStartError: it ended at once.
        """
        try:
            playwright = await start_playwright()
        except PlaywrightError as error:
            raise BrowserStartError(_NO_DRIVER.format(detail=first_line(error))) from error
        gates: dict[CookieJar, BrowserProxy] = {}
        try:
            for purpose in CookieJar:
                if (gate := await gate_for(options, purpose)) is not None:
                    gates[purpose] = gate
            executable = find(options.executable, playwright.chromium.executable_path)
            chromium = await playwright.chromium.launch(
                executable_path=executable,
                headless=True,
                chromium_sandbox=not needs_no_sandbox(),
                args=[*ARGUMENTS, "--mute-audio", "--disable-renderer-accessibility"],
                env={**os.environ, **_NO_ACCESSIBILITY},
                proxy=_through(gates.get(CookieJar.READING)),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            session = cls(playwright, chromium, gates, options, state)
            session._user_agent = await session._own_user_agent()
        except BaseException as error:
            try:
                await playwright.stop()
            finally:  # also if it is cancelled: the ports would stay open
                for gate in gates.values():
                    await gate.close()
            if isinstance(error, PlaywrightError):
                raise BrowserStartError(_NO_BROWSER.format(detail=first_line(error))) from error
            raise
        return session

    @property
    def is_alive(self) -> bool:
        """Whether the process responds."""
        return self._chromium.is_connected()

    @property
    def open_pages(self) -> int:
        """The number of open pages."""
        return len(self._loads)

    async def render(self, request: PageRequest) -> Rendered:
        """Load a page.

        Raises:
            BrowserDied: the browser or the page ended meanwhile.
        """
        refusals, failed_redirects = self._refusals, self._failed_redirects
        self.loads += 1
        self.loading += 1
        try:
            async with self._page(request.purpose) as page:
                document = await self._document(page, request)
                rendered = await load(page, request, self._documents.begin(page), document)
        except PlaywrightError as error:
            if self._is_death(error):
                raise BrowserDied(first_line(error)) from error
            rendered = failure(error, request)
            if self._failed_redirects > failed_redirects:
                rendered = replace(rendered, is_reached=True)
        finally:
            self.loading -= 1
        rendered = without_error_page(rendered, request)
        is_blank = not rendered.html.removeprefix(_BLANK)
        if self._refusals > refusals and is_blank:
            return refusal_outcome(request)
        gate = self._gates.get(request.purpose)
        if gate is not None and gate.proxy_problem and is_blank:
            return Rendered(RenderStatus.NO_PROXY, request.url, error=gate.proxy_problem)
        return rendered

    @property
    def _refusals(self) -> int:
        return sum(gate.refusals for gate in self._gates.values())

    async def state(self) -> StorageState | None:
        """Return the cookies and storage of searches; None before the first search or after the end."""
        context = self._contexts.get(CookieJar.SEARCH)
        with contextlib.suppress(PlaywrightError):
            return None if context is None else await state_of(context)
        return None

    async def use_state(self, state: StorageState) -> None:
        """Replace the cookies and storage of searches with `state`."""
        self._state = state
        context = self._contexts.get(CookieJar.SEARCH)
        if context is not None:
            with contextlib.suppress(PlaywrightError):  # it died: the next session starts with `state`
                await replace_state(context, state)

    async def close(self) -> None:
        """Close the browser; a dead one is only cleaned up."""
        blankings = [resting.blanking for pages in self._resting.values() for resting in pages]
        try:
            await asyncio.gather(*blankings)
            with contextlib.suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_CLOSING_S):
                    await self._save_state()
                    await self._chromium.close()
        finally:  # also if it is cancelled: the processes would go on, and the ports stay open
            try:
                with contextlib.suppress(PlaywrightError, TimeoutError):
                    async with asyncio.timeout(_CLOSING_S):
                        await self._playwright.stop()
            finally:
                for gate in self._gates.values():
                    await gate.close()

    async def _own_user_agent(self) -> str:
        """Return this browser's user agent without the word that reveals headless mode."""
        devtools = await self._chromium.new_browser_cdp_session()
        version = await devtools.send("Browser.getVersion")
        await devtools.detach()
        return str(version["userAgent"]).replace("HeadlessChrome", "Chrome")

    @contextlib.asynccontextmanager
    async def _page(self, purpose: CookieJar) -> AsyncIterator[Page]:
        """Lend a page; after an interruption or a failure it is closed and not reused.

        Raises:
            BrowserDied: the browser does not provide one.
        """
        try:
            async with asyncio.timeout(_LENDING_S):
                page = await self._find_idle(purpose) or await self._new_page(purpose)
        except TimeoutError as error:
            raise BrowserDied(_HANGS) from error
        self._loads[page] = self._loads.get(page, 0) + 1
        try:
            yield page
        except BaseException:
            await self._discard(page)
            raise
        if self._loads[page] < _LOADS_PER_PAGE:
            self._resting[purpose].append(_Resting(page, asyncio.create_task(_blank(page))))
        else:
            await self._discard(page)

    async def _find_idle(self, purpose: CookieJar) -> Page | None:
        """Return the page that has been idle longest; its last document is or will soon be gone."""
        if not self._resting[purpose]:
            return None
        resting = self._resting[purpose].popleft()
        is_blank = False
        try:
            is_blank = await asyncio.shield(resting.blanking)
        finally:
            if not is_blank:
                await self._discard(resting.page)
        return resting.page if is_blank else None

    async def _discard(self, page: Page) -> None:
        self._loads.pop(page, None)
        self._served.pop(page, None)
        await asyncio.shield(asyncio.create_task(_close_page(page)))

    async def _document(self, page: Page, request: PageRequest) -> ServedDocument | None:
        """Return the document to read as it is served, or None if the page is wanted as it is displayed.

        Raises:
            BrowserDied: the browser does not respond.
        """
        document = self._served.get(page)
        try:
            async with asyncio.timeout(_LENDING_S):
                if request.is_enough is None:
                    if document is not None:
                        await document.release()
                    return None
                if document is None:
                    document = self._served[page] = await ServedDocument.of(page)
                await document.begin()
        except TimeoutError as error:
            raise BrowserDied(_HANGS) from error
        return document

    async def _new_page(self, purpose: CookieJar) -> Page:
        async with self._preparing:
            if purpose not in self._contexts:
                self._contexts[purpose] = await self._new_context(purpose)
        page = await self._contexts[purpose].new_page()
        page.on("popup", _close_popup)
        page.on("requestfailed", self._count_failed_redirect)
        return page

    def _count_failed_redirect(self, request: Request) -> None:
        self._failed_redirects += request.redirected_from is not None

    async def _new_context(self, purpose: CookieJar) -> BrowserContext:
        state = await self._load_state() if purpose is CookieJar.SEARCH else None
        context = await self._chromium.new_context(
            user_agent=self._user_agent,
            locale=self._options.locale or None,
            accept_downloads=False,
            service_workers="block",
            storage_state=state,
            proxy=_through(self._gates.get(purpose)),
        )
        await context.route("**/*", judge_by(self._options, _UNNEEDED, self._documents))
        return context

    async def _load_state(self) -> StorageState | None:
        file = self._options.state_file
        if self._state is not None or file is None:
            return self._state
        return await asyncio.to_thread(read_state, file)

    async def _save_state(self) -> None:
        """Store the cookies of searches for the next run."""
        state, target = await self.state(), self._options.state_file
        if state is not None and target is not None:
            await asyncio.to_thread(write_state, target, state)

    def _is_death(self, error: PlaywrightError) -> bool:
        return not self.is_alive or is_closing(error)


def _through(gate: BrowserProxy | None) -> ProxySettings | None:
    return None if gate is None else ProxySettings(server=gate.address)


async def gate_for(options: BrowserOptions, purpose: CookieJar = CookieJar.SEARCH) -> BrowserProxy | None:
    """Return the proxy for pages of a purpose, or None if the options contain no `addresses`."""
    if options.addresses is None:
        return None
    choose = options.choose_proxy
    return await BrowserProxy.start(options.addresses, None if choose is None else partial(choose, purpose))


def judge_by(
    options: BrowserOptions, unneeded: frozenset[str] = frozenset(), documents: DocumentLoads | None = None
) -> Callable[[Route], Awaitable[None]]:
    """Return a handler that continues or aborts each request.

    `unneeded` are kinds of resources that are not loaded. `documents` stops pages in a redirect loop.
    """

    async def judge(route: Route) -> None:
        if documents is not None and documents.is_one_too_many(route.request):
            with contextlib.suppress(PlaywrightError):
                await route.abort("aborted")  # keeps the current document
            return
        is_wanted = route.request.resource_type not in unneeded
        if is_wanted and options.is_allowed is not None:
            is_wanted = await options.is_allowed(route.request.url)
        with contextlib.suppress(PlaywrightError):  # the page may have closed before the response
            await (route.continue_() if is_wanted else route.abort("blockedbyclient"))

    return judge


async def _close_page(page: Page) -> None:
    """Close a page.

    Closing a page that is waiting for a server leaves a process behind, so the page navigates away first.
    """
    await _blank(page, _LEAVING_S)
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(_CLOSING_S):
            await page.close()


async def _blank(page: Page, timeout_s: float = _CLOSING_S) -> bool:
    """Navigate a page to a blank document to stop its scripts; the caller need not wait for it."""
    try:
        await page.goto("about:blank", timeout=timeout_s * 1000)
    except PlaywrightError:
        return False
    return True


async def _close_popup(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()


_LOOK_EVERY_S = 0.4
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
_WINDOW = ("--window-size=1000,800", "--ozone-platform-hint=auto")


async def show_window(
    url: str, options: BrowserOptions, find: FindBrowser, state: StorageState | None, is_done: IsDone
) -> tuple[Rendered, StorageState | None]:
    """Show `url` until `is_done` accepts a page in the window, or the user closes the window.

    Returns:
        The page, without its HTML if the window was closed first; and the new state to keep, or None if
        nothing changed.

    Raises:
        BrowserMissing: from `find`.
    """
    if not _has_screen():
        return Rendered(RenderStatus.NO_SCREEN, url), None
    try:
        async with _context(options, find, state) as context:
            return await _watch(context, url, is_done)
    except PlaywrightError as error:
        return Rendered(RenderStatus.FAILED, url, error=first_line(error)), None


def _has_screen() -> bool:
    return sys.platform != "linux" or any(os.environ.get(name) for name in _SCREENS)


@asynccontextmanager
async def _context(
    options: BrowserOptions, find: FindBrowser, state: StorageState | None
) -> AsyncIterator[BrowserContext]:
    """Open a visible window that shows everything the user needs, and close it at the end."""
    async with contextlib.AsyncExitStack() as stack:
        gate = await gate_for(options)
        if gate is not None:
            stack.push_async_callback(gate.close)
        playwright = await start_playwright()
        stack.push_async_callback(playwright.stop)
        chromium = await playwright.chromium.launch(
            executable_path=find(options.executable, playwright.chromium.executable_path),
            headless=False,
            chromium_sandbox=not needs_no_sandbox(),
            args=[*ARGUMENTS, *_WINDOW],
            proxy=None if gate is None else ProxySettings(server=gate.address),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        if state is None and options.state_file is not None:
            state = await asyncio.to_thread(read_state, options.state_file)
        context = await chromium.new_context(
            locale=options.locale or None,
            accept_downloads=False,
            service_workers="block",
            no_viewport=True,
            storage_state=state,
        )
        try:
            await context.route("**/*", judge_by(options))
            yield context
        finally:
            with contextlib.suppress(PlaywrightError):
                await asyncio.shield(chromium.close())


async def _watch(context: BrowserContext, url: str, is_done: IsDone) -> tuple[Rendered, StorageState | None]:
    """Open `url` and check the window's pages until `is_done` accepts one or all are closed."""
    state: StorageState | None = None
    try:
        page = await context.new_page()
        await page.goto(url, wait_until="commit", timeout=0)
        while context.pages:
            for page in context.pages:
                html = await _content(page)
                is_reached = bool(html) and await asyncio.to_thread(is_done, html)
                if is_reached:
                    return Rendered(RenderStatus.LOADED, page.url, html), await state_of(context)
            state = await state_of(context)
            await asyncio.sleep(_LOOK_EVERY_S)
    except PlaywrightError as error:
        if not is_closing(error):  # the user may close the window at any time
            return failure(error, PageRequest(url, CookieJar.SEARCH)), state
    return Rendered(RenderStatus.LOADED, url), state


async def _content(page: Page) -> str:
    """Return the HTML of a page, or an empty string while it is changing."""
    try:
        return await page.content()
    except PlaywrightError:
        return ""
