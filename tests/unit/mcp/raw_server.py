"""A tool server at an address that answers on the wire whatever a test wants: floods, bombs and rubbish."""

import json

from tests.unit.providers.wire import END, SSE_HEAD, Connection, chunk

JSON_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
NOT_ALLOWED = b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
SESSION = "Mcp-Session-Id: 1\r\n"

RESULTS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "raw", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
}


def answer(connection: Connection) -> bytes:
    """Write what a sound server answers to the request of a connection."""
    request = connection.request
    if request.method != "POST":
        return NOT_ALLOWED
    message = request.json
    if "id" not in message:
        return ACCEPTED
    if message["method"] not in RESULTS:
        return write_message(
            {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}
        )
    return write_message({"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]})


def write_message(message: object) -> bytes:
    body = json.dumps(message).encode()
    return JSON_HEAD.format(length=len(body), more=SESSION).encode() + body


def method_of(connection: Connection) -> str:
    request = connection.request
    return request.json.get("method", "") if request.method == "POST" and request.body else request.method


def sound_except(method: str, fault):
    """Return a script that does `fault` for requests of `method` ("GET" for the stream of the server)."""

    async def script(connection: Connection) -> None:
        if method_of(connection) == method:
            await fault(connection)
        else:
            await connection.send(answer(connection))

    return script


def repeating(piece: bytes, head: bytes = SSE_HEAD):
    """Send a piece of a stream again and again, as long as somebody reads."""

    async def fault(connection: Connection) -> None:
        await connection.send(head)
        while not connection.writer.is_closing():
            await connection.send(chunk(piece))

    return fault


def sending(*pieces: bytes):
    async def fault(connection: Connection) -> None:
        await connection.send(*pieces)
        connection.writer.close()

    return fault


def ending_at_once(connection: Connection):
    """Open a stream that says to come back at once, and end it."""
    return connection.send(SSE_HEAD, chunk(b"retry: 0\nid: 1\ndata:\n\n"), END)
