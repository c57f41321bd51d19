"""`footnote ask`: one question, answered on stdout."""

import argparse
import asyncio
import sys
import tempfile
from contextlib import aclosing
from pathlib import Path

import msgspec

from desktop.chat.ports import MOST_MODELS, Question
from desktop.cli.assistant import assistant_called, bases_of
from desktop.cli.checked import check_json, check_words
from desktop.cli.compared import print_compared
from desktop.cli.consent import ask_person, has_terminal
from desktop.cli.exports import alone, print_file
from desktop.cli.kb_named import scope_named
from desktop.cli.output import Answer, print_json, print_words, source_json
from desktop.cli.research import plan_of_person, progress
from desktop.domain.events import (
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
from desktop.domain.messages import Message, MessageStatus, Step, StepStatus
from desktop.domain.models import TextDelta
from desktop.domain.procedures import Procedure
from desktop.domain.research import Depth, Phase, Research
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN
from desktop.domain.sources import Source, SourceKind
from desktop.domain.support import CitationCheck
from desktop.domain.trace import Trace
from desktop.engine.assembly import Rooms, running_rooms
from desktop.errors import UnknownEngine
from desktop.settings.folders import folders_for


def run(arguments: argparse.Namespace) -> int:
    """Answer one question; the conversation is not kept."""
    return asyncio.run(_ask(arguments))


async def _ask(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="footnote-") as scratch:
        async with running_rooms(folders_for(arguments.data_dir), conversations=Path(scratch)) as rooms:
            report = _Report(arguments)
            question = await _question(rooms, arguments)
            if question.also:
                return await print_compared(rooms, question, is_json=arguments.json)
            answer_id = ""
            async with aclosing(rooms.turns.ask(question)) as events:
                async for event in events:
                    if isinstance(event, ToolAsks):
                        await rooms.turns.decide(event.id, await ask_person(event, rooms.preferences))
                    if isinstance(event, TurnStarted):
                        answer_id = event.answer.id
                    report.take(event)
                    if isinstance(event, ProcedureChanged):
                        await _start(rooms, answer_id, event.procedure)
            if arguments.check and report.answer_id and not report.is_checked:
                async with aclosing(
                    rooms.turns.check(question.conversation_id, report.answer_id)
                ) as checking:
                    async for found in checking:
                        report.take(found)
    return report.close()


async def _start(rooms: Rooms, answer_id: str, procedure: Procedure) -> None:
    """Let the person start a research that shows its plan."""
    if isinstance(procedure, Research) and procedure.phase is Phase.PLANNED:
        await rooms.turns.steer(answer_id, await plan_of_person(procedure))


async def _question(rooms: Rooms, arguments: argparse.Namespace) -> Question:
    if not arguments.question.strip():
        raise ValueError("say what to ask")
    if len(arguments.model) > 1 and (arguments.format or arguments.research or arguments.check):
        raise ValueError("several models cannot be had with --format, --research or --check")
    if len(set(arguments.model)) < len(arguments.model) or len(arguments.model) > MOST_MODELS:
        raise ValueError(f"name at most {MOST_MODELS} models, each once")
    if arguments.json and arguments.format:
        raise ValueError("--json and --format cannot be had at once")
    if arguments.plan and not arguments.research:
        raise ValueError("--plan is for --research")
    if arguments.plan and not has_terminal():
        raise ValueError(
            "--plan waits for you to start the research, which needs a terminal; leave it out to start at once"
        )
    for path in arguments.file:
        path.open("rb").close()
    settings = rooms.preferences.settings
    assistant = assistant_called(rooms, arguments.assistant)
    web = arguments.web or assistant.web or settings.search.choice
    if web not in {WEB_OFF, WEB_AUTO, WEB_OWN}:
        await _check_engine(rooms, web)
    named = [(await scope_named(rooms, name)).key for name in arguments.kb]
    conversation = await (await rooms.store()).create(assistant.id)
    return Question(
        text=arguments.question,
        conversation_id=conversation.id,
        model=next(filter(None, (*arguments.model, assistant.model)), settings.chat.model),
        also=tuple(arguments.model[1:]),
        web=web,
        bases=tuple(named) or await bases_of(rooms, assistant),
        files=tuple(path.resolve() for path in arguments.file),
        queries=tuple(filter(None, map(str.strip, arguments.query))),
        uses_memory=not arguments.no_memory,
        procedure=Depth(arguments.research) if arguments.research else None,
        confirms_plan=arguments.plan,
        assistant=assistant,
    )


async def _check_engine(rooms: Rooms, engine: str) -> None:
    known = [info.id for info in await rooms.web.engines()]
    if engine not in known and "%s" not in engine:
        raise UnknownEngine(engine=engine, known=", ".join(known))


class _Report:
    """Turns the events of one turn into output."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._is_json: bool = arguments.json
        self._kind: str | None = arguments.format
        self._has_appendix: bool = arguments.findings
        self._title: str = arguments.question.strip().partition("\n")[0]
        self._sources: tuple[Source, ...] = ()
        self._trace = Trace()
        self._research: Research | None = None
        self._message: Message | None = None
        self._check: CitationCheck | None = None

    @property
    def answer_id(self) -> str:
        """Id of the answer once it has ended."""
        return self._message.id if self._message else ""

    @property
    def is_checked(self) -> bool:
        """Whether the citations were checked, as those of research always are."""
        return self._check is not None

    def take(self, event: TurnEvent) -> None:
        match event:
            case TextDelta(text) if not (self._is_json or self._kind):
                sys.stdout.write(text.encode("utf-8", "backslashreplace").decode())
                sys.stdout.flush()
            case StepStarted(step) | StepFinished(step):
                sys.stderr.write(_step_line(step))
            case SourcesAdded(sources):
                # Each round of a research, and each tool, brings its own.
                known = {source.number: source for source in (*self._sources, *sources)}
                self._sources = tuple(known[number] for number in sorted(known))
            case ProcedureChanged(Research() as research):
                sys.stderr.write(progress(self._research, research))
                self._research = research
            case TraceReported(trace):
                self._trace = trace
            case CitationsChecked(_, check):
                self._check = check
            case TurnFinished(message) | TurnFailed(message):
                self._message = message
            case _:
                pass

    def close(self) -> int:
        """Print what is due at the end and return the exit status."""
        message = self._message
        assert message is not None, "every turn ends with a message"
        error = message.error or _why_nothing_was_found(message)
        if self._kind:
            file = alone(message, self._title, self._sources)
            print_file(file, self._kind, has_appendix=self._has_appendix)
        elif self._is_json:
            found = {"check": check_json(self._check)} if self._check else {}
            trace = {"trace": msgspec.to_builtins(self._trace)}
            print_json(_document(message, self._sources, error) | trace | found)
        else:
            print_words("\n" + "".join(_source_line(source, message.text) for source in self._sources))
            if self._check:
                print_words(f"\n{check_words(self._check)}")
        if error:
            sys.stderr.write(f"footnote: {error}\n")
        return 0 if message.status is MessageStatus.COMPLETE and not error else 1


def _why_nothing_was_found(message: Message) -> str:
    """Return what failed of the looking up where nothing came of it; empty when it succeeded."""
    if message.offered:
        return ""
    failed = (step.detail for step in message.steps if step.status is StepStatus.FAILED)
    return " ".join(dict.fromkeys(filter(None, failed)))


def _source_line(source: Source, answer: str) -> str:
    is_cited = f"[{source.number}]" in answer
    where = f" {source.locator}".rstrip()
    told = f": {source.text}" if source.kind is SourceKind.MEMORY else ""
    words = f"{source.title or source.url}{told}{where}"
    return f"\n[{source.number}] {words}" if is_cited else f"\n     {words} (read, not cited)"


def _document(message: Message, sources: tuple[Source, ...], error: str) -> Answer:
    document: Answer = {
        "answer": message.text,
        "sources": [source_json(source) for source in sources],
        "steps": msgspec.to_builtins(message.steps),
        "usage": msgspec.to_builtins(message.usage),
        "model": message.model,
    }
    if message.reasoning:
        document["reasoning"] = message.reasoning
    if isinstance(message.procedure, Research):
        document["research"] = msgspec.to_builtins(message.procedure)
    if error:
        document["error"] = error
    return document


def _step_line(step: Step) -> str:
    if step.status is StepStatus.RUNNING:
        return f"… {step.kind} {step.subject}\n"
    count = "" if step.count is None else f" ({step.count})"
    return f"{step.status} {step.kind} {step.subject}{count} {step.detail}".rstrip() + "\n"
