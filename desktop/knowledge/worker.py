"""The knowledge worker: one process per data folder that owns index, embedding model and reader.

Speaks frames of MessagePack over stdin and stdout, logs to stderr, and ends when stdin does, which is
when the program that started it is gone.
"""

import argparse
import asyncio
import logging
import os
import sqlite3
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from desktop.errors import AppError, IndexInUse, IndexUnavailable
from desktop.knowledge import wire
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.library import Library
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.ingest import Ingest
from desktop.knowledge.reader_process import ReaderProcess
from desktop.knowledge.retrieve import Searcher
from desktop.knowledge.vector_room import VectorRoom
from desktop.phrases import phrase
from desktop.text.frames import read_frame, write_frame
from desktop.text.serving import take_stdout

EXIT_IN_USE = 3
_INTERNAL = phrase("internal error ({detail})")
_KILLED = phrase("Footnote was ended while it read this file. Add it again to retry.")

_log = logging.getLogger(__name__)


class Worker:
    """Answers requests, each in a task of its own."""

    def __init__(self, folder: Path, send: Callable[[wire.Reply], None]) -> None:
        self._send = send
        self._database = Database(folder / "knowledge.db")
        self._bases = Bases(self._database)
        self._library = Library(self._database)
        self._passages = Passages(self._database)
        self._vectors = VectorRoom(folder / "vectors", folder / "knowledge.db")
        self._ingest = Ingest(self._database, self._vectors, ReaderProcess())
        self._searcher = Searcher(self._database, self._vectors)
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._handlers: dict[type, Callable[[Any, int], Awaitable[object]]] = {
            wire.ListBases: self._list_bases,
            wire.CreateBase: self._create_base,
            wire.UpdateBase: self._update_base,
            wire.DeleteBase: self._delete_base,
            wire.RestoreBase: self._restore_base,
            wire.ForgetBase: self._forget_base,
            wire.ListItems: self._list_items,
            wire.AddFiles: self._add_files,
            wire.WatchItems: self._watch_items,
            wire.CancelItems: self._cancel_items,
            wire.RemoveItems: self._remove_items,
            wire.Retrieve: self._retrieve,
            wire.ReadText: self._read_text,
            wire.Compare: self._compare,
            wire.AskStatus: self._status,
            wire.Cancel: self._cancel,
        }

    async def run(self, requests: "asyncio.Queue[bytes | None]") -> None:
        """Serve until there are no more requests."""
        self._library.recover(_KILLED)
        ingest = asyncio.create_task(self._ingest.run())
        forgetting = asyncio.create_task(self._forget_deleted())
        ingest.add_done_callback(lambda _: requests.put_nowait(None))  # without it this process is of no use
        while (payload := await requests.get()) is not None:
            request = msgspec.msgpack.decode(payload, type=wire.Request)
            task = asyncio.create_task(self._serve(request))
            self._calls[request.id] = task
            task.add_done_callback(partial(self._forget, request.id))
        tasks = [ingest, forgetting, *self._calls.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._vectors.close()
        self._database.close()
        if not ingest.cancelled():
            ingest.result()

    def _forget(self, request: int, _task: asyncio.Task[None]) -> None:
        self._calls.pop(request, None)

    async def _forget_deleted(self) -> None:
        for base_id in self._bases.deleted():
            await self._forget_base(wire.ForgetBase(base_id), wire.NO_REQUEST)

    async def _serve(self, request: wire.Request) -> None:
        try:
            result = await self._handlers[type(request.call)](request.call, request.id)
            self._send(wire.Done(request.id, msgspec.Raw(msgspec.msgpack.encode(result))))
        except AppError as error:
            self._send(wire.Failed(request.id, type(error).__name__, wire.error_fields(error)))
        except Exception as error:  # noqa: BLE001 - the border of the process: the caller must hear of bugs too
            _log.exception("%s failed", type(request.call).__name__)
            failure = IndexUnavailable(detail=_INTERNAL.format(detail=f"{type(error).__name__}: {error}"))
            self._send(wire.Failed(request.id, type(failure).__name__, wire.error_fields(failure)))

    async def _list_bases(self, _call: wire.ListBases, _id: int) -> object:
        return self._bases.all()

    async def _create_base(self, call: wire.CreateBase, _id: int) -> object:
        return self._bases.create(call.name)

    async def _update_base(self, call: wire.UpdateBase, _id: int) -> object:
        base = self._bases.update(call.base)
        self._ingest.wake()
        return base

    async def _delete_base(self, call: wire.DeleteBase, _id: int) -> object:
        self._bases.delete(call.base_id)
        return None

    async def _restore_base(self, call: wire.RestoreBase, _id: int) -> object:
        base = self._bases.restore(call.base_id)
        self._ingest.wake()
        return base

    async def _forget_base(self, call: wire.ForgetBase, _id: int) -> object:
        for _ in self._bases.forget(call.base_id):
            await asyncio.sleep(0)  # others may be served between two batches
        if call.base_id not in self._bases.ids():
            await self._vectors.delete_base(call.base_id)
        return None

    async def _list_items(self, call: wire.ListItems, _id: int) -> object:
        return self._library.items(call.base_id, call.after, call.limit)

    async def _add_files(self, call: wire.AddFiles, request: int) -> object:
        item_ids = await self._ingest.enqueue(call.base_id, [Path(path) for path in call.paths])
        await self._follow(item_ids, request)
        return None

    async def _watch_items(self, call: wire.WatchItems, request: int) -> object:
        await self._follow(call.item_ids, request)
        return None

    async def _follow(self, item_ids: "list[str] | tuple[str, ...]", request: int) -> None:
        async with aclosing(self._ingest.watch(item_ids)) as steps:
            async for step in steps:
                self._send(wire.Progress(request, (step,)))

    async def _cancel_items(self, call: wire.CancelItems, _id: int) -> object:
        await self._ingest.withdraw(call.item_ids)
        return None

    async def _remove_items(self, call: wire.RemoveItems, _id: int) -> object:
        for item in map(self._library.item, call.item_ids):
            if item is not None:
                await self._ingest.remove(item)
        return None

    async def _retrieve(self, call: wire.Retrieve, _id: int) -> object:
        return await self._searcher.retrieve(call.queries, call.scope, call.count)

    async def _read_text(self, call: wire.ReadText, _id: int) -> object:
        return self._passages.text(call.sha256)

    async def _compare(self, call: wire.Compare, _id: int) -> object:
        return await self._vectors.compare(call.texts, call.pairs)

    async def _status(self, _call: wire.AskStatus, _id: int) -> object:
        return wire.Status(
            pid=os.getpid(),
            waiting=self._library.count_waiting(),
            embedding=self._passages.count_pending(),
            is_model_loaded=self._vectors.is_loaded,
        )

    async def _cancel(self, call: wire.Cancel, _id: int) -> object:
        task = self._calls.get(call.request)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await self._ingest.withdraw(call.item_ids)
        return None


def main() -> int:
    """Serve the data folder named on the command line."""
    parser = argparse.ArgumentParser(prog="desktop.knowledge.worker")
    parser.add_argument("--data-dir", type=Path, required=True)
    folder: Path = parser.parse_args().data_dir / "knowledge"
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    messages = take_stdout()

    def send(reply: wire.Reply) -> None:
        write_frame(messages, msgspec.msgpack.encode(reply))

    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / "worker.lock", timeout=0):
            asyncio.run(_serve_stdin(folder, send))
    except Timeout:
        error = IndexInUse(folder=folder.parent)
        send(wire.Failed(wire.NO_REQUEST, type(error).__name__, wire.error_fields(error)))
        return EXIT_IN_USE
    except AppError as error:
        send(wire.Failed(wire.NO_REQUEST, type(error).__name__, wire.error_fields(error)))
        return 1
    except sqlite3.DatabaseError as error:
        logging.getLogger(__name__).exception("the database cannot be used")
        damage = IndexUnavailable(detail=f"{folder / 'knowledge.db'}: {error}. Move it away to begin anew.")
        send(wire.Failed(wire.NO_REQUEST, type(damage).__name__, wire.error_fields(damage)))
        return 1
    return 0


async def _serve_stdin(folder: Path, send: Callable[[wire.Reply], None]) -> None:
    requests: asyncio.Queue[bytes | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    worker = Worker(folder, send)
    # A thread, as Windows cannot wait for stdin in its event loop.
    threading.Thread(target=_pump, args=(loop, requests), daemon=True).start()
    await worker.run(requests)


def _pump(loop: asyncio.AbstractEventLoop, requests: "asyncio.Queue[bytes | None]") -> None:
    while True:
        payload = read_frame(sys.stdin.buffer)
        loop.call_soon_threadsafe(requests.put_nowait, payload)
        if payload is None:
            return


if __name__ == "__main__":
    sys.exit(main())
