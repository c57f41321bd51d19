"""`footnote memory`: add, find, forget, hand over; and `footnote ask`, which goes by what is remembered."""

import json

import pytest

from desktop.cli.commands import run_command
from desktop.cli.parser import build_parser


@pytest.fixture
def footnote(tmp_path, capsys):
    """Run the program in a data folder of its own; return its status, what it printed, and what it said."""

    def run(*arguments, folder="data"):
        parsed = build_parser().parse_args([*arguments, "--data-dir", str(tmp_path / folder)])
        status = run_command(parsed)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def texts(printed):
    return [memory["text"] for memory in json.loads(printed)["memories"]]


def test_what_is_added_is_listed_found_and_forgotten(footnote):
    assert footnote("memory", "list")[1] == "nothing is remembered\n"
    status, printed, _ = footnote("memory", "add", "我对虾过敏。", "--json")
    added = json.loads(printed)["remembered"]
    assert (status, added["origin"], added["assistant"]) == (0, "said", None)
    footnote("memory", "add", "I live in Oslo", "--assistant", "guide")
    assert texts(footnote("memory", "list", "--json")[1]) == ["我对虾过敏。", "I live in Oslo"]
    assert texts(footnote("memory", "list", "虾饺会过敏吗", "--json")[1]) == ["我对虾过敏。"]
    assert "(guide)  I live in Oslo" in footnote("memory", "list")[1]
    assert footnote("memory", "remove", added["id"][:8])[0] == 0
    assert footnote("memory", "remove", "i live in oslo.")[0] == 0
    assert texts(footnote("memory", "list", "--json")[1]) == []


def test_what_is_not_there_or_no_fact_is_said(footnote):
    status, _, said = footnote("memory", "remove", "nobody")
    assert (status, said) == (1, "footnote: This memory no longer exists.\n")
    status, _, said = footnote("memory", "add", "  ")
    assert (status, said) == (1, "footnote: This can’t be saved as a memory: the memory is empty.\n")
    status, _, said = footnote("memory", "import", "/nowhere/at/all.jsonl")
    assert (status, "all.jsonl" in said) == (1, True)


def test_a_file_of_memories_goes_from_one_machine_to_another_unchanged(footnote, tmp_path):
    footnote("memory", "add", "我对虾过敏。")
    footnote("memory", "add", "I live in Oslo")
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    assert footnote("memory", "export", str(one))[1] == "written: 2\n"
    assert footnote("memory", "import", str(one), folder="other")[1] == "taken: 2\n"
    footnote("memory", "export", str(other), folder="other")
    assert other.read_bytes() == one.read_bytes()
    assert footnote("memory", "export", "/proc/no/memory.jsonl")[0] == 1


def test_a_question_is_answered_with_what_is_remembered_unless_it_is_not_wanted(footnote):
    footnote("memory", "add", "My dentist is Dr. Weber in Kiel.")
    question = ("ask", "Who is my dentist?", "--web", "off", "--json")
    (source,) = json.loads(footnote(*question)[1])["sources"]
    assert (source["kind"], source["title"]) == ("memory", "You said")
    assert source["text"] == "My dentist is Dr. Weber in Kiel."
    assert json.loads(footnote(*question, "--no-memory")[1])["sources"] == []
