"""The user's tool servers: how to connect to each, with its secrets and the user's proxy choice."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.engine import ToolServers
from desktop.domain.privacy import Channel
from desktop.domain.tools import ServerState, Tool
from desktop.errors.servers import ServerNotStarted
from desktop.settings import egress
from desktop.settings.mcp_servers import TOKENS, server_secret
from desktop.settings.model import McpServer, Settings
from desktop.settings.proxies import ProxyChoice
from desktop.settings.secrets import SecretStore

# The SDK and its HTTP client are imported with the first server.
# ruff: noqa: PLC0415

if TYPE_CHECKING:  # the SDK is loaded with the first server
    import httpx2

    from desktop.mcp.connection import ServerAccess
    from desktop.mcp.servers import Servers


class ToolServerService(ToolServers):
    """Starts the tool servers when the first one is set up."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        secrets: SecretStore,
        proxy: Callable[[], Awaitable[ProxyChoice]],
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._proxy = proxy
        self._servers: Servers | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Why some servers provided no tools when last asked."""
        return () if self._servers is None else self._servers.problems

    async def tools(self) -> tuple[Tool, ...]:
        """Return the tools of all enabled servers that respond."""
        if self._is_idle or egress.current().stays_here:
            return ()
        return await self._open().tools()

    @override
    async def states(self) -> tuple[ServerState, ...]:
        """Return the state of every enabled server."""
        if self._is_idle:
            return ()
        return await self._open().states()

    @override
    async def test(self, server: McpServer) -> ServerState:
        """Reconnect to a server and return its state."""
        await self.forget(server.id)
        return await self._open().state(server)

    @override
    async def forget(self, server_id: str) -> None:
        """Disconnect a server; it is reconnected when needed."""
        if self._servers is not None:
            await self._servers.forget(server_id)

    @override
    async def sign_in(self, server: McpServer) -> AsyncGenerator[str, None]:
        """Yield the page where the user signs in."""
        from desktop.mcp.oauth import sign_in

        await self.forget(server.id)
        access = await self._access(server)
        async with aclosing(sign_in(server, access, self._secrets)) as pages:
            async for page in pages:
                yield page
        await self.forget(server.id)

    @override
    async def fill_prompt(self, server_id: str, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt."""
        for server in self._settings().mcp_servers:
            if server.id == server_id:
                return await self._open().fill_prompt(server, name, arguments)
        raise ServerNotStarted(server=server_id, detail="")

    async def aclose(self) -> None:
        """Disconnect all servers."""
        if self._servers is not None:
            await self._servers.aclose()

    @property
    def _is_idle(self) -> bool:
        return self._servers is None and not any(server.is_enabled for server in self._settings().mcp_servers)

    def _open(self) -> "Servers":
        from desktop.mcp.servers import Servers

        if self._servers is None:
            self._servers = Servers(lambda: self._settings().mcp_servers, self._access)
        return self._servers

    async def _access(self, server: McpServer) -> "ServerAccess":
        from desktop.mcp.connection import ServerAccess

        secrets = {
            name: await self._secrets.secret(server_secret(server.id, name)) for name in server.secret_names
        }
        known = {name: value for name, value in secrets.items() if value}
        client = partial(_client, server, await self._auth(server), await self._proxy())
        return ServerAccess({**dict(server.environment), **known}, client)

    async def _auth(self, server: McpServer) -> "httpx2.Auth | str":
        """Return what authenticates requests: the token set by the user, or the result of signing in."""
        if not server.url:
            return ""
        token = await self._secrets.secret(server_secret(server.id))
        if token or not await self._secrets.secret(server_secret(server.id, TOKENS)):
            return token
        from desktop.mcp.oauth import load_stored_auth

        return await load_stored_auth(server, self._secrets)


def _client(server: McpServer, auth: "httpx2.Auth | str", proxy: ProxyChoice) -> "httpx2.AsyncClient":
    from desktop.providers.transport import Timeouts, new_client

    client = new_client(server.url, Timeouts(between_s=server.timeout_s), proxy, Channel.TOOLS)
    if not isinstance(auth, str):
        client.auth = auth
    elif auth:
        client.headers["Authorization"] = f"Bearer {auth}"
    return client
