"""`footnote ask` with an assistant, and with several models."""

import json

import pytest

from desktop.__main__ import main
from desktop.chat.assistants import with_assistant
from desktop.domain.assistants import Assistant
from desktop.settings.folders import SETTINGS_FILE, folders_for
from desktop.settings.model import Settings, WindowSettings
from desktop.settings.store import SettingsFile


@pytest.fixture
def ask(tmp_path, capsys):
    """Ask on the command line and return status, what was printed, and what was said beside."""
    folder = folders_for(tmp_path).data
    folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(window=WindowSettings(language="en"))
    SettingsFile(folder / SETTINGS_FILE).save(
        with_assistant(settings, Assistant("own", "Lawyer", model="quotes", web="off", bases=("Contracts",)))
    )

    def asked(*arguments: str) -> tuple[int, str, str]:
        status = main(["--data-dir", str(tmp_path), "ask", "What is a tide?", *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return asked


def test_an_assistant_is_called_by_its_name_and_goes_without_what_is_not_there(ask):
    _status, out, err = ask("--assistant", "lawyer", "--json")
    assert json.loads(out)["model"] == "quotes"
    assert "“Lawyer” goes without “Contracts”" in err


def test_an_unknown_assistant_is_named_with_the_known_ones(ask):
    status, _out, err = ask("--assistant", "Doctor")
    assert status == 1
    assert "There is no assistant “Doctor”" in err
    assert "Researcher" in err
    assert "Lawyer" in err


def test_several_models_answer_each_under_its_name(ask):
    status, out, err = ask("--web", "off", "--model", "quotes", "--model", "nowhere/x")
    assert status == 1
    assert "## quotes\n\nThere are no sources" in out
    assert "## nowhere/x" in out
    assert "nowhere/x: " in err
    _status, out, _err = ask("--web", "off", "--model", "quotes", "--model", "nowhere/x", "--json")
    assert {answer["model"] for answer in json.loads(out)["answers"]} == {"quotes", "nowhere/x"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--model", "quotes", "--model", "quotes"),
        tuple(part for n in range(5) for part in ("--model", f"a/{n}")),
        ("--model", "quotes", "--model", "a/b", "--format", "markdown"),
    ],
)
def test_what_cannot_be_compared_is_refused(ask, arguments):
    status, _out, err = ask(*arguments)
    assert status == 2
    assert "model" in err
