"""Copies of a database: verified, rotating ones, the rows and databases restored from them, and temporary ones."""

import hashlib
import logging
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from desktop.domain.backups import CopyKind, is_copy_due, is_in_future
from desktop.errors import StorageError, WordsDamaged
from desktop.phrases import sentences, translatable
from desktop.settings.atomic_files import sync
from desktop.sqlite import BACKUPS, check, copy_verified, open_read_only, transaction, translate_errors
from desktop.storage.db.database import STAMP, next_copy_path, parse_copy_name, unsound_rows
from desktop.storage.db.row_checksums import SEALED, CorruptRow, checksum, key_condition

# ruff: noqa: S608 - names of tables and columns come from `SEALED`, never from data

_VARIABLES: Final = ("TMPDIR", "TEMP", "TMP")
"""See https://docs.python.org/3/library/tempfile.html#tempfile.gettempdir."""


_PREFIX: Final = "footnote-"
_IN_USE: Final = "in-use.lock"
_STARTING_S: Final = 60.0
"""A lock file that is younger than this may not be locked yet."""


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """Provide a private folder that is deleted after the block, or by `remove_abandoned_folders` if the process is killed.

    Raises:
        StorageError: there is no space for it, or no write permission.
    """
    from filelock import FileLock  # noqa: PLC0415 - takes 50 ms, and is rarely needed at the start

    with translate_errors(_place()):
        folder = tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{purpose}-", ignore_cleanup_errors=True)
        lock = FileLock(Path(folder.name, _IN_USE), thread_local=False)
        lock.acquire()
    with folder as name:
        try:
            yield Path(name)
        finally:
            lock.release()


def remove_abandoned_folders() -> None:
    """Delete the scratch folders of processes that were killed: they may contain copies of conversations."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - takes 50 ms

    for found in _place().glob(f"{_PREFIX}*/{_IN_USE}"):
        with suppress(OSError, Timeout):
            if time.time() - found.stat().st_mtime > _STARTING_S:
                with FileLock(found, timeout=0):
                    shutil.rmtree(found.parent, ignore_errors=True)


def _place() -> Path:
    """Return the first writable temporary folder; if there is none, the first one that the system names."""
    with suppress(FileNotFoundError):
        return Path(tempfile.gettempdir())
    return Path(next(filter(None, map(os.environ.get, _VARIABLES)), os.curdir))


def is_read_only(path: Path) -> bool:
    """Say whether a database exists and the process cannot write to it or to its folder."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def copy_database(path: Path, target: Path) -> None:
    """Copy a database without writers, including the log that is not checkpointed yet.

    Raises:
        StorageError: it cannot be read, or there is no space for it.
    """
    with translate_errors(path):
        for suffix in ("", "-wal"):
            source = path.with_name(path.name + suffix)
            if source.exists():
                shutil.copyfile(source, target.with_name(target.name + suffix))


_log = logging.getLogger(__name__)

_SHOWN: Final = 5
_INDEXED: Final = frozenset({"id", "conversation_id", "parent_id", "deleted_at"})
_MORE = translatable("And {count} more.")
_OF_CONVERSATION = "SELECT title FROM conversations WHERE id = CAST(? AS TEXT)"
_OF_MESSAGE = """SELECT title FROM conversations JOIN messages ON conversation_id = conversations.id
    WHERE messages.{name} = CAST(? AS TEXT)"""
_TITLES = {
    "conversations": _OF_CONVERSATION,
    "sources": _OF_CONVERSATION,
    "drafts": _OF_CONVERSATION,
    "messages": _OF_MESSAGE.format(name="position"),
    "journal": _OF_MESSAGE.format(name="id"),
    "traces": _OF_MESSAGE.format(name="id"),
    "memories": "SELECT text FROM memories WHERE id = CAST(? AS TEXT)",
    "folders": "SELECT name FROM folders WHERE id = CAST(? AS TEXT)",
}
"""Queries for the name under which the user knows a row; the first part of its key is the parameter."""

