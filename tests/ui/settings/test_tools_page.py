"""Tool servers in the settings: added, changed, tested, removed and had back; answers for always taken back."""

import asyncio
import json
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.domain.models import ToolSpec
from desktop.domain.tools import Consent, ServerPrompt, ServerState, Tool
from desktop.errors.servers import ServerNotStarted
from desktop.settings.model import McpServer
from desktop.ui.settings.pages import tool_servers as mcp_card
from desktop.ui.settings.pages.tool_servers import ServerList, StandingApprovals
from tests.ui.fakes.scripts import script_result, script_steps

FILES = McpServer("files", "Files", ("files-server", "--root", "/my files"), secret_names=("API_KEY",))
SIGN_IN_PAGE = "https://example.org/sign-in"
CLOUD = McpServer("cloud", "Cloud", url="https://cloud.example/mcp")


def offering(server, *names, **fields):
    tools = tuple(Tool(ToolSpec(f"{server.id}__{name}", "", {}), None, server.name) for name in names)
    return ServerState(server.id, tools, **fields)


@pytest.fixture(autouse=True)
def known_servers(engine):
    settings = engine.preferences.settings
    consents = (("Files/files__read", Consent.ALWAYS), ("Other/o__x", Consent.NEVER))
    engine.preferences.settings = replace(
        settings, mcp_servers=(FILES, CLOUD), chat=replace(settings.chat, tool_consents=consents)
    )
    engine.loop.call(engine.preferences.set_secret("mcp/files/API_KEY", "old"))
    files = offering(FILES, "read", "write", prompts=(ServerPrompt("files", "Files", "tidy"),))
    wish = "The tool server “Cloud” wants you to sign in."
    script_result(
        engine.tool_servers, "states", (files, ServerState("cloud", error=wish, wants_sign_in=True))
    )
    return script_result(engine.tool_servers, "test", files)


@pytest.fixture
def servers(context, qtbot):
    widget = ServerList(context)
    qtbot.add_widget(widget)
    widget.show()
    qtbot.wait_until(lambda: "read" in card(widget, "Files").state.text())
    return widget


def card(servers, name):
    return next(card for card in servers.cards if card.server.name == name)


def servers_by_name(context):
    return {server.name: server for server in context.store.settings.mcp_servers}


def test_the_list_says_how_every_server_is_doing(servers):
    assert card(servers, "Files").state.text() == "Tools (2): read, write\nPrompts (1): tidy"
    assert "wants you to sign in" in card(servers, "Cloud").state.text()
    assert not card(servers, "Cloud").sign_in.isHidden()
    texts = [label.text() for label in servers.findChildren(QLabel)]
    assert "files-server --root '/my files'" in texts


def test_a_server_is_added_with_its_secrets_in_the_keyring_alone(servers, context, engine, qtbot):
    missing = str(ServerNotStarted(server="Mine", detail=""))
    script_result(engine.tool_servers, "test", ServerState("mine", error=missing))
    dialog = servers.open_dialog(None)
    dialog.command.setText("uvx 'my server")
    dialog.keep.click()
    assert "quotation mark" in dialog.problem.text()
    dialog.name.setText("Files")
    dialog.command.setText("uvx 'my server' $HOME")
    assert dialog.words.text() == "Runs: “uvx”  “my server”  “$HOME”"
    dialog.keep.click()
    assert "this name already" in dialog.problem.text()
    dialog.name.setText("Mine")
    dialog.environment.setPlainText("LOG=info")
    dialog.secrets.add_variable()
    dialog.secrets.fields[0].name.setText("TOKEN")
    dialog.secrets.fields[0].value.setText("s3cret")
    dialog.timeout.setValue(90)
    dialog.keep.click()
    qtbot.wait_until(lambda: "Mine" in servers_by_name(context))
    mine = servers_by_name(context)["Mine"]
    assert (mine.id, mine.command) == ("mine", ("uvx", "my server", "$HOME"))
    assert (mine.environment, mine.secret_names, mine.timeout_s) == ((("LOG", "info"),), ("TOKEN",), 90.0)
    assert engine.preferences.secrets["mcp/mine/TOKEN"] == "s3cret"
    assert "s3cret" not in repr(context.store.settings)
    qtbot.wait_until(lambda: "couldn’t be started" in card(servers, "Mine").state.text())


def test_a_server_that_becomes_another_program_loses_what_it_was_allowed(servers, context, engine, qtbot):
    dialog = servers.open_dialog(FILES)
    assert dialog.command.text() == "files-server --root '/my files'"
    qtbot.wait_until(lambda: "Saved" in dialog.secrets.fields[0].value.placeholderText())
    dialog.secrets.fields[0].forget.click()
    dialog.command.setText("other-server")
    dialog.keep.click()
    qtbot.wait_until(lambda: servers_by_name(context)["Files"].command == ("other-server",))
    assert context.store.settings.chat.tool_consents == (("Other/o__x", Consent.NEVER),)
    assert engine.preferences.secrets == {}


def test_an_address_has_a_token_that_is_kept_and_forgotten(servers, context, engine, qtbot):
    dialog = servers.open_dialog(CLOUD)
    assert not dialog.command.isVisible()
    dialog.token.value.setText("abc")
    dialog.keep.click()
    qtbot.wait_until(lambda: engine.preferences.secrets.get("mcp/cloud") == "abc")
    dialog = servers.open_dialog(CLOUD)
    qtbot.wait_until(dialog.token.forget.isVisible)
    dialog.token.forget.click()
    dialog.keep.click()
    qtbot.wait_until(lambda: "mcp/cloud" not in engine.preferences.secrets)


