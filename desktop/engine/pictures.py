"""Pictures of answers for a window."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.domain.pictures import Picture

if TYPE_CHECKING:  # it brings an HTTP client with it
    from desktop.search.pictures import PictureFetcher


class DeferredPictures:
    """See `desktop.chat.ports.Pictures`."""

    def __init__(self, fetcher: Callable[[], "PictureFetcher"]) -> None:
        self._fetcher = fetcher

    async def fetch(self, address: str) -> Picture:
        """Return the picture at an address."""
        return await self._fetcher().fetch(address)
