"""The parser has an outcome for every page, in any state."""

import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.search import SearchStatus
from desktop.search.engines import ENGINES
from desktop.search.engines.parse import parse_results
from tests.cases import cases

CORPUS = Path(__file__).parents[3] / "corpus" / "serp"
BING = (CORPUS / "bing-results.html").read_bytes()

FRAGMENTS = st.sampled_from(
    [
        "<ol id=b_results>", "<li class=b_algo>", "<h2>", "<a href='https://a.example/x'>", "</a>", "</h2>", "<p>",
        "text of a result that is long enough", "<table><tr><td>", "<div>", "</div>", "\x00", "<!--", "-->", "<svg>",
        "<template>", "<a href='http://[::1'>", "<a href='javascript:x'>", "&#xD800;", "验证码", "<h3>", "<script>",
    ]
)  # fmt: skip


@given(st.binary(max_size=2_000), st.sampled_from(sorted(ENGINES)))
@settings(max_examples=150)
def test_any_bytes_have_an_outcome(page, engine):
    assert parse_results(engine, page).status in SearchStatus


@given(st.lists(FRAGMENTS, max_size=60), st.sampled_from([*ENGINES, "nobody"]))
@settings(max_examples=150)
def test_any_broken_markup_has_an_outcome(fragments, engine):
    outcome = parse_results(engine, "".join(fragments))
    assert bool(outcome.results) == (outcome.status is SearchStatus.RESULTS)
    assert all(result.url.startswith("http") and result.title for result in outcome.results)


@given(st.integers(0, len(BING)))
@settings(max_examples=60)
def test_a_page_cut_off_anywhere_keeps_the_results_before_the_cut(cut):
    whole = parse_results("bing", BING).results
    found = parse_results("bing", BING[:cut]).results
    assert [result.url for result in found[:-1]] == [result.url for result in whole[: max(len(found) - 1, 0)]]


@cases(
    "page",
    [
        "<div>" * 300_000,
        "<b>" * 200_000,
        "<a href=/x>" * 100_000,
        "<table><tr><td>" * 50_000,
        "x" * 10_000_000,
        "<p>word " * 1_000_000,
        "<!--" * 500_000,
        "&amp;" * 1_000_000,
    ],
    ids=["divs", "bold", "links", "tables", "text", "paragraphs", "comments", "entities"],
)
def test_huge_pages_are_read_or_given_up_in_time(page):
    started = time.process_time()
    assert parse_results("bing", page).status is not SearchStatus.RESULTS
    assert time.process_time() - started < 10


def test_results_win_over_words_that_sound_like_a_wall():
    page = BING.decode().replace("<body>", "<body><p>unusual traffic, captcha, no results found</p>")
    assert parse_results("bing", page).status is SearchStatus.RESULTS


def test_relative_links_are_resolved_against_the_page():
    page = "<ol id=b_results><li class=b_algo><h2><a href='/docs/a'>A page of its own</a></h2><p>Text.</p></li></ol>"
    assert (
        parse_results("bing", page, "https://host.example/search?q=a").results[0].url
        == "https://host.example/docs/a"
    )


def test_invisible_marks_and_icons_do_not_stay_in_texts():
    page = (
        "<ol id=b_results><li class=b_algo><h2><a href='https://a.example'>A\u200b \ue123title\n here</a></h2>"
        "<p>One\u00a0 two</p></li></ol>"
    )
    result = parse_results("bing", page).results[0]
    assert (result.title, result.snippet) == ("A title here", "One two")


@cases("address", ["https://moth\u2100counts.example/", "https://[::1/"], ids=["nfkc", "open"])
@cases("wrapping", ["{}", "https://www.google.com/url?q={}"])
def test_a_link_to_what_is_no_address_is_left_out(address, wrapping):
    # Found by benchmarks/search/fuzz_pages.py: urllib raises for letters that NFKC turns into a delimiter.
    link = f"<a href='{wrapping.format(address)}'><h3>How to count moths</h3></a>"
    good = "<a href='https://a.example/x'><h3>Counting by lamp</h3></a>"
    outcome = parse_results("google", f"<body>{link}{good}", "https://www.google.com/search?q=moth")
    assert [result.url for result in outcome.results] == ["https://a.example/x"]


SNIPPET = "A text that is long enough to say something about the page behind the link."


def page(*blocks: str) -> str:
    return f"<html><body><nav><a href='https://elsewhere.example'>Elsewhere, far away</a></nav>{''.join(blocks)}</body></html>"


def block(number: int, tag: str = "h3") -> str:
    return (
        f"<div class='a{number}'><{tag}><a href='https://site{number}.example/'>Title number {number}</a></{tag}>"
        f"<p>{SNIPPET} {number}</p></div>"
    )


def test_repeated_blocks_with_heading_and_text_are_results():
    outcome = parse_results("nobody", page(*map(block, range(5))))
    assert [result.url for result in outcome.results] == [f"https://site{n}.example/" for n in range(5)]
    assert outcome.results[2].snippet == f"{SNIPPET} 2"
    assert outcome.notes == ()


def test_a_known_engine_says_that_its_selectors_failed():
    outcome = parse_results("bing", page(*map(block, range(5))))
    assert outcome.status is SearchStatus.RESULTS
    assert "Bing" in outcome.notes[0]


def test_two_blocks_are_no_result_page():
    assert parse_results("nobody", page(block(1), block(2))).status is not SearchStatus.RESULTS


def test_lists_of_bare_links_are_no_results():
    links = "".join(
        f"<li><a href='https://site{n}.example/'>A site that we like, number {n}</a></li>" for n in range(30)
    )
    assert parse_results("nobody", page(f"<ul>{links}</ul>")).status is SearchStatus.LAYOUT_CHANGED


def test_results_are_preferred_to_longer_lists_beside_them():
    links = "".join(
        f"<li><a href='https://site{n}.example/'>A site that we like, number {n}</a></li>" for n in range(30)
    )
    outcome = parse_results("nobody", page(f"<ul>{links}</ul>", *map(block, range(4))))
    assert len(outcome.results) == 4


def test_definition_lists_keep_their_texts():
    rows = "".join(
        f"<dt><a class=t href='https://site{n}.example/'>Title number {n}</a></dt><dd>{SNIPPET} {n}</dd>"
        for n in range(4)
    )
    results = parse_results("nobody", page(f"<dl>{rows}</dl>")).results
    assert [result.snippet for result in results] == [f"{SNIPPET} {n}" for n in range(4)]


def test_advertisements_and_own_links_are_left_out():
    own = "".join(
        f"<div><h3><a href='https://www.find.example/more/{n}'>More of this, number {n}</a></h3><p>{SNIPPET}</p></div>"
        for n in range(3)
    )
    ad = (
        f"<div class='sponsored'><h3><a href='https://ad.example'>Buy this now</a></h3><p>{SNIPPET}</p></div>"
    )
    outcome = parse_results("https://find.example/?q=%s", page(own, ad, *map(block, range(3))))
    assert [result.title for result in outcome.results] == [f"Title number {n}" for n in range(3)]
