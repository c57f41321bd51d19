"""The child's side of a parser process, and its message frames: four bytes of length, then MessagePack."""

import faulthandler
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, NoReturn

if TYPE_CHECKING:  # a process that only reads and writes files starts faster without it
    import asyncio

_LENGTH_BYTES = 4


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Write one message and flush the stream."""
    stream.write(encode_frame(payload))
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the next message, or None when the other side has closed."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(head, "big")
    payload = stream.read(size)
    return payload if len(payload) == size else None


def encode_frame(payload: bytes) -> bytes:
    """Return a message with its length prefix."""
    return len(payload).to_bytes(_LENGTH_BYTES, "big") + payload


async def next_frame(stream: "asyncio.StreamReader") -> bytes | None:
    """Return the next message, or None when the other side has closed."""
    try:
        head = await stream.readexactly(_LENGTH_BYTES)
        return await stream.readexactly(int.from_bytes(head, "big"))
    except (EOFError, ConnectionError):
        return None


Send = Callable[[bytes], None]


def serve(answer: Callable[[bytes, Send], None], *, timeout_s: float, max_memory_bytes: int) -> NoReturn:
    """Pass every request and a function that sends responses to `answer`, until the parent has ended.

    `timeout_s` without a response ends the process even if a parser in C never returns; the parent has its own
    timeout.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    replies = take_stdout()
    _limit_memory(max_memory_bytes)
    threading.Thread(target=_pump, args=(requests,), daemon=True).start()

    def send(reply: bytes) -> None:
        faulthandler.dump_traceback_later(timeout_s + 1, exit=True)
        write_frame(replies, reply)

    while True:
        payload = requests.get()
        faulthandler.dump_traceback_later(timeout_s + 1, exit=True)
        answer(payload, send)
        faulthandler.cancel_dump_traceback_later()


def take_stdout() -> BinaryIO:
    """Return stdout for messages only; anything else that is printed goes to stderr from now on."""
    sys.stdout.flush()
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return messages


def _pump(requests: "queue.SimpleQueue[bytes]") -> None:
    """Forward requests, and end the process when the parent has ended, even during a request."""
    while (payload := read_frame(sys.stdin.buffer)) is not None:
        requests.put(payload)
    os._exit(0)


def _limit_memory(max_bytes: int) -> None:
    """Make allocations of this process fail before they exhaust the machine's memory; Linux only."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - there is no such module on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (max_bytes, max_bytes))
