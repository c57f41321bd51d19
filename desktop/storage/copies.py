"""What a copy of the conversations holds beside those that are here, and how it comes back.

A copy is opened under another name in a folder of its own, so that it can be brought to the schema of today
without being changed.
"""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from desktop.domain.backups import Difference, ForeignConversation
from desktop.domain.memory import Memory
from desktop.errors import BackupFailed, DatabaseDamaged, DatabaseTooNew
from desktop.phrases import phrase
from desktop.storage.database import Database, forget_history
from desktop.storage.failures import translated
from desktop.storage.memories import MemoryStore
from desktop.storage.rows import decoded
from desktop.storage.scratch import scratch_folder
from desktop.storage.transfer_joining import Summary, compared, summaries, take_in
from desktop.storage.transfer_rows import Record, read_record

_DELETE_KEPT_HERE = """DELETE FROM conversations
    WHERE id IN (SELECT conversation_id FROM conversations_kept_here)"""
_KEPT_HERE = "SELECT conversation_id FROM conversations_kept_here"
_KEEP_HERE = "INSERT OR IGNORE INTO conversations_kept_here VALUES (?)"


@dataclass(frozen=True)
class Look:
    """What a copy has that is not here, and the other way round."""

    conversations: tuple[ForeignConversation, ...]
    only_here: int
    memories: tuple[Memory, ...]
    memories_missing: int


@asynccontextmanager
async def opened(path: Path, place: str) -> AsyncGenerator[Database]:
    """Open the copy at `path` as it would be here; the file is not touched.

    Raises:
        BackupFailed: it is damaged, or a newer program's.
    """
    with scratch_folder("copy") as folder:
        mine = folder / path.name
        with translated(path):
            await asyncio.to_thread(shutil.copyfile, path, mine)
        try:
            database = await Database.open(mine)
        except DatabaseDamaged as error:
            raise BackupFailed(place=place, detail=phrase("This copy is damaged.")) from error
        except DatabaseTooNew as error:
            raise BackupFailed(
                place=place, detail=phrase("This copy was made by a newer Footnote.")
            ) from error
        try:
            yield database
        finally:
            await database.close()


async def look(copy: Database, here: Database) -> Look:
    """Compare a copy with what is here."""
    theirs = await asyncio.to_thread(summaries_of, copy.path)
    ours = await asyncio.to_thread(summaries_of, here.path)
    memories = await _memories(copy).all()
    known = {memory.id for memory in await _memories(here).all()}
    alive = {one.id for one in ours.values() if not one.is_deleted}
    there = {one.id for one in theirs.values() if not one.is_deleted}
    return Look(
        compared(theirs.values(), ours),
        len(alive - there),
        memories,
        sum(memory.id not in known for memory in memories),
    )


def leave_out_kept_here(path: Path) -> None:
    """Delete, for good, the conversations of a copy that are to stay on this machine; blocks."""
    with translated(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        gone = connection.execute(_DELETE_KEPT_HERE).rowcount
        if gone:
            connection.execute("VACUUM")


async def replace_by(copy: Database, here: Database) -> None:
    """Make what is here what a copy, which is `opened`, is. What stays on this machine still does."""
    kept = await here.read(lambda connection: connection.execute(_KEPT_HERE).fetchall())
    await copy.write(lambda connection: connection.executemany(_KEEP_HERE, kept))
    await copy.write(forget_history)
    await here.replace_by(copy.path)


async def merge(
    copy: Database, here: Database, chosen: Collection[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take in conversations, all that are missing unless some are chosen, and memories; return the new ids."""
    found = (await look(copy, here)).conversations
    added = []
    for one in found:
        is_wanted = one.difference is Difference.MISSING if chosen is None else one.id in chosen
        if is_wanted and (record := await _record(copy, one.id)):
            identity = await take_in(here, record)
            added += [identity] if identity else []
    memories = _memories(here)
    before = {memory.id for memory in await memories.all()}
    await memories.merge(memory for memory in await _memories(copy).all() if memory.id not in before)
    new = (memory.id for memory in await memories.all() if memory.id not in before)
    return tuple(added), tuple(new)


def _memories(database: Database) -> MemoryStore:
    async def given() -> Database:
        return database

    return MemoryStore(given)


async def _record(copy: Database, conversation_id: str) -> Record | None:
    return await copy.read(lambda connection: read_record(connection, conversation_id))


def summaries_of(path: Path) -> dict[str, Summary]:
    """Return the conversations of a database without holding up whoever writes to it; blocks."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    with translated(path), closing(sqlite3.connect(address, uri=True)) as connection:
        connection.text_factory = decoded
        return summaries(connection)
