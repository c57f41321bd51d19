"""Folders for a moment: where they are, and what is said where there can be none."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from desktop.errors import StorageUnavailable
from desktop.storage import local_copies
from desktop.storage.local_copies import remove_abandoned_folders, scratch_folder
from tests.cases import cases


def test_a_folder_goes_with_its_block(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder("test") as folder:
        (folder / "a").write_text("a")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


HOLDS_ONE = """
import sys, tempfile
from desktop.storage.local_copies import scratch_folder
tempfile.tempdir = sys.argv[1]
with scratch_folder("copy") as folder:
    (folder / "conversations.db").write_text("secret")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_living_one_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(local_copies, "_STARTING_S", -1)
    other = tmp_path / "footnote-of-another"
    other.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_ONE, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with scratch_folder("reading") as mine:
            remove_abandoned_folders()
            assert set(tmp_path.iterdir()) == {left, mine, other}
        process.kill()
    remove_abandoned_folders()
    assert list(tmp_path.iterdir()) == [other]


def test_where_the_folder_of_the_system_is_gone_its_name_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StorageUnavailable) as raised, scratch_folder("test"):
        pass
    assert raised.value.fields["path"] == tmp_path / "gone"


@cases("variable", ["TMPDIR", "TEMP", "TMP"])
def test_where_nothing_can_be_written_the_place_is_named_that_was_asked_for(tmp_path, monkeypatch, variable):
    def nowhere():
        raise FileNotFoundError(2, "No usable temporary directory found")

    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    with pytest.raises(StorageUnavailable) as raised, scratch_folder("test"):
        pass
    assert raised.value.fields["path"] == tmp_path
