"""`footnote history`: what was said is found from the command line, whether or not it was ever listed."""

import asyncio
import json
from datetime import timedelta

import pytest

from desktop.cli.commands import run_command
from desktop.cli.parser import build_parser
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from tests.unit.storage.history.test_store import DAY, talk


@pytest.fixture
def footnote(tmp_path, capsys):
    """Run the program in a data folder where something was said; return its status and what it printed."""

    async def fill():
        store = ConversationStore(tmp_path)
        await talk(store, *(f"tide {number}" for number in range(70)))
        await talk(store, "When is 潮汐 highest?", "At noon.", at=DAY + timedelta(days=9), assistant="sailor")
        await store.close()

    asyncio.run(fill())

    def run(*arguments):
        status = run_command(build_parser().parse_args(["history", *arguments, "--data-dir", str(tmp_path)]))
        return status, capsys.readouterr().out

    return run


def test_messages_are_found_narrowed_and_told(footnote):
    status, printed = footnote("潮汐", "highes")
    assert status == 0
    assert "you" in printed
    assert "When is 潮汐 highest?" in printed
    assert footnote("noon", "--by", "me") == (1, "nothing was found\n")
    day = (DAY + timedelta(days=9)).date().isoformat()
    (hit,) = json.loads(footnote("noon", "--by", "model", "--since", day, "--until", day, "--json")[1])[
        "hits"
    ]
    assert (hit["text"], hit["speaker"], hit["assistant"]) == ("At noon.", "assistant", "sailor")
    assert [hit["text"][start:end] for start, end in hit["marks"]] == ["noon"]


def test_what_cannot_be_opened_is_said(tmp_path, capsys):
    (tmp_path / FILE_NAME).mkdir()
    arguments = build_parser().parse_args(["history", "tide", "--data-dir", str(tmp_path)])
    assert run_command(arguments) == 1
    assert str(tmp_path / FILE_NAME) in capsys.readouterr().err


def test_as_many_as_are_wanted_come_page_by_page(footnote):
    hits = json.loads(footnote("tide", "--limit", "64", "--json")[1])["hits"]
    assert [hit["text"] for hit in hits] == [f"tide {number}" for number in range(69, 5, -1)]
