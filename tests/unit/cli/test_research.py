"""A research on the terminal: every piece of news is told once, and the plan can be changed."""

from dataclasses import replace

import pytest

from desktop.cli import research as module
from desktop.cli.research import plan_of_person, progress
from desktop.domain.research import (
    MOST_PLANNED,
    Depth,
    Finding,
    Phase,
    Place,
    Plan,
    Query,
    Research,
    Round,
    Spent,
    StartPlan,
    Verdict,
)

pytestmark = pytest.mark.anyio

PLAN = Plan(("how long",), (Query("bridge length"),))
PLANNED = Research("Which?", Depth.QUICK, plan=PLAN, phase=Phase.PLANNED)
SEARCHING = replace(PLANNED, phase=Phase.SEARCHING, rounds=(Round(PLAN.queries, is_searched=False),))
READ = replace(
    SEARCHING,
    rounds=(Round(PLAN.queries, (1,), (Finding("It is long.\x1b[2J", (1,)),), Verdict(missing="how long")),),
)
WRITING = replace(READ, phase=Phase.WRITING, ended_by="The rounds are used up.", spent=Spent(1, 3, 4_000, 30))


def test_every_piece_of_news_is_told_once():
    assert progress(None, PLANNED) == "plan\n  needed: how long\n  web: bridge length\n"
    assert progress(PLANNED, SEARCHING) == "round 1\n  web: bridge length\n"
    told = progress(SEARCHING, READ)
    assert "  found: It is long." in told
    assert "[1]\n  missing: how long\n" in told
    assert "\x1b" not in told
    assert progress(READ, READ) == ""
    assert progress(READ, WRITING) == (
        "The rounds are used up. Spent: 1 of 2 rounds, 3 of 8 pages, 4,000 of 40,000 tokens,"
        " 0.5 of 3 minutes.\n"
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [(Verdict(is_enough=True), "  enough\n"), (Verdict(problem="It was odd."), "  It was odd.\n")],
)
def test_a_verdict_is_told(verdict, words):
    judged = replace(READ, rounds=(replace(READ.rounds[0], verdict=verdict),))
    assert progress(READ, judged) == words


async def test_without_a_terminal_the_plan_starts_as_it_is(monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert await plan_of_person(PLANNED) == StartPlan(PLAN)


@pytest.mark.parametrize(
    ("typed", "queries"),
    [
        ([""], PLAN.queries),
        (
            ["Wikipedia: tides\n", "10:30 trains\n", "\n"],
            (Query("tides", Place.WIKIPEDIA), Query("10:30 trains")),
        ),
        (["files:  my  notes\nmore\n", ""], (Query("my notes", Place.FILES), Query("more"))),
        (["web:\n", ""], PLAN.queries),
        (["x\n"] * 20, (Query("x"),) * MOST_PLANNED),
    ],
)
async def test_the_person_writes_other_searches(monkeypatch, typed, queries):
    lines = iter(typed)

    async def read_line():
        return next(lines)

    monkeypatch.setattr(module, "read_line", read_line)
    monkeypatch.setattr(module.sys, "stdin", Terminal())
    monkeypatch.setattr(module.sys, "stderr", Terminal())
    assert await plan_of_person(PLANNED) == StartPlan(Plan(PLAN.needs, queries))


class Terminal:
    """Says that it is one, and swallows what is written."""

    def isatty(self) -> bool:
        return True

    def write(self, _text: str) -> None: ...

    def flush(self) -> None: ...
