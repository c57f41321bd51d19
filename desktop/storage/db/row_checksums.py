"""Checksums of rows with text: SQLite has none, and does not detect a flipped byte.

Each row with text has a seal in a separate table: a CRC-32 for every column, and one of those. Triggers write
the seals, so that no write can bypass them. An UPDATE renews the parts of the changed columns only, so that
damage elsewhere in the row is still detected. A single flipped byte always changes a CRC. A seal that is itself
damaged does not mark its row as damaged. Readers use `unsound`, which ignores rows without a seal: rows from
before there were seals get theirs in bounded steps, see `backfill`.
"""

import json
import sqlite3
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from zlib import crc32

from desktop.storage.db.rows import Row, encode_text

# ruff: noqa: S608 - statements are put together from the constants below, never from data

_PART = struct.Struct(">I")
_NOTHING: Final = crc32(b"\0NULL")
_GIVEN: Final = "CAST(? AS TEXT)"

MARKS: Final = {"text": "is_damaged", "reasoning": "is_reasoning_damaged"}
"""The columns that mark text as damaged; for a table without them, 0 is read instead."""

_INSTEAD: Final[dict[str, Any]] = {
    "text": "",
    "reasoning": "",
    "name": "⚠",
    "title": "",  # what is called by it has another name then
    "steps": "[]",
    "offered": "[]",
    "attachments": "[]",
    "files": "[]",
    "past": "[]",
    "usage": "null",
    "procedure": "null",
    "citation_check": "null",
    "spent": "null",
    "trace": "{}",
    "locator": "{}",
    "model": "",
    "error": "",
    "standing": "",
    "cure": "",
    "assistant": "",
    "tint": "",
    "url": "",
    "host": "",
    "published": "",
    "speaker": "assistant",
    "status": "complete",
    "kind": "web",
    "origin": "said",
    "created_at": 0,
    "changed_at": 0,
    "read_at": 0,
    "deleted_at": None,
    "is_aside": 0,
}


@dataclass(frozen=True)
class ChecksummedTable:
    """A table with seals: its key columns, and the columns covered by a seal.

    Migrations and databases depend on it: once released, it is changed only by a migration.
    """

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def seals(self) -> str:
        """The table of the seals."""
        return f"{self.table}_seals"


SEALED: Final = {
    one.table: one
    for one in (
        ChecksummedTable("conversations", ("id",), ("title", "created_at", "assistant")),
        ChecksummedTable(
            "messages",
            ("position",),
            (
                *("id", "conversation_id", "parent_id", "speaker", "text", "created_at", "status", "model"),
                *("reasoning", "steps", "offered", "usage", "error", "attachments", "procedure"),
                *("citation_check", "spent", "standing", "variant", "is_aside", "deleted_at", "cure"),
            ),
        ),
        ChecksummedTable(
            "sources",
            ("conversation_id", "number"),
            (
                *("kind", "key", "title", "url", "host", "locator", "text", "text_hash", "read_at"),
                *("published", "is_pinned"),
            ),
        ),
        ChecksummedTable("journal", ("message_id", "start"), ("text", "reasoning")),
        ChecksummedTable("traces", ("message_id",), ("trace",)),
        ChecksummedTable("memories", ("id",), ("text", "origin", "assistant", "created_at", "changed_at")),
        ChecksummedTable("drafts", ("conversation_id",), ("text", "files", "past")),
        ChecksummedTable("folders", ("id",), ("name", "tint")),
    )
}


@dataclass(frozen=True)
class CorruptRow:
    """A row that does not match its seal: its key, as bytes, and the expected CRC-32 of its damaged columns."""

    table: str
    key: tuple[bytes, ...]
    wanted: tuple[tuple[str, int], ...]


def install(connection: sqlite3.Connection) -> list[CorruptRow]:
    """Register the SQL functions for triggers and readers; return the list to which found damage is added."""
    found: list[CorruptRow] = []

    def unsound(table: str, seal: bytes | None, *row: bytes | None) -> int:
        if seal is None:
            return 0
        one = SEALED[table]
        width = len(one.key)
        damaged = _find_damaged(seal, row[width:])
        if not damaged:
            return 0
        key = tuple(part or b"" for part in row[:width])
        wanted = tuple((one.columns[place], _part(seal, place)) for place in damaged)
        found.append(CorruptRow(table, key, wanted))
        return sum(1 << place for place in damaged)

    connection.create_function("seal", -1, _seal, deterministic=True)
    connection.create_function("resealed", -1, _reseal, deterministic=True)
    connection.create_function("unsound", -1, unsound)
    return found


def checksum(value: bytes | None) -> int:
    """Return the CRC-32 of a column that was cast to BLOB."""
    return _NOTHING if value is None else crc32(value)


def statements(sealed: ChecksummedTable, keys: str) -> tuple[str, ...]:
    """Return the statements that create and maintain the seals of a table; `keys` declares its key columns."""
    names, new, old = ", ".join(sealed.key), _blobs("new", sealed.columns), _blobs("old", sealed.columns)
    new_key = ", ".join(f"new.{name}" for name in sealed.key)
    table, seals = sealed.table, sealed.seals
    return (
        f"CREATE TABLE {seals} ({keys}, seal BLOB NOT NULL, PRIMARY KEY ({names})) STRICT, WITHOUT ROWID",
        f"""CREATE TRIGGER {seals}_added AFTER INSERT ON {table} BEGIN
            INSERT OR REPLACE INTO {seals} VALUES ({new_key}, seal({new}));
        END""",
        f"""CREATE TRIGGER {seals}_changed AFTER UPDATE OF {", ".join(sealed.columns)} ON {table} BEGIN
            UPDATE {seals} SET seal = resealed(seal, {old}, {new}) WHERE {_same(sealed, seals, "new")};
        END""",
        f"""CREATE TRIGGER {seals}_removed AFTER DELETE ON {table} BEGIN
            DELETE FROM {seals} WHERE {_same(sealed, seals, "old")};
        END""",
        f"INSERT INTO unsealed SELECT '{table}', '' WHERE EXISTS (SELECT 1 FROM {table})",
    )


