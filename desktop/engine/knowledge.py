"""The knowledge bases as the person knows them: without those that hold the files of a conversation."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from desktop.chat.attachments import is_attachment_base
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress
from desktop.knowledge.client import KnowledgeClient


class PersonsBases:
    """See `desktop.chat.ports.Knowledge`."""

    def __init__(self, client: KnowledgeClient) -> None:
        self._client = client

    async def bases(self) -> tuple[BaseInfo, ...]:
        """Return the person's bases by name."""
        return tuple(base for base in await self._client.bases() if not is_attachment_base(base))

    async def create(self, name: str) -> BaseInfo:
        """Make an empty base."""
        return await self._client.create(name)

    async def delete(self, base_id: str) -> None:
        """Delete a base with its index."""
        await self._client.delete(base_id)

    async def items(self, base_id: str) -> tuple[ItemInfo, ...]:
        """Return the files of a base."""
        return await self._client.items(base_id)

    def add(self, base_id: str, paths: Sequence[Path]) -> AsyncIterator[ItemProgress]:
        """Read files and folders into a base."""
        return self._client.add(base_id, paths)

    async def remove(self, item_id: str) -> None:
        """Take a file out of its base."""
        await self._client.remove(item_id)
