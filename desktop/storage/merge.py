"""Compares imported conversations with the stored ones, and merges them.

Stored conversations are never overwritten. A different version of a stored conversation is added under ids
derived from its contents, so that repeated imports add it only once.
"""

import hashlib
import sqlite3
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final

from desktop.domain.backups import Difference, ForeignConversation
from desktop.errors import NotImported
from desktop.phrases import translatable
from desktop.storage.db.database import Database
from desktop.storage.db.rows import micros, moment
from desktop.storage.folders import read_folders
from desktop.storage.message_tree import check_unseen, load
from desktop.storage.records import Record, as_foreign, read_record, record_bytes, write_record

_SUMMARIES = """SELECT c.id, c.title, c.updated_at, c.deleted_at, count(m.id), coalesce(sum(length(m.text)), 0)
    FROM conversations AS c
    LEFT JOIN messages AS m ON m.conversation_id = c.id AND m.deleted_at IS NULL
    GROUP BY c.id"""
_MARK = "UPDATE conversations SET deleted_at = ? WHERE id = ?"
_NAMESPACE: Final = uuid.UUID("6d1f4c4e-3f0e-4a8e-9a55-0d0b2f7c1e11")
_MOST: Final = 10_000_000
_DEEPEST: Final = 50
_PAGES: Final = frozenset({"pages", "page_texts", "page_files"})
_NOT_WHOLE = translatable("It is not a valid chat.")
_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
    AttributeError,
    RecursionError,
    sqlite3.IntegrityError,
    sqlite3.DataError,
)


@dataclass(frozen=True)
class Summary:
    """The data of a conversation needed to compare it with another one."""

    id: str
    title: str
    updated_at: datetime
    messages: int
    chars: int
    is_deleted: bool = False


def summaries(connection: sqlite3.Connection) -> dict[str, Summary]:
    """Return all conversations of a database, including deleted ones, by id."""
    return {
        identity: Summary(identity, title, moment(updated), count, chars, deleted is not None)
        for identity, title, updated, deleted, count, chars in connection.execute(_SUMMARIES)
    }


def compare_conversations(
    theirs: Iterable[Summary], ours: Mapping[str, Summary]
) -> tuple[ForeignConversation, ...]:
    """Return imported conversations, most recently used first, with their relation to the stored ones."""
    found = [
        ForeignConversation(
            one.id, one.title, one.updated_at, one.messages, _difference(one, ours.get(one.id))
        )
        for one in theirs
        if not one.is_deleted
    ]
    return tuple(sorted(found, key=lambda one: one.updated_at, reverse=True))


def _difference(theirs: Summary, ours: Summary | None) -> Difference:
    if ours is None or ours.is_deleted:
        return Difference.MISSING
    if (theirs.title, theirs.updated_at, theirs.messages, theirs.chars) == (
        ours.title,
        ours.updated_at,
        ours.messages,
        ours.chars,
    ):
        return Difference.SAME
    return Difference.NEWER if theirs.updated_at > ours.updated_at else Difference.OLDER


async def import_records(database: Database, record: Record, *, is_foreign: bool) -> str | None:
    """Add a conversation; return its id, or None if it exists already.

    With `is_foreign` it comes from a file, otherwise from a backup of our own. Existing data is not changed.

    Raises:
        NotImported: the record is invalid; nothing was written.
    """

    def write(connection: sqlite3.Connection) -> str | None:
        try:
            return _take_in(connection, record, is_foreign=is_foreign)
        except _UNREADABLE as error:
            raise NotImported(name=_title(record), detail=_NOT_WHOLE) from error

    return await database.write(write)


def _title(record: Record) -> str:
    title = record["conversation"].get("title")
    return title if isinstance(title, str) else ""


def _check_depth(record: Record) -> None:
    """Check that values are not nested deeper than what we write: they could be read, but not written again.

    Raises:
        ValueError: a value is nested too deeply.
    """
    level: list[Any] = [record]
    for _ in range(_DEEPEST):
        within = (each.values() if isinstance(each, dict) else each for each in level if each)
        level = [inner for values in within for inner in values if isinstance(inner, dict | list)]
        if not level:
            return
    error = "values within values without an end"
    raise ValueError(error)


