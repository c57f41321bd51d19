"""Commands on a disk without room, as it is: a small file system that is filled, and emptied again."""

import shutil
import subprocess

import pytest

from desktop.cli.commands import run_command
from desktop.cli.parser import build_parser

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


@pytest.fixture
def run(disk, capfd):
    """Run a command and return its status, what it printed, and what it said."""

    def ended(*arguments):
        arguments = ["--data-dir", str(disk / "data"), *map(str, arguments)]
        status = run_command(build_parser().parse_args(arguments))
        printed = capfd.readouterr()
        return status, printed.out, printed.err

    return ended


def fill(disk, free_kb):
    """Leave so many KB free."""
    (disk / "fill").unlink(missing_ok=True)
    with (disk / "fill").open("wb") as file:
        file.write(bytes(shutil.disk_usage(disk).free - free_kb * 1024))


def test_a_base_is_imported_into_a_full_disk_or_refused_at_once(disk, run, tmp_path):
    note, exported = tmp_path / "otter.txt", tmp_path / "sea.base"
    note.write_text("The otter swims in the river.")
    for arguments in (("create", "sea"), ("add", "sea", note), ("export", "sea", exported)):
        assert run("kb", *arguments)[0] == 0
    fill(disk, 0)
    status, _, said = run("kb", "import", exported)
    assert (status, "disk is full" in said) == (1, True), said
    (disk / "fill").unlink()
    assert run("kb", "import", exported)[0] == 0


def test_commands_on_a_full_disk_say_so_and_work_once_there_is_room(disk, run):
    assert run("memory", "add", "the light is red")[0] == 0
    assert run("kb", "create", "sea")[0] == 0
    fill(disk, 0)
    for command in COMMANDS:
        status, _, said = run(*command)
        assert (status, "disk is full" in said) == (1, True), said
        fill(disk, 0)  # also what the refused command may have let go of
    (disk / "fill").unlink()
    for command in COMMANDS:
        status, _, said = run(*command)
        assert status == 0, said
    assert "the light is red" in run("memory", "list")[1]
    assert "sea" in run("kb", "list")[1]
