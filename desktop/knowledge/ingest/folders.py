"""Followed folders: their rows, their current files, and the changes since the last scan."""

import json
import os
import stat
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from desktop.domain.addresses import path_of, path_text
from desktop.domain.knowledge import FolderInfo, ItemState
from desktop.errors import UnknownBase, plain_reason
from desktop.knowledge.index.database import IndexDatabase
from desktop.text.message_codec import decode_message, encode_message


@dataclass(frozen=True)
class SeenFile:
    """A file of a followed folder; `stamp` is empty if it was not read, or could not be opened."""

    item_id: str
    path: str
    stamp: str
    digest: str
    state: ItemState


class FollowedFolders:
    """The followed folders. Every method that writes is one transaction."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection

    def all(self, base_id: str | None = None) -> tuple[FolderInfo, ...]:
        """Return the followed folders of a base, or of all bases that are not deleted."""
        rows = self._db.execute(
            """
            SELECT f.id, f.base_id, f.path, f.error FROM folders f JOIN bases b ON b.id = f.base_id
            WHERE b.deleted_at IS NULL AND (? IS NULL OR b.id = ?) ORDER BY f.path
            """,
            (base_id, base_id),
        )
        return tuple(FolderInfo(**{**row, "error": decode_message(row["error"])}) for row in rows)

    def follow(self, base_id: str, path: str) -> FolderInfo:
        """Make a base follow a folder, or return it if it is followed already; raises UnknownBase."""
        query = "SELECT 1 FROM bases WHERE id = ? AND deleted_at IS NULL"
        if self._db.execute(query, (base_id,)).fetchone() is None:
            raise UnknownBase(base=base_id)
        with self._database.transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO folders (id, base_id, path) VALUES (?, ?, ?)",
                (uuid.uuid4().hex, base_id, path),
            )
        return next(folder for folder in self.all(base_id) if folder.path == path)

    def leave(self, folder_id: str) -> None:
        """Stop following a folder; its items stay."""
        with self._database.transaction():
            self._db.execute("DELETE FROM folders WHERE id = ?", (folder_id,))

    def set_error(self, folder_id: str, error: str) -> None:
        """Store why a folder cannot be followed, or clear the error."""
        with self._database.transaction():
            self._db.execute("UPDATE folders SET error = ? WHERE id = ?", (encode_message(error), folder_id))

    def list_seen(self, folder: FolderInfo) -> dict[str, SeenFile]:
        """Return the files of a folder by path; files added there by the user become part of it."""
        with self._database.transaction():
            self._db.execute(
                """
                UPDATE items SET folder_id = ? WHERE base_id = ? AND kind = 'file' AND folder_id IS NULL
                    AND substr(path, 1, ?) = ?
                """,
                (folder.id, folder.base_id, len(_inside(folder.path)), _inside(folder.path)),
            )
        rows = self._db.execute(
            """
            SELECT i.id AS item_id, i.path, i.stamp, coalesce(d.sha256, '') AS digest, i.state
            FROM items i LEFT JOIN documents d ON d.id = i.document_id WHERE i.folder_id = ?
            """,
            (folder.id,),
        )
        files = (SeenFile(**{**row, "state": ItemState(row["state"])}) for row in map(dict, rows))
        return {file.path: file for file in files}

    def list_left_out(self, folder_id: str) -> set[str]:
        """Return the paths that the user removed from the base, which are not added again."""
        rows = self._db.execute("SELECT path FROM left_out WHERE folder_id = ?", (folder_id,))
        return {row["path"] for row in rows}

    def move(self, moves: Mapping[str, str]) -> None:
        """Set new paths for items, by id."""
        with self._database.transaction():
            self._db.executemany(
                "UPDATE OR IGNORE items SET path = ?, name = ? WHERE id = ?",
                ((path, Path(path).name, item_id) for item_id, path in moves.items()),
            )

    def set_stamps(self, stamps: Mapping[str, str]) -> None:
        """Store new stamps, by item id, of files whose content is unchanged.

        A file without a stamp could not be opened last time.
        """
        with self._database.transaction():
            self._db.executemany(
                "UPDATE items SET stamp = ?, error = iif(stamp = '', '', error) WHERE id = ?",
                ((stamp, item_id) for item_id, stamp in stamps.items()),
            )

    def wait_again(self, item_ids: Iterable[str]) -> None:
        """Queue changed files to be read again; their old text stays searchable until then."""
        with self._database.transaction():
            self._db.execute(
                """
                UPDATE items SET state = 'waiting', error = ''
                WHERE id IN (SELECT value FROM json_each(?)) AND state <> 'reading'
                """,
                (json.dumps(list(item_ids)),),
            )


def _inside(folder: str) -> str:
    return str(Path(folder, "x"))[:-1]


@dataclass(frozen=True)
class FolderSnapshot:
    """The stamps of files by path, and the folders that could not be read, with the reason.

    `outside` are the paths of links that lead out of the folder; these are not followed.
    """

    stamps: Mapping[str, str]
    closed: Mapping[str, str]
    outside: tuple[str, ...] = ()


@dataclass(frozen=True)
class FolderChanges:
    """The changes needed to synchronise a base with its folder.

    `moved` and `touched` are by item id: the new path, and the new stamp of an unchanged file. `is_unsettled`
    means that something is still changing.
    """

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    touched: Mapping[str, str] = field(default_factory=dict)
    is_unsettled: bool = False


def list_folder(root: Path, excluded: Path) -> FolderSnapshot:
    """Return all files except hidden ones and those in `excluded`.

    Raises:
        OSError: the folder itself cannot be read.
    """
    os.scandir(root).close()
    stamps: dict[str, str] = {}
    closed: dict[str, str] = {}
    outside: list[str] = []

    def note(error: OSError) -> None:
        closed[path_text(Path(str(error.filename)))] = plain_reason(error)

    for folder, subfolders, names in os.walk(root, onerror=note):
        subfolders[:] = [
            name for name in subfolders if not name.startswith(".") and Path(folder, name) != excluded
        ]
        visible = [Path(folder, name) for name in (*subfolders, *names) if not name.startswith(".")]
        left = links_out_of(root, visible)
        outside += map(path_text, left)
        for path in visible:
            if path not in left:
                stamps.update(_read_stamp(path))
    return FolderSnapshot(dict(sorted(stamps.items())), closed, tuple(sorted(outside)))


def links_out_of(root: Path, paths: Iterable[Path]) -> set[Path]:
    """Return the symbolic links among `paths` that lead out of the folder `root`."""
    inside = Path(os.path.realpath(root))
    # `realpath`, because `Path.resolve` raises for a link to itself.
    return {
        path
        for path in paths
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside)
    }


def is_hidden(root: Path, path: Path) -> bool:
    """Say whether `path` is excluded as hidden from a listing of `root`."""
    return not path.is_relative_to(root) or any(part.startswith(".") for part in path.relative_to(root).parts)


def changes_of(
    listing: FolderSnapshot,
    seen: Mapping[str, SeenFile],
    left_out: Collection[str],
    digest: Callable[[Path], str],
) -> FolderChanges:
    """Compare a listing with the known files, first by stamp, then by content if the stamp differs.

    `digest` returns an empty string for unreadable files: reading them reports why, but only once.
    """
    new = [path for path in listing.stamps if path not in seen and path not in left_out]
    gone = [
        file for path, file in seen.items() if path not in listing.stamps and not _is_in(path, listing.closed)
    ]
    moved = _moves(listing, new, gone, digest)
    there = set(moved.values())
    changed: list[str] = []
    touched: dict[str, str] = {}
    is_unsettled = False
    for path, stamp in listing.stamps.items():
        file = seen.get(path)
        if file is None or file.stamp == stamp or file.state is ItemState.WAITING:
            continue
        if file.state is ItemState.READING:
            is_unsettled = True
            continue
        found = digest(path_of(path)) if file.digest or not file.stamp else ""
        if file.digest and found == file.digest:
            touched[file.item_id] = stamp
        elif file.stamp or found:
            changed.append(file.item_id)
    return FolderChanges(
        tuple(path for path in new if path not in there),
        tuple(changed),
        tuple(file.item_id for file in gone if file.item_id not in moved),
        moved,
        touched,
        is_unsettled,
    )


def _moves(
    listing: FolderSnapshot, new: Iterable[str], gone: Iterable[SeenFile], digest: Callable[[Path], str]
) -> dict[str, str]:
    """Return the new paths of vanished files, by item id; only files with matching sizes are read."""
    by_size: dict[str, dict[str, SeenFile]] = {}
    for file in gone:
        if file.digest:
            by_size.setdefault(_size(file.stamp), {})[file.digest] = file
    moves: dict[str, str] = {}
    for path in new:
        candidates = by_size.get(_size(listing.stamps[path]))
        if candidates:
            same = candidates.pop(digest(path_of(path)), None)
            moves.update({same.item_id: path} if same else {})
    return moves


def _read_stamp(path: Path) -> dict[str, str]:
    try:
        found = path.stat()
    except OSError:  # deleted since the scan, or a dangling link
        return {}
    if not stat.S_ISREG(found.st_mode):
        return {}
    return {path_text(path): f"{found.st_mtime_ns} {found.st_size}"}


def _size(stamp: str) -> str:
    return stamp.rpartition(" ")[2]


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)
