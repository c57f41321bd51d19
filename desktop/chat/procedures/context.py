"""What all procedures have: dependencies, the user's control (start, pause, remark, end), and requests to the model.

The requests have templates, token budgets and usage, and less text after `ContextTooLong`.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from html import escape
from typing import Any, Generic, TypeVar

from desktop.chat.assistants import in_style
from desktop.chat.emit import Emit, EmitStep
from desktop.chat.prompt import (
    NO_PAGE_IMAGES,
    NO_PAGES,
    PageImageLoader,
    PageWithSources,
    format_source,
    with_page_images,
)
from desktop.chat.source_lookup import SelectedModel, TokenWindow
from desktop.chat.step_log import SHOWN, MergedSteps, StepLog, empty_answer
from desktop.chat.tools.results import cut
from desktop.chat.tools.text_protocol import MarkupFilter
from desktop.chat.tools.toolset import LookUp
from desktop.domain.assistants import Parameters
from desktop.domain.events import ProcedureChanged, SourcesAdded, StepFinished, StepStarted, TraceReported
from desktop.domain.messages import Message, StepKind, StepStatus
from desktop.domain.models import (
    AnswerRemark,
    FinishReason,
    MarkupLeftOut,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    RetryWaits,
    StreamEnded,
    TextDelta,
    UsageReported,
    WishesLeftOut,
)
from desktop.domain.procedures import (
    AnswerNow,
    DraftState,
    NoteKind,
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
from desktop.errors.servers import ContextTooLong
from desktop.phrases import pluralize, translatable
from desktop.resources import fill_resource, resource_text
from desktop.search.gather import GatherResult
from desktop.text.almost_xml import Element, elements
from desktop.text.tokens import estimate_tokens, take_within_budget

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

    async def wait_for_plan(self) -> Plan:
        """Wait until the user starts the research; return the plan with the user's changes."""
        await self._has_plan.wait()
        assert self._plan is not None
        return self._plan

    async def wait_for_outline(self) -> tuple[OutlineHeading, ...]:
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

    async def wait_while_paused(self) -> None:
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
        await self._context.control.wait_while_paused()

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


NOTHING = "(nothing)"

_VERDICT_CHARS = 8
_NUMBER = re.compile(r"\d{1,9}")


def fill_templates(name: str, fields: Mapping[str, str], language: str = "") -> tuple[PromptMessage, ...]:
    """Return the request of the templates `prompts/<name>.txt` and `prompts/<name>_message.txt`.

    For a Chinese `language`, the rules come from `<name>_zh.txt`.
    """
    rules = f"{name}_zh" if language == "zh" else name
    return (
        PromptMessage("system", fill_resource(f"prompts/{rules}.txt", fields)),
        PromptMessage("user", fill_resource(f"prompts/{name}_message.txt", fields)),
    )


def format_list(texts: Iterable[str]) -> str:
    """Return texts as a list, escaped so that they cannot open a tag."""
    return "\n".join(f"- {escape(text, quote=False)}" for text in texts) or NOTHING


def without_echoes(found: Iterable[Element], prompt: str, material: str = "") -> list[Element]:
    """Remove elements that a small model copied from the examples of `prompts/<prompt>.txt`.

    Elements that also occur in `material`, the real content of the request, are kept, and so are one-word
    elements such as a verdict.
    """
    known = list(found)
    names = sorted({element.name for element in known})
    shown = {element.text for element in elements(resource_text(f"prompts/{prompt}.txt"), names)}
    copied = {text for text in shown if " " in text or len(text) > _VERDICT_CHARS}
    return [element for element in known if element.text not in copied or element.text in material]


def parse_source_numbers(element: Element, numbers: Collection[int]) -> tuple[int, ...]:
    """Return the `numbers` that an element names as its sources, without duplicates."""
    named = element.attributes.get("source", "") or element.attributes.get("sources", "")
    found = (int(number) for number in _NUMBER.findall(named))
    return tuple(dict.fromkeys(number for number in found if number in numbers))


