"""Long conversations and long answers on the page: places kept, messages written when they come near, found, printed."""

from dataclasses import replace

import pytest

from desktop.domain.events import TextDelta, TurnFinished, TurnStarted
from desktop.domain.messages import AnswerRole, MessageStatus
from desktop.render.page.find import FindState
from desktop.render.page.operations import Cut, SetMessage, write_script
from desktop.render.page.streamed_answer import PIECE_CHARS
from tests.cases import cases
from tests.ui.transcript.test_transcript_view import SOURCES, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

COUNT = 300
LAST = COUNT - 1


def conversation(count=COUNT):
    """Questions and answers of different lengths; each says its number."""
    said = (f"Message {number}. " + f"Words of {number}. " * (number * 7 % 90) for number in range(count))
    return [
        replace((question if number % 2 == 0 else answer)(text), id=f"m{number}")
        for number, text in enumerate(said)
    ]


@pytest.fixture
def long_driver(driver):
    driver.page.open_conversation(conversation(), SOURCES)
    driver.until(f"document.querySelectorAll('.message').length === {COUNT}")
    driver.settle()
    return driver


def top_of(driver, number):
    return driver.js(f"document.getElementById('message-m{number}').getBoundingClientRect().top")


def scroll_to(driver, number):
    driver.js(f"(document.getElementById('message-m{number}').scrollIntoView(), 1)")


def is_written(number):
    return f"!document.getElementById('message-m{number}').classList.contains('pending')"


def come_to_rest(driver):
    """Wait until nothing more is written that has come near the view."""
    pending, before = "document.querySelectorAll('.pending').length", -1
    while (now := driver.js(pending)) != before:
        before = now
        driver.settle()


def test_a_long_conversation_opens_at_its_end_with_a_place_for_every_message(long_driver):
    ids = long_driver.js("[...document.querySelectorAll('.message')].map(e => e.dataset.message)")
    assert ids == [f"m{number}" for number in range(COUNT)]
    assert long_driver.js("document.querySelectorAll('.pending').length") > COUNT / 2
    assert long_driver.js(is_written(LAST))
    assert long_driver.js(
        f"document.getElementById('message-m{LAST}').getBoundingClientRect().bottom <= innerHeight"
    )


def test_what_comes_into_view_is_written_and_what_is_read_stays_where_it_is(long_driver):
    for part in (0.5, 0.25, 0.8, 0):
        long_driver.js(f"(scrollTo(0, document.scrollingElement.scrollHeight * {part}), 1)")
        pending = (
            "[...document.querySelectorAll('.pending')].some(e => { const box = e.getBoundingClientRect();"
            " return box.bottom > 0 && box.top < innerHeight })"
        )
        long_driver.until(f"!{pending}")
        place = long_driver.js("footnote.place()")
        before = top_of(long_driver, place[1:])
        come_to_rest(long_driver)
        assert abs(top_of(long_driver, place[1:]) - before) < 1


def test_an_answer_that_was_left_is_folded_wherever_it_stands(driver):
    messages = conversation()
    messages[3] = replace(messages[3], standing=AnswerRole.LEFT)
    driver.page.open_conversation(messages, SOURCES)
    driver.until(f"document.querySelectorAll('.message').length === {COUNT}")
    scroll_to(driver, 3)
    driver.until(is_written(3))
    article = "document.getElementById('message-m3')"
    assert driver.js(f"{article}.dataset.standing") == "left"
    driver.until(f"getComputedStyle({article}.querySelector('.text')).display === 'none'")


def test_the_places_are_about_as_big_as_what_comes_there(long_driver):
    planned = long_driver.js("document.scrollingElement.scrollHeight")
    long_driver.page.write_all()
    long_driver.until("document.querySelectorAll('.pending').length === 0")
    long_driver.js(
        "document.querySelectorAll('.message').forEach(e => e.style.contentVisibility = 'visible')"
    )
    assert abs(long_driver.js("document.scrollingElement.scrollHeight") / planned - 1) < 0.15


PARAGRAPHS = 250


def long_answers(count=16):
    """Questions and answers, of which the page is full: each answer has some 2,750 elements."""
    words = " ".join(f"*word {number}*" for number in range(10))
    texts = (f"Answer {number}\n\n" + f"{words}\n\n" * PARAGRAPHS for number in range(count))
    return [
        replace(each, id=f"m{number}")
        for number, each in enumerate(each for text in texts for each in (question(), answer(text)))
    ]


def read_up(driver, last):
    """Scroll from the end of a conversation to its begin, waiting for each message."""
    for number in range(last, -1, -1):
        scroll_to(driver, number)
        driver.until(is_written(number))
    driver.until(f"{is_written(0)} && document.scrollingElement.scrollTop < 100")


