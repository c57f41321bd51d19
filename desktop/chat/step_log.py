"""The steps of a turn, and the trace of which sources were found and used."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from desktop.chat.prompt import BuiltPrompt
from desktop.domain.events import StepFinished, StepStarted, TurnEvent
from desktop.domain.messages import Conversation, Message, Step, StepKind, StepStatus
from desktop.domain.models import AnswerRemark, FinishReason, MarkupLeftOut, RetryWaits, WishesLeftOut
from desktop.domain.sources import Source
from desktop.domain.trace import SourceTrace, SourceUse, Trace
from desktop.errors.servers import EmptyAnswer
from desktop.phrases import pluralize, sentences, translatable
from desktop.text.tokens import estimate_tokens

_E = TypeVar("_E", bound=StepStarted | StepFinished)

NOTE_CHARS = 4_000
"""How many characters of a call's arguments, and of its result, a step keeps."""

_SHORTFALLS = {
    FinishReason.LENGTH: translatable("The answer reached the model’s output limit."),
    FinishReason.REFUSED: translatable("The model declined to answer."),
}

_WAITING = translatable("Trying again in {seconds} s (attempt {attempt} of {attempts}). {reason}")
_LEFT_OUT = translatable("Settings that this model does not support were left out: {names}.")


_MARKUP_LEFT_OUT = translatable(
    "The model wrote tool calls into its answer. They were not run and are not shown."
)
_ENDED_WITH = translatable("It ended with the reason “{reason}”.")
_ENDED_AT_LIMIT = translatable("It reached its output limit before the first word.")
_DECLINED = translatable("It declined to answer.")
_ONLY_REASONING = translatable("It wrote only reasoning.")


def empty_answer(model: str, reason: FinishReason, *, has_reasoning: bool) -> EmptyAnswer:
    """Return the error for an answer without any text, with the reason as far as it is known."""
    known = {FinishReason.LENGTH: _ENDED_AT_LIMIT, FinishReason.REFUSED: _DECLINED}
    why = known.get(reason) or _ENDED_WITH.format(reason=reason.value)
    return EmptyAnswer(model=model, reason=sentences((why, _ONLY_REASONING)) if has_reasoning else why)


class StepLog:
    """Collects the steps of a turn in the order in which they began."""

    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}
        self._wait: StepStarted | None = None
        self.wait_id = ""
        """Id of the current wait before a retry; empty if there is none."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps so far, in their current state."""
        return tuple(self._steps.values())

    def start(self, kind: StepKind, subject: str = "") -> StepStarted:
        """Start a step of the turn itself."""
        return self.record(StepStarted(Step(len(self._steps) + 1, kind, subject)))

    def finish(
        self,
        started: StepStarted,
        *,
        status: StepStatus = StepStatus.DONE,
        count: int | None = None,
        detail: str = "",
    ) -> StepFinished:
        """Finish a step that `start` began."""
        return self.record(StepFinished(replace(started.step, status=status, count=count, detail=detail)))

    def report(self, kind: StepKind, status: StepStatus, detail: str) -> StepFinished:
        """Report something that took no time."""
        return self.finish(self.start(kind), status=status, detail=detail)

    def finish_reply(self, started: StepStarted, reason: FinishReason) -> StepFinished:
        """Finish the step of a reply that ended for `reason`."""
        status = StepStatus.DEGRADED if reason in _SHORTFALLS else StepStatus.DONE
        return self.finish(started, status=status, detail=_SHORTFALLS.get(reason, ""))

    def steps_for(
        self, event: WishesLeftOut | RetryWaits | MarkupLeftOut | AnswerRemark
    ) -> Iterator[StepStarted | StepFinished]:
        """Show a model's remarks on the request, and what was left out of its answer."""
        if isinstance(event, MarkupLeftOut):
            yield from self._once(_MARKUP_LEFT_OUT)
        elif isinstance(event, AnswerRemark):
            yield from self._once(event.text)
        elif isinstance(event, RetryWaits):
            yield self.waiting(event)
        else:
            yield from self.report_left_out(event)

    def waiting(self, wait: RetryWaits) -> StepStarted | StepFinished:
        """Show a wait before a retry as a step, with the remaining seconds."""
        started = self._wait if wait.id == self.wait_id and self._wait else self.start(StepKind.RETRY)
        if not wait.seconds_left:
            self._wait, self.wait_id = None, ""
            return self.finish(started, status=StepStatus.DEGRADED, detail=wait.reason)
        self._wait, self.wait_id = started, wait.id
        detail = _WAITING.format(
            seconds=wait.seconds_left, attempt=wait.attempt, attempts=wait.attempts, reason=wait.reason
        )
        return self.record(StepStarted(replace(started.step, detail=detail)))

    def report_left_out(self, wishes: WishesLeftOut) -> Iterator[StepFinished]:
        """Report which options were not sent to the model, once in a turn."""
        yield from self._once(_LEFT_OUT.format(names=", ".join(wishes.names)))

    def _once(self, detail: str) -> Iterator[StepFinished]:
        if all(step.detail != detail for step in self.steps):
            yield self.report(StepKind.ANSWER, StepStatus.DEGRADED, detail)

    def record(self, event: _E) -> _E:
        """Record a step and return the event; events of the services pass through this method."""
        self._steps[event.step.id] = event.step
        return event

    def abandon(self) -> None:
        """Finish all running steps, because the turn is over."""
        for step in self.steps:
            if step.status is StepStatus.RUNNING:
                self._steps[step.id] = replace(step, status=StepStatus.FAILED)


