"""Pages read before, for as long as their servers vouch for them."""

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from desktop.domain.search import Page, PageStatus
from desktop.search.fetch import Validators

MAX_PAGES = 400
MAX_CHARS = 20_000_000
_DEFAULT_AGE_S = 600.0
_LONGEST_AGE_S = 3_600.0
_MAX_AGE = re.compile(r"\bmax-age\s*=\s*\"?(\d{1,9})")


@dataclass(frozen=True)
class Kept:
    """A page with what says how long it holds."""

    page: Page
    validators: Validators
    fresh_until: float


class PageCache:
    """Keeps the pages read last, in memory. Only pages that were READ go in: a failure may pass."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._chars = 0

    def get(self, url: str) -> Kept | None:
        """Return what is known of `url`, fresh or not."""
        kept = self._kept.get(url)
        if kept is not None:
            self._kept.move_to_end(url)
        return kept

    def is_fresh(self, kept: Kept) -> bool:
        """Say whether a page may be used without asking its server."""
        return self._clock() < kept.fresh_until

    def put(self, url: str, page: Page, validators: Validators, cache_control: str) -> None:
        """Keep `page` unless it failed or its server forbids it."""
        self._drop(url)
        if page.status is not PageStatus.READ or "no-store" in cache_control:
            return
        self._kept[url] = Kept(page, validators, self._clock() + _age_s(cache_control))
        self._chars += len(page.text)
        while len(self._kept) > MAX_PAGES or self._chars > MAX_CHARS:
            self._drop(next(iter(self._kept)))

    def _drop(self, url: str) -> None:
        kept = self._kept.pop(url, None)
        if kept is not None:
            self._chars -= len(kept.page.text)


def _age_s(cache_control: str) -> float:
    if "no-cache" in cache_control:
        return 0.0
    found = _MAX_AGE.search(cache_control)
    return min(float(found[1]), _LONGEST_AGE_S) if found else _DEFAULT_AGE_S
