"""What `footnote ask` prints of a turn for people."""

from dataclasses import replace
from datetime import UTC, datetime

from desktop.cli.output.answer import Report
from desktop.cli.parser import build_parser
from desktop.domain.events import SourcesAdded, TurnFinished
from desktop.domain.messages import Message, Speaker
from desktop.domain.sources import Ledger, Passage, SourceKind
from tests.cases import cases


def sources(count):
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, f"Page {n}", f"Words {n}.", f"https://s{n}.example/") for n in range(count)
    )
    return ledger.sources


@cases("answer", ["Both say so [1, 2].", "Both say so 【1】【2】.", "Both say so [1-2].", "Both [^1][^2]."])
def test_a_source_is_cited_however_its_mark_is_written(answer, capsys):
    message = Message("a", "c", Speaker.MODEL, "", datetime(2026, 1, 2, tzinfo=UTC), offered=(1, 2, 3))
    report = Report(build_parser().parse_args(["ask", "Who?"]), "Who?")
    report.take(SourcesAdded(sources(3)))
    report.take(TurnFinished(replace(message, text=answer)))
    assert report.close() == 0
    printed = capsys.readouterr().out
    assert [line.strip() for line in printed.splitlines() if line.strip()] == [
        "[1] Page 0",
        "[2] Page 1",
        "Page 2 (read, not cited)",
    ]
