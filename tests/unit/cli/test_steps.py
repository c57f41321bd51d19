"""The steps of a turn on the terminal: what is done, what came of it, and nothing that steers the terminal."""

from desktop.cli.output.answer import Report
from desktop.cli.parser import build_parser
from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.messages import Step, StepKind, StepStatus
from tests.cases import cases


def told(event, capsys) -> str:
    report = Report(build_parser().parse_args(["ask", "Tides?"]), "Tides?")
    report.take(event)
    return capsys.readouterr().err


@cases(
    "step, line",
    [
        (Step(1, StepKind.SEARCH, "tides", StepStatus.DONE, 3), "Searching the web: tides – 3 results\n"),
        (Step(1, StepKind.SEARCH, "tides", StepStatus.DONE, 1), "Searching the web: tides – 1 result\n"),
        (Step(1, StepKind.INTENT, "", StepStatus.DONE, 2), "Planning the search\n"),
        (
            Step(1, StepKind.SEARCH, "tides", StepStatus.FAILED, 0, "Bing found nothing."),
            "Searching the web: tides – failed. Bing found nothing.\n",
        ),
        (
            Step(1, StepKind.KNOWLEDGE, "tides", StepStatus.DEGRADED, 2, "One file was left out."),
            "Searching your files: tides – 2 passages. One file was left out.\n",
        ),
    ],
)
def test_what_came_of_a_step_is_told_in_words(capsys, step, line):
    assert told(StepFinished(step), capsys) == line


def test_a_step_that_begins_is_told_and_steers_nothing(capsys):
    begun = told(StepStarted(Step(1, StepKind.READ, "a\x1b[2J.example")), capsys)
    assert begun == "Reading: a\\u001b[2J.example …\n"


def test_a_wait_before_a_retry_is_told_once_with_its_time(capsys):
    report = Report(build_parser().parse_args(["ask", "Tides?"]), "Tides?")
    for left in (3, 2, 1):
        report.take(
            StepStarted(Step(1, StepKind.RETRY, detail=f"Trying again in {left} s (attempt 1 of 3). Busy."))
        )
    report.take(StepFinished(Step(1, StepKind.RETRY, "", StepStatus.DEGRADED, detail="Busy.")))
    assert capsys.readouterr().err == (
        "Waiting for the provider: Trying again in 3 s (attempt 1 of 3). Busy. …\nWaiting for the provider. Busy.\n"
    )