_A_MESSAGE = (
    translatable("A message in “{title}” was restored from the backup of {moment}."),
    translatable("A message in “{title}” is damaged, and no backup contains the original."),
)
_WORDS = {
    "messages": _A_MESSAGE,
    "journal": _A_MESSAGE,
    "conversations": (
        translatable("The title “{title}” was restored from the backup of {moment}."),
        translatable("The title of a chat is damaged, and no backup contains the original."),
    ),
    "sources": (
        translatable("A source in “{title}” was restored from the backup of {moment}."),
        translatable("A source in “{title}” is damaged, and no backup contains the original."),
    ),
    "traces": (
        translatable("The record of a search in “{title}” was restored from the backup of {moment}."),
        translatable("The record of a search in “{title}” is damaged, and no backup contains the original."),
    ),
    "memories": (
        translatable("The memory “{title}” was restored from the backup of {moment}."),
        translatable("A memory is damaged, and no backup contains the original."),
    ),
    "drafts": (
        translatable("A draft was restored from the backup of {moment}."),
        translatable("A draft is damaged, and no backup contains the original."),
    ),
    "folders": (
        translatable("The folder “{title}” was restored from the backup of {moment}."),
        translatable("The name of a folder is damaged, and no backup contains the original."),
    ),
}


Copies = Mapping[Path, datetime]
"""Copies and their times, newest first."""

KEPT = ((timedelta(hours=1), 24), (timedelta(days=1), 14), (timedelta(weeks=1), 8))
"""How many copies are kept: one per hour, day and week in which there was one."""

KEPT_BEFORE_RESTORE = 5
"""How many copies made before a restore are kept."""

_NOT_COPIED = translatable(
    "An older backup contains the original data. No new backup is made until it is restored."
)

_taking = threading.Lock()
"""Two copies made at the same time would have the same number."""

_BEFORE_RESTORE = "before-restore-"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {"": CopyKind.REGULAR, _BEFORE_RESTORE: CopyKind.BEFORE_RESTORE}


@dataclass(frozen=True)
class RestoredValues:
    """The original values of the damaged columns of a row, as far as copies made at `moment` or later have them."""

    row: CorruptRow
    values: dict[str, bytes | None]
    moment: datetime

    @property
    def is_whole(self) -> bool:
        """Whether all damaged columns of the row can be restored."""
        return len(self.values) == len(self.row.wanted)


class RowRepair:
    """Repairs damaged rows, and reports each repair once. Belongs to the thread of its database."""

    def __init__(self, copies: Callable[[], Copies], tell: Callable[[WordsDamaged], object]) -> None:
        self._copies = copies
        self._tell = tell
        self._beyond: set[CorruptRow] = set()

    def __call__(self, connection: sqlite3.Connection, rows: Sequence[CorruptRow], path: Path) -> bool:
        """Repair rows as far as possible; return whether any was repaired."""
        new = [row for row in dict.fromkeys(rows) if row not in self._beyond]
        if not new:
            return False
        try:
            found = find_row_values(self._copies(), new)
            with translate_errors(path), transaction(connection):
                for right in found.values():
                    put_back(connection, right)
        except StorageError as error:  # the disk may have space again at the next read
            _log.warning("What was damaged could not be put back: %s", error)
            return False
        self._beyond.update(row for row in new if row not in found or not found[row].is_whole)
        self._tell(WordsDamaged(path=path, report=_report(connection, new, found)))
        return bool(found)


def find_row_values(copies: Copies, rows: Collection[CorruptRow]) -> dict[CorruptRow, RestoredValues]:
    """Search the copies, in order, for the original values of rows; rows without any are left out."""
    found: dict[CorruptRow, RestoredValues] = {}
    for path, moment in copies.items():
        missing = [row for row in rows if row not in found or not found[row].is_whole]
        if not missing:
            break
        with suppress(sqlite3.Error), open_read_only(path, is_immutable=True) as connection:
            for row in missing:
                before = found[row].values if row in found else {}
                values = before | _find_intact(connection, row, before)
                if len(values) > len(before):
                    found[row] = RestoredValues(row, values, moment)
    return found


def put_back(connection: sqlite3.Connection, right: RestoredValues) -> None:
    """Write the original values of a row, in the caller's transaction; its checksum, which requires them, stays."""
    sets = ", ".join(f"{name} = CAST(? AS TEXT)" for name in right.values)
    one = SEALED[right.row.table]
    if _INDEXED & right.values.keys():
        # The indexes still have the old values and must be updated: for a large database this mismatch is not
        # detected when it is opened.
        connection.execute(f"REINDEX {one.table}")
    connection.execute(
        f"UPDATE {one.table} SET {sets} WHERE {key_condition(one)}", (*right.values.values(), *right.row.key)
    )


