"""`footnote backup` and `footnote transfer`."""

import json

import pytest

from desktop.__main__ import main
from tests.unit.storage.importers import sample_files


@pytest.fixture
def footnote(tmp_path, capsys):
    """Run a command on a data folder and return its document."""

    def run(*words, folder="data", status=0):
        assert main([*words, "--json", "--data-dir", str(tmp_path / folder)]) == status
        return json.loads(capsys.readouterr().out)

    return run


def test_conversations_come_from_another_program_and_travel_on(footnote, tmp_path):
    path = sample_files.write(tmp_path, "cherry-studio")
    shown = footnote("transfer", "show", str(path))
    assert shown["from"] == "cherry-studio"
    assert len(shown["conversations"]) == 2
    assert footnote("transfer", "import", str(path))["conversations"] == 2
    assert footnote("transfer", "import", str(path))["conversations"] == 0
    everything = tmp_path / "all.footnote-profile"
    footnote("transfer", "export", str(everything), "--no-bases")
    assert footnote("transfer", "import", str(everything), folder="other")["conversations"] == 2


def test_copies_are_made_shown_and_brought_back(footnote, tmp_path):
    footnote("transfer", "import", str(sample_files.write(tmp_path, "claude")))
    copied = footnote("backup", "take")["copied"]
    assert [copy["name"] for copy in footnote("backup", "list")["copies"]] == [copied]
    footnote("transfer", "import", str(sample_files.write(tmp_path, "chatbox")))
    assert footnote("backup", "show", "newest") == {
        "conversations": 1,
        "missing": 0,
        "only_here": 2,
        "memories": 0,
    }
    assert footnote("backup", "restore", copied)["conversations"] == 0
    assert footnote("backup", "restore", copied, "--replace")["replaced"] == copied
    assert footnote("backup", "show", "newest")["only_here"] == 0


def test_the_newest_copy_is_of_conversations_also_beside_newer_ones_of_knowledge(footnote, tmp_path):
    footnote("kb", "create", "notes")
    footnote("transfer", "import", str(sample_files.write(tmp_path, "claude")))
    copied = footnote("backup", "take")["copied"]
    kinds = {copy["name"]: copy["kind"] for copy in footnote("backup", "list")["copies"]}
    assert sorted(kinds.values()) == ["knowledge", "regular"]
    assert kinds[copied] == "regular"
    assert footnote("backup", "show", "newest")["conversations"] == 1
    footnote("transfer", "import", str(sample_files.write(tmp_path, "chatbox")))
    assert footnote("backup", "restore", "newest", "--replace")["replaced"] == copied
    assert footnote("backup", "restore", "newest", "--replace")["replaced"] == copied


def test_people_read_a_line_for_every_conversation_of_a_file(tmp_path, capsys):
    path = sample_files.write(tmp_path, "cherry-studio")
    assert main(["transfer", "show", str(path), "--data-dir", str(tmp_path / "data")]) == 0
    origin, head, *lines, memories = capsys.readouterr().out.splitlines()
    assert (origin, head, memories) == ("from: cherry-studio", "conversations:", "memories: 0")
    assert len(lines) == 2
    assert all(line.startswith("  ") and line.endswith("missing)") for line in lines)


def test_where_there_are_no_copies_none_are_listed(tmp_path, capsys):
    assert main(["backup", "list", "--data-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == "no backups"


def test_what_is_not_there_is_said(footnote, tmp_path):
    assert "no longer exists" in footnote("backup", "show", "nothing", status=1)["error"]
    assert "Settings > Data" in footnote("backup", "list", "--place", "Cloud", status=1)["error"]
    assert "can’t be imported" in footnote("transfer", "show", str(tmp_path), status=1)["error"]
