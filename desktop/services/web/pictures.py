"""Pictures of answers, and pictures attached to questions, for a window."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.engine import Pictures
from desktop.domain.pictures import Picture
from desktop.errors import StorageUnavailable, plain_reason
from desktop.settings import egress
from desktop.settings.atomic_files import write_whole
from desktop.settings.egress import EgressContext

if TYPE_CHECKING:  # it imports an HTTP client
    from desktop.search.picture_fetcher import PictureFetcher

_HASH_CHARS = 12


class PictureService(Pictures):
    """Fetches pictures through the guarded fetcher, and stores pasted ones in a folder."""

    def __init__(
        self,
        fetcher: Callable[[], "PictureFetcher"],
        folder: Path,
        egress_context: Callable[[str], Awaitable[EgressContext]],
    ) -> None:
        """`egress_context` returns what may leave the machine for a conversation."""
        self._fetcher = fetcher
        self._folder = folder
        self._egress_context = egress_context

    @override
    async def fetch(self, address: str, conversation_id: str = "") -> Picture:
        with egress.on(await self._egress_context(conversation_id)):
            return await self._fetcher().fetch(address)

    @override
    async def keep(self, data: bytes, name: str) -> Path:
        """Store a picture of the user on disk and return its path; identical pictures are stored once."""
        return await asyncio.to_thread(self._keep, data, PurePath(PurePath(name).name))

    def _keep(self, data: bytes, name: PurePath) -> Path:
        digest = hashlib.sha256(data).hexdigest()[:_HASH_CHARS]
        path = self._folder / f"{name.stem}-{digest}{name.suffix}"
        try:
            write_whole(path, data)
        except OSError as error:
            raise StorageUnavailable(path=path, detail=plain_reason(error)) from error
        return path
