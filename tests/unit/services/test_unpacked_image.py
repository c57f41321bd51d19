"""The unpacked copy of an AppImage, made of a small tree, and the script of the AppImage that starts it."""

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from desktop.installation import InstallForm, find_installation
from desktop.services.updates import COMPLETE, copies_folder, keep_copy

BUNDLE = Path(__file__).parents[3] / "scripts" / "bundle"


@pytest.fixture
def write_app_run(monkeypatch):
    monkeypatch.syspath_prepend(str(BUNDLE))
    return runpy.run_path(str(BUNDLE / "appimage.py"))["write_app_run"]


@pytest.fixture
def image(tmp_path, write_app_run):
    """A mounted AppImage whose program says where it runs, in which environment."""
    tree = tmp_path / "mounted"
    (tree / "python" / "bin").mkdir(parents=True)
    program = tree / "footnote"
    program.write_text('#!/bin/sh\necho "$0 $APPDIR $*"\n')
    program.chmod(0o755)
    (tree / "python" / "bin" / "python").symlink_to("python3")
    write_app_run(tree)
    return tree


def start(image, tmp_path, *arguments: str) -> list[str]:
    environment = {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "APPIMAGE": "/home/ada/Footnote.AppImage",
        "APPDIR": str(image),
        "PATH": "/usr/bin:/bin",
    }
    ran = subprocess.run(
        [image / "AppRun", *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def keep(image, tmp_path, *, is_wanted=True, files: int = 1_000) -> None:
    left = iter(range(files))
    folder = copies_folder({"XDG_CACHE_HOME": str(tmp_path / "cache")})
    keep_copy(image, folder, is_wanted=is_wanted, is_stopped=lambda: next(left, None) is None)


def copies(tmp_path) -> list[Path]:
    return sorted((tmp_path / "cache" / "footnote" / "appimage").glob("*"))


def test_later_starts_run_the_copy_and_it_is_the_appimage_still(image, tmp_path):
    assert start(image, tmp_path) == [f"{image}/footnote", str(image)]
    keep(image, tmp_path)
    (copy,) = copies(tmp_path)
    assert start(image, tmp_path, "ask", "why") == [f"{copy}/footnote", str(copy), "ask", "why"]
    assert (copy / "python" / "bin" / "python").readlink() == Path("python3")
    found = find_installation(
        {"APPIMAGE": "/home/ada/Footnote.AppImage", "APPDIR": str(copy)}, copy / "desktop"
    )
    assert (found.form, found.command, found.tree) == (
        InstallForm.APPIMAGE,
        ("/home/ada/Footnote.AppImage",),
        copy,
    )


def test_a_copy_that_was_stopped_or_damaged_is_not_started_and_is_made_anew(image, tmp_path):
    keep(image, tmp_path, files=1)
    assert start(image, tmp_path) == [f"{image}/footnote", str(image)]
    keep(image, tmp_path)
    (copy,) = copies(tmp_path)
    (copy / COMPLETE).unlink()
    assert start(image, tmp_path) == [f"{image}/footnote", str(image)]
    keep(image, tmp_path)
    assert copies(tmp_path) == [copy]
    assert start(image, tmp_path) == [f"{copy}/footnote", str(copy)]


def test_a_newer_build_replaces_the_copy_unless_it_runs(image, tmp_path, write_app_run):
    shutil.copy2(shutil.which("sleep") or "", image / "sleep")
    keep(image, tmp_path)
    (old,) = copies(tmp_path)
    (image / "more").write_text("of the next version")
    write_app_run(image)
    with subprocess.Popen([old / "sleep", "60"]) as running:
        keep(image, tmp_path)
        assert old in copies(tmp_path)
        running.kill()
    keep(image, tmp_path)
    (new,) = copies(tmp_path)
    assert new != old
    assert start(image, tmp_path) == [f"{new}/footnote", str(new)]


def test_without_the_setting_it_is_removed_at_once_or_no_longer_started_while_it_runs(image, tmp_path):
    shutil.copy2(shutil.which("sleep") or "", image / "sleep")
    keep(image, tmp_path)
    (copy,) = copies(tmp_path)
    with subprocess.Popen([copy / "sleep", "60"]) as running:
        keep(copy, tmp_path, is_wanted=False)
        assert (copies(tmp_path), start(image, tmp_path)) == ([copy], [f"{image}/footnote", str(image)])
        running.kill()
    keep(image, tmp_path, is_wanted=False)
    assert copies(tmp_path) == []


def test_without_space_on_the_disk_nothing_is_written(image, tmp_path, monkeypatch):
    keep(image, tmp_path, files=1)
    assert copies(tmp_path)  # a part, because the copying was stopped
    usage = shutil.disk_usage(tmp_path)._replace(free=1024)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    keep(image, tmp_path)
    assert copies(tmp_path) == []
