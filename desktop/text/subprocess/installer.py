"""Runs a program that installs something, with its children, and reads its output."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

_NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0
_ENDING_S = 3.0
_CHUNK_BYTES = 64 * 1024


@asynccontextmanager
async def running_installer(*command: str, environment: Mapping[str, str]) -> AsyncIterator[Process]:
    """Run a program while the block lasts; it and its children have ended afterwards. Raises OSErrors."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        env=environment,
        start_new_session=True,
        creationflags=_NO_WINDOW,
    )
    try:
        yield process
    finally:
        _signal(process, signal.SIGTERM)
        try:
            async with asyncio.timeout(_ENDING_S):
                await process.communicate()
        except TimeoutError:
            _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
            await process.communicate()


async def read_output(process: Process, tick_s: float | None = None) -> AsyncGenerator[list[str], None]:
    """Yield the new lines of a program until it ends; with `tick_s` also when there were none for so long."""
    assert process.stdout is not None
    rest = b""
    while True:
        try:
            async with asyncio.timeout(tick_s):
                chunk = await process.stdout.read(_CHUNK_BYTES)
        except TimeoutError:
            yield []
            continue
        *lines, rest = re.split(rb"[\r\n]+", rest + chunk)
        if not chunk:
            lines.append(rest)
        yield [line.decode("utf-8", "replace") for line in lines]
        if not chunk:
            return


def _signal(process: Process, number: signal.Signals) -> None:
    if process.returncode is not None:
        return  # the process id may have been reused
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()  # its children end when the connection breaks
        else:
            os.killpg(process.pid, number)
