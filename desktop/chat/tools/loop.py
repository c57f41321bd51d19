"""Lets a model answer with tools: call, run, read, call again, and always an answer at the end.

request ─▶ stream ─▶ calls? ── no ──▶ done
             ▲         │ yes
             │         ▼
             └── results, numbered by the ledger in the order of the calls (at most `limit` times)
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from desktop.chat.emit import Emit
from desktop.chat.prompt import NO_PAGE_IMAGES, PageImageLoader, with_page_images
from desktop.chat.source_lookup import SelectedModel, ServerSearchSteps, passages_of
from desktop.chat.step_log import StepLog, empty_answer
from desktop.chat.tools.executor import Approvals, CallAssembler, ToolExecutor, ToolOutcome
from desktop.chat.tools.results import cost_of, cost_of_tools, fit_messages, result_text
from desktop.chat.tools.text_protocol import MarkupFilter
from desktop.domain.events import (
    RoundStarted,
    SourcesAdded,
    ToolCalled,
    ToolReturned,
)
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import (
    AnswerRemark,
    CitedPages,
    FinishReason,
    MarkupLeftOut,
    ModelEvent,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    Replay,
    RetryWaits,
    ServerSearch,
    StreamEnded,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    UsageReported,
    WishesLeftOut,
)
from desktop.domain.sources import Ledger, Passage, Source
from desktop.domain.tools import Tool
from desktop.errors.servers import ContextTooLong, ToolsRefused
from desktop.phrases import pluralize, translatable
from desktop.resources import resource_text

MAX_SHRINKS = 3
"""How often a request that is too long is sent again with at most half of its content."""

DEFAULT_LIMIT = 20
"""Maximum number of rounds of calls before the model has to answer."""

_BREAK = "\n\n"
"""Separates the text before a round of calls from the text after it."""

_LIMIT_REACHED = translatable(
    "The limit of {limit} tool rounds was reached. The model answers with what it has."
)
_RESULTS_LEFT_OUT = (
    translatable("{count} earlier tool result left out to save space."),
    translatable("{count} earlier tool results left out to save space."),
)
_TOO_LONG = translatable("The chat was too long for the model, so it was shortened.")
_IN_CIRCLES = translatable("The model repeated the same tool call. It answers with what it has.")
_IN_WRITING = translatable("This model does not support tools. It is asked to write down what to look up.")
_NO_ANSWER = translatable("The model did not write an answer. Try again, or choose another model.")


async def _ignore(_sources: Sequence[Source]) -> None:
    """Do nothing with sources that were shown."""


@dataclass(frozen=True)
class ToolLoopContext:
    """The resources that a model can use in one turn.

    `keep` writes sources to disk before they are shown. `result_tokens` limits the part of one result that the
    model gets, `context_tokens` everything sent and written. `smaller` rebuilds the first request with messages
    of at most the given number of tokens, if the server finds it too long. `page_images` shows the model the
    pages of scans that tools find. `on_sources` is called after sources were shown.
    """

    tools: tuple[Tool, ...]
    ledger: Ledger
    log: StepLog
    consents: Approvals
    keep: Callable[[Sequence[Source]], Awaitable[None]]
    emit: Emit
    limit: int = DEFAULT_LIMIT
    result_tokens: int = 4_000
    context_tokens: int = 16_000
    smaller: Callable[[int], ModelRequest] | None = None
    page_images: PageImageLoader = NO_PAGE_IMAGES
    on_sources: Callable[[Sequence[Source]], Awaitable[None]] = _ignore
    calls_are_text: bool = False
    """Whether the model is a `TextToolModel`.

    Any other model that writes its calls as text and nothing else is refused, so that it is asked as a
    `TextToolModel`.
    """


@dataclass
class _Reply:
    """One reply of the model, as it comes in."""

    text: list[str] = field(default_factory=list)
    calls: CallAssembler = field(default_factory=CallAssembler)
    replay: tuple[Replay, ...] = ()
    reason: FinishReason = FinishReason.STOP
    has_reasoning: bool = False
    has_markup: bool = False
    """Calls written into the text were left out."""
    usage: UsageReported = field(default_factory=UsageReported)

    def as_message(self, calls: tuple[ToolCall, ...]) -> PromptMessage:
        """Return the reply as the next request must repeat it."""
        return PromptMessage("assistant", "".join(self.text), tool_calls=calls, replay=self.replay)


async def answer_with_tools(picked: SelectedModel, request: ModelRequest, context: ToolLoopContext) -> None:
    """Let a model answer, running its calls in between; cancelling stops model and tools.

    Raises:
        ProviderError: as `Model.stream`.
    """
    await _ToolLoop(picked, request, context).run()


class _ToolLoop:
    """One answer: the text so far, and the next request."""

    def __init__(self, picked: SelectedModel, request: ModelRequest, context: ToolLoopContext) -> None:
        self._picked = picked
        self._context = context
        self._emit = context.emit
        self._log = context.log
        self._request = replace(request, tools=tuple(tool.spec for tool in context.tools))
        self._runner = ToolExecutor(context.tools, context.log, context.consents)
        self._spent = UsageReported()
        self._has_text = False
        self._shrinks = 0
        self._begun_with = len(request.messages)
        """Number of messages at the start of the turn; those after them are calls and results."""

    async def run(self) -> None:
        limit = self._context.limit
        for number in range(1, limit + 1):
            reply = await self._ask()
            calls = reply.calls.calls
            if not calls:
                if not self._has_text and not self._request.answer_so_far:
                    raise empty_answer(self._picked.id, reply.reason, has_reasoning=reply.has_reasoning)
                return
            if self._runner.goes_in_circles(calls):
                await self._emit(self._log.report(StepKind.TOOL, StepStatus.DEGRADED, _IN_CIRCLES))
                break
            await self._emit(RoundStarted(number, limit))
            await self._call_tools(reply, calls)
        else:
            detail = _LIMIT_REACHED.format(limit=limit)
            await self._emit(self._log.report(StepKind.TOOL, StepStatus.DEGRADED, detail))
        await self._ask_without_tools()

    async def _ask_without_tools(self) -> None:
        """Ask once more, without tools, so that there is always an answer."""
        over = PromptMessage("user", resource_text("prompts/tools_over.txt").strip())
        self._request = replace(self._request, messages=(*self._request.messages, over), may_call=False)
        reply = await self._ask()
        if not self._has_text:
            raise empty_answer(self._picked.id, reply.reason, has_reasoning=reply.has_reasoning)
        if not "".join(reply.text).strip():
            await self._emit(self._log.report(StepKind.ANSWER, StepStatus.FAILED, _NO_ANSWER))

    async def _ask(self) -> _Reply:
        """Stream one reply; a request that was too long is sent again with less content."""
        reply = _Reply()
        while True:
            shrinks = self._shrinks
            try:
                await self._stream(reply)
                break
            except ContextTooLong:
                if self._shrinks == shrinks:
                    raise
        self._spent += reply.usage
        self._has_text = self._has_text or bool("".join(reply.text).strip())
        return reply

    def _shrink(self) -> bool:
        """Halve the request: first the results of tools, then history and sources.

        Returns:
            False if nothing can be left out, or after `MAX_SHRINKS` times: the request is not sent again.
        """
        before = self._request
        limit = sum(map(cost_of, before.messages)) // 2
        if self._shrinks == MAX_SHRINKS:
            return False
        after, begun_with = (
            replace(before, messages=fit_messages(before.messages, limit).messages),
            self._begun_with,
        )
        if self._context.smaller is not None and sum(map(cost_of, after.messages)) > limit:
            rest = after.messages[begun_with:]
            smaller = self._context.smaller(max(0, limit - sum(map(cost_of, rest))))
            messages, begun_with = (*smaller.messages, *rest), len(smaller.messages)
            after = replace(smaller, messages=messages, tools=before.tools, may_call=before.may_call)
        if _cost(after) >= _cost(before):
            return False
        self._request, self._begun_with = after, begun_with
        self._shrinks += 1
        return True

    async def _stream(self, reply: _Reply) -> None:
        step = self._log.start(StepKind.ANSWER, self._picked.name)
        await self._emit(step)
        markup, searches = MarkupFilter(self._request.answer_so_far), ServerSearchSteps(self._log)
        request = replace(self._request, shows_waits=True)
        try:
            async with aclosing(self._picked.model.stream(request)) as events:
                async for received in events:
                    for event in markup.feed(received):
                        if isinstance(event, TextDelta):
                            reply.text.append(event.text)
                            if self._has_text and len(reply.text) == 1:
                                await self._emit(TextDelta(_BREAK))
                            await self._emit(event)
                        elif isinstance(event, StreamEnded):
                            reply.reason = event.reason
                        else:
                            await self._take(event, reply, searches)
            self._refuse_written_calls(reply)
        except ToolsRefused:
            await self._emit(self._log.finish(step, status=StepStatus.DEGRADED, detail=_IN_WRITING))
            raise
        except ContextTooLong:
            if reply.text or not self._shrink():
                raise
            await self._emit(self._log.finish(step, status=StepStatus.DEGRADED, detail=_TOO_LONG))
            raise
        await self._emit(self._log.finish_reply(step, reply.reason))

    def _refuse_written_calls(self, reply: _Reply) -> None:
        """Raise `ToolsRefused` if the reply is nothing but calls written as text, which are not parsed here."""
        has_said = self._has_text or "".join(reply.text).strip() or reply.calls.calls
        can_call = self._request.tools and self._request.may_call and not self._context.calls_are_text
        if reply.has_markup and can_call and not has_said:
            raise ToolsRefused(provider=self._picked.id, detail="")

    async def _take(self, event: ModelEvent, reply: _Reply, searches: ServerSearchSteps) -> None:
        """Add an event of the model to its reply, and show what is meant for the user."""
        match event:
            case ReasoningDelta():
                reply.has_reasoning = True
                await self._emit(event)
            case UsageReported():
                reply.usage = event
                await self._emit(self._spent + event)
            case WishesLeftOut() | RetryWaits() | MarkupLeftOut() | AnswerRemark():
                reply.has_markup = reply.has_markup or isinstance(event, MarkupLeftOut)
                for note in self._log.steps_for(event):
                    await self._emit(note)
            case CitedPages():
                await self._cite(event, reply)
            case ServerSearch():
                await self._emit(searches.take(event))
            case ToolCallDelta():
                reply.calls.add(event)
            case Replay():
                reply.replay = (*reply.replay, event)

    async def _cite(self, cited: CitedPages, reply: _Reply) -> None:
        """Number the pages that the model's server cites, and add the marks to the text."""
        numbers, sources = _register(self._context.ledger, passages_of(cited))
        await self._add_sources(sources)
        marks = "".join(f"[{number}]" for number in numbers)
        reply.text.append(marks)
        await self._emit(TextDelta(marks))

    async def _add_sources(self, sources: tuple[Source, ...]) -> None:
        await self._context.keep(sources)
        await self._emit(SourcesAdded(sources))
        await self._context.on_sources(sources)

    async def _call_tools(self, reply: _Reply, calls: tuple[ToolCall, ...]) -> None:
        """Run a round of calls; the next request gives the model the results."""
        for call in calls:
            await self._emit(ToolCalled(call))
        returned: list[PromptMessage] = []
        for outcome in await self._runner.run(calls, self._emit):
            returned += await self._register_outcome(outcome, (*self._request.messages, *returned))
        request = self._request
        budget = (
            self._context.context_tokens - (request.max_output_tokens or 0) - cost_of_tools(request.tools)
        )
        fitting = fit_messages((*request.messages, reply.as_message(calls), *returned), budget)
        self._request = replace(request, messages=fitting.messages)
        if fitting.shortened:
            detail = pluralize(_RESULTS_LEFT_OUT, fitting.shortened)
            await self._emit(self._log.report(StepKind.CONTEXT, StepStatus.DEGRADED, detail))

    async def _register_outcome(
        self, outcome: ToolOutcome, given: Sequence[PromptMessage]
    ) -> Sequence[PromptMessage]:
        """Number what a call found, and return its result for the model, except what is already in `given`."""
        context, result = self._context, outcome.result
        _numbers, sources = _register(context.ledger, result.passages)
        if sources:
            await self._add_sources(sources)
        text = result_text(result, sources, context.result_tokens, given)
        await self._emit(ToolReturned(outcome.call, text, result.is_error))
        pages = await context.page_images.more_pages_of(sources)
        for problem in pages.problems:
            await self._emit(context.log.report(StepKind.READ, StepStatus.DEGRADED, problem))
        message = PromptMessage("tool", text, call_id=outcome.call.id, images=result.images)
        return with_page_images((message,), pages.shown, sources, context.result_tokens)


def _cost(request: ModelRequest) -> int:
    """Return the approximate number of tokens of a request, including those reserved for its answer."""
    return sum(map(cost_of, request.messages)) + (request.max_output_tokens or 0)


def _register(ledger: Ledger, passages: Sequence[Passage]) -> tuple[tuple[int, ...], tuple[Source, ...]]:
    """Return the numbers of passages, without duplicates, and their sources."""
    numbers = tuple(dict.fromkeys(ledger.register(passages)))
    return numbers, tuple(source for number in numbers if (source := ledger.get(number)))
