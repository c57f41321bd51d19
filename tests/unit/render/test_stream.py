"""Streams: wherever a text is cut, the page ends as if it had come at once."""

import os
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.render import AppendText, RenderTarget, SetBlock, StreamRenderer, render_message
from desktop.render.stream import Patch
from tests.cases import cases
from tests.unit.render.page_model import PageModel, normal, parse
from tests.unit.render.test_message import FIXTURES, SOURCES, triples

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere"))

PIECES = (
    "\n", "\n\n", "- ", "  ", "    ", "1. ", "> ", "# ", "```", "```py\n", "~~~\n", "| a | b |\n", "| - | - |\n",
    "---\n", "===\n", "***", "**", "*", "_", "`", "[1]", "[9]", "[^n]", "[^n]: ", "[#a]", "[a]: /b\n", "[a]", "[x](", ")",
    "](http://a.b)", "![i](u)", "$x$", "$$\n", "\\(", "\\)", "\\", "<", "&amp;", "https://a.bc", "~~", "word", "中文",
    "。", "“", "x = 1\n", "\t", "- [ ] ", "【2】", "\r", "\r\n", "\0", "|", ":", "a_b@c.de", " ",
)  # fmt: skip
_TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=40)


def stream(pieces, sources=SOURCES):
    renderer, page = StreamRenderer(sources), PageModel()
    for piece in pieces:
        page.apply(renderer.feed(piece))
    page.apply(renderer.finish())
    return renderer, page


def assert_same(text, pieces):
    renderer, page = stream(pieces)
    once = render_message(text, SOURCES, RenderTarget.PAGE)
    assert page.html == normal(parse(once.html))
    assert (renderer.cited, renderer.unknown) == (once.cited, once.unknown)


@settings(max_examples=250)
@given(_TEXTS, st.data())
def test_any_text_cut_anywhere_ends_as_if_it_had_come_at_once(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=12)) | {0, len(text)})
    assert_same(text, [text[start:end] for start, end in pairwise(cuts)])


@cases("text", [case.values[0] for path in sorted(FIXTURES.iterdir()) for case in triples(path.stem)])
def test_examples_letter_by_letter(text):
    assert_same(text, text)


ANSWER = """Heat pumps **move** heat [1]. They `work` in the cold [2], see [the guide](https://a.example/x_y).

1. First *step*
2. Second [1][3]

| Outside | COP |
| --- | --: |
| 7 °C | 4.1 |

```python
def cop(hot, cold):
    return hot / (hot - cold)
```

热泵**“搬运”**热量【2】，$a^2$。
"""


def seen(text):
    """What a page shows after each letter."""
    renderer, page = StreamRenderer(SOURCES), PageModel()
    for letter in text:
        page.apply(renderer.feed(letter))
        yield page.root.text_content()


def test_nothing_half_typed_is_shown():
    for shown in seen(ANSWER):
        for raw in ("**", "`", "[", "]", "](", "| ", "---", "$", "【", "https"):
            assert raw not in shown


def test_what_is_shown_of_plain_text_only_grows():
    last = ""
    for shown in seen(ANSWER.split("1. First", maxsplit=1)[0]):
        assert shown.startswith(last.rstrip("\n "))
        last = shown


def test_half_typed_marks_are_shown_as_what_they_will_be():
    renderer, page = StreamRenderer(SOURCES), PageModel()
    page.apply(renderer.feed("so **bo"))
    assert page.html == "<main><p>so <strong>bo</strong></p></main>"
    page.apply(renderer.feed("ld"))
    assert page.html == "<main><p>so <strong>bold</strong></p></main>"


def test_plain_words_travel_alone():
    renderer = StreamRenderer(SOURCES)
    renderer.feed("The quick")
    assert renderer.feed(" brown fox") == (AppendText((0,), " brown fox"),)


