"""What loaders refuse, where they stop, and what they say of it."""

import os
import random
import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import CorruptFile, FileUnreadable, NothingToRead, ReadingFailed, UnsupportedFile
from desktop.knowledge.loaders import document as document_room
from desktop.knowledge.loaders import pdf as pdf_room
from desktop.knowledge.loaders import registry
from desktop.knowledge.loaders.document import DocumentPart, LoaderContext, document_of
from desktop.knowledge.loaders.markdown import markdown_document
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.reader import protocol as reading_room
from desktop.knowledge.reader.protocol import reading_of
from tests.cases import cases
from tests.unit.knowledge.knowledge_files import make_pdf, make_text, make_workbook

NESTED_MAIL = 'Content-Type: multipart/mixed; boundary="b{0}"\n\n--b{0}\n'


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
        with pytest.raises(UnsupportedFile, match="data, not text"):
            load(path)


def test_an_archive_that_unpacks_to_too_much_is_refused_unopened(tmp_path, monkeypatch):
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(2_000_000))
    monkeypatch.setattr(registry, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(ReadingFailed, match="when unpacked"):
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
    except (CorruptFile, NothingToRead, ReadingFailed, UnsupportedFile):
        return


def test_text_that_databases_refuse_is_cleaned():
    assert (
        document_of("a\x00b", [DocumentPart("x\ud800y\r\nz\ufeff"), DocumentPart(" \x00 ")]).text == "xy\nz"
    )


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


@cases(
    "name, text, says",
    [
        ("a.html", "<div>" * 400_000 + "<h1>Rivers</h1><p>The river rises.</p>", "The river rises."),
        ("a.xml", f"<r><a>{'&lt;div&gt;' * 400_000}</a><b>The river rises.</b></r>", "The river rises."),
        ("a.xml", f"<r><a>{'&lt;a' * 1_000_000}</a><b>The river rises.</b></r>", "The river rises."),
        ("a.xml", "<r>" + "<item>" * 200 + "<a>x</a>" * 100_000 + "</item>" * 200 + "</r>", "x\nx"),
        ("a.md", f"# {'[' * 2_000_000}\n\nThe river rises.", "The river rises."),
        ("a.md", f"# {'[a](' * 500_000}\n\nThe river rises.", "The river rises."),
        ("a.md", f"# a{'_' * 2_000_000}b\n\nThe river rises.", "The river rises."),
        ("a.md", f"---\ntitle: a{' ' * 2_000_000}b\n---\nThe river rises.", "The river rises."),
    ],
    ids=["html", "html in xml", "tags in xml", "entries", "brackets", "links", "emphasis", "title"],
)
def test_what_is_opened_without_end_is_read_in_a_time_that_grows_with_its_length(tmp_path, name, text, says):
    """Whatever takes the square of it does not end within the time that a test has."""
    assert says in load(make_text(tmp_path / name, text)).text


def test_names_are_no_longer_than_they_may_stand_with_every_passage():
    endless = "word " * 40_000
    markdown = f"# {endless}\n\n" + "The river rises in the hills. " * 200
    reading = reading_of(markdown_document(markdown, endless), "rivers")
    assert len(reading.entries) > 10
    assert max(len(entry.chunk.section) + len(entry.head) for entry in reading.entries) < 5_000
    assert len(reading.title) <= 1_000


def test_of_passages_without_end_only_the_first_are_taken_in_and_that_is_said(monkeypatch):
    monkeypatch.setattr(reading_room, "MAX_PASSAGES", 5)
    few = reading_of(markdown_document("".join(f"# Part {number}\n" for number in range(5))), "parts")
    many = reading_of(markdown_document("".join(f"# Part {number}\n" for number in range(9))), "parts")
    assert (len(few.entries), few.is_cut) == (5, False)
    assert (len(many.entries), many.is_cut) == (5, True)
    assert many.text.endswith("# Part 4")


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
    cut = load(pdf, LoaderContext(is_late=late_after(3)))
    assert (cut.is_cut, cut.pages, len(cut.parts)) == (True, 8, 3)
    sheet = make_workbook(tmp_path / "a.xlsx", "S", [[f"word {number} " * 100] for number in range(8)])
    cut = load(sheet, LoaderContext(is_late=late_after(1)))
    assert (cut.is_cut, len(cut.parts)) == (True, 2)
    whole = document_of("", [DocumentPart(f"Part {number}.") for number in range(4)])
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
