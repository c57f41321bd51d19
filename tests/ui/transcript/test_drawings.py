"""Drawings of answers, in the real web engine: drawn when they are whole and in view, copied, saved, stopped, turned off."""

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPalette
from PySide6.QtWidgets import QMenu

from desktop.domain.events import TurnFinished, TurnStarted
from desktop.domain.messages import MessageStatus
from desktop.domain.models import TextDelta
from desktop.ui.transcript.drawings import LIMIT_MS, Drawing
from desktop.ui.widgets.theme import PageAppearance
from tests.ui.transcript.test_transcript_view import answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

FLOW = "```mermaid\nflowchart LR\n  accTitle: How it goes\n  A[Ask] --> B[Answer]\n```\n"
CIRCLE = '```svg\n<svg width="80" height="60"><circle cx="9" cy="9" r="5" fill="#f00"/></svg>\n```\n'
CARD = "```html\n<title>A card</title><style>:root { --c: #00f } p { color: var(--c) }</style><p>Words<br>more\n```\n"
STATE = (
    "[...document.querySelectorAll('pre[data-drawing]')].map(e =>"
    " [e.classList.contains('drawn'), e.querySelector('.drawing img')?.alt ?? ''])"
)
ALL_DRAWN = (
    "document.querySelector('pre[data-drawing]') &&"
    " [...document.querySelectorAll('pre[data-drawing]')].every(e => e.matches('.is-drawn'))"
)
PROBLEM = "(document.querySelector('.drawing-problem')?.textContent ?? '')"


def rendered_images(driver):
    """Return the numbers of colours and the size of each image, drawn on a canvas."""
    return driver.js(
        "[...document.querySelectorAll('.drawing img')].map(e => [e.naturalWidth, e.naturalHeight])"
    )


def test_the_three_kinds_are_drawn_and_have_names(driver):
    driver.open(question(), answer(f"{FLOW}\n{CIRCLE}\n{CARD}"))
    driver.until(ALL_DRAWN)
    circle = '<svg width="80" height="60"><circle cx="9" cy="9" r="5" fill="#f00"/></svg>\n'
    assert driver.js(STATE) == [[True, "How it goes"], [True, circle], [True, "A card"]]
    (flow, drawn_circle, card) = rendered_images(driver)
    assert flow[0] > flow[1] > 20
    assert drawn_circle == [80, 60]
    assert card[0] == 720
    assert 50 < card[1] < 200
    assert driver.js(
        "performance.getEntriesByType('resource').every(e => e.name.startsWith('footnote-page:'))"
    )
    assert driver.js("document.querySelectorAll('iframe, .text svg:not(.tool svg)').length") == 0


def test_the_code_stays_and_can_be_chosen_by_keyboard(driver):
    driver.open(question(), answer(CIRCLE))
    driver.until(ALL_DRAWN)
    code = "getComputedStyle(document.querySelector('pre > code')).display"
    assert driver.js(code) == "none"
    for name, shown, pressed in (
        ("show-code", "block", ["false", "true"]),
        ("show-drawing", "none", ["true", "false"]),
    ):
        driver.js(f"document.querySelector('.{name}').focus(), document.activeElement.click(), 1")
        assert driver.js(code) == shown
        assert (
            driver.js("[...document.querySelectorAll('.drawing-views button')].map(e => e.ariaPressed)")
            == pressed
        )


def test_a_block_is_drawn_once_it_is_whole_while_the_answer_goes_on(driver):
    page = driver.page
    page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING, offered=())))
    open_block = CIRCLE.removesuffix("```\n")
    for letter in open_block:
        page.apply(TextDelta(letter))
    driver.until("document.querySelector('.text code')?.textContent.includes('</svg>')")
    assert driver.js("document.querySelectorAll('[data-drawing]').length") == 0
    for letter in "```\nMore":
        page.apply(TextDelta(letter))
    driver.until(ALL_DRAWN)
    assert driver.js("document.querySelector('.answer').classList.contains('streaming')")
    page.apply(TextDelta(" words"))
    page.apply(TurnFinished(answer(f"{CIRCLE}More words")))
    driver.until("!document.querySelector('.answer').classList.contains('streaming')")
    assert driver.js(STATE)[0][0]


def test_what_is_far_from_the_view_is_drawn_when_it_comes_near(driver):
    driver.open(question(), answer(CIRCLE + "\n\nWords." * 200))
    driver.js("scrollTo(0, document.documentElement.scrollHeight)")
    driver.settle()
    assert driver.js("document.querySelectorAll('.being-drawn, .is-drawn').length") == 0
    driver.js("document.querySelector('pre[data-drawing]').scrollIntoView(), 1")
    driver.until(ALL_DRAWN)


def test_an_error_is_told_and_the_code_is_shown(driver):
    driver.open(question(), answer("```mermaid\nflowchart LR\n  A[Ask --> B{\n```\n"))
    driver.until(f"{PROBLEM} !== ''")
    assert driver.js(PROBLEM).startswith("This couldn’t be drawn: Parse error on line 2")
    assert driver.js("getComputedStyle(document.querySelector('pre > code')).display") == "block"


def test_svg_that_is_cut_before_its_first_shape_is_told_and_not_shown_as_an_empty_picture(driver):
    driver.open(question(), answer('```svg\n<svg><rect width="10"\n```\n'))
    driver.until(f"{PROBLEM} !== ''")
    assert driver.js(PROBLEM).startswith("This couldn’t be drawn: error on line")
    assert driver.js("document.querySelector('.code-bar span').textContent") == "SVG · 1 line"


