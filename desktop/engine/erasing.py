"""Deletes for good what was deleted: rows, the words in indexes and logs, and, where it is wanted, the copies."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.chat.attachments import owner_of
from desktop.domain.privacy import Remains
from desktop.engine.knowledge_copies import KnowledgeCopies
from desktop.errors import StorageUnavailable
from desktop.knowledge.client import KnowledgeClient
from desktop.storage.backup import Backups
from desktop.storage.conversations import ConversationStore
from desktop.storage.database import Database
from desktop.storage.drafts import DraftStore
from desktop.storage.history import HistoryStore
from desktop.storage.memories import MemoryStore

_AT_ONCE = timedelta(0)
_REST_S = 24 * 3600.0
"""What is younger may be on its way into a message."""


class Eraser:
    """Knows all places where words of the person are kept; `pasted` are the folders of what was pasted."""

    def __init__(
        self,
        store: Callable[[], Awaitable[ConversationStore]],
        history: HistoryStore,
        knowledge: Callable[[], KnowledgeClient],
        pasted: Iterable[Path],
    ) -> None:
        self._store = store
        self._memories = MemoryStore(self._database)
        self._knowledge = knowledge
        self._history = history
        self._pasted = tuple(pasted)

    async def remains(self) -> Remains:
        """Return what was deleted and can still be brought back."""
        store = await self._store()
        copies = await asyncio.to_thread(Backups(store.database.path).copies)
        return Remains(await store.count_deleted(), await self._memories.count_deleted(), len(copies))

    async def erase(self, *, with_copies: bool) -> None:
        """Delete for good, now, what was deleted. What fails leaves the rest to be done again."""
        store = await self._store()
        await store.purge(_AT_ONCE)
        await self._memories.purge(_AT_ONCE)
        await store.database.scour()
        drafts = (await DraftStore(self._database).all()).values()
        attachments = {*await store.attachments(), *(str(path) for draft in drafts for path in draft.files)}
        for folder in self._pasted:
            await asyncio.to_thread(_forget_pasted, folder, attachments)
        await self._history.scour()
        await self._erase_files(store)
        if with_copies:
            await asyncio.to_thread(Backups(store.database.path).begin_anew, datetime.now(UTC))
            await KnowledgeCopies(store.database.path.parent, self._knowledge).begin_anew()

    async def _erase_files(self, store: ConversationStore) -> None:
        """Erase the files of conversations that are gone, and deleted bases."""
        client = self._knowledge()
        known = await store.ids()
        for base in await client.bases():
            owner = owner_of(base)
            if owner is not None and owner not in known:
                await client.delete(base.id)
        await client.erase_deleted()

    async def _database(self) -> Database:
        return (await self._store()).database


def _forget_pasted(folder: Path, attachments: Collection[str]) -> None:
    """Delete the files that neither a message nor a draft has any more."""
    try:
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            is_old = time.time() - path.stat().st_mtime > _REST_S
            if is_old and str(path) not in attachments:
                path.unlink()
    except OSError as error:
        raise StorageUnavailable(path=folder, detail=error.strerror or error) from error
