"""Exports of the user's data into Footnote's own files, and imports from files of Footnote and other programs."""

import asyncio
import filecmp
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Callable, Collection, Iterator
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from typing_extensions import override

from desktop.chat.api.conversations import Transfers
from desktop.domain.backups import Difference, FileContents, Imported, ImportSource, TransferProgress
from desktop.domain.topics import Topic
from desktop.errors import AppError, KnowledgeError, NotImported, NotRemembered
from desktop.phrases import translatable
from desktop.services.preferences import PreferencesService
from desktop.settings.folders import AppFolders
from desktop.settings.store import SettingsFile
from desktop.storage.archive_files import (
    BASES,
    MEMORIES,
    MOST_BYTES,
    MOST_SETTINGS_BYTES,
    SETTINGS,
    TOPICS,
    FileReader,
)
from desktop.storage.cited_pages import FOLDER as CITED_PAGES
from desktop.storage.cited_pages import CitedPageStore
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.db.database import Database
from desktop.storage.importers.builder import Unreadable
from desktop.storage.importers.scan import conversations_in, scan_file
from desktop.storage.local_copies import scratch_folder
from desktop.storage.merge import compare_conversations, import_records, undo_import
from desktop.storage.records import Record
from desktop.storage.recovery import summaries_of
from desktop.storage.topics import TopicStore, read_topics, write_missing
from desktop.text.message_codec import decode_json, encode_json

if TYPE_CHECKING:
    from desktop.knowledge.worker.client import KnowledgeClient
    from desktop.services.memories import MemoryService
import json
from collections.abc import Coroutine, Sequence
from typing import Any, ParamSpec, TypeVar

from desktop.domain.memory import Memory
from desktop.errors import NotExported, UnknownConversation, plain_reason
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.settings.atomic_files import write_whole
from desktop.settings.folders import SETTINGS_FILE
from desktop.settings.redaction import without_logins
from desktop.sqlite import translate_errors
from desktop.storage.archive_files import (
    CONVERSATIONS,
    PROFILE,
    PROFILE_FORMAT,
    PROFILE_VERSION,
    ArchiveWriter,
    new_archive,
)
from desktop.storage.memories import format_memories
from desktop.storage.records import read_record, record_bytes, text_bytes

_P = ParamSpec("_P")
_T = TypeVar("_T")

_BASE_SUFFIX = ".footnote-base"
_IDS = "SELECT id FROM conversations WHERE deleted_at IS NULL ORDER BY created_at, id"

_MOST_PROBLEMS = 50
_BAD_PAGES = translatable("Some web pages saved with “{title}” were not imported: damaged, or too many.")
_BAD_TOPICS = translatable("The watched topics in it are damaged, and were left out.")
_BAD_SETTINGS = translatable("The settings in it are damaged. Your settings are unchanged.")


class Exports:
    """Writes files without keys: keys that a conversation quotes are masked."""

    def __init__(self, database: Database, pages: CitedPageStore, preferences: PreferencesService) -> None:
        self._database = database
        self._pages = pages
        self._preferences = preferences

    async def write_conversation(self, conversation_id: str, path: Path) -> None:
        """Write one conversation to a file."""
        data = await self._conversation(conversation_id)
        if data is None:
            raise UnknownConversation
        try:
            await asyncio.to_thread(write_whole, path, data)
        except OSError as error:
            raise NotExported(name=path.name, detail=plain_reason(error)) from error

    async def write_profile(
        self, path: Path, data: Path, memory_service: "MemoryService", knowledge: KnowledgeClient | None
    ) -> AsyncGenerator[TransferProgress]:
        """Write everything into one file; `data` is the data folder."""
        memories = await memory_service.all()
        rows = await self._database.read(lambda connection: connection.execute(_IDS).fetchall())
        bases = [base.id for base in await knowledge.bases()] if knowledge else []
        total, done = len(rows) + len(bases), 0
        yield TransferProgress(0, total)
        with new_archive(path) as archive:
            await _in_thread(self._begin, archive, memories, data / SETTINGS_FILE)
            if topics := await self._database.read(read_topics):
                await _in_thread(archive.add, TOPICS, self._mask(encode_json(topics)))
            for (identity,) in rows:
                found = await self._conversation(identity)
                done += 1
                if found is not None:
                    await _in_thread(archive.add, f"{CONVERSATIONS}{done:06}.json", found)
                yield TransferProgress(done, total)
            for number, base_id in enumerate(bases, start=1):
                assert knowledge is not None
                await _add_base(archive, knowledge, base_id, f"{BASES}{number:03}{_BASE_SUFFIX}")
                done += 1
                yield TransferProgress(done, total)
            await _in_thread(archive.finish)

    async def _conversation(self, conversation_id: str) -> bytes | None:
        record = await self._database.read(lambda connection: read_record(connection, conversation_id))
        if record is None:
            return None
        files = await self._pages.read_packed_files(page["file"] for page in record.get("pages", ()))
        if files:
            record["page_files"] = {name: b64encode(packed).decode() for name, packed in files.items()}
        return await asyncio.to_thread(lambda: self._mask(record_bytes(record)))

    def _begin(self, archive: ArchiveWriter, memories: Sequence[Memory], settings: Path) -> None:
        about = {"format": PROFILE_FORMAT, "version": PROFILE_VERSION}
        archive.add(PROFILE, f"{json.dumps(about)}\n".encode())
        archive.add(MEMORIES, self._mask(text_bytes(format_memories(memories))))
        if settings.is_file():
            text = self._mask(settings.read_bytes()).decode()
            archive.add(SETTINGS, without_logins(text).encode())

    def _mask(self, data: bytes) -> bytes:
        return self._preferences.redact(data.decode("utf-8", "replace")).encode()