class MergedSteps:
    """Renumbers steps from other components so that they fit into the steps of the turn."""

    def __init__(self, log: StepLog, report: Callable[[StepStarted | StepFinished], None]) -> None:
        self._log = log
        self._report = report
        self._started: dict[int, StepStarted] = {}

    def take(self, event: StepStarted | StepFinished) -> None:
        """Pass on a step with an id of the turn."""
        step = event.step
        if step.id not in self._started:
            self._started[step.id] = self._log.start(step.kind, step.subject)
        own = replace(step, id=self._started[step.id].step.id)
        self._report(self._log.record(replace(event, step=own)))

    def give_up(self, subject: str, detail: str, kind: StepKind = StepKind.TOOL) -> None:
        """Finish every running step; if there is none, report it in a new step."""
        if not self.end_running(detail):
            self.failed(subject, detail, kind=kind)

    def end_running(self, detail: str) -> bool:
        """Finish every running step, with the reason in `detail`; return whether there was any."""
        running = [started.step.id for started in self._started.values()]
        still = [step for step in self._log.steps if step.id in running and step.status is StepStatus.RUNNING]
        for step in still:
            ended = replace(step, status=StepStatus.FAILED, detail=detail)
            self._report(self._log.record(StepFinished(ended)))
        return bool(still)

    def failed(self, subject: str, detail: str, arguments: str = "", kind: StepKind = StepKind.TOOL) -> None:
        """Report that a tool or another component did not run."""
        started = self._log.start(kind, subject)
        self._report(started)
        ended = replace(
            started.step, status=StepStatus.FAILED, detail=detail, arguments=arguments[:NOTE_CHARS]
        )
        self._report(self._log.record(StepFinished(ended)))


_PINNED = (
    translatable("{count} source kept for further questions."),
    translatable("{count} sources kept for further questions."),
)
_TURNS_LEFT_OUT = (
    translatable("{count} earlier question left out."),
    translatable("{count} earlier questions left out."),
)
_SOURCES_LEFT_OUT = (translatable("{count} source left out."), translatable("{count} sources left out."))
_SOURCES_CUT = (
    translatable("{count} source shortened to fit the model’s context."),
    translatable("{count} sources shortened to fit the model’s context."),
)
SHOWN = (
    translatable("{count} page given to the model as an image."),
    translatable("{count} pages given to the model as images."),
)
_UNREAD = translatable(
    "These files are only mentioned in imported chats and were not read: {names}. Attach them again "
    "to use them."
)
_SHOWN_NAMES = 5
_NAME_CHARS = 80


def missing_attachment_notes(messages: Sequence[Message], log: StepLog) -> Iterator[StepFinished]:
    """Report attached files of earlier messages that were not read, unless a step already reports them."""
    paths = dict.fromkeys(path for each in messages if each.is_foreign for path in each.attachments)
    if not paths:
        return
    names = [" ".join((PurePath(path).name or path).split())[:_NAME_CHARS] for path in paths]
    listed = ", ".join(names[:_SHOWN_NAMES]) + (" …" if len(names) > _SHOWN_NAMES else "")
    problem = _UNREAD.format(names=listed)
    said = (*log.steps, *(step for each in messages for step in each.steps))
    if all(step.detail != problem for step in said):
        yield log.report(StepKind.READ, StepStatus.DEGRADED, problem)


