"""`--format`: an answer with its sources as a file on stdout."""

import io
import json
import sys
import zipfile
from dataclasses import replace

import docx
import pytest
from PIL import Image

from desktop.cli import render
from desktop.cli.output import exports
from desktop.cli.output.terminal import source_json
from desktop.cli.parser import build_parser
from desktop.domain.sources import Ledger, Passage, SourceKind
from tests.cases import cases
from tests.unit.render.export.samples import SOURCES

_WITH_FORMAT = ("ask", "check", "read", "render", "write")


@pytest.fixture
def run(tmp_path, capsysbinary):
    (tmp_path / "answer.md").write_text("Tides [1] and `a[1]`, 潮汐 [9].", encoding="utf-8")
    (tmp_path / "page.md").write_text("Tides [1], the rent is ninety [2].", encoding="utf-8")
    sources = [SOURCES[0], replace(SOURCES[1], text="The rent is ninety euros.")]
    document = {"sources": [source_json(source) for source in sources]}
    (tmp_path / "sources.json").write_text(json.dumps(document), encoding="utf-8")

    def ran(kind: str, *more: str) -> bytes:
        name = "page.md" if kind in {"page", "docx", "png"} and (more or kind == "page") else "answer.md"
        files = [str(tmp_path / name), "--sources", str(tmp_path / "sources.json")]
        assert render.run(build_parser().parse_args(["render", *files, "--format", kind, *more])) == 0
        return capsysbinary.readouterr().out

    return ran


def test_markdown_and_lists_are_text(run):
    made = run("markdown").decode()
    assert made.startswith("Tides [^1] and `a[1]`, 潮汐 [9].\n")
    assert f"read {SOURCES[0].read_at.date().isoformat()}" in made
    assert "published 2024-05-06" in made
    assert run("sources").decode().splitlines()[1].startswith("[2] Miet*vertrag*")
    assert run("bibtex").decode().count("@misc") == 2


def test_html_and_word_are_whole_files(run):
    assert b'<a id="mark-1-1" class="citation" href="#source-1"' in run("html")
    document = docx.Document(io.BytesIO(run("docx")))
    assert document.paragraphs[0].text == "answer"
    assert "Tides and a[1], 潮汐 [9]." in [paragraph.text for paragraph in document.paragraphs]


def test_a_page_with_private_passages_needs_a_say(run):
    with pytest.raises(ValueError, match=r"private passages:\n  \[2\] Miet\*vertrag\*\n.*--private"):
        run("page")
    for said, is_in in (
        (["--private"], True),
        (["--leave-out", "2"], False),
        (["--leave-out", "private"], False),
    ):
        page = run("page", *said).decode()
        assert ("Miet*vertrag*" in page) is is_in
        assert 'id="card-1-1"' in page
    for kind, said in (("html", ["--private"]), ("page", ["--private", "--leave-out", "private"])):
        with pytest.raises(ValueError, match="--leave-out"):
            run(kind, *said)


def test_a_word_file_has_private_passages_only_when_told(run):
    for said, has_title, has_passage in (
        ([], True, False),
        (["--private"], True, True),
        (["--leave-out", "private"], False, False),
    ):
        with zipfile.ZipFile(io.BytesIO(run("docx", *said))) as parts:
            text = "".join(parts.read(name).decode() for name in parts.namelist() if name.startswith("word/"))
        assert ("Miet*vertrag*" in text) is has_title
        assert ("ninety euros" in text) is has_passage


def test_a_picture_is_drawn_without_a_window_and_needs_a_say(run):
    with pytest.raises(ValueError, match="private passages"):
        run("png", "--width", "400")
    picture = Image.open(io.BytesIO(run("png", "--width", "400", "--dark", "--leave-out", "2")))
    assert picture.width == pytest.approx(800, abs=6)
    assert picture.getpixel((0, 0)) == (28, 29, 31)
    for wrong in (["png", "--width", "9000"], ["html", "--dark"]):
        with pytest.raises(ValueError, match="--width"):
            run(*wrong)


def test_word_is_not_written_to_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with pytest.raises(ValueError, match="write it to a file"):
        exports.print_file(exports.answer_of("x", "x", ()), "docx")


@cases("kind", ["markdown", "html", "sources", "bibtex"])
def test_what_is_written_to_a_terminal_does_not_steer_it(monkeypatch, capsys, kind):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    page = Passage(SourceKind.WEB, "Ti\x9bdes", "Text.", url="https://example.org/")
    ledger = Ledger()
    ledger.register([page])
    exports.print_file(exports.answer_of("Tides \x1b[31m[1]", "x", ledger.sources), kind)
    said = capsys.readouterr().out
    assert "des" in said
    assert "\x1b" not in said
    assert "\x9b" not in said


@cases(
    "arguments, words",
    [
        *(([name, "x", "--json", "--format", "html"], "not allowed with") for name in _WITH_FORMAT),
        (["write", " "], "it is empty"),
        (["watch", "add", " "], "it is empty"),
        (["watch", "add", "Tides?", "--budget", "-1"], "not a number of 0 or more"),
        (["kb", "create", " "], "it is empty"),
        (["kb", "rename", "notes", "a\nb"], "no name that can be read"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused_before_anything_starts(capsys, arguments, words):
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_a_format_and_a_batch_exclude_each_other(run):
    with pytest.raises(ValueError, match="--format does not go with --batch"):
        run("html", "--batch=x.jsonl")
