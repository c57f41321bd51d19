"""The page in a real web engine: what a person sees, and what no message can do."""

import json
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWebEngineCore import QWebEnginePage
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QLineEdit

from desktop.background import BackgroundLoop
from desktop.domain.events import (
    CheckAdvanced,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import Message, MessageStatus, Speaker, Step, StepKind, StepStatus
from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind
from desktop.errors import AppError, UnknownBase
from desktop.phrases import sentences
from desktop.render.labels import labels_of
from desktop.text.old_messages import recognise_message
from desktop.ui.transcript import web_page
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.transcript.page_channel import FRAME_MS, PageUpdater
from desktop.ui.transcript.web_page import PageView, PreloadedPage
from desktop.ui.widgets.labels import format_time
from tests.cases import cases
from tests.conftest import WAIT_MS
from tests.stopping import has_stopped
from tests.ui.transcript.view_under_test import ViewUnderTest

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def ledger(*passages):
    known = Ledger()
    known.register(passages)
    return known.sources


SOURCES = ledger(
    Passage(
        SourceKind.WEB,
        "Heat pumps <b>explained</b>",
        "Unrelated words come first. Heat pumps keep working at minus fifteen degrees. More follows.",
        "https://example.org/heat",
    ),
    Passage(
        SourceKind.FILE, "Agreement.pdf", "The service is paid by the landlord.", "file:///tmp/Agreement.pdf", "d",
        Locator(7),
    ),
)  # fmt: skip


def question(text="How?"):
    return Message("q1", "c", Speaker.USER, text, NOW)


def answer(text="", **fields):
    return Message("a1", "c", Speaker.MODEL, text, NOW, **{"offered": (1, 2), **fields})


TEXT = "Intro.\n\nHeat pumps work at minus fifteen degrees [1]. **Service** is paid by the landlord [2]. Unknown [7].\n"


class Driver:
    """Asks the page's DOM, and waits for it."""

    def __init__(self, page, qtbot):
        self.page = page
        self._qtbot = qtbot

    def js(self, code):
        answers = []
        self.page.web_page.runJavaScript(f"JSON.stringify({code})", answers.append)
        self._qtbot.waitUntil(lambda: bool(answers))
        return json.loads(answers[0]) if answers[0] else None

    def until(self, code):
        self._qtbot.waitUntil(lambda: bool(self.js(code)))

    def settle(self):
        """Wait until what was done is on the screen."""
        self.js(
            "(window.frames_left = 4, (function next() { if (--window.frames_left) requestAnimationFrame(next) })(), 1)"
        )
        self.until("window.frames_left === 0")

    def text(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def open(self, *messages, sources=SOURCES):
        """Show messages, all of them written, whether or not they are near the view."""
        self.page.open_conversation(messages, sources)
        self.page.write_all()
        self._qtbot.waitUntil(lambda: self.page.is_whole)
        assert self.js("document.querySelectorAll('.message').length") == len(messages)

    def focus(self):
        """Give the page the keyboard, as a click into it does."""
        with self._qtbot.waitActive(self.page):
            self.page.activateWindow()
        inner = self.page.findChild(QWebEngineView).focusProxy()
        inner.clearFocus()
        inner.setFocus()
        self.until("document.hasFocus()")

    def touch(self, element):
        """Put a finger on an element and lift it, as Chromium tells a page of it."""
        self.js(
            "(element => { for (const name of ['pointerover', 'pointerdown', 'pointerup', 'pointerout', 'click'])"
            " element.dispatchEvent(new PointerEvent(name, {bubbles: true, cancelable: true, pointerType: 'touch'})) })"
            f"({element})"
        )

    def hover(self, selector):
        self.js(
            f"document.querySelector({json.dumps(selector)}).dispatchEvent("
            "new PointerEvent('pointerover', {bubbles: true, pointerType: 'mouse'}))"
        )
        self.until("!document.getElementById('card').hidden")


@pytest.fixture(scope="module")
def page_loop(qapp):
    failures = []
    background = BackgroundLoop(failures.append, AppError)
    background.start()
    yield background
    assert has_stopped(background)
    assert failures == []


@pytest.fixture(scope="module")
def shown_page(qapp, page_loop):
    page = ViewUnderTest(page_loop)
    page.resize(800, 600)
    page.show()
    yield page
    page.hide()
    page.deleteLater()
    QCoreApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)


@pytest.fixture
def driver(shown_page, qtbot):
    driver = Driver(shown_page, qtbot)
    driver.until("typeof footnote === 'object'")
    shown_page.set_language("en")
    shown_page.open_conversation((), ())
    driver.until("!!document.querySelector('.welcome')")
    return driver


@cases("language", ["en", "zh_CN"])
def test_the_empty_page_fits_its_window(driver, language):
    driver.page.set_language(language)
    driver.until(f"document.documentElement.lang.startsWith('{language[:2]}')")
    height = driver.js("document.documentElement.scrollHeight - document.documentElement.clientHeight")
    assert height == 0


def test_a_turn_is_shown_while_it_runs(driver):
    page = driver.page
    page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING, offered=())))
    page.apply(StepStarted(Step(1, StepKind.SEARCH, "heat")))
    driver.until("document.querySelector('.steps .live')?.innerText.includes('heat')")
    page.apply(StepFinished(Step(1, StepKind.SEARCH, "heat", StepStatus.DONE, 3)))
    page.apply(SourcesAdded(SOURCES))
    page.apply(ReasoningDelta("Let me think"))
    for letter in TEXT:
        page.apply(TextDelta(letter))
    driver.until("document.querySelectorAll('.text a.citation').length === 2")
    assert driver.js("document.querySelector('.answer').classList.contains('streaming')")
    step = Step(1, StepKind.SEARCH, "heat", StepStatus.DONE, 3)
    page.apply(TurnFinished(answer(TEXT, steps=(step,), reasoning="Let me think")))
    driver.until("!document.querySelector('.answer').classList.contains('streaming')")
    assert driver.js("[...document.querySelectorAll('.text > .blocks > *')].map(e => e.tagName)") == [
        "P",
        "P",
    ]
    assert driver.text(".text strong") == "Service"
    assert driver.js("document.querySelector('.steps .count').textContent") == "3 results"
    assert driver.js("[...document.querySelectorAll('.chips .number')].map(e => e.innerText)") == ["1", "2"]
    driver.js("document.querySelector('.source-list > summary').click()")
    assert driver.text(".sources .unknown") == "[7]"
    assert driver.js("document.getElementById('announcer').innerText") == "The answer is finished."


