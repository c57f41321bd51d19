"""What the page is told of a conversation: how much at once, in which order, and that nothing is lost."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest

from desktop.domain.citation_check import CitationCheck
from desktop.domain.events import (
    CitationsChecked,
    SourcesAdded,
    TextDelta,
    TextReplaced,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.models import ReasoningDelta
from desktop.domain.sources import Ledger, PageCheck, PagesChecked, PageState, Passage, SourceKind
from desktop.render.labels import EN
from desktop.render.message import RenderTarget, render_message
from desktop.render.page.operations import (
    AppendReasoning,
    Finish,
    LetGo,
    OpenPage,
    PatchText,
    PrependPlaceholders,
    SetMessage,
    SetPart,
    ShowSupport,
    write_script,
)
from desktop.render.page.streamed_answer import FIRST_MESSAGES, PIECE_CHARS
from desktop.render.stream import AppendText
from tests.cases import cases
from tests.unit.render.page.model_under_test import PageModelUnderTest

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ASKED = Message("q", "c", Speaker.USER, "How?", NOW)
RUNNING = Message("a", "c", Speaker.MODEL, "", NOW, MessageStatus.STREAMING)


@pytest.fixture
def page():
    return PageModelUnderTest(EN)


def conversation(count, text="Words."):
    speakers = (Speaker.USER, Speaker.MODEL)
    return [Message(f"m{n}", "c", speakers[n % 2], text, NOW) for n in range(count)]


def kinds(operations):
    return [type(operation) for operation in operations]


def texts_after(operations, blocks):
    """Return the blocks of the answer that the page has after some operations."""
    for operation in operations:
        if isinstance(operation, SetMessage) and operation.id == "a":
            blocks = {}
        elif isinstance(operation, PatchText):
            blocks |= {patch.path: patch.html for patch in operation.patches}
    return blocks


@cases("ends_frame", list(product((False, True), repeat=4)))
def test_a_rewritten_answer_is_shown_however_its_events_come_together(page, ends_frame):
    written = replace(RUNNING, text="# One\n\nOld words.\n\nTwo.\n\n", status=MessageStatus.COMPLETE)
    page.open([ASKED, written], ())
    check = CitationCheck(())
    text = "# One\n\nNew words.\n\nTwo.\n\n"
    ended = replace(written, text=text, check=check)
    events = (
        TurnStarted(ASKED, written),
        TextReplaced(text),
        CitationsChecked("a", check),
        TurnFinished(ended),
    )
    frame, blocks = [], {}
    for event, is_last in zip(events, (*ends_frame[:3], True), strict=True):
        frame.append(event)
        if is_last:
            blocks, frame = texts_after(page.apply(frame), blocks), []
    assert (
        "".join(blocks[path] for path in sorted(blocks)) == render_message(text, {}, RenderTarget.PAGE).html
    )
    assert page.is_whole


def test_the_newest_messages_are_written_and_the_others_get_places_newest_first(page):
    (first,) = page.open(conversation(1000), ())
    older = []
    while page.has_work:
        older += page.work()
    assert isinstance(first, OpenPage)
    assert first.html.count("<article") == FIRST_MESSAGES
    assert all(isinstance(operation, PrependPlaceholders) for operation in older)
    ids = [place.id for operation in reversed(older) for place in operation.places]
    assert ids == [f"m{number}" for number in range(1000 - FIRST_MESSAGES)]


def test_few_long_messages_are_written_at_once(page):
    first, *_ = page.open(conversation(20, "x" * PIECE_CHARS), ())
    assert first.html.count("<article") == 1


def test_a_place_is_written_once_and_only_if_it_is_known(page):
    page.open(conversation(50), ())
    assert kinds(page.write(["m3", "m3", "unknown", "m49"])) == [PrependPlaceholders, SetMessage]
    assert not page.is_whole
    page.write_all()
    assert page.is_whole


def test_what_is_far_is_let_go_if_it_is_written_and_can_be_written_again(page):
    page.open(conversation(5), ())
    (letting_go,) = page.release(["m0", "m1", "unknown"])
    assert [place.id for place in letting_go.places] == ["m0", "m1"]
    assert page.release(["m0"]) == []
    assert not page.is_whole
    assert kinds(page.write(["m0", "m1"])) == [SetMessage, SetMessage]
    assert page.is_whole


def test_a_running_answer_is_not_let_go_and_nothing_is_once_all_was_written(page):
    page.open(conversation(5), ())
    page.apply([TurnStarted(ASKED, RUNNING), TextDelta("Words.")])
    assert page.release([RUNNING.id]) == []
    page.apply([TurnFinished(replace(RUNNING, text="Words.", status=MessageStatus.COMPLETE))])
    assert kinds(page.release([RUNNING.id])) == [LetGo]
    (written,) = page.write([RUNNING.id])
    assert "Words." in written.html
    page.write_all()
    assert page.release([RUNNING.id, "m1"]) == []
    assert page.is_whole


def test_wide_letters_count_twice(page):
    page.open([*conversation(1, "热泵\nab"), *conversation(20)[1:]], ())
    (older,) = page.work()
    assert (older.places[0].units, older.places[0].lines) == (7, 1)


def test_a_long_answer_comes_in_pieces_and_tells_its_end_once(page):
    text = "A paragraph.\n\n" * 5000
    operations = page.apply([TurnStarted(ASKED, RUNNING), *(TextDelta(part) for part in text.split())])
    assert kinds(operations).count(PatchText) == 1
    done = replace(RUNNING, text="".join(text.split()), status=MessageStatus.STOPPED)
    ending = page.apply([TurnFinished(done)])
    assert "status" in [operation.part for operation in ending if isinstance(operation, SetPart)]
    assert Finish not in kinds(ending)
    rest = []
    while page.has_work:
        rest += page.work()
    assert kinds(rest).count(Finish) == 1
    assert isinstance(rest[-1], Finish)


def test_reasoning_is_appended_and_not_sent_again(page):
    page.apply([TurnStarted(ASKED, RUNNING), ReasoningDelta("Let me")])
    assert page.apply([ReasoningDelta(" think"), ReasoningDelta(".")]) == [AppendReasoning("a", " think.")]


def test_an_answer_that_ends_in_the_frame_of_its_sources_cites_them(page):
    page.apply([TurnStarted(ASKED, replace(RUNNING, known=()))])
    ledger = Ledger()
    ledger.register([Passage(SourceKind.WEB, "Tides", "The moon.", "https://example.org/")])
    done = replace(
        RUNNING, text="The moon [1].", offered=(1,), known=((1, 1),), status=MessageStatus.COMPLETE
    )
    operations = page.apply([SourcesAdded(ledger.sources), TextDelta(done.text), TurnFinished(done)])
    (patch,) = (each for each in operations if isinstance(each, PatchText))
    assert 'href="#source-1"' in patch.patches[0].html


def test_an_ending_that_contradicts_what_was_shown_is_shown_whole(page):
    page.apply([TurnStarted(ASKED, RUNNING), TextDelta("One")])
    operations = page.apply([TurnFinished(replace(RUNNING, text="Two", status=MessageStatus.COMPLETE))])
    assert kinds(operations) == [SetMessage, Finish]
    assert "Two" in operations[0].html


@cases(
    "operation, script",
    [
        (PatchText("a", (AppendText((3, 1), ' "so"'),)), r'footnote.append("a",[3,1]," \"so\"")'),
        (AppendReasoning("a", "热"), 'footnote.update([{"id":"a","text":"热","op":"reasoning"}])'),
        (
            AppendReasoning("a", "\ud800"),
            'footnote.update([{"id": "a", "text": "\\ud800", "op": "reasoning"}])',
        ),
    ],
)
def test_the_script_of_a_frame_is_one_call(operation, script):
    assert write_script([operation]) == script


def test_marks_follow_each_check_of_their_page_also_one_that_takes_a_warning_back(page):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.WEB, "Lamp", "It reaches 42 km.", "https://lamp.example/")])
    page.open(
        [ASKED, replace(RUNNING, text="It reaches 42 km [1].", status=MessageStatus.COMPLETE)], ledger.sources
    )
    for state in (PageState.CHANGED, PageState.SAME, PageState.GONE, PageState.UNREACHED):
        operations = page.apply([PagesChecked({1: PageCheck(state, NOW)}, 1, 1)])
        (shown,) = (each for each in operations if isinstance(each, ShowSupport))
        is_warned = state in {PageState.CHANGED, PageState.GONE}
        assert [mark.kind for mark in shown.marks] == ([state.value] if is_warned else [])
