"""Memories for the window and the command line."""

import asyncio
from pathlib import Path

from typing_extensions import override

from desktop.chat.api.engine import Memories
from desktop.domain.memory import Memory, MemoryOrigin
from desktop.errors import FileUnreadable, NotExported, NotRemembered, plain_reason
from desktop.phrases import translatable
from desktop.settings.atomic_files import write_whole
from desktop.storage.memories import MemoryRepository, format_memories, read_lines

MAX_BYTES = 32 * 2**20
"""A larger file cannot be one of memories."""

_NO_FILE = translatable("it is not a file or does not exist")
_TOO_LARGE = translatable("the file is larger than {limit} MB")


class MemoryService(MemoryRepository, Memories):
    """The stored memories, also from and to files."""

    _is_purged = False

    @override
    async def all(self) -> tuple[Memory, ...]:
        """Return all memories, oldest first; those deleted more than a day ago are purged first."""
        if not self._is_purged:
            self._is_purged = True
            await self.purge()
        return await super().all()

    async def keep_confirmed(self, text: str, assistant: str | None = None) -> Memory:
        """Store a fact that a model proposed and the user confirmed."""
        return await self.add(text, assistant, MemoryOrigin.CONFIRMED)

    @override
    async def export_to(self, path: Path) -> int:
        """Write all memories that have text to a file; returns how many."""
        lines = format_memories(await self.all())
        await asyncio.to_thread(_write, path, lines)
        return lines.count("\n")

    @override
    async def import_from(self, path: Path) -> int:
        """Import the memories of a file; returns how many were new or newer."""
        return await self.merge(await asyncio.to_thread(_read, path))


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise NotExported(name=path.name, detail=plain_reason(error)) from error


def _read(path: Path) -> tuple[Memory, ...]:
    try:
        if not path.is_file():  # a pipe or a device may never end
            raise FileUnreadable(name=path.name, detail=_NO_FILE)
        if path.stat().st_size > MAX_BYTES:
            raise NotRemembered(detail=_TOO_LARGE.format(limit=MAX_BYTES // 2**20))
        data = path.read_bytes()
    except OSError as error:
        raise FileUnreadable(name=path.name, detail=plain_reason(error)) from error
    return read_lines(data.decode("utf-8-sig", "replace"))