def test_what_was_removed_can_be_had_back_and_is_forgotten_with_the_page(servers, context, engine, qtbot):
    card(servers, "Files").remove.click()
    qtbot.wait_until(lambda: [card.server.name for card in servers.cards] == ["Cloud"])
    assert context.store.settings.chat.tool_consents == (("Other/o__x", Consent.NEVER),)
    servers.window().showMinimized()
    servers.window().showNormal()
    servers.notices.action.click()
    qtbot.wait_until(lambda: len(servers.cards) == 2)
    assert list(servers_by_name(context)) == ["Files", "Cloud"]
    assert ("Files/files__read", Consent.ALWAYS) in context.store.settings.chat.tool_consents
    assert engine.preferences.secrets == {"mcp/files/API_KEY": "old"}
    card(servers, "Files").remove.click()
    qtbot.wait_until(lambda: len(servers.cards) == 1)
    servers.hide()
    qtbot.wait_until(lambda: engine.preferences.secrets == {})


def test_a_new_server_of_the_name_of_a_removed_one_keeps_its_own_secrets_alone(
    servers, context, engine, qtbot
):
    card(servers, "Files").remove.click()
    qtbot.wait_until(lambda: len(servers.cards) == 1)
    dialog = servers.open_paste()
    pasted = {"mcpServers": {"files": {"command": "uvx", "args": ["files"], "env": {"API_KEY": "new"}}}}
    dialog.text.setPlainText(json.dumps(pasted))
    dialog.take.click()
    qtbot.wait_until(lambda: "files" in servers_by_name(context))
    servers.hide()
    qtbot.wait_until(lambda: not context.store._keeping)
    assert engine.preferences.secrets == {"mcp/files/API_KEY": "new"}


def test_a_configuration_is_pasted(servers, context, engine, qtbot):
    dialog = servers.open_paste()
    dialog.text.setPlainText("{}")
    dialog.take.click()
    assert "mcpServers" in dialog.problem.text()
    pasted = {"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"MY_KEY": "k"}}}}
    dialog.text.setPlainText(json.dumps(pasted))
    dialog.take.click()
    qtbot.wait_until(lambda: "time" in servers_by_name(context))
    assert servers_by_name(context)["time"].command == ("uvx", "mcp-server-time")
    assert engine.preferences.secrets["mcp/time/MY_KEY"] == "k"


def test_a_server_is_switched_off_and_on(servers, context, known_servers, qtbot):
    card(servers, "Files").enabled.click()
    assert not servers_by_name(context)["Files"].is_enabled
    card(servers, "Files").enabled.click()
    assert servers_by_name(context)["Files"].is_enabled
    qtbot.wait_until(lambda: [server.id for (server,) in known_servers] == ["files"])


def test_the_person_signs_in_in_their_browser_or_gives_up(servers, engine, qtbot, monkeypatch):
    opened, gate = [], asyncio.Event()
    signed_in = script_steps(engine.tool_servers, "sign_in", SIGN_IN_PAGE, gate)
    script_result(engine.tool_servers, "test", ServerState("cloud"))
    monkeypatch.setattr(mcp_card, "open_link", lambda address: opened.append(address) or True)
    cloud = card(servers, "Cloud")
    cloud.sign_in.click()
    qtbot.wait_until(lambda: opened == [SIGN_IN_PAGE])
    assert "in your browser" in cloud.state.text()
    cloud.sign_in.click()
    qtbot.wait_until(lambda: signed_in.cancelled == 1)
    qtbot.wait_until(lambda: cloud.sign_in.text() == "Sign in…")
    cloud.sign_in.click()
    qtbot.wait_until(lambda: len(opened) == 2)
    engine.release(gate)
    qtbot.wait_until(lambda: "Tools (0)" in cloud.state.text())


def test_a_test_that_fails_meanwhile_does_not_end_signing_in(servers, engine, qtbot, monkeypatch):
    monkeypatch.setattr(mcp_card, "open_link", lambda _address: True)
    monkeypatch.setattr(mcp_card, "open_link", lambda _address: True)
    signed_in = script_steps(engine.tool_servers, "sign_in", SIGN_IN_PAGE, asyncio.Event())
    cloud = card(servers, "Cloud")
    cloud.sign_in.click()
    qtbot.wait_until(lambda: "browser" in cloud.state.text())
    script_result(engine.tool_servers, "test", ServerNotStarted(server="Cloud", detail="It is busy."))
    cloud.test.click()
    qtbot.wait_until(lambda: "It is busy." in cloud.state.text())
    assert cloud.sign_in.text() == "Cancel"
    cloud.sign_in.click()
    qtbot.wait_until(lambda: signed_in.cancelled == 1)
    qtbot.wait_until(lambda: cloud.sign_in.text() == "Sign in…")


def test_answers_for_always_are_taken_back(context, qtbot):
    answers = StandingApprovals(context)
    qtbot.add_widget(answers)
    answers.show()
    texts = [label.text() for label in answers.findChildren(QLabel)]
    assert texts == ["Files · read", "Always allowed", "Other · x", "Never allowed"]
    button = next(
        each
        for each in answers.findChildren(QPushButton)
        if each.accessibleName() == "Ask again for Other · x"
    )
    button.click()
    assert context.store.settings.chat.tool_consents == (("Files/files__read", Consent.ALWAYS),)
    qtbot.wait_until(lambda: len(answers._rows) == 1)
