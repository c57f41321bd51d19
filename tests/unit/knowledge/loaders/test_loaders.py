"""Every kind of file: its text, pages, headings, or the error that says why not."""

import json
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders.csv import cell_text, table_parts
from desktop.knowledge.loaders.document import LoaderContext, reflow
from desktop.knowledge.loaders.markdown import markdown_document
from desktop.knowledge.loaders.registry import load
from tests.cases import cases
from tests.unit.knowledge.knowledge_files import make_pdf, make_text, make_workbook


def test_pdf_pages_titles_bookmarks_and_progress(tmp_path):
    path = make_pdf(
        tmp_path / "a.pdf",
        [["First page."], ["第二页的内容。"], ["Third page."]],
        title="标题 Title",
        bookmarks=[("One", 1, 0), ("Sub", 2, 1)],
    )
    heard = []
    document = load(path, LoaderContext(lambda done, total: heard.append((done, total))))
    assert (document.title, document.pages) == ("标题 Title", 3)
    assert [(part.page, part.section, part.text) for part in document.parts] == [
        (1, "One", "First page."),
        (2, "One › Sub", "第二页的内容。"),
        (3, "One › Sub", "Third page."),
    ]
    assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]


@cases(
    "lines, text",
    [
        (
            "The quick brown fox jumps over the\nlazy dog and goes home.",
            "The quick brown fox jumps over the lazy dog and goes home.",
        ),
        ("It was an extraordi-\nnary day in the end.", "It was an extraordinary day in the end."),
        (
            "都江堰是战国时期秦国蜀郡太守李冰父子\n主持修建的水利工程。",
            "都江堰是战国时期秦国蜀郡太守李冰父子主持修建的水利工程。",
        ),
        (
            "A heading\nThe text below it is a good deal longer.",
            "A heading\nThe text below it is a good deal longer.",
        ),
        (
            "Things to bring along on the trip\n- a rope\n- a lamp",
            "Things to bring along on the trip\n- a rope\n- a lamp",
        ),
    ],
)
def test_lines_broken_by_the_margin_are_joined(lines, text):
    assert reflow(lines) == text


@given(st.text(alphabet=st.sampled_from("aB-。好 \n1.•"), max_size=200))
def test_reflow_loses_no_letter(text):
    assert [c for c in reflow(text) if c.isalnum()] == [c for c in text if c.isalnum()]


def test_pdf_that_needs_a_password_is_told_from_a_broken_one(tmp_path):
    with pytest.raises(CorruptFile, match="password"):
        load(make_pdf(tmp_path / "a.pdf", [["x"]], password="p"))
    with pytest.raises(CorruptFile, match="not a readable PDF"):
        load(make_text(tmp_path / "b.pdf", "%PDF-1.7 rubbish"))
    with pytest.raises(NothingToRead, match="text layer"):
        load(make_pdf(tmp_path / "c.pdf", [[]]))


def test_markdown_headings_make_sections():
    document = markdown_document(
        "---\ntitle: 'The *Guide*'\n---\nintro\n\n# One\n\ntext\n\n```\n# no heading\n```\n\nTwo\n---\n\nmore\n\n"
        "> # quoted\n\n# 三 [link](http://a.example) `code`\n\n尾\n"
    )
    assert document.title == "The *Guide*"
    assert [part.section for part in document.parts] == ["", "One", "One › Two", "三 link code"]
    assert "# no heading" in document.parts[1].text
    assert document.parts[3].text.endswith("尾")


@given(st.text(alphabet=st.sampled_from("# abc\n`->=*字"), max_size=200))
def test_markdown_parts_hold_all_of_the_text(text):
    parts = markdown_document(f"x\n{text}").parts
    assert "".join("".join(part.text.split()) for part in parts) == "".join(f"x{text}".split())


