"""Engines that fail in all ways: told as what they are, and another one answers."""

import asyncio
import random
from collections import Counter
from pathlib import Path
from time import monotonic

import httpx

from desktop.domain.search import SearchStatus
from desktop.search.browser.browser import Browser, BrowserOptions
from desktop.search.web_search import WebSearch
from desktop.settings.model import SearchSettings
from tests.unit.search.serp_site import Answer, serving

CORPUS = Path(__file__).parents[1] / "corpus" / "serp"
FAULT_SHARE = 0.3
SLOWEST_S = 3.0


def corpus_page(name: str, **fields: object) -> Answer:
    return Answer((CORPUS / f"{name}.html").read_bytes(), **fields)


FAULTS = {
    "captcha": (corpus_page("duckduckgo-captcha"), SearchStatus.BLOCKED),
    "block page": (Answer("<h1>Access denied</h1>", code=403), SearchStatus.BLOCKED),
    "too many": (Answer("<h1>Slow down</h1>", code=429), SearchStatus.BLOCKED),
    "led to /sorry": (Answer("", code=302, location="/sorry/index"), SearchStatus.BLOCKED),
    "empty body": (Answer(""), SearchStatus.LAYOUT_CHANGED),
    "changed layout": (corpus_page("unknown-changed"), SearchStatus.LAYOUT_CHANGED),
    "time-out": (Answer("", is_held=True), SearchStatus.TIMED_OUT),
}


async def no_secret(_name: str) -> str:
    return ""


async def trial(count: int, chance: random.Random) -> tuple[Counter[str], list[float], int]:
    """Search `count` times; return what went wrong, how long each took, and how many were answered in time."""
    wrong: Counter[str] = Counter()
    times, in_time = [], 0
    good = {"duckduckgo": corpus_page("duckduckgo-results"), "bing": corpus_page("bing-results")}
    async with Browser(BrowserOptions()) as browser, httpx.AsyncClient() as client:
        await browser.start()
        for _ in range(count):
            with serving({"/sorry/index": corpus_page("google-sorry")}) as first, serving() as second:
                first.pages["/html/"], second.pages["/search"] = good["duckduckgo"], good["bing"]
                fault = chance.choice(list(FAULTS)) if chance.random() < FAULT_SHARE else ""
                if fault:
                    first.pages["/html/"] = FAULTS[fault][0]
                settings = SearchSettings(
                    engine_order=("duckduckgo", "bing"),
                    result_count=3,
                    engine_addresses=(("duckduckgo", first.base), ("bing", second.base)),
                )
                web = WebSearch(
                    settings, browser=browser, secret=no_secret, client=client, pace_s=0, hedge_s=1.0
                )
                started = monotonic()
                outcomes = await web.search("lantern moth")
                took_s = monotonic() - started
                times.append(took_s)
                by_engine = {outcome.engine: outcome.status for outcome in outcomes}
                if fault and by_engine.get("duckduckgo") not in {FAULTS[fault][1], SearchStatus.TIMED_OUT}:
                    wrong[f"{fault} told as {by_engine.get('duckduckgo')}"] += 1
                is_answered = SearchStatus.RESULTS in by_engine.values()
                in_time += is_answered and took_s <= SLOWEST_S
                if not is_answered:
                    wrong[f"{fault or 'no fault'}: not answered"] += 1
    return wrong, times, in_time


def test_engines_that_fail_are_told_as_what_they_are_and_replaced(times, told):
    count = times(8, 1_000)
    wrong, seconds, in_time = asyncio.run(trial(count, random.Random(21)))
    assert wrong == Counter()
    median, slowest = sorted(seconds)[count // 2], max(seconds)
    told(
        "Searches of which 30 % meet a captcha, a block page, /sorry, an empty or changed page, or silence",
        count,
        f"0 told as nothing found; {in_time:,} answered within 3 s (median {median:.1f} s, slowest {slowest:.1f} s)",
    )
