"""Readings and texts on the terminal: every piece of news is told once, and the outline can be changed."""

from dataclasses import replace

import pytest

from desktop.cli.output import interaction as module
from desktop.cli.output.interaction import ask_for_start, describe_progress
from desktop.cli.parser import build_parser
from desktop.domain.procedures import (
    MOST_CHAPTERS,
    Chapter,
    DocumentSection,
    DraftState,
    KeyPoint,
    NoteKind,
    OutlineHeading,
    Phase,
    ReadDocument,
    StartOutline,
    SummaryState,
)
from tests.cases import cases

pytestmark = pytest.mark.anyio

FIRST = DocumentSection("1 Dams", 0, 100, 1, 12)
READING = SummaryState(
    "",
    (),
    ReadDocument("i", "dams.pdf", "f" * 64, 300),
    Phase.READING,
    (FIRST, DocumentSection("", 100, 200)),
)
NOTED = replace(FIRST, notes=(KeyPoint(NoteKind.GIST, "It is about dams.\x1b[2J", (1,)),), is_read=True)
HALF = replace(READING, sections=(NOTED, READING.sections[1]))
PLANNED = DraftState("Water", ("b",), Phase.PLANNED, (Chapter("Dams"), Chapter("Rivers")))


def test_every_part_that_is_read_is_told_once():
    assert describe_progress(None, READING) == "parts to read: 2, 300 pages\n"
    told = describe_progress(READING, HALF)
    assert told.startswith("section 1 of 2: 1 Dams (p. 1-12), notes: 1\n  It is about dams.")
    assert "\x1b" not in told
    assert describe_progress(HALF, HALF) == ""
    ended = replace(HALF, phase=Phase.WRITING, ended_by="You requested the answer.")
    assert describe_progress(HALF, ended) == "You requested the answer. Notes: 1.\n"


def test_why_notes_are_not_the_model_s_is_told():
    poor = replace(NOTED, problem="They could not be read.")
    assert "  They could not be read.\n" in describe_progress(READING, replace(READING, sections=(poor,)))


def test_every_chapter_that_is_written_is_told_once():
    assert describe_progress(None, PLANNED) == "outline\n  1. Dams\n  2. Rivers\n"
    done = replace(PLANNED, chapters=(Chapter("Dams", "A", is_written=True), Chapter("Rivers")))
    assert describe_progress(PLANNED, done) == "chapter 1 of 2 is written\n"
    ended = replace(done, ended_by="You stopped the draft here.")
    assert describe_progress(done, ended) == "You stopped the draft here.\n"
    assert describe_progress(ended, ended) == ""


async def test_without_a_terminal_the_outline_starts_as_it_is(monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert await ask_for_start(PLANNED) == StartOutline((OutlineHeading("Dams"), OutlineHeading("Rivers")))


@cases(
    "typed, titles",
    [
        (["\n"], ["Dams", "Rivers"]),
        (["  Big   lakes\n", "Seas\n", "\n"], ["Big lakes", "Seas"]),
        ([f"{number}\n" for number in range(30)], [str(number) for number in range(MOST_CHAPTERS)]),
    ],
)
async def test_the_person_writes_another_outline(monkeypatch, capsys, typed, titles):
    lines = iter(typed)

    async def read_line():
        return next(lines)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(module, "read_line", read_line)
    assert await ask_for_start(PLANNED) == StartOutline(tuple(map(OutlineHeading, titles)))
    assert "one heading a line" in capsys.readouterr().err


def test_the_options_are_there():
    parsed = build_parser().parse_args(["read", "--for-me", "--question", "Why?", "--kb", "notes", "a.pdf"])
    assert (parsed.target, parsed.for_me, parsed.question, parsed.kb) == ("a.pdf", True, "Why?", "notes")
    parsed = build_parser().parse_args(["write", "Water", "--kb", "a", "--kb", "b#law", "--plan"])
    assert (parsed.topic, parsed.kb, parsed.plan) == ("Water", ["a", "b#law"], True)
