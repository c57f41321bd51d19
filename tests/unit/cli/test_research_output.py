"""A research on the terminal: every piece of news is told once, and the plan can be changed."""

from dataclasses import replace

import pytest

from desktop.cli.output import interaction as module
from desktop.cli.output.interaction import ask_for_plan, describe_progress
from desktop.domain.procedures import (
    MOST_PLANNED,
    Depth,
    Finding,
    Phase,
    Plan,
    QualityVerdict,
    Query,
    Research,
    ResearchCost,
    Round,
    SearchTarget,
    StartPlan,
)
from tests.cases import cases

pytestmark = pytest.mark.anyio

PLAN = Plan(("how long",), (Query("bridge length"),))
PLANNED = Research("Which?", Depth.QUICK, plan=PLAN, phase=Phase.PLANNED)
SEARCHING = replace(PLANNED, phase=Phase.SEARCHING, rounds=(Round(PLAN.queries, is_searched=False),))
READ = replace(
    SEARCHING,
    rounds=(
        Round(PLAN.queries, (1,), (Finding("It is long.\x1b[2J", (1,)),), QualityVerdict(missing="how long")),
    ),
)
WRITING = replace(
    READ, phase=Phase.WRITING, ended_by="The round limit was reached.", spent=ResearchCost(1, 3, 4_000, 30)
)


def test_every_piece_of_news_is_told_once():
    assert describe_progress(None, PLANNED) == "plan\n  needed: how long\n  web: bridge length\n"
    assert describe_progress(PLANNED, SEARCHING) == "round 1\n  web: bridge length\n"
    told = describe_progress(SEARCHING, READ)
    assert "  found: It is long." in told
    assert "[1]\n  missing: how long\n" in told
    assert "\x1b" not in told
    assert describe_progress(READ, READ) == ""
    assert describe_progress(READ, WRITING) == (
        "The round limit was reached. Spent: 1 of 2 rounds, 3 of 8 pages, 4,000 of 40,000 tokens, 0.5 of 3 minutes.\n"
    )


@cases(
    "verdict, words",
    [
        (QualityVerdict(is_enough=True), "  enough\n"),
        (QualityVerdict(problem="It was odd."), "  It was odd.\n"),
    ],
)
def test_a_verdict_is_told(verdict, words):
    judged = replace(READ, rounds=(replace(READ.rounds[0], verdict=verdict),))
    assert describe_progress(READ, judged) == words


@cases(
    "typed, queries",
    [
        (["\n"], PLAN.queries),
        (
            ["Wikipedia: tides\n", "10:30 trains\n", "\n"],
            (Query("tides", SearchTarget.WIKIPEDIA), Query("10:30 trains")),
        ),
        (["files:  my  notes\nmore\n", "\n"], (Query("my notes", SearchTarget.FILES), Query("more"))),
        (["web:\n", "\n"], PLAN.queries),
        (["x\n"] * 20, (Query("x"),) * MOST_PLANNED),
    ],
)
async def test_the_person_writes_other_searches(monkeypatch, typed, queries):
    type_lines(monkeypatch, typed)
    assert await ask_for_plan(PLANNED) == StartPlan(Plan(PLAN.needs, queries))


async def test_a_plan_that_nobody_starts_is_not_started(monkeypatch):
    type_lines(monkeypatch, ["tides\n", ""])
    with pytest.raises(ValueError, match="not started"):
        await ask_for_plan(PLANNED)


def type_lines(monkeypatch, typed):
    lines = iter(typed)

    async def read_line():
        return next(lines)

    monkeypatch.setattr(module, "read_line", read_line)
