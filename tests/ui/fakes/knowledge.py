"""The worker of the knowledge bases in the process of the tests: its real code and database, without vectors."""

import asyncio
import socket
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import msgspec
from typing_extensions import override

from desktop.background import BackgroundLoop
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress
from desktop.domain.search import PageStatus, WebPage
from desktop.knowledge.index.database import DATABASE, IndexDatabase
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.reader.pool import ReaderPool
from desktop.knowledge.reader.protocol import ParsedFile, ReadOptions, reading_of
from desktop.knowledge.worker.connection import WorkerConnection
from desktop.knowledge.worker.main import Caller, Worker
from desktop.knowledge.worker.service import WorkerService
from desktop.services.knowledge import KnowledgeService
from desktop.settings.egress import make_detached_context
from desktop.text.child_server import encode_frame, next_frame
from tests.stored_items import put_item
from tests.ui.fakes.scripts import script_result

PAGES = 3
"""How many pages every file is said to have while it is read."""


def open_gate() -> asyncio.Event:
    """Return an event that is set until a test clears it."""
    gate = asyncio.Event()
    gate.set()
    return gate


@cache
def _empty_index() -> bytes:
    """Return a database without bases: to copy it takes a fraction of the time of all migrations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, DATABASE)
        IndexDatabase(path).close()
        return path.read_bytes()


class LocalReader(ReaderPool):
    """Reads files in this process, and waits at a gate after each page."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = open_gate()

    @override
    async def read(
        self,
        path: Path,
        report: Callable[[int, int], None],
        options: ReadOptions = ReadOptions(),
        on_scan: Callable[[], None] = lambda: None,
    ) -> ParsedFile:
        for page in range(1, PAGES + 1):
            report(page, PAGES)
            await self.gate.wait()
        return reading_of(load(path), path.stem, options)


class ScriptedPages:
    """Pages of the web: all have a text, but those of which the address has “bad” in it."""

    async def read(self, url: str, *_options: object) -> WebPage:
        """Return the page at an address."""
        if "bad" in url:
            return WebPage(PageStatus.EMPTY, url)
        return WebPage(PageStatus.READ, url, url.rpartition("/")[2], f"All of {url}.")

    read_fresh = read


class InProcessWorker:
    """Runs the worker that `knowledge` asks, from its first request on.

    Requests wait at `gate`, files at that of `reader`. Without `reads`, items stay as they are until settings are used anew.
    """

    def __init__(self, knowledge: KnowledgeService, loop: BackgroundLoop) -> None:
        self.gate = open_gate()
        self.reader = LocalReader()
        self.reads = True
        self._knowledge = knowledge
        self._loop = loop
        self._count = 0
        self._worker: Worker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        vars(knowledge)["_running"] = self._connect
        vars(knowledge._links)["_reader"] = ScriptedPages
        vars(knowledge._texts)["reader"] = ScriptedPages

    async def _connect(self) -> WorkerConnection:
        async with self._knowledge._starting:
            if self._knowledge._connection is None:
                self._knowledge._connection = await self._start()
            return self._knowledge._connection

    async def _start(self) -> WorkerConnection:
        folder = self._knowledge.data_dir / "knowledge"
        folder.mkdir(exist_ok=True)
        (folder / DATABASE).write_bytes(_empty_index())
        self._worker = Worker(folder, lambda _reply: None)
        service = self._worker._service
        service._ingest._reader = self.reader
        for method in ("run", "upsert", "delete", "forget", "remove_leftovers"):
            script_result(service._vectors, method, None)
        vars(service._vectors)["embed"] = self._embed
        ours, theirs = socket.socketpair()
        work = (self._worker.run(asyncio.Queue()), self._serve(*await asyncio.open_connection(sock=theirs)))
        self._tasks = [asyncio.create_task(each, context=make_detached_context()) for each in work]
        connection = WorkerConnection(None, streams=await asyncio.open_connection(sock=ours))
        if self.reads:
            config = await self._knowledge._setup_now()
            connection.tell(lambda worker: worker.configure(config))
        return connection

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._worker is not None
        program = Caller(
            lambda reply: writer.write(encode_frame(msgspec.msgpack.encode(reply))), is_owner=True
        )
        try:
            while (payload := await next_frame(reader)) is not None:
                await self.gate.wait()
                self._worker.begin(payload, program)
        finally:
            program.leave()
            writer.close()

    async def _embed(self, texts: Sequence[str], *_model: object, **_options: object) -> list[bytes]:
        return [b"\0\0\x80\x3f" for _ in texts]  # of one number, 1.0

    async def aclose(self) -> None:
        """Stop the worker, after the program has left it."""
        if self._worker is not None:
            self.gate.set()
            await self._worker.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)

    def put(self, name: str, items: Sequence[ItemInfo] = ()) -> BaseInfo:
        """Have a base on the disk, with what was read of its items before."""
        return self._loop.call(self._put(name, items))

    async def _put(self, name: str, items: Sequence[ItemInfo]) -> BaseInfo:
        await self._connect()
        self._count += 1
        base = BaseInfo(f"b{self._count}", name)
        self._service._database.connection.execute(
            "INSERT INTO bases (id, name, model, created_at) VALUES (?, ?, ?, 0)",
            (base.id, name, base.model),
        )
        for item in items:
            put_item(self._service._database, item)
        return base

    def tell(self, progress: ItemProgress) -> None:
        """Have a step of an item happen that the program did not ask for."""
        self._loop.call(self._tell(progress))

    async def _tell(self, progress: ItemProgress) -> None:
        item, service = progress.item, self._service
        if progress.is_removed:
            service._library.remove_items([item.id])
        elif service._library.item(item.id) is None:
            put_item(service._database, item)
        service._database.connection.execute("UPDATE items SET state = ? WHERE id = ?", (item.state, item.id))
        service._steps.publish(progress)

    @property
    def _service(self) -> WorkerService:
        assert self._worker is not None
        return self._worker._service

    def base(self, name: str) -> BaseInfo | None:
        """Return the base of a name, as it is on the disk."""
        return next((base for base in self._loop.call(self._knowledge.bases()) if base.name == name), None)
