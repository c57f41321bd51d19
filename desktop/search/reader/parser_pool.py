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
        self._processes = ProcessPool("desktop.search.reader.subprocess_main", _WORKERS)

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
                return await child.ask(payload, _decoded, self._limit_s)
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


def _decoded(payload: bytes) -> ParsedPage:
    page: ParsedPage = decode_msgpack(payload, ParsedPage)
    return page
