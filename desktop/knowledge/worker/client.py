"""The client of the knowledge bases for the rest of the program; all work is done in the worker process."""

import asyncio
import itertools
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock, Timeout

from desktop.domain.addresses import path_text
from desktop.domain.knowledge import (
    BaseInfo,
    FolderInfo,
    ItemInfo,
    ItemProgress,
    OriginalState,
    PagePicture,
    PassageInfo,
    PutPage,
    Retrieval,
    SearchTrial,
    Transfer,
)
from desktop.errors import (
    AppError,
    FileUnreadable,
    IndexInUse,
    IndexUnavailable,
    KnowledgeError,
    plain_reason,
)
from desktop.knowledge import protocol as wire
from desktop.knowledge.bundled_models import PairJudgement
from desktop.knowledge.index.bases import read_bases_at_rest
from desktop.knowledge.index.database import LOCK, LOCK_PATIENCE_S
from desktop.knowledge.index.disk_errors import remove
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.connection import (
    Describe,
    Tell,
    WorkerConnection,
    describe_nothing,
    tell_nothing,
)
from desktop.settings.atomic_files import sync
from desktop.settings.model import ChromaServer
from desktop.text.decode import strip_surrogates
from desktop.text.message_codec import decode_msgpack

if TYPE_CHECKING:  # it imports the index
    from desktop.knowledge.worker.service import WorkerService

_FOLDER = "knowledge"
_INDEX = "knowledge/vectors"
"""Chroma's folder within the data folder; it can be rebuilt at any time."""

_DATABASE = "knowledge/knowledge.db"
_MAX_RESTARTS = 3
_SHORT_LIFE_S = 60.0
"""A worker that repeatedly dies this soon is not restarted for calls that only follow it."""
_PAGE = 1_000
"""How many items one reply lists."""
_STEPS = tuple[ItemProgress, ...]
_T = TypeVar("_T")
_ItemCall = Callable[["WorkerService"], AsyncGenerator[tuple[ItemProgress, ...]]]

Prepare = Callable[[bool], Awaitable[None]]
"""Checks the files before a worker opens them; its argument says whether the last worker found damage."""


async def prepare_nothing(_found_damage: bool) -> None:
    """Leave the files unchanged."""


