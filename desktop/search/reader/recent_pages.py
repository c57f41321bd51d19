"""Remembers the pages that were read last, until the answers that cite them are stored."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from desktop.domain.search import PageStatus, WebPage
from desktop.domain.sources import canonical_url

_MAX_ENTRIES: Final = 800
"""A page that was redirected has two, and counts once for the other limits."""
_MAX_CHARS: Final = 5_000_000
_MAX_BODY_BYTES: Final = 64 * 2**20
_MAX_AGE: Final = timedelta(hours=2)
"""The longest research takes less, so that its answer has been stored."""


@dataclass(frozen=True)
class RecentPage:
    """A page that was read from `address`; `body` is what the server sent or the browser showed, if remembered."""

    address: str
    page: WebPage
    read_at: datetime
    body: bytes = field(default=b"", repr=False)
    media_type: str = ""


class RecentPages:
    """The pages by their canonical addresses, before and after redirects.

    `keeps_bodies` says whether what servers send is remembered, too. May be used by several threads.
    """

    def __init__(self, keeps_bodies: Callable[[], bool] = lambda: False) -> None:
        self._keeps_bodies = keeps_bodies
        self._pages: OrderedDict[str, RecentPage] = OrderedDict()
        self._lock = threading.Lock()
        self._chars = 0
        self._bytes = 0

    def add(self, address: str, page: WebPage, body: bytes = b"", media_type: str = "") -> None:
        """Remember a page, unless it was not read."""
        if page.status is not PageStatus.READ or not page.text:
            return
        kept = body if self._keeps_bodies() and len(body) <= _MAX_BODY_BYTES else b""
        recent = RecentPage(address, page, datetime.now(UTC), kept, media_type)
        with self._lock:
            for key in {canonical_url(address), canonical_url(page.url)}:
                self._drop(key)
                self._pages[key] = recent
            self._chars += len(page.text)
            self._bytes += len(kept)
            while self._is_full():
                self._drop(next(iter(self._pages)))
        self.drop_old()

    def drop_old(self, age: timedelta = _MAX_AGE) -> None:
        """Forget the pages that were read longer ago."""
        oldest = datetime.now(UTC) - age
        with self._lock:
            for key in [key for key, recent in self._pages.items() if recent.read_at < oldest]:
                self._drop(key)

    @property
    def is_empty(self) -> bool:
        """Whether no page was read."""
        return not self._pages

    def find(self, address: str) -> RecentPage | None:
        """Return the page at an address as it was read last."""
        with self._lock:
            return self._pages.get(canonical_url(address))

    def _is_full(self) -> bool:
        is_large = self._chars > _MAX_CHARS or self._bytes > _MAX_BODY_BYTES
        return len(self._pages) > _MAX_ENTRIES or (is_large and len(self._pages) > 1)

    def _drop(self, key: str) -> None:
        recent = self._pages.pop(key, None)
        if recent is not None and all(other is not recent for other in self._pages.values()):
            self._chars -= len(recent.page.text)
            self._bytes -= len(recent.body)
