"""Runs the tool calls of one round in parallel, after the user's approval where it is needed.

Calls arrive in pieces, which are joined; their arguments are parsed and validated.
"""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

from desktop.chat.emit import Emit
from desktop.chat.step_log import MergedSteps, StepLog
from desktop.domain.events import StepFinished, StepStarted, ToolAsks
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.models import ToolCall, ToolCallDelta
from desktop.domain.tools import Arguments, Consent, Tool, ToolResult, tool_key
from desktop.errors import AppError, plain_reason
from desktop.phrases import translatable
from desktop.text.decode import strip_surrogates


class CallAssembler:
    """Joins the streamed pieces of parallel calls."""

    def __init__(self) -> None:
        self._calls: dict[int, ToolCallDelta] = {}
        self._arguments: dict[int, list[str]] = {}
        """Pieces by call, joined once at the end: a long text can arrive letter by letter."""

    def add(self, piece: ToolCallDelta) -> None:
        """Add a piece; the first id that the provider sends for a call counts."""
        known = self._calls.setdefault(piece.index, piece)
        self._arguments.setdefault(piece.index, []).append(piece.arguments)
        if not (known.id and known.name):
            self._calls[piece.index] = replace(known, id=known.id or piece.id, name=known.name or piece.name)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls in the order of their index."""
        return tuple(
            ToolCall(piece.id, piece.name, "".join(self._arguments[index]))
            for index, piece in sorted(self._calls.items())
        )


class ArgumentsRefused(ValueError):
    """The arguments do not fit the tool; the message is for the model, which can try again."""


def read_arguments(call: ToolCall, schema: Mapping[str, Any], *, is_ours: bool = True) -> dict[str, Any]:
    """Return the validated arguments of a call; see `schemas.validation_error`.

    Raises:
        ArgumentsRefused: they are not a JSON object, or do not fit the schema.
    """
    try:
        written = json.dumps(json.loads(call.arguments or "{}"), ensure_ascii=False)
        # Small models write lone surrogates, which cannot be sent.
        arguments = json.loads(strip_surrogates(written))
    except (ValueError, RecursionError) as error:
        raise ArgumentsRefused(f"The arguments are not JSON: {plain_reason(error)}") from error
    if not isinstance(arguments, dict):
        raise ArgumentsRefused("The arguments must be one JSON object.")
    # Imported here: it loads 20 MB of grammars for formats, and most answers call no tools.
    from desktop.chat.tools.schemas import validation_error  # noqa: PLC0415

    if problem := validation_error(arguments, schema, is_ours=is_ours):
        raise ArgumentsRefused(problem)
    return arguments


def canonical(call: ToolCall) -> str:
    """Return a key that is equal for equal calls: name and arguments, independent of JSON formatting."""
    try:
        arguments = json.dumps(json.loads(call.arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return f"{call.name}\n{arguments}"


@dataclass(frozen=True)
class _PendingApproval:
    key: str
    answer: "asyncio.Future[Consent]"
    insists: bool

    def is_answered_by(self, consent: Consent, key: str) -> bool:
        """Whether the decision on another question also answers this one."""
        is_enough = consent is Consent.NEVER or not self.insists
        return consent.is_lasting and key == self.key and is_enough


class Approvals:
    """Questions to the user that are waiting for a decision.

    A lasting decision applies at once, also to other pending questions of the same tool. The caller that showed
    the question must store it beyond the run, or revoke it: as soon as `kept` changes, only `kept` counts.
    """

    def __init__(self, kept: Callable[[], Mapping[str, Consent]]) -> None:
        self._kept = kept
        self._seen: Mapping[str, Consent] = {}
        self._said: dict[str, Consent] = {}
        self._waiting: dict[str, _PendingApproval] = {}

    def find_stored_decision(self, tool: Tool) -> Consent | None:
        """Return the lasting decision of the user for a tool, or None."""
        key = tool_key(tool.server, tool.spec.name)
        kept = self._load_consents()
        return self._said.get(key) or kept.get(key)

    def new_question(self, tool: Tool, *, insists: bool = False) -> str:
        """Return the id for the user's decision; with `insists`, only a decision on this question allows the tool."""
        question = uuid.uuid4().hex
        key = tool_key(tool.server, tool.spec.name)
        self._waiting[question] = _PendingApproval(key, asyncio.get_running_loop().create_future(), insists)
        return question

    async def answer(self, question: str) -> Consent:
        """Wait for the user's decision, without a timeout."""
        try:
            return await self._waiting[question].answer
        finally:
            del self._waiting[question]

    def decide(self, question: str, consent: Consent) -> None:
        """Record the user's decision; a late one is ignored."""
        asked = self._waiting.get(question)
        if asked is None:
            return
        if consent.is_lasting:
            self._load_consents()
            self._said[asked.key] = consent
        for other in self._waiting.values():
            is_meant = other is asked or other.is_answered_by(consent, asked.key)
            if is_meant and not other.answer.done():
                other.answer.set_result(consent)

    def _load_consents(self) -> Mapping[str, Consent]:
        kept = dict(self._kept())
        if kept != self._seen:
            self._seen = kept
            self._said.clear()
        return kept


Report = Callable[[StepStarted | StepFinished | ToolAsks], None]

MOST_REPEATS = 2
"""How often the same call is answered; on the next repetition the model is stuck in a loop."""

_NO_SUCH_TOOL = "There is no tool called {name}. Known: {known}."
_SAME_AS_BEFORE = "You made this very call before; this is the same result. Do not repeat it."
_REFUSED_BY_PERSON = "The user does not want this tool to run. Go on without it."
_TOO_LONG = "The tool took longer than {seconds:.0f} s and was stopped."

