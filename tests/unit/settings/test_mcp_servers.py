"""Tool servers as people write them down: a line, a few variables, or the JSON of another program."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import ServerUnusable
from desktop.settings.mcp_servers import (
    command_line,
    new_id,
    parse_address,
    parse_command,
    parse_environment,
    read_servers,
    server_secret,
)
from tests.cases import cases


@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=1))
def test_a_command_that_is_shown_is_read_back_word_for_word(words):
    assert parse_command(command_line(words)) == tuple(words)


def test_a_command_is_split_and_nothing_in_it_is_special():
    assert parse_command("npx -y 'my server' $HOME | cat *") == (
        "npx", "-y", "my server", "$HOME", "|", "cat", "*"
    )  # fmt: skip


@cases("line, words", [("", "Enter the program"), ("  ", "Enter the program"), ("a 'b", "quotation")])
def test_a_command_that_is_none_says_why(line, words):
    with pytest.raises(ServerUnusable, match=words):
        parse_command(line)


def test_variables_are_one_a_line():
    assert parse_environment("A=1\n\n B = x=y \nA=2") == (("A", "2"), ("B", "x=y"))
    with pytest.raises(ServerUnusable, match="“1A=x” is not a variable"):
        parse_environment("1A=x")


@cases("text", ["", "example.org", "ftp://x", "http://", "https://me:pw@x/", "https://[", "/a"])
def test_an_address_that_is_none_is_refused(text):
    with pytest.raises(ServerUnusable):
        parse_address(text)


def test_ids_are_short_plain_and_new():
    assert new_id("GitHub (work)", ()) == "github_work"
    assert new_id("潮汐", ()) == "server"
    assert new_id("潮汐", {"server", "server_2"}) == "server_3"


def test_the_json_of_other_programs_is_read_with_its_secrets_apart():
    text = json.dumps(
        {
            "mcpServers": {
                "github": {
                    "command": "npx",
                    "args": ["-y", "@modelcontextprotocol/server-github"],
                    "env": {"GITHUB_TOKEN": "ghp_x", "LOG": "info"},
                },
                "Remote": {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer abc"}},
                "off": {"command": "x", "disabled": True},
            }
        }
    )
    github, remote, off = read_servers(text, {"remote"})
    assert github.server.command == ("npx", "-y", "@modelcontextprotocol/server-github")
    assert github.server.environment == (("LOG", "info"),)
    assert github.server.secret_names == ("GITHUB_TOKEN",)
    assert github.secrets == ((server_secret("github", "GITHUB_TOKEN"), "ghp_x"),)
    assert remote.server.id == "remote_2"
    assert (remote.server.url, remote.secrets) == ("https://x.example/mcp", (("mcp/remote_2", "abc"),))
    assert not off.server.is_enabled
    assert "ghp_x" not in repr(github.server)


@cases(
    "text, words",
    [
        ("{", "not valid JSON"),
        ("[]", "does not contain “mcpServers”"),
        ('{"mcpServers": {}}', "does not contain “mcpServers”"),
        ('{"mcpServers": {"a": 1}}', "neither a command nor an address"),
        ('{"mcpServers": {"a": {"url": "x"}}}', "must begin with https://"),
        ('{"mcpServers": {"a": {"url": "https://x.example/sse", "type": "sse"}}}', "old SSE transport"),
    ],
)
def test_what_makes_no_servers_says_why(text, words):
    with pytest.raises(ServerUnusable, match=words):
        read_servers(text, ())


@given(
    st.recursive(st.none() | st.booleans() | st.text(), lambda s: st.dictionaries(st.text(), s) | st.lists(s))
)
def test_no_json_at_all_breaks_the_reading(found):
    for text in (
        json.dumps(found),
        json.dumps({"mcpServers": found}),
        json.dumps({"mcpServers": {"a": found}}),
    ):
        try:
            servers = read_servers(text, ())
        except ServerUnusable:
            continue
        assert all(each.server.command or each.server.url for each in servers)


def test_of_variables_nobody_knows_the_values_are_secrets():
    pasted = {
        "mcpServers": {
            "lab": {
                "command": "lab",
                "env": {
                    "DATABASE_URL": "postgres://u:pw@h",
                    "GH_PAT": "x",
                    "PORT": "80",
                    "VERBOSE": "true",
                    "DATA_DIR": "/d",
                },
            }
        }
    }
    (lab,) = read_servers(json.dumps(pasted), ())
    assert lab.server.secret_names == ("DATABASE_URL", "GH_PAT")
    assert "pw" not in repr(lab.server)
