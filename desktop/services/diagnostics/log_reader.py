"""Reads the end of the log."""

import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from desktop.domain.program import LogEntry

LOG_FILE: Final = "footnote.log"
LOG_LINE: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_LAST_BYTES = 400_000
"""How many bytes of the existing log are read."""

_MOST_CHARS = 20_000
_ENTRY = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} ([A-Z]+) ([\w.]+): (.*)")


def entries_of(text: str) -> tuple[LogEntry, ...]:
    """Return the entries in a part of the log; lines that do not begin an entry belong to the previous one."""
    found: list[tuple[str, int, str, list[str]]] = []
    levels = logging.getLevelNamesMapping()
    for line in text.splitlines():
        begun = _ENTRY.fullmatch(line)
        if begun is not None:
            time, level, origin, words = begun.groups()
            found.append((time, levels.get(level, logging.INFO), origin, [words]))
        elif found:
            found[-1][3].append(line)
    return tuple(
        LogEntry(time, level, origin, "\n".join(lines)[:_MOST_CHARS]) for time, level, origin, lines in found
    )


def last_entries(folder: Path) -> tuple[LogEntry, ...]:
    """Return the end of the log, across log rotation; empty if there is none."""
    pieces: list[bytes] = []
    remaining = _LAST_BYTES
    for path in (folder / LOG_FILE, folder / f"{LOG_FILE}.1"):
        piece = _end_of(path, remaining)
        pieces.insert(0, piece)
        remaining -= len(piece)
    return entries_of(b"".join(pieces).decode("utf-8", "replace"))


def worst_of(entries: Iterable[LogEntry], most: int) -> tuple[LogEntry, ...]:
    """Return the last warnings and errors."""
    return tuple(entry for entry in entries if entry.level >= logging.WARNING)[-most:]


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _end_of(path: Path, most: int) -> bytes:
    size = _size_of(path)
    return _part_of(path, max(0, size - most), size) if most > 0 else b""


def _part_of(path: Path, start: int, end: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(end - start)
    except OSError:
        return b""
