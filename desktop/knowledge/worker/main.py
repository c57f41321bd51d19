"""The knowledge worker: one process per data folder that owns the index, the embedding model and the readers.

Exchanges MessagePack frames over stdin and stdout, and with further programs over loopback (`connection`). Logs to
stderr. Ends when stdin is closed, which happens when the program that started it has ended.
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
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import cache, partial
from pathlib import Path
from types import GenericAlias
from typing import Any, get_type_hints

import msgspec
from filelock import FileLock, Timeout

from desktop.domain.privacy import EgressEvent
from desktop.errors import AppError, IndexDamaged, IndexInUse, IndexUnavailable, plain_reason
from desktop.knowledge import protocol as wire
from desktop.knowledge.index.database import DATABASE, LOCK, LOCK_PATIENCE_S
from desktop.knowledge.index.disk_errors import disk_refused, is_damage, is_full, storage_full
from desktop.knowledge.worker.connection import (
    HOST,
    WorkerAddress,
    admit_guest,
    publish_address,
    withdraw_address,
)
from desktop.knowledge.worker.service import WorkerService
from desktop.phrases import translatable
from desktop.settings.egress import EgressContext, on
from desktop.settings.folders import keep_private
from desktop.settings.model import KnowledgeSettings
from desktop.text.child_server import encode_frame, next_frame, read_frame, take_stdout, write_frame
from desktop.text.message_codec import decode_msgpack, encode_msgpack, error_fields

EXIT_IN_USE = 3
_GRACE_S = 1.0
"""Grace period for running work after the program has ended, in seconds; loading a model takes longer."""
_CONFIGURE = WorkerService.configure.__name__
_MOST_GUESTS = 32
_MOST_UNREAD_BYTES = 256 * 1024 * 1024
_INTERNAL = translatable("internal error ({detail})")
_NOT_OURS = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}
)
_PRIMARY = 0xFF
"""SQLite's primary result code; the extended code is in the higher bits."""

_log = logging.getLogger(__name__)


class Caller:
    """A program that sends calls: the owner, which started the worker, or a guest; `send` sends it a reply."""

    def __init__(self, send: Callable[[wire.Reply], None], *, is_owner: bool = False) -> None:
        self.send = send
        self.is_owner = is_owner
        self.calls: dict[int, asyncio.Task[None]] = {}
        """Its running calls, by its numbers of them."""

    def leave(self) -> None:
        """Cancel all calls of a guest that has left."""
        for task in self.calls.values():
            task.cancel()


