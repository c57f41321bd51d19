"""HTML files, the clipboard's rich text, lists of sources, and names of files."""

import base64
import re
from dataclasses import replace
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html

from desktop.render import RenderTarget, render_message
from desktop.render.export import (
    Format,
    ListFormat,
    answer_clip,
    export_conversation,
    file_name,
    format_source_list,
    list_used_sources,
    only,
)
from desktop.render.export.formats import MAX_BYTES
from desktop.render.export.html import web_page_of
from desktop.render.labels import EN, ZH_CN
from tests.cases import cases
from tests.unit.render.export.samples import (
    LONG,
    LONG_MARKS,
    SOURCES,
    STOPPED,
    answer,
    conversation,
    question,
)
from tests.unit.render.export.test_markdown import TEXTS, marks_of

ENTRY = re.compile(r"@misc\{([a-z0-9-]+),\n((?:  [a-z]+ = \{.*\},\n)+)\}")


def page(*messages, labels=EN, **fields):
    return lxml_html.document_fromstring(web_page_of(conversation(*messages, **fields), labels))


def anchors(document):
    """Return every place that a link of the document leads to, and every place that there is."""
    wanted = {unquote(href[1:]) for href in document.xpath("//a/@href") if href.startswith("#")}
    return wanted, document.xpath("//@id")


# HTML


def test_marks_lead_to_sources_and_sources_back():
    document = page(question("Why?"), answer(LONG), answer(LONG), labels=ZH_CN)
    marks = document.xpath("//a[@class='citation']")
    assert [mark.text for mark in marks] == [f"[{number}]" for number in LONG_MARKS * 2]
    wanted, there = anchors(document)
    assert wanted <= set(there)
    assert len(there) == len(set(there))
    backs = document.xpath("//li[@id='source-2']//span[@class='back']/a/@href")
    assert backs == [f"#mark-2-{count}" for count in range(1, 2 * LONG_MARKS.count(2) + 1)]


def test_the_file_needs_nothing_and_runs_nothing():
    document = page(question("<script>alert(1)</script>"), answer(LONG), title="<img src=x onerror=alert(1)>")
    assert not document.xpath("//script | //link | //img | //iframe | //object | //@onerror | //@style")
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert {href for href in document.xpath("//a/@href") if not href.startswith(("#", "https://"))} == set()
    (style,) = document.xpath("//style/text()")
    assert "url(" not in style.replace('url("data:font/woff2;base64,', "")
    assert "@import" not in style


def test_formulas_bring_their_font_and_only_they():
    assert "data:" not in web_page_of(conversation(question("?"), answer("x")), EN)
    with_formula = web_page_of(conversation(question("?"), answer("So $x^2$.")), EN)
    assert "; font-src data:; base-uri" in with_formula
    assert "data:font/woff2;base64,d09GMk" in with_formula
    assert len(with_formula) < 300_000


SHAPE = '<svg xmlns="http://www.w3.org/2000/svg" onload="hit()"><title>A &amp; B</title><script>hit()</script></svg>'


@cases(
    "code, is_drawn",
    [
        (SHAPE, True),
        (SHAPE.replace("</svg>", ""), False),
        (SHAPE.replace(' xmlns="http://www.w3.org/2000/svg"', ""), True),
        ('<p xmlns="http://www.w3.org/1999/xhtml">x</p>', False),
    ],
)
def test_an_svg_that_is_valid_becomes_an_image_and_stays_code_otherwise(code, is_drawn):
    document = page(question("?"), answer(f"```svg\n{code}\n```\n"))
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert ("img-src data:" in policy) is is_drawn
    assert [pre.text_content().strip() for pre in document.xpath("//pre")] == ([] if is_drawn else [code])
    assert document.xpath("//img/@alt") == (["A & B"] if is_drawn else [])
    assert document.xpath("//script") == []


