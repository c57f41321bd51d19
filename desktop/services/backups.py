"""Backups of the user's data: scheduling, listing and restoring them."""

import asyncio
import heapq
import logging
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.data import Backups
from desktop.domain.backups import (
    HERE,
    BackupCopy,
    CopyContents,
    CopyKind,
    DataPart,
    PlaceState,
    Restoration,
    TransferProgress,
    is_copy_due,
)
from desktop.errors import AnswerUnderWay, AppError, BackupFailed
from desktop.phrases import translatable
from desktop.services.knowledge_backups import KnowledgeBackups
from desktop.settings import egress
from desktop.settings.folders import SETTINGS_FILE, AppFolders
from desktop.settings.model import BackupDestination, Settings
from desktop.settings.redaction import without_logins
from desktop.settings.store import SettingsFile
from desktop.storage.archive_files import MOST_SETTINGS_BYTES
from desktop.storage.backup_archive import Archive
from desktop.storage.cited_pages import FOLDER as CITED_PAGES
from desktop.storage.cited_pages import CitedPageStore, list_files
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.local_copies import LocalBackup, LocalBackups, scratch_folder
from desktop.storage.merge import undo_import
from desktop.storage.recovery import (
    check_lists,
    compare,
    leave_out_kept_here,
    merge,
    open_backup,
    replace_by,
)
from desktop.storage.topics import TopicStore

if TYPE_CHECKING:
    import httpx

    from desktop.knowledge.worker.client import KnowledgeClient
    from desktop.services.memories import MemoryService

from desktop.sqlite import translate_errors
from desktop.storage.backup_targets import BackupTarget, Credentials, FolderTarget, S3Target, WebDavTarget

_CONVERSATIONS = "conversations.db"
_PAGE = "cited-page-"
"""Prefix of the files of cited pages in a backup, whose files are in no folders."""

LOOK_S = 300.0
"""How often, in seconds, the service checks whether a destination needs a backup; failed ones are retried then."""

FIRST_LOOK_S = 30.0
"""Delay of the first check in seconds, so that it does not slow down startup."""

_TRIED = translatable("A test file was written there, read and deleted.")
_UNKNOWN = translatable("It is no longer a backup location.")
_NO_SETTINGS = translatable("This backup contains no settings.")
_DAMAGED = translatable("This backup is damaged.")
_LARGE_SETTINGS = translatable("The settings in it are larger than {limit} MB.")
_HERE = translatable("This computer")
_NOT_KEPT = translatable("The earlier content was missing or damaged, so this can’t be undone.")

_log = logging.getLogger(__name__)


def data_parts(folders: AppFolders) -> tuple[DataPart, ...]:
    """Return the parts of the data; a missing part has size 0. Blocks while counting."""
    data = folders.data
    models = data / "knowledge" / "models"
    found = {
        "conversations": (data / _CONVERSATIONS, _with_logs(data / _CONVERSATIONS)),
        "knowledge": (data / "knowledge", _size(data / "knowledge") - _size(models)),
        "models": (models, _size(models)),
        "local_models": (data / "local-models", _size(data / "local-models")),
        "pictures": (data / "pictures", _size(data / "pictures")),
        "cited_pages": (data / CITED_PAGES, _size(data / CITED_PAGES)),
        "copies": (data / "backups", _size(data / "backups")),
        "icons": (data / "site-icons", _size(data / "site-icons")),
        "settings": (data / SETTINGS_FILE, _size(data / SETTINGS_FILE)),
        "logs": (folders.logs, _size(folders.logs)),
    }
    return tuple(DataPart(name, path, size) for name, (path, size) in found.items())


def _with_logs(database: Path) -> int:
    return sum(_size(database.with_name(database.name + suffix)) for suffix in ("", "-wal", "-shm"))


def _size(path: Path) -> int:
    """Return the size of a file, or of all files below a folder; links are not followed."""
    try:
        if path.is_symlink():
            return 0
        if path.is_dir():
            return sum(map(_size, path.iterdir()))
        return path.stat().st_size
    except OSError:  # deleted meanwhile, or without permission: counts as empty
        return 0


