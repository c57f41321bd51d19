"""A model server on loopback that speaks OpenAI's protocol and says what a test wants, when it wants."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.serving import serve_requests

LIMIT_S = 60


@dataclass
class ModelServer:
    """`pieces` are streamed one by one; the stream holds before piece `hold_at` until `go_on` is set.

    `replies` are what the first requests get in place of them, without holding. `calls` are names and
    arguments of tools, one for each of the first requests that offer any.
    """

    origin: str = ""
    pieces: tuple[str, ...] = ("Hello.",)
    hold_at: int | None = None
    replies: list[str] = field(default_factory=list)
    calls: list[tuple[str, dict]] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)
    requests: list[dict] = field(default_factory=list)
    written_at: list[float] = field(default_factory=list)
    """When each piece was about to be written, in seconds since 1970."""


class _Handler(BaseHTTPRequestHandler):
    state: ModelServer

    def do_GET(self) -> None:
        self.reply({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.requests.append(request)
        try:
            if self.state.calls and request.get("tools"):
                self.call(*self.state.calls.pop(0))
            elif self.state.replies:
                self.stream((self.state.replies.pop(0),), None)
            else:
                self.stream(self.state.pieces, self.state.hold_at)
        except OSError:
            self.state.gone.set()

    def call(self, name: str, arguments: dict) -> None:
        self.begin()
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        self.send({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
        self.send({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def stream(self, pieces: tuple[str, ...], hold_at: int | None) -> None:
        self.begin()
        for index, piece in enumerate(pieces):
            if index == hold_at:
                self.hold()
            self.state.written_at.append(time.time())
            self.send({"choices": [{"index": 0, "delta": {"content": piece}}]})
        self.send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def hold(self) -> None:
        """Wait for the test, or for the other side to hang up."""
        self.connection.settimeout(0.05)
        for _ in range(LIMIT_S * 20):
            if self.state.go_on.is_set():
                return
            with suppress(TimeoutError):
                if self.connection.recv(1) == b"":
                    raise ConnectionResetError

    def send(self, fields: dict) -> None:
        document = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"} | fields
        self.wfile.write(b"data: " + json.dumps(document).encode() + b"\n\n")
        self.wfile.flush()

    def reply(self, document: dict) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Stay silent: a test's output is its own."""


@contextmanager
def running_model_server() -> Iterator[ModelServer]:
    """Serve the model `scripted` until the block ends."""
    state = ModelServer()
    handler = type("Handler", (_Handler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.origin = f"http://127.0.0.1:{server.server_address[1]}"
    with serve_requests(server):
        try:
            yield state
        finally:
            state.go_on.set()


def provider(server: ModelServer) -> dict:
    """Return the settings of a provider for this server."""
    return {
        "id": "loopback",
        "name": "Loopback",
        "kind": "openai",
        "base_url": f"{server.origin}/v1",
        "needs_key": False,
    }
