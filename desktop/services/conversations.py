"""Conversations for a window that opens before the database."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from desktop.domain.messages import Conversation, ConversationInfo
from desktop.domain.trace import Trace
from desktop.errors import AppError
from desktop.storage.conversation_store import ConversationStore


class DeferredConversations:
    """See `desktop.chat.api.conversations.Conversations`; the database is opened at the first call."""

    def __init__(self, store: Callable[[], Awaitable[ConversationStore]]) -> None:
        self._store = store

    async def troubles(self) -> AsyncGenerator[AppError, None]:
        """Yield storage problems for the user as they happen."""
        async with aclosing((await self._store()).troubles()) as troubles:
            async for trouble in troubles:
                yield trouble

    async def recent(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations, most recently used first."""
        return await (await self._store()).recent()

    async def info(self, conversation_id: str) -> ConversationInfo:
        """Return the list entry of a conversation."""
        return await (await self._store()).info(conversation_id)

    async def create(self, assistant: str = "", folder: str = "") -> ConversationInfo:
        """Start an empty conversation."""
        return await (await self._store()).create(assistant, folder)

    async def example(self, language: str) -> ConversationInfo:
        """Create an example conversation."""
        from desktop.services.example import make_example  # noqa: PLC0415 - once in the life of an installation

        return await make_example(await self._store(), language)

    async def load(self, conversation_id: str) -> Conversation:
        """Return a conversation."""
        return await (await self._store()).load(conversation_id)

    async def trace(self, message_id: str) -> Trace | None:
        """Return the record of how an answer got its sources."""
        return await (await self._store()).trace(message_id)

    async def pin(self, conversation_id: str, number: int, is_pinned: bool) -> None:
        """Pin or unpin a source, which is then given to the model with every further question."""
        await (await self._store()).pin(conversation_id, number, is_pinned)

    async def assign(self, conversation_id: str, assistant: str) -> None:
        """Assign a conversation to another assistant."""
        await (await self._store()).assign(conversation_id, assistant)

    async def choose(self, message_id: str) -> None:
        """Continue the conversation with one of several answers."""
        await (await self._store()).choose(message_id)

    async def rename(self, conversation_id: str, title: str) -> None:
        """Set a title, which is then not replaced automatically."""
        await (await self._store()).rename(conversation_id, title)

    async def delete(self, *conversation_ids: str) -> None:
        """Remove conversations from the list."""
        await (await self._store()).delete(*conversation_ids)

    async def restore(self, *conversation_ids: str) -> None:
        """Undo `delete`."""
        await (await self._store()).restore(*conversation_ids)
