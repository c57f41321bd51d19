"""Where files go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.errors import PortableFolderUnusable, StorageUnavailable
from desktop.installation import Installation, InstallForm
from desktop.settings import folders as subject
from desktop.settings.folders import folders_for, is_found_without_options


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


@pytest.fixture
def program(monkeypatch, tmp_path):
    """Return the file of a program that carries its data with it."""
    program = tmp_path / "stick" / "Footnote.AppImage"
    program.parent.mkdir()
    installed = Installation(InstallForm.APPIMAGE, (str(program),), program)
    monkeypatch.setattr(subject, "installation", lambda: installed)
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", "")
    return program


def test_a_folder_beside_the_program_is_used_when_it_is_there(program, monkeypatch, tmp_path):
    assert not folders_for().is_portable
    data = program.parent / "Footnote-data"
    data.mkdir()
    folders = folders_for()
    assert (folders.data, folders.is_portable) == (data, True)
    assert folders.cache.is_relative_to(data)
    assert folders.logs.is_relative_to(data)
    assert is_found_without_options(folders)
    named = folders_for(tmp_path / "argument")
    assert (named.data, named.is_portable) == (tmp_path / "argument", False)
    assert not is_found_without_options(named)
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", str(tmp_path / "environment"))
    assert folders_for().data == tmp_path / "environment"


def test_a_file_of_that_name_is_no_folder(program):
    (program.parent / "Footnote-data").touch()
    assert not folders_for().is_portable


def test_a_folder_that_cannot_be_written_to_is_an_error_and_not_passed_over(program, monkeypatch, tmp_path):
    (program.parent / "Footnote-data").mkdir()
    monkeypatch.setattr(os, "access", lambda *_arguments: False)  # root may write everywhere
    with pytest.raises(PortableFolderUnusable, match="writable, rename it, or choose another folder"):
        folders_for()
    named = folders_for(tmp_path / "argument")
    assert not is_found_without_options(named)


def test_relative_folders_do_not_move_with_the_working_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert folders_for(Path("profile")).data == tmp_path / "profile"


def test_folders_are_made_for_their_owner_alone(tmp_path):
    folders = folders_for(tmp_path / "a" / "b")
    folders.create()
    folders.create()
    for folder in (folders.data, folders.cache, folders.logs):
        assert folder.stat().st_mode & 0o077 == 0


on_posix = pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing on Windows")


def open_to_others(root):
    """Return what of a folder and all in it other users may read, write or run."""
    return [
        path for path in (root, *root.rglob("*")) if not path.is_symlink() and path.stat().st_mode & 0o077
    ]


def run_command(*arguments):
    """Run Footnote as a user does whose files anybody may read."""
    return subprocess.run(
        [sys.executable, "-m", "desktop", *arguments], check=True, capture_output=True, umask=0o022
    )


@on_posix
@pytest.mark.parametrize("exists", [False, True])
def test_a_knowledge_command_leaves_nothing_that_others_can_read(tmp_path, exists):
    data = tmp_path / "data"
    if exists:
        data.mkdir(mode=0o755)
        (data / "settings.json").write_text("{}")
        (data / "knowledge").mkdir(mode=0o755)
    (tmp_path / "note.txt").write_text("Herons eat fish.")
    run_command("kb", "create", "Birds", "--data-dir", str(data))
    run_command("kb", "add", "Birds", str(tmp_path / "note.txt"), "--data-dir", str(data))
    assert (data / "knowledge" / "knowledge.db").exists()
    assert open_to_others(data) == []


@on_posix
def test_closing_folders_keeps_the_permissions_of_the_owner_and_follows_no_link(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("public")
    outside.chmod(0o644)
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    program = data / "program"
    program.write_text("#!/bin/sh")
    program.chmod(0o755)
    (data / "link").symlink_to(outside)
    folders_for(data).close_to_others()
    assert program.stat().st_mode & 0o777 == 0o700
    assert outside.stat().st_mode & 0o777 == 0o644
    assert open_to_others(data) == []


@on_posix
def test_folders_that_are_not_for_footnote_alone_keep_their_permissions(monkeypatch, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    shared = tmp_path / "shared"
    shared.mkdir()
    for folder, mode in ((home, 0o755), (shared, 0o1777)):
        folder.chmod(mode)
        monkeypatch.setenv("HOME", str(home))
        folders_for(folder).close_to_others()
        folders_for(folder).create()
        assert folder.stat().st_mode & 0o7777 == mode
        assert os.access(folder / "logs", os.W_OK)


def test_a_data_folder_that_cannot_be_is_refused_and_nothing_is_created(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageUnavailable, match="Not a directory"):
            folders_for(folder).check()
    folders_for(tmp_path).check()
    folders_for(tmp_path / "new" / "folder").check()
    assert not (tmp_path / "new").exists()
