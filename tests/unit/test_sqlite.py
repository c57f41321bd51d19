"""SQLite's and the file system's exceptions in our words."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.errors import DatabaseBusy, DatabaseDamaged, StorageError, StorageFull, StorageUnavailable
from desktop.sqlite import storage_error, translate_errors
from tests.cases import cases

PATH = Path("/profile/conversations.db")

BUGS = {
    "SQLITE_ERROR", "SQLITE_INTERNAL", "SQLITE_ABORT", "SQLITE_INTERRUPT", "SQLITE_NOTFOUND", "SQLITE_EMPTY",
    "SQLITE_SCHEMA", "SQLITE_TOOBIG", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_MISUSE", "SQLITE_FORMAT",
    "SQLITE_RANGE", "SQLITE_NOMEM", "SQLITE_NOTICE", "SQLITE_WARNING", "SQLITE_ROW", "SQLITE_DONE", "SQLITE_OK",
}  # fmt: skip
"""Codes that say that we did something wrong, or that say nothing about the disk."""

MEANINGS = {
    "SQLITE_FULL": StorageFull,
    "SQLITE_BUSY": DatabaseBusy,
    "SQLITE_LOCKED": DatabaseBusy,
    "SQLITE_CORRUPT": DatabaseDamaged,
    "SQLITE_NOTADB": DatabaseDamaged,
    **dict.fromkeys(
        ("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH", "SQLITE_PROTOCOL", "SQLITE_NOLFS"),
        StorageUnavailable,
    ),
}  # fmt: skip

# Primary result codes are those below 256 that Python names SQLITE_<one word> and that are no actions or limits.
PRIMARY = BUGS | MEANINGS.keys()
EXTENDED = [
    name
    for name in dir(sqlite3)
    if isinstance(getattr(sqlite3, name), int) and any(name.startswith(f"{code}_") for code in PRIMARY)
    and getattr(sqlite3, name) > 0xFF
]  # fmt: skip


def raised(code):
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@cases("name, kind", MEANINGS.items())
def test_what_the_disk_does_has_words(name, kind):
    meaning = storage_error(raised(getattr(sqlite3, name)), PATH)
    assert type(meaning) is kind
    assert str(meaning)


@cases("name", sorted(name for name in BUGS if hasattr(sqlite3, name)))
def test_bugs_have_none(name):
    assert storage_error(raised(getattr(sqlite3, name)), PATH) is None


@cases("name", EXTENDED)
def test_extended_codes_mean_what_their_primary_code_means(name):
    code = getattr(sqlite3, name)
    by_code = {getattr(sqlite3, primary): kind for primary, kind in MEANINGS.items()}
    meaning = storage_error(raised(code), PATH)
    assert type(meaning) is by_code.get(code & 0xFF, type(None))


def test_extended_codes_were_found():
    assert "SQLITE_IOERR_WRITE" in EXTENDED
    assert "SQLITE_BUSY_SNAPSHOT" in EXTENDED


def test_an_error_without_a_code_is_a_bug():
    assert storage_error(sqlite3.ProgrammingError("closed"), PATH) is None


@cases("number", sorted(errno.errorcode))
def test_every_error_of_the_file_system_has_words(number):
    meaning = storage_error(OSError(number, "what the system says"), PATH)
    assert isinstance(meaning, StorageError)
    assert isinstance(meaning, StorageFull) == (number in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def test_the_foreign_exception_is_the_cause():
    foreign = OSError(errno.EROFS, "Read-only file system")
    with pytest.raises(StorageUnavailable, match="Read-only file system") as caught, translate_errors(PATH):
        raise foreign
    assert caught.value.__cause__ is foreign


def test_bugs_pass_as_they_are():
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(sqlite3.OperationalError),
        translate_errors(PATH),
    ):
        connection.execute("SELECT nonsense")
