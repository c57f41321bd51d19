"""Requests to the browser, and their outcomes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.settings.proxies import ProxyChoice


class CookieJar(StrEnum):
    """The cookie jar with which a page is opened."""

    SEARCH = "search"
    READING = "reading"


class RenderStatus(StrEnum):
    """How loading a page ended. LOADED says nothing about the page's content."""

    LOADED = "loaded"
    TIMED_OUT = "timed_out"
    OFFLINE = "offline"
    NO_PROXY = "no_proxy"
    """The user's proxy does not connect; the error names it."""
    REFUSED = "refused"
    FAILED = "failed"
    NO_SCREEN = "no_screen"
    """The page should be shown to the user, but there is no screen."""


@dataclass(frozen=True)
class Rendered:
    """A page as the browser shows it; `html` may be set even after a timeout.

    `http_status` is 0 if there was no response. `error` is a text for the user. `is_reached` is false if there was no
    connection to the host.
    """

    status: RenderStatus
    url: str
    html: str = ""
    http_status: int = 0
    error: str = ""
    is_reached: bool = True


@dataclass(frozen=True)
class PageRequest:
    """A page to load, and the conditions under which it counts as loaded.

    `wait_for` are selectors; the first to appear ends the wait. `click` are selectors; the first to appear is
    clicked before that, such as a button that refuses cookies. If `is_enough` accepts the served page, there is
    no wait; it runs in a thread. So does `is_wall`: a page that it still accepts after some seconds is returned
    as it is then.
    """

    url: str
    purpose: CookieJar = CookieJar.READING
    wait_for: tuple[str, ...] = ()
    click: tuple[str, ...] = ()
    is_enough: Callable[[str], bool] | None = None
    timeout_s: float = 20.0
    is_wall: Callable[[str], bool] | None = None


IsDone = Callable[[str], bool]
"""Says whether a displayed page is the awaited one; runs in a thread."""
IsAllowed = Callable[[str], Awaitable[bool]]
Addresses = Callable[[str, int], Awaitable[tuple[str, ...]]]


@dataclass(frozen=True)
class BrowserOptions:
    """How the browser is started.

    `state_file` keeps the cookies of searches between runs; None forgets them. `is_allowed` is called before
    every request of every page. `addresses` returns the allowed addresses of a host and port, or raises; if it
    is set, connections go only to those, also after redirects. `choose_proxy` returns the proxy for pages of a
    purpose and needs `addresses`. `locale` is a BCP 47 tag; if empty, the browser chooses. After `renew_after` pages
    another process takes over, as Chromium keeps some of the memory of each.
    """

    executable: str = ""
    state_file: Path | None = None
    locale: str = ""
    is_allowed: IsAllowed | None = None
    addresses: Addresses | None = None
    choose_proxy: Callable[[CookieJar], Awaitable[ProxyChoice]] | None = None
    concurrency: int = 4
    renew_after: int = 200
