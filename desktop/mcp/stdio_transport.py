"""Transport for servers that are programs: JSON-RPC, one message per line, over stdin and stdout.

The SDK has such a client. This one also limits the length of a line, filters output that is not JSON, and
ends a program with all its children within 1.5 s, so that none outlives Stop or Footnote.
"""

import asyncio
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TextIO

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream
from mcp.client._transport import TransportStreams
from mcp.client.stdio import get_default_environment
from mcp.os.win32.utilities import (
    FallbackProcess,
    close_process_job,
    create_windows_process,
    get_windows_executable_command,
    terminate_windows_process_tree,
)
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId, jsonrpc_message_adapter

from desktop.mcp.process_reaper import ProcessReaper
from desktop.phrases import translatable
from desktop.text.stream_limits import LimitExceeded, StreamLimits, StreamMeter

_KEPT_BYTES = 8_192
_SHOWN_CHARS = 400
_TRACEBACK = "Traceback (most recent call last):"
"""The start of a traceback, whose last line names the error."""

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Maximum length of a response; a server that sends no line break would fill the memory."""
_GRACE_S = 0.4
"""How long a program has to exit after the end of its input, after it is told to, and after it is killed."""
_POLL_S = 0.01
_PIECE_BYTES = 65_536
_WAITING = 16
_HOME = Path.home()
_PIPE_ENDS = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)
_Process = anyio.abc.Process | FallbackProcess
_TOO_LONG = translatable("It sent a result larger than {megabytes} MB.")


class StderrBuffer:
    """Provides `file` as the standard error of a program, limited so that it cannot fill memory or disk."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self.file: TextIO = os.fdopen(writing, "w")
        self._kept: deque[int] = deque(maxlen=_KEPT_BYTES)
        self._thread = threading.Thread(target=self._read, args=(reading,), name="mcp-stderr", daemon=True)
        self._thread.start()

    @property
    def last(self) -> str:
        """The end of the output, on one line."""
        text = bytes(self._kept).decode("utf-8", "replace")
        _before, traceback, after = text.rpartition(_TRACEBACK)
        if traceback and after.strip():
            text = after.rstrip().rpartition("\n")[2]
        text = " ".join(text.split())
        return text if len(text) <= _SHOWN_CHARS else "…" + text[-_SHOWN_CHARS:]

    def add(self, words: bytes) -> None:
        """Add error output from another source."""
        self._kept.extend(words[-_KEPT_BYTES:] + b"\n")

    def close(self) -> None:
        """Close our end; the thread ends when the program and its children have closed theirs."""
        self.file.close()

    def wait(self, limit_s: float) -> None:
        """Wait, after `close`, until the remaining output is read; a child may keep its end open."""
        self._thread.join(limit_s)

    def _read(self, reading: int) -> None:
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while piece := pipe.read(_PIECE_BYTES):
                self._kept.extend(piece[-_KEPT_BYTES:])


@asynccontextmanager
async def stdio_transport(
    command: Sequence[str], environment: Mapping[str, str], complaints: StderrBuffer
) -> AsyncIterator[TransportStreams]:
    """Start a program and provide its message streams; the program is ended with the block.

    Raises:
        OSError: it could not be started.
        ValueError: its arguments cannot be passed on, for example because one contains a NUL.
    """
    process = await _start_program(command, {**get_default_environment(), **environment}, complaints.file)
    assert process.stdin is not None
    assert process.stdout is not None
    to_us, reading = anyio.create_memory_object_stream[SessionMessage | Exception](_WAITING)
    writing, to_program = anyio.create_memory_object_stream[SessionMessage](_WAITING)
    asked: set[RequestId] = set()
    reader = asyncio.create_task(_read(process.stdout, to_us, complaints, asked))
    writer = asyncio.create_task(_write(process.stdin, to_program, to_us, asked))
    keeper = ProcessReaper(process.pid)
    try:
        yield reading, writing
    finally:
        reading.close()
        writing.close()
        await _whatever_comes(asyncio.create_task(_close(process, keeper, reader, writer)))


async def _whatever_comes(closing: "asyncio.Task[None]") -> None:
    """Wait for `closing`, which takes 1.5 s at most, even if cancelled; no program may keep running."""
    while not closing.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(closing)


