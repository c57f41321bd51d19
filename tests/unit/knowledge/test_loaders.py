"""Every kind of file: its text, pages, headings, or the error that says why not."""

import json
import os
import random
import sys
import zipfile
from email.message import EmailMessage

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.errors import CorruptFile, FileUnreadable, NothingToRead, ReadingFailed, UnsupportedFile
from desktop.knowledge.loaders import document as document_room
from desktop.knowledge.loaders import pdf as pdf_room
from desktop.knowledge.loaders import registry
from desktop.knowledge.loaders.document import Desk, Part, document_of
from desktop.knowledge.loaders.markdown import markdown_document
from desktop.knowledge.loaders.reflow import reflow
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.loaders.table import cell_text, table_parts
from desktop.knowledge.reading import reading_of
from tests.unit.knowledge.knowledge_files import make_pdf, make_text, make_workbook
from tests.unit.knowledge.old_word import IN_TABLE, ROW_END, Paragraph, make_doc, make_ole


def test_pdf_pages_titles_bookmarks_and_progress(tmp_path):
    path = make_pdf(
        tmp_path / "a.pdf",
        [["First page."], ["第二页的内容。"], ["Third page."]],
        title="标题 Title",
        bookmarks=[("One", 1, 0), ("Sub", 2, 1)],
    )
    heard = []
    document = load(path, Desk(lambda done, total: heard.append((done, total))))
    assert (document.title, document.pages) == ("标题 Title", 3)
    assert [(part.page, part.section, part.text) for part in document.parts] == [
        (1, "One", "First page."),
        (2, "One › Sub", "第二页的内容。"),
        (3, "One › Sub", "Third page."),
    ]
    assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("lines", "text"),
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "big5", "utf-16"])
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


@pytest.mark.parametrize(
    ("name", "source", "sections"),
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


def test_docx_keeps_headings_tables_and_every_character(tmp_path):
    word = docx.Document()
    word.add_paragraph("卷首")
    word.add_heading("第一章 R&D", level=1)
    word.add_paragraph("正文 <a> *b* AT&T")
    word.add_heading("Details", level=2)
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells), ["城市", "People", "北京", "a|b"], strict=True
    ):
        cell.text = text
    path = tmp_path / "a.docx"
    word.save(path)
    document = load(path)
    assert [(part.section, part.text) for part in document.parts] == [
        ("", "卷首"),
        ("第一章 R&D", "第一章 R&D\n\n正文 <a> *b* AT&T"),
        ("第一章 R&D › Details", "Details\n\n| 城市 | People |\n| --- | --- |\n| 北京 | a\\|b |"),
    ]


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NESTED_MAIL = 'Content-Type: multipart/mixed; boundary="b{0}"\n\n--b{0}\n'
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


def make_word(path, body, namespace=WORD, main="word/document.xml"):
    """Write a docx that is little more than the XML of its body."""
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "_rels/.rels",
            "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
            f"<Relationship Id='r1' Type='{relation}' Target='{main}'/></Relationships>",
        )
        archive.writestr(main, f"<w:document xmlns:w='{namespace}'><w:body>{body}</w:body></w:document>")
    return path