async def await_shielded(work: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of `work`; a cancelled caller waits until it is done before the cancellation is raised."""
    doing = asyncio.create_task(work)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing})
        if not doing.cancelled():
            doing.exception()  # marks it as retrieved: no caller is left to raise it to
        raise


async def _in_thread(write: Callable[_P, None], *given: _P.args, **named: _P.kwargs) -> None:
    """Write the archive in a thread; the archive is not closed before that thread has ended."""
    await await_shielded(asyncio.to_thread(write, *given, **named))


async def _add_base(archive: ArchiveWriter, knowledge: KnowledgeClient, base_id: str, name: str) -> None:
    with scratch_folder("export") as folder:
        path = folder / "base"
        async with aclosing(knowledge.export(base_id, path)) as steps:
            async for _ in steps:
                pass
        await _in_thread(archive.add_file, name, path)


@dataclass
class _ImportedSoFar:
    """What has been imported so far, to be reported or undone."""

    conversations: list[str] = field(default_factory=list)
    memories: list[str] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def report(self) -> Imported:
        return Imported(
            tuple(self.conversations),
            tuple(self.memories),
            tuple(self.bases),
            tuple(self.problems[:_MOST_PROBLEMS]),
            tuple(self.topics),
        )


class TransferService(Transfers):
    """Reads and writes files of conversations and profiles."""

    def __init__(
        self,
        folders: AppFolders,
        store: ConversationStore,
        *,
        preferences: PreferencesService,
        memories: Callable[[], "MemoryService"],
        knowledge: Callable[[], "KnowledgeClient"],
    ) -> None:
        self._folders = folders
        self._store = store
        self._pages = CitedPageStore(store.database, folders.data / CITED_PAGES)
        self._exports = Exports(store.database, self._pages, preferences)
        self._preferences = preferences
        self._memories = memories
        self._knowledge = knowledge

    @override
    async def export_conversation(self, conversation_id: str, path: Path) -> None:
        await self._exports.write_conversation(conversation_id, path)

    @override
    def export_profile(self, path: Path, *, has_bases: bool = True) -> AsyncGenerator[TransferProgress]:
        knowledge = self._knowledge() if has_bases else None
        return self._exports.write_profile(path, self._folders.data, self._memories(), knowledge)

    @override
    async def examine(self, path: Path) -> FileContents:
        await self._store.database.open()
        listing = await asyncio.to_thread(scan_file, path)
        ours = await asyncio.to_thread(summaries_of, self._store.database.path)
        return FileContents(
            listing.origin,
            compare_conversations(listing.conversations, ours),
            listing.memories,
            tuple(Path(name).name for name in listing.bases),
            listing.has_settings,
            listing.problems,
        )

    @override
    async def import_from(
        self,
        path: Path,
        conversations: Collection[str] | None = None,
        *,
        has_settings: bool = False,
        has_bases: bool = True,
    ) -> AsyncGenerator[TransferProgress | Imported]:
        contents = await self.examine(path)
        wanted = {
            one.id
            for one in contents.conversations
            if (one.difference is Difference.MISSING if conversations is None else one.id in conversations)
        }
        taken = _ImportedSoFar(problems=list(contents.problems))
        is_whole = False
        try:
            async with aclosing(self._take_conversations(path, wanted, taken)) as steps:
                async for step in steps:
                    yield step
            if contents.origin is ImportSource.PROFILE:
                await self._take_rest(path, taken, has_settings=has_settings, has_bases=has_bases)
            is_whole = True
        finally:
            if not is_whole:
                await asyncio.shield(self.undo(taken.report()))
        yield taken.report()

    @override
    async def undo(self, imported: Imported) -> None:
        await undo_import(self._store.database, imported.conversations)
        for memory in imported.memories:
            await self._memories().delete(memory)
        for topic in imported.topics:
            await TopicStore(self._store.database).remove(topic)
        for base in imported.bases:
            await self._knowledge().delete(base)

    async def _take_conversations(
        self, path: Path, wanted: set[str], taken: _ImportedSoFar
    ) -> AsyncGenerator[TransferProgress]:
        done = 0
        yield TransferProgress(0, len(wanted))
        with ExitStack() as stack:
            found = await asyncio.to_thread(stack.enter_context, conversations_in(path))
            while (one := await asyncio.to_thread(next, found, None)) is not None:
                if isinstance(one, Unreadable) or one["conversation"]["id"] not in wanted:
                    continue
                await await_shielded(self._take(one, taken))
                done += 1
                yield TransferProgress(done, len(wanted))

    async def _take(self, record: Record, taken: _ImportedSoFar) -> None:
        try:
            identity = await import_records(self._store.database, record, is_foreign=True)
        except NotImported as error:
            taken.problems.append(str(error))
        else:
            taken.conversations += [identity] if identity else []
            if not identity:
                return
            refused = await self._pages.add_files(_page_files(record))
            if refused or len(await self._pages.pages(identity)) < len(record.get("pages") or ()):
                taken.problems.append(_BAD_PAGES.format(title=record["conversation"].get("title") or ""))

    async def _take_rest(
        self, path: Path, taken: _ImportedSoFar, *, has_settings: bool, has_bases: bool
    ) -> None:
        with scratch_folder("import") as folder:
            names = await asyncio.to_thread(_unpack, path, folder)
            if (folder / MEMORIES).is_file():
                await await_shielded(self._take_memories(folder / MEMORIES, taken))
            if (folder / TOPICS).is_file():
                await await_shielded(self._take_topics(folder / TOPICS, taken))
            if has_bases:
                for name in names:
                    await self._take_base(folder / name, taken)
            if has_settings:
                await self._take_settings(folder / SETTINGS, taken)

    async def _take_memories(self, path: Path, taken: _ImportedSoFar) -> None:
        before = {memory.id for memory in await self._memories().all()}
        try:
            await self._memories().import_from(path)
        except NotRemembered as error:
            taken.problems.append(str(error))
        taken.memories += [memory.id for memory in await self._memories().all() if memory.id not in before]

    async def _take_topics(self, path: Path, taken: _ImportedSoFar) -> None:
        """Add topics that are not here; they are paused, as a file must not start anything by itself."""
        try:
            found = decode_json(await asyncio.to_thread(path.read_bytes), tuple[Topic, ...])
        except (msgspec.MsgspecError, UnicodeError):
            taken.problems.append(_BAD_TOPICS)
            return
        paused = [replace(topic, is_paused=True) for topic in found]
        taken.topics += await self._store.database.write(lambda connection: write_missing(connection, paused))

    async def _take_settings(self, path: Path, taken: _ImportedSoFar) -> None:
        if not await asyncio.to_thread(path.is_file):
            return
        loaded = await asyncio.to_thread(SettingsFile(path).load)
        if loaded.is_usable:
            taken.problems += map(str, loaded.problems)
            taken.problems += await self._preferences.take_over(loaded.settings)
        else:
            taken.problems.append(_BAD_SETTINGS)

    async def _take_base(self, path: Path, taken: _ImportedSoFar) -> None:
        try:
            if await self._has_base(path):
                return
            async with aclosing(self._knowledge().import_(path)) as steps:
                async for step in steps:
                    if step.base is not None:
                        taken.bases.append(step.base.id)
        except KnowledgeError as error:
            taken.problems.append(str(error))

    async def _has_base(self, path: Path) -> bool:
        """Say whether a base here is exactly that of an exported file: the same base makes the same bytes."""
        from desktop.knowledge.bundle_archive import base_name  # noqa: PLC0415 - few imports bring a base

        name = await asyncio.to_thread(base_name, path)
        for base in await self._knowledge().bases():
            if base.name == name and await self._is_same(base.id, path):
                return True
        return False

    async def _is_same(self, base_id: str, path: Path) -> bool:
        ours = path.with_suffix(".ours")
        try:
            async with aclosing(self._knowledge().export(base_id, ours)) as steps:
                async for _ in steps:
                    pass
        except AppError:  # a base that cannot be read must not keep its copy from being imported
            return False
        return await asyncio.to_thread(filecmp.cmp, path, ours, shallow=False)


def _page_files(record: Record) -> Iterator[tuple[str, bytes]]:
    """Yield the compressed files of cited pages that come with an imported chat; what is no such file is empty."""
    files, pages = record.get("page_files"), record.get("pages")
    wanted = [page.get("file") for page in pages if isinstance(page, dict)] if isinstance(pages, list) else ()
    for name, value in files.items() if isinstance(files, dict) else ():
        if name in wanted and isinstance(value, str):
            try:
                yield name, b64decode(value)
            except ValueError:
                yield name, b""


def _unpack(path: Path, folder: Path) -> list[str]:
    """Unpack members with a format of their own into a folder; return the names of the bases among them."""
    with FileReader(path) as reader, translate_errors(folder):
        for name, most in ((MEMORIES, MOST_BYTES), (TOPICS, MOST_BYTES), (SETTINGS, MOST_SETTINGS_BYTES)):
            if name in reader.names:
                (folder / name).write_bytes(reader.read(name, most))
        bases = [name for name in reader.names if name.startswith(BASES) and not name.endswith("/")]
        for number, name in enumerate(bases):
            reader.copy_out(name, folder / f"{number}.footnote-base")
        return [f"{number}.footnote-base" for number in range(len(bases))]
