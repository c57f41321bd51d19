"""`footnote check --batch`: a verdict for each claim, in order, and a reason where a row cannot be read."""

import json

from desktop.cli.check import run
from desktop.cli.parser import build_parser
from tests.unit.knowledge.reranking.test_reranker import make_entailment_model

SOURCE = {
    "title": "The lighthouse of Velmora",
    "text": "The lighthouse of Velmora was built in 1873 by Ada Korsten. Its lamp reaches 42 kilometres.",
}


def parse(tmp_path, *arguments):
    return build_parser().parse_args(["check", "--data-dir", str(tmp_path / "data"), *arguments])


def check(tmp_path, capsys, *rows, disagreements=False):
    batch = tmp_path / "claims.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    batch.write_text("\n".join(lines), encoding="utf-8")
    more = ["--disagreements"] if disagreements else []
    status = run(parse(tmp_path, "--batch", str(batch), *more))
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_claims_get_their_verdicts_in_order(tmp_path, capsys):
    other = {"title": "Recipes", "text": "Knead the dough for ten minutes and let it rest."}
    status, rows = check(
        tmp_path,
        capsys,
        {
            "id": "a",
            "claim": "The lighthouse was built in 1873 by Ada Korsten.",
            "sources": [other, SOURCE],
        },
        {"id": "b", "claim": "Bread was first baked by the queen of Ostrava.", "sources": [SOURCE]},
        {"id": "c", "claim": "The lighthouse was built.", "sources": []},
        {"id": "d", "claim": "The lighthouse was built.", "sources": "page"},
        {
            "id": "e",
            "claim": "灯塔于1873年建成。",
            "sources": [{"title": None, "text": "维尔莫拉的灯塔于1873年建成。"}],
        },
    )
    assert status == 1
    assert [row["id"] for row in rows] == list("abcde")
    assert [row.get("verdict") for row in rows] == [
        "supported",
        "not_found",
        "not_found",
        None,
        "supported",
    ]
    assert rows[0]["passage"] == "The lighthouse of Velmora was built in 1873 by Ada Korsten."
    assert 0.5 < rows[0]["score"] <= 1
    assert "sources" in rows[3]["error"]


def test_an_entailment_model_of_the_settings_has_the_say(tmp_path, capsys):
    data = tmp_path / "data"
    data.mkdir()
    folder = make_entailment_model(
        tmp_path / "nli", ("entailment", "neutral", "contradiction"), sure_of="contradiction"
    )
    settings = {"knowledge": {"entailment_model": str(folder)}}
    (data / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    claim = {"id": 1, "claim": "The lighthouse was built in 1873 by Ada Korsten.", "sources": [SOURCE]}
    status, (row,) = check(tmp_path, capsys, claim)
    assert status == 0
    assert row["verdict"] == "contradicted"
    assert row["passage"] in SOURCE["text"]
    assert row["score"] < 0.01


def test_disagreements_of_sources_are_listed_in_order_and_bad_rows_have_a_reason(tmp_path, capsys):
    later = {"title": "Velmora", "text": "The lighthouse of Velmora was built on 3 May 1874 by Ada Korsten."}
    asked = "When was the lighthouse of Velmora built?"
    status, rows = check(
        tmp_path,
        capsys,
        {"id": "a", "question": asked, "sources": [SOURCE, later, SOURCE]},
        {"id": "b", "sources": [SOURCE, later]},
        "no JSON",
        {"id": "d", "question": asked, "sources": [SOURCE, {"title": "no text"}]},
        {"id": "e", "question": asked, "sources": "page"},
        {"id": "f", "question": asked, "sources": []},
        {"id": "g", "question": "", "sources": [later, SOURCE]},
        disagreements=True,
    )
    assert status == 1
    assert [row.get("id") for row in rows] == ["a", "b", None, "d", "e", "f", "g"]
    assert rows[0]["disagreements"] == [
        {
            "about": "The lighthouse of Velmora was built in … by Ada Korsten.",
            "values": ["1873", "3 May 1874"],
            "sources": [[1, 3], [2]],
        }
    ]
    for row, reason in zip(rows[1:5], ("question", "not JSON", "text", "sources"), strict=True):
        assert reason in row["error"]
    assert rows[5]["disagreements"] == []
    assert rows[6]["disagreements"][0]["sources"] == [[2], [1]]