def test_the_blocks_of_a_long_answer_lie_in_groups(driver):
    paragraphs = [f"Paragraph {number} of *some*" for number in range(40)]
    text = "\n\n".join(paragraphs)
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING, offered=())))
    for at in range(0, len(text), 7):
        driver.page.apply(TextDelta(text[at : at + 7]))
    driver.page.apply(TurnFinished(answer(text)))
    driver.until("!document.querySelector('.answer').classList.contains('streaming')")
    shown = driver.js(
        "[...document.querySelectorAll('.text > .blocks')].map(g => [...g.children].map(e => e.textContent))"
    )
    assert [len(group) for group in shown] == [16, 16, 8]
    assert [paragraph for group in shown for paragraph in group] == [
        each.replace("*", "") for each in paragraphs
    ]
    sizes = "[...document.querySelectorAll('.text > .blocks')].map(g => g.children.length)"
    assert driver.js(f"(Dom.drop(document.querySelector('.text'), [20]), {sizes})") == [16, 4]
    assert driver.js(f"(Dom.drop(document.querySelector('.text'), [16]), {sizes})") == [16]


def test_levels_of_headings_have_no_gaps(driver):
    """The first one is below the heading of the message, whatever it is, also in another group of blocks."""
    filling = "\n\n".join(["Words."] * 20)
    text = f"## Dams\n\n{filling}\n\n#### Details\n\n## Rivers\n\n# Top\n\n> ### Quoted"
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING, offered=())))
    for at in range(0, len(text), 3):
        driver.page.apply(TextDelta(text[at : at + 3]))
    driver.page.apply(TurnFinished(answer(text)))
    driver.until("!document.querySelector('.answer').classList.contains('streaming')")
    levels = "[...document.querySelectorAll('.text :is(h1, h2, h3, h4)')].map(e => e.ariaLevel)"
    assert driver.js(levels) == ["3", "4", "3", "3", "4"]
    driver.open(question(), answer(text))
    assert driver.js(levels) == ["3", "4", "3", "3", "4"]


