"""What keeps the person's data beyond this program and machine: copies, exports, imports."""

from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING

from desktop.engine.preferences import EnginePreferences
from desktop.settings.folders import Folders

# Rooms bring an HTTP client and parsers with them: each is imported where it is first made.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    import httpx

    from desktop.engine.backups import PersonsBackups
    from desktop.engine.memory import PersonsMemories
    from desktop.engine.proxies import Proxies
    from desktop.engine.transfers import PersonsTransfers
    from desktop.knowledge.client import KnowledgeClient
    from desktop.storage.conversations import ConversationStore


class KeepingRooms:
    """Each room is made when it is first used."""

    def __init__(
        self,
        folders: Folders,
        store: Callable[[], Awaitable["ConversationStore"]],
        preferences: EnginePreferences,
        proxies: "Proxies",
        *,
        memories: Callable[[], "PersonsMemories"],
        knowledge: Callable[[], "KnowledgeClient"],
    ) -> None:
        self._folders = folders
        self._store = store
        self._preferences = preferences
        self._proxies = proxies
        self._memories = memories
        self._knowledge = knowledge

    @cached_property
    def backups(self) -> "PersonsBackups":
        """The copies of what the person would miss."""
        from desktop.engine.backups import PersonsBackups

        return PersonsBackups(
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
    def transfers(self) -> "PersonsTransfers":
        """Files that take conversations from one program to another."""
        from desktop.engine.transfers import PersonsTransfers

        return PersonsTransfers(
            self._folders,
            self._store,
            preferences=self._preferences,
            memories=self._memories,
            knowledge=self._knowledge,
        )

    async def begin(self) -> None:
        """Copy to the destinations of the settings from now on; for a program that stays open."""
        self.backups.start()

    async def aclose(self) -> None:
        """Stop what is under way and close the connections."""
        if "backups" in self.__dict__:
            await self.backups.aclose()
        if "_client" in self.__dict__:
            await self._client.aclose()

    @cached_property
    def _client(self) -> "httpx.AsyncClient":
        """The client for servers that keep copies, whose addresses are the person's."""
        import httpx

        from desktop.domain.privacy import Channel
        from desktop.search.proxied import ProxiedTransport

        transport = ProxiedTransport(
            self._proxies.choosing("backup"), httpx.AsyncHTTPTransport(), channel=Channel.BACKUP
        )
        return httpx.AsyncClient(transport=transport, timeout=60.0)
