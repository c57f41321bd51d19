"""The course of an answer: beside the chat in a wide window, live, with what is missing and the time left."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut

from desktop.domain.messages import Message, MessageStatus, Speaker, Step, StepKind, StepStatus
from desktop.domain.procedures import (
    Depth,
    Finding,
    Pause,
    Phase,
    Plan,
    QualityVerdict,
    Query,
    Research,
    ResearchCost,
    Resume,
    Round,
    SearchTarget,
)
from desktop.domain.trace import Trace
from desktop.render.labels import labels_of
from desktop.ui.dialogs.inspector_dialog import Inspection, InspectorDialog, InspectorView
from desktop.ui.dialogs.inspector_rows import course_rows
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.viewer.window import SourcePanel
from tests.ui.fakes.turns import SOURCE
from tests.ui.window.test_workspace import ask

ROUND = Round(
    (Query("tides Brest"), Query("spring tides", SearchTarget.FILES)),
    (1,),
    (Finding("Six metres.", (1,)),),
    QualityVerdict(missing="the year", queries=(Query("Brest 1890"),)),
)
RESEARCH = Research(
    "How high?",
    Depth.BALANCED,
    phase=Phase.SEARCHING,
    plan=Plan(("The height",), (Query("tides Brest"),)),
    rounds=(ROUND,),
    spent=ResearchCost(1, 7, 900, 180.0),
)
ANSWER = Message(
    "a1",
    "c1",
    Speaker.MODEL,
    "",
    datetime(2026, 1, 1, tzinfo=UTC),
    MessageStatus.STREAMING,
    steps=(
        Step(1, StepKind.SEARCH, "tides"),
        Step(2, StepKind.READ, "a.example", StepStatus.FAILED, detail="Gone."),
    ),
    procedure=RESEARCH,
)


@pytest.fixture(autouse=True)
def english(translations):
    """Count in English."""
    translations.use("en")


def test_a_research_is_told_in_the_order_of_time_and_steps_only_without_a_record(qapp):
    rows = course_rows(ANSWER, {1: SOURCE}, labels_of("en"), has_record=False)
    assert [(row.name, row.outcome) for row in rows] == [
        ("Plan", ""),
        ("Round 1", "1 source, 1 finding"),
        ("Steps", ""),
    ]
    assert [row.name for row in rows[1].children] == [
        "“tides Brest”",
        "“spring tides”",
        f"[1] {SOURCE.title}",
        "Findings",
        "Still missing: the year",
        "Next: “Brest 1890”",
    ]
    assert [row.outcome for row in rows[2].children] == ["Running…", "Gone."]
    assert [row.name for row in course_rows(ANSWER, {}, labels_of("en"), has_record=True)] == [
        "Plan",
        "Round 1",
    ]
    planned = replace(ANSWER, procedure=replace(RESEARCH, phase=Phase.PLANNED, rounds=()))
    rows = course_rows(planned, {}, labels_of("en"), has_record=True)
    assert rows == ()  # the answer shows the plan, and asks for it


def test_a_running_research_says_what_is_missing_and_the_time_left_and_is_steered(qtbot):
    view = InspectorView(Inspection("How high?", Trace(), message=ANSWER), {}, is_beside=True)
    qtbot.add_widget(view)
    view.show()
    course = view.course
    assert course.state.text() == "Balanced research · Round 1 of at most 4"
    assert course.budget.text() == "7 of 20 pages · at most 5 minutes left"
    assert course.missing.text() == "Still missing: the year"
    with qtbot.wait_signal(view.steered) as told:
        course.hold.click()
    assert told.args == [Pause()]
    plan = view.model.index(0, 0)
    view.tree.collapse(plan)
    paused = replace(RESEARCH, phase=Phase.PAUSED, rounds=(ROUND, Round((Query("Brest 1890"),))))
    view.follow(replace(ANSWER, procedure=paused), {})
    assert course.missing.text() == "Still missing: the year"  # the second round has not been judged
    assert view.tree.isColumnHidden(view.model.TIME)
    assert not view.tree.isExpanded(view.model.index(0, 0))  # what the user has collapsed stays so
    assert view.tree.isExpanded(view.model.index(2, 0))
    with qtbot.wait_signal(view.steered) as told:
        course.hold.click()
    assert told.args == [Resume()]
    done = replace(paused, phase=Phase.DONE, rounds=(ROUND,))
    view.follow(replace(ANSWER, status=MessageStatus.COMPLETE, procedure=done), {})
    assert course.state.text() == "Balanced research · 1 round, 1 source, 1 finding"
    assert course.budget.text() == "7 of 20 pages · took 3 minutes"
    brief = replace(done, spent=replace(done.spent, seconds=20.0))
    view.follow(replace(ANSWER, status=MessageStatus.COMPLETE, procedure=brief), {})
    assert course.budget.text() == "7 of 20 pages · took 20 seconds"
    assert not course.stop.isVisible()


def test_a_wide_window_shows_a_running_answer_beside_the_chat_and_stops_it_there(window, engine, loop, qtbot):
    window.window().resize(1300, 800)
    engine.models.is_gated = True
    ask(window, qtbot, "What is a tide?")
    qtbot.wait_until(lambda: bool(window.sessions.shown.last_answer))
    answer = window.sessions.shown.last_answer
    window.transcripts.action_requested.emit(ActionRequest(answer, MessageAction.DETAILS))
    qtbot.wait_until(lambda: bool(window.findChildren(InspectorView)))
    [panel], [view] = window.findChildren(SourcePanel), window.findChildren(InspectorView)
    assert panel.isAncestorOf(view)
    arrows = [each for each in panel.findChildren(QShortcut) if each.key() == QKeySequence(Qt.Key.Key_Right)]
    assert not any(each.isEnabled() for each in arrows)  # the list of what was searched has this key
    qtbot.wait_until(lambda: view.course.state.text() == "Answering: Quotes")
    assert view.model.index(0, 0).data() == "Steps"
    view.course.stop.click()
    qtbot.wait_until(lambda: not window.sessions.is_running)
    qtbot.wait_until(view.course.isHidden)
    panel.leave.click()
    qtbot.wait_until(lambda: not window.findChildren(InspectorView))
    window.window().resize(900, 700)
    window.transcripts.action_requested.emit(ActionRequest(answer, MessageAction.DETAILS))
    qtbot.wait_until(lambda: len(window.findChildren(InspectorView)) == 1)
    assert not panel.isVisible()
    assert len(window.findChildren(InspectorDialog)) == 1
