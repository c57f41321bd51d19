"""An unpacked copy of the AppImage, from which later starts run.

What is read from an AppImage is unpacked at every start anew, which takes several times as long as the start itself. The
copy is in the cache folder of the user, in a folder that is named by the build, and `AppRun` of the AppImage
(`scripts/bundle/appimage.py`) starts it once it is complete. It takes 1.4 GB; a setting turns it off.
"""

import logging
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

FOLDER: Final = Path("footnote", "appimage")
"""The place of the copies in the cache folder of the user; `AppRun` looks there."""

BUILD_FILE: Final = "BUILD"
"""A file of the AppImage whose one line is different in each build."""

COMPLETE: Final = "UNPACKED"
"""A file that is added to a copy when nothing of it is missing."""

_SPARE_BYTES = 2 * 1024**3
"""Space on the disk that has to be left when the copy is there."""

_log = logging.getLogger(__name__)


class _Stopped(Exception):
    """The copying was stopped."""


def copies_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the copies, as `AppRun` computes it."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / FOLDER


def keep_copy(tree: Path, folder: Path, *, is_wanted: bool, is_stopped: Callable[[], bool]) -> None:
    """Make the copy of the AppImage whose files are in `tree`, and remove those of other builds; takes a minute or more.

    If none is wanted, all are removed; one that is in use only with the next start.

    Raises:
        OSError: it could not be written; what was written is removed with the next start.
    """
    copy = folder / (tree / BUILD_FILE).read_text("utf-8").strip()
    if not is_wanted:
        (copy / COMPLETE).unlink(missing_ok=True)
    for other in folder.iterdir() if folder.is_dir() else ():
        is_kept = other == copy and is_wanted and (copy / COMPLETE).exists()
        if not is_kept and not _is_running(other):
            shutil.rmtree(other)
    if not is_wanted or (copy / COMPLETE).exists():
        return
    if shutil.disk_usage(_first_existing(folder)).free < _size_of(tree) + _SPARE_BYTES:
        _log.info("The disk has no space for an unpacked copy of the AppImage")
        return
    with suppress(_Stopped):
        _copy(tree, copy, is_stopped)


def _copy(tree: Path, copy: Path, is_stopped: Callable[[], bool]) -> None:
    def copy_file(source: str, target: str) -> str:
        if is_stopped():
            raise _Stopped
        return str(shutil.copy2(source, target))

    part = copy.with_name(f"{copy.name}.part")
    for old in (part, copy):  # left behind by a start that ended early
        if old.exists():
            shutil.rmtree(old)
    part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(tree, part, symlinks=True, copy_function=copy_file)
    (part / COMPLETE).touch()
    part.replace(copy)


def _is_running(folder: Path) -> bool:
    """Say whether a process runs a program of `folder`; processes of other users are not seen."""
    for link in Path("/proc").glob("[0-9]*/exe"):
        try:
            program = link.readlink()
        except OSError:  # it has ended, or is another user's
            continue
        if program.is_relative_to(folder):
            return True
    return False


def _size_of(tree: Path) -> int:
    return sum((Path(root) / name).lstat().st_size for root, _, names in os.walk(tree) for name in names)


def _first_existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.is_dir())
