"""What the page looks like, measured: contrast, width, direction, paper; and what the keyboard reaches."""

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtPdf import QPdfDocument

from desktop.domain.messages import MessageStatus, Step, StepKind, StepStatus
from desktop.ui.widgets.colors import DARK, LIGHT, with_accent
from desktop.ui.widgets.theme import palette_of
from tests.cases import cases
from tests.ui.transcript.test_transcript_view import answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

CODE = "\n".join(f"value_{number} = compute({number}, 'text')  # comment" for number in range(60))
RICH = f"""# Heading

Words **bold** `code` [a link](https://example.org/report?long=address) and a mark [1][2]. Unknown [7].

###### Small heading

> A quote.

| Left | Right | Long |
| --- | ---: | --- |
| a | 1 | {"a long cell with many words " * 6} |

- [x] done

![picture](https://img.example/a.png) $x^2$

$$\\int_0^\\infty e^{{-x^2}} dx = {"a + " * 40} b$$

```python
{CODE}
```

Averyverylongword{"verylong" * 30}

Note[^n].

[^n]: Its text.
"""
STEPS = (
    Step(1, StepKind.SEARCH, "heat", StepStatus.DONE, 3),
    Step(2, StepKind.READ, "a.example", StepStatus.FAILED, 0, "It broke."),
    Step(3, StepKind.READ, "b.example", StepStatus.DEGRADED, 0, "It was long."),
)

