"""Documents and slides of Office, new and old."""

import random
import struct
import zipfile

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders import document as document_room
from desktop.knowledge.loaders import kreuzberg
from desktop.knowledge.loaders.registry import load
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.old_word import IN_TABLE, ROW_END, Paragraph, make_doc, make_ole


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


def record(kind, body, *, holds=False):
    """Return a record of a PowerPoint file ([MS-PPT] 2.3.1)."""
    return struct.pack("<HHI", 0xF if holds else 0, kind, len(body)) + body


def test_old_slides_are_read_and_those_that_cannot_be_say_what_to_do(tmp_path):
    texts = record(0x03F3, bytes(20)) + record(0x0FA0, "灯塔 on a cliff".encode("utf-16-le"))
    document = record(0x03E8, record(0x0FF0, texts, holds=True), holds=True)
    user = struct.pack("<III", 20, 0xE391C05F, 0)
    slides = make_ole(tmp_path / "a.ppt", {"Current User": user, "PowerPoint Document": document})
    assert "灯塔 on a cliff" in load(slides).text
    with pytest.raises(CorruptFile, match="save it as pptx"):
        load(make_ole(tmp_path / "b.ppt", {"Something Else": b"words"}))


@settings(deadline=None)
@given(st.integers(0, 4_000), st.binary(min_size=1, max_size=40))
def test_damaged_old_word_files_give_text_or_a_known_error(tmp_path_factory, place, garbage):
    path = make_doc(tmp_path_factory.mktemp("doc") / "a.doc", [Paragraph("words\r"), Paragraph("more\r")])
    content = bytearray(path.read_bytes())
    content[512 + place : 512 + place + len(garbage)] = garbage
    path.write_bytes(content)
    try:
        text = load(path).text
    except (CorruptFile, NothingToRead):
        return
    assert text.strip()


def test_books_are_read_without_their_pictures_where_these_are_large(tmp_path, monkeypatch):
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    package = "http://www.idpf.org/2007/opf"
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            f"<container xmlns='{container}' version='1.0'><rootfiles><rootfile full-path='a.opf' "
            "media-type='application/oebps-package+xml'/></rootfiles></container>",
        )
        archive.writestr(
            "a.opf",
            f"<package xmlns='{package}' version='3.0'><metadata/><manifest><item id='c' href='c.xhtml' "
            "media-type='application/xhtml+xml'/></manifest><spine><itemref idref='c'/></spine></package>",
        )
        page = "<h1>灯塔</h1><p>It stands on a cliff.</p>"
        archive.writestr("c.xhtml", f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{page}</body></html>")
        archive.writestr("cover.jpg", random.Random(1).randbytes(40_000))
    whole = load(path)
    assert [(part.section, "cliff" in part.text) for part in whole.parts] == [("灯塔", True)]
    monkeypatch.setattr(kreuzberg, "MOST_BYTES", 10_000)
    with kreuzberg.strip_media(path) as words:
        assert (words.name, words.stat().st_size < 10_000) == (path.name, True)
    assert load(path) == whole
    with pytest.raises(CorruptFile, match="not a readable odt"):
        load(make_text(tmp_path / "a.odt", "not an archive " * 1_000))
