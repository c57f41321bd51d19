"""Topics that are watched: a question on a schedule, what is known about it, and what each run found."""

import calendar
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from desktop.domain.models import QUOTES_MODEL
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO

BUDGET_TOKENS: Final = 300_000
"""How many tokens a topic may use in a month, unless the user says otherwise."""
RETRY_AFTER: Final = timedelta(minutes=30)
"""A run that failed is repeated no sooner."""


class Interval(StrEnum):
    """How often a topic is looked up."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


_PERIODS = {
    Interval.HOURLY: timedelta(hours=1),
    Interval.DAILY: timedelta(days=1),
    Interval.WEEKLY: timedelta(weeks=1),
}


class FindingKind(StrEnum):
    """Whether a statement is new, or differs from what was known."""

    NEW = "new"
    DIFFERENT = "different"


class RunState(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"
    OVER_BUDGET = "over_budget"


@dataclass(frozen=True)
class FoundSource:
    """A source of a finding, as it was read; only the user has what is private."""

    title: str
    address: str
    passage: str
    is_private: bool = False

    @property
    def is_shareable(self) -> bool:
        """Whether others can read it, too; an earlier version stored no more than the address."""
        return not self.is_private and self.address.startswith(("http://", "https://"))


@dataclass(frozen=True)
class TopicFinding:
    """A statement that was not known before; `earlier` is what was known instead, if it differs.

    `verdict` says whether its sources support it: supported, partly, contradicted or not_found.
    `is_replacement` says that no source of the run states `earlier` any more.
    """

    kind: FindingKind
    text: str
    sources: tuple[FoundSource, ...] = ()
    earlier: str = ""
    values: tuple[str, ...] = ()
    """The values that differ: the present one first."""
    verdict: str = ""
    is_replacement: bool = False


@dataclass(frozen=True)
class TopicRun:
    """One run; `conversation_id` is empty where nothing new was found."""

    id: str
    started_at: datetime
    state: RunState = RunState.DONE
    findings: tuple[TopicFinding, ...] = ()
    conversation_id: str = ""
    tokens: int = 0
    problem: str = ""

    def is_in_month(self, now: datetime) -> bool:
        """Say whether it began in the calendar month of `now`, UTC."""
        began, today = self.started_at.astimezone(UTC), now.astimezone(UTC)
        return (began.year, began.month) == (today.year, today.month)


@dataclass(frozen=True)
class Topic:
    """A watched question. `bases` are keys of scopes, `known` the statements told so far, `runs` the newest last."""

    id: str
    question: str
    interval: Interval
    created_at: datetime
    web: str = WEB_AUTO
    bases: tuple[str, ...] = ()
    model: str = QUOTES_MODEL
    depth: Depth | None = None
    budget_tokens: int = BUDGET_TOKENS
    stays_here: bool = False
    """Whether its runs send nothing to another machine."""
    is_paused: bool = False
    known: tuple[str, ...] = ()
    runs: tuple[TopicRun, ...] = ()

    @property
    def last_done(self) -> TopicRun | None:
        """The last run that was not a failure."""
        return next((run for run in reversed(self.runs) if run.state is not RunState.FAILED), None)

    def next_run_at(self) -> datetime:
        """Return when the topic is looked up next; runs that were missed count once."""
        done = self.last_done
        due = self.created_at if done is None else _after(done.started_at, self.interval)
        failed = self.runs[-1] if self.runs and self.runs[-1].state is RunState.FAILED else None
        return due if failed is None else max(due, failed.started_at + RETRY_AFTER)

    def is_due(self, now: datetime) -> bool:
        """Say whether it is time for a run."""
        return not self.is_paused and now >= self.next_run_at()

    def tokens_in_month(self, now: datetime) -> int:
        """Return the tokens used in the calendar month of `now`, UTC."""
        return sum(run.tokens for run in self.runs if run.is_in_month(now))


def private_sources_of(topics: Iterable[Topic]) -> tuple[tuple[FoundSource, datetime], ...]:
    """Return the sources in the histories of topics that only the user has, each once, with the day of its last run."""
    found = (
        (source, run.started_at)
        for topic in topics
        for run in topic.runs
        for finding in run.findings
        for source in finding.sources
        if not source.is_shareable
    )
    return tuple(dict(found).items())


def without_private(topic: Topic, kept: Collection[FoundSource] = ()) -> Topic:
    """Return a topic in whose history private sources have neither title nor address nor passage, except those in `kept`."""

    def without(finding: TopicFinding) -> TopicFinding:
        sources = (
            source if source.is_shareable or source in kept else FoundSource("", "", "", is_private=True)
            for source in finding.sources
        )
        return replace(finding, sources=tuple(sources))

    runs = (replace(run, findings=tuple(map(without, run.findings))) for run in topic.runs)
    return replace(topic, runs=tuple(runs))


def without_conversations(topic: Topic, alive: Collection[str], problem: str) -> Topic:
    """Return a topic without what runs told whose conversations are permanently deleted; `problem` says so instead."""
    gone = [run for run in topic.runs if run.conversation_id and run.conversation_id not in alive]
    texts = {finding.text for run in gone for finding in run.findings}

    def without(finding: TopicFinding) -> TopicFinding:
        earlier = finding.earlier.rstrip(".")
        is_gone = bool(earlier) and any(earlier in text for text in texts)
        return replace(finding, earlier="", values=()) if is_gone else finding

    runs = (
        replace(run, findings=(), conversation_id="", problem=problem)
        if run in gone
        else replace(run, findings=tuple(map(without, run.findings)))
        for run in topic.runs
    )
    return replace(topic, runs=tuple(runs), known=tuple(text for text in topic.known if text not in texts))


def _after(moment: datetime, interval: Interval) -> datetime:
    if interval in _PERIODS:
        return moment + _PERIODS[interval]
    year, month = moment.year + moment.month // 12, moment.month % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))