def _check_tree(messages: Sequence[Record]) -> None:
    """Check that every message leads back to a first one: a cycle would cause an endless loop.

    Raises:
        ValueError: there is a cycle.
    """
    parents = {message["id"]: message.get("parent_id") for message in messages}
    if not all(isinstance(identity, str) for identity in parents):
        error = "an id that is no text"
        raise TypeError(error)
    if len(parents) != len(messages):
        error = "two messages of one id"
        raise ValueError(error)
    if "" in parents:  # which is how a first message says that nothing came before it
        error = "a message without an id"
        raise ValueError(error)
    safe: set[object] = {None}
    for first in messages:
        way: dict[object, None] = {}
        one: object = first["id"]
        while one not in safe:
            if one in way or one not in parents:
                error = "a message that leads to no first one"
                raise ValueError(error)
            way[one] = None
            one = parents[one]
        safe |= way.keys()


def _check_numbers(record: Record) -> None:
    """Check that every number leaves room for a next one, for later versions and sources.

    Raises:
        ValueError: a number is too large.
    """
    variants = (message.get("variant", 0) for message in record["messages"])
    numbers = (source["number"] - 1 for source in record["sources"])
    if any(not 0 <= number < _MOST for number in chain(variants, numbers)):
        error = "a number that nothing is counted to"
        raise ValueError(error)


def _take_in(connection: sqlite3.Connection, record: Record, *, is_foreign: bool) -> str | None:
    _check_depth(record)
    _check_tree(record["messages"])
    _check_numbers(record)
    identity = record["conversation"]["id"]
    if not identity:
        error = "a conversation without an id"
        raise ValueError(error)
    known = connection.execute("SELECT deleted_at FROM conversations WHERE id = ?", (identity,)).fetchone()
    if known is not None:
        ours = read_record(connection, identity)
        if not _says(ours, _without_pages(record)):
            record = with_other_ids(record)
            if ours and ours.get("stays_here"):  # another state of the same words
                record = {**record, "stays_here": True}
            identity = record["conversation"]["id"]
            known = connection.execute(
                "SELECT deleted_at FROM conversations WHERE id = ?", (identity,)
            ).fetchone()
        if known is not None:
            connection.execute(_MARK, (None, identity))
            return str(identity) if known[0] is not None else None
    elif _has_message(connection, record["messages"]):
        record = with_other_ids(record)
    identity = write_record(connection, as_foreign(record) if is_foreign else record)
    load(identity, connection)  # what the program could not read must not come in
    if is_foreign:  # of what was ours as much comes back as can
        check_unseen(identity, connection)
    read_folders(connection)
    return identity


def _says(ours: object, theirs: object) -> bool:
    """Say whether our value contains everything that theirs does; missing values count as defaults."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return all(name in ours and _says(ours[name], value) for name, value in theirs.items())
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(_says, ours, theirs))
    return ours == theirs


def _without_pages(record: Record) -> Record:
    """Return a conversation without its cited pages, which make it no other one: they may be deleted on their own."""
    return {name: value for name, value in record.items() if name not in _PAGES}


def _has_message(connection: sqlite3.Connection, messages: Sequence[Record]) -> bool:
    statement = "SELECT 1 FROM messages WHERE id = ?"
    return any(connection.execute(statement, (message["id"],)).fetchone() for message in messages)


def with_other_ids(record: Record) -> Record:
    """Return a conversation with new ids derived from all of its contents."""
    digest = hashlib.sha256(record_bytes(_without_pages(record))).hexdigest()

    def other(identity: object) -> str | None:
        return None if identity is None else uuid.uuid5(_NAMESPACE, f"{digest}/{identity}").hex

    conversation = {**record["conversation"], "id": other(record["conversation"]["id"])}
    messages = [
        {**message, "id": other(message["id"]), "parent_id": other(message.get("parent_id"))}
        for message in record["messages"]
    ]
    return {**record, "conversation": conversation, "messages": messages}


async def undo_import(database: Database, conversations: Iterable[str]) -> None:
    """Delete imported conversations in the same way as the user does."""
    now = micros(datetime.now(UTC))
    values = [(now, identity) for identity in conversations]
    await database.execute_many(_MARK, values)
