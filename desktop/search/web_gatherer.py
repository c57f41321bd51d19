"""The web part of a gathering: queries → results → pages, each with its steps."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.search import PageStatus, SearchOutcome, SearchResult, SearchStatus, WebPage
from desktop.domain.sources import canonical_url, host_of
from desktop.errors import SearchError
from desktop.phrases import sentences, translatable
from desktop.search.passage_selection import Candidate, Reading, WebFinding
from desktop.search.result_merging import fuse

GatherEvent = StepStarted | StepFinished


class GatherSteps:
    """Starts and ends steps; puts every change into `events` at once."""

    def __init__(self, events: "asyncio.Queue[GatherEvent | None]") -> None:
        self._events = events
        self._count = 0

    def start(self, kind: StepKind, subject: str = "") -> Step:
        """Start a step."""
        self._count += 1
        step = Step(self._count, kind, subject)
        self._events.put_nowait(StepStarted(step))
        return step

    def finish(
        self,
        step: Step,
        status: StepStatus = StepStatus.DONE,
        *,
        count: int | None = None,
        detail: str = "",
        subject: str = "",
    ) -> None:
        """End `step`, with a new subject if a better one is known by now."""
        ended = replace(step, status=status, count=count, detail=detail, subject=subject or step.subject)
        self._events.put_nowait(StepFinished(ended))

    def report(self, kind: StepKind, status: StepStatus, detail: str) -> None:
        """Start and end a step that only reports something."""
        self.finish(self.start(kind), status, detail=detail)


PAGE_LIMIT_S = 15.0

_PATIENCE = 1.5
_LONGEST_WAIT_S = 2.0
"""How much longer a page may take than those already read, once half of the wanted pages are read."""
_UNNOTICED_S = 0.5
"""The minimum time for a page, however fast the others are."""
_ENOUGH_TEXT_CHARS = 600
"""If an engine delivers at least this much text of a page, the page is not opened."""
_MOST_PAGES = 3
"""At most this many times the wanted number of pages is tried to replace failed ones."""
_SNIPPET_USED = translatable("Only its snippet was used.")
_NOT_NEEDED = translatable("Not needed: the model chose other queries or none.")
_SLOW = translatable("The page took too long.")
_NO_ENGINE = translatable("No search engine is set up.")
_NOTHING = translatable("Nothing was found.")
_FAILURES = frozenset(
    {SearchStatus.BLOCKED, SearchStatus.LAYOUT_CHANGED, SearchStatus.TIMED_OUT, SearchStatus.OFFLINE}
)


class WebSearcher(Protocol):
    """Searches the web; reports failures as outcomes."""

    async def search(
        self, query: str, choice: str = ..., count: int | None = ...
    ) -> tuple[SearchOutcome, ...]:
        """Return all attempts in the order in which they ended.

        Raises:
            SearchError: nothing can be asked at all.
        """
        ...

    async def after_help(self, outcomes: Sequence[SearchOutcome]) -> tuple[SearchOutcome, ...]:
        """Return new responses of engines whose check the user has solved; waits while a check is open."""
        ...


ReadWebPage = Callable[[str], Awaitable[WebPage]]
"""Returns the page at an address; a failure is in its status."""


class WebGatherer:
    """Searches all queries in parallel and reads their best pages as soon as they are known."""

    def __init__(
        self,
        searcher: WebSearcher | None,
        read: ReadWebPage,
        steps: GatherSteps,
        *,
        choice: str,
        count: int,
        page_limit_s: float = PAGE_LIMIT_S,
        without: Collection[str] = (),
        on_read: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Create a gatherer that reads `count` results besides the user's links.

        `without` contains canonical addresses to skip. `on_read` receives the text of each page at once.
        """
        self._on_read = on_read
        self._searcher = searcher
        self._read_page_at = read
        self._steps = steps
        self._choice = choice
        self._count = count
        self._page_limit_s = page_limit_s
        self._without = frozenset(
            map(canonical_url, without)
        )  # the canonical address also covers parts of a page
        self._reading: dict[str, asyncio.Task[Reading]] = {}
        self._failed: set[str] = set()
        self._linked: frozenset[str] = frozenset()
        self._under_way: dict[asyncio.Timeout, float] = {}
        self._read_count = 0
        self._slowest_s = 0.0
        self._spare: deque[SearchResult] = deque()
        self._begun: asyncio.Task[None] | None = None
        self._begun_queries: tuple[str, ...] = ()
        self._held_texts: list[str] | None = None
        self._early: dict[str, asyncio.Task[Reading]] = {}
        self.outcomes: list[SearchOutcome] = []
        self.not_needed: list[SearchOutcome] = []
        """Outcomes of queries that were started early and not used."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._begun is not None:
            self._begun.cancel()
            await asyncio.gather(self._begun, return_exceptions=True)

    def begin(self, queries: Sequence[str], links: Sequence[str]) -> None:
        """Start the probable queries and read their best pages before the decision is known."""
        self._linked = frozenset(map(canonical_url, links))
        if queries:
            self._held_texts = []
            self._begun_queries = tuple(queries)
            self._begun = asyncio.create_task(self._begin())

    async def _begin(self) -> None:
        async with asyncio.TaskGroup() as group:
            await self._search_all(self._begun_queries, group)

    async def _search_all(self, queries: Sequence[str], group: asyncio.TaskGroup) -> None:
        async with asyncio.TaskGroup() as searches:
            for query in queries:
                searches.create_task(self._search(query, -(-self._count // len(queries)), group))

    async def _reuse_early_search(self, queries: Sequence[str]) -> bool:
        """Keep or cancel the early search now that the queries are known; return whether it can be used.

        A cancelled search does not count, but pages it has read need not be read again.
        """
        if self._begun is None:
            return False
        texts, self._held_texts = self._held_texts or [], None
        if set(self._begun_queries) == set(queries):
            for text in texts:
                self._on_read(text)
            return True
        self._begun.cancel()
        (ended,) = await asyncio.gather(self._begun, return_exceptions=True)
        if isinstance(ended, BaseException) and not isinstance(ended, asyncio.CancelledError):
            raise ended
        self._begun = None
        read = {key: task for key, task in self._reading.items() if task.done() and not task.cancelled()}
        self._early = {key: task for key, task in read.items() if key not in self._failed}
        self._reading, self._failed = {}, set()
        self._read_count, self._slowest_s = 0, 0.0
        self.not_needed, self.outcomes = self.outcomes, []
        return False

    async def run(self, queries: Sequence[str], links: Sequence[str]) -> list[WebFinding]:
        """Return all findings, the user's links first, then results by their combined rank."""
        is_begun = await self._reuse_early_search(queries)
        linked = [SearchResult("", link) for link in links]
        self._linked = frozenset(map(_key, linked))
        async with asyncio.TaskGroup() as group:
            for result in self._filter_wanted(linked):
                self._read(result, group)
            if is_begun and self._begun is not None:
                await self._begun
            else:
                await self._search_all(queries, group)
            ranked = fuse(self.outcomes)
            most = self._count * _MOST_PAGES
            spare = self._filter_wanted(ranked)[:most]
            self._spare.extend(result for result in spare if _key(result) not in self._reading)
            self._refill(group)
        if await self._go_on():
            ranked = fuse(self.outcomes)
        found = {_key(result): result for result in (*linked, *ranked)}  # a result has more data than a link
        return [self._finding(result) for result in found.values()]

    async def _search(self, query: str, share: int, group: asyncio.TaskGroup) -> None:
        step = self._steps.start(StepKind.SEARCH, query)
        assert self._searcher is not None
        try:
            outcomes = await self._searcher.search(query, self._choice, self._count)
        except SearchError as error:
            self._steps.finish(step, StepStatus.FAILED, count=0, detail=str(error))
            return
        except asyncio.CancelledError:
            self._steps.finish(step, StepStatus.DONE, count=0, detail=_NOT_NEEDED)
            raise
        self.outcomes.extend(outcomes)
        results = fuse(outcomes)
        for result in self._filter_wanted(results)[:share]:
            self._read(result, group)
        self._steps.finish(step, _status(outcomes), count=len(results), detail=_describe_outcomes(outcomes))

    async def _go_on(self) -> bool:
        """Read the best results of engines that the user has unblocked; return whether there were any."""
        answers = () if self._searcher is None else await self._searcher.after_help(self.outcomes)
        for outcome in answers:
            step = self._steps.start(StepKind.SEARCH, outcome.query)
            self._steps.finish(
                step, _status([outcome]), count=len(outcome.results), detail=_describe_outcomes([outcome])
            )
        self.outcomes.extend(answers)
        async with asyncio.TaskGroup() as group:
            for result in self._filter_wanted(fuse(answers, self._count)):
                self._read(result, group)
        return bool(answers)

    def _read(self, result: SearchResult, group: asyncio.TaskGroup) -> None:
        key = _key(result)
        if key in self._early:
            self._reading[key] = self._early.pop(key)
            self._read_count += 1
            self._on_read(self._reading[key].result().page.text)
        elif key not in self._reading:
            self._reading[key] = group.create_task(self._read_page(result, group))

    def _filter_wanted(self, results: Sequence[SearchResult]) -> list[SearchResult]:
        return [result for result in results if not self._is_unwanted(result.url)]

    def _is_unwanted(self, url: str) -> bool:
        return canonical_url(url) in self._without

    async def _read_page(self, result: SearchResult, group: asyncio.TaskGroup) -> Reading:
        if len(result.text) >= _ENOUGH_TEXT_CHARS:
            page = WebPage(PageStatus.READ, result.url, result.title, result.text, published=result.published)
            return Reading(page, is_opened=False)
        step = self._steps.start(StepKind.READ, host_of(result.url) or result.url)
        started = time.monotonic()
        is_given_up = False
        try:
            async with self._limit_page(result):
                page = await self._read_page_at(result.url)
        except asyncio.CancelledError:
            self._steps.finish(step, StepStatus.DONE, count=0, detail=_NOT_NEEDED)
            raise
        except TimeoutError:
            is_given_up = self._is_half_read
            page = WebPage(PageStatus.TIMED_OUT, result.url, error=_SLOW)
        seconds = time.monotonic() - started
        self._report(step, result, page)
        if page.status is PageStatus.READ and not self._is_unwanted(page.url):
            self._read_count += 1
            self._tell_read(page.text)
            self._slowest_s = max(self._slowest_s, 0.0 if page.is_cached else seconds)
            self._shorten_wait()
        else:
            self._failed.add(_key(result))
            if not is_given_up:  # another one would be just as late
                self._refill(group)
        return Reading(page, seconds)

    def _tell_read(self, text: str) -> None:
        """Report a page's text once the queries are known."""
        if self._held_texts is None:
            self._on_read(text)
        else:
            self._held_texts.append(text)

    @asynccontextmanager
    async def _limit_page(self, result: SearchResult) -> AsyncIterator[None]:
        """Limit the time for a page; the limit shrinks as other pages finish."""
        if _key(result) in self._linked:  # the user's links are worth the wait
            async with asyncio.timeout(self._page_limit_s):
                yield
            return
        async with asyncio.timeout(self._page_limit_s) as limit:
            self._under_way[limit] = asyncio.get_running_loop().time()
            self._shorten_wait()
            try:
                yield
            finally:
                del self._under_way[limit]

    @property
    def _is_half_read(self) -> bool:
        return 2 * self._read_count >= self._count

    def _shorten_wait(self) -> None:
        """Shorten the wait for the last pages: the fewer are missing, the shorter."""
        if not self._is_half_read:
            return
        extra_s = _LONGEST_WAIT_S
        if self._slowest_s:  # cached pages say nothing about speed
            missing = len(self._under_way) / self._read_count
            extra_s = min(_PATIENCE * missing * self._slowest_s, _LONGEST_WAIT_S)
        for limit, started in self._under_way.items():
            latest = started + max(self._slowest_s + extra_s, _UNNOTICED_S)
            planned = limit.when()
            if planned is not None and planned > latest:
                limit.reschedule(latest)

    def _report(self, step: Step, result: SearchResult, page: WebPage) -> None:
        """End the step of a page with a message about its result."""
        if page.status is PageStatus.READ:
            status = StepStatus.DEGRADED if page.notes else StepStatus.DONE
            self._steps.finish(step, status, count=1, detail=sentences(page.notes))
            return
        words = sentences((page.error, _SNIPPET_USED)) if result.snippet else page.error
        status = StepStatus.DEGRADED if result.snippet else StepStatus.FAILED
        self._steps.finish(step, status, count=0, detail=words)

    def _refill(self, group: asyncio.TaskGroup) -> None:
        """Read lower-ranked results for every failed page, once the ranking is known."""
        while self._spare and len(self._reading) - len(self._failed) < self._count:
            self._read(self._spare.popleft(), group)

    def _finding(self, result: SearchResult) -> WebFinding:
        if _key(result) not in self._reading:
            return WebFinding(result, is_excluded=self._is_unwanted(result.url))
        reading = self._reading[_key(result)].result()
        candidate = _candidate(result, reading.page)
        if self._is_unwanted(candidate.url):  # its final address turned out to be excluded
            return WebFinding(result, reading, is_excluded=True)
        return WebFinding(result, reading, candidate if candidate.text else None)


