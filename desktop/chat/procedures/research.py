"""Research from the plan to the answer.

    plan ─▶ (the user starts it) ─▶ search ─▶ read and judge ─┬─ enough, or a budget is spent ─▶ answer
                                        ▲                       │
                                        └── missing: queries ◀──┘

The request for the answer contains only the question and the findings, so that the answer follows the evidence
and not an early guess. Every change event contains the whole state; a caller that stores it can resume the
research.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import override

from desktop.chat.disclosure import gives_away
from desktop.chat.memory_retriever import user_texts
from desktop.chat.procedures.context import (
    TOO_LONG,
    FinalRequest,
    ModelSession,
    ProcedureContext,
    ProcedureRun,
    look_up_visibly,
    next_part,
)
from desktop.chat.procedures.research_prompts import (
    affordable,
    final_request,
    latest,
    plan_messages,
    read_plan,
    read_reading,
    reading_messages,
)
from desktop.chat.step_log import MergedSteps, join_traces
from desktop.domain.events import (
    StepFinished,
    StepStarted,
)
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    PromptMessage,
)
from desktop.domain.procedures import Depth, Phase, Plan, QualityVerdict, Query, Research, Round, SearchTarget
from desktop.domain.search import WEB_OFF, WIKIPEDIA
from desktop.domain.sources import Source
from desktop.domain.trace import Decider
from desktop.errors import AppError
from desktop.errors.servers import ContextTooLong
from desktop.phrases import pluralize, sentences, translatable
from desktop.search.gather import GatherResult
from desktop.search.intent import Intent
from desktop.search.keywords import LEFT_OUT

_Asking = asyncio.Task[GatherResult]

BROKEN_OFF = translatable("Stopped because you requested the answer.")


async def search(
    queries: Sequence[Query],
    context: ProcedureContext,
    take: Callable[[GatherResult], Awaitable[None]],
    *,
    has_sources: bool,
) -> None:
    """Search every place in parallel: emit steps as they come, and take results in the order of the places.

    A place that fails reports it in a step. If the user wants the answer and there are results, pending searches
    are cancelled. Cancelling it stops everything.
    """
    run = _Searching(queries, context)
    try:
        while run.waiting:
            if step := await run.next_step():
                await context.emit(step)
            for found in run.next_found():
                has_sources = has_sources or bool(found.passages)
                await take(found)
            if context.control.wants_answer and has_sources:
                break
        for found in run.list_results():
            await take(found)
        for step in run.break_off():
            await context.emit(step)
    finally:
        await run.close()


class _Searching:
    """The running searches of a round."""

    def __init__(self, queries: Sequence[Query], context: ProcedureContext) -> None:
        self._events: asyncio.Queue[StepStarted | StepFinished | _Asking | None] = asyncio.Queue()
        self._steps: list[MergedSteps] = []
        self._tasks: list[_Asking] = []
        self._ended: set[_Asking] = set()
        for place in context.places:
            if texts := tuple(query.text for query in queries if query.place == place):
                steps = MergedSteps(context.log, self._events.put_nowait)
                task = asyncio.create_task(_ask(place, texts, context, steps))
                task.add_done_callback(self._events.put_nowait)
                self._steps.append(steps)
                self._tasks.append(task)
        self.waiting = deque(self._tasks)
        """Tasks whose results have not been taken yet, in order."""
        self._watch = asyncio.create_task(context.control.answer_wanted())
        self._watch.add_done_callback(lambda _: self._events.put_nowait(None))

    async def next_step(self) -> StepStarted | StepFinished | None:
        """Wait for the next event; return it if it is a step."""
        event = await self._events.get()
        if isinstance(event, StepStarted | StepFinished):
            return event
        if event is not None:
            self._ended.add(event)
        return None

    def next_found(self) -> Iterator[GatherResult]:
        """Yield the results of the next places in order; results behind a running search wait for it."""
        while self.waiting and self.waiting[0] in self._ended:
            yield self.waiting.popleft().result()

    def list_results(self) -> list[GatherResult]:
        """Return the results that wait behind a running search."""
        return [task.result() for task in self.waiting if task in self._ended]

    def break_off(self) -> Iterator[StepStarted | StepFinished]:
        """Yield the ends of the running steps."""
        for steps in self._steps:
            steps.end_running(BROKEN_OFF)
        while not self._events.empty():
            event = self._events.get_nowait()
            if isinstance(event, StepStarted | StepFinished):
                yield event

    async def close(self) -> None:
        """Stop everything that is still running."""
        for task in (*self._tasks, self._watch):
            task.cancel()
        await asyncio.gather(*self._tasks, self._watch, return_exceptions=True)


async def _ask(
    place: SearchTarget, texts: tuple[str, ...], context: ProcedureContext, steps: MergedSteps
) -> GatherResult:

    async def show(event: StepStarted | StepFinished) -> None:
        steps.take(event)

    try:
        return await context.look_up(*_inquiry(place, texts, context.web), show)
    except AppError as error:
        kind = StepKind.KNOWLEDGE if place is SearchTarget.FILES else StepKind.SEARCH
        steps.give_up(" · ".join(texts), str(error), kind)
    return GatherResult()


def _inquiry(place: SearchTarget, queries: tuple[str, ...], web: str) -> tuple[Intent, str]:
    if place is SearchTarget.FILES:
        return Intent(knowledge_queries=queries), WEB_OFF
    return Intent(web_queries=queries), WIKIPEDIA if place is SearchTarget.WIKIPEDIA else web


_READING_SHARE = 0.5
"""Share of the model's window that new sources can fill when they are read."""
_KNOWN_SHARE = 0.15
"""Share of the window that earlier findings can fill at the same time."""

