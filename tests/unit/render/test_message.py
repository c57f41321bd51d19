"""Whole messages: our own examples, and the specifications' where they are at hand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from desktop.render import RenderTarget, render_message
from tests.cases import cases

SOURCES = {1: "One", 2: "Two", 3: "Three", 4: 'Four "quoted" <b>'}
FIXTURES = Path(__file__).parent / "fixtures"
LEDGER = {number: f"Source {number}" for number in range(1, 100)}


def triples(name):
    text = (FIXTURES / f"{name}.md").read_text(encoding="utf-8")
    found = re.findall(r"(?:^|\n)([^\n]+)\n\.\n(.*?)\n\.\n(.*?)(?<=\n)\.\n", text, re.DOTALL)
    return [pytest.param(source, html, id=title) for title, source, html in found]


@cases(
    "source, html",
    [case for name in ("blocks", "chinese", "citations", "html", "maths") for case in triples(name)],
)
def test_example(source, html):
    assert render_message(source, SOURCES).html == html


@cases("source, html", triples("links"))
def test_only_web_and_mail_are_links_on_the_page_and_no_picture_is_loaded(source, html):
    assert render_message(source, SOURCES, RenderTarget.PAGE).html == html


def test_fixtures_are_read():
    assert sum(len(triples(path.stem)) for path in FIXTURES.iterdir()) > 80


@cases(
    "text, cited, unknown",
    [
        ("[2] and [1][2]", (2, 1), ()),
        ("[9], [8] and [1, 7]", (1,), (9, 8, 7)),
        ("[2019-2024] `[3]` [x] [0]", (), ()),
        ("| a |\n| - |\n| [3] |\n\nb[^n] [1]\n\n[^n]: [2]", (3, 1, 2), ()),
        ("[1-3] 【4】［2］", (1, 2, 3, 4), ()),
        ("![see [1] and [^a]](https://e.org/p.png) [2]\n\n[^a]: x", (2,), ()),
    ],
)
def test_cited_and_unknown_numbers_are_told(text, cited, unknown):
    rendered = render_message(text, SOURCES)
    assert (rendered.cited, rendered.unknown) == (cited, unknown)


def test_code_is_coloured_and_described_on_the_page_only():
    text = "```python\nx = 1\ny = 2\n```"
    assert render_message(text).html == '<pre><code class="language-python">x = 1\ny = 2\n</code></pre>\n'
    page = render_message(text, look=RenderTarget.PAGE).html
    assert '<pre class="code" data-language="Python" data-lines="2">' in page
    assert '<span class="mi">1</span>' in page
    assert lxml_html.fromstring(page).text_content() == "x = 1\ny = 2\n"


def test_a_language_that_nobody_knows_is_named_as_it_was():
    assert 'data-language="xyzzy"' in render_message("```xyzzy\na<b\n```", look=RenderTarget.PAGE).html


def test_very_long_code_is_shown_whole_and_without_colours():
    code = "x = 1\n" * 10_000
    page = render_message(f"```python\n{code}```", look=RenderTarget.PAGE).html
    assert "<span" not in page
    assert lxml_html.fromstring(page).text_content() == code


@cases("text", ["[x]()", "[x](<>)", "[x]\n\n[x]: <>"])
def test_a_link_to_nowhere_has_no_address_on_the_page(text):
    assert "href" not in render_message(text, look=RenderTarget.PAGE).html


def test_marks_stand_beside_their_word_on_the_page():
    assert "so<sup>" in render_message("so [1].", SOURCES, RenderTarget.PAGE).html


def test_lines_of_chinese_are_joined_without_a_space_on_the_page():
    assert render_message("中文\n继续\nand English\nhere", look=RenderTarget.PAGE).html == (
        "<p>中文继续\nand English\nhere</p>\n"
    )


@cases("text", ["a\r\nb", "a\rb"])
def test_line_ends_of_other_systems(text):
    assert render_message(text).html == "<p>a\nb</p>\n"


def test_nul_and_lone_surrogates_are_replaced():
    assert render_message("a\0b\ud800c").html == "<p>a\ufffdb\ufffdc</p>\n"


@cases(
    "text",
    [
        "1~3天，5~7天", "周一~周五，周六~周日", "约~100元到~200元", "(~$10) or (~$20)", "~5 items, 10~", "in ~/a or ~/b",
    ],
)  # fmt: skip
def test_a_range_or_an_estimate_is_not_struck_out_on_the_page(text):
    assert render_message(text, look=RenderTarget.PAGE).html == f"<p>{text}</p>\n"


@cases("text", ["a ~b c~, d", "a ~~b c~~, d"])
def test_words_between_tildes_are_struck_out_on_the_page(text):
    assert render_message(text, look=RenderTarget.PAGE).html == "<p>a <del>b c</del>, d</p>\n"


def test_maths_that_reads_as_something_else_is_shown_as_code():
    assert render_message(f"${'x' * 5000}$").html == f'<p><code class="maths">{"x" * 5000}</code></p>\n'


@cases(
    "text",
    [
        "> " * 10_000 + "x",
        "[" * 30_000,
        "![" * 30_000,
        "[1]" * 20_000,
        "*a " * 20_000,
        "`a``b" * 5_000,
        "$a " * 20_000,
        "\\(a " * 20_000,
        "[x](" * 10_000,
        "\n".join("  " * depth + "- a" for depth in range(200)),
        "".join(f"[l{i}]: /u\n" for i in range(3_000)),
        "a" * 500_000,
    ],
    ids=lambda text: text[:6] + "…",
)
@pytest.mark.timeout(20)
def test_long_and_deep_text_takes_time_in_proportion(text):
    page = lxml_html.fragment_fromstring(
        render_message(f"{text}\n\nend", LEDGER, RenderTarget.PAGE).html, "main"
    )
    assert page.text_content().rstrip("\n").endswith("end")


@given(st.text(alphabet="[]()<>!*_`~$\\#-+=.:|1239^& \n\taé中。“”【】", max_size=80))
def test_no_text_makes_anything_but_our_elements(text):
    page = lxml_html.fragment_fromstring(
        render_message(text, SOURCES, RenderTarget.PAGE).html, create_parent="main"
    )
    for element in page.iter():
        assert element.tag not in {
            "script",
            "style",
            "img",
            "iframe",
            "object",
            "svg",
            "form",
            "base",
            "link",
        }
        assert not [name for name in element.attrib if name.startswith("on") or name in {"src", "style"}]
        href = element.get("href", "#")
        assert href.startswith(("#", "http://", "https://", "mailto:"))


def test_render_is_light():
    """`footnote render` and the start of the window must not pay for what a message may not need."""
    code = (
        "import sys; from desktop.render import render_message; render_message('a [1] *b*', {1: 'x'});"
        "heavy = {'PySide6', 'pygments', 'latex2mathml', 'torch', 'trafilatura'} & set(sys.modules); sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_footnotes_that_share_a_label_are_all_shown_and_one_of_them_is_led_to():
    html = render_message("Claim[^a].\n\n[^a]: one\n\n[^a]: two", (), RenderTarget.PAGE).html
    assert html.count('id="footnote-a"') == 1
    assert re.findall(r'<li(.*?) data-label="a">\n<p>(.*?)</p>', html) == [
        (' id="footnote-a"', "one"),
        ("", "two"),
    ]
