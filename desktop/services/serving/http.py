"""The MCP server over streamable HTTP: on loopback only, for clients that have the token.

Each request is checked for the token before anything else is read of it. `Host` and `Origin` have to be those of this
server, so that a page in a browser cannot reach it under a name of its own (DNS rebinding).
"""

import asyncio
import hmac
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from desktop.errors import plain_reason
from desktop.errors.servers import PortTaken
from desktop.services.serving.server import ServingServer

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
MAX_BODY_BYTES: Final = 1024 * 1024
MOST_SESSIONS: Final = 64
SESSION_IDLE_S: Final = 1_800
_MOST_CONNECTIONS = 256
_GRACE_S = 1
_DISCARDED_BYTES = 8 * MAX_BODY_BYTES
_DISCARD_S = 5
"""How much of the body of a refused request is read, and for how long."""
_FIRST_ERROR = 400
_REFUSED = b'{"error": "The token is missing or wrong. Footnote shows it in Settings > Other programs."}'

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Scope]]
_Send = Callable[[_Scope], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


def open_port(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 means any free one.

    Raises:
        PortTaken: the port cannot be used.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise PortTaken(port=port, detail=plain_reason(error)) from error
    return listening


async def serve_http(server: ServingServer, listening: socket.socket, token: str) -> None:
    """Serve clients on a socket until the process is told to end."""
    port = listening.getsockname()[1]
    places = [f"{HOST}:{port}", f"localhost:{port}"]
    app = server.mcp.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        session_idle_timeout=SESSION_IDLE_S,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(
            allowed_hosts=places, allowed_origins=[f"http://{place}" for place in places]
        ),
    )
    config = uvicorn.Config(
        finish_reading(require_token(app, token)),
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_S,
    )
    await _StoppableServer(config).serve(sockets=[listening])
    await server.finish_log()


class _StoppableServer(uvicorn.Server):
    """Ends on a signal like uvicorn's, but does not send the signal to the process again: what is open is closed first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM during the block."""
        before = {each: signal.signal(each, self._stop) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.should_exit = True


def finish_reading(app: _App) -> _App:
    """Return an ASGI application that reads the body of a request before it sends an error.

    A client that is still sending when the connection is closed may lose the answer.
    """

    async def reading(scope: _Scope, receive: _Receive, send: _Send) -> None:
        is_read = scope["type"] != "http"

        async def receive_noting_end() -> _Scope:
            nonlocal is_read
            message = await receive()
            is_read = is_read or not message.get("more_body", False)
            return message

        async def discard_rest() -> None:
            discarded = 0
            while not is_read and discarded < _DISCARDED_BYTES:
                discarded += len((await receive_noting_end()).get("body", b""))

        async def send_after_reading(message: _Scope) -> None:
            if message["type"] == "http.response.start" and message["status"] >= _FIRST_ERROR:
                with suppress(TimeoutError):
                    await asyncio.wait_for(discard_rest(), _DISCARD_S)
            await send(message)

        await app(scope, receive_noting_end, send_after_reading)

    return reading


def require_token(app: _App, token: str) -> _App:
    """Return an ASGI application that passes on only requests with the token."""
    wanted = f"Bearer {token}".encode()

    async def checked(scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) == 1 and hmac.compare_digest(given[0], wanted):
            await app(scope, receive, send)
            return
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(_REFUSED)).encode()),
            (b"www-authenticate", b"Bearer"),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": _REFUSED})

    return checked