def test_what_went_wrong_in_a_step_is_told_in_the_language_of_now(driver):
    step = Step(
        1,
        StepKind.SEARCH,
        "heat",
        StepStatus.FAILED,
        0,
        sentences(
            recognise_message(sentence)
            for sentence in ("Bing found nothing.", "Google did not respond in time.")
        ),
    )
    driver.open(question(), answer(TEXT, steps=(step,)))
    words = "document.querySelector('.step .detail').textContent"
    assert driver.js(words) == step.detail
    driver.page.set_language("zh_CN")
    driver.until(f"{words} === 'Bing 没有找到任何结果。Google 没有及时回应。'")
    driver.page.set_language("en")
    driver.until(f"{words} === {json.dumps(step.detail)}")


def test_a_card_shows_the_passage_that_supports_the_sentence(driver):
    driver.open(question(), answer(TEXT))
    driver.hover(".text a.citation[data-source='1']")
    assert driver.text("#card mark") == "Heat pumps keep working at minus fifteen degrees."
    assert driver.text("#card strong") == "Heat pumps <b>explained</b>"
    assert "example.org" in driver.text("#card .card-place")
    driver.hover(".text a.citation[data-source='2']")
    driver.until("document.querySelector('#card .card-place').innerText.includes('page 7')")


def test_a_card_waits_for_no_batch(driver, qtbot):
    driver.open(question(), answer(TEXT))
    is_begun, is_free = Event(), Event()

    def block(_model):
        is_begun.set()
        is_free.wait(30)
        return []

    try:
        driver.page.findChild(PageUpdater).push(block)
        qtbot.waitUntil(is_begun.is_set)
        driver.hover(".text a.citation[data-source='1']")
        assert driver.text("#card mark") == "Heat pumps keep working at minus fifteen degrees."
    finally:
        is_free.set()


def test_a_frame_crosses_threads_there_and_back(driver, qtbot):
    updater, run_in, returned_in = driver.page.findChild(PageUpdater), [], []

    def note(_model):
        run_in.append(current_thread())
        return []

    updater.found.connect(lambda _: returned_in.append(current_thread()))
    driver.open(question(), answer(TEXT))
    driver.page.search("pumps")
    for count in range(1, 4):
        updater.push(note)
        qtbot.waitUntil(lambda wanted=count: len(run_in) == wanted)
    qtbot.waitUntil(lambda: bool(returned_in))
    assert {thread.name for thread in run_in} == {"asyncio"}
    assert set(returned_in) == {main_thread()}


def test_a_touch_opens_a_card_that_stays_while_it_is_touched_and_the_next_follows_its_mark(driver, qtbot):
    mark = "document.querySelector('.text a.citation[data-source=\\'1\\']')"
    driver.open(question(), answer(TEXT))
    driver.touch(mark)
    driver.until("!document.getElementById('card').hidden")
    driver.js("(window.closings = 0, new MutationObserver(() => closings += document.getElementById('card').hidden)"
              ".observe(document.getElementById('card'), {attributeFilter: ['hidden']}), 1)")  # fmt: skip
    driver.touch("document.querySelector('#card .passage')")
    driver.js("(setTimeout(() => (window.waited = true), 400), 1)")
    driver.until("window.waited")
    assert driver.js("closings") == 0
    with qtbot.waitSignal(driver.page.source_followed) as followed:
        driver.touch(mark)
    assert followed.args == [SOURCES[0]]
    driver.touch("document.querySelector('.text p')")
    driver.until("document.getElementById('card').hidden")


