"""A piece of research, from the plan to the answer, as one async iterator of events.

    plan ─▶ (the person starts it) ─▶ search ─▶ read and judge ─┬─ enough, or a budget is spent ─▶ answer
                                        ▲                       │
                                        └── missing: queries ◀──┘

The answer is written by a fresh request from question and findings alone, so that it follows the evidence
and not an early guess. Every change tells the whole state; whoever keeps it can resume the research.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from desktop.chat.lookup import PickedModel
from desktop.chat.prompt import format_source
from desktop.chat.research.control import Control
from desktop.chat.research.dialogue import (
    answer_messages,
    plan_messages,
    read_plan,
    read_reading,
    reading_messages,
)
from desktop.chat.steps import GuestSteps, StepLog
from desktop.chat.tools.builtin import WIKIPEDIA, LookUp
from desktop.chat.tools.results import cut
from desktop.domain.events import ResearchChanged, SourcesAdded, StepFinished, StepStarted
from desktop.domain.messages import Message, StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    FinishReason,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    StreamEnded,
    TextDelta,
    UsageReported,
)
from desktop.domain.research import Depth, Phase, Place, Query, Research, Round, Verdict
from desktop.domain.sources import Ledger, Source
from desktop.phrases import phrase
from desktop.search.gather import Gathered
from desktop.search.intent import Intent
from desktop.text.tokens import estimate_tokens

_READING_SHARE = 0.5
"""Part of the model's window that new sources may fill when they are read."""
_NOTES_TOKENS = 2_000
_OFF = "off"

_NO_MODEL = phrase("There is no model that could judge what was found, so there is one round of searching.")
_ENOUGH = phrase("The model found that it knows enough.")
_NO_QUERIES = phrase("The model had nothing more to search for.")
_ROUNDS_SPENT = phrase("The rounds are used up.")
_PAGES_SPENT = phrase("The pages are used up.")
_TOKENS_SPENT = phrase("The tokens are used up.")
_MINUTES_SPENT = phrase("The time is used up.")
_PERSON_ENDED = phrase("You asked for the answer.")

ResearchEvent = (
    ResearchChanged | StepStarted | StepFinished | SourcesAdded | TextDelta | ReasoningDelta | UsageReported
)


@dataclass(frozen=True)
class Bench:
    """What a piece of research works with.

    `web` is the engine chosen for it; `confirms` whether the person starts the plan. `keep` puts
    sources on the disk before anyone sees them. `clock` counts seconds.
    """

    picked: PickedModel
    look_up: LookUp
    places: tuple[Place, ...]
    web: str
    ledger: Ledger
    log: StepLog
    keep: Callable[[Sequence[Source]], Awaitable[None]]
    today: date
    context_tokens: int
    answer_tokens: int
    control: Control = field(default_factory=Control)
    confirms: bool = False
    history: tuple[Message, ...] = ()
    clock: Callable[[], float] = time.monotonic


async def research(state: Research, bench: Bench) -> AsyncGenerator[ResearchEvent, None]:
    """Carry out a piece of research from where it stands. Closing it stops everything.

    Raises:
        ProviderError: the model failed; the research can be resumed.
    """
    async with aclosing(_Run(state, bench).events()) as events:
        async for event in events:
            yield event


