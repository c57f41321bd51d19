"""Recovers a damaged database, and restores conversations from a backup.

A damaged database is set aside; the newest sound backup replaces it, and everything still readable is added.
Rows read from the damaged file are checked like an imported file: an invalid row is left out.

To restore, a backup is opened under another name in a separate folder, so that it can be migrated to the
current schema without being changed.
"""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

from desktop.domain.backups import Difference, ForeignConversation, Restoration, is_in_future
from desktop.domain.memory import Memory
from desktop.domain.topics import Topic
from desktop.errors import (
    AppError,
    BackupFailed,
    DatabaseDamaged,
    DatabaseRestored,
    DatabaseTooNew,
    MissingDatabaseRestored,
    NotImported,
)
from desktop.phrases import pluralize, sentences, translatable
from desktop.sqlite import open_read_only, transaction, translate_errors, translate_read_errors
from desktop.storage.db.database import Database, forget_history
from desktop.storage.db.row_checksums import install
from desktop.storage.db.rows import CONVERSATION_COLUMNS, conversation_of, decode_text, moment
from desktop.storage.drafts import DraftStore
from desktop.storage.folders import FolderStore
from desktop.storage.local_copies import Copies, LocalBackups, find_row_values, put_back, scratch_folder
from desktop.storage.memories import MemoryRepository
from desktop.storage.merge import Summary, compare_conversations, import_records, summaries
from desktop.storage.records import Record, read_record
from desktop.storage.topics import leave_out_kept_here as leave_out_topics
from desktop.storage.topics import read_topics, write_missing

_T = TypeVar("_T")

_DELETE_KEPT_HERE = """DELETE FROM conversations
    WHERE id IN (SELECT conversation_id FROM conversations_kept_here)"""
_KEPT_HERE = "SELECT conversation_id FROM conversations_kept_here"
_KEEP_HERE = "INSERT OR IGNORE INTO conversations_kept_here VALUES (?)"
_LISTED = f"SELECT {CONVERSATION_COLUMNS} FROM conversations"  # noqa: S608 - constants
_IMPOSSIBLE = "SELECT 1 FROM messages WHERE id = '' OR position NOT BETWEEN 0 AND 1000000000000 LIMIT 1"
_STRANGE = translatable("its tables have been changed by another program")
_SHOWN_NOTES = 5
_BAD = translatable("“{name}” can’t be read.")

_SHOWN_TITLES: Final = 5
_FROM_COPY = translatable("It was restored as of {moment}.")
_FROM_FUTURE = translatable(
    "It was restored from a backup dated {moment}, which is in the future. Check the date and time "
    "of this computer."
)
_FROM_NOTHING = translatable("There was no backup, so a new one was created.")
_SAVED = (
    translatable("{count} chat recovered from the damaged file."),
    translatable("{count} chats recovered from the damaged file."),
)
_LOST = translatable("Not recovered, or only an older version: {titles}.")
_MAYBE_LOST = translatable("The rest of the file can’t be read; later chats may be missing.")
_BROKEN = (sqlite3.Error, ValueError, TypeError, KeyError, OverflowError)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BackupDiff:
    """The differences between a backup and the current data, in both directions."""

    conversations: tuple[ForeignConversation, ...]
    only_here: int
    memories: tuple[Memory, ...]
    memories_missing: int


@asynccontextmanager
async def open_backup(path: Path, place: str) -> AsyncGenerator[Database]:
    """Open the backup at `path` with the current schema; the file itself is not changed.

    Raises:
        BackupFailed: it is damaged, or from a newer version; may also be raised later, when damage is found.
    """
    with scratch_folder("copy") as folder:
        mine = folder / path.name
        with translate_errors(path):
            await asyncio.to_thread(shutil.copyfile, path, mine)
        async with AsyncExitStack() as stack:
            try:
                database = Database(mine)
                stack.push_async_callback(database.close)
                await database.open()
                yield database
            except DatabaseDamaged as error:
                if error.fields["path"] != mine:  # the current data
                    raise
                raise BackupFailed(place=place, detail=translatable("This backup is damaged.")) from error
            except DatabaseTooNew as error:
                raise BackupFailed(
                    place=place, detail=translatable("This backup was made by a newer version of Footnote.")
                ) from error


