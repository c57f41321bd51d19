"""How the events of a turn change what a conversation shows."""

from dataclasses import replace
from datetime import UTC, datetime

from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel
from desktop.domain.events import (
    Beside,
    CitationsChecked,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TextReplaced,
    ThinkingEnded,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import (
    AnswerCost,
    AnswerRole,
    Message,
    MessageStatus,
    Speaker,
    Step,
    StepKind,
    StepStatus,
)
from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from tests.cases import cases

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def said(message_id, text="", **fields):
    speaker = Speaker.USER if message_id.startswith("q") else Speaker.MODEL
    return Message(message_id, "c", speaker, text, NOW, **fields)


ASKED = said("q1", "How?")
BLANK = said("a1", status=MessageStatus.STREAMING, known=())
OTHER = replace(BLANK, id="b1", standing=AnswerRole.COMPARED)
DONE = said("a1", "Done.")
TALK = (ASKED, DONE, said("q2", "And?"), said("a2", "So."))
STEP = Step(1, StepKind.SEARCH, "tides")
CHECK = CitationCheck((CheckedMark(1, 0, SupportLevel.WEAK, "Words", "Other words", ()),))
BEGUN = (TurnStarted(ASKED, BLANK), Beside("b1", TurnStarted(ASKED, OTHER)))


def sources():
    ledger = Ledger()
    ledger.register([Passage(SourceKind.WEB, "Tides", "The moon.", "https://example.org/")])
    return ledger.sources


def after(events, shown=NOTHING_SHOWN):
    for event in events:
        shown = shown.after(event)
    return shown


@cases(
    "events, answer",
    [
        ([TextDelta("One"), TextDelta(" two")], {"text": "One two"}),
        ([TextDelta("One"), TextReplaced("Two"), TextDelta("!")], {"text": "Two!"}),
        ([ReasoningDelta("Hm"), ReasoningDelta(".")], {"reasoning": "Hm."}),
        (
            [ReasoningDelta("Hm"), ThinkingEnded(3.0)],
            {"reasoning": "Hm", "spent": AnswerCost(thinking_s=3.0)},
        ),
        ([ThinkingEnded(3.0), ReasoningDelta("Hm")], {"reasoning": "Hm", "spent": None}),
        (
            [
                StepStarted(STEP),
                StepStarted(replace(STEP, id=2)),
                StepFinished(replace(STEP, status=StepStatus.DONE)),
            ],
            {"steps": (replace(STEP, status=StepStatus.DONE), replace(STEP, id=2))},
        ),
        ([SourcesAdded(sources())], {"offered": (1,), "known": ((1, 1),)}),
        ([CitationsChecked("a1", CHECK)], {"check": CHECK}),
    ],
)
def test_events_change_the_usual_answer_and_beside_ones_the_others(events, answer):
    usual = after([*BEGUN, *events])
    assert usual.messages == (ASKED, replace(BLANK, **answer), OTHER)
    if not isinstance(events[0], CitationsChecked):
        assert after([*BEGUN, *(Beside("b1", event) for event in events)]).messages == (
            ASKED,
            BLANK,
            replace(OTHER, **answer),
        )


def test_answers_are_unfinished_until_they_end_and_take_no_events_afterwards():
    shown = after(BEGUN)
    assert (shown.unfinished, shown.usual) == (("a1", "b1"), "a1")
    shown = after([Beside("b1", TurnFailed(replace(OTHER, status=MessageStatus.FAILED)))], shown)
    assert shown.unfinished == ("a1",)
    shown = after([TurnFinished(DONE), TextDelta("late"), Beside("b1", TextDelta("late"))], shown)
    assert (shown.unfinished, shown.usual, shown.by_id["a1"].text, shown.by_id["b1"].text) == (
        (),
        "",
        "Done.",
        "",
    )


@cases(
    "started, ids",
    [
        (TurnStarted(said("q3"), said("a3")), "q1 a1 q2 a2 q3 a3"),
        (TurnStarted(ASKED, said("a3", variants=("a1", "a3"))), "q1 a3"),
        (TurnStarted(said("q3", variants=("q2", "q3")), said("a3")), "q1 a1 q3 a3"),
        (TurnStarted(ASKED, DONE), "q1 a1 q2 a2"),
    ],
)
def test_a_turn_continues_regenerates_edits_or_goes_on(started, ids):
    shown = Transcript.of(TALK).after(started)
    assert list(shown.by_id) == ids.split()
    assert shown.by_id[started.answer.id].status is MessageStatus.STREAMING


def test_the_next_question_leaves_behind_what_was_compared():
    shown = after([*BEGUN, TurnFinished(DONE)]).without_turn()
    shown = shown.after(TurnStarted(said("q2"), said("a2")))
    assert [each.standing for each in shown.messages[1:3]] == [AnswerRole.USUAL, AnswerRole.LEFT]


def test_messages_read_from_the_disk_are_completed_by_the_running_turn():
    turn = after([*BEGUN, SourcesAdded(sources()), TextDelta("Newer")])
    shown = Transcript.of((ASKED, replace(BLANK, text="New"), OTHER)).with_turn(turn)
    assert [each.text for each in shown.messages] == ["How?", "Newer", ""]
    assert (shown.unfinished, list(shown.sources)) == (("a1", "b1"), [1])
    assert not Transcript.of((ASKED, said("a0"))).contains_turn(turn)
    assert Transcript.of(TALK).with_turn(turn.without_turn()) == Transcript.of(TALK)


def test_messages_are_found():
    shown = Transcript.of((*TALK[:3], replace(TALK[3], variants=("a2", "a3"))))
    assert (shown.last_message, shown.last_answer, shown.last_with_versions) == ("a2", "a2", shown.get("a2"))
    assert [shown.question_of(each).id for each in ("q1", "a1", "a2")] == ["q1", "q1", "q2"]
    assert shown.question_of("gone") is None
    assert (NOTHING_SHOWN.last_message, NOTHING_SHOWN.last_answer) == ("", "")
