"""One search of one engine through the browser, with its redirects resolved and the user's help if needed."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urljoin

import httpx

from desktop.domain.search import PASSABLE, Obstacle, SearchOutcome, SearchResult, SearchStatus
from desktop.errors import BrowserMissing
from desktop.phrases import translatable
from desktop.search.browser.browser import Browser, CookieJar, Rendered, RenderStatus
from desktop.search.engines import SearchOptions, SerpEngine
from desktop.search.engines.obstacles import WORDS
from desktop.search.engines.parse import read_page
from desktop.search.engines.redirects import is_opaque

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
            return _public(_scripted(await _beginning(response))) or url
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return url


async def _beginning(response: httpx.Response) -> str:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= _MOST_BYTES:
            break
    return body[:_MOST_BYTES].decode("utf-8", "replace")


def _scripted(html: str) -> str:
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