def test_a_reference_leads_to_the_footnote_of_its_own_answer_which_shows_its_label(driver):
    text = "x[^n]\n\n[^n]: Note."
    driver.open(answer(text), replace(answer(text), id="a2"))
    driver.js("document.querySelectorAll('.footnotes li').forEach(note => { note.scrollIntoView = () => {"
              "window.seen = note.closest('.message').id } })")  # fmt: skip
    driver.js("document.querySelector('#message-a2 .footnote-ref a').click()")
    driver.until("window.seen === 'message-a2'")
    label = "getComputedStyle(document.querySelector('.footnotes li'), '::before').content"
    assert driver.js(label) == '"n."'


def test_escape_closes_a_card_that_the_keyboard_opened(driver):
    driver.open(question(), answer(TEXT))
    driver.focus()
    driver.js("document.querySelector('.text a.citation').focus({focusVisible: true})")
    driver.until("!document.getElementById('card').hidden")
    assert (
        driver.js("document.querySelector('.text a.citation').getAttribute('aria-describedby')")
        == "card-said-0"
    )
    assert driver.text("#card-said-0") == "Heat pumps keep working at minus fifteen degrees."
    driver.js("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    driver.until("document.getElementById('card').hidden")


def test_the_keyboard_enters_a_card_and_comes_back_to_its_mark(driver):
    driver.open(question(), answer(TEXT))
    driver.focus()
    driver.js("(window.mark = document.querySelector('.text a.citation')).focus({focusVisible: true})")
    driver.until("!document.getElementById('card').hidden")
    press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
    driver.js(press % "F2")
    buttons = driver.js("document.querySelectorAll('#card button').length")
    for place in range(buttons):
        assert driver.js(f"document.activeElement === document.querySelectorAll('#card button')[{place}]")
        driver.js(press % "Tab")
    assert driver.js("document.activeElement === mark && !document.getElementById('card').hidden")
    driver.js(press % "Escape")
    driver.until("document.getElementById('card').hidden")
    driver.js(press % "F2")
    driver.until("document.getElementById('card').contains(document.activeElement)")
    driver.js(press % "Escape")
    assert driver.js("document.activeElement === mark && document.getElementById('card').hidden")


def test_an_answer_has_three_tab_stops_and_the_arrows_reach_the_rest(driver, qtbot):
    text = f"Fact [1], [a](https://example.org/), fact [2].\n\n```py\nx = {'1 + ' * 99}1\n```\n\nFact [1]."
    steps = (Step(1, StepKind.SEARCH, "heat", StepStatus.DONE, 3),)
    first = answer(text, steps=steps, reasoning="Let me think.", status=MessageStatus.FAILED, error="Dead.")
    driver.open(question(), first, replace(answer("Fact [1]."), id="a2"))
    driver.focus()
    page = driver.page.tab_stops[-1]
    parts = "[...document.getElementById('message-a1').children]"
    at = f"{parts}.findIndex(part => part.contains(document.activeElement))"
    names = driver.js(f"{parts}.map(part => part.classList[0] ?? part.localName)")

    def reached(*keys: Qt.Key) -> list[str]:
        found = []
        for key in keys:
            qtbot.keyClick(page, key)
            driver.settle()
            place = driver.js(at)
            found.append(names[place] if place >= 0 else driver.js("document.activeElement.className"))
        return found

    keys = Qt.Key
    driver.js("(document.getElementById('message-a1').focus(), 1)")
    assert reached(*[keys.Key_Tab] * 4) == ["steps", "text", "status", "citation"]
    assert reached(*[keys.Key_Backtab] * 3) == ["actions", "text", "reasoning"]
    assert reached(keys.Key_Right, keys.Key_Left) == ["steps", "reasoning"]
    seen = (
        f"{parts}.slice(names).flatMap(part => [...part.querySelectorAll('a[href], button, summary, pre')])"
        ".filter(each => each.checkVisibility({visibilityProperty: true})).length"
    )
    for first_part, last_part in (("text", "text"), ("status", "actions")):
        between = f"{names.index(first_part)}, {names.index(last_part) + 1}"
        count = driver.js(seen.replace("names", between))
        driver.js(
            f"({parts}[{names.index(first_part)}].querySelector('a, button').focus(), window.met = new Set(), 1)"
        )
        for _ in range(count):
            reached(keys.Key_Right)
            driver.js("(window.met.add(document.activeElement), 1)")
            if driver.js("document.activeElement.localName === 'pre'"):
                assert reached(keys.Key_Right) == [
                    "text"
                ]  # scrolls long lines, and is not left before their end
                assert driver.js(
                    "document.activeElement.localName === 'pre' && document.activeElement.scrollLeft > 0"
                )
                driver.js("(document.activeElement.scrollLeft = 1e6, 1)")
        assert driver.js("window.met.size") == count


def test_wide_tables_and_formulas_have_no_tab_stops_of_their_own(driver, qtbot):
    row = "| " + " | ".join(["w" * 30] * 9) + " |"
    table = f"{row}\n|{' - |' * 9}\n{row}"
    text = f"{table}\n\nFact [1].\n\n{table.replace('w |', 'w [2] |')}\n\n$$ {'a + ' * 200} b $$"
    driver.open(question(), answer(text), replace(answer("Fact [1]."), id="a2"))
    driver.focus()
    page = driver.page.tab_stops[-1]
    driver.js("(document.getElementById('message-a1').focus(), 1)")

    def press(key):
        qtbot.keyClick(page, key)
        driver.settle()
        return driver.js("(({localName, className}) => `${localName} ${className}`)(document.activeElement)")

    assert [press(Qt.Key.Key_Tab) for _ in range(3)] == ["table ", "button source chip", "a citation"]
    assert press(Qt.Key.Key_Backtab) != "div maths"
    assert press(Qt.Key.Key_Backtab) == "div maths"
    assert press(Qt.Key.Key_Left) == "a citation"
    driver.js("(document.querySelector('.text a.citation').focus(), 1)")
    assert press(Qt.Key.Key_Left) == "table "
    assert press(Qt.Key.Key_Right) == "table ", "it scrolls"
    driver.js("(document.activeElement.scrollLeft = 1e6, 1)")
    assert press(Qt.Key.Key_Right) == "a citation"


def test_a_card_closes_when_its_mark_leaves_the_view(driver):
    driver.open(question(), answer(TEXT + "\n\nMore words." * 200))
    driver.js("scrollTo(0, 0)")
    driver.hover(".text a.citation[data-source='1']")
    driver.js("scrollTo(0, 1e6)")
    driver.until("document.getElementById('card').hidden")


def test_escape_is_the_cards_while_one_is_open_and_the_windows_otherwise(driver, qtbot):
    stopped = []
    shortcut = QShortcut(QKeySequence("Esc"), driver.page.window())
    shortcut.activated.connect(lambda: stopped.append(True))
    driver.open(question(), answer(TEXT))
    driver.focus()
    driver.js("document.querySelector('.text a.citation').focus({focusVisible: true})")
    driver.until("!document.getElementById('card').hidden")
    page = driver.page.tab_stops[-1]
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    driver.until("document.getElementById('card').hidden")
    assert stopped == []
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: stopped == [True])
    shortcut.deleteLater()


