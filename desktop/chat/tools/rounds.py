"""Lets a model answer with tools: call, run, read, call again, and an answer at the end whatever happens.

request ─▶ stream ─▶ calls? ── no ──▶ done
             ▲         │ yes
             │         ▼
             └── results, numbered by the ledger in the order of the calls (at most `limit` times)
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from desktop.chat.consents import Consents
from desktop.chat.lookup import PickedModel
from desktop.chat.steps import StepLog
from desktop.chat.tools.calls import CallAssembler
from desktop.chat.tools.results import reading
from desktop.chat.tools.runs import CallRunner, Returned
from desktop.domain.events import (
    RoundStarted,
    SourcesAdded,
    StepFinished,
    StepStarted,
    ToolAsks,
    ToolCalled,
    ToolReturned,
)
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import (
    FinishReason,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    Replay,
    StreamEnded,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    UsageReported,
)
from desktop.domain.sources import Ledger, Source
from desktop.domain.tools import Tool
from desktop.errors import ToolsRefused
from desktop.phrases import phrase
from desktop.resources import resource_text

DEFAULT_LIMIT = 20
"""Rounds of calls before the model has to answer."""

_BREAK = "\n\n"
"""Stands between what a model says before its calls and what it says after them."""

_LIMIT_REACHED = phrase(
    "The limit of {limit} rounds of tools was reached; the model answers with what it has."
)
_IN_CIRCLES = phrase("The model repeated the same call; it answers with what it has.")
_IN_WRITING = phrase("This model takes no tools; it is asked to write down what it wants to look up.")
_NO_ANSWER = phrase("The model wrote no answer. Ask again, or pick another model.")

RoundEvent = (
    RoundStarted
    | StepStarted
    | StepFinished
    | SourcesAdded
    | ReasoningDelta
    | TextDelta
    | ToolCalled
    | ToolAsks
    | ToolReturned
    | UsageReported
)


@dataclass(frozen=True)
class Bench:
    """What a model may work with in one turn.

    `keep` puts sources on the disk before anyone sees them. `result_tokens` bounds what is read to the
    model of one result.
    """

    tools: tuple[Tool, ...]
    ledger: Ledger
    log: StepLog
    consents: Consents
    keep: Callable[[Sequence[Source]], Awaitable[None]]
    limit: int = DEFAULT_LIMIT
    result_tokens: int = 4_000


@dataclass
class _Reply:
    """One reply of the model, as it comes in."""

    text: list[str] = field(default_factory=list)
    calls: CallAssembler = field(default_factory=CallAssembler)
    replay: tuple[Replay, ...] = ()
    reason: FinishReason = FinishReason.STOP
    usage: UsageReported = field(default_factory=UsageReported)

    def as_message(self, calls: tuple[ToolCall, ...]) -> PromptMessage:
        """Return the reply as the next request has to repeat it."""
        return PromptMessage("assistant", "".join(self.text), tool_calls=calls, replay=self.replay)


async def answer_with_tools(
    picked: PickedModel, request: ModelRequest, bench: Bench
) -> AsyncGenerator[RoundEvent, None]:
    """Stream an answer, running what the model calls in between. Closing it stops model and tools.

    Raises:
        ProviderError: as `Model.stream`.
    """
    runner = CallRunner(bench.tools, bench.log, bench.consents)
    spent = UsageReported()
    has_text = False
    request = replace(request, tools=tuple(tool.spec for tool in bench.tools))
    for number in range(1, bench.limit + 1):
        reply = _Reply()
        async with aclosing(_replied(picked, request, reply, bench.log, spent)) as events:
            async for event in events:
                if has_text and isinstance(event, TextDelta) and len(reply.text) == 1:
                    yield TextDelta(_BREAK)
                yield event
        has_text = has_text or bool(reply.text)
        calls = reply.calls.calls
        if not calls:
            return
        spent = spent + reply.usage
        if runner.goes_in_circles(calls):
            yield bench.log.report(StepKind.TOOL, StepStatus.DEGRADED, _IN_CIRCLES)
            break
        yield RoundStarted(number, bench.limit)
        returned: list[PromptMessage] = []
        async with aclosing(_run(runner, calls, bench, returned)) as run:
            async for happened in run:
                yield happened
        request = replace(request, messages=(*request.messages, reply.as_message(calls), *returned))
    else:
        yield bench.log.report(StepKind.TOOL, StepStatus.DEGRADED, _LIMIT_REACHED.format(limit=bench.limit))
    if has_text:
        yield TextDelta(_BREAK)
    async with aclosing(_last_words(picked, request, bench.log, spent)) as events:
        async for event in events:
            yield event


async def _last_words(
    picked: PickedModel, request: ModelRequest, log: StepLog, spent: UsageReported
) -> AsyncGenerator[RoundEvent, None]:
    """Ask once more, without tools, so that an answer always comes."""
    over = PromptMessage("user", resource_text("prompts/tools_over.txt").strip())
    reply = _Reply()
    last = replace(request, messages=(*request.messages, over), may_call=False)
    async with aclosing(_replied(picked, last, reply, log, spent)) as events:
        async for event in events:
            yield event
    if not "".join(reply.text).strip():
        yield log.report(StepKind.ANSWER, StepStatus.FAILED, _NO_ANSWER)


async def _replied(
    picked: PickedModel, request: ModelRequest, reply: _Reply, log: StepLog, spent: UsageReported
) -> AsyncGenerator[RoundEvent, None]:
    """Stream one reply. `spent` is what replies before it have used: the turn reports its sum."""
    step = log.start(StepKind.ANSWER, picked.id)
    yield step
    try:
        async with aclosing(_events(picked, request, reply, spent)) as events:
            async for event in events:
                yield event
    except ToolsRefused:
        yield log.finish(step, status=StepStatus.DEGRADED, detail=_IN_WRITING)
        raise
    yield log.answered(step, reply.reason)


async def _events(
    picked: PickedModel, request: ModelRequest, reply: _Reply, spent: UsageReported
) -> AsyncGenerator[TextDelta | ReasoningDelta | UsageReported, None]:
    async with aclosing(picked.model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    reply.text.append(text)
                    yield event
                case ReasoningDelta():
                    yield event
                case ToolCallDelta():
                    reply.calls.add(event)
                case Replay():
                    reply.replay = (*reply.replay, event)
                case UsageReported():
                    reply.usage = event
                    yield spent + event
                case StreamEnded(reason):
                    reply.reason = reason


async def _run(
    runner: CallRunner, calls: Sequence[ToolCall], bench: Bench, messages: list[PromptMessage]
) -> AsyncGenerator[RoundEvent, None]:
    """Run a round; what the model is to read of it is added to `messages`."""
    for call in calls:
        yield ToolCalled(call)
    async with aclosing(runner.run(calls)) as events:
        async for event in events:
            if not isinstance(event, Returned):
                yield event
                continue
            numbers = bench.ledger.register(event.result.passages)
            sources = tuple(
                source for number in dict.fromkeys(numbers) if (source := bench.ledger.get(number))
            )
            if sources:
                await bench.keep(sources)
                yield SourcesAdded(sources)
            text = reading(event.result, sources, bench.result_tokens)
            yield ToolReturned(event.call, text, event.result.is_error)
            messages.append(PromptMessage("tool", text, call_id=event.call.id, images=event.result.images))
