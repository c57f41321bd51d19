"""Questions to the user at the terminal: consent to tools, a research plan, the outline of a text.

Procedures report their progress here as well. Without a terminal, tools are refused and plans start unchanged.
"""

import asyncio
import os
import sys
import threading
from contextlib import suppress
from dataclasses import replace

from desktop.domain.events import ToolAsks
from desktop.domain.procedures import (
    MOST_CHAPTERS,
    MOST_PLANNED,
    QUERY_CHARS,
    TITLE_CHARS,
    DocumentSection,
    DraftState,
    NoteKind,
    OutlineHeading,
    Phase,
    Plan,
    Procedure,
    Query,
    Research,
    Round,
    SearchTarget,
    Start,
    StartOutline,
    StartPlan,
    SummaryState,
    TextCheck,
)
from desktop.domain.tools import WEB_SEARCH, WIKIPEDIA_SEARCH, Consent, tool_key
from desktop.phrases import pluralize
from desktop.services.preferences import PreferencesService
from desktop.text.decode import pretty_json, printable

_PAGES = ("{count} page", "{count} pages")
_CLAIMS = ("{count} claim", "{count} claims")
_ANSWERS = {
    "y": Consent.ONCE,
    "yes": Consent.ONCE,
    "a": Consent.ALWAYS,
    "always": Consent.ALWAYS,
    "n": Consent.NO,
    "no": Consent.NO,
    "": Consent.NO,
    "never": Consent.NEVER,
}
_QUESTION = "Allow it? y = once, a = always for this tool, n = no, never = never again [n] "
_LINE_BYTES = 4_096

_PLAN_HELP = (
    "Press Enter to start, or write other searches first, one a line, and an empty line to start.\n"
    "A line such as “wikipedia: tides” says where to look: web, wikipedia or files.\n"
)
_SEARCH_TARGETS = {place.value: place for place in SearchTarget}

_OUTLINE_HELP = (
    "Press Enter to start, or write another outline first, one heading a line, and an empty line to start.\n"
)


async def ask_user(asks: ToolAsks, preferences: PreferencesService) -> Consent:
    """Ask the user at the terminal for consent; a permanent choice is stored in the settings."""
    of_server = f" of “{printable(asks.server)}”" if asks.server else ""
    tool = f"the tool “{printable(asks.call.name)}”{of_server}"
    if not has_terminal():
        _say(f"Declined: {tool} asks before it runs, and there is no terminal to ask on.\n")
        return Consent.NO
    settings = preferences.settings
    key = tool_key(asks.server, asks.call.name)
    known = dict(settings.chat.tool_consents).get(key)
    if known is Consent.NEVER or (known is not None and not asks.insists):
        return known  # two simultaneous requests: the first answer counts for both
    if not asks.server and asks.call.name in {WEB_SEARCH, WIKIPEDIA_SEARCH}:
        _say("\nThis names something that only your memories or files know.")
    _say(f"\nMay {tool} run with this?\n{pretty_json(asks.call.arguments)}\n")
    consent = await _answer()
    if consent.is_lasting:
        others = tuple(kept for kept in settings.chat.tool_consents if kept[0] != key)
        chat = replace(settings.chat, tool_consents=(*others, (key, consent)))
        await preferences.save(replace(settings, chat=chat))
    return consent


def has_terminal() -> bool:
    """Say whether there is a terminal for questions to the user."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def _answer() -> Consent:
    while True:
        _say(_QUESTION)
        typed = (await read_line()).strip().lower()
        if typed in _ANSWERS:
            return _ANSWERS[typed]


async def read_line() -> str:
    """Read a line with its end, without blocking other tasks; empty if the terminal is gone.

    The thread may stay in its read after the question is withdrawn; it then holds no lock, and as a daemon it
    does not keep the process alive.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[bytes] = loop.create_future()

    terminal = sys.stdin.fileno()

    def read() -> None:
        try:
            typed = os.read(terminal, _LINE_BYTES)
        except OSError:  # the terminal is gone: the answer is no
            typed = b""
        with suppress(RuntimeError):  # the loop is closed: the answer is no longer awaited
            loop.call_soon_threadsafe(_give, line, typed)

    threading.Thread(target=read, name="consent", daemon=True).start()
    return (await line).decode("utf-8", "replace")


def _give(line: "asyncio.Future[bytes]", typed: bytes) -> None:
    if not line.done():
        line.set_result(typed)


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def describe_progress(before: Procedure | None, now: Procedure) -> str:
    """Return the progress of a procedure since `before`, in lines for the user."""
    match now:
        case Research():
            return _describe_research(before if isinstance(before, Research) else None, now)
        case SummaryState():
            return _describe_summary(before if isinstance(before, SummaryState) else None, now)
        case TextCheck():
            return _describe_text_check(before if isinstance(before, TextCheck) else None, now)
        case DraftState():
            return _describe_draft(before if isinstance(before, DraftState) else None, now)


async def ask_for_start(procedure: Procedure) -> Start:
    """Let the user change and start a procedure that shows its plan."""
    if isinstance(procedure, Research):
        return await ask_for_plan(procedure)
    assert isinstance(procedure, DraftState), "the others have no plan"
    return await ask_for_outline(procedure)


def _describe_research(before: Research | None, now: Research) -> str:
    """Return the progress of a research since `before`, in lines for the user."""
    lines: list[str] = []
    if now.plan != (before.plan if before else Plan()):
        lines += plan_lines(now.plan)
    known = before.rounds if before else ()
    for number, done in enumerate(now.rounds, 1):
        was = known[number - 1] if number <= len(known) else Round(())
        lines += _round_lines(number, was, done)
    if now.phase is Phase.WRITING and (before is None or before.phase is not now.phase):
        spent, budget = now.spent, now.budget
        lines.append(
            f"{now.ended_by} Spent: {spent.rounds} of {budget.rounds} rounds, {spent.pages} of {budget.pages}"
            f" pages, {spent.tokens:,} of {budget.tokens:,} tokens, {spent.seconds / 60:.1f} of"
            f" {budget.minutes:g} minutes.".strip()
        )
    return "".join(f"{printable(line)}\n" for line in lines)


