"""Outcomes of searching the web and of reading a page; failures are values, not exceptions."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

WEB_OFF = "off"
WEB_AUTO = "auto"
WEB_OWN = "model"
WIKIPEDIA = "wikipedia"

TimeRange = Literal["", "day", "week", "month", "year"]
SafeSearch = Literal["off", "moderate", "strict"]


class SearchStatus(StrEnum):
    """How a search of one engine ended: six different outcomes, none of them an empty list."""

    RESULTS = "results"
    NOTHING_FOUND = "nothing_found"
    BLOCKED = "blocked"
    LAYOUT_CHANGED = "layout_changed"
    TIMED_OUT = "timed_out"
    OFFLINE = "offline"


class Obstacle(StrEnum):
    """Why a search is blocked."""

    CAPTCHA = "captcha"
    CONSENT = "consent"
    RATE_LIMIT = "rate_limit"
    SCRIPT = "script"
    REFUSED = "refused"


PASSABLE = frozenset({Obstacle.CAPTCHA, Obstacle.CONSENT, Obstacle.SCRIPT})
"""Obstacles that the user can remove on the page itself."""


@dataclass(frozen=True)
class SearchResult:
    """An organic result; `url` is the target after undoing the engine's redirect."""

    title: str
    url: str
    snippet: str = ""
    published: str = ""
    text: str = ""
    """The page's text if the engine delivers it itself (Tavily, Exa); else empty."""


@dataclass(frozen=True)
class SearchOutcome:
    """The result of one engine for one query. `error` is a message for the user, empty on success."""

    status: SearchStatus
    engine: str
    query: str
    results: tuple[SearchResult, ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()
    """Degradations, such as a fallback to the structural parser."""
    obstacle: Obstacle | None = None
    """What blocks a result page that is BLOCKED; None for other pages, or if the engine is an API."""
    seconds: float = 0.0
    """How long the engine took; 0 if it was not asked."""

    @property
    def can_be_shown(self) -> bool:
        """Return whether the user may get the engine to answer again by visiting its page."""
        return self.obstacle in PASSABLE


class PageStatus(StrEnum):
    """How reading one page ended."""

    READ = "read"
    EMPTY = "empty"
    BLOCKED = "blocked"
    REFUSED = "refused"
    NOT_FOUND = "not_found"
    TIMED_OUT = "timed_out"
    OFFLINE = "offline"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"


@dataclass(frozen=True)
class WebPage:
    """A web page reduced to its main text. `url` is the address after redirects."""

    status: PageStatus
    url: str
    title: str = ""
    text: str = ""
    author: str = ""
    published: str = ""
    error: str = ""
    notes: tuple[str, ...] = ()
    """Omissions and degradations, such as a page that was read only up to a limit."""
    is_cached: bool = False
    """Whether it came from the cache and was not fetched again."""
    has_no_host: bool = False
    """Whether there is no host of its name (any more), so that it cannot be read."""


@dataclass(frozen=True)
class EngineInfo:
    """A search engine as shown in menus. `is_ready` is false while a required key is missing."""

    id: str
    name: str
    needs_key: bool
    is_ready: bool
    home: str = ""


@dataclass(frozen=True)
class EngineHealth:
    """The recent reliability of an engine, in this run of the program and the last one.

    `last` is None before its first search. `paused_s` is how long it is still paused after failures.
    `typical_s` is the median time of its last successful searches, 0 before the first. `query` is the query for
    which it was last blocked.
    """

    engine: str
    name: str
    last: SearchStatus | None = None
    error: str = ""
    failures: int = 0
    paused_s: float = 0.0
    typical_s: float = 0.0
    obstacle: Obstacle | None = None
    query: str = ""

    @property
    def can_be_shown(self) -> bool:
        """Return whether the user may get the engine to answer again by visiting its page."""
        return self.obstacle in PASSABLE


class InstallPhase(StrEnum):
    """The phase of a browser download."""

    STARTING = "starting"
    DOWNLOADING = "downloading"
    UNPACKING = "unpacking"


class InstallObstacle(StrEnum):
    """Why a browser could not be downloaded; the field `obstacle` of its `BrowserMissing`."""

    OFFLINE = "offline"
    SERVER = "server"
    DISK_FULL = "disk_full"
    FORBIDDEN = "forbidden"
    BUSY = "busy"
    OTHER = "other"


@dataclass(frozen=True)
class InstallProgress:
    """Progress of a browser download; `total_bytes` is 0 while it is unknown."""

    phase: InstallPhase
    done_bytes: int = 0
    total_bytes: int = 0
