"""What all procedures have: dependencies, the user's control (start, pause, remark, end), and how a run reports its state."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Generic, TypeVar

from desktop.chat.answer.step_log import MergedSteps, StepLog
from desktop.chat.emit import Emit, EmitStep
from desktop.chat.prompt.images import NO_PAGE_IMAGES, PageImageLoader
from desktop.chat.retrieval.source_lookup import SelectedModel, TokenWindow
from desktop.chat.tools.toolset import LookUp
from desktop.domain.assistants import Parameters
from desktop.domain.events import ProcedureChanged, SourcesAdded, StepFinished, StepStarted, TraceReported
from desktop.domain.messages import Message
from desktop.domain.models import UsageReported
from desktop.domain.procedures import (
    AnswerNow,
    DraftState,
    OutlineHeading,
    Pause,
    Phase,
    Plan,
    ProcedureCommand,
    Research,
    Resume,
    SearchTarget,
    StartOutline,
    StartPlan,
    SummaryState,
    TextCheck,
    UserNote,
)
from desktop.domain.sources import Ledger, Source
from desktop.domain.trace import Trace
from desktop.search.gather import GatherResult

_State = TypeVar("_State", Research, SummaryState, DraftState, TextCheck)


class ProcedureControl:
    """Receives the user's commands to a procedure. All methods run on the asyncio thread."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._outline: tuple[OutlineHeading, ...] = ()
        self._has_plan = asyncio.Event()
        self._goes_on = asyncio.Event()
        self._goes_on.set()
        self._answers = asyncio.Event()
        self._asides: list[str] = []

    @property
    def is_paused(self) -> bool:
        """Whether the next round has to wait."""
        return not self._goes_on.is_set()

    @property
    def wants_answer(self) -> bool:
        """Whether the user wants the answer now, from the results so far."""
        return self._answers.is_set()

    async def answer_wanted(self) -> None:
        """Wait until the user wants the answer."""
        await self._answers.wait()

    async def started_plan(self) -> Plan:
        """Wait until the user starts the research; return the plan with the user's changes."""
        await self._has_plan.wait()
        assert self._plan is not None
        return self._plan

    async def started_outline(self) -> tuple[OutlineHeading, ...]:
        """Wait until the user starts the text; return its outline with the user's changes."""
        await self._has_plan.wait()
        return self._outline

    def take(self, wish: ProcedureCommand) -> None:
        """Carry out a command of the user."""
        match wish:
            case StartPlan(plan):
                self._plan = plan
                self._has_plan.set()
            case StartOutline(headings):
                self._outline = headings
                self._has_plan.set()
            case Pause():
                self._goes_on.clear()
            case Resume():
                self._goes_on.set()
            case AnswerNow():
                self._answers.set()
                self._goes_on.set()
            case UserNote(text):
                if text.strip():
                    self._asides.append(text.strip())

    async def resumed(self) -> None:
        """Wait while the research is paused."""
        await self._goes_on.wait()

    def take_asides(self) -> tuple[str, ...]:
        """Return the remarks added since the last call."""
        taken, self._asides = tuple(self._asides), []
        return taken


async def _nowhere(_trace: Trace) -> None:
    """Store no trace."""


async def _nothing(_emit: EmitStep) -> GatherResult:
    """Return nothing, for a procedure without memories."""
    return GatherResult()


@dataclass(frozen=True)
class ProcedureContext:
    """The dependencies of a procedure.

    `web` is the engine chosen for it; `recall` looks up memories for the question. `keep` writes sources to
    disk before they are shown, `keep_trace` the trace, which continues from `trace`. `answer_so_far` is the
    text of an earlier run, `used` its usage. `manner` is an assistant's prompt, `parameters` are its model
    options. `page_images` shows the model pages of scans. `clock` counts seconds.
    """

    emit: Emit
    picked: SelectedModel
    look_up: LookUp
    places: tuple[SearchTarget, ...]
    web: str
    ledger: Ledger
    log: StepLog
    keep: Callable[[Sequence[Source]], Awaitable[None]]
    today: date
    window: TokenWindow
    control: ProcedureControl = field(default_factory=ProcedureControl)
    recall: Callable[[EmitStep], Awaitable[GatherResult]] = _nothing
    history: tuple[Message, ...] = ()
    manner: str = ""
    keep_trace: Callable[[Trace], Awaitable[None]] = _nowhere
    trace: Trace = field(default_factory=Trace)
    answer_so_far: str = ""
    used: UsageReported = field(default_factory=UsageReported)
    effort: str = ""
    parameters: Parameters = field(default_factory=Parameters)
    page_images: PageImageLoader = NO_PAGE_IMAGES
    clock: Callable[[], float] = time.monotonic


async def look_up_visibly(
    gather: Callable[[EmitStep], Awaitable[GatherResult]], context: ProcedureContext
) -> GatherResult:
    """Return the result of a lookup, and show its steps among those of the answer."""
    reported: list[StepStarted | StepFinished] = []
    steps = MergedSteps(context.log, reported.append)

    async def show(event: StepStarted | StepFinished) -> None:
        steps.take(event)
        await context.emit(reported.pop())

    return await gather(show)


class ProcedureRun(Generic[_State]):
    """One run of a procedure; `state` is the last reported one, from which another run can go on."""

    def __init__(self, state: _State, context: ProcedureContext) -> None:
        self.state: _State = state
        self._context = context
        self._emit = context.emit
        self._trace = context.trace

    async def _change(self, **fields: Any) -> None:
        """Change the state and report it."""
        self.state = replace(self.state, **fields)
        await self._emit(ProcedureChanged(self.state))

    async def _wait_while_paused(self, phase: Phase) -> None:
        """Between two steps: if the user has paused the procedure, wait, then go on in `phase`."""
        if self._context.control.is_paused:
            await self._pause()
            await self._change(phase=phase)

    async def _pause(self) -> None:
        await self._change(phase=Phase.PAUSED)
        await self._context.control.resumed()

    def _sources(self, numbers: Sequence[int]) -> tuple[Source, ...]:
        """Return the sources of the ledger with these numbers, each once."""
        by_number = {source.number: source for source in self._context.ledger.sources}
        return tuple(by_number[number] for number in dict.fromkeys(numbers))

    async def _keep_sources(self, sources: tuple[Source, ...]) -> None:
        """Write sources to disk, then report them."""
        if sources:
            await self._context.keep(sources)
            await self._emit(SourcesAdded(sources))

    async def _keep_trace(self, trace: Trace) -> None:
        """Write the trace to disk, then report it."""
        self._trace = trace
        await self._context.keep_trace(trace)
        await self._emit(TraceReported(trace))
