"""One MCP server, from its start to its end.

A task of its own holds the connection open, as the SDK's scopes have to be left by the task that entered
them. Calls come from any task of the loop.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
from anyio import ClosedResourceError
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client._transport import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation, Tool
from pydantic import ValidationError

from desktop.domain.tools import Arguments, ToolResult
from desktop.errors import ServerGone, ServerNotStarted, ServerRefused
from desktop.mcp.complaints import Complaints
from desktop.mcp.results import result_of
from desktop.settings.model import McpServer

START_LIMIT_S = 30.0
"""A program may have to be fetched first: `npx` and `uvx` do that."""

END_LIMIT_S = 5.0
"""A program that does not end by itself within that is ended."""

_HOME = Path.home()
_CLOSED = -32000
"""The SDK's code for a connection that ended."""
_MOST_PAGES = 20
_MOST_TOOLS = 200
_VERSION = "1"


@dataclass(frozen=True)
class Access:
    """How a server is reached: what its program gets to know, or the client for its address."""

    environment: Mapping[str, str]
    client: Callable[[], httpx2.AsyncClient]


class Connection:
    """Connects with `open`, once; `close` ends everything that it started."""

    def __init__(self, server: McpServer, access: Access) -> None:
        self.server = server
        self._access = access
        self._complaints: Complaints | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None

    @property
    def is_alive(self) -> bool:
        """Whether calls may be made."""
        return self._client is not None and self._task is not None and not self._task.done()

    async def open(self) -> None:
        """Start the program, or reach the address.

        Raises:
            ServerNotStarted: it is not there, ended at once, or did not greet in time.
        """
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(ready), name=f"mcp-{self.server.id}")
        try:
            async with asyncio.timeout(START_LIMIT_S):
                self._client = await asyncio.shield(ready)
        except BaseException as error:
            await self.close()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise ServerNotStarted(server=self.server.name, detail=self._words(error)) from error

    async def tools(self) -> tuple[Tool, ...]:
        """Return the tools of the server as they are now.

        Raises:
            McpError: the server is gone, or will not say.
        """
        found: list[Tool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            async with self._asking() as client:
                page = await client.list_tools(cursor=cursor)
            found.extend(page.tools)
            cursor = page.next_cursor
            if not cursor or len(found) >= _MOST_TOOLS:
                break
        return tuple(found[:_MOST_TOOLS])

    async def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Call a tool. Cancelling tells the server.

        Raises:
            McpError: the server is gone, or answered with an error of the protocol.
        """
        async with self._asking() as client:
            answer = await client.call_tool(tool, dict(arguments))
        return result_of(answer)

    async def close(self) -> None:
        """End the connection, and the program with its children."""
        self._client = None
        self._closing.set()
        if self._task is not None and not self._task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({self._task}, timeout=END_LIMIT_S)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _hold(self, ready: "asyncio.Future[Client]") -> None:
        try:
            async with self._transport() as transport, Client(transport, client_info=_us()) as client:
                ready.set_result(client)
                await self._closing.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Transport]:
        if self.server.url:
            async with self._access.client() as client:
                yield streamable_http_client(self.server.url, http_client=client)
            return
        self._complaints = Complaints()
        program, *arguments = self.server.command
        parameters = StdioServerParameters(
            command=program, args=arguments, env=dict(self._access.environment), cwd=_HOME
        )
        try:
            yield stdio_client(parameters, errlog=self._complaints.file)
        finally:
            self._complaints.close()

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[Client]:
        """Give the client, and turn what goes wrong into errors of the house."""
        if self._client is None or not self.is_alive:
            raise ServerGone(server=self.server.name, detail=self._words(None))
        try:
            yield self._client
        except MCPError as error:
            if error.code != _CLOSED:
                raise ServerRefused(server=self.server.name, detail=error.message) from error
            raise self._gone(error) from error
        except ValidationError as error:
            raise ServerRefused(server=self.server.name, detail=str(error.errors()[0]["msg"])) from error
        except (httpx2.HTTPError, ClosedResourceError, OSError, RuntimeError) as error:
            raise self._gone(error) from error

    def _gone(self, error: BaseException) -> ServerGone:
        self._client = None
        return ServerGone(server=self.server.name, detail=self._words(error))

    def _words(self, error: BaseException | None) -> str:
        said = _innermost(error)
        complaint = self._complaints.last if self._complaints else ""
        return " ".join(filter(None, (said, complaint)))


def _innermost(error: BaseException | None) -> str:
    """Return the words of the first real error in groups of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is None:
        return ""
    if isinstance(error, TimeoutError):
        return f"It did not answer within {START_LIMIT_S:.0f} s."
    if isinstance(error, FileNotFoundError):
        return f"There is no program “{error.filename or ''}”."
    return str(error) or type(error).__name__


def _us() -> Implementation:
    return Implementation(name="Footnote", version=_VERSION)