_UNKNOWN_TOOL_STEP = translatable("The model asked for a tool that doesn’t exist.")
_BAD_ARGUMENTS_STEP = translatable("The model’s arguments are not valid for this tool.")
_NOT_ALLOWED_STEP = translatable("You didn’t allow it.")
_TOO_LONG_STEP = translatable("It took longer than {seconds} s and was stopped.")


@dataclass(frozen=True)
class ToolOutcome:
    """A call with its result."""

    call: ToolCall
    result: ToolResult


class ToolExecutor:
    """Runs the tools of one turn and remembers which calls have been answered in it."""

    def __init__(self, tools: Sequence[Tool], log: StepLog, consents: Approvals) -> None:
        self._tools: Mapping[str, Tool] = {tool.spec.name: tool for tool in tools}
        self._log = log
        self._consents = consents
        self._answered: dict[str, ToolResult] = {}
        self._repeats: dict[str, int] = {}

    def goes_in_circles(self, calls: Sequence[ToolCall]) -> bool:
        """Say whether one of the calls has already been answered `MOST_REPEATS` times."""
        return any(self._repeats.get(canonical(call), 0) >= MOST_REPEATS for call in calls)

    async def run(self, calls: Sequence[ToolCall], emit: Emit) -> list[ToolOutcome]:
        """Run all calls in parallel; emit their steps as they come, return the results in the order of the calls.

        Cancelling it stops everything that runs.
        """
        events: asyncio.Queue[StepStarted | StepFinished | ToolAsks | None] = asyncio.Queue()
        firsts: dict[str, ToolCall] = {}
        for call in calls:
            firsts.setdefault(canonical(call), call)
        runs = {
            key: asyncio.create_task(self._run(call, events.put_nowait))
            for key, call in firsts.items()
            if key not in self._answered
        }
        everything = asyncio.gather(*runs.values(), return_exceptions=True)
        everything.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                await emit(event)
            await everything
        finally:
            for run in runs.values():
                run.cancel()
            with suppress(asyncio.CancelledError):
                await everything
        self._answered |= {key: run.result() for key, run in runs.items()}
        return [ToolOutcome(call, self._answer(call)) for call in calls]

    def _answer(self, call: ToolCall) -> ToolResult:
        """Return the result of a call; a repeated call gets a note that it was made before."""
        key = canonical(call)
        result = self._answered[key]
        self._repeats[key] = self._repeats.get(key, 0) + 1
        if self._repeats[key] > 1:
            return replace(result, text=f"{_SAME_AS_BEFORE}\n\n{result.text}")
        return result

    async def _run(self, call: ToolCall, report: Report) -> ToolResult:
        steps = MergedSteps(self._log, report)
        tool = self._tools.get(call.name)
        if tool is None:
            steps.failed(call.name, _UNKNOWN_TOOL_STEP, call.arguments)
            known = ", ".join(sorted(self._tools))
            return ToolResult(_NO_SUCH_TOOL.format(name=call.name, known=known), is_error=True)
        try:
            arguments = await asyncio.to_thread(
                read_arguments, call, tool.spec.parameters, is_ours=not tool.server
            )
        except ArgumentsRefused as refused:
            steps.failed(_subject(tool), _BAD_ARGUMENTS_STEP, call.arguments)
            return ToolResult(str(refused), is_error=True)
        if tool.asks(arguments) and not await self._is_allowed(tool, call, arguments, report):
            steps.failed(_subject(tool), _NOT_ALLOWED_STEP, call.arguments)
            return ToolResult(_REFUSED_BY_PERSON, is_error=True)
        return await self._run_bounded(tool, arguments, steps)

    async def _is_allowed(self, tool: Tool, call: ToolCall, arguments: Arguments, report: Report) -> bool:
        consent, insists = self._consents.find_stored_decision(tool), tool.insists(arguments)
        if consent is None or (consent is Consent.ALWAYS and insists):
            question = self._consents.new_question(tool, insists=insists)
            report(ToolAsks(question, call, tool.server, insists))
            consent = await self._consents.answer(question)
        return consent in {Consent.ONCE, Consent.ALWAYS}

    async def _run_bounded(self, tool: Tool, arguments: Arguments, steps: MergedSteps) -> ToolResult:
        try:
            async with asyncio.timeout(tool.timeout_s):
                return await _result(tool, arguments, steps)
        except TimeoutError:
            steps.give_up(_subject(tool), _TOO_LONG_STEP.format(seconds=round(tool.timeout_s)))
            return ToolResult(_TOO_LONG.format(seconds=tool.timeout_s), is_error=True)
        except AppError as error:
            steps.give_up(_subject(tool), str(error))
            return ToolResult(str(error), is_error=True)


async def _result(tool: Tool, arguments: Arguments, steps: MergedSteps) -> ToolResult:
    result = ToolResult()
    async with aclosing(tool.run(arguments)) as events:
        async for event in events:
            if isinstance(event, ToolResult):
                result = event
            else:
                steps.take(event)
    return result


def _subject(tool: Tool) -> str:
    return f"{tool.server} · {tool.spec.name}" if tool.server else tool.spec.name


async def as_step(
    kind: StepKind, subject: str, work: Callable[[], Awaitable[ToolResult]]
) -> AsyncGenerator[StepStarted | StepFinished | ToolResult, None]:
    """Run a tool that reports no steps as one step."""
    step = Step(1, kind, subject)
    yield StepStarted(step)
    try:
        result = await work()
    except AppError as error:
        yield StepFinished(replace(step, status=StepStatus.FAILED, detail=str(error)))
        yield ToolResult(str(error), is_error=True)
        return
    status = StepStatus.FAILED if result.is_error else StepStatus.DONE
    yield StepFinished(replace(step, status=status, count=len(result.passages) or None))
    yield result
