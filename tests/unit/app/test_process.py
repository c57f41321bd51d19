"""The lock of a data folder, and the end of a program in which a thread hangs in the system."""

import os
import subprocess
import sys

import pytest

from desktop.app.process import AlreadyOpen, LaunchRequest, read_launch_request, take_lock
from desktop.cli.parser import build_parser
from tests.cases import cases

HOLD = """
import sys
from pathlib import Path
from desktop.app.process import take_lock
lock = take_lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_the_second_is_refused_until_the_first_lets_go(tmp_path):
    lock = take_lock(tmp_path)
    with pytest.raises(AlreadyOpen):
        take_lock(tmp_path)
    lock.close()
    take_lock(tmp_path).close()


def test_two_folders_are_two_programs(tmp_path):
    with take_lock(tmp_path / "a") as one, take_lock(tmp_path / "b") as other:
        assert one is not other
        for folder in ("a", "b"):
            with pytest.raises(AlreadyOpen):
                take_lock(tmp_path / folder)


def test_a_killed_program_leaves_no_lock_behind(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout.readline() == "held\n"
        with pytest.raises(AlreadyOpen):
            take_lock(tmp_path)
        held.kill()
        held.wait(30)
    take_lock(tmp_path).close()


@pytest.mark.skipif(os.name != "posix", reason="a path below a file is refused otherwise elsewhere")
def test_a_folder_that_cannot_be_written_keeps_nobody_from_starting(tmp_path):
    (tmp_path / "file").write_text("")
    assert take_lock(tmp_path / "file" / "data") is None


SCRIPT = """
import sys, threading
from desktop.app import process
wait = threading.Event()
threading.Thread(target=wait.wait, daemon={is_daemon}, name="look-up").start()
if {ends}:
    process.PATIENCE_S = 60  # a busy machine may take longer than the program waits
    threading.Timer(0.1, wait.set).start()
print("closed")
process.force_exit_if_hanging(7)
print("as usual")
wait.set()
sys.exit(7)
"""


@cases(
    "is_daemon, ends, words",
    [
        (False, False, ["closed"]),
        (False, True, ["closed", "as usual"]),
        (True, False, ["closed", "as usual"]),
    ],
)
def test_nothing_that_hangs_keeps_the_program_from_ending(is_daemon, ends, words):
    script = SCRIPT.format(is_daemon=is_daemon, ends=ends)
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=100
    )
    assert (done.returncode, done.stdout.split("\n")[:-1]) == (7, words)


ID = "0123456789abcdef" * 2


@pytest.mark.skipif(os.name != "posix", reason="desktops of Linux name files by their addresses")
@cases(
    "arguments, expected",
    [
        (["/a/b.pdf"], LaunchRequest(("/a/b.pdf",))),
        (["file:///a/caf%C3%A9%20b.pdf"], LaunchRequest(("/a/café b.pdf",))),
        (["/a", "--question", "why"], LaunchRequest(("/a",), "why", is_new=True)),
        (["footnote://ask?question=why"], LaunchRequest(question="why", is_new=True)),
        (["footnote://ask"], LaunchRequest(is_new=True)),
        ([f"footnote://conversation/{ID}"], LaunchRequest(conversation_id=ID)),
        (["footnote://ask", f"footnote://conversation/{ID}"], LaunchRequest(conversation_id=ID)),
    ],
)
def test_files_addresses_and_links_make_a_request(arguments, expected, monkeypatch):
    monkeypatch.delenv("XDG_ACTIVATION_TOKEN", raising=False)
    assert read_launch_request(build_parser().parse_args(["open", *arguments])) == expected
