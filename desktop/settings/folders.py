"""The folders in which Footnote stores its files."""

import errno
import logging
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from desktop.errors import PortableFolderUnusable, StorageUnavailable, plain_reason
from desktop.installation import installation

DATA_DIR_VARIABLE = "FOOTNOTE_DATA_DIR"

SETTINGS_FILE = "settings.json"
"""Name of the settings file in the data folder."""

_APP = "footnote"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The permissions of group and others."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AppFolders:
    """`data` holds the user's data, `cache` files that can be recreated, `logs` the log files."""

    data: Path
    cache: Path
    logs: Path
    is_portable: bool = False
    """Whether `data` is the folder beside the program."""

    def create(self) -> None:
        """Create missing folders, and remove other users' permissions on existing ones.

        Raises:
            OSError: the disk is full or read-only.
        """
        for folder in (self.data, self.cache, self.logs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(folder):
                _close(folder)

    def check(self) -> None:
        """Check, without creating anything, that the data folder exists or can be created.

        Raises:
            StorageUnavailable: it is a file, lies in one, or its parent may not be written to.
        """
        existing = next(folder for folder in (self.data, *self.data.parents) if folder.exists())
        if not existing.is_dir():
            raise StorageUnavailable(
                path=self.data, detail=plain_reason(OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
            )
        if existing != self.data and not os.access(existing, os.W_OK | os.X_OK):
            raise StorageUnavailable(
                path=self.data, detail=plain_reason(OSError(errno.EACCES, os.strerror(errno.EACCES)))
            )

    def close_to_others(self) -> None:
        """Remove every permission of other users from everything in the folders.

        Links are not followed. What the system refuses to change is logged. Checks every file: 10 ms for a
        thousand of them.
        """
        for root in dict.fromkeys((self.data, self.cache, self.logs)):
            if _is_ours(root):
                _close(root)
                for folder, subfolders, names in os.walk(root):
                    for name in (*subfolders, *names):
                        _close(Path(folder, name))


def folders_for(data_dir: Path | None = None) -> AppFolders:
    """Return the folders under `data_dir`, FOOTNOTE_DATA_DIR, or the portable folder, else the system's standard ones.

    Raises:
        PortableFolderUnusable: there is a portable folder that cannot be written to.
    """
    named = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    if named:
        root = Path(named).expanduser().resolve()
        return AppFolders(root, root / "cache", root / "logs")
    portable = installation().portable_folder
    if portable is not None and portable.is_dir():
        if not os.access(portable, os.W_OK | os.X_OK):
            raise PortableFolderUnusable(folder=portable)
        return AppFolders(portable, portable / "cache", portable / "logs", is_portable=True)
    return AppFolders(
        platformdirs.user_data_path(_APP, appauthor=False),
        platformdirs.user_cache_path(_APP, appauthor=False),
        platformdirs.user_log_path(_APP, appauthor=False),
    )


def is_found_without_options(folders: AppFolders) -> bool:
    """Say whether the program uses these folders when it is started without --data-dir."""
    try:
        return folders_for().data == folders.data
    except PortableFolderUnusable:
        return False


def keep_private() -> None:
    """Make this process and its children create files that only their owner can read (`umask`)."""
    os.umask(_OTHERS)


def _is_ours(folder: Path) -> bool:
    """Say whether a folder belongs to Footnote alone.

    False for a folder of another user, one that all users may write to such as /tmp, and one that contains the
    user's home: any folder can be given with --data-dir.
    """
    if sys.platform == "win32":
        return False  # user folders are already private there, and modes have no effect
    with suppress(OSError, RuntimeError):
        found = folder.stat()
        is_home = Path.home().resolve().is_relative_to(folder.resolve())
        return found.st_uid == os.getuid() and not found.st_mode & stat.S_ISVTX and not is_home
    return False


def _close(path: Path) -> None:
    """Remove the permissions of group and others; a link is left as it is."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
    except FileNotFoundError:  # deleted meanwhile
        return
    except OSError as error:  # a read-only disk, or one without permissions
        _log.warning("%s stays open to other users: %s", path, error)
