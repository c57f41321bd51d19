"""Reads the document of a navigation as it was served, before the browser renders it. Imports Playwright.

Most result pages are enough as they are served. Such a page is taken from the network and never gets a renderer:
its scripts do not run, and nothing is laid out or painted.
"""

import asyncio
import base64
import codecs
from collections.abc import Callable
from typing import Any, Self

from playwright.async_api import CDPSession, Page

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
