"""All tool servers of the user: connected at first use, reconnected after a crash, with their tools."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from mcp.types import Tool as ServerTool

from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.models import ToolSpec
from desktop.domain.privacy import Channel
from desktop.domain.tools import Arguments, ServerResource, ServerState, Tool, ToolResult, always
from desktop.errors import AppError, StaysHere
from desktop.errors.servers import McpError, ServerNotStarted, ServerWantsSignIn
from desktop.mcp.connection import ServerAccess, ServerConnection
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.settings.model import McpServer

PATIENCE_S = 10.0
"""How long a question waits for a server that is starting."""

RETRY_AFTER_S = 60.0
"""How long to wait before retrying a server that failed to start, so that not every question waits for it."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_NAME_CHARS = 64
_MOST_DESCRIPTION_CHARS = 2_000
_MOST_RESOURCES_NAMED = 40
_NOTE_CHARS = 4_000

_MOST_SCHEMA_CHARS = 100_000
"""Maximum schema size of a tool; a larger one would fill the model's context window by itself."""

_TOO_LONG = translatable("Tools left out because the description of their arguments is too long: {names}.")
_READ = "read_resource"
_STARTING = translatable("It is still starting. Its tools will be available for a later question.")

AccessFor = Callable[[McpServer], Awaitable[ServerAccess]]
"""Returns how to reach a server, with its secrets."""


@dataclass(frozen=True)
class _OpenServer:
    """A connection that is being opened, is open, or has failed; `since` is in the loop's time."""

    server: McpServer
    opening: "asyncio.Task[ServerConnection]"
    since: float

    @property
    def is_of_use(self) -> bool:
        """Whether the connection can be used, or is too recent to be retried."""
        if not self.opening.done():
            return True
        if self.opening.cancelled():
            return False
        if self.opening.exception() is not None:
            return asyncio.get_running_loop().time() - self.since < RETRY_AFTER_S
        return self.opening.result().is_alive

    async def close(self) -> None:
        """Close the connection, at any stage."""
        self.opening.cancel()
        await asyncio.wait({self.opening})
        if not self.opening.cancelled() and self.opening.exception() is None:
            await self.opening.result().close()


