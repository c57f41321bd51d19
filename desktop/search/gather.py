"""Gathers the material for a question: web, files and memory in parallel, with semantic page scores."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from desktop.domain.knowledge import Retrieval, Retriever, TextSimilarity
from desktop.domain.messages import Message, Step, StepKind, StepStatus
from desktop.domain.models import Model
from desktop.domain.search import WEB_AUTO, WEB_OFF, WIKIPEDIA, SearchOutcome
from desktop.domain.sources import Passage, canonical_url, core_of, source_key
from desktop.domain.trace import Decider, SourceUse, Trace
from desktop.errors import KnowledgeError
from desktop.phrases import pluralize, sentences, translatable
from desktop.search.intent import LIMIT_S, Intent, Timed, decide, decide_by_keywords
from desktop.search.keywords import LEFT_OUT, is_answered_by_memory
from desktop.search.passage_selection import (
    MAX_SEARCHES,
    MAX_SOURCES,
    Candidate,
    FittedPassages,
    PassageMode,
    PassageSelection,
    SelectionResult,
    WebFinding,
    count_passage_tokens,
    fit_to_budget,
    select,
    tag_tokens,
    trace_pages,
    trace_passage,
    trace_search,
)
from desktop.search.web_gatherer import (
    PAGE_LIMIT_S,
    GatherEvent,
    GatherSteps,
    ReadWebPage,
    WebGatherer,
    WebSearcher,
)
from desktop.text.language import readable_share
from desktop.text.passages import Likeness, likely_windows
from desktop.text.tokens import estimate_tokens

_WINDOWS = 24
"""How many passages of a page are compared, best word scores first. Twelve give no better order."""
_MOST_QUERIES = 3
_READABLE = 0.8
"""Texts with a smaller share of letters that the embedding model can read are not compared."""
_SAMPLE_CHARS = 5_000
_PATIENCE_S = 0.15
"""How long an answer waits for outstanding comparisons after the last page."""


class SemanticScorer:
    """Scores pages by meaning while others are still being read. Late scores are dropped.

    `queries` are set as soon as they are known; pages that fit into `budget_tokens` need no selection.
    """

    def __init__(self, meanings: TextSimilarity | None, budget_tokens: int) -> None:
        self.queries: tuple[str, ...] = ()
        self._meanings = meanings
        self._budget_tokens = budget_tokens
        self._running: dict[str, asyncio.Task[Likeness]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def begin(self, text: str) -> None:
        """Start to compare the passages of a page."""
        if self._meanings is None or not self._meanings.is_warm or text in self._running:
            return
        asked = [query for query in self.queries if readable_share(query) >= _READABLE][:_MOST_QUERIES]
        if (
            asked
            and readable_share(text[:_SAMPLE_CHARS]) >= _READABLE
            and estimate_tokens(text) > self._budget_tokens
        ):
            self._running[text] = asyncio.create_task(_compare(self._meanings, asked, text))

    async def likenesses(self) -> Mapping[str, Likeness]:
        """Return the scores known by now, or after a short wait, by text."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_PATIENCE_S)
        return {text: task.result() for text, task in self._running.items() if task.done()}


async def _compare(meanings: TextSimilarity, asked: list[str], text: str) -> Likeness:
    """Return for each likely window its similarity to the closest query."""
    windows = await asyncio.to_thread(likely_windows, text, asked, _WINDOWS)
    texts = [*asked, *(text[start:end] for start, end in windows)]
    pairs = [(query, place) for place in range(len(asked), len(texts)) for query in range(len(asked))]
    try:
        cosines = await meanings.compare(texts, pairs)
    except KnowledgeError:  # word scores are still available
        return {}
    nearest = (max(cosines[at : at + len(asked)]) for at in range(0, len(cosines), len(asked)))
    return dict(zip(windows, nearest, strict=True))


_WEB_SHARE = 0.6
"""Share of the tokens for web pages if files and memories are used as well."""
KEYWORDS_AFTER_S = 2.0
"""If the model takes longer to decide, a keyword search starts in parallel in case it times out."""
_SHORT_CHARS = 400
"""A longer question is not searched in memories as a whole."""
_USER_DECIDED = translatable("You entered these queries.")
_REMEMBERED = translatable("Your memories answer this, so the web was not searched.")
_PERSON_LEFT_OUT = (
    translatable("{count} source left out by you."),
    translatable("{count} sources left out by you."),
)
_FILES_LEFT_OUT = (
    translatable("{count} file passage left out for lack of space."),
    translatable("{count} file passages left out for lack of space."),
)
_FILES_CUT = (
    translatable("{count} file passage shortened for lack of space."),
    translatable("{count} file passages shortened for lack of space."),
)
_TOO_WEAK = (
    translatable("{count} passage left out as not relevant enough."),
    translatable("{count} passages left out as not relevant enough."),
)
_NOTHING_ON_IT = translatable("Your files do not seem to answer this. The closest passages were left out.")


