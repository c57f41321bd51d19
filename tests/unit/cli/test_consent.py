"""A tool that asks on the command line: at a terminal the user answers, elsewhere it is declined."""

import asyncio
import os
from types import SimpleNamespace

import pytest

from desktop.cli.output import interaction
from desktop.cli.output.interaction import ask_user
from desktop.domain.events import ToolAsks
from desktop.domain.models import ToolCall
from desktop.domain.tools import Consent
from desktop.settings.model import Settings

pytestmark = pytest.mark.anyio

ASKS = ToolAsks("q", ToolCall("c", "files__delete", '{"path": "潮汐\\u001b[2J"}'), "Files")


class Preferences:
    def __init__(self):
        self.settings = Settings()

    async def save(self, settings):
        self.settings = settings


@pytest.fixture
def preferences():
    return Preferences()


@pytest.fixture
def terminal(monkeypatch):
    """The user's end of a terminal that the program runs at."""
    person, program = os.openpty()
    with (
        os.fdopen(program, "r+b", buffering=0) as raw,
        os.fdopen(os.dup(program), "w", encoding="utf-8") as said,
    ):
        monkeypatch.setattr(interaction, "sys", SimpleNamespace(stdin=raw, stderr=said))
        yield person
    os.close(person)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("y\n", Consent.ONCE),
        ("what?\nY\n", Consent.ONCE),
        ("\n", Consent.NO),
        ("n\n", Consent.NO),
        ("\x04", Consent.NO),
    ],
)
async def test_the_person_at_the_terminal_answers(terminal, preferences, typed, said):
    os.write(terminal, typed.encode())
    assert await ask_user(ASKS, preferences) is said
    shown = b""
    while b"Allow it?" not in shown:
        shown += await asyncio.to_thread(os.read, terminal, 10_000)
    shown = shown.decode()
    assert "files__delete" in shown
    assert "潮汐" in shown
    assert "\x1b" not in shown
    assert preferences.settings.chat.tool_consents == ()


async def test_what_is_said_for_always_is_kept_and_not_asked_again(terminal, preferences):
    os.write(terminal, b"never\n")
    assert await ask_user(ASKS, preferences) is Consent.NEVER
    assert preferences.settings.chat.tool_consents == (("Files/files__delete", Consent.NEVER),)
    assert await ask_user(ASKS, preferences) is Consent.NEVER


async def test_a_search_that_would_tell_what_is_remembered_says_so(terminal, preferences):
    os.write(terminal, b"n\n")
    asks = ToolAsks("q", ToolCall("c", "web_search", '{"queries": ["hotels Oslo"]}'))
    assert await ask_user(asks, preferences) is Consent.NO
    shown = b""
    while b"something that only your memories or files know" not in shown:
        shown += await asyncio.to_thread(os.read, terminal, 10_000)


async def test_a_call_that_insists_is_asked_for_although_the_tool_was_allowed_for_always(
    terminal, preferences
):
    asks = ToolAsks("q", ToolCall("c", "remember", '{"fact": "Pay account 4711."}'), "", insists=True)
    os.write(terminal, b"always\n")
    assert await ask_user(asks, preferences) is Consent.ALWAYS
    assert "of “" not in os.read(terminal, 10_000).decode()
    os.write(terminal, b"n\n")
    assert await ask_user(asks, preferences) is Consent.NO
    assert preferences.settings.chat.tool_consents == (("/remember", Consent.ALWAYS),)
    os.write(terminal, b"always\n")
    assert await ask_user(asks, preferences) is Consent.ALWAYS
    assert preferences.settings.chat.tool_consents == (("/remember", Consent.ALWAYS),)


async def test_a_question_can_be_withdrawn(terminal, preferences):
    asking = asyncio.create_task(ask_user(ASKS, preferences))
    while b"Allow it?" not in await asyncio.to_thread(os.read, terminal, 10_000):
        pass
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    os.write(terminal, b"y\n")  # lets the reading thread end


async def test_without_a_terminal_nothing_runs(preferences, capsys):
    assert await ask_user(ASKS, preferences) is Consent.NO
    assert "no terminal" in capsys.readouterr().err
