"""What a conversation carries beside its messages: the table that branches, exports and imports follow.

Its rows are in tables of the database with the column `conversation_id`. The schema erases them with the conversation, by a
reference or a trigger. A new one is a migration and an entry here; `tests/unit/storage/conversations/test_carried.py` finds a table
without an entry, tries each entry with a branch, a file and an erased conversation.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from desktop.storage.db.row_checksums import SEALED
from desktop.storage.db.rows import encode_text

# ruff: noqa: S608 - names of tables and columns come from the schema and the entries below, never from data

KEY: Final = "conversation_id"


@dataclass(frozen=True)
class CarriedRows:
    """A table with rows of conversations.

    `part` is the name of the rows in a file (docs/formats.md), where they stand in the order of the column `order`; without it
    they are not exported. `is_branched` says whether a conversation that begins from another one gets them, too.
    """

    table: str
    part: str = ""
    order: str = ""
    is_branched: bool = False


@dataclass(frozen=True)
class CarriedMark:
    """A table whose rows only say that something holds for a conversation; one may be chosen before its first message.

    In a file the field `name` has the value `marked` then. A file without it says nothing, unless `is_always_said`.
    """

    table: str
    name: str
    marked: bool
    is_always_said: bool = False


ROWS: Final = (
    CarriedRows("sources", "sources", "number", is_branched=True),
    CarriedRows("cited_pages", "pages", "number", is_branched=True),
    CarriedRows("departures"),  # what was sent for a conversation was not sent for its branch
    CarriedRows("drafts"),
)
MARKS: Final = (
    CarriedMark("conversations_without_memory", "uses_memory", marked=False, is_always_said=True),
    CarriedMark("conversations_kept_here", "stays_here", marked=True),
)
"""The choices on the use of memories and on staying on this machine also apply to a branch."""


def copy_rows(connection: sqlite3.Connection, from_id: str, to_id: str) -> None:
    """Give a conversation that begins from another one what that one carries."""
    for table in (*(rows.table for rows in ROWS if rows.is_branched), *(mark.table for mark in MARKS)):
        _copy(connection, table, from_id, to_id)
        if (
            table in SEALED
        ):  # damaged text that is in no backup is copied as it is, and stays marked as damaged
            _copy(connection, SEALED[table].seals, from_id, to_id)


def _copy(connection: sqlite3.Connection, table: str, from_id: str, to_id: str) -> None:
    names = (name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"))
    others = "".join(f", {name}" for name in names if name != KEY)
    connection.execute(
        f"INSERT OR REPLACE INTO {table} ({KEY}{others}) SELECT ?{others} FROM {table} WHERE {KEY} = ?",
        (to_id, from_id),
    )


def read_marks(connection: sqlite3.Connection, conversation_id: str) -> dict[str, bool]:
    """Return what a file says of a conversation, by name."""
    said = {}
    for mark in MARKS:
        found = connection.execute(
            f"SELECT 1 FROM {mark.table} WHERE {KEY} = ?", (conversation_id,)
        ).fetchone()
        if found is not None or mark.is_always_said:
            said[mark.name] = mark.marked is (found is not None)
    return said


def write_marks(connection: sqlite3.Connection, said: dict[str, Any], conversation_id: str) -> None:
    """Note what a file says of a conversation; where it says nothing, an earlier choice stays."""
    for mark in MARKS:
        if mark.name in said and bool(said[mark.name]) is mark.marked:
            connection.execute(
                f"INSERT OR IGNORE INTO {mark.table} VALUES (CAST(? AS TEXT))",
                (encode_text(conversation_id),),
            )