class Servers:
    """Holds the connections by server id; a server whose settings changed is reconnected."""

    def __init__(self, settings: Callable[[], tuple[McpServer, ...]], access: AccessFor) -> None:
        self._settings = settings
        self._access = access
        self._links: dict[str, _OpenServer] = {}
        self._closings: set[asyncio.Task[None]] = set()
        """Servers that are closing; referenced here because the task that closes one may be cancelled."""
        self._is_closed = False
        self.problems: tuple[str, ...] = ()
        """Why some servers provided no tools at the last request, for the user."""

    async def tools(self) -> tuple[Tool, ...]:
        """Return the tools of all enabled servers; servers that fail provide none."""
        states = await self.states(PATIENCE_S)
        self.problems = tuple(state.error for state in states if state.error)
        return tuple(tool for state in states for tool in state.tools)

    async def states(self, patience_s: float | None = None) -> tuple[ServerState, ...]:
        """Return the state of every enabled server, connecting those that are not connected."""
        await self._forget_others()
        servers = [server for server in self._settings() if server.is_enabled]
        return tuple(await asyncio.gather(*(self.state(server, patience_s) for server in servers)))

    async def state(self, server: McpServer, patience_s: float | None = None) -> ServerState:
        """Return the state of one server, which need not be in the settings."""
        try:
            async with asyncio.timeout(patience_s):
                connection = await self._connect(server)
            listed = await connection.tools()
        except TimeoutError:
            error = ServerNotStarted(server=server.name, detail=_STARTING)
            return ServerState(server.id, error=str(error))
        except AppError as error:  # the keyring or the proxy may fail as well
            wants_sign_in = isinstance(error, ServerWantsSignIn)
            return ServerState(server.id, error=str(error), wants_sign_in=wants_sign_in)
        taken: set[str] = set()
        fitting = tuple(tool for tool in listed if _schema_chars(tool) <= _MOST_SCHEMA_CHARS)
        tools = tuple(self._tool(server, tool, taken) for tool in fitting)
        left_out = ", ".join(tool.name[:_MOST_NAME_CHARS] for tool in listed if tool not in fitting)
        problem = _TOO_LONG.format(names=left_out) if left_out else ""
        state = ServerState(server.id, tools, error=problem, protocol=connection.protocol)
        try:
            resources, prompts = await connection.resources(), await connection.prompts()
        except McpError as error:
            return replace(state, error=str(error))
        if resources:
            tools = (*tools, self._reading(server, resources, taken))
        return replace(state, tools=tools, resources=resources, prompts=prompts)

    async def fill_prompt(self, server: McpServer, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt.

        Raises:
            McpError: the server is gone, or does not know the prompt.
        """
        return await (await self._connect(server)).prompt(name, arguments)

    async def forget(self, server_id: str) -> None:
        """Close a server; it is reconnected when needed."""
        link = self._links.pop(server_id, None)
        if link is not None:
            await asyncio.shield(self._ending(link))

    async def aclose(self) -> None:
        """Close all servers, and start no more."""
        self._is_closed = True
        links, self._links = list(self._links.values()), {}
        for link in links:
            self._ending(link)
        while self._closings:
            await asyncio.wait(self._closings)

    def _ending(self, link: _OpenServer) -> "asyncio.Task[None]":
        """Start closing a server; this continues even if it is no longer awaited."""
        closing = asyncio.create_task(link.close())
        self._closings.add(closing)
        closing.add_done_callback(self._closings.discard)
        return closing

    async def _forget_others(self) -> None:
        """Close the servers that were removed or disabled."""
        wanted = {server.id for server in self._settings() if server.is_enabled}
        await asyncio.gather(*(self.forget(id_) for id_ in list(self._links) if id_ not in wanted))

    async def _connect(self, server: McpServer) -> ServerConnection:
        """Return the connection; several tasks may wait for it, and it survives when one stops waiting."""
        link = self._links.get(server.id)
        if link is None or link.server != server or not link.is_of_use:
            if self._is_closed:
                raise ServerNotStarted(server=server.name, detail="")
            now = asyncio.get_running_loop().time()
            opening = asyncio.create_task(self._open(server, link), context=egress.make_detached_context())
            self._links[server.id] = link = _OpenServer(server, opening, now)
        try:
            return await asyncio.shield(link.opening)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if link.opening.cancelled() and not (
                task and task.cancelling()
            ):  # the opening was cancelled, not this task
                raise ServerNotStarted(server=server.name, detail="") from None
            raise

    async def _open(self, server: McpServer, before: _OpenServer | None) -> ServerConnection:
        if before is not None:
            await asyncio.shield(self._ending(before))
        connection = ServerConnection(server, await self._access(server))
        await connection.open()
        return connection

    def _tool(self, server: McpServer, tool: ServerTool, taken: set[str]) -> Tool:
        spec = ToolSpec(
            _name(server, tool.name, taken),
            (tool.description or tool.title or "")[:_MOST_DESCRIPTION_CHARS],
            dict(tool.input_schema),
        )
        work = partial(self._call, server, tool.name)
        run = partial(_as_step, f"{server.name} · {tool.name}", work)
        return Tool(spec, run, server=server.name, asks=always, timeout_s=server.timeout_s)

    def _reading(self, server: McpServer, resources: tuple[ServerResource, ...], taken: set[str]) -> Tool:
        """Return the tool that reads the server's resources."""
        named = "\n".join(f"- {each.uri} ({each.name})" for each in resources[:_MOST_RESOURCES_NAMED])
        description = f"Read a resource of {server.name} by its URI. Known:\n{named}"
        schema = {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]}
        spec = ToolSpec(_name(server, _READ, taken), description[:_MOST_DESCRIPTION_CHARS], schema)
        run = partial(_as_step, f"{server.name} · {_READ}", partial(self._read, server))
        return Tool(spec, run, server=server.name, asks=always, timeout_s=server.timeout_s)

    async def _call(self, server: McpServer, tool: str, arguments: Arguments) -> ToolResult:
        """Call a tool.

        If the server dies during a call, the call is not repeated, as its effects are unknown. The next call
        restarts the server.
        """
        _cross(server, arguments)
        return await (await self._connect(server)).call(tool, arguments)

    async def _read(self, server: McpServer, arguments: Arguments) -> ToolResult:
        _cross(server, arguments)
        return ToolResult(await (await self._connect(server)).read(str(arguments["uri"])))


def _cross(server: McpServer, arguments: Arguments) -> None:
    """Check that data may be sent to a server or to a program, which may pass it on; raises StaysHere."""
    egress.check_program(server.name)
    if server.url:
        egress.require_egress(server.url, Channel.TOOLS, len(json.dumps(dict(arguments), default=str)))


async def _as_step(
    subject: str, work: Callable[[Arguments], Awaitable[ToolResult]], arguments: Arguments
) -> AsyncGenerator[StepStarted | StepFinished | ToolResult, None]:
    """Run a tool as one visible step."""
    noted = json.dumps(dict(arguments), ensure_ascii=False)[:_NOTE_CHARS]
    step = Step(1, StepKind.TOOL, subject, arguments=noted)
    yield StepStarted(step)
    try:
        result = await work(arguments)
    except (McpError, StaysHere) as error:
        yield StepFinished(replace(step, status=StepStatus.FAILED, detail=str(error)))
        yield ToolResult(str(error), is_error=True)
        return
    status = StepStatus.FAILED if result.is_error else StepStatus.DONE
    yield StepFinished(replace(step, status=status, result=result.text[:_NOTE_CHARS]))
    yield result


def _schema_chars(tool: ServerTool) -> int:
    return len(json.dumps(tool.input_schema, default=str))


def _name(server: McpServer, tool: str, taken: set[str]) -> str:
    """Return a name that every model accepts and that no other tool of the server has."""
    plain = _NOT_IN_NAMES.sub("_", f"{server.id}__{tool}")[:_MOST_NAME_CHARS]
    name, number = plain, 2
    while name in taken:
        name = f"{plain[: _MOST_NAME_CHARS - 4]}_{number}"
        number += 1
    taken.add(name)
    return name
