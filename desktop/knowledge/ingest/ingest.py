"""Reads queued items into the index; vectors follow later.

The options for reading come from the base, else from the settings, else from the model of the base.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from desktop.domain.addresses import path_text
from desktop.domain.knowledge import BaseOptions, ItemInfo, ItemKind, ItemProgress, ItemState
from desktop.errors import AppError, FileChanged, FileUnreadable, NothingToRead
from desktop.knowledge import bundle_transfers as imports
from desktop.knowledge.bundled_models import BUNDLED
from desktop.knowledge.embedding.model_cards import suitable_passage_tokens
from desktop.knowledge.embedding.model_store import ModelStore, card_of, is_folder
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.disk_errors import is_full, storage_full
from desktop.knowledge.index.items import ItemStore, StoredContent, recover
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.ingest.embed_loop import FULL_PAUSE_S, EmbedLoop, wait_for
from desktop.knowledge.ingest.folders import links_out_of
from desktop.knowledge.ingest.originals import digest_of, original_of, stamp_of
from desktop.knowledge.ingest.picture_describer import Describer
from desktop.knowledge.progress import ProgressBroadcast
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reader.pool import TEXTS_AT_ONCE, ReaderPool
from desktop.knowledge.reader.protocol import ParsedFile, ReadOptions
from desktop.knowledge.vector_service import VectorService
from desktop.phrases import translatable

_TOKENIZER = "tokenizer.json"
_ENQUEUED_AT_ONCE = 1_000
_REMOVED_AT_ONCE = 100
MOST_ON_THEIR_WAY = TEXTS_AT_ONCE + 4
"""Number of items processed at once, except scans: more than there are readers, so that these need not wait for
the index, nor for this process on a busy machine.
"""
_MOST_TRIES = 3
"""Maximum attempts to read a file that changes while it is read."""
_MOST_SCANS = 1_000
"""Maximum number of scans that may wait for the scan reader, or for their description, while other files are
read.
"""
_UNREAD = frozenset({ItemState.WAITING, ItemState.READING})
_KILLED = translatable("Footnote was closed while it read this file. Read it again to retry.")
_ANOTHER = translatable("a different file is there now; add it to have it read")
_REMOVED = translatable("It was removed.")
_LINK_OUT = translatable("it is a link to {target}, outside the folder; add that file to have it read")


def read_options(options: BaseOptions, setup: WorkerConfig, store: ModelStore) -> ReadOptions:
    """Return the options for reading for a base; its model counts the tokens if it is available.

    For models on a server, tokenizer and maximum length are unknown, so MiniLM's are used. They are also used
    for the bundled models, so that switching between these keeps the passages.
    """
    model = setup.model_for(options)
    wanted = options.passage_tokens or setup.settings.passage_tokens
    ocr = setup.settings.reads_scans
    describes = bool(setup.settings.describer) and not options.stays_here
    if model in BUNDLED or setup.embedder(model) is not None or not store.is_here(model):
        return ReadOptions(wanted, ocr=ocr, describes=describes)
    card = card_of(model, store)
    tokens = min(wanted, card.max_tokens or wanted) or suitable_passage_tokens(card.max_tokens)
    tokenizer = (Path(model) if is_folder(model) else store.folder_of(model)) / _TOKENIZER
    return ReadOptions(tokens, str(tokenizer) if tokenizer.is_file() else "", ocr, describes)


class Ingest:
    """Two loops that process the queues on disk, resuming the work of the previous run."""

    def __init__(
        self,
        database: IndexDatabase,
        vectors: VectorService,
        reader: ReaderPool,
        steps: ProgressBroadcast,
        spool: Path,
        *,
        describer: Describer,
    ) -> None:
        self._database = database
        self._bases = Bases(database)
        self._library = ItemStore(database)
        self._vectors = vectors
        self._reader = reader
        self._steps = steps
        self._spool = spool
        self._describer = describer
        self._embed_loop = EmbedLoop(database, vectors, steps)
        self._to_read = asyncio.Event()
        self._to_fetch = asyncio.Event()
        self._fetching: set[str] = set()
        self._reading: dict[str, tuple[str, asyncio.Task[None]]] = {}
        """The base and the task of each item that is being read."""
        self._scanning: set[str] = set()
        self._stuck: set[str] = set()
        self._crash_suspects: set[str] = set()
        """Items that are read alone, so that the cause is known if the program dies again."""

    def recover(self) -> None:
        """Recover the items of a killed process, before their states are read."""
        self._crash_suspects = recover(self._database, _KILLED, os.getppid())
        Passages(self._database).finish_documents()  # the process may have been killed just before this

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as loops:
                loops.create_task(self._read_loop(loops))
                loops.create_task(self._embed_loop.run())
        finally:
            await self._reader.aclose()

    def retry_models(self) -> None:
        """Signal that failed embedding models may work again."""
        self._embed_loop.retry()

    def count_embedded_anew(self, base_id: str) -> int:
        """Return how many passages have a vector of the model that the base will switch to."""
        return self._embed_loop.count_embedded_anew(base_id)

    def wake(self) -> None:
        """Check for new work, for example after a base was resumed."""
        self._to_read.set()
        self._embed_loop.wake()
        self._to_fetch.set()

    def hold(self, base_id: str) -> None:
        """Requeue the items being read for a base, because it is paused or deleted."""
        for of_base, task in self._reading.values():
            if of_base == base_id:
                task.cancel()

    async def enqueue(
        self, base_id: str, paths: Sequence[Path]
    ) -> tuple[list[str], tuple[ItemProgress, ...]]:
        """Queue files and the files in folders; return their ids, and a progress step for each skipped link."""
        files, links = await asyncio.to_thread(files_of, paths)
        return await self.put_files(base_id, files), tuple(_skip_link(base_id, link) for link in links)

    async def put_files(self, base_id: str, files: Sequence[Path], folder_id: str | None = None) -> list[str]:
        """Queue files, with the folder's id for files of a followed folder; return their ids."""
        item_ids: list[str] = []
        for begin in range(0, len(files), _ENQUEUED_AT_ONCE):
            batch = [Path(path_text(path)) for path in files[begin : begin + _ENQUEUED_AT_ONCE]]
            new_ids = self._library.enqueue(base_id, batch, folder_id)
            self.announce(new_ids)
            item_ids += new_ids
            await asyncio.sleep(0)  # let other tasks run between two batches
        return item_ids

    def put_note(self, base_id: str, title: str, text: str, item_id: str) -> str:
        """Queue a note; return its id."""
        item_id = self._library.put_note(base_id, title, text, item_id)
        self._stop_reading(item_id)
        self.announce([item_id])
        return item_id

    def put_page(self, base_id: str, url: str, title: str, text: str, read_at: float) -> tuple[str, bool]:
        """Queue a page that was read before; return its item, and whether it is new in the base."""
        item_id, is_new = self._library.put_page(base_id, url, title, text, read_at)
        if is_new:
            self._stop_reading(item_id)
            self.announce([item_id])
        return item_id, is_new

    def put_link(self, base_id: str, url: str) -> str:
        """Queue a link to be fetched; return its id."""
        item_id = self._library.put_link(base_id, url)
        self.announce([item_id])
        self._to_fetch.set()
        return item_id

    def read_again(self, item_ids: Sequence[str]) -> None:
        """Queue items to be read again, even if their content is known."""
        self._library.read_again(item_ids)
        self.announce(item_ids)
        self._to_fetch.set()

    def announce(self, item_ids: Sequence[str]) -> None:
        """Publish the state of items that were changed elsewhere, and check for new work."""
        wanted = [item_id for item_id in item_ids if self._steps.is_wanted(item_id)]
        for item in self._library.find(wanted):
            self._steps.publish(ItemProgress(item))
        self._to_read.set()

    async def watch(self, item_ids: Sequence[str]) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Yield the state of each item, then its steps until it is READY or FAILED."""
        open_items = {item.id: item for item in self._library.find(item_ids)}
        first = [ItemProgress(item) for item in open_items.values()]
        if not first:
            return
        async with aclosing(self._steps.follow(open_items, first)) as batches:
            async for batch in batches:
                yield batch
                for step in batch:
                    if step.item.state.has_ended or step.item.error:
                        open_items.pop(step.item.id, None)
                if not open_items:
                    return

    async def links(self) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Yield each link to be fetched once, until it has been fetched; never ends by itself."""
        self._fetching.clear()
        while True:
            self._to_fetch.clear()
            new = [item for item in self._library.to_fetch() if item.id not in self._fetching]
            self._fetching.update(item.id for item in new)
            if new:
                yield tuple(map(ItemProgress, new))
            await self._to_fetch.wait()

    def put_fetched(self, item_id: str, title: str, content: StoredContent) -> None:
        """Store the content of a link and queue it for reading."""
        self._fetching.discard(item_id)
        try:
            is_known = self._library.put_fetched(item_id, title, content)
        except sqlite3.OperationalError as error:
            if not is_full(error, self._database.path):
                raise
            for item in self._library.find([item_id]):
                self._steps.publish(ItemProgress(replace(item, error=str(storage_full(error)))))
            asyncio.get_running_loop().call_later(FULL_PAUSE_S, self._to_fetch.set)
        else:
            self.announce([item_id] if is_known else [])

    def put_unfetched(self, item_id: str, error: str) -> None:
        """Store why a link could not be fetched."""
        self._fetching.discard(item_id)
        self._library.put_unfetched(item_id, error)
        self.announce([item_id])

    async def remove(self, item_ids: Sequence[str], *, is_wish: bool = True) -> None:
        """Remove items from their base, even while they are being read.

        Files of followed folders are not added again if the user asked for their removal (`is_wish`).
        """
        for begin in range(0, len(item_ids), _REMOVED_AT_ONCE):
            items = self._library.find(item_ids[begin : begin + _REMOVED_AT_ONCE])
            dropped = self._library.remove_items([item.id for item in items], is_wish=is_wish)
            for item in items:
                self._stop_reading(item.id)
                gone = replace(item, state=ItemState.FAILED, error=_REMOVED)
                self._steps.publish(ItemProgress(gone, is_removed=True))
            for base_id, passages in dropped.items():
                if passages:
                    await self._vectors.delete(base_id, passages)
            await asyncio.sleep(0)

    async def withdraw(self, item_ids: Sequence[str]) -> None:
        """Remove the items that are not searchable yet from the queue."""
        unread = [item.id for item in self._library.find(item_ids) if item.state in _UNREAD]
        known = self._library.take_back(unread)
        for item_id in known:
            self._stop_reading(item_id)
        self.announce(list(known))
        await self.remove([item_id for item_id in unread if item_id not in known])

    def _stop_reading(self, item_id: str) -> None:
        if item_id in self._reading:
            self._reading[item_id][1].cancel()

    async def _read_loop(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            self._to_read.clear()
            if self._stuck and not self._texts:
                await wait_for(self._to_read, FULL_PAUSE_S)
                self._release_stuck()
                continue
            item = self._next()
            if item is None:
                if not self._texts:
                    self._embed_loop.go_on()
                await self._to_read.wait()
            else:
                self._embed_loop.give_way()
                self._begin(item, tasks)

    def _next(self) -> ItemInfo | None:
        if self._stuck or len(self._scanning) >= _MOST_SCANS or len(self._texts) >= MOST_ON_THEIR_WAY:
            return None
        if self._crash_suspects & self._texts:
            return None
        item = self._library.next_waiting(but=self._reading)
        return None if item is not None and item.id in self._crash_suspects and self._texts else item

    @property
    def _texts(self) -> set[str]:
        """The items in progress that are not known to be scans."""
        return self._reading.keys() - self._scanning

    def _begin(self, item: ItemInfo, tasks: asyncio.TaskGroup) -> None:
        """Start reading an item in parallel; if it is a scan, another item may start."""

        def leave() -> None:
            self._library.put_back(item.id)  # until there is room among the scans
            self._scanning.add(item.id)
            self.announce([item.id])

        def end(_task: asyncio.Task[None]) -> None:
            self._reading.pop(item.id, None)
            self._scanning.discard(item.id)
            self._to_read.set()

        task = tasks.create_task(self._read(item, leave))
        self._reading[item.id] = (item.base_id, task)
        task.add_done_callback(end)

    async def _read(self, item: ItemInfo, on_scan: Callable[[], None]) -> None:
        try:
            dropped = await self._take_in_at_rest(item, on_scan)
        except AppError as error:
            # An empty file loses its old text; an unreadable one may still have it.
            keeps_text = not isinstance(error, NothingToRead)
            is_shut = isinstance(error, FileUnreadable | FileChanged)
            dropped = self._library.fail(item.id, str(error), keeps_text=keeps_text, is_shut=is_shut)
        except asyncio.CancelledError:
            self._library.put_back(item.id)
            raise
        except (sqlite3.OperationalError, OSError) as error:
            if not is_full(error, self._database.path):
                raise
            self._stuck.add(item.id)
            self._steps.publish(ItemProgress(replace(item, error=str(storage_full(error)))))
            return
        self._crash_suspects.discard(item.id)
        self.announce([item.id])
        self._embed_loop.wake()
        if dropped:
            await self._vectors.delete(item.base_id, dropped)

    async def _take_in_at_rest(self, item: ItemInfo, on_scan: Callable[[], None]) -> list[int]:
        for _ in range(_MOST_TRIES - 1):
            try:
                return await self._take_in(item, on_scan)
            except FileChanged:  # another program is writing to it
                continue
        return await self._take_in(item, on_scan)

    async def _take_in(self, item: ItemInfo, on_scan: Callable[[], None]) -> list[int]:
        """Read an item unless its content is known; return the passages of an earlier reading."""
        async with original_of(item, self._library.content(item.id), self._spool) as original:
            is_unproven = item.kind is ItemKind.FILE and imports.is_unproven(self._database, item.id)
            self._library.set_reading(item.id, "" if is_unproven else original.stamp)
            self._steps.publish(ItemProgress(replace(item, state=ItemState.READING)))
            digest = await asyncio.to_thread(digest_of, original.path)
            if is_unproven and digest != item.document:
                raise FileUnreadable(name=item.name, detail=_ANOTHER)
            dropped = self._library.link_known(item.id, digest)
            if dropped is not None:
                return dropped
            reading, problem = await self._read_original(item, original.path, on_scan)
            if await asyncio.to_thread(stamp_of, original.path) != original.stamp:
                raise FileChanged(name=item.name)
            if item.id in self._scanning:  # if storing it kills the worker, the file responsible is known
                self._library.set_reading(item.id, "" if is_unproven else original.stamp)
            dropped = self._library.put(item.id, digest, reading)
            if problem:
                self._library.fail(item.id, problem, keeps_text=True)
            return dropped

    async def _read_original(
        self, item: ItemInfo, path: Path, on_scan: Callable[[], None]
    ) -> tuple[ParsedFile, str]:
        """Return the parsed file, and a note on what could not be read."""

        def report(done: int, total: int) -> None:
            self._steps.publish(ItemProgress(replace(item, state=ItemState.READING), done, total))

        wanted = self._bases.options(item.base_id)
        # this may have to read the vocabulary of a model
        options = await asyncio.to_thread(read_options, wanted, self._vectors.setup, self._vectors.store)
        reading = await self._reader.read(path, report, options, on_scan)
        problem = ""
        if reading.wordless:
            reading, problem = await self._describer.complete(
                reading, item.name, options, lambda page: self._reader.draw(path, page)
            )
        if not reading.entries:
            raise NothingToRead(name=item.name, detail=problem)
        return reading, problem

    def _release_stuck(self) -> None:
        """Requeue the items that failed because the disk was full."""
        try:
            for item_id in list(self._stuck):
                self._library.put_back(item_id)
                self._stuck.discard(item_id)
        except sqlite3.OperationalError as error:
            if not is_full(error, self._database.path):
                raise


def _skip_link(base_id: str, link: Path) -> ItemProgress:
    path = path_text(link)
    reason = _LINK_OUT.format(target=path_text(Path(os.path.realpath(link))))
    item = ItemInfo(f"link:{path}", base_id, Path(path).name, path, ItemState.FAILED, error=reason)
    return ItemProgress(item, is_skipped=True)


def files_of(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files, including those in folders, and the links in folders that lead outside.

    Both are sorted and exclude hidden files. A link given directly is treated like any other file.
    """
    files: dict[Path, None] = {}
    links: set[Path] = set()
    for path in paths:
        if not path.is_dir():
            files[path.absolute()] = None
            continue
        for folder, subfolders, names in os.walk(path):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
            visible = [Path(folder, name).absolute() for name in sorted(names) if not name.startswith(".")]
            left = links_out_of(path, [*visible, *(Path(folder, name).absolute() for name in subfolders)])
            links |= left
            files.update(dict.fromkeys(file for file in visible if file not in left))
    return list(files), sorted(links)
