"""The knowledge bases as the person knows them: without those that hold the files of a conversation."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from desktop.chat.attachments import is_attachment_base
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress, OriginalState
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

    async def state_of(self, path: Path, document: str) -> OriginalState:
        """Return what became of a file since it was read."""
        return await asyncio.to_thread(_state_of, path, document)

    async def text_of(self, document: str) -> str:
        """Return what was read of a file."""
        return await self._client.text(document)


def _state_of(path: Path, document: str) -> OriginalState:
    if not path.is_file():  # a pipe or a device may never end
        return OriginalState.GONE
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # moved, deleted, on a disk that is not there, or closed to this person now
        return OriginalState.GONE
    return OriginalState.UNCHANGED if digest == document else OriginalState.CHANGED
