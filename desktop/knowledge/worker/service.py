"""The handlers of the worker's calls."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import (
    BaseInfo,
    Description,
    FolderInfo,
    ItemInfo,
    ItemProgress,
    PagePicture,
    PassageInfo,
    PutPage,
    Retrieval,
    SearchTrial,
    Transfer,
)
from desktop.errors import AppError, UnknownBase
from desktop.knowledge import protocol as wire
from desktop.knowledge.bundle_transfers import BundleTransfers
from desktop.knowledge.bundled_models import PairJudgement
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
from desktop.knowledge.rerankers import (
    BundledJudge,
    LocalEntailmentModel,
    entailment_for,
    judge_entailment,
    probe_entailment,
    probe_reranker,
    reranking_for,
)
from desktop.knowledge.retrieval.retriever import HybridRetriever
from desktop.knowledge.vector_service import VectorService
from desktop.phrases import translatable
from desktop.settings.model import ChromaServer
from desktop.text.message_codec import error_fields

_PROBES = ("Footnote shows where an answer comes from.", "脚注说明答案出自何处。")
_VECTORS = translatable("It works: vectors of {count} numbers.")
_SAME = translatable("It responds, but returns the same vector for different sentences.")
_ANSWERS = translatable("“{server}” responds.")
_FLOAT_BYTES = 4


class WorkerService:
    """Handles the calls of the worker and runs its background work.

    A public method is the handler of the call of its name: `desktop.knowledge.worker.client` calls it through the
    pipe. What it returns is the result; what an iterator yields is sent as it comes. It raises AppErrors, and
    unexpected exceptions unchanged.
    """

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
        self._transfers = BundleTransfers(self._database, folder / DATABASE, self._vectors, self._ingest.wake)
        self._folders = FollowedFolders(self._database)
        self._watch = FolderWatch(self._database, self._ingest, excluded=folder.parent)
        self._judge = BundledJudge(self._vectors.with_models, self._notice)
        self._searcher = HybridRetriever(self._database, self._vectors, judge=self._judge.judge)
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

    async def _forget_deleted(self) -> None:
        for base_id in self._bases.list_deleted():
            await self.forget(base_id)

    async def bases(self) -> tuple[BaseInfo, ...]:
        """Return all bases by name."""
        return tuple(
            replace(base, embedded_anew=self._ingest.count_embedded_anew(base.id))
            for base in self._bases.all()
        )

    async def create(self, name: str) -> BaseInfo:
        """Create an empty base."""
        return self._bases.create(name)

    async def update(self, base: BaseInfo) -> BaseInfo:
        """Apply the name, icon, options and pause of a base."""
        before = self._bases.options(base.id)
        base = self._bases.update(base)
        self._vectors.refresh()
        if base.options.passage_tokens != before.passage_tokens:
            self._ingest.read_again([item.id for item in self._library.items(base.id)])
        if base.is_paused:
            self._ingest.hold(base.id)
        self._ingest.wake()
        return base

    async def delete(self, base_id: str) -> None:
        """Remove a base from the list; its rows stay for a day, during which it can be restored."""
        self._bases.delete(base_id)
        self._ingest.hold(base_id)
        self._watch.refresh()

    async def restore(self, base_id: str) -> BaseInfo:
        """Undo `delete`."""
        base = self._bases.restore(base_id)
        self._ingest.wake()
        self._vectors.refresh()
        self._watch.refresh()
        return base

    async def forget(self, base_id: str) -> None:
        """Delete the rows of a deleted base."""
        for _ in self._bases.forget(base_id):
            await asyncio.sleep(0)  # let other tasks run between two batches
        if base_id not in self._bases.ids():
            await self._vectors.remove_leftovers()

    async def erase_deleted(self, for_s: float) -> None:
        """Erase all data deleted at least `for_s` seconds ago, also from free pages."""
        for base_id in self._bases.list_deleted(for_s):
            await self.forget(base_id)
        # Not in a thread: the connection allows one user at a time, and a concurrent write would be refused.
        self._database.erase_deleted()

    async def items(self, base_id: str, after: str, limit: int) -> tuple[ItemInfo, ...]:
        """Return at most `limit` items after the item `after`, in the order of adding."""
        return self._library.items(base_id, after, limit)

    async def add(self, base_id: str, paths: tuple[str, ...]) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Read files and folders; the first steps list all files and the skipped ones."""
        item_ids, skipped = await self._ingest.enqueue(base_id, [path_of(path) for path in paths])
        if skipped:
            yield skipped
        async with aclosing(self._ingest.watch(item_ids)) as batches:
            async for batch in batches:
                yield batch

    def add_link(self, base_id: str, url: str) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Add a link; it progresses only while `links` is running."""
        return self._ingest.watch([self._ingest.put_link(base_id, url)])

    async def put_page(self, base_id: str, url: str, title: str, text: str, read_at: float) -> PutPage:
        """Add a page that was read before; it is read into the base in the background."""
        item_id, is_new = self._ingest.put_page(base_id, url, title, text, read_at)
        item = self._library.item(item_id)
        if item is None:
            raise UnknownBase(base=base_id)
        return PutPage(item, is_new)

    async def find_same(self, base_id: str, address: str, sha256: str) -> tuple[ItemInfo, ...]:
        """Return the item of a base with the same address or content, if there is one."""
        found = self._library.find_same(base_id, address, sha256)
        return () if found is None else (found,)

    async def bases_at(self, address: str, sha256: str) -> tuple[BaseInfo, ...]:
        """Return the bases that have a page or file, by its address or its content, sorted by name."""
        found = self._library.bases_with(address, sha256)
        return tuple(base for base in self._bases.all() if base.id in found)

    def put_note(
        self, base_id: str, title: str, text: str, item_id: str
    ) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Replace the text of a note, or create a new one without an `item_id`."""
        return self._ingest.watch([self._ingest.put_note(base_id, title, text, item_id)])

    async def note(self, item_id: str) -> str:
        """Return a note as typed."""
        content = self._library.content(item_id)
        return content.body.decode() if content else ""

    def read_again(self, item_ids: tuple[str, ...]) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Read items again."""
        self._ingest.read_again(item_ids)
        return self._ingest.watch(item_ids)

    def watch_items(self, item_ids: tuple[str, ...]) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Yield the steps of items that are in a base already."""
        return self._ingest.watch(item_ids)

    def steps(self) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Yield the steps of all items of all bases; never ends by itself."""
        return self._steps.follow()

    def links(self) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Yield links that the program should fetch now; never ends by itself."""
        return self._ingest.links()

    async def put_fetched(self, item_id: str, title: str, suffix: str, body: bytes) -> None:
        """Receive the content of a link: the bytes of a file whose type is given by `suffix`."""
        self._ingest.put_fetched(item_id, title, StoredContent(suffix, body))

    async def put_unfetched(self, item_id: str, error: str) -> None:
        """Receive why a link could not be fetched."""
        self._ingest.put_unfetched(item_id, error)

    async def cancel(self, item_ids: tuple[str, ...]) -> None:
        """Remove those of the items that are not searchable yet from the queue."""
        await self._ingest.withdraw(item_ids)

    async def remove(self, item_ids: tuple[str, ...]) -> None:
        """Remove items from their base."""
        await self._ingest.remove(item_ids)

    async def tag(self, item_ids: tuple[str, ...], tags: tuple[str, ...]) -> None:
        """Replace all tags of items."""
        self._library.tag(item_ids, tags)
        self._ingest.announce(item_ids)

    async def passages(self, item_id: str) -> tuple[PassageInfo, ...]:
        """Return the passages of an item, in order."""
        return tuple(self._passages.of_item(item_id))

    async def folders(self, base_id: str) -> tuple[FolderInfo, ...]:
        """Return the folders that a base follows."""
        return self._folders.all(base_id)

    async def watch_folder(self, base_id: str, path: str) -> FolderInfo:
        """Make a base follow a folder."""
        await asyncio.to_thread(self._watch.check, path_of(path))
        folder = self._folders.follow(base_id, path)
        self._watch.refresh()
        return folder

    async def unwatch_folder(self, folder_id: str) -> None:
        """Stop following a folder."""
        self._folders.leave(folder_id)
        self._watch.refresh()

    def export(self, base_id: str, path: str) -> AsyncGenerator[Transfer]:
        """Write a base into a file."""
        return self._transfers.export(base_id, path_of(path))

    def import_(self, path: str) -> AsyncGenerator[Transfer]:
        """Create a base from a file; the last step names it."""
        return self._transfers.import_(path_of(path))

    async def retrieve(self, queries: tuple[str, ...], scope: tuple[str, ...], count: int) -> Retrieval:
        """Return at most `count` passages from what the keys in `scope` name."""
        return await self._searcher.retrieve(queries, scope, count)

    async def try_search(self, base_id: str, query: str) -> SearchTrial:
        """Return the results of a query with the scores of each stage."""
        return await self._searcher.try_search(base_id, query)

    async def text_of(self, sha256: str) -> str:
        """Return the extracted text of a file; empty if no base contains it."""
        return self._passages.text(sha256)

    async def draw(self, sha256: str, page: int | None) -> PagePicture:
        """Return a page of a file, if the page was read as a picture."""
        return await self._drawing.draw(sha256, page)

    async def put_description(self, picture: int, description: Description) -> None:
        """Receive the description of the picture that was sent in the `ShowPicture` with this number."""
        self._describer.take(picture, description)

    async def configure(self, config: wire.WorkerConfig) -> None:
        """Use settings and secrets. Must be the first call, and is repeated whenever they have changed."""
        await self._vectors.configure(config)
        self._searcher.judging = reranking_for(
            config, self._vectors.store, self._vectors.with_models, self._searcher.judging
        )
        self._entailment = entailment_for(
            config, self._vectors.store, self._vectors.with_models, self._entailment
        )
        self._ingest.retry_models()
        self._configured.set()

    async def delete_model(self, model_id: str) -> None:
        """Remove a downloaded embedding model."""
        await self._vectors.delete_model(model_id)

    async def test_embedder(self, model_id: str) -> str:
        """Embed two sentences and return the result in words."""
        one, other = await self._vectors.embed(_PROBES, model_id)
        return _VECTORS.format(count=len(one) // _FLOAT_BYTES) if one != other else _SAME

    async def test_reranker(self) -> str:
        """Let the configured reranker score a passage and return the result in words."""
        return await probe_reranker(self._searcher.judging)

    async def test_entailment(self) -> str:
        """Let the entailment model judge two claims and return the result in words."""
        return await probe_entailment(self._entailment)

    async def entail(self, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[float, float], ...]:
        """Return the probabilities of entailment and contradiction per (passage, claim)."""
        return tuple(await judge_entailment(self._entailment, pairs))

    async def test_server(self, server: ChromaServer, token: str | None) -> str:
        """Connect to a Chroma server, with the configured token if `token` is None, and return the result."""
        await self._vectors.test_server(server, token)
        return _ANSWERS.format(server=server.name)

    async def compare(self, texts: tuple[str, ...], pairs: tuple[tuple[int, int], ...]) -> tuple[float, ...]:
        """Return the cosine similarity of each pair of texts, given as positions in `texts`."""
        return tuple(await self._vectors.compare(texts, pairs))

    async def embed(self, texts: tuple[str, ...], is_query: bool) -> tuple[bytes, ...]:
        """Return the embedding of each text by the built-in model, as unit vectors of 32-bit floats."""
        return tuple(await self._vectors.embed(texts, is_query=is_query))

    async def judge_pairs(self, pairs: tuple[tuple[str, str], ...]) -> tuple[PairJudgement, ...]:
        """Judge (claim or question, passage) pairs by the bundled network.

        Raises:
            RerankerFailed: the network is missing or damaged.
        """
        return tuple(await self._judge.judge(pairs))

    async def status(self) -> wire.Status:
        """Return how much work is left."""
        return wire.Status(
            pid=os.getpid(),
            waiting=self._library.count_waiting(),
            embedding=self._passages.count_pending(),
        )
