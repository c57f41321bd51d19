"""Tool servers in the settings: names of their secrets, parsing and formatting, and consent to their tools."""

import json
import re
import shlex
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from desktop.domain.tools import Consent, tool_key
from desktop.errors import ServerUnusable, plain_reason
from desktop.phrases import translatable
from desktop.settings.model import McpServer, Settings

TOKENS = ".tokens"
CLIENT = ".client"
ENDPOINTS = ".endpoints"
"""Suffix of the name under which sign-in data is stored; no environment variable can have it."""

_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
_MOST_ID_CHARS = 24
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"(?i)key|token|secret|passw|credential|auth")
_PLAIN = re.compile(
    r"(?i)(?:PATH|HOME|LANG|LC_\w+|TZ|DEBUG|HOST|PORT|NODE_ENV|LOG|\w*(?:DIR|PATH|FOLDER|REGION|ZONE|MODE|LEVEL))"
)
"""Names of variables that hold no secrets. Others, such as DATABASE_URL, may contain some."""
_BEARER = "bearer "

_NOT_A_COMMAND = translatable("The command is missing a quotation mark.")
_NO_COMMAND = translatable("Enter the program to start or the address of the server.")
_NOT_AN_ADDRESS = translatable("The address must begin with https:// or http:// and contain a host name.")
_NOT_A_VARIABLE = translatable("“{line}” is not a variable. Enter one NAME=value per line.")
_NOT_JSON = translatable("This is not valid JSON: {detail}")
_NO_SERVERS = translatable("It does not contain “mcpServers”.")
_NO_SUCH_SERVER = translatable("“{name}” has neither a command nor an address.")
_OLD_TRANSPORT = translatable("“{name}” uses the old SSE transport, which Footnote does not support.")


@dataclass(frozen=True)
class ReadServer:
    """A server, and the values of its secrets by the names from `server_secret`."""

    server: McpServer
    secrets: tuple[tuple[str, str], ...] = ()


def server_secret(server_id: str, name: str = "") -> str:
    """Return the name under which the token of a server, or a secret of its environment, is stored."""
    return f"mcp/{server_id}/{name}" if name else f"mcp/{server_id}"


def all_secrets(server: McpServer) -> tuple[str, ...]:
    """Return the names of all secrets that a server may have."""
    names = ("", TOKENS, CLIENT, ENDPOINTS, *server.secret_names)
    return tuple(server_secret(server.id, name) for name in names)


def new_id(name: str, taken: Container[str]) -> str:
    """Return an id derived from a name; models see it as a prefix of tool names."""
    plain = _NOT_IN_IDS.sub("_", name.lower()).strip("_")[:_MOST_ID_CHARS] or "server"
    number, found = 2, plain
    while found in taken:
        found, number = f"{plain}_{number}", number + 1
    return found


def parse_command(line: str) -> tuple[str, ...]:
    """Split a command into words like a POSIX shell; no shell is ever run.

    Raises:
        ServerUnusable: a quotation mark is missing, or the command is empty.
    """
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ServerUnusable(detail=_NOT_A_COMMAND) from error
    if not words:
        raise ServerUnusable(detail=_NO_COMMAND)
    return words


def command_line(command: Iterable[str]) -> str:
    """Return a line that `parse_command` splits into `command`."""
    return shlex.join(command)


def parse_address(text: str) -> str:
    """Return the validated address of a server.

    Raises:
        ServerUnusable: the address is invalid.
    """
    address = text.strip()
    try:
        parts = urlsplit(address)
        is_fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        is_fine = False
    if not is_fine:
        raise ServerUnusable(detail=_NOT_AN_ADDRESS)
    return address


def parse_environment(text: str) -> tuple[tuple[str, str], ...]:
    """Return variables, given as one `NAME=value` per line.

    Raises:
        ServerUnusable: a line has another form.
    """
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, sign, value = line.partition("=")
        if not sign or not _VARIABLE.fullmatch(name.strip()):
            raise ServerUnusable(detail=_NOT_A_VARIABLE.format(line=line))
        found[name.strip()] = value.strip()
    return tuple(found.items())


def read_servers(text: str, taken: Iterable[str]) -> tuple[ReadServer, ...]:
    """Return the servers of a JSON text in the common format: `{"mcpServers": {name: {…}}}`.

    Values of variables whose names suggest a secret, and tokens, are returned separately: they belong in the
    keyring.

    Raises:
        ServerUnusable: it has another form; the message says what is wrong.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ServerUnusable(detail=_NOT_JSON.format(detail=plain_reason(error))) from error
    servers = found.get("mcpServers", found.get("servers")) if isinstance(found, dict) else None
    if not isinstance(servers, dict) or not servers:
        raise ServerUnusable(detail=_NO_SERVERS)
    ids = set(taken)
    read = []
    for name, entry in servers.items():
        server = _server(str(name), entry if isinstance(entry, dict) else {}, new_id(str(name), ids))
        ids.add(server.server.id)
        read.append(server)
    return tuple(read)


def _may_be_secret(name: str, value: str) -> bool:
    if _SECRET.search(name):
        return True
    is_switch = value.isdecimal() or value.lower() in {"", "true", "false", "yes", "no", "on", "off"}
    return not (is_switch or _PLAIN.fullmatch(name))


def _server(name: str, entry: dict[str, Any], server_id: str) -> ReadServer:
    is_enabled = not entry.get("disabled", False)
    command, url = entry.get("command"), entry.get("url") or entry.get("serverUrl")
    if isinstance(command, str) and command.strip():
        arguments = entry.get("args", ())
        words = (command, *map(str, arguments if isinstance(arguments, list) else ()))
        variables = {str(key): str(value) for key, value in _object(entry.get("env")).items()}
        secret = tuple(key for key, value in variables.items() if _may_be_secret(key, value))
        shown = tuple((key, value) for key, value in variables.items() if key not in secret)
        kept = tuple((server_secret(server_id, key), variables[key]) for key in secret)
        server = McpServer(
            server_id, name, words, environment=shown, secret_names=secret, is_enabled=is_enabled
        )
        return ReadServer(server, kept)
    if isinstance(url, str):
        if entry.get("type") == "sse":
            raise ServerUnusable(detail=_OLD_TRANSPORT.format(name=name))
        headers = {str(key).lower(): str(value) for key, value in _object(entry.get("headers")).items()}
        said = headers.get("authorization", "")
        token = said[len(_BEARER) :] if said.lower().startswith(_BEARER) else ""
        kept = ((server_secret(server_id), token),) if token else ()
        return ReadServer(McpServer(server_id, name, url=parse_address(url), is_enabled=is_enabled), kept)
    raise ServerUnusable(detail=_NO_SUCH_SERVER.format(name=name))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def with_consent(settings: Settings, key: str, consent: Consent | None) -> Settings:
    """Return settings with `consent` as the lasting answer for a tool; None makes it ask again."""
    others = tuple(kept for kept in settings.chat.tool_consents if kept[0] != key)
    added = () if consent is None else ((key, consent),)
    return replace(settings, chat=replace(settings.chat, tool_consents=(*others, *added)))


def without_server(settings: Settings, server: str) -> Settings:
    """Return settings without any lasting consent for the tools of a server."""
    mine = tool_key(server, "")
    kept = tuple(said for said in settings.chat.tool_consents if not said[0].startswith(mine))
    return replace(settings, chat=replace(settings.chat, tool_consents=kept))
