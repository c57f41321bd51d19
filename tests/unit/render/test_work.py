"""Hostile and huge text: twice the text is twice the work, counted in calls and not by a clock."""

import sys

from lxml import html as lxml_html

from desktop.render import RenderTarget, StreamRenderer, render_message
from desktop.render.stream import WAITS_FROM
from tests.cases import cases
from tests.unit.render.page_model import PageModel, normal, parse

LEDGER = {number: f"Source {number}" for number in range(1, 100)}
GENEROUS = 2.7
"""Of double the text; work that grows with the square would be 4."""

SHAPES = {
    "one line": lambda n: "word " * n,
    "one word": lambda n: "x" * (8 * n),
    "lines": lambda n: "word\n" * n,
    "quotes in each other": lambda n: "> " * n + "a",
    "brackets in each other": lambda n: "[" * n + "a" + "]" * n,
    "pictures in each other": lambda n: "![" * n + "a" + "](u)" * n,
    "brackets never closed": lambda n: "[a " * n,
    "links never closed": lambda n: "[a](b " * n,
    "emphasis never closed": lambda n: "*a _b " * n,
    "emphasis crossed": lambda n: "**a*" * n,
    "code never closed": lambda n: "".join("`" * (i % 7 + 1) + "a" for i in range(n)),
    "maths never closed": lambda n: "$a \\(b " * n,
    "tags never closed": lambda n: "<a &b" * n,
    "citations": lambda n: "Fact [1]. " * n,
    "citations without a source": lambda n: "[777]" * n,
    "addresses": lambda n: "http://a.b/ c@d.ef www." * (n // 2),
    "definitions": lambda n: "".join(f"[l{i}]: /u\n" for i in range(n)),
    "the same definition": lambda n: "[a]: /u\n" * n,
    "a title never closed": lambda n: "[a]: /u 'b\n" + "c\n" * n,
    "footnotes": lambda n: "".join(f"a[^{i}]\n\n[^{i}]: b\n\n" for i in range(n // 4)),
    "a fence never closed": lambda n: "```\n" + "x = 1\n" * n,
    "a list": lambda n: "- item\n" * n,
    "a list in a list": lambda n: "- a\n  - b\n" * n,
    "a table": lambda n: "|a|b|\n|-|-|\n" + "|x|y|\n" * n,
    "a wide table": lambda n: "".join(f"|{cell * n}\n" for cell in ("a|", "-|", "x|")),
    "a quote": lambda n: "> a\n" * n,
    "NUL and surrogates": lambda n: "\0a\ud800" * n,
}

OPEN_FOR_LONG = (
    "one line",
    "lines",
    "citations",
    "definitions",
    "footnotes",
    "a fence never closed",
    "a table",
)


def calls(run):
    """How many functions, ours and built in, are called."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def stream(text, piece=400):
    renderer = StreamRenderer(LEDGER)
    patches = []
    for start in range(0, len(text), piece):
        patches += renderer.feed(text[start : start + piece])
    return patches + list(renderer.finish())


def sized(shape, chars):
    """A text of a shape of about so many characters."""
    return shape(max(20, chars * 1_000 // len(shape(1_000))))


@cases("shape", SHAPES.values(), ids=SHAPES)
def test_work_grows_with_the_text_and_not_faster(shape):
    _assert_grows_evenly(shape, 2_000, lambda text: render_message(text, LEDGER, RenderTarget.PAGE))


@cases("name", OPEN_FOR_LONG)
def test_work_of_a_stream_grows_with_the_text_and_not_faster(name):
    _assert_grows_evenly(SHAPES[name], 10_000, stream)


def _assert_grows_evenly(shape, chars, show):
    texts = [sized(shape, chars), sized(shape, 2 * chars)]
    show(sized(shape, 200))  # loads what is loaded at first use
    counts = [calls(lambda text=text: show(text)) for text in texts]
    assert counts[1] <= GENEROUS * counts[0], counts


@cases("name", OPEN_FOR_LONG)
def test_nothing_of_a_text_whose_pieces_wait_is_lost_on_its_way_to_the_page(name):
    text = sized(SHAPES[name], WAITS_FROM + 2_000)
    page = PageModel()
    page.apply(stream(text, 150))
    assert page.html == normal(parse(render_message(text, LEDGER, RenderTarget.PAGE, is_capped=True).html))


@cases("depth", [101, 10_000])
def test_what_is_nested_too_deep_is_shown_as_text(depth):
    quotes = lxml_html.fromstring(render_message("> " * depth + "a", look=RenderTarget.PAGE).html)
    assert quotes.text_content().count(">") == depth - 100
    brackets = render_message("[" * depth + "a" + "]" * depth, look=RenderTarget.PAGE).html
    assert (brackets.count("["), brackets.count("]")) == (depth, depth)
