"""Temporary folders, on the disk that the system uses for them."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from desktop.sqlite import translate_errors

_VARIABLES: Final = ("TMPDIR", "TEMP", "TMP")
"""See https://docs.python.org/3/library/tempfile.html#tempfile.gettempdir."""


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """Provide a private folder that is deleted after the block.

    Raises:
        StorageError: there is no space for it, or no write permission.
    """
    with translate_errors(_place()):
        folder = tempfile.TemporaryDirectory(prefix=f"footnote-{purpose}-", ignore_cleanup_errors=True)
    with folder as name:
        yield Path(name)


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
