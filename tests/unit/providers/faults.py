"""Everything that can go wrong with a stream, as scripts for a loopback server; tests and a benchmark run them."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.errors.servers import ProviderError
from desktop.providers.transport import Timeouts
from desktop.settings.model import ProviderKind
from tests.unit.providers.requests import KEY, ask, opened
from tests.unit.providers.wire import (
    END,
    SSE_HEAD,
    Connection,
    Script,
    answering,
    chunk,
    hanging_up,
    serving,
    sse,
    stalling,
    streaming,
)

KINDS: tuple[ProviderKind, ...] = ("openai", "openai-responses", "anthropic")
TEXT = "你好，world 🌍."

_IMPATIENT = Timeouts(connect_s=5.0, first_byte_s=1.5, between_s=1.0)
_PATIENT = Timeouts(connect_s=9.0, first_byte_s=9.0, between_s=9.0)
_STUCK_S = 20.0
"""A turn that takes longer is stuck."""


@dataclass(frozen=True)
class Fault:
    """What a server does, and the text that it has sent before: that much has to be kept."""

    script: Script
    text: str = ""
    may_succeed: bool = False
    """A client may well read over it."""
    waits: bool = False
    """It only shows once somebody loses patience."""


def named(*events: dict[str, Any]) -> bytes:
    """Write events with their names before them."""
    lines = (f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
    return "".join(lines).encode()


def _chat(text: str) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}


def _block(text: str) -> tuple[dict[str, Any], ...]:
    return (
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
    )


_START = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "usage": {"input_tokens": 5},
    },
}
_CREATED = {"type": "response.created", "response": {"status": "in_progress"}}


def _written(text: str) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "output_index": 0, "delta": text}


HALF: Mapping[str, bytes] = {
    "openai": sse(_chat("half"), done=False),
    "openai-responses": named(_CREATED, _written("half")),
    "anthropic": named(_START, *_block("half")),
}
COMPLETE: Mapping[str, bytes] = {
    "openai": sse(
        _chat("你好，"), _chat("world 🌍."), {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    ),
    "openai-responses": named(
        _CREATED,
        _written("你好，"),
        _written("world 🌍."),
        {"type": "response.completed", "response": {"status": "completed"}},
    ),
    "anthropic": named(
        _START,
        *_block("你好，"),
        _block("world 🌍.")[1],
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ),
}


def faults(kind: ProviderKind) -> dict[str, Fault]:
    """Return all faults of a protocol by name."""
    return {
        **_refusals(),
        **_cuts(COMPLETE[kind]),
        **_garbage(kind, HALF[kind]),
        **_errors(HALF[kind]),
        **_connections(HALF[kind], COMPLETE[kind]),
        **_framings(kind, HALF[kind], COMPLETE[kind]),
    }


async def tried(kind: ProviderKind, fault: Fault, *, seed: int = 0) -> str:
    """Return what went wrong beside the fault itself; empty if all text was kept and the next answer is whole."""
    scripts = (fault.script, streaming(COMPLETE[kind], seed=seed, largest=40))
    patience = _IMPATIENT if fault.waits else _PATIENT
    async with serving(*scripts) as wire, opened(wire.base_url, kind, timeouts=patience) as provider:
        try:
            async with asyncio.timeout(_STUCK_S):
                broken = await ask(provider)
                whole = await ask(provider)
        except TimeoutError:
            return "stuck"
    if not broken.text.startswith(fault.text):
        return f"lost text: {broken.text!r}"
    if broken.error is None and not (fault.may_succeed and broken.text == TEXT):
        return f"no error: {broken.text!r}"
    if broken.error is not None and (not isinstance(broken.error, ProviderError) or KEY in str(broken.error)):
        return f"not our error: {broken.error!r}"
    if (whole.text, whole.error) != (TEXT, None):
        return f"the next answer: {whole.text!r} {whole.error!r}"
    return ""


def _refusals() -> dict[str, Fault]:
    body = {"type": "error", "error": {"message": "No.", "type": "x"}}
    statuses = (400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529)
    bodies: dict[str, tuple[int, object, dict[str, str]]] = {
        "web page": (200, "<html><title>Log in</title></html>", {}),
        "another protocol": (200, {"hello": "world"}, {}),
        "a list": (200, [1, 2, 3], {}),
        "broken JSON": (200, b'{"choices": [', {"Content_Type": "application/json"}),
        "nothing": (200, "", {"Content_Type": "text/event-stream"}),
        "binary": (200, bytes(range(256)), {"Content_Type": "text/event-stream"}),
        "not gzip": (200, "x", {"Content_Encoding": "gzip", "Content_Type": "text/event-stream"}),
        "redirect": (307, "", {"Location": "https://elsewhere.invalid/v1"}),
    }
    told = {f"status {status}": Fault(answering(status, body)) for status in statuses}
    return told | {
        name: Fault(answering(status, said, **headers)) for name, (status, said, headers) in bodies.items()
    }


def _cuts(complete: bytes) -> dict[str, Fault]:
    """Cut at every byte of a letter of three bytes and of one of four, and all through a frame."""
    letters = {"你": "", "🌍": "你好，"}
    cuts: dict[str, Fault] = {}
    for letter, kept in letters.items():
        at = complete.index(letter.encode())
        for offset in range(len(letter.encode()) + 1):
            script = streaming(complete[: at + offset], end=b"")
            cuts[f"cut in {letter} at {offset}"] = Fault(script, kept)
    frame = complete.index(b"world")
    for back in (1, 8, 20, 30):
        cuts[f"cut {back} bytes before a word"] = Fault(streaming(complete[: frame - back], end=b""))
    return cuts


def _garbage(kind: str, half: bytes) -> dict[str, Fault]:
    event = b"event: content_block_delta\n" if kind == "anthropic" else b""
    lines = {
        "broken JSON inside": b'data: {"choices": [\n\n',
        "a number": b"data: 5\n\n",
        "a text": b'data: "x"\n\n',
        "a list inside": b"data: []\n\n",
        "wrong types": b'data: {"choices": 5, "type": 5}\n\n',
        "not UTF-8": b"data: \xff\xfe\n\n",
        "nested": b"data: " + b"[" * 100_000 + b"\n\n",
        "an endless line": b"data: " + b"x" * 300_000,
    }
    return {
        name: Fault(streaming(half + event + line, largest=60_000), "half") for name, line in lines.items()
    }


def _errors(half: bytes) -> dict[str, Fault]:
    bodies: dict[str, object] = {
        "rate limit": {"error": {"message": "Slowly.", "type": "rate_limit_error", "code": 429}},
        "upstream": {"error": {"message": "Upstream died.", "code": 502}},
        "context": {"error": {"message": "maximum context length is 8"}},
        "bare text": {"error": "just a text"},
        "overloaded": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    }
    return {
        f"error event: {name}": Fault(
            streaming(half + f"event: error\ndata: {json.dumps(body)}\n\n".encode()), "half"
        )
        for name, body in bodies.items()
    }


def _connections(half: bytes, complete: bytes) -> dict[str, Fault]:
    async def reset(connection: Connection) -> None:
        await connection.send(SSE_HEAD, chunk(half))
        connection.writer.transport.abort()

    async def slow_then_gone(connection: Connection) -> None:
        for byte in chunk(half):
            await connection.send(bytes([byte]))
        connection.writer.close()

    whole = chunk(complete)
    # One that lacks only its end holds the whole answer.
    inside = {
        f"{lost} bytes short of a chunk": Fault(hanging_up(SSE_HEAD, whole[:-lost]), may_succeed=True)
        for lost in (1, 2, 3, 9, 30)
    }
    return {
        "closed at once": Fault(hanging_up()),
        "half a head": Fault(hanging_up(b"HTTP/1.1 200 OK\r\nContent-Ty")),
        "another service": Fault(hanging_up(b"SSH-2.0-OpenSSH_9.6\r\n")),
        "never answers": Fault(stalling(), waits=True),
        "never begins": Fault(stalling(SSE_HEAD), waits=True),
        "stalls": Fault(stalling(SSE_HEAD, chunk(half)), "half", waits=True),
        "reset": Fault(reset),  # what was on its way may be gone with the connection
        "byte by byte, then gone": Fault(_after_head(slow_then_gone), "half"),
        "no chunk size": Fault(hanging_up(SSE_HEAD, chunk(half), b"zz\r\n"), "half"),
        "gone after the answer": Fault(streaming(complete, end=b""), TEXT, may_succeed=True),
        "stalls after the answer": Fault(stalling(SSE_HEAD, whole), TEXT, may_succeed=True, waits=True),
        **inside,
    }


def _after_head(script: Script) -> Script:
    async def headed(connection: Connection) -> None:
        await connection.send(SSE_HEAD)
        await script(connection)

    return headed


def _framings(kind: str, half: bytes, complete: bytes) -> dict[str, Fault]:
    plain = SSE_HEAD.replace(b"text/event-stream", b"text/plain")
    crlf = complete.replace(b"\n", b"\r\n")
    return {
        "ends without a reason": Fault(streaming(half), "half"),
        "wrong content type": Fault(hanging_up(plain, chunk(complete), END), may_succeed=True),
        "comments between": Fault(streaming(b": alive\n\n" * 50 + complete), TEXT, may_succeed=True),
        "empty events": Fault(streaming(b"\n\n\n" + complete + b"\n\n"), TEXT, may_succeed=True),
        "other line ends": Fault(streaming(crlf), TEXT, may_succeed=True),
        "unknown events": Fault(
            streaming(named({"type": "surprise"}) + complete) if kind != "openai" else streaming(complete),
            TEXT,
            may_succeed=True,
        ),
    }
