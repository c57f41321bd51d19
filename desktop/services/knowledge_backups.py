"""Daily backups of the knowledge bases, each of which stores only what has changed, and the check whether a file is sound.

The check is SQLite's, and compares tables, index and the checksums of texts.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout

from desktop.domain.backups import HERE, BackupCopy, CopyKind, TransferProgress, is_copy_due, is_in_future
from desktop.domain.knowledge import ATTACHMENTS
from desktop.errors import (
    BackupFailed,
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseRestored,
    DatabaseTextsDamaged,
    DatabaseTooNew,
    MissingDatabaseRestored,
    WordsDamaged,
)
from desktop.knowledge.index.database import LOCK, LOCK_PATIENCE_S, MIGRATIONS, IndexDatabase
from desktop.knowledge.index.row_checksums import TEXT_DAMAGED, find_damaged_rows, install
from desktop.phrases import translatable
from desktop.sqlite import (
    BACKUPS,
    THOROUGH_BYTES,
    check,
    read_pragma,
    translate_errors,
    unreadable_as_damaged,
)
from desktop.storage.backup_archive import Archive
from desktop.storage.backup_targets import FolderTarget
from desktop.storage.db.database import is_blank
from desktop.storage.local_copies import LocalBackups, scratch_folder

if TYPE_CHECKING:
    from desktop.knowledge.worker.client import KnowledgeClient

FOLDER: Final = "knowledge"
"""Folder of the archive within that of the backups, and prefix of the names of its backups."""

EVERY: Final = timedelta(days=1)

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

_FILE = "knowledge.db"
_PLACE = translatable("This computer")
_FROM_COPY = translatable("It was restored as of {moment}.")
_FROM_NOTHING = translatable("There was no backup, so a new one was created.")
_READ_AGAIN = translatable("There is no backup, so the files are read again: {names}.")
_LOOK_OVER = translatable("There is no backup. Check the names and notes of your knowledge bases.")
_DAMAGED_COPY = translatable("This backup is damaged.")
_NEWER_COPY = translatable("This backup was made by a newer version of Footnote.")

_log = logging.getLogger(__name__)

_BASES = "SELECT name FROM bases WHERE deleted_at IS NULL ORDER BY name"


class KnowledgeBackups:
    """Backups stored beside the data in `data`; `client` connects to the worker of the bases."""

    def __init__(self, data: Path, client: Callable[[], "KnowledgeClient"]) -> None:
        self._database = data / "knowledge" / _FILE
        self._local = LocalBackups(self._database)
        self._root = data / BACKUPS
        self._client = client
        self._archive = Archive(FolderTarget(_PLACE, self._root, FOLDER), _PLACE)

    async def copies(self) -> tuple[BackupCopy, ...]:
        """Return the backups, newest first."""
        if not await asyncio.to_thread(self._root.is_dir):
            return ()
        found = await self._archive.copies()
        return tuple(
            BackupCopy(HERE, f"{FOLDER}/{copy.name}", copy.taken_at, CopyKind.KNOWLEDGE) for copy in found
        )

    async def is_due(self, now: datetime) -> bool:
        """Say whether the bases have changed since the newest backup, and that is a day old or in the future."""
        newest = (await self.copies())[:1]
        with translate_errors(self._database):
            changed = await asyncio.to_thread(self._last_change)
        # Times of backups are whole seconds.
        return bool(changed) and all(
            is_copy_due(copy.taken_at, now, EVERY)
            and (changed > copy.taken_at.timestamp() + 1 or is_in_future(copy.taken_at, now))
            for copy in newest
        )

    def _last_change(self) -> float:
        """Return when the bases were last written, in seconds since 1970; 0 if there are none."""
        return max(_last_write(self._database.with_name(_FILE + suffix)) for suffix in ("", "-wal"))

    async def take(self) -> AsyncGenerator[TransferProgress]:
        """Make a backup, even while the bases are in use; does nothing if there are no bases.

        Raises:
            DatabaseDamaged: the database is damaged or not one of bases; no backup was made.
        """
        if await asyncio.to_thread(is_blank, self._database):
            return
        with translate_errors(self._root):
            await asyncio.to_thread(self._root.mkdir, mode=0o700, parents=True, exist_ok=True)
        with scratch_folder("backup") as folder:
            path = folder / _FILE
            await asyncio.to_thread(self._copy_to, path)
            async with aclosing(self._archive.put({_FILE: path}, datetime.now(UTC))) as steps:
                async for step in steps:
                    yield step

    def _copy_to(self, path: Path) -> None:

        self._local.copy_to(path)
        check_bases(path)

    async def begin_anew(self) -> None:
        """Delete all backups and make one of the present state. Does nothing if there is no backup."""
        if not await self.copies():
            return
        async with aclosing(self.take()) as steps:
            async for _ in steps:
                pass
        await self._archive.keep_newest()

    async def bases(self, copy: BackupCopy) -> tuple[str, ...]:
        """Return the names of the user's bases in a backup."""
        async with self._fetch(copy) as path:
            return await asyncio.to_thread(_names, path)

    async def replace_by(self, copy: BackupCopy) -> BackupCopy | None:
        """Replace the bases with those of a backup; return a backup of the previous state.

        A damaged or missing database cannot be backed up: it is set aside, and None is returned.
        """
        async with self._fetch(copy) as path:
            await asyncio.to_thread(_names, path)
            if before := await self._copy_before():
                await self._client().replace_by(path)
            else:
                await self._client().replace_by(path, self._set_aside)
        return before

    def _set_aside(self) -> Path:
        with translate_errors(self._database):
            self._database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._local.set_aside(datetime.now(UTC))

    async def _copy_before(self) -> BackupCopy | None:

        try:
            await asyncio.to_thread(check_bases, self._database, is_expected=True)
            async with aclosing(self.take()) as steps:
                async for _ in steps:
                    pass
        except DatabaseDamaged as damage:
            _log.warning("What is replaced cannot be copied: %s", damage)
            return None
        return (await self.copies())[0]

    async def recover(self, *, found_damage: bool = False) -> DatabaseRestored | WordsDamaged | None:
        """Check the database while it is not in use, and replace a damaged one with the newest sound backup.

        Without such a backup, the database is set aside, so that an empty one can be created. A database in
        which only texts are damaged stays, and the items to which these belong are read again. Does nothing if
        another program uses the database or the folder is not writable; the worker reports that. After damage
        found by the worker (`found_damage`) everything is checked.

        Returns:
            What was done, for the user; None if the database is sound.

        Raises:
            StorageError: the disk fails; the file is unchanged, or set aside.
        """
        copies = await self.copies()
        folder = self._database.parent
        if not copies and not await asyncio.to_thread(folder.is_dir):
            return None
        lock = FileLock(folder / LOCK, thread_local=False)
        try:
            await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
            await asyncio.to_thread(lock.acquire, timeout=LOCK_PATIENCE_S)
        except (OSError, Timeout):
            return None
        try:
            return await self._recover(copies, found_damage=found_damage)
        finally:
            lock.release()

    async def _recover(
        self, copies: Sequence[BackupCopy], *, found_damage: bool
    ) -> DatabaseRestored | WordsDamaged | None:
        from desktop.knowledge.worker.client import empty_vectors, put_in_place  # noqa: PLC0415 - a window starts without it

        checking = partial(check_bases, self._database, is_expected=bool(copies), is_thorough=found_damage)
        try:
            await asyncio.to_thread(checking)
        except DatabaseTooNew:
            return None  # the worker reports it
        except DatabaseDamaged as error:
            damage = error
        else:
            return None
        data = self._database.parent.parent
        async with self._newest_sound(copies, is_thorough=found_damage) as (copy, path):
            if path is None and isinstance(damage, DatabaseTextsDamaged):
                return await asyncio.to_thread(self._read_damaged_again)
            aside = await asyncio.to_thread(self._set_aside)
            with translate_errors(self._database):
                await asyncio.to_thread(empty_vectors, data)
                if path is not None:
                    await asyncio.to_thread(put_in_place, path, data)
        origin = _FROM_COPY.format(moment=f"{copy.taken_at:%Y-%m-%d %H:%M} UTC") if copy else _FROM_NOTHING
        kind = DatabaseRestored if aside.exists() else MissingDatabaseRestored
        detail = damage.fields["detail"]
        return kind(path=self._database, detail=detail, report=origin, kept_as=aside.name)

    def _read_damaged_again(self) -> WordsDamaged:
        from desktop.knowledge.index.items import ItemStore  # noqa: PLC0415 - a window starts without it

        with translate_errors(self._database), closing(IndexDatabase(self._database)) as database:
            names = ItemStore(database).read_damaged_again()
        report = _READ_AGAIN.format(names=", ".join(f"“{name}”" for name in names)) if names else _LOOK_OVER
        return WordsDamaged(path=self._database, report=report)

    @asynccontextmanager
    async def _newest_sound(
        self, copies: Sequence[BackupCopy], *, is_thorough: bool
    ) -> AsyncGenerator[tuple[BackupCopy | None, Path | None]]:
        """Provide the newest usable backup for the duration of the block; (None, None) if there is none."""
        for copy in copies:
            async with AsyncExitStack() as fetched:
                try:
                    path = await fetched.enter_async_context(self._fetch(copy))
                    await asyncio.to_thread(_names, path, is_thorough=is_thorough)
                except BackupFailed as error:
                    _log.warning("A copy of the knowledge bases cannot be used: %s", error)
                    continue
                yield copy, path
                return
        yield None, None

    @asynccontextmanager
    async def _fetch(self, copy: BackupCopy) -> AsyncGenerator[Path]:
        with scratch_folder("backup") as folder:
            name = copy.name.removeprefix(f"{FOLDER}/")
            async with aclosing(self._archive.fetch(name, folder)) as steps:
                async for _ in steps:
                    pass
            yield folder / _FILE


def _last_write(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # the log is removed by the last process to close the database, at any time
        return 0.0


def _names(path: Path, *, is_thorough: bool = False) -> tuple[str, ...]:
    """Return the names of the user's bases in a sound database of this version or an older one.

    Raises:
        BackupFailed: it is damaged, or from a newer version.
    """
    try:
        check_bases(path, is_expected=True, is_thorough=is_thorough)
        with unreadable_as_damaged(path), closing(sqlite3.connect(path)) as connection:
            names = [str(name) for (name,) in connection.execute(_BASES)]
    except DatabaseTooNew as error:
        raise BackupFailed(place=_PLACE, detail=_NEWER_COPY) from error
    except DatabaseDamaged as error:
        raise BackupFailed(place=_PLACE, detail=_DAMAGED_COPY) from error
    return tuple(name for name in names if not name.startswith(ATTACHMENTS))


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
