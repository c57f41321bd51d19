"""Every room below the window, made when it is first used and closed when all ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from desktop.chat.ports import Engine
from desktop.engine.browser_setup import EngineBrowserSetup
from desktop.engine.catalogue import DeferredCatalogue
from desktop.engine.conversations import DeferredConversations
from desktop.engine.pictures import DeferredPictures
from desktop.engine.preferences import EnginePreferences
from desktop.engine.searches import DeferredSearches
from desktop.engine.turns import DeferredTurns
from desktop.errors import AppError
from desktop.settings.folders import Folders
from desktop.settings.model import SearchSettings
from desktop.settings.secrets import take_keys

# Rooms bring httpx, SDKs, parsers and the browser with them: each is imported where it is first made,
# so that the window is painted before and `footnote render` never loads them.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    import httpx

    from desktop.chat.lookup import Lookup
    from desktop.chat.turn import TurnRunner
    from desktop.engine.embedders import PersonsEmbedders
    from desktop.engine.knowledge import PersonsBases
    from desktop.engine.memory import PersonsMemories
    from desktop.engine.models import Models
    from desktop.engine.proxies import Proxies
    from desktop.engine.tool_servers import ToolServers
    from desktop.knowledge.client import KnowledgeClient
    from desktop.knowledge.setup import Setup
    from desktop.search.browser import Browser
    from desktop.search.fetch import Fetched, Fetcher, FetchFailed, Validators
    from desktop.search.guard import Guard
    from desktop.search.icon_store import IconStore
    from desktop.search.icons import IconCollector
    from desktop.search.pictures import PictureFetcher
    from desktop.search.reader import PageReader
    from desktop.search.sites import Sites
    from desktop.search.web import WebSearch
    from desktop.storage.conversations import ConversationStore
    from desktop.storage.database import Database

_T = TypeVar("_T")

_ICON_FOLDER = "site-icons"
_PICTURES_FOLDER = "pictures"
_STATE_FILE = "search-cookies.json"
_LISTS = "block-lists"
_HEALTH_FILE = "engines.json"
_MODELS = "knowledge/models"


class Rooms:
    """Belongs to one event loop, apart from its making, which is cheap and may happen anywhere.

    `conversations` is the folder of the conversations where that is not the data folder.
    """

    def __init__(self, folders: Folders, conversations: Path | None = None) -> None:
        self.folders = folders
        self._conversations = conversations or folders.data
        self._closing = AsyncExitStack()
        self._store: asyncio.Task[ConversationStore] | None = None
        self._memory: asyncio.Task[Database] | None = None
        self._telling: set[asyncio.Task[None]] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self.preferences = EnginePreferences(
            folders,
            models=lambda: self.models,
            web=lambda: self.web,
            sites=lambda: self.sites,
            on_saved=self._use_new_settings,
            keys=take_keys(),
        )
        self.browser_setup = EngineBrowserSetup(lambda: self.preferences.settings.search)
        self._fixed = _fixed(self.preferences.settings.search)

    @property
    def engine(self) -> Engine:
        """What a window works with."""
        return Engine(
            conversations=DeferredConversations(self.store),
            turns=DeferredTurns(lambda: self.turns),
            catalogue=DeferredCatalogue(lambda: self.models, lambda: self.web),
            knowledge=self.bases,
            preferences=self.preferences,
            browser=self.browser_setup,
            searches=DeferredSearches(lambda: self.web),
            icons=self.icon_store,
            pictures=DeferredPictures(lambda: self.pictures, self.folders.data / _PICTURES_FOLDER),
            memories=self.memories,
            tool_servers=self.tool_servers,
            embedders=self.embedders,
        )

    async def store(self) -> "ConversationStore":
        """Return the conversations, opened once."""
        from desktop.storage.conversations import ConversationStore

        if self._store is None:
            self._store = asyncio.create_task(ConversationStore.open(self._conversations))
        opening = self._store
        try:
            return await asyncio.shield(opening)
        except AppError:
            if self._store is opening:
                self._store = None  # the next one tries again: room may have been made on the disk
            raise

    @cached_property
    def proxies(self) -> "Proxies":
        """Says through which proxy each part connects."""
        from desktop.engine.proxies import Proxies

        return Proxies(lambda: self.preferences.settings, self.preferences.secret)

    @cached_property
    def models(self) -> "Models":
        """The language models."""
        from desktop.engine.models import Models

        return self._closed_by(
            Models(
                lambda: self.preferences.settings,
                self.preferences.secret,
                proxy=self.proxies.choosing("models"),
            ),
            "aclose",
        )

    @cached_property
    def knowledge(self) -> "KnowledgeClient":
        """The knowledge bases; their worker starts with the first question to it."""
        from desktop.knowledge.client import KnowledgeClient

        return self._closed_by(KnowledgeClient(self.folders.data, self._knowledge_setup), "aclose")

    async def _knowledge_setup(self) -> "Setup":
        from desktop.knowledge.setup import Setup, secret_names

        settings = self.preferences.settings.knowledge
        secrets = {name: await self.preferences.secret(name) for name in secret_names(settings)}
        return Setup(settings, secrets, await self.proxies.choice("models"))

    @cached_property
    def embedders(self) -> "PersonsEmbedders":
        """The embedding models, and the servers of knowledge bases."""
        from desktop.engine.embedders import PersonsEmbedders

        return PersonsEmbedders(
            self.knowledge,
            self.folders.data / _MODELS,
            lambda: self.preferences.settings.knowledge,
            self.proxies.choosing("models"),
        )

    @cached_property
    def bases(self) -> "PersonsBases":
        """The knowledge bases as the person knows them, whose links are fetched here."""
        from desktop.engine.knowledge import PersonsBases
        from desktop.engine.links import LinkFetcher

        links = LinkFetcher(self.knowledge, lambda: self.reader)
        return PersonsBases(self.knowledge, self._closed_by(links, "aclose"))

    @cached_property
    def guard(self) -> "Guard":
        """Says which addresses may be connected to."""
        from desktop.search.guard import Guard

        return Guard(_allowed(self.preferences.settings.search))

    @cached_property
    def browser(self) -> "Browser":
        """The browser; it starts with its first page."""
        from desktop.search.browser import Browser, BrowserOptions

        search = self.preferences.settings.search
        options = BrowserOptions(
            executable=search.browser_path,
            state_file=self.folders.data / _STATE_FILE,
            locale=search.language,
            is_allowed=self.guard.may_request,
            addresses=self.guard.addresses,
            choose_proxy=lambda purpose: self.proxies.choice(purpose.value),
        )
        return self._closed_by(Browser(options), "close")

    @cached_property
    def client(self) -> "httpx.AsyncClient":
        """The client for search APIs, whose addresses are ours or the person's."""
        import httpx

        from desktop.search.proxied import ProxiedTransport

        transport = ProxiedTransport(self.proxies.choosing("search"), httpx.AsyncHTTPTransport())
        client = httpx.AsyncClient(transport=transport, timeout=20.0)
        return self._closed_by(client, "aclose")

    @cached_property
    def web(self) -> "WebSearch":
        """The search engines."""
        from desktop.search.web import WebSearch

        return WebSearch(
            self.preferences.settings.search,
            browser=self.browser,
            secret=self.preferences.secret,
            client=self.client,
            health_file=self.folders.cache / _HEALTH_FILE,
            sites=self.sites,
        )

    @cached_property
    def sites(self) -> "Sites":
        """The sites whose results are left out."""
        from desktop.search.block_lists import BlockLists
        from desktop.search.sites import Sites

        lists = BlockLists(self.folders.cache / _LISTS, self._fetch_list)
        return Sites(lambda: self.preferences.settings.search, self._closed_by(lists, "aclose"))

    @cached_property
    def fetcher(self) -> "Fetcher":
        """Fetches pages over plain HTTP."""
        from desktop.search.fetch import Fetcher

        return self._closed_by(Fetcher(self.guard, choose_proxy=self.proxies.choosing("reading")), "aclose")

    @cached_property
    def reader(self) -> "PageReader":
        """Reads web pages."""
        from desktop.search.page_services import PageServices
        from desktop.search.reader import PageReader

        helper = PageServices(lambda: self.preferences.settings.search, self.preferences.secret, self.client)
        reader = PageReader(self.fetcher, self.browser, helper=helper, icons=self.icons)
        return self._closed_by(reader, "aclose")

    @cached_property
    def icon_store(self) -> "IconStore":
        """The icons of sites; the folder is made with the first of them."""
        from desktop.search.icon_store import IconStore

        return IconStore(self.folders.data / _ICON_FOLDER)

    @cached_property
    def icons(self) -> "IconCollector":
        """Learns the icons of the sites that are read, through the guard and the proxy of reading."""
        from desktop.search.fetch import Fetcher
        from desktop.search.icons import LIMITS, IconCollector

        fetcher = self._closed_by(
            Fetcher(self.guard, LIMITS, choose_proxy=self.proxies.choosing("reading")), "aclose"
        )
        return self._closed_by(IconCollector(fetcher, self.icon_store), "aclose")

    @cached_property
    def pictures(self) -> "PictureFetcher":
        """Fetches pictures of answers, through the guard and the proxy of reading."""
        from desktop.search.fetch import Fetcher
        from desktop.search.pictures import LIMITS, PictureFetcher

        fetcher = self._closed_by(
            Fetcher(self.guard, LIMITS, choose_proxy=self.proxies.choosing("reading")), "aclose"
        )
        return PictureFetcher(fetcher)

    @cached_property
    def memories(self) -> "PersonsMemories":
        """What is remembered: in the data folder, also where the conversation is kept elsewhere or nowhere."""
        from desktop.engine.memory import PersonsMemories

        return PersonsMemories(self._memory_database)

    async def _memory_database(self) -> "Database":
        if self._conversations == self.folders.data:
            return (await self.store()).database
        if self._memory is None:
            from desktop.storage.conversations import FILE_NAME
            from desktop.storage.database import Database

            self._memory = asyncio.create_task(Database.open(self.folders.data / FILE_NAME))
            self._closing.push_async_callback(self._close_memory)
        opening = self._memory
        try:
            return await asyncio.shield(opening)
        except AppError:
            if self._memory is opening:
                self._memory = None
            raise

    async def _close_memory(self) -> None:
        if self._memory is not None:
            opening, self._memory = self._memory, None
            await (await opening).close()

    @cached_property
    def lookup(self) -> "Lookup":
        """Intent and gathering for one question."""
        from desktop.chat.lookup import Lookup
        from desktop.chat.memory import Recall

        return Lookup(
            web=self.web,
            reader=self.reader,
            knowledge=self.knowledge,
            pick_model=self.models.pick,
            settings=lambda: self.preferences.settings,
            memory=Recall(self.memories.all, lambda: self.preferences.settings).place,
            meanings=self.knowledge,
        )

    @cached_property
    def tool_servers(self) -> "ToolServers":
        """The person's tool servers; each starts when its tools are first asked for."""
        from desktop.engine.tool_servers import ToolServers

        return self._closed_by(
            ToolServers(
                lambda: self.preferences.settings,
                self.preferences,
                lambda: self.proxies.choice("mcp"),
            ),
            "aclose",
        )

    @cached_property
    def turns(self) -> "TurnRunner":
        """Answers questions."""
        from desktop.chat.checking.desk import CheckDesk
        from desktop.chat.consents import Consents
        from desktop.chat.procedure_desk import ProcedureDesk
        from desktop.chat.toolset import Toolset
        from desktop.chat.turn import TurnRunner

        toolset = Toolset(
            lookup=self.lookup,
            settings=lambda: self.preferences.settings,
            servers=self.tool_servers.tools,
            keep=self.memories.keep_confirmed,
            problems=lambda: self.tool_servers.problems,
        )
        return TurnRunner(
            store=self.store,
            pick_model=self.models.pick,
            gather=self.lookup.gather,
            settings=lambda: self.preferences.settings,
            tools=toolset.tools,
            tool_problems=toolset.problems,
            draw_page=self.knowledge.draw,
            consents=Consents(lambda: dict(self.preferences.settings.chat.tool_consents)),
            procedures=ProcedureDesk(
                self.lookup.look_up,
                lambda: self.preferences.settings,
                self.knowledge,
                self.lookup.recall,
                self.knowledge.draw,
            ),
            checks=CheckDesk(
                store=self.store,
                pick_model=self.models.pick,
                meanings=self.knowledge,
                settings=lambda: self.preferences.settings,
            ),
        )

    async def aclose(self) -> None:
        """Close what was made, the last one first."""
        for telling in self._telling:  # it may wait for a keyring, and nobody goes by it any more
            telling.cancel()
        try:
            await self._closing.aclose()
            await asyncio.gather(*self._leaving)
        finally:
            if self._store is not None:
                opening, self._store = self._store, None
                await (await opening).close()

    async def _fetch_list(self, url: str, known: "Validators | None") -> "Fetched | FetchFailed":
        return await self.fetcher.fetch(url, known)  # of now: it is made anew with the guard

    def _use_new_settings(self) -> None:
        """Let the rooms that are made already go by the settings as they are now."""
        if "knowledge" in self.__dict__:
            _begin(self.knowledge.reconfigure(), self._telling)
        search = self.preferences.settings.search
        if "web" in self.__dict__:
            self.web.settings = search
        if _fixed(search) != self._fixed:
            self._fixed = _fixed(search)
            if "browser" in self.__dict__:
                _begin(self.browser.close_when_idle(), self._leaving)
            # Made anew at the next question; what runs now goes on with the old ones.
            for room in (
                "guard",
                "fetcher",
                "browser",
                "web",
                "reader",
                "icons",
                "pictures",
                "lookup",
                "turns",
            ):
                self.__dict__.pop(room, None)

    def _closed_by(self, room: _T, method: str) -> _T:
        close: Callable[[], Awaitable[object]] = getattr(room, method)
        self._closing.push_async_callback(close)
        return room


@asynccontextmanager
async def running_rooms(folders: Folders, conversations: Path | None = None) -> AsyncIterator[Rooms]:
    """Give the rooms for as long as the block lasts."""
    rooms = Rooms(folders, conversations)
    try:
        yield rooms
    finally:
        await rooms.aclose()


def _begin(work: Coroutine[None, None, None], under_way: set[asyncio.Task[None]]) -> None:
    """Do something that nobody waits for, and keep hold of it until it is done."""
    task = asyncio.create_task(work)
    under_way.add(task)
    task.add_done_callback(under_way.discard)


def _allowed(search: SearchSettings) -> tuple[str, ...]:
    """Return the hosts that the person named, search engines of their own among them."""
    known = [address for _, address in search.engine_addresses]
    engines = (urlsplit(address).netloc for address in (*known, *(own.address for own in search.own_engines)))
    return (*search.allowed_hosts, *filter(None, engines))


def _fixed(search: SearchSettings) -> tuple[object, ...]:
    """Return the settings that guard and browser take when they are made."""
    own = tuple(engine.address for engine in search.own_engines)
    return search.allowed_hosts, search.engine_addresses, own, search.browser_path, search.language
