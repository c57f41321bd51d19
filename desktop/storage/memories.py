"""Memories on disk, in the database of the conversations, and as JSON Lines for other programs and machines.

    {"id": "…", "text": "I live in Oslo.", "origin": "said", "assistant": null,
     "created_at": "2026-01-02T03:04:05.000006Z", "changed_at": "…"}

`origin` is `said` (the user's own words) or `confirmed` (a model's words confirmed by the user); `assistant` is
the id of the only assistant that a fact is for, or null. Only `text` is required. Writing, reading and writing
again gives the same bytes.
"""

import json
import sqlite3
import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

import msgspec

from desktop.domain.memory import MAX_CHARS, Memory, MemoryOrigin, likeness, normalize_fact
from desktop.errors import NotRemembered, UnknownMemory
from desktop.phrases import translatable
from desktop.sqlite import translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.db.row_checksums import readable, unsound
from desktop.storage.db.rows import Row, Value, encode_text, micros, moment

# ruff: noqa: S608 - statements are put together from constants, never from data


_NOT_A_MEMORY = translatable("line {line} of the file is not a memory")

UNDO_FOR = timedelta(days=1)
"""How long a deleted memory can be restored."""

_COLUMNS = "id, text, origin, assistant, created_at, changed_at"
_PLACES = ", ".join(["CAST(? AS TEXT)"] * 4 + ["?"] * 2)
_NAMES = (*_COLUMNS.split(", "), "is_damaged")
_SELECT = f"SELECT {_COLUMNS}, 0, {unsound('memories')}"
_ALL = f"{_SELECT} FROM memories WHERE deleted_at IS NULL ORDER BY created_at, id"
_ONE = f"{_SELECT} FROM memories WHERE id = ? AND deleted_at IS NULL"
_SAVE = f"INSERT OR REPLACE INTO memories ({_COLUMNS}) VALUES ({_PLACES})"
_MARK = "UPDATE memories SET deleted_at = ? WHERE id = ?"
_COUNT_DELETED = "SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL"
_PURGE = "DELETE FROM memories WHERE deleted_at <= ?"
_SILENCE = "INSERT OR IGNORE INTO conversations_without_memory (conversation_id) VALUES (?)"
_UNSILENCE = "DELETE FROM conversations_without_memory WHERE conversation_id = ?"
_IS_SILENT = "SELECT 1 FROM conversations_without_memory WHERE conversation_id = ?"

_EMPTY = translatable("the memory is empty")
_TOO_LONG = translatable(
    "it is longer than {limit} characters; save longer texts as a note in a knowledge base"
)


class _MemoryLine(msgspec.Struct):
    text: str
    id: Annotated[str, msgspec.Meta(max_length=64)] = ""
    origin: MemoryOrigin = MemoryOrigin.SAID
    assistant: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    created_at: datetime | None = None
    changed_at: datetime | None = None


def format_memories(memories: Iterable[Memory]) -> str:
    """Return memories that have text in the file format; the writer must escape lone surrogates."""
    whole = (memory for memory in memories if not memory.is_damaged)
    return "".join(json.dumps(memory_json(memory), ensure_ascii=False) + "\n" for memory in whole)


def memory_json(memory: Memory) -> dict[str, str | None]:
    """Return a memory as the JSON object of a line."""
    return {
        "id": memory.id,
        "text": memory.text,
        "origin": memory.origin.value,
        "assistant": memory.assistant,
        "created_at": _stamp(memory.created_at),
        "changed_at": _stamp(memory.changed_at),
    }


def read_lines(text: str) -> tuple[Memory, ...]:
    """Return the memories of a file.

    Raises:
        NotRemembered: a line is invalid.
    """
    now = datetime.now(UTC)
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append(_memory(msgspec.convert(json.loads(line), _MemoryLine), now))
            except (ValueError, OverflowError, RecursionError) as error:
                raise NotRemembered(detail=_NOT_A_MEMORY.format(line=number)) from error
    return tuple(found)