@cases("mark", ["[the guide](https://a.example/x)", "https://a.example/x", "**bold**", "`code`", "$x$"])
def test_words_behind_a_mark_are_not_part_of_it(mark):
    renderer, page = StreamRenderer(SOURCES), PageModel()
    for piece in ("See ", *mark, " and", " so on"):
        page.apply(renderer.feed(piece))
    assert page.root[0][-1].tail == " and so on"


def test_words_of_a_cell_travel_alone():
    renderer, page = StreamRenderer(SOURCES), PageModel()
    page.apply(renderer.feed("| x | y |\n| - | - |\n| a `b` | so"))
    patches = renderer.feed(" it is")
    assert patches == (AppendText((0, 1, 0, 1), " it is"),)
    page.apply(patches)
    assert page.root.xpath("string(//td[2])") == "so it is"


def test_a_mark_appears_as_soon_as_its_bracket_closes():
    renderer, page = StreamRenderer(SOURCES), PageModel()
    page.apply(renderer.feed("so [1"))
    assert "[" not in page.html
    page.apply(renderer.feed("]"))
    assert 'data-source="1"' in page.html


def test_blocks_before_the_open_one_are_closed_and_left_alone():
    renderer = StreamRenderer(SOURCES)
    first = renderer.feed("One\n\nTwo\n\n")
    assert SetBlock((0,), "<p>One</p>\n", is_closed=True) in first
    assert {patch.path for patch in renderer.feed("Three") + renderer.finish()} == {(2,)}


@cases(
    "text, expected",
    [
        ("[a][b] x\n\ny\n\n[b]: https://c.example", '<a href="https://c.example">a</a> x'),
        ("[#a]\n\ny\n\n[#a]: https://c.example", '<a href="https://c.example">#a</a>'),
        ("[#a]\n\ny\n\n[b]: /b", "[#a]"),
        ("a[^n]\n\ny\n\n[^n]: b", '<sup class="footnote-ref">'),
    ],
)
def test_late_definitions_reach_back_at_the_end(text, expected):
    _, page = stream(text)
    assert expected in page.html


def test_sources_that_come_later_count_for_the_whole_message():
    renderer, page = StreamRenderer({}), PageModel()
    page.apply(renderer.feed("a [1]\n\nb"))
    assert renderer.unknown == (1,)
    renderer.add_sources(SOURCES)
    page.apply(renderer.feed(" [2]"))
    page.apply(renderer.finish())
    assert (renderer.cited, renderer.unknown) == ((1, 2), ())
    assert page.html == normal(parse(render_message("a [1]\n\nb [2]", SOURCES, RenderTarget.PAGE).html))


def test_long_code_travels_in_pieces():
    renderer = StreamRenderer(SOURCES)
    renderer.feed("```text\n")
    sent = sum(len(msgspec.json.encode(renderer.feed(f"line {number}\n"))) for number in range(2_000))
    assert sent < 40 * 12_000


@cases("line", ["- item\n", "| a | b |\n", "> quote\n\n"])
def test_long_lists_and_tables_travel_in_pieces(line):
    renderer = StreamRenderer(SOURCES)
    renderer.feed("| x | y |\n| - | - |\n" if "|" in line else "")
    patches = [patch for _ in range(500) for patch in renderer.feed(line)]
    assert sum(len(msgspec.json.encode(patch)) for patch in patches) < 500 * 400


def test_patches_are_plain_data():
    (patch,) = StreamRenderer(SOURCES).feed("a")
    assert msgspec.json.decode(msgspec.json.encode(patch), type=SetBlock) == patch
    assert isinstance(patch, Patch)


@pytest.mark.skipif(
    not (DATA / "markdown").is_dir(), reason="FOOTNOTE_TEST_DATA names no folder with markdown/"
)
def test_real_answers_in_small_pieces():
    paths = sorted((DATA / "markdown" / "llm_answers").glob("*.md"))
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert_same(text, [text[start : start + 23] for start in range(0, len(text), 23)])
