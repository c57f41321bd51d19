"""The tool servers on the command line."""

import argparse
import json
import sys
from pathlib import Path

import pytest

from desktop.cli.tools import run

LAB = str(Path(__file__).parents[1] / "mcp" / "stdio_server.py")


@pytest.fixture
def listed(tmp_path, capsys):
    """List the servers that are given, as `--json` or in words."""

    def listed(*servers, is_json=False):
        (tmp_path / "settings.json").write_text(json.dumps({"mcp_servers": servers}), encoding="utf-8")
        status = run(argparse.Namespace(data_dir=tmp_path, json=is_json))
        return status, capsys.readouterr().out

    return listed


def test_servers_are_listed_with_all_that_they_offer(listed):
    lab = {"id": "lab", "name": "Lab", "command": [sys.executable, "-I", "-S", LAB]}
    off = {"id": "off", "name": "Off", "url": "https://off.example/mcp", "is_enabled": False}
    status, words = listed(lab, off)
    assert status == 0
    for line in ("tool      lab__echo  Say it again.", "resource  lab://tides  Tides", "prompt    forecast"):
        assert line in words
    assert words.rstrip().endswith("switched off")
    status, text = listed(lab, off, is_json=True)
    document = json.loads(text)["servers"][0]
    assert document["prompts"] == [{"name": "forecast", "arguments": ["place"]}]
    assert document["protocol"] == "2025-11-25"


def test_a_server_that_fails_says_why(listed):
    status, words = listed({"id": "x", "name": "X", "command": ["no-such-program-anywhere"]})
    assert status == 1
    assert "The program “no-such-program-anywhere” was not found." in words


def test_without_servers_it_says_so(listed):
    assert listed() == (0, "There are no tool servers yet.\n")
