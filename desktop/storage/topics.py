"""Watched topics on disk, in the database of the conversations: one JSON document for each."""

import sqlite3

import msgspec

from desktop.domain.topics import Topic
from desktop.storage.db.database import Database
from desktop.storage.db.errors import translate_read_errors
from desktop.storage.db.rows import encode_text

_ALL = "SELECT state FROM topics ORDER BY id"
_SAVE = "INSERT OR REPLACE INTO topics (id, state) VALUES (CAST(? AS TEXT), CAST(? AS TEXT))"
_REMOVE = "DELETE FROM topics WHERE id = CAST(? AS TEXT)"


class TopicStore:
    """Stores topics in the database of the conversations; methods raise StorageErrors."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> tuple[Topic, ...]:
        """Return all topics, the oldest first."""
        with translate_read_errors(self._database.path):
            topics = await self._database.read(_read)
        return tuple(sorted(topics, key=lambda topic: topic.created_at))

    async def save(self, topic: Topic) -> None:
        """Write a topic."""
        state = msgspec.json.encode(topic).decode()
        await self._database.execute(_SAVE, (encode_text(topic.id), encode_text(state)))

    async def remove(self, topic_id: str) -> None:
        """Delete a topic; the conversations of its runs stay."""
        await self._database.execute(_REMOVE, (encode_text(topic_id),))


def _read(connection: sqlite3.Connection) -> list[Topic]:
    return [msgspec.json.decode(state, type=Topic) for (state,) in connection.execute(_ALL)]
