"""An SQLite database: one connection in one thread, checked when opened, copied before it is migrated.

The name of a copy tells its contents, its time and its number:

    conversations-20260301T120000-000007.db
    conversations-before-restore-20260301T120000-000008.db

Copies are ordered by their numbers, because a clock may be wrong and the time alone does not show which copy is
the newest. Names without a number are from earlier versions; these copies come before all numbered ones.
"""

import asyncio
import re
import sqlite3
import time
import weakref
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from desktop.errors import DatabaseDamaged, DatabaseMissing, DatabaseTooNew, DataReadOnly, StorageError
from desktop.phrases import translatable
from desktop.sqlite import (
    BACKUPS,
    check,
    copy_verified,
    erase_deleted,
    open_read_only,
    transaction,
    translate_errors,
    unreadable_as_damaged,
)
from desktop.storage.db.migrations import (
    MIGRATIONS,
    Migration,
    apply,
    list_applied,
    list_pending,
    schema,
    schema_after,
)
from desktop.storage.db.row_checksums import CorruptRow, all_unsound, install
from desktop.storage.db.rows import decode_text

STAMP: Final = "%Y%m%dT%H%M%S"
NUMBER: Final = "{:06}"

_T = TypeVar("_T")

Values = Sequence[str | int | float | bytes | None]
"""Parameter values of a statement."""

Repair = Callable[[sqlite3.Connection, Sequence[CorruptRow], Path], bool]
"""Repairs rows that do not match their checksums as far as possible; returns whether anything was repaired."""

_DIGITS = 4
_NO_CURSOR = "a cursor must not leave the thread of its connection: return its rows"
_STRANGE = translatable("its tables have been changed by another program")
_NOTHING_THERE = translatable("its file is empty")
_BUSY_S = 5.0
_AGAIN_S = 0.01


@dataclass(frozen=True)
class CopyName:
    """The parsed name of a copy; `reason` is empty, or begins with `before-` and ends with a hyphen."""

    reason: str
    taken_at: datetime
    number: int


def parse_copy_name(stem: str, name: str) -> CopyName | None:
    """Return the parsed name of a copy of the database `stem`, or None for another file."""
    named = re.fullmatch(rf"{re.escape(stem)}-(before-.+-)?(\d{{8}}T\d{{6}})(?:-(\d{{6,12}}))?\.db", name)
    if named is None:
        return None
    try:
        taken_at = datetime.strptime(named[2], STAMP).replace(tzinfo=UTC)
    except ValueError:  # an invalid date, such as the 99th of a month
        return None
    return CopyName(named[1] or "", taken_at, int(named[3] or 0))


def next_copy_path(folder: Path, stem: str, now: datetime, reason: str = "") -> Path:
    """Return the path of the next copy of the database `stem`, with a number above all others there."""
    paths = folder.iterdir() if folder.is_dir() else ()
    found = [parsed.number for path in paths if (parsed := parse_copy_name(stem, path.name)) is not None]
    number = NUMBER.format(max(found, default=0) + 1)
    return folder / f"{stem}-{reason}{now.strftime(STAMP)}-{number}.db"


class OwnedConnection(sqlite3.Connection):
    """A connection whose cursors can all be closed by the thread that uses it.

    When a cursor is garbage-collected, SQLite resets its statement, which the connection caches for the next
    identical query. In another thread that could happen while the statement is in use again.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take the same arguments as `sqlite3.Connection`."""
        super().__init__(*args, **options)
        self._cursors: weakref.WeakSet[sqlite3.Cursor] = weakref.WeakSet()

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        """Return a new cursor."""
        cursor = super().cursor(factory)
        self._cursors.add(cursor)
        return cursor

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        """Execute with a cursor of its own; the overridden method would create an untracked one."""
        cursor: sqlite3.Cursor = self.cursor()
        return cursor.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any) -> sqlite3.Cursor:
        """Execute a statement for each of `parameters`."""
        cursor: sqlite3.Cursor = self.cursor()
        return cursor.executemany(sql, parameters)

    def executescript(self, sql_script: str) -> sqlite3.Cursor:
        """Execute several statements."""
        cursor: sqlite3.Cursor = self.cursor()
        return cursor.executescript(sql_script)

    def close_cursors(self) -> None:
        """Close every open cursor: its statement is finalized, and it may be garbage-collected in any thread."""
        for cursor in tuple(self._cursors):
            cursor.close()
        self._cursors.clear()


_being_opened: ContextVar["Database | None"] = ContextVar("being_opened", default=None)
"""The database whose opener runs: what that does with it must not wait for it to be open."""