class Worker:
    """Answers requests, each in its own task. `send` sends replies to the program that started the worker."""

    def __init__(self, folder: Path, send: Callable[[wire.Reply], None]) -> None:
        self._folder = folder
        self._owner = Caller(send, is_owner=True)
        self._service = WorkerService(folder, send)
        self._settings: KnowledgeSettings | None = None
        self.is_configured = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    async def run(self, requests: "asyncio.Queue[bytes | None]") -> None:
        """Serve the requests of the owner until the queue ends."""
        self._work = asyncio.create_task(self._service.run())
        self._work.add_done_callback(
            lambda _: requests.put_nowait(None)
        )  # without this work the process is of no use
        while (payload := await requests.get()) is not None:
            self.begin(payload, self._owner)

    async def close(self) -> None:
        """Stop all work; raises what ended the background work, if that has failed."""
        tasks = [self._work, *self._running]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._service.close()
        if not self._work.cancelled() and (failure := self._work.exception()) is not None:
            raise _first(failure)

    def begin(self, payload: bytes, caller: Caller) -> None:
        """Start to answer a request."""
        request = msgspec.msgpack.decode(payload, type=wire.Request)
        task = asyncio.create_task(self._serve(request, caller))
        caller.calls[request.id] = task
        self._running.add(task)
        task.add_done_callback(partial(self._forget, request.id, caller))

    def _forget(self, request: int, caller: Caller, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if caller.calls.get(request) is task:
            del caller.calls[request]

    async def _serve(self, request: wire.Request, caller: Caller) -> None:
        try:
            with on(EgressContext(request.stays_here, partial(_note, caller, request.id))):
                result = await self._answer(request, caller)
            caller.send(wire.Done(request.id, msgspec.Raw(encode_msgpack(result))))
        except Exception as error:  # noqa: BLE001 - top level of a call: the caller must hear of bugs too
            failure = _convert_error(error, self._folder)
            if failure is not error:
                _log.exception("%s failed", request.method)
            caller.send(wire.Failed(request.id, type(failure).__name__, error_fields(failure)))

    async def _answer(self, request: wire.Request, caller: Caller) -> object:
        """Call the handler that a request names, send what it yields, and return its result."""
        if request.method == wire.CANCEL:
            number, item_ids = msgspec.msgpack.decode(request.arguments, type=tuple[int, tuple[str, ...]])
            await self._cancel(caller.calls.get(number), item_ids)
            return None
        handler: Any = getattr(self._service, request.method)
        arguments = decode_msgpack(request.arguments, _argument_types(handler.__func__))
        if request.method == _CONFIGURE:
            await self._configure(arguments[0], caller)
            return None
        result = handler(*arguments)
        if not inspect.isasyncgen(result):
            return await result
        async with aclosing(result) as steps:
            async for step in steps:
                caller.send(wire.CallProgress(request.id, msgspec.Raw(encode_msgpack(step))))
        return None

    async def _configure(self, config: wire.WorkerConfig, caller: Caller) -> None:
        """Apply settings; those of a guest only if they are other ones.

        A guest may lack secrets that the owner has, as where it has no keyring.
        """
        if caller.is_owner or config.settings != self._settings:
            self._settings = config.settings
            await self._service.configure(config)
            self.is_configured.set()

    async def _cancel(self, task: asyncio.Task[None] | None, item_ids: tuple[str, ...]) -> None:
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await self._service.cancel(item_ids)


def _note(caller: Caller, request: int, egress_event: EgressEvent) -> None:
    caller.send(wire.Crossed(request, egress_event))


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


def _convert_error(error: Exception, folder: Path) -> AppError:
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
        failure = _convert_error(error, folder)
        send(wire.Failed(wire.NO_REQUEST, type(failure).__name__, error_fields(failure)))
        return 1
    return 0


async def _serve_stdin(folder: Path, send: Callable[[wire.Reply], None]) -> None:
    requests: asyncio.Queue[bytes | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    worker = Worker(folder, send)
    # A thread, because the event loop of Windows cannot wait for stdin.
    threading.Thread(target=_pump, args=(loop, requests), daemon=True).start()
    async with _open_to_guests(worker, folder):
        await worker.run(requests)
    await worker.close()


@asynccontextmanager
async def _open_to_guests(worker: Worker, folder: Path) -> AsyncIterator[None]:
    """Take guests during the block; on a machine without loopback, none."""
    address: WorkerAddress | None = None
    guests: set[StreamWriter] = set()

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        guests.add(writer)
        try:
            if (
                address is not None
                and len(guests) <= _MOST_GUESTS
                and await admit_guest(reader, writer, address)
            ):
                await _serve_guest(worker, reader, writer)
        finally:
            guests.discard(writer)
            writer.close()

    try:
        server = await asyncio.start_server(serve, HOST, 0)
    except OSError as error:
        _log.warning("other programs cannot use this worker: %s", error)
        yield
        return
    try:
        address = await asyncio.to_thread(publish_address, folder, server.sockets[0].getsockname()[1])
        yield
    finally:
        withdraw_address(folder)
        server.close()
        for writer in guests:
            writer.close()


async def _serve_guest(worker: Worker, reader: StreamReader, writer: StreamWriter) -> None:
    """Answer the requests of a guest until it leaves, or does not read its replies."""

    def send(reply: wire.Reply) -> None:
        if writer.transport.get_write_buffer_size() > _MOST_UNREAD_BYTES:
            writer.transport.abort()
        else:
            writer.write(encode_frame(msgspec.msgpack.encode(reply)))

    await worker.is_configured.wait()
    guest = Caller(send)
    try:
        while (payload := await next_frame(reader)) is not None:
            worker.begin(payload, guest)
    except msgspec.MsgspecError as error:
        _log.warning("A program sent what cannot be understood: %s", error)
    finally:
        guest.leave()


def _pump(loop: asyncio.AbstractEventLoop, requests: "asyncio.Queue[bytes | None]") -> None:
    while True:
        payload = read_frame(sys.stdin.buffer)
        loop.call_soon_threadsafe(requests.put_nowait, payload)
        if payload is None:
            time.sleep(_GRACE_S)
            os._exit(0)  # no data is lost: the process may be killed at any time


if __name__ == "__main__":
    sys.exit(main())
