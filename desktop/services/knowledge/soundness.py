"""Checks whether a file is a sound database of knowledge bases: SQLite's checks, tables, index and text checksums."""

import os
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

from desktop.errors import DatabaseDamaged, DatabaseMissing, DatabaseTextsDamaged, DatabaseTooNew
from desktop.knowledge.index.database import MIGRATIONS
from desktop.knowledge.index.row_checksums import TEXT_DAMAGED, find_damaged_rows, install
from desktop.phrases import translatable
from desktop.sqlite import THOROUGH_BYTES, check, read_pragma, unreadable_as_damaged
from desktop.storage.db.database import is_blank

_BUSY_S = 5.0
_STRANGE = translatable("its tables have been changed by another program")
_NOTHING_THERE = translatable("its file is empty")
_NOT_WRITABLE = translatable("its header marks it as read-only")
_OURS: Final = frozenset({"bases", "documents", "items", "passages"})
"""Tables that a database of bases has in every version."""

_INDEXES_AGREE = "INSERT INTO passages_fts (passages_fts) VALUES ('integrity-check')"
_TEXT_COLUMNS = """SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'passages_%' AND c.type = 'TEXT'"""

Schema = frozenset[tuple[str, str, str]]


def check_bases(path: Path, *, is_expected: bool = False, is_thorough: bool = False) -> None:
    """Check a database of knowledge bases; blocks for as long as it takes to read all of it.

    With `is_expected`, because there are backups of it, the database must exist. Up to `THOROUGH_BYTES`, or
    with `is_thorough`, the full-text index is compared with its content, and every text is decoded.

    Raises:
        DatabaseTooNew: a newer Footnote wrote it.
        DatabaseMissing: it is expected, and the file is missing or empty.
        DatabaseTextsDamaged: only texts in its rows are damaged.
        DatabaseDamaged: it is not sound, or not a database of bases.
        StorageError: the disk fails.
    """
    if is_blank(path):
        if is_expected:
            raise DatabaseMissing(path=path, detail=_NOTHING_THERE)
        return
    with unreadable_as_damaged(path), closing(sqlite3.connect(path, timeout=_BUSY_S)) as connection:
        connection.isolation_level = None
        check(connection, path)
        _check_tables(connection, path)
        if is_thorough or path.stat().st_size <= THOROUGH_BYTES:
            _check_words(connection)
            if find_damaged_rows(connection):
                raise DatabaseTextsDamaged(path=path, detail=TEXT_DAMAGED)
        else:
            _begin_writing(connection)
            connection.execute("ROLLBACK")


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Compare the tables with those of the schema version given in the file."""
    version = read_pragma(connection, "user_version")
    found = _schema(connection)
    if 0 < version <= len(MIGRATIONS) and found == _schema_after(version):
        return
    names = {name for kind, name, _columns in found if kind == "table"}
    # Every migration changes the tables: if they match a known version, only the version number is damaged.
    is_known = any(found == _schema_after(known) for known in range(1, len(MIGRATIONS) + 1))
    if version > len(MIGRATIONS) and names >= _OURS and not is_known:
        raise DatabaseTooNew(path=path)
    raise DatabaseDamaged(path=path, detail=_STRANGE)


def _check_words(connection: sqlite3.Connection) -> None:
    _begin_writing(connection)
    try:
        connection.execute(_INDEXES_AGREE)
        columns = connection.execute(_TEXT_COLUMNS).fetchall()
        for table, column in columns:
            for _ in connection.execute(f'SELECT "{column}" FROM "{table}"'):  # noqa: S608 - names out of our schema
                pass
    finally:
        connection.execute("ROLLBACK")


def _begin_writing(connection: sqlite3.Connection) -> None:
    """Rewrite existing data, which a damaged header may forbid. A file without write permission is no damage."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        version = read_pragma(connection, "user_version")
        connection.execute(f"PRAGMA user_version = {version}")
    except sqlite3.OperationalError as error:
        path = Path(connection.execute("PRAGMA database_list").fetchone()[2])
        if error.sqlite_errorcode == sqlite3.SQLITE_READONLY and os.access(path, os.W_OK):
            raise DatabaseDamaged(path=path, detail=_NOT_WRITABLE) from error
        raise


def _schema(connection: sqlite3.Connection) -> Schema:
    """Return the schema of a database: kind, name and columns, without SQLite's internal objects."""
    rows = connection.execute(
        """SELECT m.type, m.name, (SELECT group_concat(c.name) FROM pragma_table_info(m.name) c)
           FROM sqlite_schema m WHERE m.name NOT LIKE 'sqlite_stat%'"""
    )
    return frozenset((str(kind), str(name), str(columns)) for kind, name, columns in rows)


@cache
def _schema_after(version: int) -> Schema:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        install(empty)
        for migration in MIGRATIONS[:version]:
            for statement in migration.statements:
                empty.execute(statement)
        return _schema(empty)
