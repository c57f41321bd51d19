"""Where Footnote keeps its files."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

DATA_DIR_VARIABLE = "FOOTNOTE_DATA_DIR"

SETTINGS_FILE = "settings.json"
"""Name of the settings in the data folder."""

_APP = "footnote"


@dataclass(frozen=True)
class Folders:
    """`data` is what a person would miss, `cache` what can be made again, `logs` what happened."""

    data: Path
    cache: Path
    logs: Path

    def create(self) -> None:
        """Make the folders that are missing, closed to other people.

        Raises:
            OSError: the disk is full or read-only.
        """
        for folder in (self.data, self.cache, self.logs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def folders_for(data_dir: Path | None = None) -> Folders:
    """Return the folders under `data_dir`, else under FOOTNOTE_DATA_DIR, else where the system wants them."""
    named = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    if named:
        root = Path(named).expanduser().resolve()
        return Folders(root, root / "cache", root / "logs")
    return Folders(
        platformdirs.user_data_path(_APP, appauthor=False),
        platformdirs.user_cache_path(_APP, appauthor=False),
        platformdirs.user_log_path(_APP, appauthor=False),
    )
