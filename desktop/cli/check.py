"""`footnote check`: checks a text from elsewhere, claims against given sources, or where sources disagree."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from desktop.chat.api.engine import Question
from desktop.chat.checking.checker import ClaimJudges, check_claim
from desktop.chat.checking.disagreements import find_disagreements
from desktop.cli.ask import check_engine, temporary_services
from desktop.cli.kb import find_scope
from desktop.cli.output.exports import PageChoice, alone, print_file
from desktop.cli.output.interaction import describe_progress
from desktop.cli.output.terminal import (
    Answer,
    WrongArguments,
    print_json,
    print_words,
    run_batch,
    source_json,
    tell,
    tell_notice,
    text_of,
)
from desktop.cli.read import readable_file
from desktop.domain.citation_check import VERDICTS, CheckedMark, Disagreement
from desktop.domain.events import ProcedureChanged, SourcesAdded, TurnEvent, TurnFailed, TurnFinished
from desktop.domain.messages import Message
from desktop.domain.procedures import DocumentTask, TextCheck, TextClaim
from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.domain.sources import Source
from desktop.render.export import private_sources
from desktop.render.export.source_list import title_line
from desktop.render.labels import EN
from desktop.render.page.procedure_panels import claim_reasons, verdict_counts
from desktop.render.procedure_labels import text_check_labels
from desktop.services.container import ServiceContainer, running_services
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.folders import folders_for

_NAME_CHARS = 80


def run(arguments: argparse.Namespace) -> int:
    """Check a text, or a batch of claims, each with all its sources together; or compare sources with one another."""
    if arguments.batch:
        if arguments.target:
            raise WrongArguments("--batch does not go with a text to check")
        if arguments.disagreements:
            return asyncio.run(run_batch(arguments.batch, _compare))
        return asyncio.run(_check(arguments))
    if arguments.disagreements:
        raise WrongArguments("--disagreements needs --batch FILE.jsonl")
    if not arguments.target:
        raise WrongArguments(
            "say which text to check: a file, an address, or - for stdin; or --batch FILE.jsonl"
        )
    with egress.on(EgressContext(stays_here=arguments.only_here)):
        return asyncio.run(_check_text(arguments))


async def _check_text(arguments: argparse.Namespace) -> int:
    async with temporary_services(arguments.data_dir, has_files=False) as services:
        question = await _question(services, arguments)
        report = _TextReport()
        await services.turns.run(question, report.take)
    return report.close(arguments, _name_of(arguments.target, question.text))


async def _question(services: ServiceContainer, arguments: argparse.Namespace) -> Question:
    target, text = arguments.target, arguments.target
    files: tuple[Path, ...] = ()
    if target == "-":
        text = await asyncio.to_thread(_read_stdin)
        if not text.strip():
            raise ValueError("there is no text on stdin")
    elif not target.lower().startswith(("http://", "https://")):
        files, text = (readable_file(target),), ""
    web = arguments.web
    if web not in {WEB_OFF, WEB_AUTO}:
        await check_engine(services, web)
    scopes = [await find_scope(services, name) for name in arguments.kb]
    conversation = await services.store.create()
    return Question(
        text=text,
        conversation_id=conversation.id,
        web=web,
        bases=tuple(scope.key for scope in scopes),
        files=files,
        uses_memory=False,
        procedure=DocumentTask.CHECK,
    )


def _read_stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def _name_of(target: str, text: str) -> str:
    return text.strip().partition("\n")[0][:_NAME_CHARS] if target == "-" else target


class _TextReport:
    """Turns the events of the check into output: progress on stderr, the result on stdout."""

    def __init__(self) -> None:
        self._sources: dict[int, Source] = {}
        self._state: TextCheck | None = None
        self._message: Message | None = None

    async def take(self, event: TurnEvent) -> None:
        """Take an event, and show progress."""
        match event:
            case SourcesAdded(added):
                self._sources.update({source.number: source for source in added})
            case ProcedureChanged(TextCheck() as state):
                sys.stderr.write(describe_progress(self._state, state))
                self._state = state
            case TurnFinished(message) | TurnFailed(message):
                self._message = message
            case _:
                pass

    def close(self, arguments: argparse.Namespace, title: str) -> int:
        """Print the result and return the exit status.

        Raises:
            ValueError: the check failed.
        """
        message, state = self._message, self._state
        assert message is not None, "every turn ends with a message"
        if message.error or state is None:
            raise ValueError(message.error)
        used = {mark.number for claim in state.claims for mark in claim.judged}
        used |= {number for claim in state.claims for number in claim.cited}
        sources = [self._sources[number] for number in sorted(used & set(self._sources))]
        if arguments.json:
            print_json(text_check_json(state, sources))
        elif arguments.format:
            _print_report(message, replace(state, name=state.name or title).name, sources, arguments)
        else:
            print_words(_in_words(state, sources))
        return 0


def _print_report(
    message: Message, title: str, sources: Sequence[Source], arguments: argparse.Namespace
) -> None:
    file = alone(message, title, sources)
    kind = "page" if arguments.format == "html" else arguments.format
    private = private_sources(file)
    named = frozenset(each for each in arguments.leave_out if isinstance(each, int))
    choice = PageChoice(True, False, named)
    if "private" in arguments.leave_out:
        choice = PageChoice(False, True, named)
    elif private and kind != "markdown":
        listed = "".join(f"\n  [{source.number}] {title_line(source, EN)}" for source in private)
        tell(f"The report contains passages of your own files; --leave-out private leaves them out:{listed}")
    print_file(file, kind, page=choice)


def text_check_json(state: TextCheck, sources: Sequence[Source]) -> Answer:
    """Return a checked text as JSON for scripts: its claims in their order in the text."""
    return {
        "name": state.name,
        "claims": [_claim_json(claim) for claim in state.claims if claim.is_checked],
        "sources": [source_json(source) for source in sources],
        "notes": [*state.notes],
    }


def _claim_json(claim: TextClaim) -> Answer:
    verdict = claim.verdict
    return {
        "claim": claim.text,
        "verdict": VERDICTS[verdict.support],
        "reason": verdict.unread.value if verdict.unread else "",
        "score": verdict.score,
        "passage": verdict.words,
        "differs": list(verdict.missing),
        "place": claim.place.value if claim.place and verdict.number else "",
        "sources": list(claim.numbers),
        "cites": [
            {
                "source": number,
                "verdict": VERDICTS[mark.support],
                "reason": mark.unread.value if mark.unread else "",
            }
            for number in claim.cited
            for mark in claim.judged
            if mark.number == number
        ],
    }


def _in_words(state: TextCheck, sources: Sequence[Source]) -> str:
    """Return a checked text for the terminal: the claims, the worst first, and the sources."""
    words = text_check_labels(EN)
    lines = [verdict_counts(state, EN), ""]
    for claim in state.checked:
        marks = "".join(f" [{number}]" for number in claim.numbers)
        lines.append(f"{words.verdicts[claim.verdict.support]}: {claim.text}{marks}")
        lines.append(f"    {' '.join(claim_reasons(claim, EN))}")
        if claim.verdict.words:
            lines.append(f"    {words.closest} “{' '.join(claim.verdict.words.split())}”")
    shown = {number for claim in state.checked for number in claim.numbers}
    lines += [
        "",
        *(f"[{each.number}] {title_line(each, EN)} {each.url}" for each in sources if each.number in shown),
    ]
    return "\n".join((*lines, *state.notes))


async def _check(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        problems: set[str] = set()
        respond = partial(_respond, judges=services.claim_judges(), problems=problems)
        status = await run_batch(arguments.batch, respond)
    for problem in sorted(problems):
        tell(problem)
    return status


async def _respond(request: Answer, judges: ClaimJudges, problems: set[str]) -> Answer:
    mark = await check_claim(text_of(request, "claim"), _sources(request), judges, problems.add)
    return verdict_json(mark)


def verdict_json(mark: CheckedMark | None) -> Answer:
    """Return a verdict as JSON for scripts; without a source the result is "not found"."""
    if mark is None:
        return {"verdict": "not_found", "score": 0.0, "passage": ""}
    return {"verdict": VERDICTS[mark.support], "score": mark.score, "passage": mark.words}


async def _compare(request: Answer) -> Answer:
    found = find_disagreements(text_of(request, "question"), _sources(request))
    return {"disagreements": [disagreement_json(one) for one in found]}


def disagreement_json(found: Disagreement) -> Answer:
    """Return a disagreement as JSON for scripts: `sources` has, for each value, the numbers of those that say it."""
    return {"about": found.about, "values": list(found.values), "sources": list(map(list, found.sources))}


def _sources(request: Answer) -> list[tuple[str, str]]:
    listed = request.get("sources")
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ValueError("“sources” must be a list of objects with “title” and “text”")
    return [(str(item.get("title") or ""), text_of(item, "text")) for item in listed]
