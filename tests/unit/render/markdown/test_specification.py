"""The examples of CommonMark 0.31.2 and of GitHub's specification, where they are at hand.

Whole, with and without a full ledger, and letter by letter. Raw HTML stays text by design.
"""

import json
import os
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from desktop.render import RenderTarget, SetBlock, StreamRenderer, render_message
from tests.cases import cases
from tests.unit.render.page_model import PageModel, normal, parse

FOLDER = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere")) / "markdown"
COMMONMARK = FOLDER / "commonmark-spec-0.31.2" / "spec.json"
GITHUB = FOLDER / "cmark-gfm" / "gfm-spec.json"
LEDGER = {number: f"Source {number}" for number in range(1, 100)}

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="FOOTNOTE_TEST_DATA names no folder with markdown/"
)


def examples(path):
    return json.loads(path.read_text(encoding="utf-8"))


def raw_html(markdown):
    """The raw HTML that an example holds, by block or piece."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    parts = [part for token in tokens for part in (token, *(token.children or ()))]
    return [part.content for part in parts if part.type in {"html_block", "html_inline"}]


def same(html, expected):
    return _plain(html) == _plain(expected)


def _plain(html):
    html = html.replace("&quot;", '"').replace("&#x27;", "'").replace(" />", ">").replace('=""', "")
    return html.replace('type="checkbox" checked disabled', 'checked disabled type="checkbox"').replace(
        'type="checkbox" disabled', 'disabled type="checkbox"'
    )


@cases("sources", [{}, LEDGER], ids=["no sources", "full ledger"])
@cases(
    "path, look, others",
    [
        (COMMONMARK, RenderTarget.COMMONMARK, set()),
        # Bare addresses are links, as GFM says.
        (COMMONMARK, RenderTarget.SPEC, {608, 611, 612}),
        (GITHUB, RenderTarget.SPEC, {616, 619, 620}),
    ],
)
def test_html_is_that_of_the_specification(path, look, others, sources):
    wrong = {
        example["example"]
        for example in examples(path)
        if not raw_html(example["markdown"])
        and not same(render_message(example["markdown"], sources, look).html, example["html"])
    }
    assert wrong == others


def test_what_github_writes_otherwise_is_its_autolinks_section_read_without_the_extension():
    others = [example for example in examples(GITHUB) if example["example"] in {616, 619, 620}]
    assert {example["section"] for example in others} == {"Autolinks"}
    for example in others:
        assert same(render_message(example["markdown"], look=RenderTarget.COMMONMARK).html, example["html"])


def test_raw_html_stays_text():
    with_html = [example for example in examples(COMMONMARK) if raw_html(example["markdown"])]
    assert len(with_html) > 60
    for example in with_html:
        page = lxml_html.fragment_fromstring(
            render_message(example["markdown"], look=RenderTarget.PAGE).html, create_parent="main"
        )
        tags = {element.tag for element in page.iter()}
        assert tags <= {
            "main",
            "p",
            "a",
            "em",
            "strong",
            "pre",
            "code",
            "blockquote",
            "ul",
            "li",
            "span",
            "br",
        }
        shown = "".join(page.text_content().split())
        first = raw_html(example["markdown"])[0]
        assert "".join(first.split())[:4] in shown


@cases("path", [COMMONMARK, GITHUB], ids=["CommonMark", "GFM"])
def test_letter_by_letter_the_page_ends_as_if_the_text_had_come_at_once(path):
    for example in examples(path):
        text = example["markdown"]
        renderer, page = StreamRenderer(LEDGER), PageModel()
        for letter in text:
            page.apply(renderer.feed(letter))
        page.apply(renderer.finish())
        once = render_message(text, LEDGER, RenderTarget.PAGE)
        assert page.html == normal(parse(once.html)), text
        assert (renderer.cited, renderer.unknown) == (once.cited, once.unknown)


def test_all_examples_as_one_answer_in_pieces_of_many_sizes():
    text = "\n\n".join(example["markdown"] for example in examples(COMMONMARK))
    once = normal(parse(render_message(text, LEDGER, RenderTarget.PAGE).html))
    for size in (7, 101, 5_003):
        renderer, page = StreamRenderer(LEDGER), PageModel()
        for start, end in pairwise([*range(0, len(text), size), len(text)]):
            page.apply(renderer.feed(text[start:end]))
        page.apply(renderer.finish())
        assert page.html == once


def test_a_closed_block_is_never_written_again():
    for example in examples(COMMONMARK):
        renderer = StreamRenderer(LEDGER)
        closed = set()
        for patch in [patch for letter in example["markdown"] for patch in renderer.feed(letter)]:
            assert closed.isdisjoint(patch.path[:length] for length in range(1, len(patch.path) + 1))
            if isinstance(patch, SetBlock) and patch.is_closed:
                closed.add(patch.path)