def test_a_link_that_is_not_opened_is_named(driver, qtbot):
    driver.open(question(), answer("[a](https://bank.example@evil.example/)"))
    with qtbot.waitSignal(driver.page.link_refused) as refused:
        driver.js("document.querySelector('.text a').click()")
    assert "evil.example" in refused.args[0]


def test_a_link_under_the_pointer_says_where_it_leads_and_a_mark_does_not(driver):
    view = driver.page.findChild(PageView)
    view.show_target("https://example.org/a?b=c")
    assert view.hint.isVisibleTo(view)
    assert view.hint.text() == "https://example.org/a?b=c"
    view.show_target("footnote-page://page/chat.html#source-1")
    assert not view.hint.isVisibleTo(view)


def test_clicking_a_mark_follows_its_source(driver, qtbot):
    driver.open(question(), answer(TEXT))
    with qtbot.waitSignal(driver.page.source_followed) as followed:
        driver.js("document.querySelector('.text a.citation[data-source=\"2\"]').click()")
    assert followed.args == [SOURCES[1]]


def test_a_link_is_handed_out_and_the_page_stays(driver, qtbot):
    driver.open(question(), answer("[a](https://example.com/ä?b=c) [m](mailto:a@b.example)"))
    for index, address in enumerate(("https://example.com/%C3%A4?b=c", "mailto:a@b.example")):
        with qtbot.waitSignal(driver.page.link_followed) as followed:
            driver.js(f"document.querySelectorAll('.text a')[{index}].click()")
        assert followed.args == [address]
    assert driver.page.web_page.url() == QUrl("footnote-page://page/chat.html")
    assert driver.js("document.querySelectorAll('.message').length") == 2