async def _read(
    stdout: ByteReceiveStream,
    messages: anyio.abc.ObjectSendStream[SessionMessage | Exception],
    complaints: StderrBuffer,
    asked: set[RequestId],
) -> None:
    """Pass on the program's messages until it ends, or sends too many that answer no request in `asked`."""
    meter = StreamMeter(StreamLimits())
    async with messages:
        with suppress(*_PIPE_ENDS):
            async for line in _lines(stdout, complaints):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    message = None
                    complaints.add(line)  # some programs print other text to stdout
                try:
                    _count(message, line, meter, asked)
                except LimitExceeded as error:
                    complaints.add(str(error).encode())
                    break
                if message is not None:
                    await messages.send(SessionMessage(message))
    with suppress(*_PIPE_ENDS):
        while True:  # a program whose output is not read does not exit
            await stdout.receive(_PIECE_BYTES)


def _count(message: object, line: bytes, meter: StreamMeter, asked: set[RequestId]) -> None:
    """Count a line against the limits, unless it answers a request.

    Raises:
        LimitExceeded: there were too many lines.
    """
    if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id in asked:
        asked.discard(message.id)
    else:
        meter.take(line + b"\n")


async def _lines(stdout: ByteReceiveStream, complaints: StderrBuffer) -> AsyncIterator[bytes]:
    """Yield whole lines; stop at a line that has no end."""
    line = bytearray()
    while True:
        piece = await stdout.receive(_PIECE_BYTES)
        first, *more = piece.split(b"\n")
        line += first
        for start in more:
            if line.strip():
                yield bytes(line)
            line = bytearray(start)
        if len(line) > MAX_LINE_BYTES:
            complaints.add(_TOO_LONG.format(megabytes=MAX_LINE_BYTES // 2**20).encode())
            return


async def _write(
    stdin: ByteSendStream,
    messages: anyio.abc.ObjectReceiveStream[SessionMessage],
    to_us: anyio.abc.ObjectSendStream[SessionMessage | Exception],
    asked: set[RequestId],
) -> None:
    """Send our messages; stop if the program no longer reads them."""
    try:
        async with messages:
            async for message in messages:
                if isinstance(message.message, JSONRPCRequest):
                    asked.add(message.message.id)
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await stdin.send(f"{text}\n".encode())
    except (*_PIPE_ENDS, ValueError):  # ValueError: the message cannot be serialised as JSON
        await to_us.aclose()


async def _close(
    process: _Process, keeper: ProcessReaper, reader: "asyncio.Task[None]", writer: "asyncio.Task[None]"
) -> None:
    """Close the streams, then end the program, then the task that reads its last output."""
    writer.cancel()
    await asyncio.wait({writer})
    assert process.stdin is not None
    with suppress(*_PIPE_ENDS):
        await process.stdin.aclose()
    await _end(process)
    await asyncio.to_thread(keeper.dismiss)
    await asyncio.wait({reader}, timeout=_GRACE_S)
    reader.cancel()
    await asyncio.wait({reader})


async def _end(process: _Process) -> None:
    """End a program: wait for it to exit, then tell it and its children to exit, then kill them."""
    await _until(lambda: process.returncode is not None)
    if sys.platform == "win32":
        await terminate_windows_process_tree(process)
        close_process_job(process)
        await _until(lambda: process.returncode is not None)
        return
    # Signal the group even if the program is gone: its children may still be running.
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _signal_group(process.pid, number):
            return
        await _until(lambda: not _signal_group(process.pid, 0))


async def _until(is_so: Callable[[], bool]) -> None:
    """Poll for the grace period: no event reports the end of a group, or of one whose child holds a pipe."""
    with anyio.move_on_after(_GRACE_S):
        while not is_so():  # noqa: ASYNC110 (see above)
            await asyncio.sleep(_POLL_S)


def _signal_group(leader: int, number: int) -> bool:
    """Send a signal, or probe with 0, and return whether the group existed."""
    try:
        os.killpg(leader, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # the process exists, but must not be signalled
    return True


async def _start_program(command: Sequence[str], environment: Mapping[str, str], errors: TextIO) -> _Process:
    """Start a program without a shell, in a new process group."""
    program, *arguments = command
    if sys.platform == "win32":
        found = await asyncio.to_thread(get_windows_executable_command, program)
        return await create_windows_process(found, arguments, dict(environment), errors, _HOME)
    return await anyio.open_process(
        [program, *arguments], env=environment, stderr=errors, cwd=_HOME, start_new_session=True
    )
