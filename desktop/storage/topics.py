"""Watched topics on disk, in the database of the conversations: one JSON document for each."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

import msgspec

from desktop.domain.topics import Topic, without_conversations
from desktop.phrases import translatable
from desktop.sqlite import translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.db.rows import encode_text
from desktop.text.message_codec import decode_json, encode_json

_ALL = "SELECT state FROM topics ORDER BY id"
_ONE = "SELECT state FROM topics WHERE id = CAST(? AS TEXT)"
_SAVE = "INSERT OR REPLACE INTO topics (id, state) VALUES (CAST(? AS TEXT), CAST(? AS TEXT))"
_ERASED = translatable("The results were deleted with their chat.")
_LEFT_OUT = translatable("These results are not in this backup. Their chat stays on its own computer.")
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
        await self._database.write(lambda connection: _write(connection, topic))

    async def update(self, topic_id: str, change: Callable[[Topic], Topic]) -> Topic | None:
        """Change a topic as it is now, and return it; None if there is no such topic."""

        def work(connection: sqlite3.Connection) -> Topic | None:
            for (state,) in connection.execute(_ONE, (encode_text(topic_id),)):
                changed = change(decode_json(state, Topic))
                _write(connection, changed)
                return changed
            return None

        return await self._database.write(work)

    async def pause(self, topic_id: str, is_paused: bool) -> Topic | None:
        """Pause a topic, or go on with it; returns as `update`."""
        return await self.update(topic_id, lambda topic: replace(topic, is_paused=is_paused))

    async def remove(self, topic_id: str) -> None:
        """Delete a topic; the conversations of its runs stay."""
        await self._database.execute(_REMOVE, (encode_text(topic_id),))


def forget_erased(connection: sqlite3.Connection) -> None:
    """Remove from the topics what they told out of conversations that are permanently deleted."""
    alive = _conversations(connection)
    for topic in _read(connection):
        changed = without_conversations(topic, alive, _ERASED)
        if changed != topic:
            _write(connection, changed)


def leave_out_kept_here(connection: sqlite3.Connection) -> None:
    """Remove from a backup the topics that stay on this machine, and what others told out of chats it does not have.

    What cannot be read is removed, too: it may be private.
    """
    alive = _conversations(connection)
    topics = [topic for topic in read_topics(connection) if not topic.stays_here]
    connection.execute("DELETE FROM topics")
    for topic in topics:
        _write(connection, without_conversations(topic, alive, _LEFT_OUT))


def _conversations(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(identity for (identity,) in connection.execute("SELECT id FROM conversations"))


def write_missing(connection: sqlite3.Connection, topics: Iterable[Topic]) -> tuple[str, ...]:
    """Write the topics whose ids are not known yet; return these ids."""
    known = {identity for (identity,) in connection.execute("SELECT id FROM topics")}
    new = [topic for topic in topics if topic.id and topic.id not in known]
    for topic in new:
        _write(connection, topic)
    return tuple(topic.id for topic in new)


def read_topics(connection: sqlite3.Connection) -> list[Topic]:
    """Return the topics of a database; what cannot be read is left out, also with the whole table."""
    found = []
    with suppress(sqlite3.Error):
        for (state,) in connection.execute(_ALL):
            with suppress(msgspec.MsgspecError, UnicodeError):
                found.append(decode_json(state, Topic))
    return found


def _write(connection: sqlite3.Connection, topic: Topic) -> None:
    state = encode_json(topic).decode()
    connection.execute(_SAVE, (encode_text(topic.id), encode_text(state)))


def _read(connection: sqlite3.Connection) -> list[Topic]:
    return [decode_json(state, Topic) for (state,) in connection.execute(_ALL)]
