"""Batches answer a line for a line, in order, whatever a line holds."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.cli.output.exports import sources_from_json
from desktop.cli.output.terminal import (
    harmless,
    locator_json,
    print_json,
    print_piece,
    print_words,
    run_batch,
    source_json,
    tell,
    text_of,
)
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind
from desktop.errors import UnknownBase
from tests.cases import cases


def answers(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def batch(tmp_path, lines: str | bytes, respond) -> int:
    path = tmp_path / "requests.jsonl"
    path.write_bytes(lines if isinstance(lines, bytes) else lines.encode())
    return asyncio.run(run_batch(path, respond))


async def echo(request):
    return {"said": text_of(request, "say")}


def test_answers_come_in_the_order_of_the_requests_and_keep_their_ids(tmp_path, capsys):
    status = batch(tmp_path, '{"id": 2, "say": "b"}\n\n{"id": "x", "say": "阿"}\n', echo)
    assert answers(capsys) == [{"id": 2, "said": "b"}, {"id": "x", "said": "阿"}]
    assert status == 0


@cases(
    "line",
    [b"{", b"[1]", b'{"id": 1}', b"nonsense", b'{"say": 5}', b'{"say": null}', b"\xff\xfe", b"[" * 100_000],
)
def test_a_line_that_is_no_request_gets_an_error_and_the_next_is_answered(tmp_path, capsys, line):
    status = batch(tmp_path, line + b'\n{"say": "b"}\n', echo)
    first, second = answers(capsys)
    assert first["error"]
    assert second == {"said": "b"}
    assert status == 1


def test_a_line_without_an_id_is_named_by_its_number(tmp_path, capsys):
    lines = b'\xef\xbb\xbf{"say": "a"}\r\n\r\n{"say": "b\r\n[1]\r\n{"say": "\xff"}\r\n'
    batch(tmp_path, lines, echo)
    first, *wrong = answers(capsys)
    assert first == {"said": "a"}
    assert [row["error"][:13] for row in wrong] == ["line 3 is not", "line 4 is not", "line 5 is not"]
    assert "UTF-8" in wrong[2]["error"]


def test_an_expected_failure_is_told_in_the_line_that_met_it(tmp_path, capsys):
    async def fail(request):
        raise UnknownBase(base="notes")

    assert batch(tmp_path, '{"id": 7}\n', fail) == 1
    assert answers(capsys) == [{"id": 7, "error": "There is no knowledge base “notes”."}]


def test_lone_surrogates_do_not_stop_the_output(capsys):
    print_json({"text": "a\ud800b"})
    assert json.loads(capsys.readouterr().out)["text"].startswith("a")


def test_sources_survive_the_way_out_and_back_in():
    ledger = Ledger()
    ledger.register(
        [
            Passage(SourceKind.WEB, "Page", "web text", url="https://example.org/a"),
            Passage(
                SourceKind.FILE,
                "a.pdf",
                "file text",
                document="d",
                locator=Locator(page=2, section="S", start=0, end=9),
            ),
        ]
    )
    read = sources_from_json(json.loads(json.dumps({"sources": [source_json(s) for s in ledger.sources]})))
    assert [(s.number, s.kind, s.title, s.text, s.locator) for s in read] == [
        (s.number, s.kind, s.title, s.text, s.locator) for s in ledger.sources
    ]
    assert read[0].host == "example.org"


@cases("document", [{"sources": {}}, "text", [1], [{"title": "no number"}], [{"number": "1"}]])
def test_sources_that_are_none_are_refused_with_words(document):
    with pytest.raises(ValueError, match="source"):
        sources_from_json(document)


def test_only_what_is_known_of_a_locator_is_printed():
    assert locator_json(Locator(page=3)) == {"page": 3}
    assert locator_json(Locator()) == {}


HOSTILE = "\x1b]0;pwned\x07\x9b31mred\x7f\r!"


@given(st.text())
def test_what_is_harmless_says_the_same_in_what_can_be_printed(text):
    shown = harmless(text)
    assert not any(
        ord(char) < 32 or 127 <= ord(char) < 160 for char in shown.replace("\n", "").replace("\t", "")
    )
    if text.isprintable():
        assert shown == text


@cases("say", [print_words, print_piece, tell])
def test_nothing_that_others_wrote_steers_a_terminal(monkeypatch, capsys, say):
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    say(f"Tides\t潮汐 👩‍🚀\r\n{HOSTILE}")
    said = "".join(capsys.readouterr())
    assert said.rstrip("\n") == "Tides\t潮汐 👩‍🚀\n\\u001b]0;pwned\\u0007\\u009b31mred\\u007f\\u000d!"


def test_a_document_at_a_terminal_means_what_it_means_elsewhere(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    print_json({"title": HOSTILE})
    said = capsys.readouterr().out
    assert json.loads(said) == {"title": HOSTILE}
    assert said.rstrip("\n").isprintable()


def test_a_file_or_a_pipe_gets_what_was_written(capsys):
    print_words(HOSTILE)
    assert capsys.readouterr().out == f"{HOSTILE}\n"
