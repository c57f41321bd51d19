"""Searches the web: chooses engines and asks them, replaces slow and failing ones, and reports every attempt."""

import asyncio
import re
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

from desktop.domain.addresses import leads_to_a_server
from desktop.domain.search import (
    PASSABLE,
    WEB_AUTO,
    WEB_OFF,
    WIKIPEDIA,
    EngineHealth,
    EngineInfo,
    Obstacle,
    SearchOutcome,
    SearchResult,
    SearchStatus,
)
from desktop.errors import BrowserMissing, StaysHere, UnknownEngine
from desktop.phrases import IN_SETTINGS, translatable
from desktop.search.apis import APIS
from desktop.search.apis.client import ApiAccess, call_api
from desktop.search.browser.browser import Browser, CookieJar, Rendered, RenderStatus
from desktop.search.engine_status import (
    Clock,
    EngineHealthStore,
    RequestSpacing,
    SecretLookup,
    available_engines,
    fingerprint,
    is_ready,
    serp_of,
)
from desktop.search.engines import ENGINES, is_template
from desktop.search.engines.document import WORDS
from desktop.search.engines.model import SearchOptions, SerpEngine
from desktop.search.engines.parse import is_opaque, read_page
from desktop.search.result_merging import fuse
from desktop.search.site_filter import SiteFilter
from desktop.settings import egress
from desktop.settings.model import SearchSettings
from desktop.settings.secrets import KeyCooldown
from desktop.text.decode import printable_line

_REDIRECT_TIMEOUT_S = 3.0
_MOST_BYTES = 16_384
_SCRIPTED = re.compile(
    r"(?:location\.replace\(|location\.href\s*=\s*|content=[\"']\d+;\s*url=)\s*[\"']?(https?://[^\"'<>\s)]+)",
    re.IGNORECASE,
)


async def resolve_links(
    results: Sequence[SearchResult], client: httpx.AsyncClient
) -> tuple[SearchResult, ...]:
    """Return `results` with their real targets; a link that cannot be resolved stays unchanged."""
    urls = await asyncio.gather(*(_target(result.url, client) for result in results))
    return tuple(replace(result, url=url) for result, url in zip(results, urls, strict=True))


async def _target(url: str, client: httpx.AsyncClient) -> str:
    """Resolve a redirect by a request to the engine's server only; the target is not connected to."""
    if not is_opaque(url):
        return url
    try:
        async with client.stream("GET", url, follow_redirects=False, timeout=_REDIRECT_TIMEOUT_S) as response:
            location = response.headers.get("location", "")
            if location:
                return _public(urljoin(url, location)) or url
            return _public(_find_script(await _beginning(response))) or url
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return url


async def _beginning(response: httpx.Response) -> str:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= _MOST_BYTES:
            break
    return body[:_MOST_BYTES].decode("utf-8", "replace")


def _find_script(html: str) -> str:
    match = _SCRIPTED.search(html)
    return match[1] if match else ""


def _public(url: str) -> str:
    return url if url.startswith(("http://", "https://")) else ""


_TIMEOUT_S = 12.0

_SLOW = translatable("{engine} did not respond in time.")
_UNREACHABLE = translatable("{engine} can’t be reached. Check your connection.")
_REFUSED = translatable("The address of {engine} is in a private network and was not opened.")
_BROKEN = translatable("{engine} couldn’t be opened: {detail}")
_NO_SCREEN = translatable("There is no screen on which the page of {engine} can be shown.")
_FAILING = translatable("{engine} has an error (HTTP {code}).")

_BY_CODE = {429: Obstacle.RATE_LIMIT, 403: Obstacle.REFUSED, 451: Obstacle.REFUSED, 503: Obstacle.RATE_LIMIT}
_SERVER_FAILED = 500
_FINAL = frozenset({Obstacle.CAPTCHA, Obstacle.CONSENT, Obstacle.RATE_LIMIT, Obstacle.REFUSED})
"""Obstacles that persist after all scripts have run."""
_SELF_SOLVING = "/cdn-cgi/challenge-platform"
"""Cloudflare lets some browsers pass after an automatic check."""


async def search_page(
    engine: SerpEngine,
    query: str,
    options: SearchOptions,
    *,
    browser: Browser,
    client: httpx.AsyncClient,
    base: str = "",
) -> SearchOutcome:
    """Search with an engine; refuses cookies if asked, and resolves opaque links."""
    url = engine.search_url(query, options, base=base)
    try:
        outcome = await _load(engine, query, url, browser)
        if outcome.obstacle is Obstacle.CONSENT and engine.reject:
            outcome = await _load(engine, query, url, browser, is_consent_refused=True)
    except BrowserMissing as error:
        return SearchOutcome(SearchStatus.OFFLINE, engine.id, query, error=str(error))
    return replace(outcome, results=await resolve_links(outcome.results, client))


