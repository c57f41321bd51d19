"""Three ways from a query to texts: Footnote's, a browser started for every query, and `networkidle`."""

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Self

import httpx
from playwright.async_api import Browser as Chromium
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from benchmarks.search.site import HOSTS, PAGES, Site
from desktop.domain.search import SearchOutcome, SearchStatus
from desktop.search.browser.browser import Browser, BrowserOptions
from desktop.search.browser.discovery import find_browser, needs_no_sandbox
from desktop.search.engines import ENGINES
from desktop.search.fetcher import Fetcher
from desktop.search.gather import GatherInput, GatherResult, Retrievers, gather
from desktop.search.intent import explicit_intent
from desktop.search.reader.reader import PageReader
from desktop.search.ssrf_guard import SsrfGuard
from desktop.search.web_search import WebSearch
from desktop.settings.model import SearchSettings

LIMIT_MS = 10_000
"""What the others give a page: a third of Playwright's own default, in their favour."""

LINKS = """() => [...document.querySelectorAll('a.result__a, .b_algo h2 a, .results-standard h2 a')].map(a => a.href)"""


class Footnote:
    """The rooms as the program builds them, with engines and pages on loopback."""

    def __init__(self, site: Site, *, pace_s: float = 1.0) -> None:
        self._site = site
        self._pace_s = pace_s
        self.outcomes: list[SearchOutcome] = []

    async def __aenter__(self) -> Self:
        self._closing = AsyncExitStack()
        guard = SsrfGuard(("127.0.0.1", *HOSTS))
        options = BrowserOptions(is_allowed=guard.may_request, addresses=guard.addresses)
        self.browser = await self._closing.enter_async_context(Browser(options))
        client = await self._closing.enter_async_context(httpx.AsyncClient())
        fetcher = Fetcher(guard)
        self._closing.push_async_callback(fetcher.aclose)
        self.reader = PageReader(fetcher, self.browser)
        self._closing.push_async_callback(self.reader.aclose)
        settings = SearchSettings(
            engine_order=tuple(self._site.engines), engine_addresses=tuple(self._site.engines.items())
        )
        self.web = WebSearch(
            settings, browser=self.browser, secret=_no_secret, client=client, pace_s=self._pace_s
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._closing.aclose()

    async def ask(self, query: str) -> int:
        """Return how many sources gave passages."""
        inquiry = GatherInput(query, intent=explicit_intent(query, [query]), result_count=PAGES)
        async for event in gather(inquiry, Retrievers(self.reader.read, self.web)):
            if isinstance(event, GatherResult):
                self.outcomes = list(event.outcomes)
                return len({passage.url for passage in event.passages})
        return 0

    async def search(self, query: str) -> bool:
        """Search only, and say whether there are results."""
        self.outcomes = list(await self.web.search(query, count=PAGES))
        return any(outcome.status is SearchStatus.RESULTS for outcome in self.outcomes)


async def _no_secret(_name: str) -> str:
    return ""


class _Plain:
    """What both others do: one engine after the other, then all pages at once."""

    waits_for = "load"

    def __init__(self, site: Site) -> None:
        self._site = site

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def _launched(self, playwright) -> Chromium:
        return await playwright.chromium.launch(
            executable_path=find_browser("", playwright.chromium.executable_path),
            chromium_sandbox=not needs_no_sandbox(),
        )

    async def _asked(self, chromium: Chromium, query: str) -> int:
        context = await chromium.new_context()
        try:
            links = await self._links(context, query)
            texts = await asyncio.gather(*(self._text(context, link) for link in links[:PAGES]))
            return sum(len(text) > 600 for text in texts)
        finally:
            await context.close()

    async def _links(self, context, query: str) -> list[str]:
        page = await context.new_page()
        for engine, base in self._site.engines.items():
            with suppress(PlaywrightError):
                url = ENGINES[engine].search_url(query, base=base)
                await page.goto(url, wait_until=self.waits_for, timeout=LIMIT_MS)
                if links := await page.evaluate(LINKS):
                    return links
        return []

    async def _text(self, context, link: str) -> str:
        with suppress(PlaywrightError):
            page = await context.new_page()
            await page.goto(link, wait_until=self.waits_for, timeout=LIMIT_MS)
            return await page.evaluate("() => document.body.innerText")
        return ""


class ColdBrowser(_Plain):
    """A browser for every query."""

    async def ask(self, query: str) -> int:
        async with async_playwright() as playwright:
            chromium = await self._launched(playwright)
            try:
                return await self._asked(chromium, query)
            finally:
                await chromium.close()


class NetworkIdle(_Plain):
    """A warm browser that waits until nothing is loaded any more."""

    waits_for = "networkidle"

    async def __aenter__(self) -> Self:
        self._playwright = await async_playwright().start()
        self._chromium = await self._launched(self._playwright)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._chromium.close()
        await self._playwright.stop()

    async def ask(self, query: str) -> int:
        return await self._asked(self._chromium, query)
