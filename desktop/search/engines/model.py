"""The definition of a search engine: addresses, selectors and obstacle patterns, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from desktop.domain.search import Obstacle, SafeSearch, TimeRange

__all__ = ["Layout", "Obstacle", "ObstaclePattern", "SearchOptions", "SerpEngine"]

_USUAL_COUNT = 10


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search besides the query; an engine ignores those it does not support.

    `language` is a BCP 47 tag such as zh-CN or en, `region` an ISO 3166 code such as CN; both may be empty.
    `page` counts from 1.
    """

    language: str = ""
    region: str = ""
    count: int = 10
    page: int = 1
    time_range: TimeRange = ""
    safe: SafeSearch = "moderate"

    def extra_count(self, most: int = 100) -> str:
        """Return how many results to ask for, at most `most`; empty for the ten that engines show anyway."""
        return str(min(self.count, most)) if self.count > _USUAL_COUNT else ""

    @property
    def primary_language(self) -> str:
        """The language without script or country: zh for zh-CN."""
        return self.language.replace("_", "-").partition("-")[0].lower()

    @property
    def country(self) -> str:
        """The region, or else the country in the language tag; upper case, or empty."""
        tail = self.language.replace("_", "-").rpartition("-")[2]
        found = self.region or (tail if tail != self.language and len(tail) == 2 else "")  # noqa: PLR2004 - ISO 3166
        return found.upper()

    @property
    def offset(self) -> int:
        """The number of results before this page, at ten per page."""
        return (self.page - 1) * 10


Parameters = Callable[[str, SearchOptions], Mapping[str, str]]


@dataclass(frozen=True)
class Layout:
    """CSS selectors for the results of one generation of an engine's pages.

    `seen` is when such pages were last observed. `link`, `title` and `snippet` are searched inside a block that
    `result` matches. Without `link`, `result` matches the links themselves, and the block of a link is the
    content around it that belongs to no other link. Without `title`, the link text is the title. `address`
    names attributes of the block or its link that hold the target if `href` is only a redirect.
    """

    seen: str
    result: str
    link: str = ""
    title: str = ""
    snippet: str = ""
    address: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObstaclePattern:
    """How to recognize an obstacle: a selector, or a pattern in the visible text (case-insensitive)."""

    obstacle: Obstacle
    selector: str = ""
    text: str = ""


@dataclass(frozen=True)
class SerpEngine:
    """A search engine that is read through its result pages.

    `cut` selects ads and the engine's own cards, which are removed first. `empty` and `empty_text` match pages
    without results. `reject` selects the buttons that refuse cookies. `site` is a host: only its pages and
    those of its subdomains count as results; if empty, all pages count.
    """

    id: str
    name: str
    home: str
    address: str
    parameters: Parameters
    layouts: tuple[Layout, ...] = ()
    cut: str = ""
    signs: tuple[ObstaclePattern, ...] = ()
    empty: str = ""
    empty_text: str = ""
    reject: tuple[str, ...] = ()
    site: str = ""

    def search_url(self, query: str, options: SearchOptions | None = None, *, base: str = "") -> str:
        """Return the address of the result page; `base` replaces scheme and host."""
        parts = urlsplit(self.address)
        origin = urlsplit(base) if base else parts
        given = self.parameters(query, options or SearchOptions())
        encoded = urlencode({name: value for name, value in given.items() if value})
        return urlunsplit((origin.scheme, origin.netloc, parts.path, encoded, ""))

    @property
    def awaited(self) -> tuple[str, ...]:
        """Selectors, one of which matches as soon as the page can be read, whatever its content."""
        results = tuple(layout.result for layout in self.layouts)
        known = tuple(sign.selector for sign in self.signs if sign.selector)
        return tuple(selector for selector in (*results, self.empty, *known) if selector)