def target_for(
    destination: BackupDestination, secret: str, client: "Callable[[], httpx.AsyncClient]"
) -> BackupTarget:
    """Return the target for a destination; it is not contacted yet."""
    place, prefix = destination.name, destination.prefix
    match destination.kind:
        case "folder":
            return FolderTarget(place, Path(destination.address).expanduser(), prefix)
        case "webdav":
            login = (destination.user, secret)
            return WebDavTarget(place, client(), destination.address, prefix=prefix, login=login)
        case "s3":
            bucket = f"{destination.address.rstrip('/')}/{destination.bucket}"
            who = Credentials(destination.user, secret, destination.region)
            return S3Target(place, client(), bucket, prefix=prefix, who=who)


class BackupService(Backups):
    """Backs up to targets, on a schedule too.

    `take_over` applies foreign settings, `secret` returns the password of a destination, `client` connects to
    servers.
    """

    def __init__(
        self,
        folders: AppFolders,
        store: ConversationStore,
        *,
        settings: Callable[[], Settings],
        take_over: Callable[[Settings], Awaitable[tuple[str, ...]]],
        secret: Callable[[str], Awaitable[str]],
        client: Callable[[], "httpx.AsyncClient"],
        memories: Callable[[], "MemoryService"],
        knowledge: Callable[[], "KnowledgeClient"],
    ) -> None:
        self._folders = folders
        self._store = store
        self._settings = settings
        self._take_over = take_over
        self._secret = secret
        self._client = client
        self._memories = memories
        self._knowledge = knowledge
        self._knowledge_copies = KnowledgeBackups(folders.data, knowledge)
        self._local = LocalBackups(folders.data / FILE_NAME)
        self._states: dict[str, PlaceState] = {}
        self._busy = asyncio.Lock()
        self._keeping: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the scheduled backups to the destinations."""
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep_copying(), context=egress.make_detached_context())

    async def aclose(self) -> None:
        """Stop the schedule; an unfinished backup is discarded."""
        if self._keeping is not None:
            self._keeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeping

    @override
    async def parts(self) -> tuple[DataPart, ...]:
        return await asyncio.to_thread(data_parts, self._folders)

    @override
    async def places(self) -> tuple[PlaceState, ...]:
        newest = await asyncio.to_thread(lambda: self._local.copies()[:1])
        here = PlaceState(HERE, newest[0].taken_at if newest else None)
        far = (self._states.get(one.id, PlaceState(one.id)) for one in self._destinations)
        return (here, *far)

    @override
    async def copies(self, place: str = HERE) -> tuple[BackupCopy, ...]:
        if place == HERE:
            mine = await asyncio.to_thread(self._copies_here)
            both = (mine, await self._knowledge_copies.copies())
            # Each of the two keeps its order, which does not follow from the dates if a clock was wrong.
            return tuple(heapq.merge(*both, key=lambda copy: copy.taken_at, reverse=True))
        archive = await self._archive(self._destination(place))
        found = await archive.copies()
        if found:
            known = self._states.get(place, PlaceState(place))
            self._states[place] = replace(known, newest=found[0].taken_at)
        return tuple([BackupCopy(place, copy.name, copy.taken_at) for copy in found])

    @override
    async def back_up(self, place: str = HERE) -> AsyncGenerator[TransferProgress]:
        copying: AbstractAsyncContextManager[AsyncGenerator[TransferProgress]]
        if place == HERE:
            yield TransferProgress(0, 0)
            await self._store.back_up()
            copying = aclosing(self._knowledge_copies.take())
        else:
            copying = self._back_up_to(self._destination(place))
        try:
            async with self._busy, copying as steps:
                async for step in steps:
                    yield step
        except AppError as error:
            if place != HERE:
                self._note(place, problem=str(error))
            raise

    @override
    async def test(self, destination: BackupDestination, secret: str | None) -> str:
        await (await self._archive(destination, secret)).try_out()
        return _TRIED

    @override
    async def preview(self, copy: BackupCopy) -> CopyContents:
        if copy.kind is CopyKind.KNOWLEDGE:
            return CopyContents(copy, (), bases=await self._knowledge_copies.bases(copy))
        async with self._fetch(copy) as found, open_backup(found.database, found.place) as database:
            seen = await compare(database, self._store.database)
        return CopyContents(
            copy=copy,
            conversations=seen.conversations,
            only_here=seen.only_here,
            memories=len(seen.memories),
            memories_missing=seen.memories_missing,
            has_settings=found.has_settings,
        )

    @override
    async def merge(self, copy: BackupCopy, conversations: Collection[str] | None = None) -> Restoration:
        if copy.kind is CopyKind.KNOWLEDGE:
            return Restoration()
        async with self._fetch(copy) as found, open_backup(found.database, found.place) as database:
            done = await merge(database, self._store.database, conversations)
            await self._take_page_files(found.database.parent)
        return done

    @override
    async def replace_all(self, copy: BackupCopy) -> Restoration:
        if copy.kind is CopyKind.KNOWLEDGE:
            async with self._busy:
                kept = await self._knowledge_copies.replace_by(copy)
            return Restoration(before=kept, notes=() if kept else (_NOT_KEPT,))
        async with self._fetch(copy) as found, open_backup(found.database, found.place) as database:
            if copy.place != HERE:
                await check_lists(database)
            replacing = partial(replace_by, database, self._store.database, self._back_up_before)
            before = await self._store.run_with_repair(replacing)
            await self._take_page_files(found.database.parent)
        name = before.path.name
        return Restoration(before=BackupCopy(HERE, name, before.taken_at, before.kind))

    @override
    async def use_settings(self, copy: BackupCopy) -> tuple[str, ...]:
        """Apply the settings of a backup; return in words which of them the user has to confirm."""
        async with self._fetch(copy) as found:
            if not found.has_settings:
                raise BackupFailed(place=found.place, detail=_NO_SETTINGS)
            path = found.database.with_name(SETTINGS_FILE)
            if path.stat().st_size > MOST_SETTINGS_BYTES:
                detail = _LARGE_SETTINGS.format(limit=MOST_SETTINGS_BYTES // 2**20)
                raise BackupFailed(place=found.place, detail=detail)
            loaded = await asyncio.to_thread(SettingsFile(path).load)
            if not loaded.is_usable:
                raise BackupFailed(place=found.place, detail=_DAMAGED)
        return await self._take_over(loaded.settings)

    @override
    async def undo(self, done: Restoration) -> None:
        if done.before is not None:
            await self.replace_all(done.before)
            return
        await undo_import(self._store.database, done.added)
        for memory in done.memories:
            await self._memories().delete(memory)
        for topic in done.topics:
            await TopicStore(self._store.database).remove(topic)

    def _back_up_before(self) -> LocalBackup:
        """Back up the current data while no turn can write to it; raises AnswerUnderWay."""
        if self._store.is_writing:
            raise AnswerUnderWay
        return self._local.take_before_restore(datetime.now(UTC))

    @property
    def _destinations(self) -> tuple[BackupDestination, ...]:
        return self._settings().backup.destinations

    def _destination(self, place: str) -> BackupDestination:
        for destination in self._destinations:
            if destination.id == place:
                return destination
        raise BackupFailed(place=place, detail=_UNKNOWN)

    def _copies_here(self) -> tuple[BackupCopy, ...]:
        with translate_errors(self._folders.data):
            return tuple(
                BackupCopy(HERE, copy.path.name, copy.taken_at, copy.kind, copy.path.stat().st_size)
                for copy in self._local.all_copies()
            )

    async def _archive(self, destination: BackupDestination, secret: str | None = None) -> Archive:

        if secret is None:
            secret = await self._secret(f"backup/{destination.id}")
        return Archive(target_for(destination, secret, self._client), destination.name)

    @asynccontextmanager
    async def _back_up_to(
        self, destination: BackupDestination
    ) -> AsyncGenerator[AsyncGenerator[TransferProgress]]:
        """Give the progress of a backup at a destination, which is noted when it is complete."""
        archive = await self._archive(destination)
        with scratch_folder("backup") as folder:
            leaves = destination.kind != "folder"
            copying = partial(asyncio.to_thread, self._snapshot, folder, leaves_machine=leaves)
            files = await self._store.run_with_repair(copying)
            async with aclosing(archive.put(files, datetime.now(UTC))) as steps:
                yield steps
        self._note(destination.id, newest=datetime.now(UTC), problem="")

    def _snapshot(self, folder: Path, *, leaves_machine: bool) -> Mapping[str, Path]:
        """Copy frequently changing files, so that a backup shows one point in time; return all files of a backup.

        Conversations that the user keeps on this machine are left out of a backup that leaves it; passwords in
        addresses of the settings are left out of every backup.
        """
        database = folder / FILE_NAME
        self._local.copy_to(database)
        if leaves_machine:
            leave_out_kept_here(database)
        files = {FILE_NAME: database, **self._page_files(database)}
        settings = self._folders.data / SETTINGS_FILE
        if not settings.is_file():
            return files
        masked = folder / SETTINGS_FILE
        with translate_errors(settings):
            text = settings.read_bytes().decode("utf-8", "surrogateescape")
            masked.write_bytes(without_logins(text).encode("utf-8", "surrogateescape"))
        return {**files, SETTINGS_FILE: masked}

    def _page_files(self, database: Path) -> dict[str, Path]:
        """Return the files of cited pages to which a copy of the conversations refers, by their names in a backup."""
        with translate_errors(database), closing(sqlite3.connect(database)) as connection:
            names = list_files(connection)
        paths = (self._folders.data / CITED_PAGES / f"{name}.gz" for name in sorted(names))
        return {f"{_PAGE}{path.name}": path for path in paths if path.is_file()}

    async def _take_page_files(self, folder: Path) -> None:
        """Put the files of the cited pages that are here now beside the conversations; damaged ones are left out."""
        names = await self._store.database.read(list_files)
        paths = {name: folder / f"{_PAGE}{name}.gz" for name in sorted(names)}
        files = ((name, path.read_bytes()) for name, path in paths.items() if path.is_file())
        await CitedPageStore(self._store.database, self._folders.data / CITED_PAGES).add_files(files)

    @asynccontextmanager
    async def _fetch(self, copy: BackupCopy) -> AsyncGenerator["_Fetched"]:
        """Keep the files of a backup on this machine for the duration of the block."""
        if copy.place == HERE:
            names = {each.path.name: each.path for each in await asyncio.to_thread(self._local.all_copies)}
            if copy.name not in names:
                raise BackupFailed(place=_HERE, detail=translatable("This backup no longer exists."))
            yield _Fetched(_HERE, names[copy.name])
            return
        destination = self._destination(copy.place)
        archive = await self._archive(destination)
        with scratch_folder("backup") as folder:
            async with aclosing(archive.fetch(copy.name, folder)) as steps:
                async for _ in steps:
                    pass
            settings = folder / SETTINGS_FILE
            yield _Fetched(destination.name, folder / FILE_NAME, settings.is_file())

    def _note(self, place: str, *, newest: datetime | None = None, problem: str = "") -> None:
        state = self._states.get(place, PlaceState(place))
        self._states[place] = replace(state, newest=newest or state.newest, problem=problem)

    async def _keep_copying(self) -> None:
        await asyncio.sleep(FIRST_LOOK_S)
        while True:
            await self._copy_knowledge_if_due()
            for destination in self._destinations:
                if destination.is_enabled:
                    await self._copy_if_due(destination)
            await asyncio.sleep(LOOK_S)

    async def _copy_knowledge_if_due(self) -> None:
        try:
            if await self._knowledge_copies.is_due(datetime.now(UTC)):
                async with self._busy, aclosing(self._knowledge_copies.take()) as steps:
                    async for _ in steps:
                        pass
        except AppError as error:
            _log.warning("No copy of the knowledge bases: %s", error)

    async def _copy_if_due(self, destination: BackupDestination) -> None:
        try:
            copies = await self.copies(destination.id)
            age = timedelta(hours=destination.every_hours)
            if is_copy_due(copies[0].taken_at if copies else None, datetime.now(UTC), age):
                async with aclosing(self.back_up(destination.id)) as steps:
                    async for _ in steps:
                        pass
        except AppError as error:
            is_new = self._states.get(destination.id, PlaceState("")).problem != str(error)
            self._note(destination.id, problem=str(error))
            _log.warning("No copy to a destination: %s", error)
            if is_new:
                self._store.tell(error)


@dataclass(frozen=True)
class _Fetched:
    """The files of a backup, on this machine."""

    place: str
    database: Path
    has_settings: bool = False
