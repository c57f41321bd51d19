"""Classification of disk errors (full, read-only) as reported by SQLite and the system."""

import errno
import shutil
import sqlite3
from pathlib import Path

from desktop.errors import DatabaseDamaged, IndexUnavailable, StorageFull, plain_reason
from desktop.phrases import translatable
from desktop.sqlite import primary_code, storage_error

_CLOSED = translatable("{path} can’t be used ({detail}). Check the disk and its permissions.")
_READ_ONLY = translatable("{path} is on a read-only disk. Knowledge bases need a writable disk.")
_DAMAGED = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_full(error: Exception, path: Path) -> bool:
    """Say whether the error means that the disk is full; `path` is the database, or a folder on its disk."""
    return isinstance(error, OSError | sqlite3.Error) and isinstance(storage_error(error, path), StorageFull)


def is_damage(error: Exception) -> bool:
    """Say whether the error means that the database is damaged.

    Our statements are correct for an intact database, so a general error of SQLite also means damage: of its
    schema, of a full-text index, or of a text that is not UTF-8.
    """
    if isinstance(error, DatabaseDamaged | UnicodeDecodeError):
        return True
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    # Errors without a code come from Python's module: a value that cannot have been written.
    return primary_code(error) in _DAMAGED and not isinstance(
        error, sqlite3.ProgrammingError | sqlite3.IntegrityError
    )


def storage_full(error: Exception) -> StorageFull:
    """Return the error to show to the user."""
    return StorageFull(detail=plain_reason(error))


def disk_refused(error: Exception, path: Path) -> IndexUnavailable:
    """Return the error to show to the user if `path`, or the file named by the error, is not accessible."""
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return IndexUnavailable(detail=_READ_ONLY.format(path=path))
    named = error.filename if isinstance(error, OSError) else None
    return IndexUnavailable(detail=_CLOSED.format(path=named or path, detail=plain_reason(error)))


def remove(path: Path) -> None:
    """Remove a folder, or a file or link with its name; the target of a link is kept."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