def test_the_namespace_of_an_image_is_not_written_into_a_comment_before_it():
    document = page(
        answer('```svg\n<?xml version="1.0"?>\n<!-- an <svg> -->\n<svg><circle r="9"/></svg>\n```\n')
    )
    (address,) = document.xpath("//img/@src")
    image = etree.fromstring(base64.b64decode(address.partition(",")[2]))
    assert [each.tag for each in image.iter("*")] == [
        f"{{http://www.w3.org/2000/svg}}{name}" for name in ("svg", "circle")
    ]


def test_lists_keep_cited_and_read_apart():
    document = page(answer("[2] [9]", offered=(1, 2, 3)))
    names = document.xpath("//section[@class='list']/h2/text()")
    numbers = [
        section.xpath(".//span[@class='number']/text()")
        for section in document.xpath("//section[@class='list']")
    ]
    assert (names, numbers) == (["Sources", "Also read"], [["[2]"], ["[1]", "[3]"]])
    assert "[9]" in document.text_content()
    assert "/home/me" not in lxml_html.tostring(document, encoding="unicode")


def test_an_unfinished_answer_says_so_in_the_language_of_the_labels():
    assert "你停止了这个回答。" in page(answer("x", status=STOPPED), labels=ZH_CN).text_content()


def test_code_is_untouched_even_where_it_looks_like_our_own_html():
    code = '<li id="footnote-1"> <a href="#footnote-1"> class="k" <a class="citation" data-source="1" href="#source-1">1</a>'
    document = page(answer(f"```\n{code}\n```\n\n[1]"))
    assert document.xpath("//pre/code")[0].text_content() == f"{code}\n"
    clip = answer_clip(conversation(answer(f"```\n{code}\n```\n\n[1]")), EN)
    assert (
        lxml_html.fromstring(f"<div>{clip.html}</div>").xpath("//pre/code")[0].text_content() == f"{code}\n"
    )


@given(TEXTS)
def test_html_and_clipboard_show_the_marks_that_the_page_shows(text):
    expected = marks_of(render_message(text, SOURCES, RenderTarget.PAGE).html)
    document = page(answer(text))
    assert [int(mark.text.strip("[]")) for mark in document.xpath("//a[@class='citation']")] == expected
    wanted, there = anchors(document)
    assert {name for name in wanted if not name.startswith("footnote-")} <= set(there)
    clip = answer_clip(conversation(answer(text)), EN)
    shown = lxml_html.fromstring(f"<div>{clip.html}</div>")
    listed_numbers = [int(number) for number in re.findall(r"<p>\[(\d+)\] ", clip.html)][
        -len(set(expected)) or 99 :
    ]
    assert sorted(set(expected)) == listed_numbers
    assert not shown.xpath("//@class | //@id | //@role | //@onclick")


# Sources


def test_sources_as_plain_text_and_markdown():
    plain = format_source_list(SOURCES[:3], ListFormat.PLAIN, ZH_CN).splitlines()
    assert plain[0].startswith("[1] Tides <explained> · example.org · 2024-05-06 发布 · ")
    assert plain[0].endswith(" https://www.example.org/a(1)?q=1&copy;=2")
    assert plain[1].startswith("[2] Miet*vertrag* · Vertrag 2.pdf · 第 7 页 · § 3 · ")
    assert plain[2] == "[3] 你说过 “Lives in Köln” · 记忆 · 2026-01-01 起记住"
    markdown = format_source_list(SOURCES, ListFormat.MARKDOWN, EN)
    shown = lxml_html.fromstring(render_message(markdown, SOURCES, RenderTarget.PAGE).html)
    assert [item.text_content().strip()[:3] for item in shown.iter("li")] == [
        "[1]",
        "[2]",
        "[3]",
        "[4]",
        "[5]",
    ]
    assert not shown.xpath("//a[@class='citation']")