async def show_page(
    engine: SerpEngine,
    query: str,
    options: SearchOptions,
    *,
    browser: Browser,
    client: httpx.AsyncClient,
    base: str = "",
) -> SearchOutcome:
    """Let the user solve the engine's check in a window without a timeout, then search.

    Cancelling closes the window. The resulting cookies are kept even if the user closes it.
    """
    url = engine.search_url(query, options, base=base)
    try:
        shown = await browser.show(url, is_done=lambda html: _has_answer(engine, html, url))
    except BrowserMissing as error:
        return SearchOutcome(SearchStatus.OFFLINE, engine.id, query, error=str(error))
    failure = _failure(engine, query, shown)
    if failure is not None:
        return failure
    if not shown.html:  # closed by the user: the next search shows whether the check is solved
        return await search_page(engine, query, options, browser=browser, client=client, base=base)
    outcome = await asyncio.to_thread(read_page, engine, shown.html, shown.url, query)
    return replace(outcome, results=await resolve_links(outcome.results, client))


def _has_answer(engine: SerpEngine, html: str, url: str) -> bool:
    return read_page(engine, html, url).status in {SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND}


async def _load(
    engine: SerpEngine, query: str, url: str, browser: Browser, *, is_consent_refused: bool = False
) -> SearchOutcome:
    served: dict[str, SearchOutcome] = {}

    def is_enough(html: str) -> bool:
        outcome = served[html] = read_page(engine, html, url, query)
        is_final = outcome.obstacle in _FINAL and not is_consent_refused and _SELF_SOLVING not in html
        return outcome.status is SearchStatus.RESULTS or is_final

    def is_wall(html: str) -> bool:
        return read_page(engine, html, url, query).obstacle in _FINAL

    rendered = await browser.fetch(
        url,
        wait_for=engine.awaited,
        click=engine.reject if is_consent_refused else (),
        is_enough=is_enough,
        is_wall=is_wall,
        timeout_s=_TIMEOUT_S,
        purpose=CookieJar.SEARCH,
    )
    failure = _failure(engine, query, rendered)
    if not rendered.html and failure is not None:
        return failure
    outcome = served.get(rendered.html) if rendered.url == url else None
    if outcome is None:
        outcome = await asyncio.to_thread(read_page, engine, rendered.html, rendered.url, query)
    is_known = rendered.status is RenderStatus.TIMED_OUT and outcome.obstacle is not None
    if outcome.status is SearchStatus.RESULTS or is_known:
        return outcome
    return failure or _by_code(engine, query, rendered.http_status, outcome) or outcome


def _failure(engine: SerpEngine, query: str, rendered: Rendered) -> SearchOutcome | None:
    status, words = {
        RenderStatus.LOADED: (None, ""),
        RenderStatus.TIMED_OUT: (SearchStatus.TIMED_OUT, _SLOW),
        RenderStatus.OFFLINE: (SearchStatus.OFFLINE, _UNREACHABLE),
        RenderStatus.NO_PROXY: (SearchStatus.OFFLINE, _BROKEN),
        RenderStatus.REFUSED: (SearchStatus.OFFLINE, _REFUSED),
        RenderStatus.FAILED: (SearchStatus.OFFLINE, _BROKEN),
        RenderStatus.NO_SCREEN: (SearchStatus.BLOCKED, _NO_SCREEN),
    }[rendered.status]
    if status is None:
        return None
    return SearchOutcome(
        status, engine.id, query, error=words.format(engine=engine.name, detail=rendered.error)
    )


def _by_code(engine: SerpEngine, query: str, code: int, read: SearchOutcome) -> SearchOutcome | None:
    """Return the outcome for an HTTP status without results; an obstacle on the page itself is more precise."""
    is_precise = read.obstacle in PASSABLE and read.obstacle is not Obstacle.SCRIPT
    obstacle = read.obstacle if is_precise else _BY_CODE.get(code)
    if obstacle is not None:
        words = WORDS[obstacle].format(engine=engine.name)
        return SearchOutcome(SearchStatus.BLOCKED, engine.id, query, error=words, obstacle=obstacle)
    if code >= _SERVER_FAILED:
        words = _FAILING.format(engine=engine.name, code=code)
        return SearchOutcome(SearchStatus.OFFLINE, engine.id, query, error=words)
    return None


