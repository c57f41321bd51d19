"""The knowledge worker: one process per data folder that owns the index, the embedding model and the readers.

Exchanges MessagePack frames over stdin and stdout, logs to stderr, and ends when stdin is closed, which happens
when the program that started it has ended.
"""

import argparse
import asyncio
import inspect
import logging
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from functools import cache, partial
from pathlib import Path
from types import GenericAlias
from typing import Any, get_type_hints

import msgspec
from filelock import FileLock, Timeout

from desktop.domain.privacy import EgressEvent
from desktop.errors import AppError, IndexDamaged, IndexInUse, IndexUnavailable, plain_reason
from desktop.knowledge import protocol as wire
from desktop.knowledge.error_codec import error_fields
from desktop.knowledge.index.database import DATABASE, LOCK, LOCK_PATIENCE_S
from desktop.knowledge.index.disk_errors import disk_refused, is_damage, is_full, storage_full
from desktop.knowledge.worker.service import WorkerService
from desktop.phrases import translatable
from desktop.settings.egress import EgressContext, on
from desktop.settings.folders import keep_private
from desktop.text.subprocess.server import read_frame, take_stdout, write_frame

EXIT_IN_USE = 3
_GRACE_S = 1.0
"""Grace period for running work after the program has ended, in seconds; loading a model takes longer."""
_INTERNAL = translatable("internal error ({detail})")
_NOT_OURS = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}
)
_PRIMARY = 0xFF
"""SQLite's primary result code; the extended code is in the higher bits."""

_log = logging.getLogger(__name__)


class Worker:
    """Answers requests, each in its own task."""

    def __init__(self, folder: Path, send: Callable[[wire.Reply], None]) -> None:
        self._folder = folder
        self._send = send
        self._service = WorkerService(folder, send)
        self._calls: dict[int, asyncio.Task[None]] = {}

    async def run(self, requests: "asyncio.Queue[bytes | None]") -> None:
        """Serve requests until the queue ends."""
        work = asyncio.create_task(self._service.run())
        work.add_done_callback(
            lambda _: requests.put_nowait(None)
        )  # without this work the process is of no use
        while (payload := await requests.get()) is not None:
            request = msgspec.msgpack.decode(payload, type=wire.Request)
            task = asyncio.create_task(self._serve(request))
            self._calls[request.id] = task
            task.add_done_callback(partial(self._forget, request.id))
        tasks = [work, *self._calls.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._service.close()
        if not work.cancelled() and (failure := work.exception()) is not None:
            raise _first(failure)

    def _forget(self, request: int, _task: asyncio.Task[None]) -> None:
        self._calls.pop(request, None)

    async def _serve(self, request: wire.Request) -> None:
        try:
            with on(EgressContext(request.stays_here, partial(self._note, request.id))):
                result = await self._answer(request)
            self._send(wire.Done(request.id, msgspec.Raw(msgspec.msgpack.encode(result))))
        except Exception as error:  # noqa: BLE001 - top level of a call: the caller must hear of bugs too
            failure = _told(error, self._folder)
            if failure is not error:
                _log.exception("%s failed", request.method)
            self._send(wire.Failed(request.id, type(failure).__name__, error_fields(failure)))

    def _note(self, request: int, egress_event: EgressEvent) -> None:
        self._send(wire.Crossed(request, egress_event))

    async def _answer(self, request: wire.Request) -> object:
        """Call the handler that a request names, send what it yields, and return its result."""
        is_cancel = request.method == wire.CANCEL
        handler: Any = self._cancel if is_cancel else getattr(self._service, request.method)
        result = handler(*msgspec.msgpack.decode(request.arguments, type=_argument_types(handler.__func__)))
        if not inspect.isasyncgen(result):
            return await result
        async with aclosing(result) as steps:
            async for step in steps:
                self._send(wire.CallProgress(request.id, msgspec.Raw(msgspec.msgpack.encode(step))))
        return None

    async def _cancel(self, call: int, item_ids: tuple[str, ...]) -> None:
        task = self._calls.get(call)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await self._service.cancel(item_ids)


@cache
def _argument_types(handler: Callable[..., object]) -> Any:
    """Return the tuple type of the arguments of a method, by its signature."""
    hints = get_type_hints(handler)
    _, *names = inspect.signature(handler).parameters  # the first is `self`
    return GenericAlias(tuple, tuple(hints[name] for name in names))


def _first(error: BaseException) -> BaseException:
    """Return the first error of a group of parallel tasks."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _told(error: Exception, folder: Path) -> AppError:
    """Convert an exception to the error that is sent to the caller."""
    if isinstance(error, AppError):
        return error
    if is_full(error, folder):
        return storage_full(error)
    if is_damage(error):
        return IndexDamaged(path=folder / DATABASE, detail=plain_reason(error))
    is_refusal = (
        isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & _PRIMARY in _NOT_OURS
    )
    if is_refusal or isinstance(error, OSError):
        return disk_refused(error, folder / DATABASE)
    return IndexUnavailable(detail=_INTERNAL.format(detail=f"{type(error).__name__}: {plain_reason(error)}"))


def main() -> int:
    """Serve the data folder given on the command line."""
    # A terminal also sends Ctrl+C to this process and its readers; they end with the program that started them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_private()
    # A progress bar that cannot be written because the disk is full would hold its lock forever.
    os.environ["TQDM_DISABLE"] = "1"
    parser = argparse.ArgumentParser(prog="desktop.knowledge.worker.main")
    parser.add_argument("--data-dir", type=Path, required=True)
    folder: Path = parser.parse_args().data_dir / "knowledge"
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every request to a Chroma server
    messages = take_stdout()

    def send(reply: wire.Reply) -> None:
        write_frame(messages, msgspec.msgpack.encode(reply))

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / LOCK, timeout=LOCK_PATIENCE_S):
            asyncio.run(_serve_stdin(folder, send))
    except Timeout:
        error = IndexInUse(folder=folder.parent)
        send(wire.Failed(wire.NO_REQUEST, type(error).__name__, error_fields(error)))
        return EXIT_IN_USE
    except (AppError, sqlite3.Error, OSError) as error:
        _log.exception("the index cannot be served")
        failure = _told(error, folder)
        send(wire.Failed(wire.NO_REQUEST, type(failure).__name__, error_fields(failure)))
        return 1
    return 0


async def _serve_stdin(folder: Path, send: Callable[[wire.Reply], None]) -> None:
    requests: asyncio.Queue[bytes | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    worker = Worker(folder, send)
    # A thread, because the event loop of Windows cannot wait for stdin.
    threading.Thread(target=_pump, args=(loop, requests), daemon=True).start()
    await worker.run(requests)


def _pump(loop: asyncio.AbstractEventLoop, requests: "asyncio.Queue[bytes | None]") -> None:
    while True:
        payload = read_frame(sys.stdin.buffer)
        loop.call_soon_threadsafe(requests.put_nowait, payload)
        if payload is None:
            time.sleep(_GRACE_S)
            os._exit(0)  # no data is lost: the process may be killed at any time


if __name__ == "__main__":
    sys.exit(main())
