"""What models write during research is read tolerantly, and only what has a source counts."""

from datetime import UTC, date, datetime

from desktop.chat.procedures.research_prompts import (
    UNREADABLE,
    answer_messages,
    plan_messages,
    read_plan,
    read_reading,
    reading_messages,
)
from desktop.chat.procedures.summary import read_part
from desktop.domain.messages import Message, Speaker
from desktop.domain.procedures import (
    Depth,
    Finding,
    Plan,
    QualityVerdict,
    Query,
    Research,
    Round,
    SearchTarget,
)
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.resources import resource_text
from tests.cases import cases

TODAY = date(2026, 1, 2)
PLACES = (SearchTarget.WEB, SearchTarget.WIKIPEDIA)
STATE = Research(
    "Which bridge is longer?",
    Depth.QUICK,
    plan=Plan(("lengths",), (Query("old bridge length"),)),
    rounds=(
        Round(
            (Query("old bridge length"),),
            (1,),
            (Finding("The old bridge is 200 m long.", (1,)),),
            QualityVerdict(missing="the new one"),
        ),
    ),
    asides=("only stone bridges",),
)


def sources(*titles):
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, title, f"About {title}.", url=f"https://e.org/{title}") for title in titles
    )
    return ledger.sources


def test_a_plan_is_read_with_its_places():
    plan = read_plan(
        '<plan><need>length</need><query place="wikipedia">Bridge</query><query>bridge 长度</query>'
        '<query place="moon">third</query><query>Bridge</query></plan>',
        "Q",
        PLACES,
    )
    assert plan == Plan(
        ("length",), (Query("Bridge", SearchTarget.WIKIPEDIA), Query("bridge 长度"), Query("third"))
    )


def test_without_a_usable_plan_the_question_is_asked_everywhere():
    assert read_plan("I cannot do that.", "Which bridge?", PLACES).queries == (
        Query("Which bridge?"),
        Query("bridge", SearchTarget.WIKIPEDIA),
    )


def test_information_counts_only_with_the_number_of_a_source_that_was_shown():
    findings, verdict = read_reading(
        '<reading><information source="2">It is 300 m.</information>'
        '<information source="9">Invented.</information><information>Unsourced.</information>'
        '<information source="3, 2; 8">Both say so.</information><verdict>enough</verdict></reading>',
        STATE,
        {2, 3},
        PLACES,
    )
    assert findings == (Finding("It is 300 m.", (2,)), Finding("Both say so.", (3, 2)))
    assert verdict == QualityVerdict(is_enough=True)


def test_a_verdict_of_more_brings_queries_that_were_not_asked_before():
    _, verdict = read_reading(
        "<missing>the year</missing><query>Old Bridge Length</query><query>bridge year built</query>",
        STATE,
        set(),
        PLACES,
    )
    assert verdict == QualityVerdict(missing="the year", queries=(Query("bridge year built"),))


def test_enough_with_new_queries_and_not_enough_are_both_not_enough():
    for written in (
        "<verdict>enough</verdict><query>more</query>",
        "<verdict>not enough</verdict>",
        "<verdict>不够</verdict>",
        "<verdict>insufficient</verdict>",
    ):
        assert not read_reading(written, STATE, set(), PLACES)[1].is_enough


def test_a_verdict_that_cannot_be_read_is_said():
    findings, verdict = read_reading("Well, all good I think.", STATE, {1}, PLACES)
    assert findings == ()
    assert verdict.problem == UNREADABLE
    assert not verdict.is_enough


def test_the_answer_is_asked_for_from_findings_alone():
    system, user = answer_messages(STATE, STATE.findings, TODAY)
    assert "2026-01-02" in system.text
    assert "- The old bridge is 200 m long. [1]" in user.text
    assert "Not found: the new one" in user.text
    assert "only stone bridges" in user.text
    assert user.text.endswith("Which bridge is longer?")


def test_fields_in_what_is_filled_in_are_not_filled():
    state = Research("What is {today}?", Depth.QUICK)
    assert "What is {today}?" in answer_messages(state, state.findings, TODAY)[1].text


def test_a_reading_shows_what_is_new_and_what_is_known():
    user = reading_messages(STATE, STATE.findings, sources("a", "b"), PLACES, TODAY)[1].text
    assert '<source number="2"' in user
    assert "The old bridge is 200 m long. [1]" in user
    assert "- old bridge length" in user
    assert "only stone bridges" in user


def test_a_plan_knows_the_last_turns():
    history = [
        Message(str(number), "c", Speaker.USER, f"turn {number}", datetime(2026, 1, 1, tzinfo=UTC))
        for number in range(9)
    ]
    text = plan_messages("Q <b>", history, PLACES, TODAY)[1].text
    assert "turn 8" in text
    assert "turn 2" not in text
    assert "Q &lt;b&gt;" in text


def test_wikipedia_is_asked_for_titles_and_keywords_and_the_web_for_what_was_written():
    written = (
        '<plan><query place="wikipedia">How long is the Rhine?</query><query place="wikipedia">Rhine long</query>'
        '<query place="wikipedia">莱茵河有多长</query><query place="web">How long is the Elbe?</query></plan>'
    )
    assert read_plan(written, "Q", PLACES).queries == (
        Query("long Rhine", SearchTarget.WIKIPEDIA),
        Query("Rhine long", SearchTarget.WIKIPEDIA),
        Query("莱茵河", SearchTarget.WIKIPEDIA),
        Query("How long is the Elbe?"),
    )
    (rules, _) = plan_messages("Q", (), PLACES, TODAY)
    assert "the title of an article, or a few keywords" in rules.text


def test_a_plan_in_tags_of_other_spellings_is_understood():
    written = (
        "<search_query>bridge length</search_query><search_query place='wikipedia'>Bridge</search_query>"
    )
    assert read_plan(written, "Q", PLACES).queries == (
        Query("bridge length"),
        Query("Bridge", SearchTarget.WIKIPEDIA),
    )
    _, verdict = read_reading("<search_quality>enough</search_quality>", STATE, {1}, PLACES)
    assert verdict.is_enough


def test_the_examples_of_the_prompts_are_whole_and_are_no_answers_when_copied():
    plan = resource_text("prompts/research_plan.txt").partition("Example")[2]
    reading = resource_text("prompts/research_read.txt").partition("Example")[2]
    assert read_plan(plan, "Q", PLACES).queries == (Query("Q"), Query("Q", SearchTarget.WIKIPEDIA))
    findings, verdict = read_reading(reading, STATE, {11, 14}, PLACES)
    assert (findings, verdict.queries, verdict.missing) == ((), (), "")
    copied_before = read_plan(plan, "Who planned the Gotthard Base Tunnel?", PLACES)
    assert Query("Gotthard Base Tunnel", SearchTarget.WIKIPEDIA) in copied_before.queries
    for text in (plan, reading):
        assert text.count("<") > 8  # a whole document, not a line of one


@cases("prompt", ["read_part", "read_part_zh"])
def test_a_copied_example_is_no_note(prompt):
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, f"p{n}", f"About {n}.", url=f"https://e.org/{n}") for n in range(24)
    )
    shown = resource_text(f"prompts/{prompt}.txt")
    assert read_part(shown, ledger.sources) == ()
    assert read_part(shown + '<point source="3">The hull was painted twice.</point>', ledger.sources)
