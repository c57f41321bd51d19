"""What a window may ask about conversations; see `desktop.chat.ports`, which says how such protocols behave."""

from collections.abc import AsyncIterator
from typing import Protocol

from desktop.domain.messages import Conversation, ConversationInfo
from desktop.domain.trace import Trace
from desktop.errors import AppError


class Conversations(Protocol):
    """The conversations on disk."""

    def troubles(self) -> AsyncIterator[AppError]:
        """Yield what the person should know of the disk, as it happens; never ends by itself."""
        ...

    async def recent(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations, the last used first."""
        ...

    async def create(self, assistant: str = "") -> ConversationInfo:
        """Start an empty conversation with an assistant; it is on disk only once it has a message."""
        ...

    async def load(self, conversation_id: str) -> Conversation:
        """Return a conversation; answers cut off by a crash come back as INTERRUPTED."""
        ...

    async def trace(self, message_id: str) -> Trace | None:
        """Return how an answer came by its sources; None while it has not got that far."""
        ...

    async def pin(self, conversation_id: str, number: int, is_pinned: bool) -> None:
        """Give a source to the model with every further question, or no longer."""
        ...

    async def assign(self, conversation_id: str, assistant: str) -> None:
        """Give a conversation to another assistant, by id."""
        ...

    async def choose(self, message_id: str) -> None:
        """Let the conversation go on with one of several answers to a question."""
        ...

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a title that is kept."""
        ...

    async def delete(self, conversation_id: str) -> None:
        """Take a conversation out of the list; `restore` brings it back."""
        ...

    async def restore(self, conversation_id: str) -> None:
        """Undo `delete`."""
        ...
