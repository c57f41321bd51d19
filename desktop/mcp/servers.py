"""All tool servers of the person: connected at first use, again after a death, their tools as ours."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from mcp.types import Tool as ServerTool

from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.models import ToolSpec
from desktop.domain.tools import Arguments, Tool, ToolResult, always
from desktop.errors import McpError
from desktop.mcp.connection import Access, Connection
from desktop.settings.model import McpServer

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_NAME_CHARS = 64
_MOST_DESCRIPTION_CHARS = 2_000
_NOTE_CHARS = 4_000


AccessFor = Callable[[McpServer], Awaitable[Access]]
"""Finds out how a server is reached; its secrets are looked up for it."""


@dataclass(frozen=True)
class ServerState:
    """How a server is doing: its tools, or why there are none."""

    server: McpServer
    tools: tuple[Tool, ...] = ()
    error: str = ""


class Servers:
    """Knows the connections by the id of their server; a server whose settings changed is connected anew."""

    def __init__(self, settings: Callable[[], tuple[McpServer, ...]], access: AccessFor) -> None:
        self._settings = settings
        self._access = access
        self._connections: dict[str, Connection] = {}
        self._opening: dict[str, asyncio.Lock] = {}

    async def tools(self) -> tuple[Tool, ...]:
        """Return the tools of all servers that are switched on; those that fail give none."""
        return tuple(tool for state in await self.states() for tool in state.tools)

    async def states(self) -> tuple[ServerState, ...]:
        """Return how every server that is switched on is doing, connecting what is not connected."""
        await self._forget_others()
        servers = [server for server in self._settings() if server.is_enabled]
        return tuple(await asyncio.gather(*map(self.state, servers)))

    async def state(self, server: McpServer) -> ServerState:
        """Return how one server is doing; it need not be among those of the settings."""
        try:
            listed = await (await self._connected(server)).tools()
        except McpError as error:
            return ServerState(server, error=str(error))
        taken: set[str] = set()
        return ServerState(server, tuple(self._tool(server, tool, taken) for tool in listed))

    async def aclose(self) -> None:
        """End all servers."""
        connections, self._connections = list(self._connections.values()), {}
        await asyncio.gather(*(connection.close() for connection in connections))

    async def _forget_others(self) -> None:
        """End the servers that were taken out or switched off."""
        wanted = {server.id for server in self._settings() if server.is_enabled}
        others = [self._connections.pop(id_) for id_ in list(self._connections) if id_ not in wanted]
        await asyncio.gather(*(connection.close() for connection in others))

    async def _connected(self, server: McpServer) -> Connection:
        async with self._opening.setdefault(server.id, asyncio.Lock()):
            known = self._connections.get(server.id)
            if known is not None and known.server == server and known.is_alive:
                return known
            if known is not None:
                del self._connections[server.id]
                await known.close()
            connection = Connection(server, await self._access(server))
            await connection.open()
            self._connections[server.id] = connection
            return connection

    def _tool(self, server: McpServer, tool: ServerTool, taken: set[str]) -> Tool:
        spec = ToolSpec(
            _name(server, tool, taken),
            (tool.description or tool.title or "")[:_MOST_DESCRIPTION_CHARS],
            dict(tool.input_schema),
        )
        run = partial(self._run, server, tool.name)
        return Tool(spec, run, server=server.name, asks=always, timeout_s=server.timeout_s)

    async def _run(
        self, server: McpServer, tool: str, arguments: Arguments
    ) -> AsyncGenerator[StepStarted | StepFinished | ToolResult, None]:
        """Call a tool as one visible step.

        A call in which the server dies is not made again: nobody knows how far it came. The next one
        starts the server anew.
        """
        step = Step(1, StepKind.TOOL, f"{server.name} · {tool}", arguments=str(dict(arguments))[:_NOTE_CHARS])
        yield StepStarted(step)
        try:
            result = await (await self._connected(server)).call(tool, arguments)
        except McpError as error:
            yield StepFinished(replace(step, status=StepStatus.FAILED, detail=str(error)))
            yield ToolResult(str(error), is_error=True)
            return
        status = StepStatus.FAILED if result.is_error else StepStatus.DONE
        yield StepFinished(replace(step, status=status, result=result.text[:_NOTE_CHARS]))
        yield result


def _name(server: McpServer, tool: ServerTool, taken: set[str]) -> str:
    """Return a name that every model takes and that no other tool of the server has."""
    plain = _NOT_IN_NAMES.sub("_", f"{server.id}__{tool.name}")[:_MOST_NAME_CHARS]
    name, number = plain, 2
    while name in taken:
        name = f"{plain[: _MOST_NAME_CHARS - 4]}_{number}"
        number += 1
    taken.add(name)
    return name