@dataclass(frozen=True)
class Retrievers:
    """The available retrievers; None means that one is not used."""

    read: ReadWebPage
    web: WebSearcher | None = None
    knowledge: Retriever | None = None
    memory: Retriever | None = None
    meanings: TextSimilarity | None = None


@dataclass(frozen=True)
class GatherInput:
    """The input of a gathering.

    `web` is off, auto or an engine; `scope` names the knowledge bases; `model` decides what to search for; with
    None keywords decide, and `no_model_reason` says why if there should have been a model. `budget_tokens`
    limits the text of all passages together. If an `intent` is given, by the user or a tool, no decision is
    made. Sources whose keys are in `without` are skipped. `gives_away` says that queries may reveal the content
    of memories, because earlier answers may have told it to the model. `wants_whole` says that the question
    asks for a summary of its links or attachments. `on_timed` receives the duration of the model's decision.
    """

    question: str
    history: tuple[Message, ...] = ()
    model: Model | None = None
    model_name: str = ""
    no_model_reason: str = ""
    intent: Intent | None = None
    without: tuple[str, ...] = ()
    web: str = WEB_AUTO
    scope: tuple[str, ...] = ()
    budget_tokens: int = 6_000
    result_count: int = 5
    passage_count: int = 8
    mode: PassageMode = PassageMode.PASSAGES
    intent_limit_s: float = LIMIT_S
    keywords_after_s: float = KEYWORDS_AFTER_S
    on_timed: Timed = lambda _seconds, _is_finished: None
    page_limit_s: float = PAGE_LIMIT_S
    wants_whole: bool = False
    gives_away: Callable[[Sequence[str]], bool] = lambda _queries: False


@dataclass(frozen=True)
class GatherResult:
    """The result of a gathering: passages of web pages, then of files, then memories, the best of each first.

    `whole` are the linked pages of a question that asks for a summary; they are not shortened.
    """

    passages: tuple[Passage, ...] = ()
    intent: Intent = field(default_factory=Intent)
    outcomes: tuple[SearchOutcome, ...] = ()
    notes: tuple[str, ...] = ()
    trace: Trace = field(default_factory=Trace)
    whole: tuple[Candidate, ...] = ()


async def gather(
    inquiry: GatherInput, places: Retrievers
) -> AsyncGenerator[GatherEvent | GatherResult, None]:
    """Yield every step when it starts and ends, and `GatherResult` last. Closing it cancels all work."""
    events: asyncio.Queue[GatherEvent | None] = asyncio.Queue()
    work = asyncio.create_task(_Gathering(inquiry, places, GatherSteps(events)).run())
    work.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield work.result()
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