def _memory(line: _MemoryLine, now: datetime) -> Memory:
    created = _in_utc(line.created_at or now)
    changed = _in_utc(line.changed_at or created)
    return Memory(line.id or uuid.uuid4().hex, line.text, line.origin, created, changed, line.assistant)


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class MemoryRepository:
    """Stores memories. Data survives a power failure once awaited; methods raise `StorageError`s."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> tuple[Memory, ...]:
        """Return all memories, oldest first."""
        rows = await self._database.read(lambda connection: connection.execute(_ALL).fetchall())
        with translate_read_errors(self._database.path):
            return tuple(map(_memory_of, rows))

    async def add(
        self, text: str, assistant: str | None = None, origin: MemoryOrigin = MemoryOrigin.SAID
    ) -> Memory:
        """Add a fact, by default one that the user stated; an existing one is returned unchanged.

        Raises:
            NotRemembered: the text is empty or too long.
        """
        now = datetime.now(UTC)
        new = Memory(uuid.uuid4().hex, check_fact(text), origin, now, now, assistant)
        with translate_read_errors(self._database.path):
            return await self._database.write(partial(_add, new))

    async def change(self, memory_id: str, text: str, assistant: str | None = None) -> Memory:
        """Replace the words of a fact, which then count as the user's, or assign it to another assistant.

        Raises:
            UnknownMemory: it does not exist.
            NotRemembered: the text is empty or too long.
        """
        words = check_fact(text)
        with translate_read_errors(self._database.path):
            return await self._database.write(partial(_change, memory_id, words, assistant))

    async def delete(self, memory_id: str) -> None:
        """Delete a fact; `restore` can bring it back for a day."""
        await self._mark(memory_id, micros(datetime.now(UTC)))

    async def restore(self, memory_id: str) -> None:
        """Undo `delete`.

        Raises:
            UnknownMemory: it was permanently deleted.
        """
        await self._mark(memory_id, None)

    async def count_deleted(self) -> int:
        """Return how many deleted memories can be restored."""
        return int(
            await self._database.read(lambda connection: connection.execute(_COUNT_DELETED).fetchone()[0])
        )

    async def purge(self, deleted_for: timedelta = UNDO_FOR) -> int:
        """Permanently delete memories deleted that long ago; returns how many. Their text is overwritten."""
        before = micros(datetime.now(UTC) - deleted_for)
        if self._database.read_only is not None:
            return 0
        count = await self._database.execute(_PURGE, (before,))
        if count:
            await self._database.truncate_log()
        return count

    async def merge(self, memories: Iterable[Memory]) -> int:
        """Import memories that have text; returns how many were new or newer.

        Of two with the same id the one changed last is kept; a memory with the same words as an existing one is
        skipped.

        Raises:
            NotRemembered: one of them is empty or too long; none was imported.
        """
        whole = (memory for memory in memories if not memory.is_damaged)
        taken = [replace(memory, text=check_fact(memory.text)) for memory in whole]
        with translate_read_errors(self._database.path):
            return await self._database.write(partial(_merge, taken))

    async def is_used_in(self, conversation_id: str) -> bool:
        """Say whether a conversation may use memories; true by default."""
        row = await self._database.read(
            lambda connection: connection.execute(_IS_SILENT, (conversation_id,)).fetchone()
        )
        return row is None

    async def use_in(self, conversation_id: str, is_used: bool) -> None:
        """Allow or forbid a conversation to use memories."""
        statement = _UNSILENCE if is_used else _SILENCE
        await self._database.execute(statement, (conversation_id,))

    async def _mark(self, memory_id: str, deleted_at: int | None) -> None:
        count = await self._database.execute(_MARK, (deleted_at, memory_id))
        if not count:
            raise UnknownMemory


def check_fact(text: str) -> str:
    """Return a fact in its stored form.

    Raises:
        NotRemembered: it is empty or too long.
    """
    words = normalize_fact(text)
    if not words:
        raise NotRemembered(detail=_EMPTY)
    if len(words) > MAX_CHARS:
        raise NotRemembered(detail=_TOO_LONG.format(limit=MAX_CHARS))
    return words


def _load_all(connection: sqlite3.Connection) -> list[Memory]:
    return list(map(_memory_of, connection.execute(_ALL)))


def _save(connection: sqlite3.Connection, memory: Memory) -> None:
    connection.execute(_SAVE, _values(memory))


def _add(new: Memory, connection: sqlite3.Connection) -> Memory:
    for memory in _load_all(connection):
        if memory.assistant == new.assistant and likeness(memory.text) == likeness(new.text):
            return memory
    _save(connection, new)
    return new


def _change(memory_id: str, text: str, assistant: str | None, connection: sqlite3.Connection) -> Memory:
    row = connection.execute(_ONE, (memory_id,)).fetchone()
    if row is None:
        raise UnknownMemory
    old = _memory_of(row)
    origin = old.origin if text == old.text else MemoryOrigin.SAID
    new = replace(old, text=text, origin=origin, assistant=assistant, is_damaged=False)
    if new != old:
        new = replace(new, changed_at=datetime.now(UTC))
        _save(connection, new)
    return new


def _merge(memories: Iterable[Memory], connection: sqlite3.Connection) -> int:
    known = {memory.id: memory for memory in _load_all(connection)}
    said = {(memory.assistant, likeness(memory.text)): memory.id for memory in known.values()}
    count = 0
    for memory in memories:
        old = known.get(memory.id)
        twin = said.get((memory.assistant, likeness(memory.text)), memory.id)
        is_known = old is not None and not old.is_damaged and old.changed_at >= memory.changed_at
        if twin != memory.id or is_known:
            continue
        _save(connection, memory)
        known[memory.id] = memory
        said[memory.assistant, likeness(memory.text)] = memory.id
        count += 1
    return count


def _values(memory: Memory) -> tuple[Value | None, ...]:
    return (
        encode_text(memory.id),
        encode_text(memory.text),
        encode_text(memory.origin),
        None if memory.assistant is None else encode_text(memory.assistant),
        micros(memory.created_at),
        micros(memory.changed_at),
    )


def _memory_of(row: Row) -> Memory:
    identity, text, origin, assistant, created, changed, is_damaged = readable("memories", _NAMES, row)
    return Memory(
        identity, text, MemoryOrigin(origin), moment(created), moment(changed), assistant, bool(is_damaged)
    )
