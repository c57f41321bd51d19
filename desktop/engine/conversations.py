"""The conversations for a window that is there before their database is open."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from desktop.domain.messages import Conversation, ConversationInfo
from desktop.domain.trace import Trace
from desktop.errors import AppError
from desktop.storage.conversations import ConversationStore


class DeferredConversations:
    """See `desktop.chat.conversation_ports.Conversations`; the database is opened at the first question."""

    def __init__(self, store: Callable[[], Awaitable[ConversationStore]]) -> None:
        self._store = store

    async def troubles(self) -> AsyncGenerator[AppError, None]:
        """Yield what the person should know of the disk, as it happens."""
        async with aclosing((await self._store()).troubles()) as troubles:
            async for trouble in troubles:
                yield trouble

    async def recent(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations, the last used first."""
        return await (await self._store()).recent()

    async def create(self, assistant: str = "") -> ConversationInfo:
        """Start an empty conversation."""
        return await (await self._store()).create(assistant)

    async def load(self, conversation_id: str) -> Conversation:
        """Return a conversation."""
        return await (await self._store()).load(conversation_id)

    async def trace(self, message_id: str) -> Trace | None:
        """Return how an answer came by its sources."""
        return await (await self._store()).trace(message_id)

    async def pin(self, conversation_id: str, number: int, is_pinned: bool) -> None:
        """Give a source to the model with every further question, or no longer."""
        await (await self._store()).pin(conversation_id, number, is_pinned)

    async def assign(self, conversation_id: str, assistant: str) -> None:
        """Give a conversation to another assistant."""
        await (await self._store()).assign(conversation_id, assistant)

    async def choose(self, message_id: str) -> None:
        """Let the conversation go on with one of several answers."""
        await (await self._store()).choose(message_id)

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a title that is kept."""
        await (await self._store()).rename(conversation_id, title)

    async def delete(self, conversation_id: str) -> None:
        """Take a conversation out of the list."""
        await (await self._store()).delete(conversation_id)

    async def restore(self, conversation_id: str) -> None:
        """Undo `delete`."""
        await (await self._store()).restore(conversation_id)