def prompt_notes(
    problems: Sequence[str], pinned: Sequence[Source], prompt: BuiltPrompt, log: StepLog
) -> Iterator[TurnEvent]:
    """Report as steps what the model cannot see, what is pinned or shown to it, and what did not fit."""
    for problem in problems:
        yield log.report(StepKind.READ, StepStatus.DEGRADED, problem)
    if pinned:
        yield log.report(StepKind.CONTEXT, StepStatus.DONE, pluralize(_PINNED, len(pinned)))
    if prompt.pages_shown:
        yield log.report(StepKind.CONTEXT, StepStatus.DONE, pluralize(SHOWN, prompt.pages_shown))
    words = []
    if prompt.dropped_turns:
        words.append(pluralize(_TURNS_LEFT_OUT, prompt.dropped_turns))
    if prompt.dropped_sources:
        words.append(pluralize(_SOURCES_LEFT_OUT, len(prompt.dropped_sources)))
    if prompt.cut_sources:
        words.append(pluralize(_SOURCES_CUT, len(prompt.cut_sources)))
    if words:
        started = log.start(StepKind.CONTEXT)
        yield started
        yield log.finish(started, status=StepStatus.DEGRADED, detail=sentences(words))


def list_pinned_sources(conversation: Conversation, without: Collection[str]) -> tuple[Source, ...]:
    """Return the pinned sources of the conversation, except those excluded from this question."""
    pinned = set(conversation.pinned)
    return tuple(
        source for source in conversation.sources if source.number in pinned and source.key not in without
    )


def complete_trace(trace: Trace, pinned: Collection[Source], given: Collection[Source]) -> Trace:
    """Return `trace` with the numbers and sizes of the sources `given` to the model, including pinned ones.

    Sources that were found but did not fit into the prompt are not among them.
    """
    by_key = {source.key: source for source in given}
    pins = {source.key for source in pinned}
    found = {source.key for source in trace.sources if source.source_use is SourceUse.GIVEN}
    own = [_whole(source) for source in pinned if source.key not in found]
    settled = (_complete_source(source, by_key, pins) for source in (*own, *trace.sources))
    return replace(trace, sources=tuple(settled))


def extend_trace(trace: Trace, sources: Collection[Source]) -> Trace:
    """Return `trace` with `sources` that a tool found during the answer."""
    known = {source.key for source in trace.sources if source.source_use is SourceUse.GIVEN}
    given = {source.key: source for source in sources}
    added = (_complete_source(_whole(source), given, ()) for source in sources if source.key not in known)
    return replace(trace, sources=(*trace.sources, *added))


def join_traces(trace: Trace, more: Trace, given: Collection[Source]) -> Trace:
    """Return `trace` merged with that of a second gathering for the same answer; `given` are its sources."""
    known = {source.key for source in trace.sources if source.source_use is SourceUse.GIVEN}
    settled = complete_trace(more, (), given)
    return replace(
        trace,
        queries=tuple(dict.fromkeys((*trace.queries, *more.queries))),
        file_queries=tuple(dict.fromkeys((*trace.file_queries, *more.file_queries))),
        links=tuple(dict.fromkeys((*trace.links, *more.links))),
        searches=(*trace.searches, *more.searches),
        sources=(*trace.sources, *(source for source in settled.sources if source.key not in known)),
        budget_tokens=trace.budget_tokens + more.budget_tokens,
    )


def _whole(source: Source) -> SourceTrace:
    tokens = estimate_tokens(source.text)
    return SourceTrace(source.kind, source.key, source.title, source.url, total_tokens=tokens)


def _complete_source(found: SourceTrace, given: Mapping[str, Source], pins: Collection[str]) -> SourceTrace:
    if found.source_use is not SourceUse.GIVEN:
        return found
    is_pinned = found.key in pins
    if found.key not in given:
        return replace(found, source_use=SourceUse.NO_BUDGET, tokens=0, is_pinned=is_pinned)
    source = given[found.key]
    # A source that was known before keeps its earlier text beside the new one.
    tokens = estimate_tokens(source.text)
    total = max(found.total_tokens, tokens)
    return replace(found, number=source.number, tokens=tokens, total_tokens=total, is_pinned=is_pinned)
