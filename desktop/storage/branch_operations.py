"""The user's operations on the messages of a conversation: switch the branch, delete, branch off."""

import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from desktop.domain.messages import (
    AnswerRole,
    Conversation,
    ConversationInfo,
    Message,
    MessageStatus,
    main_branch,
)
from desktop.errors import UnknownConversation
from desktop.sqlite import translate_read_errors
from desktop.storage import message_tree as branches
from desktop.storage.carried_rows import copy_rows
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.db.rows import micros
from desktop.storage.message_tree import AT_END, Unsaved, add

_COPY_TRACE = "INSERT INTO traces (message_id, trace) SELECT ?, trace FROM traces WHERE message_id = ?"
_COPY_TRACE_SEAL = """INSERT OR REPLACE INTO traces_seals (message_id, seal)
    SELECT ?, seal FROM traces_seals WHERE message_id = ?"""


class BranchOperations:
    """See `desktop.chat.api.conversations.Branches`."""

    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    async def show(self, message_id: str) -> None:
        """Switch to the variant that contains a message, and to those that lead to it."""
        database = self._store.database
        with translate_read_errors(database.path):
            await database.write(partial(branches.show, message_id))

    async def delete(self, message_id: str, *, with_rest: bool = False) -> tuple[str, ...]:
        """Delete an answer, or a question with its answers, or either with everything after it; return their ids."""
        now = micros(datetime.now(UTC))
        database = self._store.database
        return await database.write(partial(branches.delete, message_id, now, with_rest=with_rest))

    async def restore(self, message_ids: Iterable[str]) -> None:
        """Undo `delete`."""
        await self._store.database.write(partial(branches.restore, tuple(message_ids)))

    async def branch_off(self, conversation_id: str, message_id: str, title: str) -> ConversationInfo:
        """Start a new conversation from all messages up to this one, with its sources under the same numbers."""
        conversation = await self._store.load(conversation_id)
        now = datetime.now(UTC)
        stands = replace(conversation.info.place, is_pinned=False, is_archived=False)
        info = replace(
            conversation.info, id=uuid.uuid4().hex, title=title, created_at=now, updated_at=now, place=stands
        )
        messages = _leading_to(conversation, message_id)
        await self._store.database.write(partial(_copy, conversation_id, info, messages))
        return info


def _leading_to(conversation: Conversation, message_id: str) -> tuple[Message, ...]:
    """Return the messages on the path to a message, including the message.

    Raises:
        UnknownConversation: the message is not shown.
    """
    ids = [message.id for message in conversation.messages]
    if message_id not in ids:
        raise UnknownConversation
    *before, last = conversation.messages[: ids.index(message_id) + 1]
    kept = list(main_branch(before))
    if last.standing is not AnswerRole.USUAL:  # it replaces the answer beside which it stands
        while kept and kept[-1].speaker is last.speaker:
            kept.pop()
    return (*kept, last)


def _copy(
    conversation_id: str,
    info: ConversationInfo,
    messages: Sequence[Message],
    connection: sqlite3.Connection,
) -> None:
    unsaved: Unsaved | None = Unsaved(info, is_title_given=True)
    for message in messages:
        is_broken_off = message.status is MessageStatus.STREAMING
        copy = replace(
            message,
            id=uuid.uuid4().hex,
            conversation_id=info.id,
            status=MessageStatus.INTERRUPTED if is_broken_off else message.status,
            standing=AnswerRole.USUAL,
            variants=(),
        )
        add(copy, AT_END, unsaved, connection)
        unsaved = None
        connection.execute(_COPY_TRACE, (copy.id, message.id))
        connection.execute(_COPY_TRACE_SEAL, (copy.id, message.id))
    copy_rows(connection, conversation_id, info.id)