async def check_lists(copy: Database) -> None:
    """Check that the lists in the window can be read: after a replacement, one invalid row would break them.

    Raises:
        DatabaseDamaged: they cannot be read.
    """

    def read_conversations(connection: sqlite3.Connection) -> None:
        for row in connection.execute(_LISTED):
            conversation_of(row)

    await FolderStore(copy).folders()
    await DraftStore(copy).all()
    await MemoryRepository(copy).all()
    with translate_read_errors(copy.path):
        await copy.read(read_conversations)
    if await copy.read(lambda connection: connection.execute(_IMPOSSIBLE).fetchone()):
        raise DatabaseDamaged(path=copy.path, detail=_STRANGE)


async def compare(copy: Database, here: Database) -> BackupDiff:
    """Compare a backup with the current data."""
    await here.open()
    with translate_read_errors(copy.path):
        theirs = await asyncio.to_thread(summaries_of, copy.path)
    ours = await asyncio.to_thread(summaries_of, here.path)
    memories = await MemoryRepository(copy).all()
    known = {memory.id for memory in await MemoryRepository(here).all()}
    alive = {one.id for one in ours.values() if not one.is_deleted}
    there = {one.id for one in theirs.values() if not one.is_deleted}
    return BackupDiff(
        compare_conversations(theirs.values(), ours),
        len(alive - there),
        memories,
        sum(memory.id not in known for memory in memories),
    )


