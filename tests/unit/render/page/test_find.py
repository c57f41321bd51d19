"""Finding words in messages: what counts as text, where a search begins, and that it can be done in parts."""

from datetime import UTC, datetime

import pytest

from desktop.domain.messages import Message, Speaker
from desktop.render.markdown.tree import RenderTarget
from desktop.render.message import render_message
from desktop.render.page.find import Finder, FindState, Spot, extract_visible_text
from tests.cases import cases

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def messages(*texts):
    speakers = (Speaker.USER, Speaker.MODEL)
    return {str(n): Message(str(n), "c", speakers[n % 2], text, NOW) for n, text in enumerate(texts)}


@pytest.fixture
def finder():
    return Finder(lambda message: render_message(message.text, {1: "One"}, RenderTarget.PAGE).html)


def done(finder):
    while finder.is_searching:
        finder.advance()
    return finder.found


@cases(
    "html, text",
    [
        ("<p>a <strong>b</strong>c &amp; d</p>", "\0a bc & d\0"),
        ("<p>one\ntwo</p>\n<p>three</p>", "\0one two\0 \0three\0"),
        ('<p>x<sup><a class="citation" href="#source-1">1</a></sup>.</p>', "\0x.\0"),
        ("<pre><code>a\n\tb</code></pre>", "\0a  b\0"),
    ],
)
def test_blocks_stand_apart_and_marks_are_no_text(html, text):
    assert extract_visible_text(html) == text


def test_case_and_markup_do_not_matter_in_answers_and_markup_is_text_in_questions(finder):
    finder.search("bold word", messages("**bold** word", "A **BOLD** word and a bold *word*.", "bold word"))
    assert done(finder) == FindState("bold word", 1, 3, is_complete=True)
    assert finder.spot == Spot("1", 0)


def test_stepping_goes_round_both_ends(finder):
    finder.search("a", messages("a a", "b", "a"))
    done(finder)
    spots = []
    for _ in range(4):
        spots.append(finder.spot)
        finder.step(1)
    assert spots == [Spot("0", 0), Spot("0", 1), Spot("2", 0), Spot("0", 0)]
    finder.step(-1)
    finder.step(-1)
    assert finder.found.position == 3


def test_a_search_begins_at_the_message_that_is_read(finder):
    finder.search("a", messages("a", "b", "a", "a"), start="2")
    done(finder)
    assert finder.spot == Spot("2", 0)
    assert finder.found.position == 2
    finder.search("a", messages("a", "b"), start="1")
    done(finder)
    assert finder.spot == Spot("0", 0)


def test_nothing_is_a_pattern(finder):
    finder.search(".*[", messages("a .*[ b", "c"))
    assert done(finder).total == 1


def test_what_was_searched_for_is_forgotten(finder):
    finder.search("a", messages("a"))
    done(finder)
    finder.forget()
    assert finder.found == FindState("", 0, 0, is_complete=True)
    assert finder.spot is None
    finder.step(1)
    assert finder.spot is None