def test_a_page_that_is_full_lets_go_of_what_is_far_and_has_it_again(driver):
    messages = long_answers()
    last = len(messages) - 1
    driver.page.open_conversation(messages, SOURCES)
    driver.until(f"document.querySelectorAll('.message').length === {len(messages)}")
    driver.until(f"document.querySelectorAll('#message-m{last} .text p').length === {PARAGRAPHS + 1}")
    elements = driver.js(f"document.querySelectorAll('#message-m{last} *').length")
    assert 16 * elements > 40_000
    read_up(driver, last)
    driver.until("document.querySelectorAll('#conversation *').length < 20_000")
    assert driver.js(f"!({is_written(last)})")
    place, at = driver.js("footnote.place()"), driver.js("document.scrollingElement.scrollTop")
    come_to_rest(driver)
    assert (driver.js("footnote.place()"), driver.js("document.scrollingElement.scrollTop")) == (place, at)
    scroll_to(driver, last)
    driver.until(f"document.querySelectorAll('#message-m{last} .text p').length === {PARAGRAPHS + 1}")
    assert driver.js(f"document.querySelectorAll('#message-m{last} *').length") == elements
    driver.page.search("Answer 3")
    driver.until("document.getElementById('message-m7').textContent.includes('Answer 3')")


def test_what_is_selected_or_still_written_is_not_let_go(driver):
    messages = long_answers()
    last = len(messages) - 1
    driver.page.open_conversation(messages, SOURCES)
    driver.until(f"document.querySelectorAll('#message-m{last} .text p').length === {PARAGRAPHS + 1}")
    driver.js(
        f"(document.getSelection().selectAllChildren(document.querySelector('#message-m{last} .text p')), 1)"
    )
    read_up(driver, last)
    driver.until("document.querySelectorAll('#conversation *').length < 20_000")
    assert driver.js(is_written(last))
    assert driver.js("String(document.getSelection()).trim()") == f"Answer {last // 2}"


def note_lengths(driver):
    """Have the page note at every change how many paragraphs an answer has, and whether its end is seen."""
    driver.js(
        "(window.lengths = [], new MutationObserver(() => window.lengths.push(["
        "document.querySelectorAll('.text p').length, !!document.querySelector('.notice.stopped')]))"
        ".observe(document.body, {childList: true, subtree: true}), 1)"
    )


def test_a_long_answer_arrives_in_pieces_and_whole(driver):
    paragraphs = [f"Paragraph {number} says *something* [1]." for number in range(2000)]
    text = "\n\n".join(paragraphs)
    assert len(text) > 2 * PIECE_CHARS
    note_lengths(driver)
    driver.open(question(), answer(text))
    lengths = [length for length, _ in driver.js("window.lengths") if length]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 2
    assert lengths[-1] == 2000
    assert driver.js("!!document.querySelector('.sources .number')")
    assert driver.js(
        "document.querySelector('.text > :last-child > :last-child').textContent.slice(0, 29)"
    ) == ("Paragraph 1999 says something")
    assert driver.js("document.getElementById('announcer').textContent") != "The answer is finished."


def test_the_end_of_an_answer_is_seen_before_the_rest_of_its_text(driver):
    text = "A line of some words.\n\n" * 4000
    running = answer(status=MessageStatus.STREAMING)
    note_lengths(driver)
    driver.page.apply(TurnStarted(question(), running))
    driver.page.apply(TextDelta(text))
    driver.page.apply(TurnFinished(replace(running, text=text, status=MessageStatus.STOPPED)))
    driver.until("document.querySelectorAll('.text p').length === 4000")
    driver.until("!document.querySelector('.streaming')")
    first_with_end = next(length for length, has_end in driver.js("window.lengths") if has_end)
    assert first_with_end < 4000


def test_the_whole_conversation_is_shown_again_where_it_was_read(long_driver):
    scroll_to(long_driver, 40)
    long_driver.until(is_written(40))
    long_driver.settle()
    long_driver.page.set_language("zh_CN")
    long_driver.until("document.documentElement.lang === 'zh-CN'")
    long_driver.until(f"document.querySelectorAll('.message').length === {COUNT} && {is_written(40)}")
    long_driver.until("Math.abs(document.getElementById('message-m40').getBoundingClientRect().top) < 60")


@pytest.fixture
def slow_clock(driver):
    """Have the page do one operation in a frame: its clock says that no more fit into it."""
    driver.js("(performance.now = ((now) => () => (now += 4))(performance.now()), 1)")
    yield
    driver.js("(delete performance.now, 1)")


@pytest.mark.usefixtures("slow_clock")
def test_what_is_turned_to_stands_where_the_other_stood_on_a_slow_machine(driver):
    tall = replace(answer("A line of some words.\n\n" * 60), id="a0")
    driver.open(question(), tall, replace(question(), id="q2"), answer("Short."))
    driver.settle()
    article = "document.getElementById('message-a1')"
    before = driver.js(f"{article}.getBoundingClientRect().top")
    html = driver.js(f"{article}.outerHTML").replace("Short.", "Words. " * 2_000)
    operations = [Cut("a1", stays=True), SetMessage("a1", html, stays=True)]
    driver.page.web_page.runJavaScript(write_script(operations))
    driver.until(f"{article}?.offsetHeight > 2 * innerHeight")
    driver.settle()
    assert driver.js(f"{article}.getBoundingClientRect().top") == pytest.approx(before, abs=2)