def next_part(sources: Sequence[Source], budget: int) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """Return the first of `sources`, as many as fit into `budget` tokens, and the rest.

    A source that fits into no request is cut. Without sources, an empty part is returned: the model still has
    to suggest the next queries.
    """
    part = take_within_budget(sources, count_tokens_of, budget, least=1)
    rest = tuple(sources[len(part) :])
    return tuple(_cut_to(source, budget) for source in part), rest


def count_tokens_of(source: Source) -> int:
    """Return the approximate number of tokens of a source as it is written in a request."""
    return estimate_tokens(format_source(source))


def _cut_to(source: Source, budget: int) -> Source:
    return source if count_tokens_of(source) <= budget else replace(source, text=cut(source.text, budget))


TOO_LONG = translatable("The sources were too long for the model, so it gets less at a time.")

NOTE_ELEMENTS = (
    *(kind.value for kind in NoteKind),
    "information",
    "verdict",
    "missing",
    "notes",
    "query",
    "need",
    "heading",
)
"""Elements of the intermediate requests; small models continue writing them in the final answer."""

_NOTES_SHARE = 0.25
_NOTES_TOKENS = 2_000
_LEAST_WINDOW = 1_000
"""If a model finds a window of this size too long, the request is not reduced any further."""


@dataclass(frozen=True)
class FinalRequest:
    """The last request to the model; `notes` are messages for the user about missing or reduced content."""

    request: ModelRequest
    notes: tuple[str, ...] = ()


def never() -> bool:
    """Return False, to wait for the end of the model's reply."""
    return False


@dataclass
class _WrittenText:
    """What is known about a text for the user while it is written."""

    usage: UsageReported = field(default_factory=UsageReported)
    reason: FinishReason = FinishReason.STOP
    has_begun: bool = False
    has_text: bool = False

    def note(self, event: TextDelta | ReasoningDelta) -> None:
        self.has_begun = True
        self.has_text = self.has_text or (isinstance(event, TextDelta) and bool(event.text.strip()))


