"""The person's tool servers: how each is reached, with its secrets and the proxy of the person's choice."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop.domain.tools import Tool
from desktop.settings.model import McpServer, Settings
from desktop.settings.proxies import ProxyChoice

if TYPE_CHECKING:  # the SDK is loaded with the first server
    import httpx2

    from desktop.mcp.connection import Access
    from desktop.mcp.servers import Servers, ServerState

_SecretLookup = Callable[[str], Awaitable[str]]


def server_secret(server_id: str, name: str = "") -> str:
    """Return the name under which the token of a server, or a secret of its environment, is kept."""
    return f"mcp/{server_id}/{name}" if name else f"mcp/{server_id}"


class ToolServers:
    """Opens the room of the servers when the first one is set up."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        secret: _SecretLookup,
        proxy: Callable[[], Awaitable[ProxyChoice]],
    ) -> None:
        self._settings = settings
        self._secret = secret
        self._proxy = proxy
        self._servers: Servers | None = None

    async def tools(self) -> tuple[Tool, ...]:
        """Return the tools of all servers that are switched on and answer."""
        if self._servers is None and not any(server.is_enabled for server in self._settings().mcp_servers):
            return ()
        return await self._opened().tools()

    async def test(self, server: McpServer) -> "ServerState":
        """Connect with a server, which need not be kept yet, and say how it is doing."""
        return await self._opened().state(server)

    async def aclose(self) -> None:
        """End all servers."""
        if self._servers is not None:
            await self._servers.aclose()

    def _opened(self) -> "Servers":
        from desktop.mcp.servers import Servers  # noqa: PLC0415 (brings the SDK)

        if self._servers is None:
            self._servers = Servers(lambda: self._settings().mcp_servers, self._access)
        return self._servers

    async def _access(self, server: McpServer) -> "Access":
        from desktop.mcp.connection import Access  # noqa: PLC0415 (brings the SDK)

        secrets = {name: await self._secret(server_secret(server.id, name)) for name in server.secret_names}
        token = await self._secret(server_secret(server.id)) if server.url else ""
        client = partial(_client, server, token, await self._proxy())
        return Access({**dict(server.environment), **secrets}, client)


def _client(server: McpServer, token: str, proxy: ProxyChoice) -> "httpx2.AsyncClient":
    from desktop.providers.transport import Timeouts, new_client  # noqa: PLC0415 (an HTTP client)

    client = new_client(server.url, Timeouts(between_s=server.timeout_s), proxy)
    if token:
        client.headers["Authorization"] = f"Bearer {token}"
    return client
