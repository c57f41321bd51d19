"""Loads one page in a borrowed tab, and reads its document as it was served, before it is rendered. Imports Playwright."""

import asyncio
import base64
import codecs
import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self
from weakref import WeakKeyDictionary

from playwright.async_api import CDPSession, Page, Request, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from desktop.errors import plain_reason
from desktop.phrases import translatable
from desktop.search.browser.requests import PageRequest, Rendered, RenderStatus

_DOCUMENTS = {"patterns": [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}]}
_LULL_S = 0.2
"""If nothing arrives for so long, what has arrived is judged: some pages never end."""
_PIECE_BYTES = 4_096
_PIECE_SHARE = 4
"""Chromium hands on a piece when it is complete: each may be a quarter of what there is before it."""
_REDIRECTS = range(300, 400)
_NOT_MODIFIED = 304
_LENGTH_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that are not true of a body that was decoded."""


class ServedDocument:
    """The document of a page's next navigation, which waits until it is given to the page or dropped."""

    def __init__(self, devtools: CDPSession) -> None:
        """Use `of` instead."""
        self._devtools = devtools
        self._is_on = False
        self._paused: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._event: dict[str, Any] = {}
        self._body = bytearray()
        devtools.on("Fetch.requestPaused", self._paused.put_nowait)

    @classmethod
    async def of(cls, page: Page) -> Self:
        """Prepare to read the documents of `page`."""
        return cls(await page.context.new_cdp_session(page))

    async def begin(self) -> None:
        """Hold back the document of the navigation that follows."""
        self._event, self._body = {}, bytearray()
        while not self._paused.empty():
            self._paused.get_nowait()
        if not self._is_on:
            await self._devtools.send("Fetch.enable", _DOCUMENTS)
            self._is_on = True

    @property
    def url(self) -> str:
        """The address, after redirects."""
        return str(self._event["request"]["url"])

    @property
    def code(self) -> int:
        """The HTTP status; 0 if there is no document yet."""
        return int(self._event.get("responseStatusCode", 0))

    @property
    def text(self) -> str:
        """What has arrived so far; empty if it is not in UTF-8."""
        try:
            return codecs.getincrementaldecoder("utf-8")().decode(
                bytes(self._body)
            )  # may end within a character
        except UnicodeDecodeError:
            return ""

    async def read(self, is_enough: Callable[[str], bool]) -> str:
        """Return the document if it is enough, else an empty string. Not in UTF-8, it is never enough.

        A document whose end does not come is returned as soon as it is enough without it.
        """
        self._event = await self._next()
        taken = await self._ask("Fetch.takeResponseBodyAsStream")
        judged = 0
        while True:
            wanted = {"handle": taken["stream"], "size": max(_PIECE_BYTES, len(self._body) // _PIECE_SHARE)}
            piece = asyncio.ensure_future(self._devtools.send("IO.read", wanted))
            try:
                while not (await asyncio.wait({piece}, timeout=_LULL_S))[0]:
                    if len(self._body) > judged and await asyncio.to_thread(is_enough, self.text):
                        return self.text
                    judged = len(self._body)
            finally:
                piece.cancel()  # nothing happens to one that has arrived
                await asyncio.gather(piece, return_exceptions=True)
            self._body += _bytes(piece.result())
            if piece.result()["eof"]:
                break
        try:
            text = self._body.decode("utf-8")
        except UnicodeDecodeError:
            return ""
        return text if await asyncio.to_thread(is_enough, text) else ""

    async def drop(self) -> None:
        """End the navigation; the page stays what it was."""
        await self._ask("Fetch.failRequest", errorReason="Aborted")

    async def show(self) -> None:
        """Give the document to the page, which renders it."""
        headers = [
            header
            for header in self._event.get("responseHeaders", ())
            if header["name"].lower() not in _LENGTH_HEADERS
        ]
        body = base64.b64encode(self._body).decode("ascii")
        await self._ask("Fetch.fulfillRequest", responseCode=self.code, responseHeaders=headers, body=body)
        await self.release()

    async def release(self) -> None:
        """Let the page load documents by itself, until `begin` is called again."""
        if self._is_on:
            await self._devtools.send("Fetch.disable")
            self._is_on = False

    async def _next(self) -> dict[str, Any]:
        """Return the first response that is a document; redirects are followed, errors reported to the page."""
        while True:
            event = await self._paused.get()
            code = event.get("responseStatusCode", 0)
            if code and (code not in _REDIRECTS or code == _NOT_MODIFIED):
                return event
            await self._devtools.send("Fetch.continueRequest", {"requestId": event["requestId"]})

    async def _ask(self, command: str, **values: Any) -> dict[str, Any]:
        return await self._devtools.send(command, {"requestId": self._event["requestId"], **values})


def _bytes(piece: dict[str, Any]) -> bytes:
    data: str = piece["data"]
    return base64.b64decode(data) if piece.get("base64Encoded") else data.encode()


_GRACE_S = 2.0
"""How long a loaded page may take to show the awaited element."""
_CLICK_S = 5.0
"""How long a click, and the page it leads to, may take to start."""
"""How long no new result may appear before a page that is still loading counts as complete."""
_WALL_AFTER_S = 3.0
"""How long scripts may take to replace a barrier page with another page."""
_LOOK_EVERY_S = 0.5
_MOST_DOCUMENTS = 4
"""A page that requests more documents than this is in a redirect loop."""

_NOT_CONNECTED = (
    "ERR_NAME_NOT_RESOLVED",
    "ERR_NAME_RESOLUTION_FAILED",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_CONNECTION_REFUSED",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_TUNNEL_CONNECTION_FAILED",
    "ERR_SOCKS_CONNECTION_FAILED",
)
_OFFLINE = (
    *_NOT_CONNECTED,
    "ERR_NETWORK_CHANGED",
    "ERR_CONNECTION_RESET",
    "ERR_CONNECTION_CLOSED",
    "ERR_EMPTY_RESPONSE",
)
_SLOW = ("ERR_TIMED_OUT", "ERR_CONNECTION_TIMED_OUT")
_ERROR_PAGE = "chrome-error:"
_ERROR_NAME = re.compile(r'"errorCode":"(ERR_[A-Z_]+)"')  # seen in release 156
_NET_ERROR = re.compile(r"\b(ERR_[A-Z_]+)")
_MOVING = (
    "is navigating",
    "context was destroyed",
    "Cannot find context",
    "frame was detached",
    "Frame was detached",
)
_CLOSING = ("has been closed", "crashed", "connection closed")
_REFUSED = ("ERR_BLOCKED_BY_CLIENT",)

_SLOW_PAGE = translatable("The page did not load within {seconds} s.")
_NOT_LOADED = translatable("The page couldn’t be loaded: {detail}")
_NOT_SHOWN = translatable("the browser couldn’t show it")


class DocumentLoads:
    """Counts the documents that each page has requested since its navigation started."""

    def __init__(self) -> None:
        self._counts: WeakKeyDictionary[Page, int] = WeakKeyDictionary()
        self._kept: WeakKeyDictionary[Page, asyncio.Event] = WeakKeyDictionary()

    def begin(self, page: Page) -> asyncio.Event:
        """Reset the count before `page` navigates.

        The event is set when the page is stopped in a redirect loop.
        """
        self._counts[page] = 0
        kept = self._kept[page] = asyncio.Event()
        return kept

    def is_one_too_many(self, request: Request) -> bool:
        """Count `request`, and say whether the page reloads itself too often and should be stopped."""
        if not request.is_navigation_request() or request.frame.parent_frame is not None:
            return False
        page = request.frame.page
        if page not in self._counts:  # a window opened by a page
            return False
        self._counts[page] += 1
        if self._counts[page] > _MOST_DOCUMENTS:
            self._kept[page].set()
        return self._kept[page].is_set()


async def load(
    page: Page,
    request: PageRequest,
    kept: asyncio.Event | None = None,
    document: ServedDocument | None = None,
) -> Rendered:
    """Return the page once it shows the requested content, or its current content at the timeout.

    `kept` is set when the page has been stopped in a redirect loop. A `document` is needed for a page that may be
    enough as served.

    Raises:
        PlaywrightError: the network or the browser failed; `failure` translates it.
    """
    response: Response | None = None
    going: asyncio.Future[Response | None] | None = None
    try:
        async with asyncio.timeout(request.timeout_s):
            going = asyncio.ensure_future(page.goto(request.url, wait_until="commit", timeout=0))
            if document is not None and request.is_enough is not None:
                html = await _enough_as_served(document, request.is_enough, going)
                if html:
                    return Rendered(RenderStatus.LOADED, document.url, html, document.code)
            response = await going
            html = await _wait_for_content(page, request, kept or asyncio.Event())
            return Rendered(RenderStatus.LOADED, page.url, html, _code(response))
    except TimeoutError:
        words = _SLOW_PAGE.format(seconds=round(request.timeout_s))
        if response is not None:
            html, code = await _so_far(page), _code(response)
        else:
            html, code = ("", 0) if document is None else (document.text, document.code)
        return Rendered(RenderStatus.TIMED_OUT, request.url, html, code, words)
    finally:
        if going is not None:
            await _cancel([going])


async def _enough_as_served(
    document: ServedDocument, is_enough: Callable[[str], bool], going: asyncio.Future[Response | None]
) -> str:
    """Return the document if it is enough as served; else the page gets it, and the result is empty."""
    reading = asyncio.ensure_future(document.read(is_enough))
    try:
        waits: list[asyncio.Future[Any]] = [reading, going]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if not reading.done():  # there is no document: the network failed
            return ""
        html = reading.result()
        await (document.drop() if html else document.show())
        return html
    finally:
        await _cancel([reading])


async def _wait_for_content(page: Page, request: PageRequest, kept: asyncio.Event) -> str:
    """Return the page once the awaited element is there, or once a barrier is recognized."""
    waits = [_wait_for_element(page, request), _still(page, kept)]
    if request.is_wall is not None:
        waits.append(_wall(page, request.is_wall))
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task.result() for task in tasks if task in done)
    finally:
        await _cancel(tasks)


async def _still(page: Page, kept: asyncio.Event) -> str:
    """Return the content of a page that was stopped in a redirect loop; never returns for other pages."""
    await kept.wait()
    while True:
        await asyncio.sleep(_LULL_S)
        if html := await _so_far(page):
            return html


async def _wall(page: Page, is_wall: Callable[[str], bool]) -> str:
    """Return the page once a barrier has been visible for a while; never returns if there is none."""
    await asyncio.sleep(_WALL_AFTER_S)
    while True:
        html = await _so_far(page)
        stands_in_the_way = bool(html) and await asyncio.to_thread(is_wall, html)
        if stands_in_the_way:
            return html
        await asyncio.sleep(_LOOK_EVERY_S)


async def _cancel(tasks: Sequence[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _wait_for_element(page: Page, request: PageRequest) -> str:
    """Return the page once the awaited element is there; checks again if the page replaces itself."""
    while True:
        try:
            return await _wait_for_element_once(page, request)
        except PlaywrightError as error:
            if not _is_moving(error):
                raise
        await asyncio.sleep(_LULL_S)


async def _wait_for_element_once(page: Page, request: PageRequest) -> str:
    if request.click and await _appears(page, request.click):
        await _click(page, request.click)
    if request.wait_for and await _appears(page, request.wait_for):
        await _settle(page, request.wait_for)
    else:
        await page.wait_for_load_state("domcontentloaded", timeout=0)
    return await page.content()


def _is_moving(error: PlaywrightError) -> bool:
    return not is_closing(error) and any(sign in str(error) for sign in _MOVING)


async def _click(page: Page, selectors: tuple[str, ...]) -> None:
    """Click the first of `selectors`, and wait for a page that may follow to start."""
    button = page.locator(", ".join(selectors)).first
    with contextlib.suppress(PlaywrightTimeout):
        async with page.expect_navigation(wait_until="commit", timeout=_CLICK_S * 1000):
            await button.click(timeout=_CLICK_S * 1000)


async def _so_far(page: Page) -> str:
    """Return the current content of a page that never finishes loading; empty if it cannot be read."""
    try:
        async with asyncio.timeout(_GRACE_S):
            return await page.content()
    except TimeoutError:
        return ""
    except PlaywrightError as error:
        if not _is_moving(error):
            raise
        return ""


async def _appears(page: Page, selectors: tuple[str, ...]) -> bool:
    """Wait for the first of `selectors`, but only slightly longer than the page takes to load."""
    sought = asyncio.ensure_future(page.wait_for_selector(", ".join(selectors), state="attached", timeout=0))
    loaded = asyncio.ensure_future(page.wait_for_load_state("load", timeout=0))
    try:
        await asyncio.wait({sought, loaded}, return_when=asyncio.FIRST_COMPLETED)
        if not sought.done() and await page.locator("script").count() > 0:
            await asyncio.wait({sought}, timeout=_GRACE_S)
        elif not sought.done():  # the page is complete, or will never be
            return await page.locator(", ".join(selectors)).count() > 0
        return sought.done() and sought.exception() is None
    finally:
        for waiting in (sought, loaded):
            waiting.cancel()
        await asyncio.gather(sought, loaded, return_exceptions=True)


async def _settle(page: Page, selectors: tuple[str, ...]) -> None:
    """Wait until no more awaited elements appear, without waiting for scripts that block the rest."""
    sought, count = page.locator(", ".join(selectors)), 0
    parsed = asyncio.ensure_future(page.wait_for_load_state("domcontentloaded", timeout=0))
    try:
        while not parsed.done() and (found := await sought.count()) != count:
            count = found
            await asyncio.wait({parsed}, timeout=_LULL_S)
    finally:
        parsed.cancel()
        await asyncio.gather(parsed, return_exceptions=True)


def failure(error: PlaywrightError, request: PageRequest) -> Rendered:
    """Turn Chromium's network errors into an outcome. Only this function knows their names."""
    words = str(error)
    if isinstance(error, PlaywrightTimeout) or any(name in words for name in _SLOW):
        return Rendered(
            RenderStatus.TIMED_OUT, request.url, error=translatable("The site did not respond in time.")
        )
    if any(name in words for name in _OFFLINE):
        return Rendered(
            RenderStatus.OFFLINE,
            request.url,
            error=translatable("The site can’t be reached. Check your connection."),
            is_reached=not any(name in words for name in _NOT_CONNECTED),
        )
    if any(name in words for name in _REFUSED):
        return refusal_outcome(request)
    return Rendered(RenderStatus.FAILED, request.url, error=_NOT_LOADED.format(detail=_detail(error)))


def _detail(error: PlaywrightError) -> str:
    """Return Chromium's name of a network error, which the user can look up, unlike Playwright's message."""
    name = _NET_ERROR.search(str(error))
    return name[1] if name else _NOT_SHOWN


def without_error_page(rendered: Rendered, request: PageRequest) -> Rendered:
    """Turn Chromium's own error page into an outcome; a script of a page may navigate to an unreachable address."""
    if not rendered.url.startswith(_ERROR_PAGE):
        return rendered
    name = _ERROR_NAME.search(rendered.html)
    return replace(failure(PlaywrightError(name[1] if name else rendered.url), request), is_reached=True)


def is_closing(error: PlaywrightError) -> bool:
    """Say whether a page failed only because it or the browser was closed."""
    words = str(error).lower()
    return any(sign in words for sign in _CLOSING)


def refusal_outcome(request: PageRequest) -> Rendered:
    """Return the outcome for an address that must not be connected to."""
    return Rendered(RenderStatus.REFUSED, request.url, error=translatable("This address is not allowed."))


def _code(response: Response | None) -> int:
    return 0 if response is None else response.status


def first_line(error: Exception) -> str:
    """Return an error's message without the log that Playwright adds."""
    return plain_reason(error).strip().partition("\n")[0][:200]