def test_buttons_of_a_broken_answer(driver, qtbot):
    driver.open(question(), answer("So far", status=MessageStatus.FAILED, error="The line is dead."))
    assert "The line is dead." in driver.text(".notice")
    for name in ("continue", "retry"):
        with qtbot.waitSignal(driver.page.action_requested) as asked:
            driver.js(f"document.querySelector('.notice [data-action={name}]').click()")
        assert asked.args == [ActionRequest("a1", MessageAction(name))]


def test_copying_and_sharing_are_asked_for_by_id(driver, qtbot):
    driver.open(question(), answer("**a** [1]"))
    for action in ("copy", "share", "copy_sources"):
        with qtbot.waitSignal(driver.page.action_requested) as asked:
            driver.js(f"document.querySelector('.answer [data-action={action}]').click()")
        assert asked.args == [ActionRequest("a1", MessageAction(action))]
    with qtbot.waitSignal(driver.page.action_requested) as asked:
        driver.js("document.querySelectorAll('.sources .copy-source')[1].click()")
    assert asked.args == [ActionRequest("", MessageAction.COPY_SOURCE, number=2)]


def copy_answer(driver, qtbot):
    """Select the answer, copy it, and return the clipboard."""
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    driver.js("document.getSelection().selectAllChildren(document.querySelector('.answer .text'))")
    qtbot.waitUntil(driver.page.web_page.hasSelection)  # the page tells of it a moment later
    driver.page.web_page.triggerAction(QWebEnginePage.WebAction.Copy)
    qtbot.waitUntil(lambda: bool(clipboard.text()))
    return clipboard


def test_a_copied_selection_brings_the_sources_of_its_marks(driver, qtbot):
    driver.open(question(), answer(f"{TEXT}\nHeat again [1]."))
    clipboard = copy_answer(driver, qtbot)
    assert "Heat again" in clipboard.text()
    lines = [line for line in clipboard.text().splitlines() if line.strip()]
    assert lines[-2] == "[1] Heat pumps <b>explained</b> https://example.org/heat"
    assert lines[-1].startswith("[2] Agreement.pdf · ")
    assert "/tmp" not in clipboard.text()
    html = clipboard.mimeData().html()
    assert html.count('href="https://example.org/heat"') == 1
    assert "<sup>[1]</sup>" in html


def test_copied_code_comes_without_its_tools(driver, qtbot):
    driver.open(question(), answer(f"{TEXT}\n```python\nprint('heat')\n```\n"))
    clipboard = copy_answer(driver, qtbot)
    assert "print('heat')" in clipboard.text()
    assert "python" not in clipboard.text()
    assert "<button" not in clipboard.mimeData().html()


def test_an_example_is_asked(driver, qtbot):
    with qtbot.waitSignal(driver.page.action_requested) as asked:
        driver.js("document.querySelectorAll('.example')[1].click()")
    assert asked.args == [ActionRequest("", MessageAction.EXAMPLE, text=labels_of("en").examples[1])]


def test_another_language_reaches_everything_shown(driver):
    driver.open(question(), answer("x", status=MessageStatus.STOPPED))
    driver.page.set_language("zh_CN")
    driver.until("document.querySelector('.notice p').innerText === '你停止了这个回答。'")
    assert driver.js("document.documentElement.lang") == "zh-CN"
    assert driver.js("document.querySelector('.answer').getAttribute('aria-label')").startswith("回答, ")


