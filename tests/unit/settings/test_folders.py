"""Where files go."""

from pathlib import Path

from desktop.settings.folders import folders_for


def test_an_argument_wins_over_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", str(tmp_path / "environment"))
    folders = folders_for(tmp_path / "argument")
    assert folders.data == tmp_path / "argument"
    assert folders.cache.is_relative_to(folders.data)
    assert folders.logs.is_relative_to(folders.data)


def test_the_environment_wins_over_the_system(monkeypatch, tmp_path):
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", str(tmp_path / "environment"))
    assert folders_for().data == tmp_path / "environment"


def test_an_empty_variable_means_the_system(monkeypatch, tmp_path):
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    folders = folders_for()
    assert "footnote" in folders.data.name.lower()
    assert len({folders.data, folders.cache, folders.logs}) == 3


def test_relative_folders_do_not_move_with_the_working_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert folders_for(Path("profile")).data == tmp_path / "profile"


def test_folders_are_made_for_their_owner_alone(tmp_path):
    folders = folders_for(tmp_path / "a" / "b")
    folders.create()
    folders.create()
    for folder in (folders.data, folders.cache, folders.logs):
        assert folder.stat().st_mode & 0o077 == 0
