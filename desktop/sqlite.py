"""SQLite files of any kind: read-only connections, transactions, checks, verified copies, and errors for the user."""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from desktop.errors import (
    AppError,
    DatabaseBusy,
    DatabaseDamaged,
    StorageFull,
    StorageUnavailable,
    plain_reason,
)
from desktop.settings.atomic_files import has_no_room, sync

BACKUPS: Final = "backups"
"""Folder beside a database that holds its copies."""

THOROUGH_BYTES: Final = 32 * 2**20
"""Up to this size, indexes are also compared with their tables, which takes four times as long: 0.25 s."""

_FULL_TEXT = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING fts5 %'"
)

_PRIMARY = 0xFF
"""The low byte of an extended result code is the primary one (https://sqlite.org/rescode.html)."""

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def _full(_path: Path, _detail: object) -> AppError:
    return StorageFull(detail="")


def _busy(path: Path, _detail: object) -> AppError:
    return DatabaseBusy(path=path)


def _make_damage_error(path: Path, detail: object) -> AppError:
    return DatabaseDamaged(path=path, detail=detail)


def _make_refusal_error(path: Path, detail: object) -> AppError:
    return StorageUnavailable(path=path, detail=detail)


def _io_error(path: Path, detail: object) -> AppError:
    return _full(path, detail) if has_no_room(path) else _make_refusal_error(path, detail)


_MEANINGS: dict[int, Callable[[Path, object], AppError]] = {
    sqlite3.SQLITE_FULL: _full,
    sqlite3.SQLITE_BUSY: _busy,
    sqlite3.SQLITE_LOCKED: _busy,
    sqlite3.SQLITE_CORRUPT: _make_damage_error,
    sqlite3.SQLITE_NOTADB: _make_damage_error,
    sqlite3.SQLITE_IOERR: _io_error,
    sqlite3.SQLITE_READONLY: _make_refusal_error,
    sqlite3.SQLITE_CANTOPEN: _io_error,
    sqlite3.SQLITE_PERM: _make_refusal_error,
    sqlite3.SQLITE_AUTH: _make_refusal_error,
    sqlite3.SQLITE_PROTOCOL: _make_refusal_error,
    sqlite3.SQLITE_NOLFS: _make_refusal_error,
}


def primary_code(error: sqlite3.Error) -> int:
    """Return the primary result code; an error without one comes from Python's module."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & _PRIMARY


def storage_error(error: OSError | sqlite3.Error, path: Path) -> AppError | None:
    """Return the error for the user, or None if `error` is a bug."""
    if isinstance(error, OSError):
        meaning = _full if error.errno in _DISK_FULL else _make_refusal_error
        return meaning(path, plain_reason(error))
    known = _MEANINGS.get(primary_code(error))
    return known(path, error) if known else None


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise exceptions of the block as `StorageError`s; bugs are not changed."""
    try:
        yield
    except (
        UnicodeDecodeError
    ) as error:  # SQLite quotes a damaged schema, and Python cannot decode the quotation
        raise DatabaseDamaged(path=path, detail=error.object.decode("utf-8", "replace")) from error
    except (OSError, sqlite3.Error) as error:
        meaning = storage_error(error, path)
        if meaning is None:
            raise
        raise meaning from error


@contextmanager
def unreadable_as_damaged(path: Path) -> Iterator[None]:
    """Like `translate_errors`, but treat errors that SQLite reports for unreadable data as damage, not as bugs.

    For statements that are valid for any database, such as PRAGMAs: only the file can be wrong. SQLite reports
    an unknown schema format (bytes 44 to 47 of the header) as a general error.
    """
    with translate_errors(path):
        try:
            yield
        except sqlite3.DatabaseError as error:
            if storage_error(error, path) is None:
                raise DatabaseDamaged(path=path, detail=plain_reason(error)) from error
            raise


@contextmanager
def translate_read_errors(path: Path) -> Iterator[None]:
    """Treat rows with invalid contents as damage."""
    try:
        yield
    except (ValueError, OverflowError, RecursionError) as error:
        raise DatabaseDamaged(path=path, detail=plain_reason(error)) from error


def open_read_only(path: Path, *, is_immutable: bool = False) -> closing[sqlite3.Connection]:
    """Return the context of a connection that cannot write; with `is_immutable` it needs no write-ahead log."""
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_immutable else ''}"
    return closing(sqlite3.connect(address, uri=True))


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Run the block in a transaction: all of it takes effect, or nothing."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # After a full disk SQLite may have rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def erase_deleted(connection: sqlite3.Connection) -> None:
    """Rewrite the file and the full-text indexes, which keep the words of deleted rows until they are merged."""
    for (name,) in connection.execute(_FULL_TEXT).fetchall():
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")  # noqa: S608 - a name from our schema
    connection.execute("VACUUM")


def copy_verified(connection: sqlite3.Connection, target: Path) -> None:
    """Write a copy of the database to `target`, through a temporary file that is renamed after a check.

    Raises:
        DatabaseDamaged: the database cannot be copied into a sound one.
    """
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unchecked = target.with_name(f"{target.name}.part")
    try:
        unchecked.unlink(missing_ok=True)
        with closing(sqlite3.connect(unchecked)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            check(copy, target)
        sync(unchecked)
        unchecked.replace(target)
        sync(target.parent)
    finally:
        unchecked.unlink(missing_ok=True)


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Run SQLite's check on the whole database, including its indexes if that does not take long.

    Raises:
        DatabaseDamaged: it is not sound.
    """
    with unreadable_as_damaged(path):
        size_bytes = read_pragma(connection, "page_count") * read_pragma(connection, "page_size")
        look = "integrity_check" if size_bytes <= THOROUGH_BYTES else "quick_check"
        findings = [str(finding) for (finding,) in connection.execute(f"PRAGMA {look}(3)")]
    if findings != ["ok"]:
        raise DatabaseDamaged(path=path, detail="; ".join(findings))


def read_pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return the value of a pragma that is a number, such as `user_version`."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