def words(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_docx_text_in_boxes_and_controls_and_cells_over_several_columns_are_read(tmp_path):
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>"
    wide = cell.format("<w:gridSpan w:val='2'/>", words("Wide"))
    tall = cell.format("<w:vMerge w:val='restart'/>", words("Tall"))
    below = cell.format("<w:vMerge/>", words(""))
    table = (
        f"<w:tbl><w:tr>{wide}</w:tr><w:tr>{tall}{cell.format('', words('b') + words('c'))}</w:tr>"
        f"<w:tr>{below}{cell.format('', words('d'))}</w:tr>"
        f"<w:tr><w:trPr><w:gridBefore w:val='1'/></w:trPr>{cell.format('', words('e'))}</w:tr></w:tbl>"
    )
    box = f"<w:p><w:r><w:t>Around </w:t></w:r><w:txbxContent>{words('a box')}</w:txbxContent></w:p>"
    control = f"<w:sdt><w:sdtContent>{words('In a control')}{table}</w:sdtContent></w:sdt>"
    for place in [{}, {"main": "word/document2.xml"}, {"namespace": STRICT}]:
        text = load(make_word(tmp_path / "a.docx", box + "<w:p/>" + control, **place)).text
        assert text.split("\n") == [
            "Around a box",
            "",
            "",
            "In a control",
            "",
            "| Wide | Wide |",
            "| --- | --- |",
            "| Tall | b c |",
            "| Tall | d |",
            "|  | e |",
        ]


def test_docx_bombs_are_read_as_far_as_they_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr(document_room, "MAX_TEXT_BYTES", 300_000)
    nested = "<w:tbl><w:tr><w:tc>" * 400 + words("deep") + "<w:p/></w:tc></w:tr></w:tbl>" * 400
    assert load(make_word(tmp_path / "deep.docx", nested)).text.startswith("| deep |")
    for body in [words("All in one paragraph. " * 40_000), words("One of many paragraphs.") * 40_000]:
        cut = load(make_word(tmp_path / "long.docx", body))
        assert (cut.is_cut, 290_000 < len(cut.text) < 301_000) == (True, True)


def test_old_word_files_keep_headings_tables_and_chinese(tmp_path):
    path = make_doc(
        tmp_path / "a.doc",
        [
            Paragraph("卷首\r"),
            Paragraph("一、概述\r", style=1),
            Paragraph('见\x13 HYPERLINK "http://a.example" \x14此处\x15。\r'),
            Paragraph("目的\r", style=2),
            Paragraph("城市\x07", sprm=IN_TABLE),
            Paragraph("People\x07", sprm=IN_TABLE),
            Paragraph("\x07", sprm=ROW_END),
            Paragraph("北京\r", sprm=IN_TABLE),
            Paragraph("Beijing\x07", sprm=IN_TABLE),
            Paragraph("21 893\x07", sprm=IN_TABLE),
            Paragraph("\x07", sprm=ROW_END),
            Paragraph("尾\r"),
        ],
    )
    assert [(part.section, part.text) for part in load(path).parts] == [
        ("", "卷首"),
        ("一、概述", "一、概述\n\n见此处。"),
        (
            "一、概述 › 目的",
            "目的\n\n| 城市 | People |\n| --- | --- |\n| 北京 Beijing | 21 893 |\n\n尾",
        ),
    ]


def test_rows_of_old_tables_are_found_without_their_properties(tmp_path):
    cells = ["a\x07", "b\x07", "\x07", "c\x07", "d\x07", "\x07"]
    text = load(make_doc(tmp_path / "a.doc", [Paragraph(cell) for cell in cells])).text
    assert text == "| a | b |\n| --- | --- |\n| c | d |"


def test_old_word_files_that_are_locked_or_something_else(tmp_path):
    with pytest.raises(CorruptFile, match="password"):
        load(make_doc(tmp_path / "a.doc", [Paragraph("x\r")], flags=0x0100))
    with pytest.raises(CorruptFile, match="readable doc"):
        load(make_ole(tmp_path / "b.doc", {"Other": b"stream"}))
    page = "<html><body><p>Saved as a page by Word, with a sentence or two in it.</p></body></html>"
    assert "Saved as a page" in load(make_text(tmp_path / "c.doc", page)).text


@settings(deadline=None)
@given(st.integers(0, 4_000), st.binary(min_size=1, max_size=40))
def test_damaged_old_word_files_give_text_or_a_known_error(tmp_path_factory, place, garbage):
    path = make_doc(tmp_path_factory.mktemp("doc") / "a.doc", [Paragraph("words\r"), Paragraph("more\r")])
    content = bytearray(path.read_bytes())
    content[512 + place : 512 + place + len(garbage)] = garbage
    path.write_bytes(content)
    try:
        load(path)
    except (CorruptFile, NothingToRead):
        return


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


def test_what_cannot_be_read_says_why(tmp_path, monkeypatch):
    binary = tmp_path / "a.bin"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(UnsupportedFile, match=r"\.bin"):
        load(binary)
    with pytest.raises(UnsupportedFile, match=r"\.heic: save it as JPEG"):
        load(make_text(tmp_path / "a.HEIC", "\x00\x00\x00\x18ftypheic"))
    with pytest.raises(ReadingFailed, match="nested"):
        load(make_text(tmp_path / "a.eml", "".join(map(NESTED_MAIL.format, range(1_000))) + "\n\nhello\n"))
    with pytest.raises(UnsupportedFile, match="regular"):
        load(tmp_path)
    with pytest.raises(FileUnreadable, match="no such file"):
        load(tmp_path / "gone.txt")
    with pytest.raises(NothingToRead, match="empty"):
        load(make_text(tmp_path / "empty.md", ""))
    with pytest.raises(CorruptFile, match="docx"):
        load(make_text(tmp_path / "a.docx", "not a zip archive"))
    monkeypatch.setattr(registry, "MAX_FILE_BYTES", 10)
    with pytest.raises(ReadingFailed, match="larger"):
        load(make_text(tmp_path / "big.txt", "x" * 11))


def test_data_under_the_name_of_a_text_is_refused(tmp_path):
    for name in ("a.md", "a.txt", "a.csv", "a.json", "a.py"):
        path = tmp_path / name
        path.write_bytes(random.Random(7).randbytes(5_000))
        with pytest.raises(UnsupportedFile, match="no text but data"):
            load(path)


def test_an_archive_that_unpacks_to_too_much_is_refused_unopened(tmp_path, monkeypatch):
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(2_000_000))
    monkeypatch.setattr(registry, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(ReadingFailed, match="once unpacked"):
        load(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among files")
def test_what_is_no_plain_file_or_too_large_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(UnsupportedFile, match="regular"):
        load(tmp_path / "pipe.txt")
    with (tmp_path / "sparse.txt").open("wb") as file:
        file.truncate(2 * 1024**3)
    with pytest.raises(ReadingFailed, match="larger"):
        load(tmp_path / "sparse.txt")


def test_names_in_any_script_are_read(tmp_path):
    for name in ("报告 – 최종.txt", "ملف.txt", "नमस्ते.txt", "🙂 .txt"):
        assert load(make_text(tmp_path / name, "words")).text == "words"


@given(
    st.binary(max_size=300),
    st.sampled_from(
        [
            ".pdf",
            ".docx",
            ".xlsx",
            ".xls",
            ".csv",
            ".html",
            ".eml",
            ".msg",
            ".epub",
            ".rtf",
            ".mhtml",
            ".doc",
            ".ppt",
            ".json",
            ".xml",
            ".py",
            ".ods",
        ]
    ),
)
def test_rubbish_gives_text_or_a_known_error(tmp_path_factory, content, suffix):
    path = tmp_path_factory.mktemp("rubbish") / f"a{suffix}"
    path.write_bytes(content)
    try:
        assert load(path).text
    except (CorruptFile, NothingToRead, UnsupportedFile):
        return


def test_text_that_databases_refuse_is_cleaned():
    assert document_of("a\x00b", [Part("x\ud800y\r\nz\ufeff"), Part(" \x00 ")]).text == "xy\nz"


def test_of_a_text_without_end_only_the_beginning_is_read_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(document_room, "MAX_TEXT_BYTES", 3_000)
    for name, text in [
        ("a.txt", "啊" * 2_000),
        ("one_line.csv", ",".join(f"value{number}" for number in range(2_000))),
        ("rows.csv", "name,number\n" + "a,1\n" * 2_000),
        ("lines.jsonl", '{"a": "b"}\n' * 1_000),
        ("array.json", "[" + '"word", ' * 1_000 + '"end"]'),
        ("a.md", "# Heading\n\nSome words.\n\n" * 500),
        ("a.py", "def f():\n    return 1\n\n" * 500),
        ("a.xml", "<r>" + "<item><title>T</title>words</item>" * 500 + "</r>"),
    ]:
        cut = load(make_text(tmp_path / name, text))
        assert cut.is_cut, name
        assert 1_000 < len(cut.text.encode()) < 4_000, name
        assert not load(make_text(tmp_path / f"short{name}", text[:20].rstrip("#<"))).is_cut, name


def test_a_pdf_that_names_one_page_for_ever_ends(tmp_path, monkeypatch):
    path = make_pdf(tmp_path / "a.pdf", [[f"Words of page {number}."] for number in range(8)])
    monkeypatch.setattr(pdf_room, "MAX_TEXT_BYTES", 40)
    by_text = load(path)
    assert (by_text.is_cut, by_text.pages, by_text.parts[-1].page) == (True, 8, 3)
    monkeypatch.setattr(pdf_room, "_MAX_PAGES", 2)
    assert (load(path).is_cut, len(load(path).parts)) == (True, 2)


def test_a_file_that_takes_too_long_is_left_where_it_is(tmp_path):
    def late_after(parts):
        looks = iter(range(100))
        return lambda: next(looks) >= parts

    pdf = make_pdf(tmp_path / "a.pdf", [[f"Words of page {number}."] for number in range(8)])
    cut = load(pdf, Desk(is_late=late_after(3)))
    assert (cut.is_cut, cut.pages, len(cut.parts)) == (True, 8, 3)
    sheet = make_workbook(tmp_path / "a.xlsx", "S", [[f"word {number} " * 100] for number in range(8)])
    cut = load(sheet, Desk(is_late=late_after(1)))
    assert (cut.is_cut, len(cut.parts)) == (True, 2)
    whole = document_of("", [Part(f"Part {number}.") for number in range(4)])
    late = late_after(2)
    reading = reading_of(whole, "a", goes_on=lambda: not late())
    assert (reading.is_cut, reading.text, len(reading.entries)) == (True, "Part 0.\n\nPart 1.", 2)
    assert reading_of(whole, "a", goes_on=lambda: False).text == "Part 0."


def test_a_sheet_with_a_stray_cell_is_refused_before_it_takes_all_memory(tmp_path):
    path = make_workbook(tmp_path / "a.xlsx", "S", [["near"]])
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet] = members[sheet].replace(
        b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ReadingFailed, match="too far apart"):
        load(path)
