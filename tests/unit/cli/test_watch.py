"""`footnote watch`: each run tells only what is new or different, once, with its sources; a feed has the rest."""

import json
from xml.etree import ElementTree as ET

import pytest

from desktop.cli.parser import build_parser
from desktop.cli.watch import run
from desktop.errors import UnknownTopic

ATOM = "{http://www.w3.org/2005/Atom}"
QUESTION = "How far does the lamp of the lighthouse of Velmora reach?"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def watch(tmp_path, capfd):
    def watched(*arguments, status=0):
        full = [*arguments[:1], "--data-dir", str(tmp_path / "data"), *arguments[1:]]
        assert run(build_parser().parse_args(["watch", *full])) == status
        return capfd.readouterr().out

    return watched


def fill(tmp_path, capfd, notes, **texts):
    from desktop.cli.kb import run as run_kb

    for name, text in texts.items():
        (notes / f"{name}.md").write_text(text, encoding="utf-8")
        arguments = ["kb", "add", "--data-dir", str(tmp_path / "data"), "notes", str(notes / f"{name}.md")]
        assert run_kb(build_parser().parse_args(arguments)) == 0
    capfd.readouterr()


def test_runs_tell_only_what_is_new_or_different_and_a_feed_and_markdown_have_it(
    tmp_path, capfd, notes, watch
):
    from desktop.cli.kb import run as run_kb

    assert (
        run_kb(build_parser().parse_args(["kb", "create", "--data-dir", str(tmp_path / "data"), "notes"]))
        == 0
    )
    fill(
        tmp_path,
        capfd,
        notes,
        first="The lamp of the lighthouse of Velmora reaches 42 kilometres over the sea.",
    )
    added = json.loads(
        watch(
            "add",
            QUESTION,
            "--kb",
            "notes",
            "--web",
            "off",
            "--every",
            "weekly",
            "--model",
            "quotes",
            "--only-here",
            "--json",
        )
    )
    assert (added["interval"], added["run_count"], added["stays_here"]) == ("weekly", 0, True)

    (first,) = json.loads(watch("run", "--json"))["runs"]
    (finding,) = first["run"]["findings"]
    assert (finding["kind"], finding["verdict"]) == ("new", "supported")
    assert "42 kilometres" in finding["text"]
    assert "first.md" in finding["sources"][0]["title"]
    assert first["run"]["conversation_id"]

    assert json.loads(watch("run", "--json")) == {"runs": []}  # nothing is due for a week
    assert (
        watch("run", added["id"]).rstrip().endswith("Nothing new.")
    )  # looked up all the same, and told in one line
    fill(
        tmp_path,
        capfd,
        notes,
        second="The lamp of the lighthouse of Velmora reaches 55 kilometres over the sea.",
    )
    (third,) = json.loads(watch("run", QUESTION, "--json"))["runs"]
    (finding,) = third["run"]["findings"]
    assert finding["kind"] == "different"
    assert "55" in finding["text"]
    assert "42 kilometres" in finding["earlier"]

    feed = ET.fromstring(watch("export"))
    assert (
        feed.find(f"{ATOM}id").text == "urn:footnote:topics:all"
    )  # also with one topic: it is the same feed later
    of_one = ET.fromstring(watch("export", added["id"]))
    assert of_one.find(f"{ATOM}id").text == f"urn:footnote:topics:{added['id']}"
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.find(f"{ATOM}title").text.rpartition("— ")[2] for entry in entries] == [
        "0 new, 1 different",
        "1 new, 0 different",
    ]
    assert len({entry.find(f"{ATOM}id").text for entry in entries}) == 2
    markdown = watch("history", added["id"])
    assert markdown.count("\n## ") == 3
    assert "Nothing new." in markdown
    assert "**Different:**" in watch("export", added["id"], "--format", "markdown")


def test_topics_are_paused_resumed_and_removed_and_wrong_names_are_told(watch):
    topic = json.loads(watch("add", QUESTION, "--every", "hourly", "--json"))
    watch("pause", topic["id"])
    assert json.loads(watch("run", "--json")) == {"runs": []}
    assert "paused" in watch("list")
    assert json.loads(watch("resume", "How far", "--json"))["is_paused"] is False
    changed = json.loads(watch("change", topic["id"], "--every", "monthly", "--json"))
    assert (changed["interval"], changed["budget_tokens"]) == ("monthly", topic["budget_tokens"])
    changed = json.loads(watch("change", topic["id"], "--budget", "0", "--json"))
    assert (changed["interval"], changed["budget_tokens"]) == ("monthly", 0)
    with pytest.raises(SystemExit):
        watch("change", topic["id"], "--budget", "-1")
    watch("remove", topic["id"])
    assert json.loads(watch("list", "--json")) == {"topics": []}
    with pytest.raises(UnknownTopic):
        watch("history", "nothing")
    with pytest.raises(ValueError, match="nowhere to look"):
        watch("add", "x", "--web", "off")
