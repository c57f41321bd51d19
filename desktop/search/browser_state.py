"""What search engines have been told to remember, on the disk: refused cookies, solved captchas. Imports Playwright."""

import json
import os
import tempfile
from pathlib import Path
from typing import cast

from playwright.async_api import StorageState as State

__all__ = ["State", "read_state", "write_state"]


def read_state(path: Path) -> State | None:
    """Return what was written; a file cut off by a crash is as good as none."""
    try:
        state = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return cast("State", state) if isinstance(state, dict) else None


def write_state(path: Path, state: State) -> None:
    """Replace `path` in one step, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(state, file)
    Path(name).replace(path)
