"""Parses pages outside the event loop: ordinary ones in a thread, the others in a process that can be killed.

A thread cannot be stopped. PDFs and long pages, which may take long or crash, therefore go to a process with
time and memory limits. A page of ordinary size takes a thread a few tenths of a second at worst, and avoids
starting a process.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import msgspec

from desktop.domain.search import PageStatus, WebPage
from desktop.phrases import translatable
from desktop.search.reader.parse import ParsedPage, RawResponse, is_html, reading_of
from desktop.search.reader.subprocess_main import LIMIT_S
from desktop.text.message_codec import decode_msgpack
from desktop.text.subprocess.client import ParserDied, ParserProcess

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
        self._children = [ParserProcess("desktop.search.reader.subprocess_main") for _ in range(_WORKERS)]
        self._idle: asyncio.LifoQueue[ParserProcess] = (
            asyncio.LifoQueue()
        )  # the most recently used one is already running
        for child in self._children:
            self._idle.put_nowait(child)

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the running processes."""
        return tuple(child.pid for child in self._children if child.pid is not None)

    async def parse(self, received: RawResponse) -> ParsedPage:
        """Return the parsed page; an unreadable page contains the reason."""
        if len(received.body) <= ORDINARY_BYTES and _is_harmless(received):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, reading_of, received)
        child = await self._idle.get()
        try:
            payload = msgspec.msgpack.encode(received)
            return await child.ask(payload, _decoded, self._limit_s)
        except TimeoutError:
            return ParsedPage(WebPage(PageStatus.TIMED_OUT, received.url, error=_TOO_SLOW))
        except ParserDied as error:
            words = _STOPPED.format(status=error)
            return ParsedPage(WebPage(PageStatus.FAILED, received.url, error=words))
        finally:
            self._idle.put_nowait(child)

    async def aclose(self) -> None:
        """End the processes; parsing in a thread finishes by itself soon."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            await child.aclose()


def _is_harmless(received: RawResponse) -> bool:
    return is_html(received.body, received.media_type) or b"%PDF-" not in received.body[:1_024]


def _decoded(payload: bytes) -> ParsedPage:
    page: ParsedPage = decode_msgpack(payload, ParsedPage)
    return page
