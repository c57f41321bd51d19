"""Answers without end and numbers out of any range, in the three protocols; the soak sends the same."""

import gzip
import json

from tests.unit.providers.wire import END, Connection, Script, chunk

PACKED_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
)
FRAMES = 3_000_000


def pack(data: bytes, content_type: bytes = b"text/event-stream") -> Script:
    """Answer with a body that is packed with gzip."""
    body = gzip.compress(data, 6)

    async def script(connection: Connection) -> None:
        await connection.send(PACKED_HEAD % content_type, chunk(body), END)

    return script


def endless(piece: bytes, head: bytes = PACKED_HEAD % b"text/event-stream") -> Script:
    """Send a packed piece of a stream again and again, as long as somebody reads."""
    body = gzip.compress(piece, 6)

    async def script(connection: Connection) -> None:
        await connection.send(head)
        while not connection.writer.is_closing():
            await connection.send(chunk(body))

    return script


def event(fields: dict[str, object]) -> bytes:
    """Write one event, with its name where it has one."""
    name = f"event: {fields['type']}\n" if "type" in fields else ""
    return f"{name}data: {json.dumps(fields)}\n\n".encode()


def _openai_call(index: int, number: int) -> bytes:
    function = {"name": f"tool_{number}", "arguments": "{}"}
    call = {"index": index, "id": f"call_{number}", "type": "function", "function": function}
    return event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})


def _responses_call(index: int, number: int) -> bytes:
    item = {
        "type": "function_call",
        "call_id": f"call_{number}",
        "name": f"tool_{number}",
        "arguments": "{}",
    }
    return event({"type": "response.output_item.added", "output_index": index, "item": item})


def _anthropic_call(index: int, number: int) -> bytes:
    block = {"type": "tool_use", "id": f"call_{number}", "name": f"tool_{number}", "input": {"a": 1}}
    return event({"type": "content_block_start", "index": index, "content_block": block})


CALLS = {"openai": _openai_call, "openai-responses": _responses_call, "anthropic": _anthropic_call}

END_OF_CALLS = {
    "openai": event({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    "openai-responses": event({"type": "response.completed", "response": {"status": "completed"}}),
    "anthropic": event({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}),
}

USAGE = {
    "openai": lambda count: event(
        {"choices": [], "usage": {"prompt_tokens": count, "completion_tokens": count}}
    ),
    "openai-responses": lambda count: event(
        {
            "type": "response.completed",
            "response": {"status": "completed", "usage": {"input_tokens": count, "output_tokens": count}},
        }
    ),
    "anthropic": lambda count: event(
        {"type": "message_delta", "delta": {}, "usage": {"input_tokens": count, "output_tokens": count}}
    ),
}

EMPTY = {
    "openai": (
        b"data: {}\n\n",
        b": alive\n\n",
        b"\n\n",
        b"\r",
        event({"choices": [{"index": 0, "delta": {"content": ""}}]}),
        event({"choices": [], "usage": {"prompt_tokens": 1}}),
    ),
    "openai-responses": (
        b"data: {}\n\n",
        b": alive\n\n",
        b"event: x\ndata: {}\n\n",
        event({"type": "response.in_progress"}),
        event({"type": "response.output_text.delta", "output_index": 0, "delta": ""}),
    ),
    "anthropic": (
        b"event: ping\ndata: {}\n\n",
        b": alive\n\n",
        b"data: {}\n\n",
        event({"type": "ping"}),
        event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ""}}),
    ),
}
"""Frames in which there is nothing of an answer."""