def test_the_view_follows_the_end_only_from_the_end(driver):
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING)))
    driver.page.apply(TextDelta("line\n\n" * 60))
    driver.until("document.scrollingElement.scrollTop > 500")
    driver.js("(document.scrollingElement.scrollTop = 200, 1)")
    driver.until("!document.getElementById('to-end').hidden")
    driver.settle()
    place = "document.querySelectorAll('.text p')[5].getBoundingClientRect().top"
    before = driver.js(place)
    driver.page.apply(TextDelta("more\n\n" * 20 + "last"))
    driver.until("document.querySelector('.text').textContent.endsWith('last')")
    driver.settle()
    assert driver.js(place) == before
    driver.js("document.getElementById('to-end').click()")
    driver.page.apply(TextDelta("\n\nend"))
    driver.until("document.querySelector('.text').textContent.endsWith('end')")
    driver.until(
        "document.querySelector('.text > :last-child > :last-child').getBoundingClientRect().bottom <= innerHeight"
    )
    assert driver.js("document.getElementById('to-end').hidden")


def test_a_batch_that_cannot_be_written_keeps_nothing_else_from_the_page(driver, qtbot):
    def fail(_state):
        raise UnknownBase(base="a bug, but one that fails no test")

    driver.page._updater.push(fail)
    qtbot.wait_until(lambda: driver.page.is_whole)
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING)))
    driver.page.apply(TextDelta("And yet"))
    driver.until("document.querySelector('.text')?.textContent === 'And yet'")


def test_what_comes_after_a_pause_is_told_at_once(driver, qtbot):
    page = driver.page
    page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING)))
    driver.until("!!document.querySelector('.streaming')")
    qtbot.wait(2 * FRAME_MS)  # nothing happens meanwhile
    page.apply(TextDelta("First"))
    assert page._updater._frame.interval() == 0
    driver.until("document.querySelector('.text').textContent === 'First'")


def test_a_selection_survives_what_is_written_after_it_and_around_it(driver):
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING)))
    driver.page.apply(TextDelta("Choose these words"))
    driver.until("document.querySelector('.text p')?.innerText === 'Choose these words'")
    driver.js(
        "(() => { const t = document.querySelector('.text p').firstChild;"
        " document.getSelection().setBaseAndExtent(t, 7, t, 12); return 1 })()"
    )
    driver.page.apply(TextDelta(" and **bold** ones.\n\nNext"))
    driver.until("document.querySelectorAll('.text p').length === 2")
    assert driver.js("document.getSelection().toString()") == "these"


def test_a_check_that_ends_an_answer_is_told_of_in_one_place_and_not_as_writing(driver):
    dot = "getComputedStyle(document.querySelector('.answer .text'), '::after').content"
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING)))
    driver.page.apply(SourcesAdded(SOURCES))
    driver.page.apply(StepFinished(Step(1, StepKind.SEARCH, "heat", StepStatus.DONE, 3)))
    driver.page.apply(TextDelta(TEXT))
    driver.until(f"!!document.querySelector('.text p') && {dot} !== 'none'")
    driver.page.apply(StepStarted(Step(2, StepKind.CHECK)))
    driver.page.apply(CheckAdvanced("a1", 1, 3))
    driver.until("document.querySelector('.support')?.innerText.includes('Checking citations: 1 of 3')")
    assert driver.js(dot) == "none"
    assert driver.text(".answer").count("heck") == 1
    assert not driver.js("!!document.querySelector('.live')")


def test_a_page_whose_process_died_shows_everything_again(driver, qtbot):
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING)))
    driver.page.apply(TextDelta("Half an **ans"))
    driver.until("document.querySelector('.text strong')?.innerText === 'ans'")
    with qtbot.waitSignal(driver.page.ready):
        driver.page.web_page.load(QUrl("chrome://crash"))
    driver.page.apply(TextDelta("wer**"))
    driver.until("document.querySelector('.text strong')?.innerText === 'answer'")
    assert driver.text(".bubble") == "How?"


