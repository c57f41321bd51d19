"""Mojeek."""

from collections.abc import Mapping

from desktop.search.engines.model import Layout, Obstacle, ObstaclePattern, SearchOptions, SerpEngine

_RANGES = {"day": "day", "week": "week", "month": "month", "year": "year"}


def _parameters(query: str, options: SearchOptions) -> Mapping[str, str]:
    return {
        "q": query,
        "lb": options.primary_language,
        "arc": options.country.lower(),
        "t": options.extra_count(20),
        "s": str(options.offset + 1) if options.page > 1 else "",
        "since": _RANGES.get(options.time_range, ""),
        "safe": {"strict": "1", "off": "0"}.get(options.safe, ""),
    }


MOJEEK = SerpEngine(
    id="mojeek",
    name="Mojeek",
    home="https://www.mojeek.com/",
    address="https://www.mojeek.com/search",
    parameters=_parameters,
    layouts=(
        Layout(
            seen="2026-04",
            result="ul.results-standard > li",
            link="h2 a[href], a.title[href]",
            title="h2",
            snippet="p.s",
        ),
    ),
    cut=".ads, li.ad",
    signs=(
        ObstaclePattern(Obstacle.REFUSED, text=r"403 - forbidden|automated queries"),
        ObstaclePattern(Obstacle.CAPTCHA, selector="form[action*='captcha']"),
    ),
    empty=".no-results, .results-nothing",
    empty_text=r"no pages found|no results found|didn.t match any",
)
