"""`ask --batch` answers each line by quotes from the sources of that line."""

import json

import pytest

from desktop.__main__ import main
from desktop.errors import ModelUnusable

ROWS = [
    {
        "id": "a",
        "question": "When was the bridge over the river Ems opened?",
        "sources": [
            {
                "title": "Bridges",
                "text": "The bridge over the river Ems was opened in 1961. It is 300 m long.",
            },
            {"title": "Rivers", "text": "Fish are plentiful in most rivers of the lowlands."},
        ],
    },
    {
        "id": "b",
        "question": "埃姆斯河大桥是哪一年通车的？",
        "sources": [{"text": "埃姆斯河大桥于1961年通车。"}],
    },
    {
        "id": "c",
        "question": "Who wrote Hamlet?",
        "sources": [{"text": "Bread is baked from flour and water."}],
    },
    {"id": "d", "question": "Who wrote Hamlet?", "sources": "nothing"},
    {"id": "e", "question": "Who wrote Hamlet?", "sources": [{"title": "Plays"}]},
    {
        "id": "f",
        "question": "Who wrote Hamlet?\ud800",
        "sources": [{"title": None, "text": "Hamlet was written by Shakespeare.\udfff"}],
    },
]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_each_line_is_answered_from_its_own_sources(rows, capsys):
    status = main(["ask", "--model", "quotes", "--batch", str(rows)])
    english, chinese, silent, wrong, textless, broken = answers = [
        json.loads(line) for line in capsys.readouterr().out.splitlines()
    ]
    assert "\n- The bridge over the river Ems was opened in 1961. [1]" in english["answer"]
    assert "\n- 埃姆斯河大桥于1961年通车。 [1]" in chinese["answer"]
    assert "\n- " not in silent["answer"]
    assert "“sources” must be a list" in wrong["error"]
    assert "“text”" in textless["error"]
    assert "\n- Hamlet was written by Shakespeare." in broken["answer"]
    assert [row["id"] for row in answers] == list("abcdef")
    assert status == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["--model", "openai/x"], ["--model", "quotes", "--format", "html"], ["--model", "quotes", "why?"]],
)
def test_what_cannot_be_had_with_a_batch_is_refused(rows, arguments, capsys):
    assert main(["ask", *arguments, "--batch", str(rows)]) != 0
    assert "--batch" in capsys.readouterr().err


def test_without_the_network_lines_are_answered_and_its_lack_is_said(rows, capsys, monkeypatch):
    def load():
        raise ModelUnusable(model="entailment", detail="It is damaged")

    monkeypatch.setattr("desktop.cli.ask.load_pair_model", load)
    main(["ask", "--model", "quotes", "--batch", str(rows)])
    said = capsys.readouterr()
    assert "opened in 1961. [1]" in json.loads(said.out.splitlines()[0])["answer"]
    assert "It is damaged" in said.err
