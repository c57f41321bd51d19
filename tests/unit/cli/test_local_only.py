"""`--only-here`: what would leave the machine is not asked, and it is said so; what runs here answers."""

import json

import pytest

from desktop.__main__ import main
from desktop.settings import egress
from desktop.settings.folders import SETTINGS_FILE
from tests.e2e.model_server import running_model_server


@pytest.fixture
def server():
    with running_model_server() as running:
        yield running


@pytest.fixture
def footnote(tmp_path, capsys, server):
    """Run a command on settings with a model, and return its status and its document."""
    provider = {
        "id": "own",
        "name": "Own",
        "kind": "openai",
        "base_url": f"{server.origin}/v1",
        "needs_key": False,
    }
    (tmp_path / SETTINGS_FILE).write_text(json.dumps({"providers": [provider]}))

    def run(*words):
        status = main([*words, "--json", "--data-dir", str(tmp_path)])
        return status, json.loads(capsys.readouterr().out)

    return run


ASK = ("ask", "Say hello", "--web", "off", "--model", "own/scripted")


def test_a_model_elsewhere_is_not_asked(footnote, server, monkeypatch):
    monkeypatch.setattr(egress, "is_loopback", lambda _address: False)  # the server plays one far away
    status, document = footnote(*ASK, "--only-here")
    assert status == 1
    assert "stays on this computer" in document["error"]
    assert server.requests == []
    assert footnote(*ASK)[0] == 0
    assert server.requests


def test_a_model_on_this_machine_answers(footnote, server):
    status, document = footnote(*ASK, "--only-here")
    assert (status, document["answer"]) == (0, "".join(server.pieces))


def test_no_web_search_is_tried(footnote, tmp_path):
    (tmp_path / "paper.txt").write_text("Herons stand in rivers.")
    words = ("ask", "Where do herons stand?", "--model", "quotes", "--file", str(tmp_path / "paper.txt"))
    status, document = footnote(*words, "--only-here")
    assert status == 0
    assert "Herons stand in rivers." in document["answer"]
    assert "stays on this computer" not in json.dumps(document, ensure_ascii=False)


def test_a_page_is_not_fetched(footnote):
    status, document = footnote("read", "https://example.com/herons", "--only-here")
    assert status == 1
    assert "stays on this computer" in document["error"]


@pytest.mark.parametrize(
    "words", [("write", "Herons", "--file", "paper.txt"), ("read", "paper.txt", "--for-me")]
)
def test_texts_are_written_and_read_here_alone(footnote, tmp_path, server, monkeypatch, words):
    monkeypatch.setattr(egress, "is_loopback", lambda _address: False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper.txt").write_text("Herons stand in rivers. " * 40)
    status, document = footnote(*words, "--model", "own/scripted", "--only-here")
    assert status == 1
    assert "stays on this computer" in document["error"]
    assert server.requests == []
