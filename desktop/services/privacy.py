"""Privacy for the window: conversations kept here, data sent, recipients, and remains of deleted data.

Erasing deletes permanently what was deleted: rows, words in indexes and logs, and, on request, the backups.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from typing_extensions import override

from desktop.chat.api.data import Privacy
from desktop.domain.knowledge import ATTACHMENTS
from desktop.domain.models import LOCAL_PROVIDER, QUOTES_MODEL
from desktop.domain.privacy import Channel, DeletedData, EgressSummary, Recipient
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, EngineInfo
from desktop.errors import StorageUnavailable, plain_reason
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.providers.llama_cpp import PROVIDER
from desktop.services.knowledge_backups import KnowledgeBackups
from desktop.settings.model import KnowledgeSettings, SearchSettings, Settings
from desktop.settings.proxies import is_loopback
from desktop.sqlite import open_read_only, translate_errors
from desktop.storage.cited_pages import FOLDER, CitedPageStore
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.drafts import DraftStore
from desktop.storage.egress_log import EgressLog
from desktop.storage.history_store import HistoryStore
from desktop.storage.local_copies import LocalBackups
from desktop.storage.memories import UNDO_FOR, MemoryRepository

if TYPE_CHECKING:
    from desktop.search.web_search import WebSearch

_KNOWLEDGE = "knowledge/knowledge.db"
_BASES = "SELECT name FROM bases WHERE deleted_at IS NULL"
_AT_ONCE = timedelta(0)
_REST_S = 24 * 3600.0
"""Younger files are not deleted: they may be about to be attached to a message. In seconds."""


def _owners(database: Path) -> frozenset[str]:
    """Return the conversations that have files in the database of the bases."""
    if not database.is_file():
        return frozenset()
    with translate_errors(database), open_read_only(database) as connection:
        names = [str(name) for (name,) in connection.execute(_BASES)]
    return frozenset(name.removeprefix(ATTACHMENTS) for name in names if name.startswith(ATTACHMENTS))


def _forget_pasted(folder: Path, attachments: Collection[str]) -> None:
    """Delete the files that no message or draft refers to any more."""
    try:
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            is_old = time.time() - path.stat().st_mtime > _REST_S
            if is_old and str(path) not in attachments:
                path.unlink()
    except OSError as error:
        raise StorageUnavailable(path=folder, detail=plain_reason(error)) from error


def recipients_of(
    settings: Settings, engines: Sequence[EngineInfo], *, stays_here: bool = False
) -> tuple[Recipient, ...]:
    """Return the recipients, each once, in the order in which a question reaches them.

    A conversation that `stays_here` uses only those on this machine, and no tool server at all.
    """
    found = dict.fromkeys(
        (
            *_models(settings),
            *_list_search_recipients(settings.search, engines),
            *_list_file_recipients(settings.knowledge),
            *_tools(settings),
            *_list_backup_recipients(settings),
        )
    )
    if not stays_here:
        return tuple(found)
    return tuple(replace(each, is_barred=not each.is_here or each.channel is Channel.TOOLS) for each in found)


def _models(settings: Settings) -> Iterator[Recipient]:
    known = {provider.id: provider for provider in settings.providers}
    for model_id in (settings.chat.small_model, settings.chat.model, settings.knowledge.describer):
        provider_id, _, name = model_id.partition("/")
        if provider_id == LOCAL_PROVIDER:
            yield _at(Channel.MODEL, name, PROVIDER.base_url)
        if model_id and model_id != QUOTES_MODEL and provider_id in known:
            provider = known[provider_id]
            yield _at(Channel.MODEL, f"{provider.name} · {name}", provider.base_url)


def _list_search_recipients(search: SearchSettings, engines: Sequence[EngineInfo]) -> Iterator[Recipient]:
    if search.choice in {WEB_OFF, WEB_OWN}:
        return
    own = dict(search.engine_addresses)
    names = search.engine_order if search.choice == WEB_AUTO else (search.choice,)
    known = {engine.id: engine for engine in engines}
    for name in names:
        if engine := known.get(name):
            yield _at(Channel.SEARCH, engine.name, own.get(name) or engine.home)


def _list_file_recipients(knowledge: KnowledgeSettings) -> Iterator[Recipient]:
    for embedder in knowledge.own_embedders:
        if embedder.id == knowledge.embedding_model:
            yield _at(Channel.EMBEDDING, embedder.name, embedder.base_url)
    for reranker in knowledge.own_rerankers:
        if reranker.id == knowledge.reranker:
            yield _at(Channel.RERANKING, reranker.name, reranker.base_url)
    for server in knowledge.chroma_servers:
        yield _at(Channel.INDEX, server.name, server.url)


def _tools(settings: Settings) -> Iterator[Recipient]:
    for server in settings.mcp_servers:
        if server.is_enabled:
            yield (
                _at(Channel.TOOLS, server.name, server.url)
                if server.url
                else Recipient(Channel.TOOLS, server.name, is_here=True)
            )


def _list_backup_recipients(settings: Settings) -> Iterator[Recipient]:
    for destination in settings.backup.destinations:
        if destination.is_enabled and destination.kind != "folder":
            yield _at(Channel.BACKUP, destination.name, destination.address)


def _at(channel: Channel, name: str, address: str) -> Recipient:
    try:
        host = urlsplit(address).hostname or address
    except ValueError:
        host = address
    return Recipient(channel, name, host, is_here=is_loopback(address))


class PrivacyService(Privacy):
    """Knows whom a question reaches, and all places where the user's text is stored. Belongs to the asyncio thread."""

    def __init__(
        self,
        store: ConversationStore,
        history: HistoryStore,
        knowledge: Callable[[], KnowledgeClient],
        pasted: tuple[Path, ...],
        *,
        egress_log: EgressLog,
        settings: Callable[[], Settings],
        web: "Callable[[], WebSearch]",
    ) -> None:
        """`pasted` are the folders of pasted pictures and texts."""
        self._store = store
        self._memories = MemoryRepository(store.database)
        self._knowledge = knowledge
        self._history = history
        self._pasted = pasted
        self._egress_log = egress_log
        self._settings = settings
        self._web = web

    @override
    async def stays_here(self, conversation_id: str) -> bool:
        return await self._egress_log.stays_here(conversation_id)

    @override
    async def keep_here(self, conversation_id: str, is_kept: bool) -> None:
        await self._egress_log.keep_here(conversation_id, is_kept)

    @override
    async def list_egress(self, conversation_id: str = "") -> tuple[EgressSummary, ...]:
        return await self._egress_log.list_egress(conversation_id)

    @override
    async def recipients(self, conversation_id: str = "") -> tuple[Recipient, ...]:
        stays_here = bool(conversation_id) and await self._egress_log.stays_here(conversation_id)
        return recipients_of(self._settings(), await self._web().engines(), stays_here=stays_here)

    @override
    async def remains(self) -> DeletedData:
        """Return the deleted data that can still be restored."""
        store = self._store
        await store.database.open()
        copies = await asyncio.to_thread(LocalBackups(store.database.path).copies)
        return DeletedData(await store.count_deleted(), await self._memories.count_deleted(), len(copies))

    @override
    async def restore_deleted(self) -> None:
        def restore(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE conversations SET deleted_at = NULL WHERE deleted_at IS NOT NULL")
            connection.execute("UPDATE memories SET deleted_at = NULL WHERE deleted_at IS NOT NULL")

        await self._store.database.write(restore)

    @override
    async def erase(self, *, with_copies: bool = False) -> None:
        """Permanently delete, now, what was deleted. After an error the rest can be erased by another call."""
        store = self._store
        await store.database.repair_all()  # unreferenced rows are deleted: the references have to be correct
        await store.purge(_AT_ONCE)
        await self._memories.purge(_AT_ONCE)
        await store.database.erase_deleted()
        await self._forget_pasted()
        await self._history.erase_deleted()
        await CitedPageStore(store.database, store.database.path.parent / FOLDER).remove_unused_files()
        await self._forget_files()
        await self._knowledge().erase_deleted()
        if with_copies:
            begin_anew = LocalBackups(store.database.path).begin_anew
            await store.run_with_repair(partial(asyncio.to_thread, begin_anew, datetime.now(UTC)))
            await KnowledgeBackups(store.database.path.parent, self._knowledge).begin_anew()

    async def remove_leftovers(self) -> None:
        """Delete the files of conversations that are permanently deleted.

        The worker of the bases is started only if there are such files.
        """
        store = self._store
        await self._forget_pasted()
        owners = await asyncio.to_thread(_owners, store.database.path.parent / _KNOWLEDGE)
        if owners - await store.ids():
            await self._forget_files()
            await self._knowledge().erase_deleted(UNDO_FOR.total_seconds())

    async def _forget_pasted(self) -> None:
        drafts = (await DraftStore(self._store.database).all()).values()
        attachments = {
            *await self._store.attachments(),
            *(str(path) for draft in drafts for path in draft.files),
        }
        for folder in self._pasted:
            await asyncio.to_thread(_forget_pasted, folder, attachments)

    async def _forget_files(self) -> None:
        """Delete the rows of files whose conversations are permanently deleted."""
        client = self._knowledge()
        # Queried first: a conversation exists before its files do.
        bases = await client.all_bases()
        known = await self._store.ids()
        for base in bases:
            if base.owner is not None and base.owner not in known:
                await client.delete(base.id)
                await client.forget(base.id)
