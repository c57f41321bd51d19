"""A conversation as its rows: how it is read, and how a message joins it."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from desktop.domain.messages import ConversationInfo, Message, MessageStatus, Speaker
from desktop.domain.sources import Source
from desktop.errors import UnknownConversation
from desktop.storage.rows import (
    CONVERSATION_COLUMNS,
    CONVERSATION_PLACES,
    MESSAGE_COLUMNS,
    MESSAGE_PLACES,
    SOURCE_COLUMNS,
    conversation_of,
    conversation_values,
    message_of,
    message_values,
    micros,
    source_of,
)

# ruff: noqa: S608 - statements are put together from the constants above, never from data

_ADD_MESSAGE = f"""INSERT INTO messages ({MESSAGE_COLUMNS}, parent_id) VALUES ({MESSAGE_PLACES},
    (SELECT id FROM messages WHERE conversation_id = ? AND (speaker = 'user' OR (? = 'user' AND standing = ''))
    ORDER BY position DESC LIMIT 1))"""
_LEAVE_COMPARED = "UPDATE messages SET standing = 'left' WHERE conversation_id = ? AND standing = 'compared'"


@dataclass(frozen=True)
class Unsaved:
    """A conversation without a message."""

    info: ConversationInfo
    is_title_given: bool = False


@dataclass(frozen=True)
class Stored:
    """A conversation exactly as the disk has it; `journal` by message."""

    info: ConversationInfo
    messages: Sequence[Message]
    sources: tuple[Source, ...]
    pinned: tuple[int, ...]
    journal: dict[str, tuple[str, str]]

    def recovered(self, message: Message) -> Message:
        """Return a message whose writer is gone with all that it had shown."""
        if message.status is not MessageStatus.STREAMING:
            return message
        text, reasoning = self.journal.get(message.id, ("", ""))
        return replace(
            message,
            text=message.text + text,
            reasoning=message.reasoning + reasoning,
            status=MessageStatus.INTERRUPTED,
        )


def load(conversation_id: str, connection: sqlite3.Connection) -> Stored:
    """Read a conversation.

    Raises:
        UnknownConversation: it is not there.
    """

    def rows(select: str) -> list[tuple[object, ...]]:
        return connection.execute(select, (conversation_id,)).fetchall()

    found = rows(f"SELECT {CONVERSATION_COLUMNS} FROM conversations WHERE id = ?")
    if not found:
        raise UnknownConversation
    messages = rows(f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE conversation_id = ? ORDER BY position")
    sources = rows(f"SELECT {SOURCE_COLUMNS} FROM sources WHERE conversation_id = ? ORDER BY number")
    pinned = connection.execute(
        "SELECT number FROM sources WHERE conversation_id = ? AND is_pinned ORDER BY number",
        (conversation_id,),
    ).fetchall()
    pieces = connection.execute(
        """SELECT message_id, journal.text, journal.reasoning FROM journal
        JOIN messages ON messages.id = message_id WHERE conversation_id = ? ORDER BY message_id, start""",
        (conversation_id,),
    )
    journal: dict[str, tuple[str, str]] = {}
    for message_id, text, reasoning in pieces:
        before = journal.get(message_id, ("", ""))
        journal[message_id] = (before[0] + text, before[1] + reasoning)
    return Stored(
        conversation_of(found[0]),
        list(map(message_of, messages)),
        tuple(map(source_of, sources)),
        tuple(number for (number,) in pinned),
        journal,
    )


def add(message: Message, unsaved: Unsaved | None, connection: sqlite3.Connection) -> None:
    """Put a message at the end of its conversation, which comes on the disk with its first one.

    Raises:
        UnknownConversation: it was deleted for good.
    """
    if unsaved is not None:
        connection.execute(
            f"INSERT INTO conversations ({CONVERSATION_COLUMNS}, is_title_given) VALUES ({CONVERSATION_PLACES}, ?)",
            (*conversation_values(unsaved.info), unsaved.is_title_given),
        )
    now = micros(datetime.now(UTC))
    touched = connection.execute(
        "UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?",
        (now, message.conversation_id),
    )
    if not touched.rowcount:
        raise UnknownConversation
    if message.speaker is Speaker.PERSON:
        connection.execute(_LEAVE_COMPARED, (message.conversation_id,))
    connection.execute(_ADD_MESSAGE, (*message_values(message), message.conversation_id, message.speaker))