class KnowledgeClient:
    """Starts the worker at first use, and again if it died.

    `data_dir` is the folder of the user's data; the index is in its subfolder `knowledge`. `setup` is called
    for the current settings whenever the worker starts and on `reconfigure`; `describe` describes pictures
    without text. `prepare` is awaited before every start of the worker and raises KnowledgeErrors; `tell_user`
    receives the worker's messages for the user.
    """

    def __init__(
        self,
        data_dir: Path,
        setup: Callable[[], Awaitable[WorkerConfig]] | None = None,
        describe: Describe = describe_nothing,
        *,
        prepare: Prepare = prepare_nothing,
        tell_user: Tell = tell_nothing,
    ) -> None:
        self.data_dir = data_dir
        self._prepare = prepare
        self._tell_user = tell_user
        self._describe = describe
        self._setup = setup
        self._configuring = asyncio.Lock()
        self._connection: WorkerConnection | None = None
        self._starting = asyncio.Lock()
        self._is_closed = False

    async def bases(self) -> tuple[BaseInfo, ...]:
        """Return the user's bases by name."""
        return tuple(base for base in await self.all_bases() if base.owner is None)

    async def all_bases(self) -> tuple[BaseInfo, ...]:
        """Return all bases by name; starts no worker if there is nothing for it to do."""
        if self._connection is None:
            if not await self._is_anything_kept():
                return ()
            model_for = (await self._setup_now()).model_for
            at_rest = await asyncio.to_thread(read_bases_at_rest, self.data_dir / _DATABASE, model_for)
            if at_rest is not None:
                return at_rest
        return await self._ask(lambda worker: worker.bases(), tuple[BaseInfo, ...])

    async def create(self, name: str) -> BaseInfo:
        """Create an empty base; raises BaseExists."""
        return await self._ask(lambda worker: worker.create(strip_surrogates(name)), BaseInfo)

    async def update(self, base: BaseInfo) -> BaseInfo:
        """Apply the name, icon, options and pause of a base; raises UnknownBase, BaseExists."""
        return await self._ask(lambda worker: worker.update(base), BaseInfo)

    async def delete(self, base_id: str) -> None:
        """Remove a base from the list; its rows are deleted a day later."""
        await self._do(lambda worker: worker.delete(base_id))

    async def restore(self, base_id: str) -> BaseInfo:
        """Undo `delete`; raises UnknownBase."""
        return await self._ask(lambda worker: worker.restore(base_id), BaseInfo)

    async def forget(self, base_id: str) -> None:
        """Delete the rows of a deleted base; an unknown id is not an error."""
        await self._do(lambda worker: worker.forget(base_id))

    async def erase_deleted(self, for_s: float = 0.0) -> None:
        """Erase everything deleted at least `for_s` seconds ago from rows, indexes and free pages."""
        await self._do(lambda worker: worker.erase_deleted(for_s))

    async def items(self, base_id: str) -> tuple[ItemInfo, ...]:
        """Return the items of a base in the order in which they were added."""
        items: list[ItemInfo] = []
        while True:
            page = await self._items_after(items[-1].id if items else "", base_id)
            items.extend(page)
            if len(page) < _PAGE:
                return tuple(items)

    async def _items_after(self, item_id: str, base_id: str) -> tuple[ItemInfo, ...]:
        return await self._ask(lambda worker: worker.items(base_id, item_id, _PAGE), tuple[ItemInfo, ...])

    async def cancel(self, item_ids: Sequence[str]) -> None:
        """Remove the items that are not searchable yet from the queue."""
        await self._do(lambda worker: worker.cancel(tuple(item_ids)))

    async def remove(self, item_ids: Sequence[str]) -> None:
        """Remove items from their base; unknown ids are not an error."""
        await self._do(lambda worker: worker.remove(tuple(item_ids)))

    async def tag(self, item_ids: Sequence[str], tags: Sequence[str]) -> None:
        """Replace all tags of the items."""
        await self._do(lambda worker: worker.tag(tuple(item_ids), tuple(map(strip_surrogates, tags))))

    async def passages(self, item_id: str) -> tuple[PassageInfo, ...]:
        """Return the passages of an item, in order."""
        return await self._ask(lambda worker: worker.passages(item_id), tuple[PassageInfo, ...])

    async def note(self, item_id: str) -> str:
        """Return a note as the user typed it; empty if there is none."""
        return await self._ask(lambda worker: worker.note(item_id), str)

    async def try_search(self, base_id: str, query: str) -> SearchTrial:
        """Return the results of a query in a base, with the scores of each stage."""
        return await self._ask(
            lambda worker: worker.try_search(base_id, strip_surrogates(query)), SearchTrial
        )

    async def folders(self, base_id: str) -> tuple[FolderInfo, ...]:
        """Return the folders that a base follows."""
        return await self._ask(lambda worker: worker.folders(base_id), tuple[FolderInfo, ...])

    async def watch_folder(self, base_id: str, path: Path) -> FolderInfo:
        """Make a base follow a folder; raises UnknownBase, FileUnreadable."""
        return await self._ask(lambda worker: worker.watch_folder(base_id, _encode_path(path)), FolderInfo)

    async def unwatch_folder(self, folder_id: str) -> None:
        """Stop following a folder."""
        await self._do(lambda worker: worker.unwatch_folder(folder_id))

    async def status(self) -> wire.Status:
        """Return how much work the worker has left."""
        return await self._ask(lambda worker: worker.status(), wire.Status)

    async def state_of(self, path: Path, document: str) -> OriginalState:
        """Return whether the file at `path` has changed since its SHA-256 was `document`."""
        return await asyncio.to_thread(_state_of, path, document)

    async def text_of(self, sha256: str) -> str:
        """Return the extracted text of a file, to which offsets refer; empty if no base contains it."""
        return await self._ask(lambda worker: worker.text_of(sha256), str)

    async def draw(self, sha256: str, page: int | None) -> PagePicture:
        """Return a page of a file if it was read as a picture and the file has not changed."""
        return await self._ask(lambda worker: worker.draw(sha256, page), PagePicture)

    async def reconfigure(self) -> None:
        """Send the current settings and secrets to a running worker."""
        async with self._configuring:
            connection = self._connection
            if connection is not None and not connection.is_dead:
                with suppress(AppError):  # a worker that has died gets them when it starts again
                    config = await self._setup_now()
                    await connection.ask(lambda worker: worker.configure(config))

    async def delete_model(self, model_id: str) -> None:
        """Remove a downloaded embedding model; raises ModelInUse."""
        await self._do(lambda worker: worker.delete_model(model_id))

    async def test_embedder(self, model_id: str) -> str:
        """Embed two sentences and return the result in words; raises KnowledgeError."""
        return await self._ask(lambda worker: worker.test_embedder(model_id), str)

    async def test_server(self, server: ChromaServer, token: str | None) -> str:
        """Connect to a Chroma server and return the result in words; raises KnowledgeError."""
        return await self._ask(lambda worker: worker.test_server(server, token), str)

    async def test_reranker(self) -> str:
        """Let the configured reranker score a passage and return the result in words; raises KnowledgeError."""
        return await self._ask(lambda worker: worker.test_reranker(), str)

    async def test_entailment(self) -> str:
        """Let the entailment model judge two claims, return the result in words; raises KnowledgeError."""
        return await self._ask(lambda worker: worker.test_entailment(), str)

    async def entail(self, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[float, float], ...]:
        """Return probabilities of entailment and contradiction per (passage, claim); raises KnowledgeError."""
        clean = tuple((strip_surrogates(passage), strip_surrogates(claim)) for passage, claim in pairs)
        return await self._ask(lambda worker: worker.entail(clean), tuple[tuple[float, float], ...])

    @property
    def is_warm(self) -> bool:
        """Whether the worker is running."""
        return self._connection is not None and not self._connection.is_dead

    async def compare(self, texts: Sequence[str], pairs: Sequence[tuple[int, int]]) -> tuple[float, ...]:
        """Return the cosine similarity of each pair of texts, given as positions in `texts`.

        The result is meaningless for texts that MiniLM cannot read: see `desktop.text.language.readable_share`.
        """
        return await self._ask(
            lambda worker: worker.compare(tuple(map(strip_surrogates, texts)), tuple(pairs)),
            tuple[float, ...],
        )

    async def embed(self, texts: Sequence[str], *, is_query: bool = False) -> tuple[bytes, ...]:
        """Return the embedding of each text by the built-in model, as 32-bit floats; raises KnowledgeError."""
        return await self._ask(
            lambda worker: worker.embed(tuple(map(strip_surrogates, texts)), is_query), tuple[bytes, ...]
        )

    async def judge_pairs(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairJudgement, ...]:
        """Judge (claim or question, passage) pairs by the bundled network; raises KnowledgeError."""
        clean = tuple((strip_surrogates(first), strip_surrogates(second)) for first, second in pairs)
        return await self._ask(lambda worker: worker.judge_pairs(clean), tuple[PairJudgement, ...])

    async def retrieve(self, queries: Sequence[str], scope: Sequence[str], count: int) -> Retrieval:
        """Return at most `count` passages from the bases, items and tags that the keys in `scope` name."""
        return await self._ask(
            lambda worker: worker.retrieve(tuple(map(strip_surrogates, queries)), tuple(scope), count),
            Retrieval,
        )

    def add(self, base_id: str, paths: Sequence[Path]) -> AsyncGenerator[ItemProgress]:
        """Read files and folders into a base; each file ends READY or FAILED.

        The first steps list all files. Closing the iterator removes the files that are not searchable yet from
        the queue. If the worker dies, it is restarted; a file that kills it twice is marked as failed.
        """
        return self._follow(lambda worker: worker.add(base_id, tuple(map(_encode_path, paths))))

    def add_link(self, base_id: str, url: str) -> AsyncGenerator[ItemProgress]:
        """Add a link to a base; it makes progress only while a consumer reads `links`."""
        return self._follow(lambda worker: worker.add_link(base_id, url))

    async def put_page(self, base_id: str, url: str, title: str, text: str, read_at: float) -> PutPage:
        """Add a page that was read at `read_at` (seconds since 1970) to a base; see `watch_items`."""
        told = (strip_surrogates(url), strip_surrogates(title), strip_surrogates(text))
        return await self._ask(lambda worker: worker.put_page(base_id, *told, read_at), PutPage)

    async def find_same(self, base_id: str, address: str, sha256: str) -> tuple[ItemInfo, ...]:
        """Return the item of a base with the same address (of a page, or path of a file) or content, if there is one."""
        told = strip_surrogates(address)
        return await self._ask(lambda worker: worker.find_same(base_id, told, sha256), tuple[ItemInfo, ...])

    async def bases_at(self, address: str, sha256: str = "") -> tuple[BaseInfo, ...]:
        """Return the user's bases that have a page or file, by its address or its content, sorted by name."""
        if self._connection is None and not await self._is_anything_kept():
            return ()
        told = strip_surrogates(address)
        found = await self._ask(lambda worker: worker.bases_at(told, sha256), tuple[BaseInfo, ...])
        return tuple(base for base in found if base.owner is None)

    def watch_items(self, item_ids: Sequence[str]) -> AsyncGenerator[ItemProgress]:
        """Yield the steps of items that are in a base already, until each has ended."""
        return self._follow(_watching(tuple(item_ids)))

    def put_note(
        self, base_id: str, title: str, text: str, item_id: str = ""
    ) -> AsyncGenerator[ItemProgress]:
        """Add a note to a base, or replace the text of the note `item_id`."""
        return self._follow(
            lambda worker: worker.put_note(base_id, strip_surrogates(title), strip_surrogates(text), item_id)
        )

    def read_again(self, item_ids: Sequence[str]) -> AsyncGenerator[ItemProgress]:
        """Read items again; closing the iterator has the same effect as for `add`."""
        return self._follow(lambda worker: worker.read_again(tuple(item_ids)))

    def steps(self) -> AsyncGenerator[ItemProgress]:
        """Yield every step of every item from now on; continues when the worker is restarted."""
        return self._follow_always(lambda worker: worker.steps())

    def links(self) -> AsyncGenerator[ItemProgress]:
        """Yield links to fetch, first those already waiting; continues when the worker is restarted.

        Answer each with `put_fetched` or `put_unfetched`.
        """
        return self._follow_always(lambda worker: worker.links())

    async def put_fetched(self, item_id: str, title: str, suffix: str, body: bytes) -> None:
        """Have the content of a link read as a file with this `suffix`."""
        await self._do(lambda worker: worker.put_fetched(item_id, title, suffix, body))

    async def put_unfetched(self, item_id: str, error: str) -> None:
        """Report why a link could not be fetched."""
        await self._do(lambda worker: worker.put_unfetched(item_id, error))

    def export(self, base_id: str, path: Path) -> AsyncGenerator[Transfer]:
        """Export a base to one file; closing the iterator removes the unfinished file.

        Raises:
            KnowledgeError: there is no such base, or the file cannot be written.
        """
        return self._transfer(lambda worker: worker.export(base_id, _encode_path(path)))

    def import_(self, path: Path) -> AsyncGenerator[Transfer]:
        """Import an exported base as a new one; closing the iterator removes the unfinished base.

        Raises:
            KnowledgeError: the file is not an exported base, damaged, too large or from a newer version of the
                program.
        """
        return self._transfer(lambda worker: worker.import_(_encode_path(path)))

    async def _follow(self, call: _ItemCall) -> AsyncGenerator[ItemProgress]:
        known: dict[str, ItemProgress] = {}
        for restarts in itertools.count():
            connection = await self._running()
            try:
                async with aclosing(connection.follow(call, _STEPS, known)) as batches:
                    async for batch in batches:
                        known.update((step.item.id, step) for step in batch)
                        for step in batch:
                            yield step
            except IndexUnavailable:
                if not connection.is_dead or not known or restarts == _MAX_RESTARTS:
                    raise
                open_ids = tuple(key for key, step in known.items() if not step.item.state.has_ended)
                call = _watching(open_ids)
            else:
                return

    async def _follow_always(self, call: _ItemCall) -> AsyncGenerator[ItemProgress]:
        clock = asyncio.get_running_loop().time
        restarts = 0
        while True:
            connection = await self._running()
            began = clock()
            try:
                async with aclosing(connection.follow(call, _STEPS)) as batches:
                    async for batch in batches:
                        for step in batch:
                            yield step
            except IndexUnavailable:
                restarts = restarts + 1 if clock() - began < _SHORT_LIFE_S else 0
                if self._is_closed or not connection.is_dead or restarts > _MAX_RESTARTS:
                    raise

    async def _transfer(
        self, call: Callable[["WorkerService"], AsyncGenerator[Transfer]]
    ) -> AsyncGenerator[Transfer]:
        connection = await self._running()
        async with aclosing(connection.follow(call, Transfer)) as steps:
            async for step in steps:
                yield step

    async def replace_by(self, database: Path, set_aside: Callable[[], object] = lambda: None) -> None:
        """Replace the bases with those of another database and rebuild the indexes.

        Before that, when the database is no longer in use, `set_aside` can back up the current files.

        Raises:
            IndexInUse: another program uses the bases.
            IndexUnavailable: the disk cannot be written; the bases are unchanged.
        """
        async with self._starting, self._alone():
            try:
                await asyncio.to_thread(set_aside)
                await asyncio.to_thread(put_in_place, database, self.data_dir)
                await asyncio.to_thread(empty_vectors, self.data_dir)
            except OSError as error:
                raise IndexUnavailable(detail=plain_reason(error)) from error

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Stop the worker, and keep those of all programs from starting during the block."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()
        folder = self.data_dir / _FOLDER
        lock = FileLock(folder / LOCK, thread_local=False)
        try:
            await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
            await asyncio.to_thread(lock.acquire, timeout=LOCK_PATIENCE_S)
        except Timeout as error:
            raise IndexInUse(folder=self.data_dir) from error
        except OSError as error:
            raise IndexUnavailable(detail=plain_reason(error)) from error
        try:
            yield
        finally:
            lock.release()

    async def aclose(self) -> None:
        """Stop the worker; it resumes unfinished work when it is started again."""
        self._is_closed = True
        async with self._starting:
            connection, self._connection = self._connection, None
            if connection is not None:
                await connection.aclose()

    async def _ask(self, call: Callable[["WorkerService"], Awaitable[_T]], kind: type[_T]) -> _T:
        connection = await self._running()
        try:
            result = await connection.ask(call)
        except IndexUnavailable:
            if not (connection.is_guest and connection.is_dead):
                raise
            # The program that had started the worker has ended, and has taken it along.
            result = await (await self._running()).ask(call)
        except IndexInUse:
            # Another program has started its worker at the same moment; by now it can be visited.
            result = await (await self._running()).ask(call)
        found: _T = decode_msgpack(result, kind)
        return found

    async def _do(self, call: Callable[["WorkerService"], Awaitable[None]]) -> None:
        await (await self._running()).ask(call)

    async def _running(self) -> WorkerConnection:
        async with self._starting:
            if self._connection is None or self._connection.is_dead or self._connection.found_damage:
                before, self._connection = self._connection, None
                if before is not None:
                    await before.aclose()
                self._connection = await WorkerConnection.visit(self.data_dir)
                if self._connection is None:
                    await self._prepare(before is not None and before.found_damage)
                    self._connection = await WorkerConnection.start(
                        self.data_dir, self._describe, self._tell_user
                    )
                config = await self._setup_now()
                self._connection.tell(lambda worker: worker.configure(config))
            return self._connection

    async def _is_anything_kept(self) -> bool:
        """Say whether there are any bases; if they are lost but backups exist, `prepare` restores them."""
        folder = self.data_dir / _FOLDER
        if await asyncio.to_thread(folder.exists):
            return True
        async with self._starting:
            await self._prepare(False)
        return await asyncio.to_thread(folder.exists)

    async def _setup_now(self) -> WorkerConfig:
        return WorkerConfig() if self._setup is None else await self._setup()