@pytest.fixture
def busy(driver, request, qtbot):
    """Have the hidden page work without an end, and a job wait for it."""
    driver.open(question(), answer(CIRCLE.replace("80", str(len(request.node.name)))))
    driver.until(ALL_DRAWN)
    engine = driver.page.drawings.engine
    engine._page.run("for (;;) {}")
    driver.open(question(), answer(CARD.replace("more", request.node.name)))
    driver.until("!!document.querySelector('.being-drawn')")
    qtbot.waitUntil(lambda: engine._current is not None)  # its code is found in a thread
    return driver


def test_a_search_that_leads_into_the_code_shows_it(driver, qtbot):
    driver.open(question(), answer(f"Words.\n\n{CIRCLE}"))
    driver.until(ALL_DRAWN)
    with qtbot.waitSignal(driver.page.found, check_params_cb=lambda state: state.total == 1):
        driver.page.search("circle cx")
    driver.until("getComputedStyle(document.querySelector('pre > code')).display === 'block'")
    driver.page.search("")


def test_what_takes_for_ever_can_be_stopped_and_the_next_is_drawn(busy):
    busy.js("document.querySelector('.stop-drawing').click()")
    busy.until(f"{PROBLEM}.includes('It was stopped.')")
    busy.js("document.querySelector('.show-drawing').click()")
    busy.until(ALL_DRAWN)
    assert busy.js(PROBLEM) == ""


@pytest.mark.usefixtures("in_english")
def test_what_takes_too_long_is_ended(busy):
    engine = busy.page.drawings.engine
    engine._limit.start(0)
    busy.until(f"{PROBLEM}.includes('It took more than 20 seconds.')")
    assert not engine.is_running
    assert LIMIT_MS == 20_000


def test_a_drawing_is_copied_and_saved(driver, qtbot):
    driver.open(question(), answer(CIRCLE))
    driver.until(ALL_DRAWN)
    QGuiApplication.clipboard().setMimeData(QMimeData())
    for entry in (0, 1, 2):
        driver.js("document.querySelector('.drawing-menu').click()")
        qtbot.waitUntil(lambda: bool(driver.page.findChildren(QMenu)))
        menu = driver.page.findChildren(QMenu)[-1]
        action = menu.actions()[entry]
        if entry == 0:
            action.trigger()
            qtbot.waitUntil(lambda: QGuiApplication.clipboard().mimeData().hasImage())
            data = QGuiApplication.clipboard().mimeData()
            image = QImage(data.imageData())
            assert (image.width(), image.height()) == (160, 120)
            assert image.pixelColor(18, 18).name() == "#ff0000"
            assert bytes(data.data("image/svg+xml").data()).startswith(b"<svg")
        else:
            with qtbot.waitSignal(driver.page.action_requested) as asked:
                action.trigger()
            request = asked.args[0]
            assert request.action == "save_drawing"
            assert request.suffix == ("png", "svg")[entry - 1]
            assert request.content.startswith((b"\x89PNG", b"<svg")[entry - 1])
        menu.close()
        menu.deleteLater()


def test_html_becomes_a_png_too(driver, qtbot):
    driver.open(question(), answer(CARD))
    driver.until(ALL_DRAWN)
    drawings = driver.page.drawings
    drawing = next(each for each in drawings._kept.values() if each.title == "A card")
    made = []
    drawings._with_png(drawing, made.append)
    qtbot.waitUntil(lambda: bool(made))
    assert QImage.fromData(made[0]).width() == 1440


def test_a_diagram_is_drawn_again_if_the_colors_change_meanwhile(driver, monkeypatch):
    drawings = driver.page.drawings
    dark, add = QPalette(QColor("#202124")), drawings.engine.add

    def change_colors(job):
        drawings.set_palette(dark)
        add(job)

    monkeypatch.setattr(drawings.engine, "add", change_colors)
    driver.open(question(), answer(FLOW.replace("Ask", "Look")))
    driver.until(ALL_DRAWN)
    drawn = list(drawings._kept.values())[-1]
    assert drawn.paper == dark.window().color().name()
    assert "background: rgb(32, 33, 36)" in drawn.svg  # a saved file would have pale words on white


def test_pictures_stand_on_white_in_a_dark_window_also_as_png(driver):
    driver.page.drawings.set_palette(QPalette(QColor("#202124")))
    driver.open(question(), answer(CIRCLE.replace("80", "81")))
    driver.until(ALL_DRAWN)
    driver.page.drawings.set_palette(driver.page.palette())
    assert list(driver.page.drawings._kept.values())[-1].paper == "#ffffff"


def test_a_drawing_that_becomes_no_png_says_so(driver, qtbot):
    drawings = driver.page.drawings
    broken = Drawing("<svg", 20.0, 20.0, "", "#ffffff")
    with qtbot.waitSignal(driver.page.drawing_failed) as told:
        drawings._with_png(broken, lambda _png: None)
    assert "couldn’t be copied or saved" in told.args[0]


def test_the_setting_turns_drawings_off_and_on(driver):
    driver.page.set_appearance(PageAppearance(has_drawings=False))
    driver.open(question(), answer(CIRCLE))
    driver.settle()
    assert driver.js("document.querySelectorAll('.drawing-views, .drawing').length") == 0
    driver.page.set_appearance(PageAppearance())
    driver.until(ALL_DRAWN)
    driver.page.set_appearance(PageAppearance(has_drawings=False))
    driver.until("document.querySelectorAll('.drawing-views, .drawing').length === 0")
    assert driver.js("getComputedStyle(document.querySelector('pre > code')).display") == "block"
    driver.page.set_appearance(PageAppearance())
