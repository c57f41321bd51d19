"""Files added to a base on a disk with more and less room: it is said, and gone on with once there is room."""

import json
import shutil

import pytest

from tests.unit.cli.test_full_disk import disk, fill, run

__all__ = ["disk", "run"]

COMMANDS = {
    "ask": ("ask", "Where does the otter swim?", "--model", "quotes", "--web", "off", "--kb", "sea"),
    "export everything": ("transfer", "export", "{disk}/all.footnote"),
    "import everything": ("transfer", "import", "{folder}/all.footnote"),
    "note": ("kb", "note", "sea", "Title", "text " * 5_000),
    "import a base": ("kb", "import", "{folder}/sea.base"),
    "tag": ("kb", "tag", "sea", "otter.txt", "red"),
    "watch": ("kb", "watch", "sea", "{folder}"),
    "search": ("kb", "search", "sea", "otter"),
    "read": ("read", "{folder}/otter.txt"),
    "import memories": ("memory", "import", "{folder}/memories.jsonl"),
    "export a base": ("kb", "export", "sea", "{disk}/sea.base"),
    "rename": ("kb", "rename", "sea", "ocean"),
    "remove": ("kb", "remove", "sea", "otter.txt"),
}
"""Each either works or says that the disk is full; again, with room, all of them work."""
LEVELS_KB = (150, 500, 0, 30, 60, 100, 200, 300, 400, 600, 700)


def test_what_did_not_fit_is_said_and_read_again_when_there_is_room(disk, run, tmp_path, times, told):
    count, said = times(1, len(LEVELS_KB)), 0
    file = tmp_path / "otter.txt"
    file.write_text("The otter swims in the river and eats fish.\n" * times(1_000, 8_000))
    assert run("kb", "create", "sea")[0] == 0
    shutil.copytree(disk / "data", tmp_path / "before")
    for level in LEVELS_KB[:count]:
        (disk / "fill").unlink(missing_ok=True)
        shutil.rmtree(disk / "data")
        shutil.copytree(tmp_path / "before", disk / "data")
        fill(disk, level)
        failed, _, reason = run("kb", "add", "sea", file)
        if failed:
            assert "disk is full" in reason, reason
            said += 1
        (disk / "fill").unlink()
        status, _, reason = run("kb", "retry", "sea")
        assert status == 0, reason
        listed = json.loads(run("kb", "list", "sea", "--json")[1])["files"]
        if not listed:  # it did not get onto the list
            assert failed
            listed = json.loads(run("kb", "add", "sea", file, "--json")[1])["files"]
        assert [each["state"] for each in listed] == ["ready"]
    assert said, "it fitted at all levels: the file is too short"
    told(
        "A file added with 0 to 700 KB of room left",
        count,
        f"{said} said that the disk is full, 0 lost, each went on",
    )


def test_every_command_works_or_says_that_the_disk_is_full(disk, run, tmp_path, times, told):
    count, said = times(0, len(LEVELS_KB)), 0
    if not count:
        pytest.skip("tried in a long run alone; tests/unit/cli/test_full_disk.py tries four commands")
    (tmp_path / "otter.txt").write_text("The otter swims in the river and eats fish.\n" * 2_000)
    for arguments in (
        ("memory", "add", "the light is red"),
        ("kb", "create", "sea"),
        ("kb", "add", "sea", tmp_path / "otter.txt"),
        ("transfer", "export", tmp_path / "all.footnote"),
        ("kb", "export", "sea", tmp_path / "sea.base"),
        ("memory", "export", tmp_path / "memories.jsonl"),
    ):
        assert run(*arguments)[0] == 0
    shutil.copytree(disk / "data", tmp_path / "before")
    for level, name in ((level, name) for level in LEVELS_KB[:count] for name in COMMANDS):
        arguments = [text.format(disk=disk, folder=tmp_path) for text in COMMANDS[name]]
        for left in disk.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        shutil.copytree(tmp_path / "before", disk / "data")
        fill(disk, level)
        failed, _, reason = run(*arguments)
        if failed:
            assert "disk is full" in reason or "space left" in reason, (name, level, reason)
            said += 1
        (disk / "fill").unlink()
        status, _, reason = run(*arguments)
        assert status == 0, (name, level, reason)
        assert "the light is red" in run("memory", "list")[1]
    told(
        "Thirteen commands with 0 to 700 KB of room left",
        count * len(COMMANDS),
        f"{said} said that the disk is full, 0 lost, each went on",
    )
