"""Nothing is sent that nobody asked for: not by us, not by a library, not by a process that we start."""

import os
import re
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")

_FAR = re.compile(r"sa_family=AF_INET6?, .*")
_NEAR = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"|sin6?_port=htons\(0\)')
"""Port 0 is how glibc asks which of its addresses would be used; nothing is sent."""


def connections(folder, *words):
    """Return where `footnote` and all its processes wanted to connect to."""
    noted = folder / "connects.txt"
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-qq",
            "-e",
            "trace=connect",
            "-o",
            str(noted),
            sys.executable,
            "-m",
            "desktop",
            *words,
        ],
        env=os.environ | {"FOOTNOTE_DATA_DIR": str(folder / "data")},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = noted.read_text(errors="replace").splitlines()
    return [line for line in lines if _FAR.search(line) and not _NEAR.search(line)]


def test_files_are_read_embedded_and_asked_without_a_word_to_anybody(tmp_path, told):
    notes = tmp_path / "notes.txt"
    notes.write_text("Herons eat fish, and sometimes frogs.", encoding="utf-8")
    assert connections(tmp_path, "kb", "create", "Birds") == []
    assert connections(tmp_path, "kb", "add", "Birds", str(notes)) == []
    assert connections(tmp_path, "ask", "--web", "off", "--kb", "Birds", "What do herons eat?") == []
    told(
        "Base made, file embedded, question answered, seen by strace with all processes",
        3,
        "0 connections to other machines",
    )