class Database:
    """Runs functions of a connection in the thread that owns it, each in one transaction.

    Such a function must return data: a cursor is refused, and cursors still referenced, for example by an
    exception, are closed before the thread continues.

    Data is on the disk once the write has been awaited: the write-ahead log is synced at every commit.

    Constructing it is cheap and possible in any thread: it is opened at the first use, once for all callers, and
    after an error again at the next use, for example once the disk has space. Every method raises
    `StorageError`s, and bugs unchanged.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[Migration] = MIGRATIONS,
        opener: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`opener` is what opening does besides or before `connect`; it may use the database after that."""
        self.path = path
        """The file in use; it is another one from the opening on if `opener` connects to that."""
        self.repair: Repair | None = None
        self.read_only: DataReadOnly | None = None
        """Why the database cannot be written to; None if it can, or is not open yet."""
        self.closing = AsyncExitStack()
        """What is undone, the last first, when the database is closed or its opening fails."""
        self._migrations = migrations
        self._opener = opener or self.connect
        self._opening: asyncio.Task[None] | None = None
        self._connection: OwnedConnection | None = None
        self._unsound: list[CorruptRow] = []
        self._thread = ThreadPoolExecutor(1, f"storage-{path.stem}")

    async def open(self) -> None:
        """Open the database now, unless it is open; every other method does so too."""
        if _being_opened.get() is self:  # the opener uses it
            return
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        await asyncio.shield(self._opening)

    async def _open(self) -> None:
        _being_opened.set(self)
        try:
            await self._opener()
        except BaseException:
            self._opening = None
            await self.closing.aclose()
            raise

    async def connect(self, path: Path | None = None, *, is_expected: bool = False) -> None:
        """Open or create the database file, check it and bring its schema up to date; for an `opener`.

        With `is_expected`, because there are copies of it, it is not created: a missing or empty file is then
        damage.

        Raises:
            DatabaseTooNew: a newer program wrote it; the file is unchanged.
            DatabaseMissing: it is expected, and the file is missing or empty.
            DatabaseDamaged: it fails SQLite's check; the file is unchanged.
        """
        file = path or self.path
        connection = await _in(
            self._thread, lambda: _open_file(file, self._migrations, is_expected=is_expected)
        )
        self.closing.push_async_callback(_in, self._thread, connection.close)
        self.path, self._connection, self._unsound = file, connection, install(connection)

    async def read(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run `work` on one consistent view of the data; again if it found damage that was repaired."""
        return await self._run(lambda connection: self._read(connection, work))

    async def write(self, work: Callable[[sqlite3.Connection], _T], *, is_derived: bool = False) -> _T:
        """Run `work`; everything it writes is on the disk, or, if this raises, nothing is.

        Cancelling the caller does not revoke the write. With `is_derived` the data can be recreated, and is
        written even to the copy of a read-only database.

        Raises:
            DataReadOnly: the database cannot be written to.
        """
        await self.open()
        if self.read_only is not None and not is_derived:
            raise self.read_only
        return await self._run(lambda connection: self._in_transaction(connection, "IMMEDIATE", work))

    async def execute(self, statement: str, values: Values = ()) -> int:
        """Execute one writing statement; return how many rows it changed."""
        return await self.write(lambda connection: connection.execute(statement, values).rowcount)

    async def execute_many(self, statement: str, rows: Iterable[Values]) -> int:
        """Execute one writing statement for each of `rows`, all or none; return how many rows were changed."""
        return await self.write(lambda connection: connection.executemany(statement, rows).rowcount)

    async def replace_by(self, path: Path, keep: Callable[[], _T]) -> _T:
        """Replace the contents of this database with the one at `path`, which has the same schema; all or nothing.

        Users of the database need not reopen it. `keep` is called first and its result returned; nothing is
        written between the two.
        """
        return await self._run(lambda connection: self._replace_by(connection, path, keep))

    async def repair_all(self) -> None:
        """Check every row, while the database stays in use, and repair what can be repaired."""
        await self.open()
        rows = await asyncio.to_thread(unsound_rows, self.path)
        if rows and self.repair is not None:
            repair = self.repair
            await self._run(lambda connection: repair(connection, rows, self.path))

    async def truncate_log(self) -> None:
        """Checkpoint the write-ahead log into the database and empty it, as far as other readers allow."""
        await self._run(self._truncate_log)

    async def erase_deleted(self) -> None:
        """Remove all traces of deleted data from indexes, free pages and the log. Takes as long as copying."""
        await self._run(self._erase_deleted)
        await self.truncate_log()

    async def close(self) -> None:
        """Finish pending work, checkpoint the log into the database, and close it for good, if it was opened."""
        try:
            if self._opening is not None:
                await asyncio.wait({self._opening})
                await self.closing.aclose()
        finally:
            self._thread.shutdown()

    async def _run(self, work: Callable[[OwnedConnection], _T]) -> _T:
        await self.open()
        assert self._connection is not None, "an opener connects"
        return await _in(self._thread, partial(work, self._connection))

    def _read(self, connection: OwnedConnection, work: Callable[[sqlite3.Connection], _T]) -> _T:
        self._unsound.clear()
        result = self._in_transaction(connection, "DEFERRED", work)
        if self._unsound and self.repair is not None and self.repair(connection, self._unsound, self.path):
            return self._in_transaction(connection, "DEFERRED", work)
        return result

    def _replace_by(self, connection: OwnedConnection, path: Path, keep: Callable[[], _T]) -> _T:
        kept = keep()
        with translate_errors(self.path), open_read_only(path) as source:
            source.backup(connection)
        return kept

    def _truncate_log(self, connection: OwnedConnection) -> None:
        with translate_errors(self.path):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _erase_deleted(self, connection: OwnedConnection) -> None:
        with translate_errors(self.path):
            erase_deleted(connection)

    def _in_transaction(
        self, connection: OwnedConnection, kind: str, work: Callable[[sqlite3.Connection], _T]
    ) -> _T:
        try:
            with translate_errors(self.path), transaction(connection, kind):
                result = work(connection)
                if isinstance(result, sqlite3.Cursor):
                    raise TypeError(_NO_CURSOR)
                return result
        finally:
            connection.close_cursors()


async def _in(thread: ThreadPoolExecutor, work: Callable[[], _T]) -> _T:
    # Shielded: a waiting write is not dropped with the task that requested it.
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(thread, work))


def unsound_rows(path: Path) -> list[CorruptRow]:
    """Return the rows of a database that do not match their checksums; blocks while it reads all of them."""
    with translate_errors(path), open_read_only(path) as connection:
        return all_unsound(connection)


def forget_history(connection: sqlite3.Connection) -> None:
    """Make the history index rebuild itself, because the rows have been replaced."""
    connection.execute("DELETE FROM history_stamp")
    connection.execute("INSERT INTO history_stamp VALUES (lower(hex(randomblob(8))))")


def _open_file(path: Path, migrations: Sequence[Migration], *, is_expected: bool) -> OwnedConnection:
    with translate_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_expected and is_blank(path):
            raise DatabaseMissing(path=path, detail=_NOTHING_THERE)
        _refuse_newer(path, migrations)
        connection = OwnedConnection(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, path, migrations)
        except BaseException:
            connection.close()
            raise
        return connection


def is_blank(path: Path) -> bool:
    """Say whether the database is missing or has no tables; raises StorageErrors."""
    if not path.exists() or path.stat().st_size == 0:
        return True
    with unreadable_as_damaged(path), open_read_only(path) as peek:
        peek.text_factory = decode_text
        return peek.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def _refuse_newer(path: Path, migrations: Sequence[Migration]) -> None:
    """Check the schema version without any risk of changing the file."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with unreadable_as_damaged(path), open_read_only(path) as peek:
        peek.text_factory = decode_text
        names = list_applied(peek)
        if list_pending(names, migrations) is None:
            raise _not_ours(path, names, migrations)


def _not_ours(path: Path, names: Sequence[str], migrations: Sequence[Migration]) -> StorageError:
    """Return the error for a database with unknown migrations: too new if they follow all known ones."""
    last = max((migration.name[:_DIGITS] for migration in migrations), default="")
    numbers = [name[:_DIGITS] for name in names]
    if any(number.isascii() and number.isdigit() and number > last for number in numbers):
        return DatabaseTooNew(path=path)
    return DatabaseDamaged(path=path, detail=_STRANGE)


def _prepare(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    connection.text_factory = decode_text
    check(connection, path)
    _log_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # deleted data is also removed from free pages
    with transaction(connection, "DEFERRED"):
        missing = _missing(connection, path, migrations)
    if missing:
        with transaction(connection):  # a process that waits for the lock sees all of it done, never a part
            _bring_up(connection, path, migrations)


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. If several processes do so at once, SQLite rejects all but one."""
    until = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


def _missing(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]
) -> tuple[Migration, ...]:
    names = list_applied(connection)
    missing = list_pending(names, migrations)
    if missing is None:  # another process has migrated it since `_refuse_newer`
        raise _not_ours(path, names, migrations)
    known = tuple(migration for migration in migrations if migration not in missing)
    if schema(connection) != schema_after(known):
        raise DatabaseDamaged(path=path, detail=_STRANGE)
    return missing


def _bring_up(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    missing = _missing(connection, path, migrations)
    if missing and len(missing) < len(migrations):
        reason = f"before-{missing[0].name}-"
        target = next_copy_path(path.parent / BACKUPS, path.stem, datetime.now(UTC), reason)
        # Through another connection: SQLite cannot copy from one with an open write transaction.
        with open_read_only(path) as before:
            copy_verified(before, target)
    for migration in missing:
        apply(connection, migration)