def _watching(item_ids: tuple[str, ...]) -> _ItemCall:
    return lambda worker: worker.watch_items(item_ids)


def put_in_place(database: Path, data_dir: Path) -> None:
    """Replace the database of the bases; first remove the old log, which would corrupt the new file."""
    target = data_dir / _DATABASE
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    try:
        shutil.copyfile(database, part)
        sync(part)
        for suffix in ("-wal", "-shm"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync(target.parent)


def empty_vectors(data_dir: Path) -> None:
    """Delete the vector index; the empty folder that remains shows that this was intended."""
    folder = data_dir / _INDEX
    remove(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _encode_path(path: Path) -> str:
    return path_text(path.absolute())


def _state_of(path: Path, document: str) -> OriginalState:
    from desktop.knowledge.ingest.originals import digest_of  # noqa: PLC0415 (brings the splitter; only a card asks)

    if not path.is_file():  # a pipe or a device may never end
        return OriginalState.GONE
    try:
        digest = digest_of(path)
    except FileUnreadable:  # moved, deleted, on a missing disk, or without permission now
        return OriginalState.GONE
    except KnowledgeError:  # empty, or larger than any file that was read
        return OriginalState.CHANGED
    return OriginalState.UNCHANGED if digest == document else OriginalState.CHANGED