_OVER = frozenset({Phase.WRITING, Phase.CHECKING, Phase.DONE})

_NO_MODEL = translatable("No model can assess the results, so there is only one search round.")
_ENOUGH = translatable("Enough information found.")
_NO_QUERIES = translatable("Nothing left to search for.")
_ROUNDS_SPENT = translatable("The round limit was reached.")
_PAGES_SPENT = translatable("The page limit was reached.")
_TOKENS_SPENT = translatable("The token limit was reached.")
_MINUTES_SPENT = translatable("The time limit was reached.")
_PERSON_ENDED = translatable("You requested the answer.")
_UNREAD = (
    translatable("{count} source not read because the token limit is almost reached."),
    translatable("{count} sources not read because the token limit is almost reached."),
)


async def research(state: Research, context: ProcedureContext) -> None:
    """Run a research from its current state. Cancelling it stops everything.

    Raises:
        ProviderError: the model failed; the research can be resumed.
    """
    await _ResearchRun(state, context).run()


class _ResearchRun(ProcedureRun[Research]):
    """One run; `state` is the last reported one, except for the cost since then."""

    def __init__(self, state: Research, context: ProcedureContext) -> None:
        super().__init__(state, context)
        self._model_session = ModelSession(context)
        self._began = context.clock()
        self._before = state.spent.seconds
        self._is_user_plan = False
        """Whether the user has changed the plan."""

    async def run(self) -> None:
        await self._prepare()
        while queries := self._next_queries():
            await self._round(queries)
            await self._wait_while_paused(Phase.SEARCHING)
        await self._answer()
        await self._change(phase=Phase.DONE)

    # Planning

    async def _prepare(self) -> None:
        """Complete what was unfinished when the research was interrupted."""
        if not self.state.plan.queries:
            await self._plan()
        if self.state.phase is Phase.PLANNED:
            plan = self._check_plan(await self._context.control.wait_for_plan())
            self._is_user_plan = plan != self.state.plan
            self._began = self._context.clock()
            await self._change(plan=plan, phase=Phase.SEARCHING)
        if self.state.phase is Phase.PAUSED:
            await self._change(phase=Phase.SEARCHING)
        if self.state.phase in _OVER or not self.state.rounds:
            return
        if (last := self.state.rounds[-1]).verdict == QualityVerdict():
            await (self._read(last) if last.is_searched else self._round(last.queries))

    async def _plan(self) -> None:
        context = self._context
        is_new = not self.state.places
        # Reported before anything else, so that an answer interrupted here is known to be a research.
        await self._change(phase=Phase.PLANNING, places=context.places)
        if is_new:  # a resumed run does not know whether the question was allowed to use memories
            await self._recall()
        step = context.log.start(StepKind.PLAN)
        await self._emit(step)
        written = ""
        if context.picked.id != QUOTES_MODEL:
            messages = plan_messages(self.state.question, context.history, context.places, context.today)
            written = await self._complete(messages)
        plan = read_plan(written, self.state.question, context.places)
        plan, left_out = self._without_disclosures(plan)
        detail = pluralize(LEFT_OUT, left_out) if left_out else ""
        if context.picked.id == QUOTES_MODEL:
            detail = _NO_MODEL
        status = StepStatus.DEGRADED if detail else StepStatus.DONE
        await self._emit(context.log.finish(step, status=status, count=len(plan.queries), detail=detail))
        phase = Phase.PLANNED if self.state.confirms else Phase.SEARCHING
        await self._change(plan=plan, phase=phase)

    def _without_disclosures(self, plan: Plan) -> tuple[Plan, int]:
        """Return a plan without queries that disclose private sources, and how many were removed.

        The plan is made from the earlier answers, which can contain private data.
        """
        said = (self.state.question, *user_texts(self._context.history))
        kept = tuple(
            query
            for query in plan.queries
            if query.place is SearchTarget.FILES
            or not gives_away((query.text,), self._context.ledger.sources, said, names_alone=True)
        )
        left_out = len(plan.queries) - len(kept)
        return (self._check_plan(replace(plan, queries=kept)) if left_out else plan), left_out

    async def _recall(self) -> None:
        """Number the memories: they are used only for the answer, not by the model that writes queries."""
        found = await look_up_visibly(self._context.recall, self._context)
        numbers = tuple(self._context.ledger.register(found.passages))
        await self._keep(found, self._sources(numbers))
        await self._change(remembered=numbers)

    def _check_plan(self, plan: Plan) -> Plan:
        """Return a user's plan with valid queries; without any, the question itself is the query."""
        places = self._context.places
        queries = (
            query if query.place in places else replace(query, place=places[0])
            for query in plan.queries
            if query.text.strip()
        )
        return Plan(plan.needs, tuple(dict.fromkeys(queries)) or (Query(self.state.question, places[0]),))

    def _next_queries(self) -> tuple[Query, ...]:
        """Return the next queries; none if the search is over, with the reason stored in the state."""
        if self.state.phase in _OVER:
            return ()
        if not self.state.rounds:
            return self.state.plan.queries
        verdict = self.state.rounds[-1].verdict
        if reason := self._end_reason(verdict):
            self.state = replace(self.state, ended_by=reason)
            return ()
        return verdict.queries

    def _end_reason(self, verdict: QualityVerdict) -> str:
        budget, spent = self.state.budget, self.state.spent
        reasons = {
            _PERSON_ENDED: self._context.control.wants_answer,
            _NO_MODEL: self._context.picked.id == QUOTES_MODEL,
            _ENOUGH: verdict.is_enough,
            verdict.problem or _NO_QUERIES: not verdict.queries,
            _ROUNDS_SPENT: spent.rounds >= budget.rounds,
            _PAGES_SPENT: spent.pages >= budget.pages,
            _TOKENS_SPENT: spent.tokens >= budget.tokens,
            _MINUTES_SPENT: spent.seconds >= budget.minutes * 60,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    # Searching

    async def _round(self, queries: tuple[Query, ...]) -> None:
        """Search for `queries` and read the results; an interrupted round starts again."""
        context, rounds = self._context, self.state.rounds
        if not rounds or rounds[-1].is_searched:
            rounds = (*rounds, Round(queries, is_searched=False))
        await self._change(rounds=rounds, phase=Phase.SEARCHING)
        has_sources = any(done.sources for done in rounds)
        await search(queries, context, self._take, has_sources=has_sources)
        self.state = replace(self.state, spent=replace(self.state.spent, rounds=self.state.spent.rounds + 1))
        await self._change_round(is_searched=True)
        if not context.control.wants_answer:
            await self._read(self.state.rounds[-1])

    async def _take(self, found: GatherResult) -> None:
        """Number the results of a place, store them, and report them."""
        context = self._context
        numbers = (*self.state.rounds[-1].sources, *context.ledger.register(found.passages))
        pages = sum(
            step.kind is StepKind.READ and step.status is not StepStatus.FAILED for step in context.log.steps
        )
        self.state = replace(self.state, spent=replace(self.state.spent, pages=pages))
        await self._keep(found, self._sources(numbers))
        await self._change_round(sources=tuple(dict.fromkeys(numbers)))

    async def _keep(self, found: GatherResult, sources: tuple[Source, ...]) -> None:
        """Write results to disk, then report them."""
        await self._keep_sources(sources)
        trace = join_traces(self._trace, found.trace, sources)
        await self._keep_trace(replace(trace, decider=self._decider))

    @property
    def _decider(self) -> Decider:
        if self._context.picked.id == QUOTES_MODEL:
            return Decider.KEYWORDS
        return Decider.USER if self._is_user_plan else Decider.MODEL

    async def _read(self, done: Round) -> None:
        """Read the results of a round in parts that fit the model; the last readable verdict counts."""
        context = self._context
        if context.picked.id == QUOTES_MODEL:
            return
        step = context.log.start(StepKind.JUDGE)
        await self._emit(step)
        sources = self._sources(done.sources)
        rest = affordable(sources, self.state.budget.tokens - self.state.spent.tokens)
        notes = [pluralize(_UNREAD, len(sources) - len(rest))] if len(rest) < len(sources) else []
        verdict = QualityVerdict()
        while True:
            part, behind = next_part(rest, int(self._model_session.window.context_tokens * _READING_SHARE))
            await self._model_session.look(part)
            try:
                written = await self._complete(self._reading(part), breaks_off=True)
            except ContextTooLong:
                if not self._model_session.shrink():
                    raise
                notes.append(TOO_LONG)
                continue
            numbers = {source.number for source in part}
            findings, said = read_reading(written, self.state, numbers, context.places)
            if said.problem and context.control.wants_answer:
                said = replace(said, problem=BROKEN_OFF)
            verdict = verdict if said.problem and verdict != QualityVerdict() else said
            await self._change_round(findings=(*self.state.rounds[-1].findings, *findings), verdict=verdict)
            rest = behind
            if not rest or context.control.wants_answer:
                break
        notes += [verdict.problem or verdict.missing]
        status = StepStatus.DEGRADED if verdict.problem or len(notes) > 1 else StepStatus.DONE
        found = len(self.state.rounds[-1].findings)
        detail = sentences(dict.fromkeys(notes))
        await self._emit(context.log.finish(step, status=status, count=found, detail=detail))
        await self._model_session.report_pages()

    def _reading(self, part: Sequence[Source]) -> tuple[PromptMessage, ...]:
        context = self._context
        self.state = replace(self.state, asides=(*self.state.asides, *context.control.take_asides()))
        known = latest(self.state.findings, int(self._model_session.window.context_tokens * _KNOWN_SHARE))
        messages = reading_messages(self.state, known, part, context.places, context.today)
        return self._model_session.with_page_images(messages, part)

    # Answering

    async def _answer(self) -> None:
        context = self._context
        asides = (*self.state.asides, *context.control.take_asides())
        await self._change(asides=asides, phase=Phase.WRITING)
        numbers = [number for done in self.state.rounds for number in done.sources]
        sources = self._sources([*self.state.remembered, *numbers])
        if not self.state.findings:
            await self._model_session.look(sources)
        await self._model_session.write(self._final_request(sources))

    def _final_request(self, sources: Sequence[Source]) -> Callable[[ModelSession], FinalRequest]:
        return lambda model_session: final_request(
            self.state, sources, model_session.pages, self._context, model_session.window
        )

    # Shared by all phases

    async def _complete(self, messages: tuple[PromptMessage, ...], *, breaks_off: bool = False) -> str:
        """Return the model's reply, and count its tokens.

        When the time is used up, a running reply is cut off: the text so far counts.
        """
        before = self._model_session.tokens
        text = await self._model_session.complete(
            messages,
            thinks=self.state.depth is Depth.THOROUGH,
            until=lambda: self._seconds >= self.state.budget.minutes * 60,
            breaks_off=breaks_off,
        )
        tokens = self.state.spent.tokens + self._model_session.tokens - before
        self.state = replace(self.state, spent=replace(self.state.spent, tokens=tokens))
        return text

    @property
    def _seconds(self) -> float:
        """Duration of the research, without pauses."""
        return self._before + self._context.clock() - self._began

    async def _change_round(self, **fields: Any) -> None:
        """Change the current round and report it."""
        *before, last = self.state.rounds
        await self._change(rounds=(*before, replace(last, **fields)))

    @override
    async def _change(self, **fields: Any) -> None:
        await super()._change(**fields, spent=replace(self.state.spent, seconds=self._seconds))

    @override
    async def _pause(self) -> None:
        await super()._pause()
        self._began, self._before = self._context.clock(), self.state.spent.seconds
