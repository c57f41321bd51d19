"""Long texts that a person pastes, as files of their own."""

import asyncio
import hashlib
from pathlib import Path, PurePath

from desktop.errors import StorageUnavailable
from desktop.settings.files import write_whole

_HASH_CHARS = 12


class PastedTexts:
    """See `desktop.chat.composer_ports.Pasted`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, text: str, name: str) -> Path:
        """Put a text on disk as a file called `name`; the same text is kept once under each name."""
        data = text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).hexdigest()[:_HASH_CHARS]
        path = self._folder / digest / PurePath(name).name
        try:
            await asyncio.to_thread(write_whole, path, data)
        except OSError as error:
            raise StorageUnavailable(path=path, detail=error.strerror or error) from error
        return path
