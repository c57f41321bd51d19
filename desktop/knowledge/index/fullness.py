"""A disk without room, as SQLite and the system say it."""

import errno
import sqlite3

from desktop.errors import StorageFull

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


def is_full(error: Exception) -> bool:
    """Say whether something failed for want of room."""
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def storage_full(error: Exception) -> StorageFull:
    """Return the error for the person."""
    return StorageFull(detail=str(error))
