"""What the page is told where a conversation turns to another branch."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.events import (
    Beside,
    CheckAdvanced,
    TextDelta,
    TextReplaced,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import (
    AnswerRole,
    Message,
    MessageStatus,
    SettingsPage,
    Speaker,
    Step,
    StepKind,
    StepStatus,
)
from desktop.domain.models import QUOTES_MODEL
from desktop.render.labels import EN, ZH_CN
from desktop.render.page.article import question_html, status_html, versions_html
from desktop.render.page.operations import Cut, Finish, OpenPage, SetMessage
from desktop.render.page.page_model import MOST_TURNED
from desktop.render.page.streamed_answer import PIECE_CHARS
from tests.cases import cases
from tests.unit.render.page.model_under_test import PageModelUnderTest

VERSION_TIME = datetime(2026, 1, 2, tzinfo=UTC)


def said(name, text="", **fields):
    speaker = Speaker.USER if name.startswith("q") else Speaker.MODEL
    return Message(name, "c", speaker, text or name, VERSION_TIME, **fields)


TALK = [said("q1"), said("a1"), said("q2"), said("a2")]


@pytest.fixture
def page():
    page = PageModelUnderTest(EN)
    page.open(TALK, ())
    return page


def changes(operations):
    return [(type(one), one.id) for one in operations]


def test_the_version_is_told_and_the_ends_cannot_be_passed():
    html = versions_html(said("a", variants=("a", "b", "c")), EN)
    assert 'aria-label="Version 1 of 3"' in html
    assert ">1/3<" in html
    assert html.count("aria-disabled") == 1
    assert (
        html.index('data-action="earlier"') < html.index("aria-disabled") < html.index('data-action="later"')
    )
    assert "第 2 个版本，共 2 个" in versions_html(said("b", variants=("a", "b")), ZH_CN)
    assert versions_html(said("a"), EN) == ""


def test_another_branch_takes_the_place_of_what_is_another(page):
    question = said("q2b", variants=("q2", "q2b"))
    told = page.open([*TALK[:2], question, said("a2b")], ())
    assert changes(told) == [(Cut, "q2"), (SetMessage, "q2b"), (SetMessage, "a2b")]
    assert all(one.stays for one in told)
    assert page.transcript.get("q2") is None
    assert page.transcript.by_id["q2b"] == question


def test_what_is_as_it_was_is_not_told_again(page):
    assert page.open(TALK, ()) == []
    assert changes(page.open(TALK[:2], ())) == [(Cut, "q2")]
    assert changes(page.open(TALK, ())) == [(SetMessage, "q2"), (SetMessage, "a2")]


def test_another_conversation_and_a_very_long_branch_are_opened_anew(page):
    others = [replace(message, id=f"x{message.id}", conversation_id="d") for message in TALK]
    assert isinstance(page.open(others, ())[0], OpenPage)
    long = [*others[:2], *(said(f"a{number}") for number in range(10, 11 + MOST_TURNED))]
    assert isinstance(page.open(long, ())[0], OpenPage)
    assert isinstance(page.open((), ())[0], OpenPage)


def test_a_long_text_in_another_branch_follows_piece_by_piece(page):
    page.open([*TALK[:3], said("a2b", "x" * (2 * PIECE_CHARS))], ())
    assert page.has_work
    while page.has_work:
        page.work()
    assert page.is_whole


def test_an_answer_given_once_more_takes_the_place_of_all_that_followed(page):
    new = said("a1b", status=MessageStatus.STREAMING, variants=("a1", "a1b"))
    told = page.apply([TurnStarted(TALK[0], replace(new, text=""))])
    assert changes(told) == [(Cut, "a1"), (SetMessage, "a1b")]
    assert not told[0].stays
    ended = page.apply(
        [TextDelta("Done."), TurnFinished(replace(new, text="Done.", status=MessageStatus.COMPLETE))]
    )
    assert Finish("a1b", EN.finished) in ended
    # What is on disk now is what is shown.
    assert page.open([TALK[0], replace(new, text="Done.", status=MessageStatus.COMPLETE)], ()) == []


def test_an_edited_question_takes_the_place_of_the_earlier_one(page):
    edited = said("q2b", variants=("q2", "q2b"))
    told = page.apply([TurnStarted(edited, said("a2b", status=MessageStatus.STREAMING))])
    assert changes(told)[:3] == [(Cut, "q2"), (SetMessage, "q2b"), (SetMessage, "a2b")]


def ids_after(ids, operations):
    """Return the ids of the messages on a page, in order, after it has executed operations."""
    ids = list(ids)
    for operation in operations:
        if isinstance(operation, Cut):
            del ids[ids.index(operation.id) :]
        elif isinstance(operation, SetMessage) and operation.id not in ids:
            ids.append(operation.id)
    return ids


def turn(question_id, answer_id, *, instead_of=""):
    """Return the events of an answer with one beside it, to a new question or to an edited one."""
    asked = said(question_id, variants=(instead_of, question_id) if instead_of else ())
    answer = said(answer_id, status=MessageStatus.STREAMING)
    other = replace(answer, id=f"{answer_id}x", standing=AnswerRole.COMPARED)
    return [
        TurnStarted(asked, answer),
        Beside(other.id, TurnStarted(asked, other)),
        TextDelta("Done."),
        Beside(other.id, TextReplaced("Other.")),
        TurnFinished(replace(answer, text="Done.", status=MessageStatus.COMPLETE)),
        CheckAdvanced(answer_id, 1, 2),
        Beside(other.id, TurnFinished(replace(other, text="Other.", status=MessageStatus.COMPLETE))),
    ]


@given(st.lists(st.booleans(), min_size=28, max_size=28))
def test_the_page_has_what_is_shown_however_events_come_together(ends_frame):
    page = PageModelUnderTest(EN)
    page.open(TALK, ())
    ids, frame = [each.id for each in TALK], []
    turns = (turn("q3", "a3"), turn("q3", "a3b"), turn("q2b", "a2b", instead_of="q2"), turn("q4", "a4"))
    for event, is_last in zip([event for events in turns for event in events], ends_frame, strict=True):
        frame.append(event)
        if is_last:
            ids = ids_after(ids, page.apply(frame))
            frame = []
            assert ids == list(page.transcript.by_id)
    assert ids_after(ids, page.apply(frame)) == ["q1", "a1", "q2b", "a2b", "a2bx", "q4", "a4", "a4x"]
    assert page.is_whole


def test_messages_that_have_no_place_yet_are_forgotten_as_well(page):
    talk = [said(f"{'qa'[n % 2]}{n}") for n in range(1_000)]
    page.open([replace(one, conversation_id="d") for one in talk], ())
    told = page.open([replace(one, conversation_id="d") for one in (*talk[:10], said("q10b"))], ())
    assert changes(told) == [(Cut, "q992"), (SetMessage, "q10b")]
    places = [place.id for operation in page.work() for place in operation.places]
    assert places == [one.id for one in talk[:10]]


def test_a_failed_answer_offers_the_ways_out_what_helps_first():
    failed = said("a", status=MessageStatus.FAILED, error="No key.", settings_page=SettingsPage.MODELS)
    html = status_html(failed, EN)
    ways = [part.partition('"')[0] for part in html.split('data-action="')[1:]]
    assert ways == ["settings", "continue", "retry", "retry_with"]
    assert "Open Settings &gt; Models" in html
    assert "打开“设置 &gt; 模型”" in status_html(failed, ZH_CN)
    stopped = replace(failed, status=MessageStatus.STOPPED, settings_page=SettingsPage.NONE, text="")
    assert "settings" not in status_html(stopped, EN)
    assert status_html(replace(failed, status=MessageStatus.COMPLETE), EN) == ""


def test_an_answer_that_quotes_nothing_offers_to_set_up_a_model():
    answer = said("a", settings_page=SettingsPage.MODELS)
    html = status_html(answer, EN)
    assert html.count("data-action=") == 1
    assert 'data-action="settings"' in html
    assert "Set up a model" in html
    failed = Step(0, StepKind.SEARCH, status=StepStatus.FAILED)
    html = status_html(replace(answer, steps=(failed,)), EN)
    assert html.count("data-action=") == 1
    assert 'data-action="retry"' in html
    assert "Try again" in html
    assert status_html(replace(answer, settings_page=SettingsPage.NONE), EN) == ""


@cases("settings_page", [settings_page for settings_page in SettingsPage if settings_page])
def test_every_settings_page_has_its_label(settings_page):
    assert EN.error_fixes[settings_page] != ZH_CN.error_fixes[settings_page]


def test_messages_tell_when_they_were_written():
    assert f">{VERSION_TIME.astimezone():%H:%M}</time>" in question_html(said("q"), EN)
    page = PageModelUnderTest(EN)
    (opened,) = page.open([said("q"), said("a", model=QUOTES_MODEL)], ())
    assert opened.html.count("<time ") == 2
