"""A turn on the terminal: the answer on stdout, progress on stderr, questions to the user."""

import argparse
import sys
from dataclasses import replace
from typing import Any

from desktop.chat.api.engine import Question
from desktop.cli.output.exports import PageChoice, alone, picture_look, print_file
from desktop.cli.output.interaction import ask_for_start, ask_user, describe_progress
from desktop.cli.output.terminal import Answer, print_json, print_piece, print_words, source_json, tell
from desktop.domain.citation_check import DOUBTED, CheckedMark, CitationCheck
from desktop.domain.events import (
    Beside,
    CitationsChecked,
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    StepStarted,
    ToolAsks,
    TraceReported,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import Message, MessageStatus, Step, StepKind, StepStatus
from desktop.domain.models import TextDelta
from desktop.domain.procedures import DraftState, Phase, Procedure, Research, SummaryState, TextCheck
from desktop.domain.sources import Source, SourceKind
from desktop.domain.trace import Trace
from desktop.phrases import pluralize
from desktop.render.labels import EN
from desktop.render.message import render_message
from desktop.render.page.source_cards import check_line, reasons_of
from desktop.services.container import ServiceContainer
from desktop.text.decode import printable
from desktop.text.message_codec import in_english

_PROCEDURE_KEYS: dict[type, str] = {
    Research: "research",
    SummaryState: "reading",
    DraftState: "writing",
    TextCheck: "checking",
}
"""The key in the JSON document for the state of each procedure."""


def format_check(check: CitationCheck) -> str:
    """Return the summary line that the window shows under an answer, and a line for every doubtful mark."""
    doubted = (mark for mark in check.marks if mark.support in DOUBTED)
    return "\n".join(filter(None, (check_line(check, EN), *map(_format_mark, doubted), check.problem)))


def check_json(check: CitationCheck) -> dict[str, Any]:
    """Return a check as `ask --json` shows it."""
    document: dict[str, Any] = in_english(check)
    return document


def _format_mark(mark: CheckedMark) -> str:
    closest = f"\n    closest: “{mark.words}”" if mark.words else ""
    return f"[{mark.number}] “{mark.claim}”\n    {' '.join(reasons_of(mark, EN))}{closest}"


async def answer_at_terminal(services: ServiceContainer, question: Question, report: "Report") -> None:
    """Answer a question; the user at the terminal makes the necessary decisions."""
    answer_id = ""

    async def show(event: TurnEvent) -> None:
        nonlocal answer_id
        if isinstance(event, ToolAsks):
            await services.turns.decide(event.id, await ask_user(event, services.preferences))
        if isinstance(event, TurnStarted):
            answer_id = event.answer.id
        report.take(event)
        if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.PLANNED:
            await services.turns.steer(answer_id, await ask_for_start(event.procedure))

    await services.turns.run(question, show)


class Report:
    """Turns the events of one turn into output."""

    def __init__(self, arguments: argparse.Namespace, title: str) -> None:
        self._is_json: bool = arguments.json
        self._kind: str | None = arguments.format
        self._page = PageChoice.of(arguments)
        self._look = picture_look(arguments)
        self._page.require_say(arguments)
        self._has_appendix: bool = getattr(arguments, "findings", False)
        self._title: str = title.strip().partition("\n")[0]
        self._sources: tuple[Source, ...] = ()
        self._trace = Trace()
        self._procedure: Procedure | None = None
        self._message: Message | None = None
        self._check: CitationCheck | None = None
        self._is_within_line = False
        self._counting: set[int] = set()
        """Waiting steps, which repeat every second."""

    @property
    def answer_id(self) -> str:
        """The id of the answer after it has ended."""
        return self._message.id if self._message else ""

    @property
    def is_checked(self) -> bool:
        """Whether the citations were checked, as they always are in research."""
        return self._check is not None

    def take(self, event: TurnEvent) -> None:
        """Show an event."""
        match event:
            case TextDelta(text) if not (self._is_json or self._kind):
                print_piece(text)
                self._is_within_line = not text.endswith("\n")
            case StepStarted(step) if step.id in self._counting:
                pass  # a countdown: shown once, with the whole time
            case StepStarted(step) | StepFinished(step):
                if step.kind is StepKind.RETRY:
                    self._counting.add(step.id)
                self._end_line()
                sys.stderr.write(_step_line(step))
            case SourcesAdded(sources):
                # Each round of a research and each tool has its own sources.
                known = {source.number: source for source in (*self._sources, *sources)}
                self._sources = tuple(known[number] for number in sorted(known))
            case ProcedureChanged(procedure):
                sys.stderr.write(describe_progress(self._procedure, procedure))
                self._procedure = procedure
            case TraceReported(trace):
                self._trace = trace
            case CitationsChecked(_, check):
                self._check = check
            case TurnFinished(message) | TurnFailed(message):
                self._message = message
            case _:
                pass

    def _end_line(self) -> None:
        """Start a new line on a terminal that shows both the answer and the progress."""
        if self._is_within_line and sys.stdout.isatty():
            print_piece("\n")
            self._is_within_line = False

    def close(self) -> int:
        """Print the final output and return the exit status."""
        message = self._message
        assert message is not None, "every turn ends with a message"
        error = message.error or _why_nothing_was_found(message)
        if self._kind:
            checked = replace(message, check=self._check or message.check)
            file = alone(checked, self._title, self._sources)
            try:
                print_file(
                    file, self._kind, has_appendix=self._has_appendix, page=self._page, look=self._look
                )
            except ValueError:
                tell(message.text)  # the answer is not lost with the page
                raise
        elif self._is_json:
            found = {"check": check_json(self._check)} if self._check else {}
            trace = {"trace": in_english(self._trace)}
            print_json(_answer_json(message, self._sources, error) | trace | found)
        else:
            cited = render_message(message.text, message.sources_among(self._sources)).cited
            lines = (_source_line(source, is_cited=source.number in cited) for source in self._sources)
            print_words("\n" + "".join(lines))
            if self._check:
                print_words(f"\n{format_check(self._check)}")
        if error:
            tell(f"footnote: {error}")
        return 0 if message.status is MessageStatus.COMPLETE and not error else 1


def _why_nothing_was_found(message: Message) -> str:
    """Return the errors of a search without results; empty if it succeeded."""
    if message.offered:
        return ""
    failed = (step.detail for step in message.steps if step.status is StepStatus.FAILED)
    return " ".join(dict.fromkeys(filter(None, failed)))


def _source_line(source: Source, *, is_cited: bool) -> str:
    where = f" {source.locator}".rstrip()
    told = f": {source.text}" if source.kind is SourceKind.MEMORY else ""
    words = f"{source.title or source.url}{told}{where}"
    return f"\n[{source.number}] {words}" if is_cited else f"\n     {words} (read, not cited)"


def _answer_json(message: Message, sources: tuple[Source, ...], error: str) -> Answer:
    document: Answer = {
        "answer": message.text,
        "sources": [source_json(source) for source in sources],
        "steps": in_english(message.steps),
        "usage": in_english(message.usage),
        "model": message.model,
    }
    if message.reasoning:
        document["reasoning"] = message.reasoning
    if message.procedure is not None:
        document[_PROCEDURE_KEYS[type(message.procedure)]] = in_english(message.procedure)
    if error:
        document["error"] = error
    return document


def _step_line(step: Step) -> str:
    """Return a line for a running or finished step: `Searching the web: tides – 3 results`."""
    name = EN.steps[step.kind]
    doing = f"{name}: {step.subject}" if step.subject else name
    if step.status is StepStatus.RUNNING:
        return f"{printable(f'{doing}: {step.detail}' if step.detail else doing)} …\n"
    count = EN.counts.get(step.kind) if step.count is not None else None
    ended = [pluralize(count, step.count or 0)] if count else []
    if step.status is StepStatus.FAILED:
        ended = ["failed"]
    told = " – ".join((doing, *ended))
    return printable(f"{told}. {step.detail}" if step.detail else told) + "\n"


async def print_compared(services: ServiceContainer, question: Question, *, is_json: bool) -> int:
    """Ask all models of a question; print every answer when it ends, under its model's name.

    Returns:
        The exit status: 0 if all of them answered to the end.
    """
    report = _ComparisonReport(is_json=is_json)

    async def show(event: TurnEvent) -> None:
        inner = event.event if isinstance(event, Beside) else event
        if isinstance(inner, ToolAsks):
            await services.turns.decide(inner.id, await ask_user(inner, services.preferences))
        report.take(inner)

    await services.turns.run(question, show)
    return report.close()


class _ComparisonReport:
    def __init__(self, *, is_json: bool) -> None:
        self._is_json = is_json
        self._messages: list[Message] = []
        self._sources: dict[int, Source] = {}

    def take(self, event: TurnEvent) -> None:
        """Handle an event of any of the answers."""
        match event:
            case SourcesAdded(sources):
                self._sources.update({source.number: source for source in sources})
            case TurnFinished(message) | TurnFailed(message):
                self._messages.append(message)
                if message.error:
                    tell(f"footnote: {message.model}: {message.error}")
                if not self._is_json:
                    print_words(f"## {message.model}\n\n{message.text}\n")
            case _:
                pass

    def close(self) -> int:
        sources = [self._sources[number] for number in sorted(self._sources)]
        if self._is_json:
            answers = [_comparison_json(message) for message in self._messages]
            print_json({"answers": answers, "sources": list(map(source_json, sources))})
        else:
            print_words("\n".join(f"[{source.number}] {source.title or source.url}" for source in sources))
        is_whole = all(message.status is MessageStatus.COMPLETE for message in self._messages)
        return 0 if is_whole else 1


def _comparison_json(message: Message) -> dict[str, object]:
    return {
        "model": message.model,
        "answer": message.text,
        "usage": in_english(message.usage),
        "spent": in_english(message.spent),
        "error": message.error,
    }
