"""Watches followed folders: changed, moved and deleted files are updated in the base automatically."""

import asyncio
import logging
import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from pathlib import Path

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import FolderInfo
from desktop.errors import AppError, FileUnreadable, UnknownBase, plain_reason
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.disk_errors import is_full
from desktop.knowledge.ingest.folders import (
    FolderChanges,
    FolderSnapshot,
    FollowedFolders,
    changes_of,
    is_hidden,
    list_folder,
)
from desktop.knowledge.ingest.ingest import Ingest
from desktop.knowledge.ingest.originals import digest_of
from desktop.phrases import translatable

DEBOUNCE_MS = 1_000
"""Changes in quick succession are combined, but none waits longer than this."""
POLL_S = 30.0
"""Interval for polling folders that cannot be watched, or that do not exist."""
LOOK_S = 900.0
"""Interval for scanning watched folders anyway, as network drives may not report changes by others."""
_REST = 10.0
"""After a scan, pause for at least this many times its duration, so that scans do not run permanently."""

_OWN = translatable("it is Footnote’s own data folder")
_CLOSED = translatable("“{name}” can’t be read ({detail}). The text read earlier is kept.")
_EMPTIED = translatable("The folder is empty. The text read earlier is kept until it contains files again.")

_OUTSIDE = translatable("Links to files outside the folder are not read: {names}.")
_MOST_NAMED = 20

_log = logging.getLogger(__name__)


class FolderWatch:
    """One task for each followed folder. The folder `excluded` is never scanned."""

    def __init__(self, database: IndexDatabase, ingest: Ingest, excluded: Path) -> None:
        self._path = database.path
        self._folders = FollowedFolders(database)
        self._ingest = ingest
        self._excluded = excluded
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()

    def check(self, path: Path) -> None:
        """Raise FileUnreadable if `path` is not a folder that can be followed."""
        if path.is_relative_to(self._excluded):
            raise FileUnreadable(name=path.name, detail=_OWN)
        try:
            os.scandir(path).close()
        except OSError as error:
            raise FileUnreadable(name=path.name, detail=plain_reason(error, within_sentence=True)) from error

    def refresh(self) -> None:
        """Start watching newly followed folders and stop watching others."""
        self._changed.set()

    async def run(self) -> None:
        """Watch all folders until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                wanted = {folder.id: folder for folder in self._folders.all()}
                for folder_id in self._tasks.keys() - wanted.keys():
                    self._tasks.pop(folder_id).cancel()
                for folder_id in wanted.keys() - self._tasks.keys():
                    self._tasks[folder_id] = tasks.create_task(self._follow(wanted[folder_id]))
                await self._changed.wait()

    async def _follow(self, folder: FolderInfo) -> None:
        while True:
            try:
                async with aclosing(_changes(path_of(folder.path))) as changes:
                    async for _ in changes:
                        await self._look(folder)
            except (
                OSError,
                RuntimeError,
            ) as error:  # it does not exist, or the system cannot watch more folders
                _log.info("%s is looked at from time to time: %s", folder.path, error)
                await self._look(folder)
                await asyncio.sleep(POLL_S)

    async def _look(self, folder: FolderInfo) -> None:
        """Synchronise the base with the folder, then pause."""
        clock = asyncio.get_running_loop().time
        is_unsettled = True
        while is_unsettled:
            started = clock()
            try:
                is_unsettled = await self._bring_up(folder)
                least_s = DEBOUNCE_MS / 1_000 if is_unsettled else 0.0
            except UnknownBase:  # just deleted; this task is about to be cancelled
                return
            except sqlite3.OperationalError as error:
                if not is_full(error, self._path):
                    raise
                least_s = POLL_S
            await asyncio.sleep(max(least_s, (clock() - started) * _REST))

    async def _bring_up(self, folder: FolderInfo) -> bool:
        """Synchronise the base; return whether files are still changing, so that another scan is needed."""
        try:
            listing = await asyncio.to_thread(list_folder, path_of(folder.path), self._excluded)
        except OSError as error:
            reason = _CLOSED.format(name=folder.path, detail=plain_reason(error))
            self._folders.set_error(folder.id, reason)
            return False
        seen = self._folders.list_seen(folder)
        if seen and not listing.stamps and not listing.outside:
            self._folders.set_error(folder.id, _reason(listing) or _EMPTIED)
            return False
        compare = partial(changes_of, listing, seen, self._folders.list_left_out(folder.id), _digest)
        changes = await asyncio.to_thread(compare)
        await self._apply(folder, changes)
        self._folders.set_error(folder.id, _reason(listing))
        return changes.is_unsettled

    async def _apply(self, folder: FolderInfo, changes: FolderChanges) -> None:
        self._folders.set_stamps(changes.touched)
        self._folders.move(changes.moved)
        self._folders.wait_again(changes.changed)
        self._ingest.announce([*changes.touched, *changes.moved, *changes.changed])
        await self._ingest.remove(changes.gone, is_wish=False)
        await self._ingest.put_files(folder.base_id, [path_of(path) for path in changes.new], folder.id)


async def _changes(path: Path) -> AsyncGenerator[None]:
    """Yield immediately, and whenever something may have changed.

    Raises:
        OSError: the folder cannot be watched.
    """

    def counts(_change: object, changed: str) -> bool:
        return not is_hidden(path, Path(changed))

    from watchfiles import awatch  # noqa: PLC0415 - most workers watch no folder

    watcher = awatch(
        path,
        watch_filter=counts,
        debounce=DEBOUNCE_MS,
        rust_timeout=round(LOOK_S * 1_000),
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    async with aclosing(watcher) as changes:
        while True:
            # The watcher starts with the first request, so it is requested before the scan.
            change = asyncio.ensure_future(anext(changes))
            try:
                await asyncio.sleep(0)
                if not change.done():
                    yield
                await change
            finally:
                change.cancel()
                await asyncio.wait({change})


def _reason(listing: FolderSnapshot) -> str:
    for name, detail in listing.closed.items():
        return _CLOSED.format(name=name, detail=detail)
    if listing.outside:
        names = ", ".join(listing.outside[:_MOST_NAMED])
        return _OUTSIDE.format(names=f"{names} …" if len(listing.outside) > _MOST_NAMED else names)
    return ""


def _digest(path: Path) -> str:
    try:
        return digest_of(path)
    except AppError:  # reading it will report why
        return ""
