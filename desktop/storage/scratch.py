"""Folders for what is needed for a moment, on the disk that the system has for that."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.storage.failures import translated


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """Give a folder, closed to other people, that goes with the block.

    Raises:
        StorageError: there is no room for it, or nobody may write there.
    """
    with translated(Path(tempfile.tempdir or os.environ.get("TMPDIR", tempfile.gettempprefix()))):
        folder = tempfile.TemporaryDirectory(prefix=f"footnote-{purpose}-", ignore_cleanup_errors=True)
    with folder as name:
        yield Path(name)