def _find_intact(
    connection: sqlite3.Connection, row: CorruptRow, known: Collection[str]
) -> dict[str, bytes | None]:
    """Return the columns of a row in a copy that match the checksums."""
    one = SEALED[row.table]
    there = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({one.table})")}
    held = {}
    for name, wanted in row.wanted:
        if name in known or name not in there:
            continue
        select = f"SELECT CAST({name} AS BLOB) FROM {one.table} WHERE {key_condition(one)}"
        found = connection.execute(select, row.key).fetchone()
        if found is not None and checksum(found[0]) == wanted:
            held[name] = found[0]
    return held


def _report(
    connection: sqlite3.Connection, rows: Sequence[CorruptRow], found: dict[CorruptRow, RestoredValues]
) -> str:
    found_words: dict[str, None] = {}
    for row in rows:
        title = connection.execute(_TITLES[row.table], row.key[:1]).fetchone()
        title_words = "".join(title or ("",)) or "…"
        run_with_repair, lost = _WORDS[row.table]
        right = found.get(row)
        if right is not None and right.is_whole:
            words = run_with_repair.format(title=title_words, moment=f"{right.moment:%Y-%m-%d %H:%M} UTC")
        else:
            words = lost.format(title=title_words)
        found_words[words] = None
    shown = list(found_words)[:_SHOWN]
    if len(found_words) > _SHOWN:
        shown.append(_MORE.format(count=len(found_words) - _SHOWN))
    return sentences(shown)


@dataclass(frozen=True)
class LocalBackup:
    """A copy and its time by the clock of that moment; `number` gives the order of copies."""

    path: Path
    taken_at: datetime
    kind: CopyKind = CopyKind.REGULAR
    number: int = 0


@dataclass(frozen=True)
class Restored:
    """A database that was replaced by a copy: the copy, and where the old file is now."""

    copy: LocalBackup
    set_aside: Path