def leave_out_kept_here(path: Path) -> None:
    """Permanently delete from a backup the conversations and topics that are kept on this machine; blocks."""
    with translate_errors(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.text_factory = decode_text
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        install(connection)
        connection.execute(_DELETE_KEPT_HERE)
        leave_out_topics(connection)
        if connection.total_changes:
            connection.execute("VACUUM")


async def replace_by(copy: Database, here: Database, keep: Callable[[], _T]) -> _T:
    """Replace the current data with `copy`, opened by `open_backup`; conversations kept on this machine stay so.

    `keep`, which blocks, is called last before the replacement; see `Database.replace_by`.
    """
    kept = await here.read(lambda connection: connection.execute(_KEPT_HERE).fetchall())
    await copy.execute_many(_KEEP_HERE, kept)
    await copy.write(forget_history)
    return await here.replace_by(copy.path, keep)


async def merge(copy: Database, here: Database, chosen: Collection[str] | None) -> Restoration:
    """Add memories, topics and conversations, all missing ones unless some are chosen; unreadable ones are skipped.

    Beside chosen conversations topics are paused: one that the user has removed must not run again unasked.
    """
    found = (await compare(copy, here)).conversations
    added, notes = [], []
    for one in found:
        is_wanted = one.difference is Difference.MISSING if chosen is None else one.id in chosen
        try:
            if is_wanted and (record := await _record(copy, one.id)):
                identity = await import_records(here, record, is_foreign=False)
                added += [identity] if identity else []
        except (NotImported, DatabaseDamaged):
            notes.append(_BAD.format(name=one.title))
    memories = MemoryRepository(here)
    before = {memory.id for memory in await memories.all()}
    topics = await copy.read(read_topics)
    if chosen is not None:
        topics = [replace(topic, is_paused=True) for topic in topics]
    watched = await here.write(lambda connection: write_missing(connection, topics))
    await memories.merge(memory for memory in await MemoryRepository(copy).all() if memory.id not in before)
    new = (memory.id for memory in await memories.all() if memory.id not in before)
    return Restoration(tuple(added), tuple(new), notes=tuple(notes[:_SHOWN_NOTES]), topics=watched)


async def _record(copy: Database, conversation_id: str) -> Record | None:
    with translate_read_errors(copy.path):
        return await copy.read(lambda connection: read_record(connection, conversation_id))


def summaries_of(path: Path) -> dict[str, Summary]:
    """Return the conversations of a database without blocking its writers; blocks the caller."""
    with translate_errors(path), open_read_only(path) as connection:
        connection.text_factory = decode_text
        return summaries(connection)


@dataclass
class _SalvagedRows:
    """The readable rows of a damaged database that are not in the current one."""

    records: list[Record]
    lost: list[str]
    is_all: bool
    topics: list[Topic] = field(default_factory=list)


async def recover_database(path: Path, damage: DatabaseDamaged) -> DatabaseRestored:
    """Put a sound database in the place of a damaged one, and return what was done.

    Raises:
        StorageError: the disk fails; the file is unchanged, or replaced by the backup.
    """
    now = datetime.now(UTC)
    backups = LocalBackups(path)
    restored = await asyncio.to_thread(backups.restore_newest, now)
    if restored is None:
        aside = await asyncio.to_thread(backups.set_aside, now)
        origin = _FROM_NOTHING
    else:
        aside = restored.set_aside
        words = _FROM_FUTURE if is_in_future(restored.copy.taken_at, now) else _FROM_COPY
        origin = words.format(moment=f"{restored.copy.taken_at:%Y-%m-%d %H:%M} UTC")
    database = Database(path)
    try:
        await database.write(forget_history)
        report = await _salvage(aside, database, backups.moments())
    finally:
        await database.close()
    kind = DatabaseRestored if aside.exists() else MissingDatabaseRestored
    return kind(
        path=path, detail=damage.fields["detail"], report=sentences((origin, report)), kept_as=aside.name
    )


async def _salvage(aside: Path, database: Database, copies: Copies) -> str:
    here = await asyncio.to_thread(summaries_of, database.path)
    try:
        found = await asyncio.to_thread(_read, aside, here, copies)
    except (AppError, OSError) as error:  # no space for another file: the file itself is kept
        _log.warning("The damaged database cannot be read now: %s", error)
        found = _SalvagedRows([], [], is_all=False)
    saved = 0
    for record in found.records:
        try:
            saved += bool(await import_records(database, record, is_foreign=False))
        except NotImported:
            found.lost.append(str(record["conversation"].get("title") or "?"))
    await database.write(lambda connection: write_missing(connection, found.topics))
    words = [pluralize(_SAVED, saved)] if saved else []
    if found.lost:
        shown = ", ".join(f"“{title}”" for title in found.lost[:_SHOWN_TITLES])
        words.append(_LOST.format(titles=f"{shown} …" if len(found.lost) > _SHOWN_TITLES else shown))
    if not found.is_all:
        words.append(_MAYBE_LOST)
    return sentences(words)


def _read(aside: Path, here: Mapping[str, Summary], copies: Copies) -> _SalvagedRows:
    """Read conversations that are newer or missing here, as far as possible.

    A copy of the file is read, because SQLite may write to it.
    """
    with scratch_folder("salvage") as folder:
        mine = folder / "damaged.db"
        for suffix in ("", "-wal"):
            log = aside.with_name(aside.name + suffix)
            if log.exists():
                shutil.copyfile(log, mine.with_name(mine.name + suffix))
        found = _SalvagedRows([], [], is_all=True)
        try:
            with closing(sqlite3.connect(mine, isolation_level=None)) as connection:
                connection.text_factory = decode_text
                found.topics = read_topics(connection)
                _read_into(found, connection, here, _reader(connection, copies))
        except _BROKEN as error:
            _log.warning("The damaged database cannot be read to its end: %s", error)
            found.is_all = False
        return found


def _reader(connection: sqlite3.Connection, copies: Copies) -> Callable[[str], Record | None]:
    """Return a function that reads a conversation and repairs damaged rows as far as the backups allow."""
    unsound = install(connection)

    def read(identity: str) -> Record | None:
        unsound.clear()
        record = read_record(connection, identity)
        if unsound and (found := find_row_values(copies, unsound)):
            with transaction(connection):
                for right in found.values():
                    put_back(connection, right)
            record = read_record(connection, identity)
        return record

    return read


def _read_into(
    found: _SalvagedRows,
    connection: sqlite3.Connection,
    here: Mapping[str, Summary],
    read: Callable[[str], Record | None],
) -> None:
    for identity, title in _newer(found, connection, here):
        try:
            record = read(identity)
        except _BROKEN:
            record = None
        if record is None or not record["messages"]:
            found.lost.append(title)
        else:
            found.records.append(record)


def _newer(
    found: _SalvagedRows, connection: sqlite3.Connection, here: Mapping[str, Summary]
) -> Iterator[tuple[str, str]]:
    """Yield the ids and titles of conversations that are missing here or differ."""
    rows = connection.execute("SELECT id, title, updated_at FROM conversations WHERE deleted_at IS NULL")
    listed: list[tuple[str, str, int]] = []
    try:
        for row in rows:
            listed.append(row)  # noqa: PERF402 - rows read before the damage are kept
    except sqlite3.Error:
        found.is_all = False
    for identity, title, updated in listed:
        ours = here.get(identity)
        if ours is None or moment(updated) > ours.updated_at:
            yield identity, title