_PREFERRED_API = "tavily"
_LONGEST_QUERY_CHARS = 500
_PACE_S = 1.0
_HEDGE_S = 3.0
"""How long an engine may take before the next one is asked in parallel; fast engines get less."""
_SHORTEST_HEDGE_S = 0.5
_UNUSUALLY_SLOW = 2.0
"""An engine that takes this many times longer than usual will probably not respond."""

_TOTAL_S = 10.0
"""How long a whole search with several engines may take."""
_MOST_RIVALS = 4
"""How many engines are searched in parallel after earlier ones failed.

The browser loads the same number of pages in parallel.
"""

_HARMLESS = "Wikipedia"
"""The query that tests whether an engine responds."""

_LEFT_ALONE = translatable("{name} is paused for another {seconds} s after an error: {error}")
_NOT_AN_ADDRESS = translatable("The address of {name} does not work. Check it {in_settings}.")
_OVERTAKEN = translatable("{name} was too slow; another engine answered first.")
_TOO_LATE = translatable("{name} did not respond within {seconds} s.")
_NO_QUERY = translatable("There is nothing to search for.")


class WebSearch:
    """Searches with the engines that the user chose; belongs to one event loop.

    `settings` may be replaced at any time; the next search uses the new ones.
    """

    def __init__(
        self,
        settings: SearchSettings,
        *,
        browser: Browser,
        secret: SecretLookup,
        client: httpx.AsyncClient,
        pace_s: float = _PACE_S,
        hedge_s: float = _HEDGE_S,
        total_s: float = _TOTAL_S,
        clock: Clock = time.monotonic,
        health_file: Path | None = None,
        rests: KeyCooldown | None = None,
        sites: SiteFilter | None = None,
    ) -> None:
        """Create the search; the caller closes `client`, which carries the proxy settings, and `browser`.

        `health_file` keeps the health of the engines between runs. `sites` filters results.
        """
        self.settings = settings
        self._browser = browser
        self._secret = secret
        self._client = client
        self._health = EngineHealthStore(file=health_file)
        self._pace = RequestSpacing(pace_s, clock)
        self._hedge_s = hedge_s
        self._total_s = total_s
        self._clock = clock
        self._rests = rests or KeyCooldown()
        self._sites = sites
        self._windows: dict[str, asyncio.Task[SearchOutcome]] = {}

    async def search(
        self,
        query: str,
        choice: str = WEB_AUTO,
        count: int | None = None,
        options: SearchOptions | None = None,
    ) -> tuple[SearchOutcome, ...]:
        """Search until `count` different results are found or no engine is left.

        Args:
            query: the query; control characters and everything beyond 500 characters are dropped.
            choice: off, auto, or an engine, which is the only one used unless `fills_up` is set.
            count: the number of wanted results; None means as in the settings.
            options: language, region and so on; None means as in the settings.

        Returns:
            All attempts in the order in which they ended, including failures. `fuse` merges them into one list.

        Raises:
            UnknownEngine: `choice` is none of `engines()`.
        """
        wanted = self.settings.result_count if count is None else count
        plan = await self._plan(choice)
        cleaned = printable_line(query, _LONGEST_QUERY_CHARS)
        if not plan:
            return ()
        if not cleaned:
            return (SearchOutcome(SearchStatus.NOTHING_FOUND, plan[0], query[:80], error=_NO_QUERY),)
        if egress.current().stays_here:  # not the engine's failure, so no engine is paused for it
            kept_here = str(StaysHere(host=plan[0]))
            return (SearchOutcome(SearchStatus.OFFLINE, plan[0], cleaned, error=kept_here),)
        return await self._run(plan, cleaned, options or self._options(wanted), wanted)

    async def test(self, engine: str) -> SearchOutcome:
        """Run a test query with a single engine, whatever its health.

        Raises:
            UnknownEngine: there is none with this name.
        """
        self._check(engine)
        return await self._ask(engine, _HARMLESS, self._options())

    async def show(self, engine: str, query: str = "") -> SearchOutcome:
        """Show an engine's page to the user until it returns results; there is no timeout.

        `query` defaults to the one for which the engine was last blocked. Cancelling closes the window.

        Raises:
            UnknownEngine: there is none of this name that has a page.
        """
        self._check(engine)
        if engine in APIS:
            raise UnknownEngine(engine=engine, known=", ".join(ENGINES))
        sought = printable_line(query, _LONGEST_QUERY_CHARS) or self._health.of(engine, "").query or _HARMLESS
        window = self._windows[engine] = asyncio.create_task(self._show(engine, sought))
        try:
            return await window
        finally:
            window.cancel()
            if self._windows.get(engine) is window:
                del self._windows[engine]

    async def _show(self, engine: str, query: str) -> SearchOutcome:
        outcome = await show_page(
            serp_of(engine, self.settings),
            query,
            self._options(),
            browser=self._browser,
            client=self._client,
            base=self._base(engine),
        )
        if _is_answer(outcome):
            self._health.forgive(engine)
            await asyncio.to_thread(self._health.save)
        return await self._filter_outcome(outcome)

    async def after_help(self, outcomes: Sequence[SearchOutcome]) -> tuple[SearchOutcome, ...]:
        """Wait while the user solves checks that `show` has open for blocked `outcomes`; there is no timeout.

        Returns:
            The new responses of those engines; empty if no such page is open or the engines remain blocked.
        """
        stuck = [outcome for outcome in outcomes if outcome.can_be_shown and outcome.engine in self._windows]
        windows = [self._windows[outcome.engine] for outcome in stuck]
        if windows:
            await asyncio.wait(windows)
        answers = []
        for outcome, window in zip(stuck, windows, strict=True):
            shown = None if window.cancelled() or window.exception() else window.result()
            if shown is None or not _is_answer(shown):
                continue
            is_same = shown.query == outcome.query
            answers.append(
                shown if is_same else await self._ask(outcome.engine, outcome.query, self._options())
            )
        return tuple(answers)

    async def engines(self) -> tuple[EngineInfo, ...]:
        """Return all engines: those without a key first, each group in the user's order."""
        return await available_engines(self.settings, self._secret)

    async def health(self) -> tuple[EngineHealth, ...]:
        """Return the health of every engine, in the order of `engines`."""
        ready = [info for info in await self.engines() if info.is_ready]
        await self._notice_changes([info.id for info in ready])
        return tuple(self._health.of(info.id, info.name) for info in ready)

    async def _notice_changes(self, engines: Iterable[str]) -> None:
        """Forget the health of engines whose key, address or settings have changed."""
        for engine in engines:
            if self._health.forget_if_changed(engine, await self._setup(engine)):
                self._rests.forget(engine)

    async def _setup(self, engine: str) -> str:
        """Return a fingerprint of all settings that the user may correct after an engine failed."""
        settings = self.settings
        secret = await self._secret(f"search/{engine}") if engine in APIS else ""
        wishes = (settings.language, settings.region, settings.safe_search, settings.time_range)
        return fingerprint(secret, self._base(engine), settings.browser_path, *wishes)

    def forgive(self, engine: str) -> None:
        """End the pause of an engine, after the user has solved its check."""
        self._health.forgive(engine)

    def _options(self, count: int = 10) -> SearchOptions:
        """Return the search options from the user's settings."""
        settings = self.settings
        return SearchOptions(
            settings.language,
            settings.region,
            count=max(count, 10),
            time_range=settings.time_range,
            safe=settings.safe_search,
        )

    def _base(self, engine: str) -> str:
        return dict(self.settings.engine_addresses).get(engine, "")

    async def _plan(self, choice: str) -> list[str]:
        """Return the engines to use, in order."""
        if choice == WEB_OFF:
            return []
        can_ask = partial(is_ready, settings=self.settings, secret=self._secret)
        if choice == WEB_AUTO:
            first = [_PREFERRED_API] if await can_ask(_PREFERRED_API) else []
        else:
            self._check(choice)
            first = [choice]
        if choice != WEB_AUTO and (choice == WIKIPEDIA or not self.settings.fills_up):
            return first  # a user who names an engine decides who receives the question
        order = [engine for engine in self.settings.engine_order if _is_known(engine)]
        ready = [engine for engine in order if engine not in APIS or await can_ask(engine)]
        return list(dict.fromkeys([*first, *ready]))

    async def _run(
        self, plan: Sequence[str], query: str, options: SearchOptions, wanted: int
    ) -> tuple[SearchOutcome, ...]:
        """Ask the engines in order until there are enough results; slow or failing ones get more rivals.

        Paused engines are used only if no other one responds.
        """
        await self._notice_changes(plan)
        paused = [engine for engine in plan if self._health.pause_s(engine) > 0]
        waiting = deque([*(engine for engine in plan if engine not in paused), *paused])
        outcomes: list[SearchOutcome] = []
        running: dict[asyncio.Task[SearchOutcome], str] = {}
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + self._total_s
        failures = 0
        try:
            while waiting or running:
                if waiting and waiting[0] in paused and any(map(_is_answer, outcomes)):
                    waiting.clear()
                    continue
                for _ in range(min(max(failures, 1), _MOST_RIVALS, len(waiting))):
                    engine = waiting.popleft()
                    running[asyncio.create_task(self._ask(engine, query, options))] = engine
                patience = self._patience_s(running.values()) if waiting else None
                if len(outcomes) + len(running) > 1 or waiting:
                    left_s = max(ends_at - loop.time(), 0.0)
                    patience = left_s if patience is None else min(patience, left_s)
                done, _ = await asyncio.wait(running, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    del running[task]
                    outcomes.append(task.result())
                if len(fuse(outcomes)) >= wanted or loop.time() >= ends_at:
                    break
                failures = 0 if any(_is_answer(task.result()) for task in done) else failures + 1
            is_beaten = any(map(_is_answer, outcomes))
            outcomes.extend(self._report_timeout(engine, query, is_beaten) for engine in running.values())
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        asked = {outcome.engine for outcome in outcomes}
        return (*(self._report_pause(engine, query) for engine in paused if engine not in asked), *outcomes)

    def _patience_s(self, engines: Collection[str]) -> float:
        """Return how long to wait before a rival is started: less for engines that are known to be fast."""
        known = [self._health.of(engine, "").typical_s for engine in engines]
        usual = max((_UNUSUALLY_SLOW * seconds for seconds in known if seconds), default=self._hedge_s)
        return min(max(usual, _SHORTEST_HEDGE_S), self._hedge_s)

    async def _ask(self, engine: str, query: str, options: SearchOptions) -> SearchOutcome:
        base = self._base(engine)
        address = base or (APIS[engine].base if engine in APIS else serp_of(engine, self.settings).address)
        if address and not leads_to_a_server(address):
            words = _NOT_AN_ADDRESS.format(name=self.name(engine), **IN_SETTINGS)
            return SearchOutcome(SearchStatus.OFFLINE, engine, query, error=words)
        await self._pace.wait(urlsplit(address).netloc or engine)
        started = self._clock()
        setup = await self._setup(engine)
        self._health.forget_if_changed(engine, setup)
        if engine in APIS:
            secret = await self._secret(f"search/{engine}")
            access = ApiAccess(self._client, secret, base, rests=self._rests)
            outcome = await call_api(APIS[engine], query, options, access)
        else:
            outcome = await search_page(
                serp_of(engine, self.settings),
                query,
                options,
                browser=self._browser,
                client=self._client,
                base=base,
            )
        seconds = self._clock() - started
        self._health.note(outcome, seconds, setup)
        await asyncio.to_thread(self._health.save)
        return replace(await self._filter_outcome(outcome), seconds=seconds)

    async def _filter_outcome(self, outcome: SearchOutcome) -> SearchOutcome:
        return outcome if self._sites is None else await self._sites.filter_outcome(outcome)

    def name(self, engine: str) -> str:
        """Return the display name of an engine."""
        return APIS[engine].name if engine in APIS else serp_of(engine, self.settings).name

    def _report_pause(self, engine: str, query: str) -> SearchOutcome:
        known = self._health.of(engine, self.name(engine))
        words = _LEFT_ALONE.format(name=known.name, seconds=round(known.paused_s), error=known.error)
        status = known.last or SearchStatus.BLOCKED
        return SearchOutcome(status, engine, query, error=words, obstacle=known.obstacle)

    def _report_timeout(self, engine: str, query: str, is_beaten: bool) -> SearchOutcome:
        words = _OVERTAKEN if is_beaten else _TOO_LATE
        words = words.format(name=self.name(engine), seconds=round(self._total_s))
        outcome = SearchOutcome(SearchStatus.TIMED_OUT, engine, query, error=words)
        self._health.note(outcome, self._hedge_s)
        return outcome

    def _check(self, engine: str) -> None:
        if not _is_known(engine):
            raise UnknownEngine(engine=engine, known=", ".join((*ENGINES, *APIS)))


def _is_known(engine: str) -> bool:
    return engine in ENGINES or engine in APIS or is_template(engine)


def _is_answer(outcome: SearchOutcome) -> bool:
    return outcome.status in {SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND}
