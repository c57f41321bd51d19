"""Commands on a disk without room, as it is: a small file system that is filled, and emptied again."""

import os
import shutil
import subprocess
import sys

import pytest

SIZE_KB = 8_000
COMMANDS = (("memory", "add", "the boat is blue"), ("kb", "create", "lake"), ("backup", "take"))


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={SIZE_KB}k", "tmpfs", folder], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def run(disk, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "desktop", "--data-dir", disk / "data", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
    )


def fill(disk, free_kb):
    """Leave so many KB free."""
    (disk / "fill").unlink(missing_ok=True)
    with (disk / "fill").open("wb") as file:
        file.write(bytes(shutil.disk_usage(disk).free - free_kb * 1024))


def test_a_base_is_imported_into_a_full_disk_or_refused_at_once(disk, tmp_path):
    note, exported = tmp_path / "otter.txt", tmp_path / "sea.base"
    note.write_text("The otter swims in the river.")
    for arguments in (("create", "sea"), ("add", "sea", note), ("export", "sea", exported)):
        assert run(disk, "kb", *arguments).returncode == 0
    fill(disk, 0)
    refused = run(disk, "kb", "import", exported)
    assert (refused.returncode, "disk is full" in refused.stderr) == (1, True), refused.stderr
    (disk / "fill").unlink()
    assert run(disk, "kb", "import", exported).returncode == 0


def test_commands_on_a_full_disk_say_so_and_work_once_there_is_room(disk):
    assert run(disk, "memory", "add", "the light is red").returncode == 0
    assert run(disk, "kb", "create", "sea").returncode == 0
    fill(disk, 0)
    for command in COMMANDS:
        refused = run(disk, *command)
        assert (refused.returncode, "disk is full" in refused.stderr) == (1, True), refused.stderr
        fill(disk, 0)  # also what the refused command may have let go of
    (disk / "fill").unlink()
    for command in COMMANDS:
        done = run(disk, *command)
        assert done.returncode == 0, done.stderr
    assert "the light is red" in run(disk, "memory", "list").stdout
    assert "sea" in run(disk, "kb", "list").stdout
