"""Rows as far as they agree with their seals: what was damaged on the disk, and is in no copy, is not told as if it were right."""

from collections.abc import Sequence
from typing import Any, Final

from desktop.domain.messages import DAMAGED
from desktop.storage.rows import Row
from desktop.storage.seals import columns

_INSTEAD: Final[dict[str, Any]] = {
    # What stands for words says so; what only goes with them is left out.
    "text": DAMAGED,
    "reasoning": DAMAGED,
    "name": "⚠",
    "title": "",  # what is called by it has another name then
    "steps": "[]",
    "offered": "[]",
    "attachments": "[]",
    "files": "[]",
    "past": "[]",
    "usage": "null",
    "procedure": "null",
    "citation_check": "null",
    "spent": "null",
    "trace": "{}",
    "locator": "{}",
    "model": "",
    "error": "",
    "standing": "",
    "cure": "",
    "assistant": "",
    "tint": "",
    "url": "",
    "host": "",
    "published": "",
    "speaker": "assistant",
    "status": "complete",
    "kind": "web",
    "origin": "said",
    "created_at": 0,
    "changed_at": 0,
    "read_at": 0,
    "deleted_at": None,
    "is_aside": 0,
}


def readable(table: str, names: Sequence[str], row: Row) -> Row:
    """Return a row of the columns `names` and, last, what `seals.unsound` says of it, without that and without damage."""
    *values, bits = row
    if not bits:
        return row[:-1]
    damaged = columns(table, bits)
    return tuple(
        _INSTEAD.get(name, value) if name in damaged else value
        for name, value in zip(names, values, strict=True)
    )