CONTRAST = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data; };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = element => { for (let e = element; e; e = e.parentElement) {
    const colour = rgba(getComputedStyle(e).backgroundColor); if (colour[3] === 255) return colour; } return rgba("white"); };
  const bad = [];
  const walker = document.createTreeWalker(document.getElementById("conversation"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.push([element.className || element.tagName, walker.currentNode.data.slice(0, 20), ratio]);
  }
  return bad;
})()"""


@pytest.fixture
def rich(driver):
    failed = replace(
        answer("So far", status=MessageStatus.FAILED, error="The line is dead."),
        id="a2",
        model="openai/gpt-5",
    )
    shown = answer(RICH, steps=STEPS, reasoning="Let me think.", model="quotes")
    driver.open(question("How?\nAnd why?"), shown, replace(question(), id="q2"), failed)
    driver.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    yield driver
    driver.page.set_zoom(1)
    driver.page.resize(800, 600)


@cases("accent", ["", "#ffcc00", "#ff0000", "#808080"])
@cases("theme, colours", [("light", LIGHT), ("dark", DARK)])
def test_every_word_has_a_contrast_of_aa(rich, theme, colours, accent):
    before = rich.page.palette()
    rich.page.setPalette(palette_of(with_accent(colours, accent)))
    rich.until(f"document.documentElement.dataset.theme === '{theme}'")
    bad = rich.js(CONTRAST)
    rich.page.setPalette(before)
    assert bad == []


@cases(
    "width, height, zoom",
    [(900, 600, 1.0), (900, 600, 3.0), (640, 600, 1.5), (900, 600, 0.5), (2560, 1440, 1.0)],
)
def test_nothing_is_wider_than_the_window(rich, width, height, zoom):
    rich.page.resize(width, height)
    rich.page.set_zoom(zoom)
    rich.until(f"Math.abs(innerWidth - {width / zoom}) < 4")
    assert rich.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    column = rich.js(
        "document.querySelector('.text').getBoundingClientRect().width / parseFloat(getComputedStyle(document.documentElement).fontSize)"
    )
    assert column <= 48


def test_each_block_goes_the_way_of_its_words(driver):
    text = "مرحبا بالعالم\n\n- أولاً\n- ثانياً\n\n> اقتباس\n\n| عمود |\n| - |\n| خلية |\n\nEnglish words, مرحبا.\n\n```\nx = 1\n```"
    driver.open(question(), answer(text))
    found = driver.js(
        "['p', 'ul', 'li', 'blockquote', 'table', '.text > p:nth-of-type(2)', 'pre'].map("
        "name => getComputedStyle(document.querySelector(name.startsWith('.') ? name : `.text ${name}`)).direction)"
    )
    assert found == ["rtl", "rtl", "rtl", "rtl", "rtl", "ltr", "ltr"]


def test_emphasis_follows_the_letters_and_not_the_window(driver):
    driver.open(question(), answer("*latin* and *热泵*"))
    styles = "[...document.querySelectorAll('.text em')].map(e => getComputedStyle(e).fontStyle)"
    for language in ("zh_CN", "en"):
        driver.page.set_language(language)
        driver.until(f"document.documentElement.lang.startsWith('{language[:2]}')")
        driver.settle()
        assert driver.js(styles) == ["italic", "normal"]


def test_a_mark_does_not_lower_its_line_in_either_language(driver):
    driver.open(question(), answer("| a | b |\n| - | - |\n| 42 | 42 [1] |"))
    tops = (
        "[...document.querySelectorAll('.text td')].map(cell => { const range = document.createRange();"
        " range.setStart(cell.firstChild, 0); range.setEnd(cell.firstChild, 2);"
        " return range.getBoundingClientRect().top })"
    )
    for language in ("zh_CN", "en"):
        driver.page.set_language(language)
        driver.until(f"document.documentElement.lang.startsWith('{language[:2]}')")
        driver.settle()
        plain, marked = driver.js(tops)
        assert plain == marked, language


def test_the_find_bar_leaves_the_page_its_room(driver):
    driver.page.find_bar.begin()
    driver.until("innerHeight > 500")
    assert driver.page.find_bar.height() < 60
    driver.page.find_bar.finish()


def test_paper_holds_everything_but_what_one_clicks(rich, tmp_path, qtbot):
    path = tmp_path / "conversation.pdf"
    with qtbot.waitSignal(rich.page.web_page.pdfPrintingFinished):
        rich.page.web_page.printToPdf(str(path))
    document = QPdfDocument()
    assert document.load(str(path)) is QPdfDocument.Error.None_
    pages = [document.getAllText(number).text() for number in range(document.pageCount())]
    # A line may break within an address.
    text = "".join("".join(pages).split())
    for words in (
        "https://example.org/report?long=address",
        "https://example.org/heat",
        "value_59=compute(59,",
        "Unknown[7]",
        "Agreement.pdf",
        "Thelineisdead.",
        "Itstext.",
    ):
        assert words in text
    for words in ("Retry", "Continue", "Searchingtheweb", "Letmethink", "Showall"):
        assert words not in text


def test_tab_reaches_marks_code_links_and_sources_and_shows_where_it_is(rich, qtbot):
    rich.focus()
    rich.js("(document.getElementById('message-q1').focus(), 1)")
    inner = rich.page.focusProxy().focusProxy()
    reached = []
    for _ in range(30):
        qtbot.keyClick(inner, Qt.Key.Key_Tab)
        rich.settle()
        name, outline = rich.js(
            "[document.activeElement.className || document.activeElement.tagName,"
            " getComputedStyle(document.activeElement).outlineStyle]"
        )
        if name == "BODY":  # behind the last stop: the page is left
            break
        assert outline == "solid", name
        reached.append(name)
    for wanted in (
        "action",
        "citation",
        "A",
        "tool wrap-code",
        "tool copy-code",
        "tool unfold-code",
        "source chip",
    ):
        assert wanted in reached, (wanted, json.dumps(reached))
    assert "picture" in reached


def test_a_question_that_has_the_keyboard_shows_how_to_edit_it(rich):
    shown = "getComputedStyle(document.querySelector('.person .actions')).opacity"
    rich.js("document.activeElement.blur()")
    rich.until(f"{shown} === '0'")
    rich.js("document.querySelector('.person .action').focus({preventScroll: true})")
    rich.until(f"{shown} === '1'")
    assert rich.js("document.querySelector('.person [data-action=edit]').title") == "Edit"


def test_the_name_of_the_built_in_model_is_told_and_that_of_others_is_short(rich):
    shown = "[...document.querySelectorAll('.model')].filter(e => e.offsetParent).map(e => e.textContent)"
    assert rich.js(shown) == ["Quotes", "gpt-5"]


def test_an_answer_cut_off_by_the_end_of_the_program_offers_to_go_on(driver):
    driver.open(question(), answer("So f", status=MessageStatus.INTERRUPTED))
    assert driver.text(".notice p") == "Footnote quit before this answer was finished."
    box = driver.js(
        "(box => [box.top, box.bottom])(document.querySelector('.notice').getBoundingClientRect())"
    )
    assert 0 <= box[0] < box[1] <= 600
    assert driver.text(".notice [data-action=continue]") == "Resume"