@cases("encoding", ["utf-8", "utf-8-sig", "gb18030", "big5", "utf-16"])
def test_text_in_any_encoding(tmp_path, encoding):
    text = "春眠不覺曉，處處聞啼鳥。夜來風雨聲，花落知多少。\n" * 4
    assert load(make_text(tmp_path / "a.txt", text, encoding)).text == text.strip()


def test_tables_become_rows(tmp_path):
    path = make_text(tmp_path / "a.csv", '城市;人口\n"北京";"21 893 095"\n上海;24 870 895\n', "gb18030")
    assert load(path).text.splitlines() == [
        "| 城市 | 人口 |",
        "| --- | --- |",
        "| 北京 | 21 893 095 |",
        "| 上海 | 24 870 895 |",
    ]


def test_long_tables_are_cut_under_their_head_and_name_their_cells(tmp_path):
    rows = "".join(f"row {number},{number}\n" for number in range(2, 302))
    first, *_, last = load(make_text(tmp_path / "a.csv", f"name,value\n{rows}")).parts
    assert first.section.startswith("A1:B")
    assert last.section.endswith(":B301")
    assert all(part.text.startswith("| name | value |\n| --- | --- |\n") for part in (first, last))
    assert last.text.endswith("| row 301 | 301 |")


def test_a_first_row_of_values_is_not_repeated_as_a_head(tmp_path):
    rows = "".join(f"清华大学,{number}\n" for number in range(300))
    parts = load(make_text(tmp_path / "a.csv", rows)).parts
    assert len(parts) > 1
    assert all(part.text.startswith("|  |  |\n| --- | --- |\n| 清华大学 |") for part in parts)
    assert "| 清华大学 | 0 |" not in parts[1].text


@given(st.lists(st.lists(st.text("ab字|\n ", max_size=6), max_size=4), max_size=12))
def test_no_cell_is_lost(rows):
    parts = list(table_parts([[cell_text(cell) for cell in row] for row in rows]))
    text = "".join(part.text.replace("\\|", "|") for part in parts)
    assert all(" ".join(cell.split()) in text for row in rows for cell in row)


def test_workbooks_name_sheet_and_cells(tmp_path):
    path = tmp_path / "a.xlsx"
    make_workbook(path, "销售 2024", [["城市", "People"], ["北京", 21.5], ["Oslo", 709000]])
    (part,) = load(path).parts
    assert part.section == "销售 2024 › A1:B3"
    assert part.text.splitlines()[2:] == ["| 北京 | 21.5 |", "| Oslo | 709000 |"]


def test_data_keeps_the_path_of_its_keys(tmp_path):
    path = make_text(
        tmp_path / "a.json", '{"server": {"port": 80, "names": ["a", "乙"], "tls": {"on": true}}}'
    )
    (part,) = load(path).parts
    assert part.section == "server"
    assert part.text.splitlines() == ["server.port: 80", "server.names: a, 乙", "server.tls.on: true"]
    lines = make_text(tmp_path / "a.jsonl", '{"name": "一"}\n{"name": "two"}\n')
    assert load(lines).text.splitlines() == ["0.name: 一", "1.name: two"]
    assert load(make_text(tmp_path / "b.json", "{broken")).text == "{broken"
    nested = make_text(tmp_path / "c.json", "[" * 50_000 + "]" * 50_000)
    assert load(nested).text.startswith("[[")


def test_notebooks_show_text_code_and_output(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# One"]},
        {"cell_type": "code", "source": "print(6 * 7)", "outputs": [{"text": ["42\n"]}]},
    ]
    (part,) = load(make_text(tmp_path / "a.ipynb", json.dumps({"cells": cells}))).parts
    assert (part.section, "print(6 * 7)" in part.text, "42" in part.text) == ("One", True, True)