def plan_lines(plan: Plan) -> list[str]:
    """Return a plan as lines."""
    needs = [f"  needed: {need}" for need in plan.needs]
    return ["plan", *needs, *(_query_line(query) for query in plan.queries)]


async def ask_for_plan(research: Research) -> StartPlan:
    """Let the user at the terminal change the plan.

    Raises:
        ValueError: the input ended before the user started it.
    """
    plan = research.plan
    sys.stderr.write(_PLAN_HELP)
    sys.stderr.flush()
    queries: list[Query] = []
    while len(queries) < MOST_PLANNED and (line := await _read_line()):
        queries += [query for part in line.splitlines() if (query := _query(part))]
    return StartPlan(Plan(plan.needs, tuple(queries[:MOST_PLANNED]) or plan.queries))


async def _read_line() -> str:
    """Return a typed line; an empty one starts the research, the end of the input does not."""
    line = await read_line()
    if not line:
        raise ValueError("the research was not started")
    return line.strip()


def _query(line: str) -> Query | None:
    named, colon, rest = line.partition(":")
    place = _SEARCH_TARGETS.get(named.strip().lower()) if colon else None
    text = " ".join((rest if place else line).split())[:QUERY_CHARS]
    return Query(text, place or SearchTarget.WEB) if text else None


def _round_lines(number: int, was: Round, done: Round) -> list[str]:
    lines = []
    if done.queries != was.queries:
        lines += [f"round {number}", *(_query_line(query) for query in done.queries)]
    lines += [
        f"  found: {finding.text}{''.join(f' [{cited}]' for cited in finding.numbers)}"
        for finding in done.findings[len(was.findings) :]
    ]
    if done.verdict != was.verdict:
        verdict = done.verdict
        judged = "enough" if verdict.is_enough else verdict.problem or f"missing: {verdict.missing}"
        lines.append(f"  {judged}")
    return lines


def _query_line(query: Query) -> str:
    return f"  {query.place}: {query.text}"


def _describe_summary(before: SummaryState | None, now: SummaryState) -> str:
    """Return the progress of reading a document since `before`, in lines for the user."""
    lines: list[str] = []
    if now.sections and not (before and before.sections):
        count = now.document.pages if now.document else 0
        pages = f", {pluralize(_PAGES, count)}" if count else ""
        lines.append(f"parts to read: {len(now.sections)}{pages}")
    known = {section.start for section in before.sections if section.is_read} if before else set()
    for place, section in enumerate(now.sections, 1):
        if section.is_read and section.start not in known:
            lines += _section_lines(place, len(now.sections), section)
    if now.phase is Phase.WRITING and (before is None or before.phase is not now.phase):
        lines.append(f"{now.ended_by} Notes: {len(now.notes)}.".strip())
    return "".join(f"{printable(line)}\n" for line in lines)


def _section_lines(place: int, count: int, section: DocumentSection) -> list[str]:
    title = f" {section.title}" if section.title else ""
    pages = f" (p. {section.first_page}-{section.last_page})" if section.first_page else ""
    gist = next((note.text for note in section.notes if note.kind is NoteKind.GIST), "")
    head = f"section {place} of {count}:{title}{pages}, notes: {len(section.notes)}"
    return [
        line
        for line in (head, f"  {gist}" if gist else "", f"  {section.problem}" if section.problem else "")
        if line
    ]


def _describe_text_check(before: TextCheck | None, now: TextCheck) -> str:
    """Return the progress of the check of a text since `before`, in lines for the user."""
    lines: list[str] = []
    if now.claims and not (before and before.claims):
        lines.append(f"claims to check: {len(now.claims)}")
    done = len(now.checked)
    if done and done != (len(before.checked) if before else 0):
        lines.append(f"checked {done} of {pluralize(_CLAIMS, len(now.claims))}")
    return "".join(f"{line}\n" for line in lines)


def _describe_draft(before: DraftState | None, now: DraftState) -> str:
    """Return the progress of writing a text since `before`, in lines for the user."""
    lines: list[str] = []
    titles = [chapter.title for chapter in now.chapters]
    if titles != ([chapter.title for chapter in before.chapters] if before else []):
        lines += ["outline", *(f"  {number}. {title}" for number, title in enumerate(titles, 1))]
    done = before.written_count if before else 0
    if now.written_count > done:
        lines.append(f"chapter {now.written_count} of {len(titles)} is written")
    if now.ended_by and not (before and before.ended_by):
        lines.append(now.ended_by)
    return "".join(f"{printable(line)}\n" for line in lines)


async def ask_for_outline(writing: DraftState) -> StartOutline:
    """Let the user at the terminal change the outline; without a terminal it starts unchanged."""
    proposed = tuple(OutlineHeading(chapter.title) for chapter in writing.chapters)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return StartOutline(proposed)
    sys.stderr.write(_OUTLINE_HELP)
    sys.stderr.flush()
    headings: list[OutlineHeading] = []
    while len(headings) < MOST_CHAPTERS and (line := (await read_line()).strip()):
        titles = (" ".join(part.split())[:TITLE_CHARS] for part in line.splitlines())
        headings += [OutlineHeading(title) for title in titles if title]
    return StartOutline(tuple(headings[:MOST_CHAPTERS]) or proposed)
