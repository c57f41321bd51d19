"""`footnote ask --check`: what is printed of a check, for people and for programs."""

import json
from datetime import UTC, datetime

from desktop.cli.output.answer import Report
from desktop.cli.parser import build_parser
from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel
from desktop.domain.events import CitationsChecked, TurnFinished
from desktop.domain.messages import Message, Speaker
from tests.cases import cases

MESSAGE = Message(
    "a", "c", Speaker.MODEL, "It cost 90 crowns [1].", datetime(2026, 1, 2, tzinfo=UTC), offered=(1,)
)
CHECK = CitationCheck((CheckedMark(1, 0, SupportLevel.WEAK, "It cost 90 crowns", "It cost 80.", ("90",)),))


def report(*options: str) -> Report:
    said = Report(
        build_parser().parse_args(["ask", "--check", *options, "What did it cost?"]), "What did it cost?"
    )
    said.take(TurnFinished(MESSAGE))
    assert not said.is_checked
    said.take(CitationsChecked("a", CHECK))
    assert said.is_checked
    return said


def test_people_read_the_line_and_every_mark_in_doubt(capsys):
    assert report().close() == 0
    printed = capsys.readouterr().out
    assert "1 claim · 0 found in its sources · 1 doubtful" in printed
    assert "Missing from the source: 90." in printed
    assert "“It cost 80.”" in printed


def test_programs_get_all_of_it(capsys):
    assert report("--json").close() == 0
    (mark,) = json.loads(capsys.readouterr().out)["check"]["marks"]
    assert mark["support"] == "weak"
    assert mark["missing"] == ["90"]


@cases("options", [(), ("--json",)])
def test_without_a_check_nothing_is_said_of_one(capsys, options):
    said = Report(build_parser().parse_args(["ask", *options, "What did it cost?"]), "What did it cost?")
    said.take(TurnFinished(MESSAGE))
    said.close()
    printed = capsys.readouterr().out
    assert "supported" not in printed
    assert '"check"' not in printed