def test_bibtex_is_well_formed_and_keys_are_unlike():
    made = format_source_list(SOURCES, ListFormat.BIBTEX, EN)
    entries = ENTRY.findall(made)
    assert len(entries) == len(SOURCES)
    assert [key for key, _ in entries] == ["example-org-1", "vertrag-2-pdf-2", "memory-3", "jp-4", "web-5"]
    first, second, *_, last = (dict(re.findall(r"  ([a-z]+) = \{(.*)\},\n", fields)) for _, fields in entries)
    assert first["title"] == "{Tides <explained>}"
    assert first["url"] == "https://www.example.org/a(1)?q=1&copy;=2"
    assert (first["year"], first["date"]) == ("2024", "2024-05-06")
    assert first["howpublished"] == "example.org"
    assert not any("example.org" in first.get(field, "") for field in ("note", "title"))
    assert "url" not in second
    assert "page 7" in second["note"]
    assert last["title"] == r"{Never read by \{anyone\} \& 100\% \textbackslash{} ok}"
    assert "javascript" not in made


@given(st.text(max_size=40))
def test_braces_of_bibtex_are_balanced(text):
    source = replace(SOURCES[0], title=text, url=f"https://e.org/{text}")
    made = re.sub(r"\\[{}]", "", format_source_list([source], ListFormat.BIBTEX, EN))
    assert made.count("{") == made.count("}")
    assert ENTRY.fullmatch(format_source_list([source], ListFormat.BIBTEX, EN))


def test_sources_of_an_answer_are_those_it_cites_or_was_given():
    shown = conversation(question("[5]"), answer("[4] [9]", offered=(2,)))
    assert [source.number for source in list_used_sources(shown)] == [2, 4]
    assert [message.id for message in only(shown, "a1").messages] == ["a1"]
    assert export_conversation(shown, Format.BIBTEX, EN).decode().count("@misc") == 2


# Names


@cases(
    "title, name",
    [
        ("潮汐：how/why? <1>", "潮汐：how why 1.md"),
        ("../../etc/passwd", "etc passwd.md"),
        ("con", "con_.md"),
        ("COM1.txt", "COM1.txt_.md"),
        (" .hidden. ", "hidden.md"),
        ("\u202egpj.exe\x00\n", "gpj.exe.md"),
        ("???", "Conversation.md"),
        ("", "Conversation.md"),
    ],
)
def test_a_title_becomes_a_name(title, name):
    assert file_name(title, "md", "Conversation") == name


@given(st.text(max_size=300))
def test_any_title_becomes_a_name_that_every_system_takes(title):
    name = file_name(title, "docx", "Conversation")
    assert name.endswith(".docx")
    assert len(name.encode()) <= MAX_BYTES + 6
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', name)
    assert not name.startswith((" ", "."))


def test_a_long_name_is_cut_between_words_and_never_within_a_character():
    assert file_name("word " * 100, "md", "x") == "word " * 29 + "word.md"
    assert set(file_name("潮" * 100, "md", "x").removesuffix(".md")) == {"潮"}


def test_a_printed_page_has_a_note_for_each_source_that_quotes_and_leads_back():
    passage = "The Moon pulls the sea. Tides follow the Moon twice a day. Newton explained tides in 1687."
    sources = (replace(SOURCES[0], text=passage), *SOURCES[1:])
    text = "Newton explained tides in 1687 [1]. Tides follow the Moon [1]. Newton explained tides [1]."
    page = export_conversation(conversation(answer(text), sources=sources), Format.PDF, EN).decode()
    rows = re.findall(r"<li><span class=\"back\">(.*?)</span> <q[^>]*>(.*?)</q></li>", page)
    assert [(re.findall(r"#mark-1-\d", links), words) for links, words in rows] == [
        (["#mark-1-1", "#mark-1-3"], "Newton explained tides in 1687."),
        (["#mark-1-2"], "Tides follow the Moon twice a day."),
    ]
    for place in ("mark-1-1", "mark-1-2", "mark-1-3", "source-1"):
        assert page.count(f'id="{place}"') == 1