class LocalBackups:
    """The copies of one database, in a folder beside it. Methods block; they need no event loop.

    Raises:
        StorageError: from every method, if the disk fails.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._folder = database.parent / BACKUPS

    def copies(self) -> tuple[LocalBackup, ...]:
        """Return the regular copies, newest first."""
        return tuple(copy for copy in self.all_copies() if copy.kind is CopyKind.REGULAR)

    def all_copies(self) -> tuple[LocalBackup, ...]:
        """Return all copies, including those made before a change, newest first."""
        with translate_errors(self._folder):
            paths = tuple(self._folder.iterdir()) if self._folder.is_dir() else ()
        found = (copy for path in paths if (copy := self._copy_at(path)) is not None)
        return tuple(sorted(found, key=lambda copy: (copy.number, copy.taken_at), reverse=True))

    def moments(self) -> Mapping[Path, datetime]:
        """Return all copies with their times, newest first."""
        return {copy.path: copy.taken_at for copy in self.all_copies()}

    def _copy_at(self, path: Path) -> LocalBackup | None:
        named = parse_copy_name(self._database.stem, path.name)
        if named is None:
            return None
        kind = _KINDS.get(named.reason, CopyKind.BEFORE_UPDATE)
        return LocalBackup(path, named.taken_at, kind, named.number)

    def is_due(self, now: datetime) -> bool:
        """Say whether the newest copy is older than an hour, or dated in the future."""
        newest = self.copies()[:1]
        return all(is_copy_due(copy.taken_at, now, KEPT[0][0]) for copy in newest)

    def future_date(self, now: datetime) -> datetime | None:
        """Return the date of the newest copy if it is in the future, else None."""
        newest = self.copies()[:1]
        return next((copy.taken_at for copy in newest if is_in_future(copy.taken_at, now)), None)

    def take(self, now: datetime) -> LocalBackup | None:
        """Copy the database, even while it is in use, and delete copies that are no longer needed.

        Returns None if nothing has changed since the newest copy.
        """
        with _taking:
            return self._take(now)

    def _take(self, now: datetime) -> LocalBackup | None:
        before = self.copies()
        with translate_errors(self._database):
            copy = self._new_copy(now)
            self.copy_to(copy.path)
            if before and _digest(before[0].path) == _digest(copy.path):
                copy.path.unlink()
                return None
            for old in select_superseded((copy, *before)):
                old.path.unlink()
        return copy

    def take_before_restore(self, now: datetime) -> LocalBackup:
        """Copy the database before a restore replaces it; only the newest few of these copies are kept."""
        kind = CopyKind.BEFORE_RESTORE
        with _taking, translate_errors(self._database):
            copy = self._new_copy(now, _BEFORE_RESTORE)
            self.copy_to(copy.path)
            for old in [each for each in self.all_copies() if each.kind is kind][KEPT_BEFORE_RESTORE:]:
                old.path.unlink()
        return copy

    def _new_copy(self, now: datetime, reason: str = "") -> LocalBackup:
        copy = self._copy_at(next_copy_path(self._folder, self._database.stem, now, reason))
        assert copy is not None
        return copy

    def copy_to(self, target: Path) -> None:
        """Write a verified copy of the current database, even while it is in use.

        Raises:
            WordsDamaged: it contains damage that could be repaired from an older copy; no copy was made.
        """
        with translate_errors(self._database), open_read_only(self._database) as source:
            copy_verified(source, target)
        rows = unsound_rows(target)
        others = {path: moment for path, moment in self.moments().items() if path != target}
        if rows and find_row_values(others, rows):
            target.unlink()
            raise WordsDamaged(path=self._database, report=_NOT_COPIED)

    def begin_anew(self, now: datetime) -> None:
        """Delete all copies, including those made before updates, and make one of the current state."""
        self.take(now)
        newest = self.copies()[0]
        with translate_errors(self._database):
            for path in self._folder.glob(f"{self._database.stem}-*.db"):
                if path != newest.path:
                    path.unlink()

    def restore_newest(self, now: datetime) -> Restored | None:
        """Replace the database with the newest sound copy; the old file is kept under another name.

        Returns None, and changes nothing, if there is no sound copy.
        """
        # Copies made before a change come after the regular ones: they are older than the user's later work.
        for copy in sorted(self.all_copies(), key=lambda copy: copy.kind is not CopyKind.REGULAR):
            with translate_errors(copy.path):
                if _is_sound(copy.path):
                    return Restored(copy, self._replace_by(copy.path, now))
        return None

    def set_aside(self, now: datetime) -> Path:
        """Rename the database, so that a new one can be created; return the new path."""
        with translate_errors(self._database):
            aside = self._aside(now)
            self._put_logs_aside(aside)
            if self._database.exists():
                self._database.replace(aside)
            sync(self._database.parent)
        return aside

    def _aside(self, now: datetime) -> Path:
        return self._database.with_name(f"{self._database.name}.damaged-{now.strftime(STAMP)}")

    def _put_logs_aside(self, aside: Path) -> None:
        for suffix in ("-wal", "-shm"):
            log = self._database.with_name(self._database.name + suffix)
            if log.exists():
                log.replace(aside.with_name(aside.name + suffix))

    def _replace_by(self, copy: Path, now: datetime) -> Path:
        aside = self._aside(now)
        part = self._database.with_name(f"{self._database.name}.part")
        shutil.copyfile(copy, part)
        sync(part)
        if self._database.exists():
            shutil.copyfile(self._database, aside)
            sync(aside)
        # The log goes first: replayed into the copy it would damage that as well. A crash from here on
        # leaves a damaged database, which is restored at the next start.
        self._put_logs_aside(aside)
        part.replace(self._database)
        sync(self._database.parent)
        return aside


def select_superseded(copies: Sequence[LocalBackup]) -> tuple[LocalBackup, ...]:
    """Return those of `copies`, newest first, that need not be kept.

    The order of `copies` decides which are kept; their dates only decide which share an hour, day or week.
    """
    kept = set(copies[:1])
    for period, count in KEPT:
        slots: dict[int, LocalBackup] = {}
        for copy in copies:
            slots.setdefault((copy.taken_at - _EPOCH) // period, copy)
        kept.update(list(slots.values())[:count])
    return tuple(copy for copy in copies if copy not in kept)


def _is_sound(path: Path) -> bool:
    with open_read_only(path, is_immutable=True) as connection:
        try:
            check(connection, path)
        except StorageError:
            return False
    return True


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
