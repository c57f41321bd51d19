"""Services for backups, exports and imports, and the deletion of data that is no longer needed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from desktop.errors import AppError
from desktop.services.preferences import PreferencesService
from desktop.settings import egress
from desktop.settings.folders import AppFolders

# Services import an HTTP client and parsers: each is imported where it is first created.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    import httpx

    from desktop.knowledge.worker.client import KnowledgeClient
    from desktop.services.backups import BackupService
    from desktop.services.memories import MemoryService
    from desktop.services.preferences import Proxies
    from desktop.services.transfers import TransferService
    from desktop.storage.conversation_store import ConversationStore

_FIRST_TIDY_S = 120.0
"""Delay in seconds: by then conversations that were deleted a day ago have been purged."""
_TIDY_S = 3600.0

_log = logging.getLogger(__name__)


class DataServices:
    """Each service is created when it is first used."""

    def __init__(
        self,
        folders: AppFolders,
        store: "ConversationStore",
        preferences: PreferencesService,
        proxies: "Proxies",
        *,
        memories: Callable[[], "MemoryService"],
        knowledge: Callable[[], "KnowledgeClient"],
        remove_leftovers: Callable[[], Awaitable[None]],
    ) -> None:
        """`remove_leftovers` deletes the files of conversations that are permanently deleted."""
        self._folders = folders
        self._store = store
        self._preferences = preferences
        self._proxies = proxies
        self._memories = memories
        self._knowledge = knowledge
        self._remove_leftovers = remove_leftovers
        self._tidying: asyncio.Task[None] | None = None

    @cached_property
    def backups(self) -> "BackupService":
        """The backups of the user's data."""
        from desktop.services.backups import BackupService

        return BackupService(
            self._folders,
            self._store,
            settings=lambda: self._preferences.settings,
            take_over=self._preferences.take_over,
            secret=self._preferences.secret,
            client=lambda: self._client,
            memories=self._memories,
            knowledge=self._knowledge,
        )

    @cached_property
    def transfers(self) -> "TransferService":
        """Exports and imports of conversations and profiles."""
        from desktop.services.transfers import TransferService

        return TransferService(
            self._folders,
            self._store,
            preferences=self._preferences,
            memories=self._memories,
            knowledge=self._knowledge,
        )

    async def begin(self) -> None:
        """Start the scheduled backups and the clean-up; for a program that stays open."""
        self.backups.start()
        if self._tidying is None:
            self._tidying = asyncio.create_task(
                self._remove_leftovers_regularly(), context=egress.make_detached_context()
            )

    async def aclose(self) -> None:
        """Stop running work and close the connections."""
        if self._tidying is not None:
            self._tidying.cancel()
            with suppress(asyncio.CancelledError):
                await self._tidying
        if "backups" in self.__dict__:
            await self.backups.aclose()
        if "_client" in self.__dict__:
            await self._client.aclose()

    async def _remove_leftovers_regularly(self) -> None:
        await asyncio.sleep(_FIRST_TIDY_S)
        while True:
            try:
                await self._remove_leftovers()
            except AppError as error:
                _log.warning("What came with deleted conversations is still there: %s", error)
            await asyncio.sleep(_TIDY_S)

    @cached_property
    def _client(self) -> "httpx.AsyncClient":
        """The HTTP client for backup servers, whose addresses are set by the user."""
        import httpx

        from desktop.domain.privacy import Channel
        from desktop.search.transport import ProxiedTransport, tls_context

        transport = ProxiedTransport(
            self._proxies.chooser_for("backup"),
            httpx.AsyncHTTPTransport(verify=tls_context()),
            channel=Channel.BACKUP,
        )
        return httpx.AsyncClient(transport=transport, timeout=60.0)