def test_a_page_that_is_loaded_again_and_again_is_waited_for_longer_each_time(driver, qtbot, monkeypatch):
    monkeypatch.setattr(web_page, "_PATIENCE_MS", 1)
    bare, waits = driver.page._bare, []
    driver.open(question(), answer(TEXT))
    bare.left.connect(lambda: waits.append(bare._recovery.interval()))
    with qtbot.waitSignal(driver.page.ready):
        driver.page.web_page.load(QUrl("chrome://crash"))
    driver.until("document.querySelector('.bubble')?.innerText === 'How?'")
    assert waits[:4] == [0, 1, 2, 4]


@contextmanager
def keyboard_elsewhere(qtbot):
    """Let another window have the keyboard."""
    other = QLineEdit()
    other.show()
    with qtbot.waitActive(other):
        other.activateWindow()
    try:
        yield
    finally:
        other.close()


def test_a_new_process_draws_the_empty_page_after_long_conversations(driver, qtbot, monkeypatch):
    monkeypatch.setattr(web_page, "RENEWAL_REST_MS", 0)
    page, old = driver.page, driver.page.web_page.renderProcessPid()
    page.set_zoom(1.25)
    driver.open(answer("word " * (web_page.RENEWAL_CHARS // 5)))
    driver.focus()
    with keyboard_elsewhere(qtbot), qtbot.waitSignals([page._bare._rest.timeout] * 2):
        page.open_conversation((), ())
    assert page.web_page.renderProcessPid() == old, "the keyboard comes back to the page"
    loads = []
    monkeypatch.setattr(PreloadedPage, "_load", lambda _page: loads.append(1))
    monkeypatch.setattr(
        web_page, "_PATIENCE_MS", WAIT_MS
    )  # a busy machine takes longer than a crash is waited for
    page.findChild(QWebEngineView).focusProxy().clearFocus()
    qtbot.waitUntil(lambda: page.web_page.renderProcessPid() not in {0, old} and page.is_drawn)
    assert loads == [], "the new process loads it, not the recovery from a crash, which would do so again"
    driver.until("!!document.querySelector('.welcome')")
    assert page.web_page.zoomFactor() == 1.25

    page.set_zoom(1)
    driver.open(question(), answer(TEXT))
    assert driver.text(".bubble") == "How?"
    assert page.web_page.renderProcessPid() != old


def test_articles_have_names_and_marks_say_their_source(driver):
    driver.open(question(), answer(TEXT))
    when = format_time(NOW)
    names = driver.js("[...document.querySelectorAll('article')].map(e => e.getAttribute('aria-label'))")
    assert names[0] == f"You, {when}: How?"
    assert names[1].startswith(f"Answer, {when}: Intro. Heat pumps work at minus fifteen degrees. ")
    assert names[1].endswith("…")
    assert driver.js("document.querySelector('a.citation').getAttribute('aria-label')") == (
        "source 1: Heat pumps <b>explained</b>"
    )


def test_code_has_its_tools(driver):
    driver.open(question(), answer(f"```python\nx = 1\ny = '{'word ' * 80}'\n```"))
    assert driver.js("document.querySelector('.code-bar').textContent") == "Python · 2 lines"
    runs_over = "[...document.querySelectorAll('pre, pre code')].some(e => e.scrollWidth > e.clientWidth)"
    assert driver.js(runs_over)
    driver.js("document.querySelector('.wrap-code').click()")
    driver.until(f"!{runs_over}")
    driver.js("document.querySelector('.wrap-code').click()")
    driver.until(runs_over)


def test_formulas_are_set_in_the_font_that_comes_along(driver):
    driver.open(question(), answer(r"So $\sqrt{x}$."))
    driver.until("[...document.fonts].some(e => e.family.includes('Footnote Math') && e.status === 'loaded')")
    assert driver.js("getComputedStyle(document.querySelector('math')).fontFamily").startswith(
        '"Footnote Math"'
    )
