"""The handlers of the worker's calls."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import ItemProgress, Transfer
from desktop.errors import AppError
from desktop.knowledge import protocol as wire
from desktop.knowledge.bundle.transfers import BundleTransfers
from desktop.knowledge.error_codec import error_fields
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import DATABASE, IndexDatabase
from desktop.knowledge.index.items import ItemStore, StoredContent
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.ingest.folder_watch import FolderWatch
from desktop.knowledge.ingest.folders import FollowedFolders
from desktop.knowledge.ingest.ingest import Ingest
from desktop.knowledge.ingest.originals import PageImageRenderer
from desktop.knowledge.ingest.picture_describer import Describer
from desktop.knowledge.progress import ProgressBroadcast
from desktop.knowledge.reader.pool import ReaderPool
from desktop.knowledge.reranking.factory import (
    entailment_for,
    judge_entailment,
    probe_entailment,
    probe_reranker,
    reranking_for,
)
from desktop.knowledge.reranking.local import LocalEntailmentModel
from desktop.knowledge.retrieval.retriever import HybridRetriever
from desktop.knowledge.vectors.vector_service import VectorService
from desktop.phrases import translatable

_PROBES = ("Footnote shows where an answer comes from.", "脚注说明答案出自何处。")
_VECTORS = translatable("It works: vectors of {count} numbers.")
_SAME = translatable("It answers, but gives different sentences the same vector.")
_ANSWERS = translatable("“{server}” answers.")
_FLOAT_BYTES = 4
_Handler = Callable[["WorkerService", Any, int], Awaitable[object]]


class WorkerService:
    """Handles the calls of the worker and runs its background work."""

    def __init__(self, folder: Path, send: Callable[[wire.Reply], None]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._database = IndexDatabase(folder / DATABASE)
        self._bases = Bases(self._database)
        self._library = ItemStore(self._database)
        self._passages = Passages(self._database)
        self._vectors = VectorService(folder / "vectors", folder / DATABASE, self._notice)
        self._configured = asyncio.Event()
        self._steps = ProgressBroadcast()
        reader = ReaderPool()
        self._describer = Describer(send)
        self._ingest = Ingest(
            self._database, self._vectors, reader, self._steps, folder / "spool", describer=self._describer
        )
        self._drawing = PageImageRenderer(self._database, reader, folder / "spool" / "drawn")
        self._transfers = BundleTransfers(self._database, folder / DATABASE, self._vectors)
        self._folders = FollowedFolders(self._database)
        self._watch = FolderWatch(self._database, self._ingest, excluded=folder.parent)
        self._searcher = HybridRetriever(self._database, self._vectors)
        self._entailment: LocalEntailmentModel | None = None

    async def run(self) -> None:
        """Run the background work until cancelled."""
        self._ingest.recover()
        async with asyncio.TaskGroup() as tasks:
            await self._configured.wait()
            tasks.create_task(self._ingest.run())
            tasks.create_task(self._vectors.run())
            tasks.create_task(self._watch.run())
            tasks.create_task(self._forget_deleted())

    def close(self) -> None:
        """Close the index."""
        self._vectors.close()
        self._database.close()

    def _notice(self, notice: AppError) -> None:
        """Send a message to the user, from any thread."""
        noticed = wire.Noticed(wire.NO_REQUEST, type(notice).__name__, error_fields(notice))
        self._loop.call_soon_threadsafe(self._send, noticed)

    async def answer(self, call: wire.Call, request: int) -> object:
        """Return the result of a call; raises AppErrors, and unexpected exceptions unchanged."""
        return await self._handlers[type(call)](self, call, request)

    async def _forget_deleted(self) -> None:
        for base_id in self._bases.deleted():
            await self._forget_base(wire.PurgeBase(base_id), wire.NO_REQUEST)

    async def _list_bases(self, _call: wire.ListBases, _id: int) -> object:
        return tuple(
            replace(base, embedded_anew=self._ingest.embedded_anew(base.id)) for base in self._bases.all()
        )

    async def _create_base(self, call: wire.CreateBase, _id: int) -> object:
        return self._bases.create(call.name)

    async def _update_base(self, call: wire.UpdateBase, _id: int) -> object:
        before = self._bases.options(call.base.id)
        base = self._bases.update(call.base)
        self._vectors.refresh()
        if base.options.passage_tokens != before.passage_tokens:
            self._ingest.read_again([item.id for item in self._library.items(base.id)])
        if base.is_paused:
            self._ingest.hold(base.id)
        self._ingest.wake()
        return base

    async def _delete_base(self, call: wire.DeleteBase, _id: int) -> None:
        self._bases.delete(call.base_id)
        self._ingest.hold(call.base_id)
        self._watch.refresh()

    async def _restore_base(self, call: wire.RestoreBase, _id: int) -> object:
        base = self._bases.restore(call.base_id)
        self._ingest.wake()
        self._vectors.refresh()
        self._watch.refresh()
        return base

    async def _forget_base(self, call: wire.PurgeBase, _id: int) -> None:
        for _ in self._bases.forget(call.base_id):
            await asyncio.sleep(0)  # let other tasks run between two batches
        if call.base_id not in self._bases.ids():
            await self._vectors.remove_leftovers()

    async def _erase_deleted(self, call: wire.EraseDeleted, _id: int) -> None:
        for base_id in self._bases.deleted(call.for_s):
            await self._forget_base(wire.PurgeBase(base_id), wire.NO_REQUEST)
        # Not in a thread: the connection allows one user at a time, and a concurrent write would be refused.
        self._database.erase_deleted()

    async def _list_items(self, call: wire.ListItems, _id: int) -> object:
        return self._library.items(call.base_id, call.after, call.limit)

    async def _add_files(self, call: wire.AddFiles, request: int) -> None:
        item_ids, skipped = await self._ingest.enqueue(call.base_id, [path_of(path) for path in call.paths])
        if skipped:
            self._send(wire.CallProgress(request, skipped))
        await self._pass_steps(item_ids, request)

    async def _add_link(self, call: wire.AddLink, request: int) -> None:
        await self._pass_steps([self._ingest.put_link(call.base_id, call.url)], request)

    async def _put_note(self, call: wire.PutNote, request: int) -> None:
        item_id = self._ingest.put_note(call.base_id, call.title, call.text, call.item_id)
        await self._pass_steps([item_id], request)

    async def _read_note(self, call: wire.ReadNote, _id: int) -> object:
        content = self._library.content(call.item_id)
        return content.body.decode() if content else ""

    async def _read_again(self, call: wire.ReadAgain, request: int) -> None:
        self._ingest.read_again(call.item_ids)
        await self._pass_steps(call.item_ids, request)

    async def _watch_items(self, call: wire.WatchItems, request: int) -> None:
        await self._pass_steps(call.item_ids, request)

    async def _pass_steps(self, item_ids: Sequence[str], request: int) -> None:
        await self._pass_on(self._ingest.watch(item_ids), request)

    async def _follow_steps(self, _call: wire.FollowSteps, request: int) -> None:
        await self._pass_on(self._steps.follow(), request)

    async def _follow_links(self, _call: wire.FollowLinks, request: int) -> None:
        await self._pass_on(self._ingest.links(), request)

    async def _pass_on(self, batches: AsyncGenerator[tuple[ItemProgress, ...]], request: int) -> None:
        async with aclosing(batches) as steps:
            async for batch in steps:
                self._send(wire.CallProgress(request, batch))

    async def _put_fetched(self, call: wire.PutFetched, _id: int) -> None:
        self._ingest.put_fetched(call.item_id, call.title, StoredContent(call.suffix, call.body))

    async def _put_unfetched(self, call: wire.PutUnfetched, _id: int) -> None:
        self._ingest.put_unfetched(call.item_id, call.error)

    async def _cancel_items(self, call: wire.CancelItems, _id: int) -> None:
        await self._ingest.withdraw(call.item_ids)

    async def _remove_items(self, call: wire.RemoveItems, _id: int) -> None:
        await self._ingest.remove(call.item_ids)

    async def _tag_items(self, call: wire.TagItems, _id: int) -> None:
        self._library.tag(call.item_ids, call.tags)
        self._ingest.announce(call.item_ids)

    async def _list_passages(self, call: wire.ListPassages, _id: int) -> object:
        return self._passages.of_item(call.item_id)

    async def _list_folders(self, call: wire.ListFolders, _id: int) -> object:
        return self._folders.all(call.base_id)

    async def _watch_folder(self, call: wire.WatchFolder, _id: int) -> object:
        await asyncio.to_thread(self._watch.check, path_of(call.path))
        folder = self._folders.follow(call.base_id, call.path)
        self._watch.refresh()
        return folder

    async def _unwatch_folder(self, call: wire.UnwatchFolder, _id: int) -> None:
        self._folders.leave(call.folder_id)
        self._watch.refresh()

    async def _export(self, call: wire.ExportBase, request: int) -> None:
        await self._tell(self._transfers.export(call.base_id, path_of(call.path)), request)

    async def _import(self, call: wire.ImportBase, request: int) -> None:
        await self._tell(self._transfers.import_(path_of(call.path)), request)
        self._ingest.wake()

    async def _tell(self, steps: AsyncGenerator[Transfer], request: int) -> None:
        async with aclosing(steps):
            async for step in steps:
                self._send(wire.Transferred(request, step))

    async def _retrieve(self, call: wire.Retrieve, _id: int) -> object:
        return await self._searcher.retrieve(call.queries, call.scope, call.count)

    async def _try_search(self, call: wire.TrySearch, _id: int) -> object:
        return await self._searcher.try_search(call.base_id, call.query)

    async def _read_text(self, call: wire.ReadText, _id: int) -> object:
        return self._passages.text(call.sha256)

    async def _draw_page(self, call: wire.DrawPage, _id: int) -> object:
        return await self._drawing.draw(call.sha256, call.page)

    async def _put_description(self, call: wire.PutDescription, _id: int) -> None:
        self._describer.take(call.picture, call.description)

    async def _configure(self, call: wire.Configure, _id: int) -> None:
        await self._vectors.configure(call.setup)
        self._searcher.judging = reranking_for(
            call.setup, self._vectors.store, self._vectors.with_models, self._searcher.judging
        )
        self._entailment = entailment_for(
            call.setup, self._vectors.store, self._vectors.with_models, self._entailment
        )
        self._ingest.retry_models()
        self._configured.set()

    async def _delete_model(self, call: wire.DeleteModel, _id: int) -> None:
        await self._vectors.delete_model(call.model_id)

    async def _test_embedder(self, call: wire.TestEmbedder, _id: int) -> object:
        one, other = await self._vectors.embed(_PROBES, call.model_id)
        return _VECTORS.format(count=len(one) // _FLOAT_BYTES) if one != other else _SAME

    async def _test_reranker(self, _call: wire.TestReranker, _id: int) -> object:
        return await probe_reranker(self._searcher.judging)

    async def _test_entailment(self, _call: wire.TestEntailment, _id: int) -> object:
        return await probe_entailment(self._entailment)

    async def _entail(self, call: wire.Entail, _id: int) -> object:
        return await judge_entailment(self._entailment, call.pairs)

    async def _test_server(self, call: wire.TestServer, _id: int) -> object:
        await self._vectors.test_server(call.server, call.token)
        return _ANSWERS.format(server=call.server.name)

    async def _compare(self, call: wire.Compare, _id: int) -> object:
        return await self._vectors.compare(call.texts, call.pairs)

    async def _embed(self, call: wire.Embed, _id: int) -> object:
        return await self._vectors.embed(call.texts, is_query=call.is_query)

    async def _status(self, _call: wire.GetStatus, _id: int) -> object:
        return wire.Status(
            pid=os.getpid(),
            waiting=self._library.count_waiting(),
            embedding=self._passages.count_pending(),
        )

    _handlers: ClassVar[dict[type[wire.Call], _Handler]] = {
        wire.ListBases: _list_bases,
        wire.CreateBase: _create_base,
        wire.UpdateBase: _update_base,
        wire.DeleteBase: _delete_base,
        wire.RestoreBase: _restore_base,
        wire.PurgeBase: _forget_base,
        wire.EraseDeleted: _erase_deleted,
        wire.ListItems: _list_items,
        wire.AddFiles: _add_files,
        wire.AddLink: _add_link,
        wire.PutNote: _put_note,
        wire.ReadNote: _read_note,
        wire.ReadAgain: _read_again,
        wire.WatchItems: _watch_items,
        wire.FollowSteps: _follow_steps,
        wire.FollowLinks: _follow_links,
        wire.PutFetched: _put_fetched,
        wire.PutUnfetched: _put_unfetched,
        wire.CancelItems: _cancel_items,
        wire.RemoveItems: _remove_items,
        wire.TagItems: _tag_items,
        wire.ListPassages: _list_passages,
        wire.ListFolders: _list_folders,
        wire.WatchFolder: _watch_folder,
        wire.UnwatchFolder: _unwatch_folder,
        wire.ExportBase: _export,
        wire.ImportBase: _import,
        wire.Retrieve: _retrieve,
        wire.TrySearch: _try_search,
        wire.ReadText: _read_text,
        wire.DrawPage: _draw_page,
        wire.PutDescription: _put_description,
        wire.Compare: _compare,
        wire.Embed: _embed,
        wire.GetStatus: _status,
        wire.Configure: _configure,
        wire.DeleteModel: _delete_model,
        wire.TestEmbedder: _test_embedder,
        wire.TestReranker: _test_reranker,
        wire.TestEntailment: _test_entailment,
        wire.Entail: _entail,
        wire.TestServer: _test_server,
    }
