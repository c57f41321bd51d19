"""Sign-in at an address that requires it: OAuth 2.1 with PKCE, as specified by MCP.

The user's browser shows the server's page and is redirected to a listener on this machine, which runs
only during the attempt (RFC 8252). The tokens are stored in the keyring and renewed there.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from mcp.shared.auth_utils import calculate_token_expiry
from pydantic import AnyUrl, BaseModel, ValidationError

from desktop.errors.servers import ServerRefused, ServerWantsSignIn
from desktop.mcp.connection import ServerAccess, ServerConnection
from desktop.phrases import translatable
from desktop.settings.mcp_servers import CLIENT, ENDPOINTS, TOKENS, server_secret
from desktop.settings.model import McpServer
from desktop.settings.secrets import SecretStore

SIGN_IN_LIMIT_S = 600.0
"""Timeout for the user to sign in."""

_PATH = "/signed-in"
_MOST_REQUEST_BYTES = 16_384
_REQUEST_LIMIT_S = 10.0
_PAGE = (
    b"HTTP/1.1 %d %s\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
    b"Content-Security-Policy: default-src 'none'\r\nContent-Length: %d\r\n\r\n%s"
)
_DONE = (
    "<!doctype html><title>Footnote</title><p>You can close this page.</p><p>可以关闭此页面了。</p>".encode()
)

_REFUSED = translatable("The server rejected the sign-in: {detail}")


_M = TypeVar("_M", bound=BaseModel)


class _Token(BaseModel):
    """A token with its expiry time; the OAuth token itself only holds its lifetime."""

    token: OAuthToken
    until: float | None = None


class TokenStore:
    """The sign-in data of a server in the keyring; unreadable data counts as missing.

    Each part is a separate secret, as some systems store only short ones.
    """

    def __init__(self, server_id: str, secrets: SecretStore) -> None:
        self._tokens = server_secret(server_id, TOKENS)
        self._client = server_secret(server_id, CLIENT)
        self._endpoints = server_secret(server_id, ENDPOINTS)
        self._secrets = secrets

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        kept = await self._read(self._tokens, _Token)
        return None if kept is None else kept.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store the tokens."""
        await self._write(self._tokens, _Token(token=tokens, until=calculate_token_expiry(tokens.expires_in)))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return our client registration at the server."""
        return await self._read(self._client, OAuthClientInformationFull)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store our client registration at the server."""
        await self._write(self._client, client_info)

    async def set_endpoints(self, found: OAuthMetadata | None) -> None:
        """Store the endpoints for renewing tokens."""
        if found is not None:
            known = OAuthMetadata(
                issuer=found.issuer,
                authorization_endpoint=found.authorization_endpoint,
                token_endpoint=found.token_endpoint,
            )
            await self._write(self._endpoints, known)

    async def tell(self, context: OAuthContext) -> None:
        """Tell the SDK what it does not store: when the token expires, and where to renew it."""
        kept = await self._read(self._tokens, _Token)
        context.token_expiry_time = None if kept is None else kept.until
        context.oauth_metadata = await self._read(self._endpoints, OAuthMetadata)

    async def forget(self) -> None:
        """Sign out."""
        for name in (self._tokens, self._client, self._endpoints):
            await self._secrets.set_secret(name, "")

    async def _read(self, name: str, kind: type[_M]) -> _M | None:
        with suppress(ValidationError):
            return kind.model_validate_json(await self._secrets.secret(name))
        return None

    async def _write(self, name: str, value: BaseModel) -> None:
        await self._secrets.set_secret(name, value.model_dump_json(exclude_none=True))


async def load_stored_auth(server: McpServer, secrets: SecretStore) -> OAuthClientProvider:
    """Return an authentication that uses and renews the stored tokens; it never asks the user."""

    async def ignore_redirect(_address: str) -> None:
        raise OAuthFlowError

    kept = TokenStore(server.id, secrets)
    provider = OAuthClientProvider(
        server.url, _us("http://127.0.0.1"), kept, redirect_handler=ignore_redirect
    )
    await kept.tell(provider.context)
    return provider