def _candidate(result: SearchResult, page: WebPage) -> Candidate:
    if page.status is PageStatus.READ:
        return Candidate(page.url, page.title or result.title, page.text, page.published or result.published)
    return Candidate(
        result.url, result.title, result.text or result.snippet, result.published, is_snippet=True
    )


def _key(result: SearchResult) -> str:
    return canonical_url(result.url)


def _status(outcomes: Sequence[SearchOutcome]) -> StepStatus:
    """Return the status of a search; one without results is DONE if an engine confirms that there are none."""
    has_failures = any(outcome.status in _FAILURES for outcome in outcomes)
    if any(outcome.results for outcome in outcomes):
        has_notes = any(outcome.notes for outcome in outcomes)
        return StepStatus.DEGRADED if has_failures or has_notes else StepStatus.DONE
    found_nothing = any(outcome.status is SearchStatus.NOTHING_FOUND for outcome in outcomes)
    return StepStatus.DONE if found_nothing and not has_failures else StepStatus.FAILED


def _describe_outcomes(outcomes: Sequence[SearchOutcome]) -> str:
    """Return failures and degradations by engine, as a text for the user."""
    words = [text for outcome in outcomes for text in (outcome.error, *outcome.notes) if text]
    if not outcomes:
        words.append(_NO_ENGINE)
    elif not any(outcome.results for outcome in outcomes) and not words:
        words.append(_NOTHING)
    return sentences(dict.fromkeys(words))