class Search:
    """What the page said of its searches."""

    def __init__(self, driver, qtbot):
        self.page = driver.page
        self.driver = driver
        self._qtbot = qtbot
        self.said = []
        driver.page.found.connect(self.said.append)

    def until(self, words, position, total):
        def is_there():
            return bool(self.said) and self.said[-1] == FindState(words, position, total, is_complete=True)

        self._qtbot.waitUntil(is_there)

    def until_shown(self, message):
        """Wait until the current occurrence is in a message: the count comes before the mark."""
        self._qtbot.waitUntil(lambda: self.shown()[1] == message)

    def shown(self):
        """The current occurrence as the page marks it, once it is in view."""
        marked = (
            "(() => { const [range] = CSS.highlights.get('found-now'); if (!range) return null;"
            " const shown = document.createRange(); shown.setStart(range.startContainer, range.startOffset);"
            " shown.setEnd(range.endContainer, range.endOffset); const box = shown.getBoundingClientRect();"
            " return box.top >= 0 && box.bottom <= innerHeight && [shown.toString(), shown.startContainer.parentElement.closest('.message').dataset.message] })()"
        )
        self.driver.until(marked)
        return self.driver.js(marked)


@pytest.fixture
def search(long_driver, qtbot):
    search = Search(long_driver, qtbot)
    yield search
    long_driver.page.found.disconnect(search.said.append)


def test_words_are_found_in_messages_that_were_never_written(search):
    search.page.search("message 7.")
    search.until("message 7.", 1, 1)
    assert search.shown() == ["Message 7.", "m7"]


def test_all_occurrences_are_counted_and_stepped_through(search):
    search.page.search("Words of 3.")
    search.until("Words of 3.", 1, 21)
    assert search.shown()[1] == "m3"
    search.page.search_next(1)
    search.until("Words of 3.", 2, 21)
    search.page.search_next(-1)
    search.page.search_next(-1)
    search.until("Words of 3.", 21, 21)
    assert search.shown() == ["Words of 3.", "m3"]
    assert search.driver.js("CSS.highlights.get('found').size") == 21


def test_a_search_begins_where_one_reads_and_goes_round(search):
    scroll_to(search.driver, 100)
    search.driver.until(is_written(100))
    search.driver.settle()
    search.page.search("Message 10")
    search.until("Message 10", 2, 11)
    assert search.shown()[1] == "m100"
    search.page.search_next(-1)
    search.until("Message 10", 1, 11)
    search.until_shown("m10")


def test_an_ended_search_leaves_no_mark(search):
    search.page.search("Message 29")
    search.driver.until("CSS.highlights.get('found').size > 0 && CSS.highlights.get('found-now').size === 1")
    search.page.search("")
    search.driver.until(
        "CSS.highlights.get('found').size === 0 && CSS.highlights.get('found-now').size === 0"
    )
    search.until("", 0, 0)


@cases(
    "text, words, count",
    [
        ("热泵在零下的天气里工作。热泵很好[1]。", "热泵", 2),
        ("Half**bold**ness & more", "boldness & m", 1),
        ("One line\nand another", "line and", 1),
        ("- first\n- second", "firstsecond", 0),
        ("ends here[1]. Next", "here.", 1),
        ("| a | b |\n| - | - |\n| cell | `c[0]` |", "C[0]", 1),
        ("```python\nprint('x')\n```", "print('x')", 1),
        ("*(a.b)* a.b axb", "a.b", 2),
    ],
)
def test_what_a_reader_sees_is_what_is_found(driver, qtbot, text, words, count):
    driver.open(question(), answer(text))
    search = Search(driver, qtbot)
    driver.page.search(words)
    search.until(words, min(1, count), count)
    driver.until(f"CSS.highlights.get('found').size === {count}")
    if count:
        shown = search.shown()[0]
        assert shown.lower().replace("\n", " ").replace("1.", ".") == words.lower()
    driver.page.found.disconnect(search.said.append)


def test_code_that_is_folded_opens_for_what_is_found_in_it(driver, qtbot):
    code = "\n".join(f"line_{number} = {number}" for number in range(80))
    driver.open(question(), answer(f"```python\n{code}\n```"))
    driver.until("!!document.querySelector('pre.folded')")
    search = Search(driver, qtbot)
    driver.page.search("line_77 = ")
    search.until("line_77 = ", 1, 1)
    assert search.shown()[0] == "line_77 = "
    assert not driver.js("!!document.querySelector('pre.folded')")
    driver.page.found.disconnect(search.said.append)
