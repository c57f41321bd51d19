"""`footnote tools`: lists the tool servers and their tools."""

import argparse
import asyncio

from desktop.cli.output.terminal import Answer, print_json, print_words, tell_notice
from desktop.domain.tools import ServerState
from desktop.services.container import running_services
from desktop.settings.folders import folders_for
from desktop.settings.mcp_servers import command_line
from desktop.settings.model import McpServer
from desktop.text.decode import printable


def run(arguments: argparse.Namespace) -> int:
    """List all servers after starting the enabled ones; the status is 1 if one of them fails."""
    return asyncio.run(_list(arguments))


async def _list(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        servers = services.preferences.settings.mcp_servers
        states = {state.server_id: state for state in await services.tool_servers.states()}
    listed = [(server, states.get(server.id, ServerState(server.id))) for server in servers]
    if arguments.json:
        print_json({"servers": [_document(server, state) for server, state in listed]})
    else:
        print_words("\n\n".join(_words(*each) for each in listed) or "There are no tool servers yet.")
    return 1 if any(state.error for state in states.values()) else 0


def _document(server: McpServer, state: ServerState) -> Answer:
    return {
        "id": server.id,
        "name": server.name,
        "command": list(server.command),
        "url": server.url,
        "is_enabled": server.is_enabled,
        "protocol": state.protocol,
        "tools": [{"name": tool.spec.name, "description": tool.spec.description} for tool in state.tools],
        "resources": [{"uri": each.uri, "name": each.name} for each in state.resources],
        "prompts": [
            {"name": each.name, "arguments": [argument.name for argument in each.arguments]}
            for each in state.prompts
        ],
        "error": state.error,
    }


def _words(server: McpServer, state: ServerState) -> str:
    lines = [f"{server.name}  {server.url or command_line(server.command)}"]
    if not server.is_enabled:
        lines.append("  switched off")
    if state.error:
        lines.append(f"  {state.error}")
    lines += [f"  tool      {tool.spec.name}  {_first(tool.spec.description)}" for tool in state.tools]
    lines += [f"  resource  {each.uri}  {each.name}" for each in state.resources]
    lines += [f"  prompt    {each.name}  {_first(each.description)}" for each in state.prompts]
    return printable("\n".join(lines))


def _first(text: str) -> str:
    return text.strip().partition("\n")[0]
