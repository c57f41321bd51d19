"""Drafts of conversations, in the database of the conversations."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from desktop.domain.drafts import Draft
from desktop.domain.history import PastAnswer
from desktop.sqlite import translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.db.row_checksums import readable, unsound
from desktop.storage.db.rows import encode_text, micros, moment
from desktop.storage.message_tree import past_answer

_NAMES = ("conversation_id", "text", "files", "past", "also")
_ALL = f"SELECT {', '.join(_NAMES)}, {unsound('drafts')} FROM drafts"  # noqa: S608 - constants
_KEEP = """INSERT OR REPLACE INTO drafts (conversation_id, text, files, past, also, changed_at)
    VALUES (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?)"""
_FORGET = "DELETE FROM drafts WHERE conversation_id = CAST(? AS TEXT)"


class DraftStore:
    """Stores one draft per conversation, and one under the empty id for a conversation not created yet.

    Data survives a power failure once the write has been awaited; methods raise `StorageError`s.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> dict[str, Draft]:
        """Return the drafts by id of their conversation; cited answers that were deleted since are marked as gone."""
        with translate_read_errors(self._database.path):
            return await self._database.read(_all)

    async def keep(self, drafts: Mapping[str, Draft]) -> None:
        """Write drafts to disk, all or none; an empty draft is deleted."""
        await self._database.write(partial(_keep, dict(drafts)))


def _all(connection: sqlite3.Connection) -> dict[str, Draft]:
    rows = connection.execute(_ALL).fetchall()
    return {
        conversation_id: Draft(
            text,
            tuple(map(Path, json.loads(files))),
            tuple(_load_cited(connection, *each) for each in json.loads(past)),
            tuple(also.split()),
        )
        for conversation_id, text, files, past, also in (readable("drafts", _NAMES, row) for row in rows)
    }


def _load_cited(
    connection: sqlite3.Connection, conversation_id: str, message_id: str, title: str, created_at: int
) -> PastAnswer:
    answer = past_answer(encode_text(message_id), connection)
    return answer or PastAnswer(conversation_id, message_id, title, "", moment(created_at), is_gone=True)


def _keep(drafts: Mapping[str, Draft], connection: sqlite3.Connection) -> None:
    now = micros(datetime.now(UTC))
    for conversation_id, draft in drafts.items():
        key = encode_text(conversation_id)
        if draft:
            files = json.dumps([str(path) for path in draft.files])
            past = json.dumps(
                [
                    (each.conversation_id, each.message_id, each.title, micros(each.created_at))
                    for each in draft.past
                ]
            )
            also = "\n".join(draft.also)
            kept = map(encode_text, (draft.text, files, past, also))
            connection.execute(_KEEP, (key, *kept, now))
        else:
            connection.execute(_FORGET, (key,))
