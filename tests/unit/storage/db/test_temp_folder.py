"""Folders for a moment: where they are, and what is said where there can be none."""

import tempfile

import pytest

from desktop.errors import StorageUnavailable
from desktop.storage.local_copies import scratch_folder
from tests.cases import cases


def test_a_folder_goes_with_its_block(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder("test") as folder:
        (folder / "a").write_text("a")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


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
