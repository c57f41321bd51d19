"""Fetches images in answers on the user's request, and site icons of pages that were read.

The web engine itself has no network access: it gets the bytes through the page's own URL scheme. Neither
cookies nor a referrer are sent.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from desktop.domain.pictures import Picture, icon_id
from desktop.errors import PictureUnavailable
from desktop.phrases import translatable
from desktop.search.fetcher import FetchedResponse, Fetcher, FetchFailed, Limits
from desktop.search.icon_store import MAX_BYTES, IconStore, raster_type

ICON_LIMITS: Final = Limits(
    max_bytes=MAX_BYTES, max_redirects=3, connect_s=2.0, idle_s=2.0, total_s=2.0, per_host=1, overall=4
)
_MAX_WAITING: Final = 64


class IconCollector:
    """Fetches icons within `ICON_LIMITS` through the same guard as pages; tries a site without icon once."""

    def __init__(self, fetcher: Fetcher, store: IconStore) -> None:
        self._fetcher = fetcher
        self._store = store
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def learn(self, page: str, links: Sequence[str]) -> None:
        """Start to fetch the icon of the site of `page` from one of `links`, without waiting."""
        site = icon_id(page)
        if not site or site in self._asked or len(self._tasks) >= _MAX_WAITING:
            return
        self._asked.add(site)
        task = asyncio.create_task(self._fetch(site, tuple(links)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until all fetches have finished."""
        await asyncio.gather(*self._tasks)

    async def aclose(self) -> None:
        """Cancel all fetches."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch(self, site: str, links: Sequence[str]) -> None:
        if await self._store.is_fresh(site):
            return
        for link in links:
            answer = await self._fetcher.fetch(link)
            if not isinstance(answer, FetchedResponse) or answer.status not in _OK or answer.is_truncated:
                continue
            if await self._store.put(site, answer.body):
                return


PICTURE_LIMITS: Final = Limits(
    max_bytes=20 * 1024 * 1024, max_redirects=5, total_s=20.0, per_host=2, overall=4
)
MAX_SIDE: Final = 12_000

_OK: Final = range(200, 300)
_REFUSED = translatable("The server returned {status}.")
_TOO_BIG = translatable("It is larger than {megabytes} MB.")
_NO_PICTURE = translatable("It is not an image in a supported format.")


class PictureFetcher:
    """Fetches images within `PICTURE_LIMITS`."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, address: str) -> Picture:
        """Return an image.

        Raises:
            PictureUnavailable: with the reason in `detail`.
        """
        answer = await self._fetcher.fetch(address)
        if isinstance(answer, FetchFailed):
            raise PictureUnavailable(detail=answer.error)
        if problem := _problem(answer):
            raise PictureUnavailable(detail=problem)
        return Picture(raster_type(answer.body, MAX_SIDE), answer.body)


def _problem(answer: FetchedResponse) -> str:
    if answer.status not in _OK:
        return _REFUSED.format(status=answer.status)
    if answer.is_truncated:
        return _TOO_BIG.format(megabytes=PICTURE_LIMITS.max_bytes // 2**20)
    return "" if raster_type(answer.body, MAX_SIDE) else _NO_PICTURE