def unsound(table: str, row: str = "", schema: str = "main") -> str:
    """Return the SQL expression for the columns of a row that do not match its seal: bits, 0 if all match.

    `row` is the alias of the table in the statement, if it has one.
    """
    one, row = SEALED[table], row or table
    seal = f"(SELECT its.seal FROM {schema}.{one.seals} AS its WHERE {_same(one, 'its', row)})"
    return f"unsound('{table}', {seal}, {_blobs(row, one.key)}, {_blobs(row, one.columns)})"


def columns(table: str, bits: int) -> frozenset[str]:
    """Return the columns for the bits of `unsound`."""
    return frozenset(name for place, name in enumerate(SEALED[table].columns) if bits >> place & 1)


def has_seals(connection: sqlite3.Connection) -> bool:
    """Say whether a database has seals: old copies and databases of bases have none."""
    known = "SELECT 1 FROM sqlite_schema WHERE name = 'unsealed'"
    return connection.execute(known).fetchone() is not None


def all_unsound(connection: sqlite3.Connection) -> list[CorruptRow]:
    """Read every row that has a seal, and return those that do not match it."""
    found = install(connection)
    if has_seals(connection):
        for table in SEALED:
            connection.execute(f"SELECT total({unsound(table)}) FROM {table}").fetchone()
    return found


def backfill(count: int, connection: sqlite3.Connection) -> bool:
    """Seal at most `count` rows from before there were seals; return whether there may be more."""
    todo = connection.execute("SELECT name, after FROM unsealed ORDER BY name LIMIT 1").fetchone()
    if todo is None:
        return False
    one = SEALED[todo[0]]
    after = [encode_text(part) for part in json.loads(todo[1] or "[]")]
    names = ", ".join(one.key)
    behind = f"WHERE ({names}) > ({', '.join([_GIVEN] * len(after))})" if after else ""
    keys = ", ".join(f"CAST({name} AS TEXT)" for name in one.key)
    rows = connection.execute(
        f"SELECT {keys} FROM {one.table} {behind} ORDER BY {names} LIMIT ?", (*after, count)
    ).fetchall()
    connection.executemany(
        f"""INSERT OR IGNORE INTO {one.seals} SELECT {names}, seal({_blobs(one.table, one.columns)})
        FROM {one.table} WHERE {key_condition(one)}""",
        ([encode_text(part) for part in row] for row in rows),
    )
    if len(rows) < count:
        connection.execute("DELETE FROM unsealed WHERE name = ?", (one.table,))
    else:
        connection.execute("UPDATE unsealed SET after = ? WHERE name = ?", (json.dumps(rows[-1]), one.table))
    return True


def key_condition(sealed: ChecksummedTable) -> str:
    """Return the SQL condition that selects a row by its key, whose parts are given as bytes."""
    return " AND ".join(f"{name} = {_GIVEN}" for name in sealed.key)


def _seal(*values: bytes | None) -> bytes:
    return _make_seal([checksum(value) for value in values])


def _reseal(seal: bytes, *values: bytes | None) -> bytes:
    """Renew the parts of changed columns; damage in unchanged columns stays detectable."""
    width = len(values) // 2
    old, new = values[:width], values[width:]
    if not _is_whole(seal):
        return _seal(*new)
    return _make_seal([_part(seal, at) if old[at] == new[at] else checksum(new[at]) for at in range(width)])


def _find_damaged(seal: bytes, values: Sequence[bytes | None]) -> list[int]:
    """Return the indexes of the columns that do not match the seal."""
    parts = [checksum(value) for value in values]
    if seal.startswith(_format_of(len(parts)).pack(*parts)) or not _is_whole(seal):
        return []
    return [place for place, part in enumerate(parts) if part != _part(seal, place)]


def _make_seal(parts: Sequence[int]) -> bytes:
    body = _format_of(len(parts)).pack(*parts)
    return body + _PART.pack(crc32(body))


def _is_whole(seal: bytes) -> bool:
    """Say whether a seal is undamaged."""
    return _PART.pack(crc32(seal[: -_PART.size])) == seal[-_PART.size :]


def _part(seal: bytes, place: int) -> int:
    part: int = _PART.unpack_from(seal, place * _PART.size)[0]
    return part


@cache
def _format_of(count: int) -> struct.Struct:
    return struct.Struct(f">{count}I")


def _blobs(row: str, names: Sequence[str]) -> str:
    # Of TEXT that is no valid UTF-8 a function would hear nothing.
    return ", ".join(f"CAST({row}.{name} AS BLOB)" for name in names)


def _same(sealed: ChecksummedTable, left: str, right: str) -> str:
    return " AND ".join(f"{left}.{name} = {right}.{name}" for name in sealed.key)


def readable(table: str, names: Sequence[str], row: Row) -> Row:
    """Return `row`, of the columns `names` and the bits of `unsound`, with damage marks instead of the bits."""
    *values, bits = row
    if not bits:
        return row[:-1]
    damaged = columns(table, bits)
    instead = {name: _INSTEAD[name] for name in damaged if name in _INSTEAD}
    instead |= {mark: 1 for name, mark in MARKS.items() if name in damaged}
    return tuple(instead.get(name, value) for name, value in zip(names, values, strict=True))
