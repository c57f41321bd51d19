"""Pages are reduced to title, text, author and date; hostile ones in bounded time."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.text.html_article import MAX_ELEMENTS, MAX_TEXT_CHARS, Article, main_text
from desktop.text.html_tree import cut_after, parse_html
from tests.cases import cases

FIRST = (
    "The river carries more water in spring, when the snow of the mountains melts and runs into the valley."
)
SECOND = (
    "Every year the villages along both banks raise the dikes, and every tenth year the dikes are too low."
)
THIRD = (
    "An engineer who has measured the water for thirty years says that the floods now come a month earlier."
)
ZH_FIRST = "春天山上的积雪融化，河水上涨，两岸的村庄每年都要加固堤坝，以防洪水淹没农田和房屋。"
ZH_SECOND = "一位三十年来一直测量水位的工程师说，现在的洪水比过去早到了整整一个月，人们还没有准备好。"


def page(body, head="<title>Rivers in spring</title>"):
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


def paragraphs(*texts):
    return "".join(f"<p>{text}</p>" for text in texts)


@cases("texts", [(FIRST, SECOND, THIRD), (ZH_FIRST, ZH_SECOND)])
def test_paragraphs_are_lines(texts):
    article = main_text(page(f"<article>{paragraphs(*texts)}</article>"))
    assert article.text == "\n".join(texts)
    assert article.title == "Rivers in spring"


def test_frames_around_an_article_are_left_out():
    frame = "<nav><a href=/>Home</a></nav><header>The Valley News</header>"
    footer = "<aside>Advertisement: boats for hire</aside><footer>Imprint and privacy</footer>"
    scripts = "<script>var tracker = 'evil words';</script><style>p { color: red }</style>"
    article = main_text(page(f"{frame}<main>{scripts}{paragraphs(FIRST, SECOND)}</main>{footer}"))
    assert article.text == f"{FIRST}\n{SECOND}"


def test_bytes_are_decoded_by_their_own_label():
    source = page(
        f"<article>{paragraphs(ZH_FIRST, ZH_SECOND)}</article>", '<meta charset="gbk"><title>河流</title>'
    )
    assert main_text(source.encode("gbk")) == Article("河流", f"{ZH_FIRST}\n{ZH_SECOND}")


def test_lists_of_links_behind_an_article_are_left_out():
    news = "".join(
        f"<li>{rank}<a href=/{rank}>南方暴雨持续第{rank}条新闻标题</a> 2024-05-0{rank}</li>"
        for rank in range(1, 7)
    )
    texts = [f"第{number}段：{ZH_FIRST}{ZH_SECOND}" for number in "一二三四五"]
    article = main_text(page(f"<div class=content>{paragraphs(*texts)}<ul>{news}</ul></div>"))
    assert article.text == "\n".join(texts)


def test_a_page_that_is_a_list_of_links_keeps_it():
    links = "".join(
        f"<li><a href=/{number}>Chapter {number} on the floods of the valley</a></li>" for number in range(9)
    )
    article = main_text(page(f"<main><ul>{links}</ul></main>"))
    assert "Chapter 3 on the floods" in article.text


def test_the_title_is_not_repeated_in_the_text():
    article = main_text(page(f"<article><h1>Rivers in spring</h1>{paragraphs(FIRST, SECOND)}</article>"))
    assert article == Article("Rivers in spring", f"{FIRST}\n{SECOND}")


def test_an_article_cut_into_blocks_is_whole():
    texts = [f"Part {number} of the report. {FIRST} {SECOND}" for number in range(12)]
    blocks = [
        f"<div class='body part'>{paragraphs(*texts[start : start + 3])}</div><div class=ad><p>Buy boats now</p></div>"
        for start in range(0, 12, 3)
    ]
    wrapped = "".join(f"<div class=row><div class=cell>{block}</div></div>" for block in blocks)
    lines = main_text(page(f"<article>{wrapped}</article>")).text.split("\n")
    assert [line for line in lines if line.startswith("Part")] == texts


def test_paragraphs_written_as_sections_are_read():
    body = "".join(
        f"<section style='margin: 0'><span>{text}</span></section>" for text in (ZH_FIRST, ZH_SECOND)
    )
    article = main_text(page(f"<div id=js_content class=rich_media_content>{body}</div>"))
    assert article.text == f"{ZH_FIRST}\n{ZH_SECOND}"


@cases("style", ["visibility: hidden; opacity: 0;", "display:none"])
def test_a_main_part_that_scripts_would_have_shown_is_read(style):
    body = (
        f"<div id=js_content style='{style}'>{paragraphs(*[ZH_FIRST, ZH_SECOND] * 3)}</div><p>微信扫一扫</p>"
    )
    assert ZH_SECOND in main_text(page(body)).text


HEADS = {
    "og": '<meta property="og:title" content="On rivers"><meta property="article:published_time" content="2024-03-01T10:00:00Z">'
    '<meta name="author" content="Ada Brook">',
    "json": '<script type="application/ld+json">{"@graph": [{"@type": "NewsArticle", "headline": "On rivers",'
    ' "datePublished": "2024-03-01", "author": [{"@type": "Person", "name": "Ada Brook"}]}]}</script>',
    "citation": '<meta name="citation_title" content="On rivers"><meta name="citation_author" content="Ada Brook">'
    '<meta name="citation_publication_date" content="2024/03/01">',
}


@cases("head", HEADS)
def test_the_head_says_title_author_and_date(head):
    article = main_text(page(f"<article>{paragraphs(FIRST, SECOND)}</article>", HEADS[head]))
    assert (article.title, article.author, article.published) == ("On rivers", "Ada Brook", "2024-03-01")


@cases(
    "markup, url",
    [
        ("<time pubdate datetime='2024-03-01T08:00'>1 March</time>", ""),
        ("<span itemprop=datePublished content='2024-03-01'>today</span>", ""),
        ("<p class=time>2024年3月1日 08:30 来源：山谷新闻</p>", ""),
        ("", "https://news.example/2024/03/01/rivers"),
    ],
)
def test_the_date_is_found_elsewhere(markup, url):
    article = main_text(page(f"<article>{markup}{paragraphs(ZH_FIRST, ZH_SECOND)}</article>"), url)
    assert article.published == "2024-03-01"


@cases("text", ["2124-03-01", "0024-03-01", "2024-13-45", "soon", ""])
def test_an_impossible_date_is_none(text):
    head = f'<meta property="article:published_time" content="{text}">'
    assert main_text(page(f"<article>{paragraphs(FIRST)}</article>", head)).published == ""


def test_a_name_of_the_site_is_taken_off_the_title():
    head = "<title>Why the river floods in spring | The Valley News</title>"
    assert main_text(page(paragraphs(FIRST), head)).title == "Why the river floods in spring"


@cases("json", ["{", "[" * 5000, '{"headline": 5, "author": {"name": {}}}', "null", '"text"', "{}" * 9])
def test_broken_json_in_a_page_is_passed_over(json):
    article = main_text(
        page(paragraphs(FIRST, SECOND), f'<title>T</title><script type="application/ld+json">{json}</script>')
    )
    assert article.title == "T"
    assert FIRST in article.text


@cases("source", ["", " ", "\x00", "<", "<html>", "<html></html>", "<!-- only a comment -->", "<p></p>"])
def test_a_page_that_says_nothing_is_empty(source):
    assert main_text(source).text in {"", "<"}


def test_control_characters_are_dropped():
    assert (
        main_text(page(paragraphs(f"\x00{FIRST[:20]}\x07{FIRST[20:]}\ud800", SECOND))).text
        == f"{FIRST}\n{SECOND}"
    )


HOSTILE = {
    "deep": "<div>" * 200_000 + FIRST,
    "deep inline": "<b>" * 50_000 + FIRST,
    "long tag": f"<p {'a=1 ' * 500_000}>{FIRST}",
    "angles": "<" * 1_000_000,
    "entities": "&amp;" * 500_000,
    "tables": "<table><tr><td>" * 30_000,
    "lists in lists": "<ul><li><a href=1>a</a><a href=2>b</a><a href=3>c</a>" * 100,
    "hidden in hidden": "<div style='display:none'>" * 240 + FIRST * 50,
    "unclosed script": f"<script>{'x' * 500_000}",
    "huge meta": f"<meta name=author content='{'y' * 500_000}'><p>{FIRST}",
}


@cases("name", HOSTILE)
def test_hostile_pages_end_soon(name):
    started = time.process_time()
    article = main_text(HOSTILE[name])
    assert len(article.text) <= MAX_TEXT_CHARS
    assert len(article.title) + len(article.author) < 1_000
    assert time.process_time() - started < 10


@cases("name", ["deep", "deep inline", "long tag"])
def test_text_is_found_where_the_tree_is_of_no_use(name):
    assert main_text(HOSTILE[name]).text.startswith(FIRST[:20])


def test_ten_megabytes_are_read_up_to_a_limit():
    article = main_text(f"<p>{FIRST}</p>" * 90_000)
    assert 0 < len(article.text) <= MAX_TEXT_CHARS


TAGS = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<ul><li>", "<a href='", "'>", "</a>", "<section>", "<table>", "<script>",
     "<h1>", "<title>", "<!--", "-->", "<![CDATA[", "&", "&#0;", "&#xd800;", "\x00", "中文", "words here ", "<style>"]
)  # fmt: skip


@settings(max_examples=80)
@given(st.one_of(st.text(max_size=200), st.lists(TAGS, max_size=40).map("".join)))
def test_any_text_is_an_article(source):
    article = main_text(source)
    assert all(line.strip() for line in article.text.split("\n") if article.text)


@given(st.binary(max_size=200))
def test_any_bytes_are_an_article(data):
    assert isinstance(main_text(data), Article)


def test_a_tag_of_a_hundred_thousand_attributes_costs_nothing_and_hides_nothing():
    attributes = " ".join(f"a{number}=1" for number in range(100_000))
    page = f"<html><body><p {attributes}>The lighthouse was built in 1873 by Ada Korsten.</p></body></html>"
    assert "1873" in main_text(page).text


@given(st.integers(1, 12))
def test_a_tree_is_cut_in_the_order_of_the_page(count):
    tree = parse_html("<body><div>a<b>b</b>c<p>d<i>e</i>f</p>g</div>h<p>i</p>j</body>")
    before = [element.tag for element in tree.iter()]
    assert cut_after(tree, count) == (len(before) > count)
    assert [element.tag for element in tree.iter()] == before[:count]
    assert "abcdefghij".startswith(tree.text_content())


def test_a_page_of_very_many_elements_is_cut_and_says_so():
    short = main_text(page(paragraphs(FIRST, SECOND, THIRD)))
    assert not short.is_cut
    long = main_text(page(paragraphs(*(f"{FIRST} {number}" for number in range(MAX_ELEMENTS)))), "", 1_000)
    assert long.is_cut
    assert f"{FIRST} 900" in long.text
    assert f"{FIRST} 1000" not in long.text


PARAGRAPHS = [
    f"Paragraph {number} describes how the harbour was rebuilt after the storm of that year, who paid for it, "
    "and what the people of the town thought of the long work on its walls."
    for number in range(8)
]


def test_an_article_in_an_element_for_what_stands_beside_the_text_is_read():
    body = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    page = f"<html><body><h1>Harbour</h1><aside><div>{body}</div></aside><p>Imprint</p></body></html>"
    text = main_text(page).text
    assert PARAGRAPHS[0] in text
    assert PARAGRAPHS[-1] in text


def test_what_stands_beside_a_longer_text_is_left_out():
    body = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    beside = (
        "<aside><p>Subscribe to the letter of the harbour and get all news of the town each week.</p></aside>"
    )
    text = main_text(f"<html><body>{beside}<article>{body}</article></body></html>").text
    assert "Subscribe" not in text
    assert PARAGRAPHS[3] in text


def test_where_the_rules_find_next_to_nothing_other_extractors_are_asked():
    body = "".join(f"<h2>Part {part}</h2><p>{PARAGRAPHS[0]}</p><hr>" for part in range(6))
    text = main_text(f"<html><body><h1>Samples</h1>{body}</body></html>").text
    assert text.count(PARAGRAPHS[0]) > 3