@asynccontextmanager
async def signing_in(
    server: McpServer, secrets: SecretStore, show: Callable[[str], None]
) -> AsyncIterator[OAuthClientProvider]:
    """Provide an authentication that asks the user to sign in; `show` receives the URL of the page to open."""
    landing = _CallbackServer()
    listener = await asyncio.start_server(landing.serve, "127.0.0.1", 0, limit=_MOST_REQUEST_BYTES)
    async with listener:
        port = listener.sockets[0].getsockname()[1]

        async def open_page(address: str) -> None:
            show(address)

        yield OAuthClientProvider(
            server.url,
            _us(f"http://127.0.0.1:{port}"),
            TokenStore(server.id, secrets),
            redirect_handler=open_page,
            callback_handler=landing.wait,
        )


def _us(origin: str) -> OAuthClientMetadata:
    return OAuthClientMetadata(client_name="Footnote", redirect_uris=[AnyUrl(f"{origin}{_PATH}")])


class _CallbackServer:
    """The listener that the user's browser is redirected to."""

    def __init__(self) -> None:
        self._came_back: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    async def wait(self) -> AuthorizationCodeResult:
        """Wait for the browser's redirect and return its authorization code."""
        brought = await self._came_back
        if "code" not in brought:
            detail = brought.get("error_description") or brought.get("error") or ""
            raise OAuthFlowError(_REFUSED.format(detail=detail))
        return AuthorizationCodeResult(
            code=brought["code"], state=brought.get("state"), iss=brought.get("iss")
        )

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; only the redirect URL counts."""
        try:
            async with asyncio.timeout(_REQUEST_LIMIT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                target = urlsplit(head.split(b" ", 2)[1].decode("ascii"))
                is_ours = target.path == _PATH
                status = (200, b"OK") if is_ours else (404, b"Not Found")
                body = _DONE if is_ours else b""
                writer.write(_PAGE % (*status, len(body), body))
                await writer.drain()
            if is_ours and not self._came_back.done():
                query = parse_qs(target.query)
                self._came_back.set_result({name: values[0] for name, values in query.items()})
        except (TimeoutError, ValueError, IndexError, OSError, asyncio.IncompleteReadError):
            pass  # not the user's browser
        except asyncio.LimitOverrunError:
            pass  # same
        finally:
            writer.close()


async def sign_in(server: McpServer, access: ServerAccess, secrets: SecretStore) -> AsyncGenerator[str, None]:
    """Yield the URL of the page for the user; the generator ends when the server has accepted the sign-in.

    Closing the generator cancels the sign-in. Data of an earlier sign-in is deleted first.

    Raises:
        McpError: the server cannot be reached, or refused the sign-in.
    """
    pages: asyncio.Queue[str | None] = asyncio.Queue()
    trying = asyncio.create_task(_sign_in(server, access, secrets, pages.put_nowait))
    trying.add_done_callback(lambda _: pages.put_nowait(None))
    try:
        while (page := await pages.get()) is not None:
            yield page
        await trying
    finally:
        trying.cancel()
        await asyncio.wait({trying})


async def _sign_in(
    server: McpServer, access: ServerAccess, secrets: SecretStore, show: Callable[[str], None]
) -> None:
    await TokenStore(server.id, secrets).forget()
    async with signing_in(server, secrets, show) as auth:

        def client() -> httpx2.AsyncClient:
            made = access.client()
            made.headers.pop("Authorization", None)
            made.auth = auth
            return made

        connection = ServerConnection(server, ServerAccess(access.environment, client))
        try:
            await connection.open(SIGN_IN_LIMIT_S)
        except ServerWantsSignIn as error:
            raise ServerRefused(server=server.name, detail=error.fields["detail"]) from error
        await connection.close()
        await TokenStore(server.id, secrets).set_endpoints(auth.context.oauth_metadata)
