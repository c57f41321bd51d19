"""Each form of installation is recognised, and children of others see nothing of our launcher."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop import installation as subject
from desktop.installation import (
    InstallForm,
    find_installation,
    module_command,
    own_environment,
    use_user_environment,
    user_environment,
)
from tests.cases import cases
from tests.source_trees import parse_modules

ROOT = Path(subject.__file__).parent


@pytest.fixture
def tree(tmp_path):
    """Return a program with its own Python: a launcher, its marker and the package."""
    folder = tmp_path / "opt" / "footnote"
    (folder / "python" / "lib" / "desktop").mkdir(parents=True)
    (folder / "footnote").write_text("#!/bin/sh\n")
    return folder


def launch(tree, **more):
    return {"FOOTNOTE_LAUNCHER": str(tree / "footnote"), "HOME": "/home/user", **more}


@pytest.mark.parametrize(
    ("marker", "form", "is_portable"),
    [
        ("deb", InstallForm.DEB, False),
        ("inno", InstallForm.WINDOWS, True),
        ("dmg", InstallForm.MACOS, True),
        ("appimage", InstallForm.APPIMAGE, True),
        ("something new", InstallForm.FOLDER, True),
        (None, InstallForm.FOLDER, True),
    ],
)
def test_a_launcher_starts_what_lies_beside_it_and_its_marker_names_the_form(tree, marker, form, is_portable):
    if marker is not None:
        (tree / "INSTALLED_BY").write_text(f"{marker}\n")
    found = find_installation(launch(tree), tree / "python/lib/desktop")
    assert (found.form, found.command) == (form, (str(tree / "footnote"),))
    assert found.portable_folder == (tree / "Footnote-data" if is_portable else None)
    assert found.shown_command == ("footnote" if form is InstallForm.DEB else str(tree / "footnote"))


def test_a_launcher_may_be_a_link_in_a_folder_of_commands(tree, tmp_path):
    (tree / "INSTALLED_BY").write_text("deb")
    command = tmp_path / "footnote"
    command.symlink_to(tree / "footnote")
    found = find_installation({"FOOTNOTE_LAUNCHER": str(command)}, tree / "python/lib/desktop")
    assert (found.form, found.command) == (InstallForm.DEB, (str(command),))


def test_an_application_of_macos_has_its_data_beside_the_bundle(tmp_path):
    launcher = tmp_path / "Apps/Footnote.app/Contents/MacOS/footnote"
    found = find_installation(
        {"FOOTNOTE_LAUNCHER": str(launcher)}, tmp_path / "Apps/Footnote.app/Contents/Resources/desktop"
    )
    assert found.portable_folder == tmp_path / "Apps" / "Footnote-data"


def test_an_appimage_is_its_file_and_not_the_folder_where_it_is_mounted(tmp_path):
    mounted = tmp_path / "mount"
    environment = {"APPIMAGE": "/home/user/my apps/Footnote.AppImage", "APPDIR": str(mounted)}
    found = find_installation(environment, mounted / "python/desktop")
    assert (found.form, found.command) == (InstallForm.APPIMAGE, (environment["APPIMAGE"],))
    assert found.shown_command == "'/home/user/my apps/Footnote.AppImage'"
    assert found.portable_folder == Path("/home/user/my apps/Footnote-data")


def test_variables_of_other_programs_count_for_nothing(tree, tmp_path):
    foreign = {"APPIMAGE": "/home/user/Terminal.AppImage", "APPDIR": "/tmp/.mount_Term", **launch(tree)}
    assert find_installation(foreign, tree / "python/lib/desktop").form is InstallForm.FOLDER
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "pyproject.toml").touch()
    found = find_installation(foreign, checkout / "desktop")
    assert (found.form, found.command) == (InstallForm.SOURCE, (sys.executable, "-m", "desktop"))
    assert user_environment(foreign, checkout / "desktop") == foreign


@cases(
    "file, form",
    [("uv-receipt.toml", InstallForm.UV_TOOL), ("pipx_metadata.json", InstallForm.PIPX), ("", None)],
)
def test_tools_leave_a_file_in_their_environments(tmp_path, monkeypatch, file, form):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if file:
        (tmp_path / file).touch()
    found = find_installation({}, tmp_path / "lib/site-packages/desktop")
    assert found.form is form or (form is None and found.form in {InstallForm.PIP, InstallForm.UV})
    assert found.command == (sys.executable, "-m", "desktop")
    assert found.portable_folder is None


def test_children_of_others_get_the_environment_of_the_user(tree):
    started = launch(
        tree,
        FOOTNOTE_ORIGINAL_LD_LIBRARY_PATH="/usr/local/lib",
        LD_LIBRARY_PATH=f"{tree}/python/lib:/usr/local/lib",
        FOOTNOTE_ORIGINAL_PYTHONHOME="",
        PYTHONHOME=f"{tree}/python",
        FOOTNOTE_ORIGINAL_PYTHONSTARTUP="/home/user/startup.py",
        QT_PLUGIN_PATH=f"{tree}/python/plugins",
        QT_SCALE_FACTOR="2",
        QTWEBENGINEPROCESS_PATH=f"{tree}/QtWebEngineProcess",
        PATH=f"{tree}/python/bin:/usr/bin",
        PYTHONPATH=f"{tree}/python/site",
    )
    assert user_environment(started, tree / "python/lib/desktop") == {
        "HOME": "/home/user",
        "LD_LIBRARY_PATH": "/usr/local/lib",
        "PYTHONSTARTUP": "/home/user/startup.py",
        "QT_SCALE_FACTOR": "2",
        "PATH": "/usr/bin",
    }


def test_an_appimage_leaves_nothing_of_its_mount(tmp_path):
    mounted = tmp_path / "mount"
    started = {
        "APPIMAGE": "/home/user/Footnote.AppImage",
        "APPDIR": str(mounted),
        "ARGV0": "./Footnote.AppImage",
        "OWD": "/home/user",
        "FOOTNOTE_LAUNCHER": f"{mounted}/footnote",
        "LD_LIBRARY_PATH": f"{mounted}/lib:{mounted}/usr/lib",
        "XDG_DATA_DIRS": f"{mounted}/usr/share:/usr/share",
    }
    assert user_environment(started, mounted / "python/desktop") == {"XDG_DATA_DIRS": "/usr/share"}


def test_our_own_children_get_what_the_launcher_had_set(tree, monkeypatch):
    removed = {"FOOTNOTE_ORIGINAL_PYTHONPATH": "/home/user/modules"}
    started = launch(tree, PYTHONHOME=f"{tree}/python", THEIRS="1", **removed)
    monkeypatch.setattr(subject, "_PACKAGE", tree / "python/lib/desktop")
    monkeypatch.setattr(subject, "_started_with", None)
    environment = dict(started)
    use_user_environment(environment)
    assert environment == {"HOME": "/home/user", "THEIRS": "1", "PYTHONPATH": "/home/user/modules"}
    monkeypatch.setattr(os, "environ", environment | {"LATER": "2"})
    assert own_environment() == started | {"LATER": "2"}


def test_a_module_starts_from_any_folder(tmp_path):
    (tmp_path / "msgspec.py").write_text("raise SystemExit('the file of the user was run')")
    command = module_command("desktop", "--version")
    done = subprocess.run(
        command, check=True, cwd=ROOT.parent, env=own_environment(), capture_output=True, text=True
    )
    assert done.stdout.startswith("footnote ")
    safely = (sys.executable, "-P", "-m", "desktop", "render", "-")
    done = subprocess.run(safely, check=False, cwd=tmp_path, capture_output=True, text=True, input="a")
    assert "the file of the user" not in done.stderr


def test_no_other_module_names_the_interpreter():
    found = set()
    for path, tree in parse_modules(ROOT.rglob("*.py")).items():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "executable"
                and ast.unparse(node) == "sys.executable"
            ):
                found.add(path.relative_to(ROOT).as_posix())
    assert found <= {"installation.py"}, "start children with desktop.installation.module_command"