@cases(
    "name, source, sections",
    [
        (
            "a.py",
            "import os\n\n# Adds.\ndef add(a):\n    return a\n\nclass Sum:\n    pass\n",
            ["", "add", "Sum"],
        ),
        ("a.ts", "export const add = (a) => a\n\nexport class Sum {\n}\n", ["add", "Sum"]),
        ("a.go", "package x\n\nfunc (s *Sum) Add(a int) int {\n}\n", ["", "Add"]),
        ("a.c", "#include <a.h>\n\nstatic int add(int a)\n{\n  return a;\n}\n", ["", "add"]),
        ("a.sql", "CREATE TABLE users (\n  id int\n);\n", ["users"]),
        ("a.toml", "x = 1\n[tool.ruff]\ny = 2\n", ["", "tool.ruff"]),
    ],
)
def test_source_code_is_cut_by_what_it_defines(tmp_path, name, source, sections):
    parts = load(make_text(tmp_path / name, source)).parts
    assert [part.section for part in parts] == sections
    assert "".join("".join(part.text.split()) for part in parts) == "".join(source.split())


def test_feeds_are_entries_and_entities_stay_unresolved(tmp_path):
    feed = make_text(
        tmp_path / "a.xml",
        '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY file SYSTEM "file:///etc/hostname">]><rss><channel><title>消息</title>'
        "<item><title>One</title><description>&lt;p&gt;First &lt;b&gt;news&lt;/b&gt;&lt;/p&gt;&file;</description></item>"
        "</channel></rss>",
    )
    document = load(feed)
    assert document.title == "消息"
    assert [part.section for part in document.parts] == ["", "One"]
    assert "First" in document.text
    assert "<" not in document.text


def test_html_gives_its_main_text(tmp_path):
    article = "The lighthouse was built in 1859 and has guided ships along this coast ever since. " * 6
    path = make_text(
        tmp_path / "a.html",
        f"<html><head><title>Lighthouse</title></head><body><nav>Home About</nav><article><h1>Lighthouse</h1>"
        f"<p>{article}</p></article><script>evil()</script></body></html>",
    )
    document = load(path)
    assert document.title == "Lighthouse"
    assert "built in 1859" in document.text
    assert "evil" not in document.text


def test_mail_gives_its_head_and_body(tmp_path):
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "会议纪要 minutes", "li@example.com"
    mail.set_content("We met on Tuesday.\n星期二开会。\n")
    path = tmp_path / "a.eml"
    path.write_bytes(bytes(mail))
    document = load(path)
    assert document.parts[0].text.splitlines() == ["From: li@example.com", "Subject: 会议纪要 minutes"]
    assert document.title == "会议纪要 minutes"
    assert "li@example.com" in document.text
    assert "星期二开会。" in document.text


def test_mail_names_what_was_attached_and_prefers_words_without_markup(tmp_path):
    mail = EmailMessage()
    mail["To"], mail["Date"] = "李 <li@example.com>", "Tue, 01 Oct 2024 12:34:56 -0500"
    mail.set_content("plain words")
    mail.add_alternative("<p>marked words</p>", subtype="html")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="报告.pdf")
    path = tmp_path / "a.eml"
    path.write_bytes(bytes(mail))
    head, body = load(path).parts
    assert "Attachments: 报告.pdf" in head.text
    assert body.text == "plain words"


def test_pages_stand_under_their_headings(tmp_path):
    prose = "The lighthouse was built in 1859 and has guided ships along this coast ever since. " * 4
    html = f"<article><h1>Lights</h1><p>{prose}</p><h2>历史</h2><p>{prose}</p></article>"
    sections = [part.section for part in load(make_text(tmp_path / "a.html", html)).parts]
    assert sections[-1].endswith("历史")


def test_content_decides_where_the_suffix_says_nothing(tmp_path):
    pdf = make_pdf(tmp_path / "a.pdf", [["Hidden in plain sight."]])
    assert load(pdf.rename(tmp_path / "download")).text == "Hidden in plain sight."
    assert load(make_text(tmp_path / "main.rs", "fn main() {}")).text == "fn main() {}"