class _Run:
    """One run; `state` is what was told last, but for what has been spent since."""

    def __init__(self, state: Research, bench: Bench) -> None:
        self.state = state
        self._bench = bench
        self._began = bench.clock()
        self._before = state.spent.seconds
        self._reported = UsageReported()

    async def events(self) -> AsyncGenerator[ResearchEvent, None]:
        async with aclosing(self._prepare()) as preparing:
            async for event in preparing:
                yield event
        queries = self._next_queries()
        while queries:
            async with aclosing(self._round(queries)) as searching:
                async for event in searching:
                    yield event
            if self._bench.control.is_paused:
                yield self._change(phase=Phase.PAUSED)
                await self._bench.control.resumed()
                self._began, self._before = self._bench.clock(), self.state.spent.seconds
                yield self._change(phase=Phase.SEARCHING)
            queries = self._next_queries()
        async with aclosing(self._answer()) as answering:
            async for event in answering:
                yield event
        yield self._change(phase=Phase.DONE)

    # Planning

    async def _prepare(self) -> AsyncGenerator[ResearchEvent, None]:
        """Do what was left undone where the research stood."""
        if not self.state.plan.queries:
            async with aclosing(self._plan()) as planning:
                async for event in planning:
                    yield event
        if self.state.phase is Phase.PLANNED:
            plan = await self._bench.control.started_plan()
            self._began = self._bench.clock()
            yield self._change(plan=plan, phase=Phase.SEARCHING)
        if self.state.rounds and self.state.rounds[-1].verdict == Verdict():
            async with aclosing(self._read(self.state.rounds[-1])) as reading:
                async for event in reading:
                    yield event

    async def _plan(self) -> AsyncGenerator[ResearchEvent, None]:
        bench = self._bench
        step = bench.log.start(StepKind.PLAN)
        yield step
        written = ""
        if bench.picked.id != QUOTES_MODEL:
            messages = plan_messages(self.state.question, bench.history, bench.places, bench.today)
            written = await self._complete(messages)
        plan = read_plan(written, self.state.question, bench.places)
        detail = _NO_MODEL if bench.picked.id == QUOTES_MODEL else ""
        status = StepStatus.DEGRADED if detail else StepStatus.DONE
        yield bench.log.finish(step, status=status, count=len(plan.queries), detail=detail)
        phase = Phase.PLANNED if bench.confirms else Phase.SEARCHING
        yield self._change(plan=plan, phase=phase)

    def _next_queries(self) -> tuple[Query, ...]:
        """Return what to ask next; nothing when the searching is over, for the reason kept in the state."""
        if self.state.phase in {Phase.WRITING, Phase.CHECKING, Phase.DONE}:
            return ()
        if not self.state.rounds:
            return self.state.plan.queries
        verdict = self.state.rounds[-1].verdict
        if reason := self._end_reason(verdict):
            self.state = replace(self.state, ended_by=reason)
            return ()
        return verdict.queries

    def _end_reason(self, verdict: Verdict) -> str:
        budget, spent = self.state.budget, self.state.spent
        reasons = {
            _PERSON_ENDED: self._bench.control.wants_answer,
            _NO_MODEL: self._bench.picked.id == QUOTES_MODEL,
            _ENOUGH: verdict.is_enough,
            _NO_QUERIES: not verdict.queries,
            _ROUNDS_SPENT: spent.rounds >= budget.rounds,
            _PAGES_SPENT: spent.pages >= budget.pages,
            _TOKENS_SPENT: spent.tokens >= budget.tokens,
            _MINUTES_SPENT: spent.seconds >= budget.minutes * 60,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    # Searching

    async def _round(self, queries: tuple[Query, ...]) -> AsyncGenerator[ResearchEvent, None]:
        numbers: list[int] = []
        for place in self._bench.places:
            texts = tuple(query.text for query in queries if query.place == place)
            if texts:
                async with aclosing(self._search(place, texts, numbers)) as events:
                    async for event in events:
                        yield event
        done = Round(queries, tuple(dict.fromkeys(numbers)))
        spent = replace(self.state.spent, rounds=self.state.spent.rounds + 1)
        yield self._change(rounds=(*self.state.rounds, done), spent=spent, phase=Phase.SEARCHING)
        async with aclosing(self._read(done)) as events:
            async for event in events:
                yield event

    async def _search(
        self, place: Place, queries: tuple[str, ...], numbers: list[int]
    ) -> AsyncGenerator[ResearchEvent, None]:
        bench = self._bench
        events: list[StepStarted | StepFinished] = []
        steps = GuestSteps(bench.log, events.append)
        async with aclosing(bench.look_up(*_inquiry(place, queries, bench.web))) as gathering:
            async for found in gathering:
                if isinstance(found, Gathered):
                    registered = bench.ledger.register(found.passages)
                    numbers.extend(registered)
                    continue
                steps.take(found)
                for event in events:
                    yield event
                events.clear()
        pages = sum(
            step.kind is StepKind.READ and step.status is not StepStatus.FAILED for step in bench.log.steps
        )
        self.state = replace(self.state, spent=replace(self.state.spent, pages=pages))
        if sources := self._sources(numbers):
            await bench.keep(sources)
            yield SourcesAdded(sources)

    async def _read(self, done: Round) -> AsyncGenerator[ResearchEvent, None]:
        """Read what a round brought, in parts that fit the model; the last verdict counts."""
        bench = self._bench
        if bench.picked.id == QUOTES_MODEL:
            return
        step = bench.log.start(StepKind.JUDGE)
        yield step
        if asides := bench.control.take_asides():
            yield self._change(asides=(*self.state.asides, *asides))
        verdict = Verdict()
        room = int(bench.context_tokens * _READING_SHARE)
        for part in _parts(self._sources(done.sources), room):
            messages = reading_messages(self.state, part, bench.places, bench.today)
            written = await self._complete(messages)
            numbers = {source.number for source in part}
            findings, verdict = read_reading(written, self.state, numbers, bench.places)
            latest = self.state.rounds[-1]
            latest = replace(latest, findings=(*latest.findings, *findings), verdict=verdict)
            yield self._change(rounds=(*self.state.rounds[:-1], latest))
        status = StepStatus.DEGRADED if verdict.problem else StepStatus.DONE
        found = len(self.state.rounds[-1].findings)
        detail = verdict.problem or verdict.missing
        yield bench.log.finish(step, status=status, count=found, detail=detail)

    # Answering

    async def _answer(self) -> AsyncGenerator[ResearchEvent, None]:
        bench = self._bench
        yield self._change(phase=Phase.WRITING)
        seen = [number for done in self.state.rounds for number in done.sources]
        sources = self._sources(seen) if not self.state.findings else ()
        request = ModelRequest(
            model=bench.picked.name,
            messages=answer_messages(self.state, bench.today),
            max_output_tokens=bench.answer_tokens,
            question=self.state.question,
            references=sources,
        )
        step = bench.log.start(StepKind.ANSWER, bench.picked.id)
        yield step
        reason = FinishReason.STOP
        async with aclosing(bench.picked.model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta | ReasoningDelta):
                    yield event
                elif isinstance(event, UsageReported):
                    yield self._reported + event
                elif isinstance(event, StreamEnded):
                    reason = event.reason
        yield bench.log.answered(step, reason)

    # What all of it needs

    async def _complete(self, messages: tuple[PromptMessage, ...]) -> str:
        """Return what the model writes, and count its tokens."""
        request = ModelRequest(
            self._bench.picked.name,
            messages,
            temperature=0.0,
            max_output_tokens=_NOTES_TOKENS,
            thinks=self.state.depth is Depth.THOROUGH,
        )
        written: list[str] = []
        usage = UsageReported()
        async with aclosing(self._bench.picked.model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    written.append(event.text)
                elif isinstance(event, UsageReported):
                    usage = event
        text = "".join(written)
        if not usage.input_tokens:
            asked = sum(estimate_tokens(message.text) for message in messages)
            usage = UsageReported(asked, estimate_tokens(text))
        self._reported = self._reported + usage
        tokens = self.state.spent.tokens + usage.input_tokens + usage.output_tokens
        self.state = replace(self.state, spent=replace(self.state.spent, tokens=tokens))
        return text

    def _change(self, **fields: Any) -> ResearchChanged:
        """Change the state and tell it."""
        changed = replace(self.state, **fields)
        seconds = self._before + self._bench.clock() - self._began
        self.state = replace(changed, spent=replace(changed.spent, seconds=seconds))
        return ResearchChanged(self.state)

    def _sources(self, numbers: Sequence[int]) -> tuple[Source, ...]:
        by_number = {source.number: source for source in self._bench.ledger.sources}
        return tuple(by_number[number] for number in dict.fromkeys(numbers))


def _inquiry(place: Place, queries: tuple[str, ...], web: str) -> tuple[Intent, str]:
    if place is Place.FILES:
        return Intent(knowledge_queries=queries), _OFF
    return Intent(web_queries=queries), WIKIPEDIA if place is Place.WIKIPEDIA else web


def _parts(sources: Sequence[Source], room: int) -> list[tuple[Source, ...]]:
    """Share sources out over as few requests as hold them; one that fits into none is cut.

    Without sources there is one empty part: the model still has to say what to try next.
    """
    parts: list[tuple[Source, ...]] = [()]
    left = room
    for source in sources:
        whole = estimate_tokens(format_source(source))
        fitting = source if whole <= room else replace(source, text=cut(source.text, room))
        cost = min(whole, room)
        if cost > left and parts[-1]:
            parts.append(())
            left = room
        parts[-1] = (*parts[-1], fitting)
        left -= cost
    return parts