class ModelSession:
    """The model requests of a procedure, with a token window that only shrinks."""

    def __init__(self, context: ProcedureContext) -> None:
        self._context = context
        self._used = context.used
        self._pages = NO_PAGES
        self._shown: set[int] = set()
        """Hashes of the pictures that were sent."""
        self._shown_step: StepStarted | None = None
        self._told = 0
        self.window = context.window
        self.tokens = 0
        """Tokens used in both directions by requests that are not part of the answer."""

    def shrink(self) -> bool:
        """Reduce the window for all further requests; return whether that is possible."""
        self.window = self.window.half()
        return self.window.context_tokens >= _LEAST_WINDOW

    async def look(self, sources: Sequence[Source]) -> None:
        """Load the pages that `sources` were read from for the next requests, and report missing ones."""
        self._pages = await self._context.page_images.pages_of(sources)
        for problem in self._pages.problems:
            await self._context.emit(self._context.log.report(StepKind.READ, StepStatus.DEGRADED, problem))

    @property
    def pages(self) -> tuple[PageWithSources, ...]:
        """The loaded pages."""
        return self._pages.shown

    def with_page_images(
        self, messages: tuple[PromptMessage, ...], sources: Sequence[Source]
    ) -> tuple[PromptMessage, ...]:
        """Return a request with the loaded pages of its sources, as many as fit."""
        taken = self.window.answer_tokens + sum(estimate_tokens(message.text) for message in messages)
        return with_page_images(messages, self._pages.shown, sources, self.window.context_tokens - taken)

    async def report_pages(self) -> None:
        """Report in one step, which is updated, how many pages the model has been shown so far."""
        if len(self._shown) == self._told:
            return
        self._told = len(self._shown)
        if self._shown_step is None:
            self._shown_step = self._context.log.start(StepKind.CONTEXT)
            await self._context.emit(self._shown_step)
        detail = pluralize(SHOWN, self._told)
        await self._context.emit(self._context.log.finish(self._shown_step, detail=detail))

    async def complete(
        self,
        messages: tuple[PromptMessage, ...],
        *,
        thinks: bool = False,
        until: Callable[[], bool] = never,
        breaks_off: bool = False,
    ) -> str:
        """Return the model's reply; it is accepted as soon as `until` returns true, finished or not.

        With `breaks_off`, the request also ends when the user wants the answer, even if the model has not
        written anything yet.

        Raises:
            ContextTooLong: call `shrink` and send a smaller request.
        """
        request = ModelRequest(
            self._context.picked.name,
            messages,
            temperature=0.0,
            max_output_tokens=min(_NOTES_TOKENS, int(self.window.context_tokens * _NOTES_SHARE)),
            thinks=thinks,
        )
        self._shown |= _pictures_in(request)
        written: list[str] = []
        usage = UsageReported()

        async def listen() -> None:
            nonlocal usage
            async with aclosing(self._context.picked.model.stream(request)) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        written.append(event.text)
                    elif isinstance(event, UsageReported):
                        usage = event
                    if until():
                        break

        if breaks_off:
            await _run_until(self._context.control.answer_wanted(), listen())
        else:
            await listen()
        text = "".join(written)
        if not usage.input_tokens:
            asked = sum(estimate_tokens(message.text) for message in messages)
            usage = UsageReported(asked, estimate_tokens(text))
        self._used = self._used + usage
        self.tokens += usage.input_tokens + usage.output_tokens
        return text

    async def write(
        self,
        request_for: Callable[["ModelSession"], FinalRequest],
        subject: str = "",
        emit: Emit | None = None,
    ) -> None:
        """Emit the text for the user; a request that is too long is rebuilt with less content."""
        context, emit = self._context, emit or self._context.emit
        while True:
            final = request_for(self)
            self._shown |= _pictures_in(final.request)
            await self.report_pages()
            for note in final.notes:
                await emit(context.log.report(StepKind.CONTEXT, StepStatus.DEGRADED, note))
            step = context.log.start(StepKind.ANSWER, subject or context.picked.name)
            await emit(step)
            written = _WrittenText()
            try:
                await self._stream(in_style(final.request, context.parameters), written, emit)
            except ContextTooLong:
                if written.has_begun or not self._shrink_below(final.request, request_for):
                    raise
                await emit(context.log.finish(step, status=StepStatus.DEGRADED, detail=TOO_LONG))
                continue
            self._used = self._used + written.usage
            if not written.has_text and not final.request.answer_so_far:
                raise empty_answer(context.picked.id, written.reason, has_reasoning=written.has_begun)
            await emit(context.log.finish_reply(step, written.reason))
            return

    async def _stream(self, request: ModelRequest, written: "_WrittenText", emit: Emit) -> None:
        markup = MarkupFilter(request.answer_so_far, NOTE_ELEMENTS)
        request = replace(request, shows_waits=True)
        async with aclosing(self._context.picked.model.stream(request)) as events:
            async for received in events:
                for event in markup.feed(received):
                    match event:
                        case TextDelta() | ReasoningDelta():
                            written.note(event)
                            await emit(event)
                        case UsageReported():
                            written.usage = event
                            await emit(self._used + event)
                        case WishesLeftOut() | RetryWaits() | MarkupLeftOut() | AnswerRemark():
                            for note in self._context.log.steps_for(event):
                                await emit(note)
                        case StreamEnded(reason):
                            written.reason = reason
                        case _:
                            pass

    def _shrink_below(
        self, sent: ModelRequest, request_for: Callable[["ModelSession"], FinalRequest]
    ) -> bool:
        """Reduce the window until the request is smaller than the one sent; return whether that is possible."""
        while self.shrink():
            if _size(request_for(self).request) < _size(sent):
                return True
        return False


async def _run_until(wanted: Coroutine[object, object, None], work: Coroutine[object, object, None]) -> None:
    """Run `work` until it or `wanted` ends, then cancel both and wait for their end."""
    working, waiting = asyncio.create_task(work), asyncio.create_task(wanted)
    try:
        await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        working.cancel()
        waiting.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)
    if not working.cancelled():
        working.result()


def _size(request: ModelRequest) -> int:
    """Return the approximate number of tokens of a request, including those reserved for its answer."""
    return sum(estimate_tokens(message.text) for message in request.messages) + (
        request.max_output_tokens or 0
    )


def _pictures_in(request: ModelRequest) -> set[int]:
    return {hash(image.data) for message in request.messages for image in message.images}