class _Gathering:
    """One gathering. Its parts run in parallel and fail independently."""

    def __init__(self, inquiry: GatherInput, places: Retrievers, steps: GatherSteps) -> None:
        self._inquiry = inquiry
        self._knowledge = places.knowledge if inquiry.scope else None
        self._memory = places.memory
        self._searcher = places.web if inquiry.web != WEB_OFF else None
        self._steps = steps
        chooses = inquiry.mode is PassageMode.PASSAGES
        share = inquiry.budget_tokens // max(inquiry.result_count, 1)
        self._comparison = SemanticScorer(places.meanings if chooses else None, share)
        self._web = WebGatherer(
            self._searcher,
            places.read,
            steps,
            choice=inquiry.web,
            count=inquiry.result_count,
            page_limit_s=inquiry.page_limit_s,
            without=inquiry.without,
            on_read=self._comparison.begin,
        )

    async def run(self) -> GatherResult:
        """Decide, search everywhere, and fit the results into the token budget."""
        async with self._web:
            intent = await self._decide()
            self._comparison.queries = _queries(intent)
            async with self._comparison:
                return await self._look_everywhere(intent)

    async def _look_everywhere(self, intent: Intent) -> GatherResult:
        async with asyncio.TaskGroup() as group:
            pages = group.create_task(self._web.run(intent.web_queries, intent.links))
            files = group.create_task(
                self._look_up(StepKind.KNOWLEDGE, self._knowledge, intent.knowledge_queries)
            )
            memories = group.create_task(
                self._look_up(StepKind.MEMORY, self._memory, self._list_memory_queries(intent))
            )
        return await self._fit(intent, pages.result(), files.result(), memories.result())

    async def _decide(self) -> Intent:
        inquiry = self._inquiry
        has_knowledge = self._knowledge is not None
        wants_web = self._searcher is not None
        given = inquiry.intent
        is_told = given is None or given.decider is Decider.USER
        step = self._steps.start(StepKind.INTENT) if is_told and (has_knowledge or wants_web) else None
        # The model that writes queries does not see the memories, so they cannot leak into a query.
        remembered = await self._recall() if wants_web and given is None else ()
        is_private = wants_web and is_answered_by_memory(inquiry.question, remembered)
        wants_web = wants_web and not is_private
        intent = given or await self._wait_for_intent(has_knowledge=has_knowledge, wants_web=wants_web)
        queries = intent.web_queries if wants_web else ()
        if intent.decider is Decider.MODEL:
            queries = tuple(query for query in queries if not inquiry.gives_away((query,)))
        private = len(intent.web_queries) - len(queries) if wants_web else 0
        intent = replace(
            intent,
            web_queries=queries,
            knowledge_queries=intent.knowledge_queries if has_knowledge else (),
        )
        if intent.fallback_reason and inquiry.no_model_reason:
            intent = replace(intent, fallback_reason=inquiry.no_model_reason)
        if is_private and not intent.knowledge_queries:
            intent = replace(intent, decider=Decider.MEMORY)
        if inquiry.wants_whole and given is None:
            # Keywords of such a question describe the page and are not useful as a query.
            queries = () if intent.decider is Decider.KEYWORDS else intent.web_queries
            intent = replace(intent, web_queries=queries, knowledge_queries=(), summarizes=True)
        if step is not None:
            note = pluralize(LEFT_OUT, private) if private else ""
            self._report_intent(step, intent, _REMEMBERED if is_private else note)
        return intent

    async def _wait_for_intent(self, *, has_knowledge: bool, wants_web: bool) -> Intent:
        """Let the model decide; if it is slow, start a keyword search in parallel in case it times out."""
        inquiry, is_encyclopedia = self._inquiry, self._inquiry.web == WIKIPEDIA
        deciding = asyncio.create_task(
            decide(
                inquiry.question,
                inquiry.history,
                model=inquiry.model,
                model_name=inquiry.model_name,
                has_knowledge=has_knowledge,
                wants_web=wants_web,
                is_encyclopedia=is_encyclopedia,
                limit_s=inquiry.intent_limit_s,
                on_timed=inquiry.on_timed,
            )
        )
        try:
            done, _ = await asyncio.wait((deciding,), timeout=inquiry.keywords_after_s)
            if not done and wants_web:
                keywords = decide_by_keywords(
                    inquiry.question,
                    inquiry.history,
                    has_knowledge=has_knowledge,
                    wants_web=wants_web,
                    is_encyclopedia=is_encyclopedia,
                )
                self._web.begin(keywords.web_queries, keywords.links)
            return await deciding
        finally:
            deciding.cancel()

    async def _recall(self) -> tuple[str, ...]:
        """Return the memories that match the question, before any part of it leaves the machine."""
        question = self._inquiry.question
        if self._memory is None or len(question) > _SHORT_CHARS:
            return ()
        try:
            found = await self._memory.retrieve((question,), (), self._inquiry.passage_count)
        except KnowledgeError:  # reported by the step that searches memories for the answer
            return ()
        return tuple(passage.text for passage in found.passages)

    def _list_memory_queries(self, intent: Intent) -> tuple[str, ...]:
        """Return the queries for memories, including the question itself, because queries omit the user.

        A long question is excluded: it is mostly material, and the queries contain its actual request.
        """
        question = self._inquiry.question.strip()
        queries = [*intent.knowledge_queries, *intent.web_queries] or [intent.rewrite]
        asked = [question, *queries] if len(question) <= _SHORT_CHARS else queries
        return tuple(dict.fromkeys(query for query in asked if query.strip() and len(query) <= _SHORT_CHARS))

    def _report_intent(self, step: Step, intent: Intent, note: str) -> None:
        has_model = self._inquiry.model is not None or bool(self._inquiry.no_model_reason)
        queries = dict.fromkeys([*intent.web_queries, *intent.knowledge_queries, *intent.links])
        self._steps.finish(
            step,
            StepStatus.DEGRADED if intent.fallback_reason and has_model else StepStatus.DONE,
            count=len(queries),
            detail=_USER_DECIDED if intent.decider is Decider.USER else note or intent.fallback_reason,
            subject=" · ".join(queries),
        )

    async def _look_up(
        self, kind: StepKind, retriever: Retriever | None, queries: Sequence[str]
    ) -> Retrieval:
        if retriever is None or not queries:
            return Retrieval()
        step = self._steps.start(kind, " · ".join(queries))
        try:
            found = await retriever.retrieve(queries, self._inquiry.scope, self._inquiry.passage_count)
        except KnowledgeError as error:
            self._steps.finish(step, StepStatus.FAILED, count=0, detail=str(error))
            return Retrieval(notes=(str(error),))
        status = StepStatus.DEGRADED if found.notes else StepStatus.DONE
        weak = sum(left.source_use is SourceUse.IRRELEVANT for left in found.left_out)
        weakness = _NOTHING_ON_IT if found.is_unanswered else pluralize(_TOO_WEAK, weak)
        details = [*found.notes, *([weakness] if weak else [])]
        self._steps.finish(step, status, count=len(found.passages), detail=sentences(details))
        return found

    async def _fit(
        self, intent: Intent, pages: list[WebFinding], files: Retrieval, memories: Retrieval
    ) -> GatherResult:
        """Share the token budget: unused tokens of pages go to files and memories, and vice versa."""
        passages = (*files.passages, *memories.passages)
        found = [passage for passage in passages if not self._is_excluded(passage)]
        whole = _whole(pages, intent)
        candidates = [page.candidate for page in pages if page.candidate and page.candidate not in whole]
        # The tags around pages also take tokens.
        budget = self._inquiry.budget_tokens - sum(map(tag_tokens, candidates))
        space_tokens = budget - min(count_passage_tokens(found), int(budget * (1 - _WEB_SHARE)))
        selection = await asyncio.to_thread(
            select,
            candidates,
            _queries(intent),
            limit_tokens=space_tokens,
            mode=self._inquiry.mode,
            likenesses=await self._comparison.likenesses(),
        )
        fitted = fit_to_budget(found, budget - selection.used_tokens)
        excluded = [passage for passage in passages if passage not in found]
        left_out = len(excluded) + sum(page.is_excluded for page in pages)
        notes = self._notes(selection, fitted, left_out)
        trace = replace(
            self._trace(intent),
            has_unanswering_files=files.is_unanswered,
            sources=(
                *trace_pages(pages, _verdicts(pages, whole, selection), self._web.outcomes),
                *fitted.records[:MAX_SOURCES],
                *(trace_passage(left.passage, left.source_use, left.reason) for left in files.left_out),
                *(trace_passage(passage, SourceUse.EXCLUDED) for passage in excluded),
            ),
        )
        return GatherResult(
            (*selection.passages, *fitted.kept), intent, tuple(self._web.outcomes), notes, trace, whole
        )

    def _is_excluded(self, passage: Passage) -> bool:
        """Say whether the user excluded a passage, which may have come without its surrounding text."""
        return not {source_key(passage), source_key(core_of(passage))}.isdisjoint(self._inquiry.without)

    def _trace(self, intent: Intent) -> Trace:
        return Trace(
            queries=intent.web_queries,
            file_queries=intent.knowledge_queries,
            links=intent.links,
            decider=intent.decider,
            reason=intent.fallback_reason,
            searches=tuple(map(trace_search, (*self._web.outcomes, *self._web.not_needed)[:MAX_SEARCHES])),
            budget_tokens=self._inquiry.budget_tokens,
            without=self._inquiry.without,
        )

    def _notes(self, selection: PassageSelection, fitted: FittedPassages, excluded: int) -> tuple[str, ...]:
        """Report in a step which findings the model does not see."""
        notes = list(selection.notes)
        if fitted.shortened:
            notes.append(pluralize(_FILES_CUT, fitted.shortened))
        if fitted.dropped:
            notes.append(pluralize(_FILES_LEFT_OUT, fitted.dropped))
        if excluded:
            notes.append(pluralize(_PERSON_LEFT_OUT, excluded))
        if notes:
            is_short = selection.left_out or fitted.shortened or fitted.dropped
            status = StepStatus.DEGRADED if is_short else StepStatus.DONE
            self._steps.report(StepKind.CONTEXT, status, sentences(notes))
        return tuple(notes)


def _whole(pages: Sequence[WebFinding], intent: Intent) -> tuple[Candidate, ...]:
    """Return the linked pages to read as a whole, without duplicates."""
    links = set(map(canonical_url, intent.links)) if intent.summarizes else set()
    found = [page for page in pages if canonical_url(page.result.url) in links]
    read = [page.candidate for page in found if page.candidate and not page.candidate.is_snippet]
    return tuple({canonical_url(page.url): page for page in read}.values())


def _verdicts(
    pages: Sequence[WebFinding], whole: Sequence[Candidate], selection: PassageSelection
) -> tuple[SelectionResult, ...]:
    """Return the result for every page, including pages that are read as a whole."""
    chosen = iter(selection.verdicts)
    return tuple(
        SelectionResult(SourceUse.GIVEN, tokens=estimate_tokens(page.candidate.text))
        if page.candidate in whole
        else next(chosen)
        for page in pages
        if page.candidate
    )


def _queries(intent: Intent) -> tuple[str, ...]:
    """Return the queries by which passages of pages are selected."""
    return (*intent.web_queries, *intent.knowledge_queries) or (intent.rewrite,)
