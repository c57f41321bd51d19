"""Checksums of rows with text, because SQLite's file format has none and returns flipped bits unnoticed.

Triggers write the CRC-32 of each row into a separate table, so that every statement that writes is covered.
Each checksum is stored twice: a damaged checksum does not condemn its row. Rows without a checksum count as
intact.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final
from zlib import crc32

from desktop.phrases import translatable
from desktop.text import old_messages

# ruff: noqa: S608 - statements are built from the constants below, never from data

TEXT_DAMAGED: Final = translatable("a text in it has changed since it was saved")

_TWICE: Final = Struct(">II")
_LENGTH: Final = Struct(">q")
_NO_VALUE: Final = _LENGTH.pack(-1)


@dataclass(frozen=True)
class _RowTable:
    """A table with checksums: its key, the key's type, and the columns that are covered.

    The migration uses it: once released, it may only be changed by another migration.
    """

    name: str
    key: str
    key_type: str
    columns: tuple[str, ...]


_TABLES: Final = {
    table.name: table
    for table in (
        _RowTable("bases", "id", "TEXT", ("id", "name", "icon", "options", "model")),
        _RowTable("documents", "id", "INTEGER", ("id", "base_id", "sha256", "title", "pages")),
        _RowTable("items", "position", "INTEGER", ("id", "base_id", "kind", "name", "path")),
        _RowTable("contents", "item_id", "TEXT", ("item_id", "suffix", "body")),
        _RowTable("texts", "document_id", "INTEGER", ("document_id", "text")),
        _RowTable(
            "passages",
            "id",
            "INTEGER",
            ("id", "document_id", "ordinal", "page", "section", "start", '"end"', "text"),
        ),
    )
}

DamagedRows = dict[str, list[int | str]]
"""The keys of damaged rows by table; tables without damage are omitted."""


def install(connection: sqlite3.Connection) -> None:
    """Register the SQL functions that the triggers and readers use."""
    old_messages.install(connection)  # of a migration
    connection.create_function("row_checksum", -1, _checksum, deterministic=True)
    connection.create_function("is_row_damaged", -1, _is_damaged, deterministic=True)


def statements() -> Iterator[str]:
    """Yield the statements that create the checksums of all rows and keep them up to date."""
    for table in _TABLES.values():
        kept, new, old = f"{table.name}_checksums", _blobs(table, "new"), _blobs(table, "old")
        yield f"CREATE TABLE {kept} (key {table.key_type} PRIMARY KEY, checksum BLOB NOT NULL) WITHOUT ROWID"
        yield f"INSERT INTO {kept} SELECT {table.key}, row_checksum({_blobs(table, table.name)}) FROM {table.name}"
        yield f"""CREATE TRIGGER {kept}_added AFTER INSERT ON {table.name} BEGIN
            INSERT OR REPLACE INTO {kept} VALUES (new.{table.key}, row_checksum({new}));
        END"""
        # The checksum of a damaged row is kept, as the update may affect another column.
        yield f"""CREATE TRIGGER {kept}_changed AFTER UPDATE OF {", ".join(table.columns)} ON {table.name} BEGIN
            UPDATE {kept} SET checksum = row_checksum({new})
            WHERE key = new.{table.key} AND checksum = row_checksum({old});
        END"""
        yield f"""CREATE TRIGGER {kept}_removed AFTER DELETE ON {table.name} BEGIN
            DELETE FROM {kept} WHERE key = old.{table.key};
        END"""


def build_damage_check(table: str, row: str) -> str:
    """Return the SQL expression that is 1 if a row is damaged, else 0; `row` is the row's alias."""
    one = _TABLES[table]
    checksum = f"(SELECT CAST(checksum AS BLOB) FROM {table}_checksums WHERE key = {row}.{one.key})"
    return f"is_row_damaged({checksum}, {_blobs(one, row)})"


def find_damaged_rows(connection: sqlite3.Connection) -> DamagedRows:
    """Compare every row with its checksum; databases from before there were checksums have none."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'passages_checksums'").fetchone() is None:
        return {}
    install(connection)
    found: DamagedRows = defaultdict(list)
    for table in _TABLES.values():
        query = f"SELECT {table.key} FROM {table.name} WHERE {build_damage_check(table.name, table.name)}"
        for (key,) in connection.execute(query):
            found[table.name].append(key)
    return dict(found)


def forget_checksums(connection: sqlite3.Connection, rows: DamagedRows) -> None:
    """Accept the current content of damaged rows as correct."""
    for table, keys in rows.items():
        connection.executemany(f"DELETE FROM {table}_checksums WHERE key = ?", ((key,) for key in keys))


def _checksum(*values: bytes | None) -> bytes:
    checksum = _crc(values)
    return _TWICE.pack(checksum, checksum)


def _is_damaged(kept: bytes | None, *values: bytes | None) -> bool:
    if not isinstance(kept, bytes) or len(kept) != _TWICE.size:
        return False
    first, second = _TWICE.unpack(kept)
    return first == second and bool(first != _crc(values))


def _crc(values: Sequence[bytes | None]) -> int:
    parts: list[bytes] = []
    for value in values:  # with its length, so that text moved between columns changes the checksum
        parts += (_NO_VALUE,) if value is None else (_LENGTH.pack(len(value)), value)
    return crc32(b"".join(parts))


def _blobs(table: _RowTable, row: str) -> str:
    # As TEXT, a value that is not valid UTF-8 would not reach the function.
    return ", ".join(f"CAST({row}.{column} AS BLOB)" for column in table.columns)
