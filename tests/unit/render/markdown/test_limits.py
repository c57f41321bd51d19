"""Leaves that a page cannot bear: plain text from somewhere on, and nothing lost."""

from lxml import html as lxml_html

from desktop.render import RenderTarget, StreamRenderer, render_message
from desktop.render.markdown.inline import MAX_CHARS, MAX_MARKS
from desktop.render.stream import AppendText, SetBlock
from tests.cases import cases
from tests.unit.render.page_model import PageModel, normal, parse

LEDGER = {number: f"Source {number}" for number in range(1, 100)}
GIANTS = {
    "words": "word " * (MAX_CHARS // 3),
    "one word": "x" * (2 * MAX_CHARS),
    "marks": "**Fact** [1] & *more* [2]. " * (MAX_CHARS // 20),
    "a heading": "# " + "*word* " * (MAX_CHARS // 5),
    "an item": "- " + "`a` b " * (MAX_CHARS // 4) + "\n- c",
}


def shown(text):
    return normal(parse(render_message(text, LEDGER, RenderTarget.PAGE, is_capped=True).html))


@cases("name", GIANTS)
def test_a_giant_ends_as_if_it_had_come_at_once_and_keeps_its_letters(name):
    text = GIANTS[name]
    renderer, page = StreamRenderer(LEDGER), PageModel()
    for at in range(0, len(text), 4999):
        page.apply(renderer.feed(text[at : at + 4999]))
    page.apply(renderer.finish())
    assert page.html == shown(text)
    letters = [char for char in lxml_html.fromstring(page.html).text_content() if char.isalpha()]
    assert letters == [char for char in text if char.isalpha()]


def test_what_follows_in_a_giant_is_appended_and_the_giant_does_not_travel_again():
    renderer = StreamRenderer(LEDGER)
    renderer.feed("*word* " * (MAX_CHARS // 6))
    for piece in ("*more* [1] ", "**text** " * 1_000):
        for patch in renderer.feed(piece):
            assert isinstance(patch, AppendText)
    assert not any(isinstance(patch, SetBlock) for patch in renderer.finish())


def test_a_giant_says_that_it_is_cut_and_a_file_holds_all_its_marks():
    text = "[1-99]" * MAX_MARKS
    capped = render_message(text, LEDGER, RenderTarget.PAGE, is_capped=True)
    assert 'class="cut-note"' in capped.html
    assert 0 < capped.html.count("<sup>") <= MAX_MARKS
    assert capped.cited == tuple(LEDGER)
    whole = render_message(text, LEDGER, RenderTarget.PAGE).html
    assert "cut-note" not in whole
    assert whole.count("<sup>") == 99 * MAX_MARKS


def test_what_is_shorter_is_no_giant():
    text = "*word* " * (MAX_CHARS // 7) + "[1]" * MAX_MARKS
    text = text[-MAX_CHARS:]
    assert render_message(text, LEDGER, RenderTarget.PAGE, is_capped=True) == render_message(
        text, LEDGER, RenderTarget.PAGE
    )
