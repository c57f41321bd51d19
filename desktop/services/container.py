"""All services below the window, each created when it is first used and closed at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from desktop.domain.privacy import Channel
from desktop.errors import AppError, IndexUnavailable, StorageError
from desktop.services.preferences import PreferencesService
from desktop.services.web.container import BrowserSetupService, Closable, WebServices, build_inputs
from desktop.settings.environment_keys import take_keys
from desktop.settings.folders import AppFolders
from desktop.settings.model import Settings

# Services import httpx, SDKs, parsers and the browser: each is imported where it is first created, so that the
# window is painted first and `footnote render` never loads them.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    import httpx

    from desktop.chat.checking.checker import ClaimJudges
    from desktop.chat.checking.service import CitationCheckService
    from desktop.chat.checking.texts import EvidenceSearch
    from desktop.chat.procedures.dispatcher import ProcedureDispatcher
    from desktop.chat.retries import Retries
    from desktop.chat.source_lookup import SourceLookup
    from desktop.chat.turn.runner import TurnRunner
    from desktop.chat.watching import TopicWatcher
    from desktop.domain.search import WebPage
    from desktop.knowledge.bundled_client import BundledModels
    from desktop.knowledge.protocol import WorkerConfig
    from desktop.search.fetcher import FetchedResponse, FetchFailed, Validators
    from desktop.search.icon_store import IconStore
    from desktop.search.reader.recent_pages import RecentPages
    from desktop.search.site_filter import SiteFilter
    from desktop.services.composer import DraftService, QuestionJournalService
    from desktop.services.data import DataServices
    from desktop.services.history import HistoryService
    from desktop.services.knowledge import EmbedderService, KnowledgeService
    from desktop.services.local_models import LocalModelService
    from desktop.services.memories import MemoryService
    from desktop.services.models import Models
    from desktop.services.preferences import Proxies
    from desktop.services.privacy import PrivacyService
    from desktop.services.serving.calls import ServedCalls
    from desktop.services.serving.service import ServingService
    from desktop.services.tool_servers import ToolServerService
    from desktop.services.updates import UpdateService
    from desktop.services.web.cited_pages import PageArchiveService
    from desktop.services.web.texts import TextReader
    from desktop.storage.conversation_store import ConversationStore
    from desktop.storage.db.database import Database
    from desktop.storage.egress_log import EgressLog
    from desktop.storage.history_store import HistoryStore

_T = TypeVar("_T", bound=Closable)

_ICON_FOLDER = "site-icons"
_DECISION_TIMES_FILE = "decision-times.json"
_JOURNAL_FOLDER = "sent-questions"
PICTURES_FOLDER, PASTED_FOLDER = "pictures", "pasted"
_LISTS = "block-lists"
_TOPICS_LOCK = "watched-topics.lock"
_MODELS = "knowledge/models"


class ServiceContainer:
    """Creates and owns the services of one event loop; constructing it is cheap and possible in any thread.

    `conversations` is the folder of the conversations if that is not the data folder. `tell` receives notices
    to the user about their data; without it they are yielded by `troubles` of the conversations. Only one
    program at a time, the window, sets `recovers_questions`, which recovers the journalled questions of earlier
    runs.
    """

    def __init__(
        self,
        folders: AppFolders,
        conversations: Path | None = None,
        tell: Callable[[AppError], None] | None = None,
        *,
        recovers_questions: bool = False,
    ) -> None:
        self.folders = folders
        self._tell = tell
        self._recovers_questions = recovers_questions
        self._conversations = conversations or folders.data
        self._closing = AsyncExitStack()
        self._telling: set[asyncio.Task[None]] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self.preferences = PreferencesService(
            folders,
            models=lambda: self.models,
            web=lambda: self.web_services.web,
            sites=lambda: self.sites,
            on_saved=self._use_new_settings,
            keys=take_keys(),
        )
        self.browser_setup = BrowserSetupService(lambda: self.preferences.settings.search)
        self._made_of = build_inputs(self.preferences.settings.search)

    def _settings(self) -> Settings:
        return self.preferences.settings

    @cached_property
    def store(self) -> "ConversationStore":
        """The conversations; their file is opened at the first use."""
        from desktop.storage.conversation_store import ConversationStore

        return ConversationStore(self._conversations, on_open=self._prepare_conversations)

    async def _prepare_conversations(self, store: "ConversationStore") -> None:
        from desktop.storage.local_copies import remove_abandoned_folders

        _begin(asyncio.to_thread(remove_abandoned_folders), self._telling)
        if self._recovers_questions:
            await self.question_journal.recover(store)
        if store.restored is not None and self._tell is not None:
            self._tell(store.restored)

    @cached_property
    def keeping(self) -> "DataServices":
        """Backups, exports and imports of the data."""
        from desktop.services.data import DataServices

        return self._close_at_end(
            DataServices(
                self.folders,
                self.store,
                self.preferences,
                self.proxies,
                memories=lambda: self.memories,
                knowledge=lambda: self.knowledge,
                remove_leftovers=self._remove_leftovers,
            )
        )

    async def _remove_leftovers(self) -> None:
        await self.privacy.remove_leftovers()
        await self.page_archive.delete_expired()

    @cached_property
    def recent_pages(self) -> "RecentPages":
        """The pages that were read last, until the answers that cite them are stored."""
        from desktop.search.reader.recent_pages import RecentPages

        return RecentPages(lambda: self.preferences.settings.cited_pages.keeps_files)

    @cached_property
    def page_archive(self) -> "PageArchiveService":
        """The web pages that answers cite."""
        from desktop.services.web.cited_pages import PageArchiveService
        from desktop.storage.cited_pages import FOLDER, CitedPageStore

        return self._close_at_end(
            PageArchiveService(
                CitedPageStore(self.store.database, self._conversations / FOLDER),
                self.store,
                recent=self.recent_pages,
                reader=lambda: self.web_services.reader,
                settings=lambda: self.preferences.settings.cited_pages,
                egress_context=self.egress_log.egress_context,
                tell=self._tell_user,
            )
        )

    @cached_property
    def proxies(self) -> "Proxies":
        """The proxy settings of each part of the program."""
        from desktop.services.preferences import Proxies

        return Proxies(self._settings, self.preferences.secret)

    @cached_property
    def retries(self) -> "Retries":
        """The waits before requests are retried."""
        from desktop.chat.retries import Retries

        return Retries()

    @cached_property
    def models(self) -> "Models":
        """The language models."""
        from desktop.services.models import Models

        return self._close_at_end(
            Models(
                self._settings,
                self.preferences.secret,
                proxy=self.proxies.chooser_for("models"),
                retries=self.retries,
                local=self.local_models.provider,
                bundled=self.bundled_models,
            )
        )

    @cached_property
    def bundled_models(self) -> "BundledModels":
        """The models that come along, for answers without the user's files; their process starts when needed."""
        from desktop.knowledge.bundled_client import BundledModels

        return self._close_at_end(BundledModels(lambda: self.knowledge))

    @cached_property
    def local_models(self) -> "LocalModelService":
        """The models that run on this computer; their process starts when one is asked."""
        from desktop.services.local_models import FOLDER, LocalModelService

        return self._close_at_end(
            LocalModelService(self.folders.data / FOLDER, self._settings, self.proxies.chooser_for("models"))
        )

    @cached_property
    def knowledge(self) -> "KnowledgeService":
        """The knowledge bases; their worker starts with the first request."""
        from desktop.services.knowledge import KnowledgeService, SourceTexts
        from desktop.services.models import PictureDescriber

        # The models are created first, so that they are closed after the services that use them.
        describer = PictureDescriber(lambda: self.preferences.settings.knowledge.describer, self.models.pick)
        knowledge = KnowledgeService(
            self.folders.data,
            lambda: self.web_services.reader,
            self._knowledge_setup,
            describer.describe,
            prepare=self._recover_knowledge,
            tell_user=self._tell_user,
            texts=SourceTexts(
                kept=self.page_archive.load,
                recent=lambda: self.recent_pages,
                reader=lambda: self.web_services.reader,
                egress_context=self.egress_log.egress_context,
            ),
        )
        return self._close_at_end(knowledge)

    async def _recover_knowledge(self, found_damage: bool) -> None:
        """Restore damaged knowledge bases before their worker starts, and tell the user; raises IndexUnavailable."""
        from desktop.services.knowledge_backups import KnowledgeBackups

        try:
            backups = KnowledgeBackups(self.folders.data, lambda: self.knowledge)
            restored = await backups.recover(found_damage=found_damage)
        except StorageError as error:
            raise IndexUnavailable(detail=str(error)) from error
        if restored is not None:
            self._tell_user(restored)

    def _tell_user(self, notice: AppError) -> None:
        """Notify the user about their data."""
        if self._tell is not None:
            self._tell(notice)
        else:
            self.store.tell(notice)

    async def _knowledge_setup(self) -> "WorkerConfig":
        from desktop.knowledge.protocol import WorkerConfig, secret_names

        settings = self.preferences.settings.knowledge
        secrets = {name: await self.preferences.secret(name) for name in secret_names(settings)}
        return WorkerConfig(settings, secrets, await self.proxies.choice("models"))

    @cached_property
    def embedders(self) -> "EmbedderService":
        """The embedding models, and the servers of knowledge bases."""
        from desktop.services.knowledge import EmbedderService

        return EmbedderService(
            self.knowledge,
            self.folders.data / _MODELS,
            lambda: self.preferences.settings.knowledge,
            self.proxies.chooser_for("models"),
        )

    @cached_property
    def client(self) -> "httpx.AsyncClient":
        """The HTTP client for search APIs, whose addresses are built in or set by the user."""
        import httpx

        from desktop.search.transport import ProxiedTransport, tls_context

        transport = ProxiedTransport(
            self.proxies.chooser_for("search"),
            httpx.AsyncHTTPTransport(verify=tls_context()),
            channel=Channel.SEARCH,
        )
        client = httpx.AsyncClient(transport=transport, timeout=20.0)
        return self._close_at_end(client)

    @cached_property
    def web_services(self) -> WebServices:
        """The web services for the current settings."""
        return WebServices(
            self.folders,
            self.preferences,
            self.proxies,
            client=lambda: self.client,
            sites=lambda: self.sites,
            icon_store=lambda: self.icon_store,
            recent=lambda: self.recent_pages,
            close_later=self._closing.push_async_callback,
        )

    async def _read_page(self, url: str) -> "WebPage":
        """Read a page with the reader for the current settings, which is created with the first page."""
        return await self.web_services.reader.read(url)

    @cached_property
    def sites(self) -> "SiteFilter":
        """The filter for sites whose results are left out."""
        from desktop.search.site_filter import BlockLists, SiteFilter

        lists = BlockLists(self.folders.cache / _LISTS, self._fetch_list)
        return SiteFilter(lambda: self.preferences.settings.search, self._close_at_end(lists))

    @cached_property
    def icon_store(self) -> "IconStore":
        """The icons of sites; the folder is created with the first icon."""
        from desktop.search.icon_store import IconStore

        return IconStore(self.folders.data / _ICON_FOLDER)

    @cached_property
    def memories(self) -> "MemoryService":
        """The memories: in the data folder, even if the conversation is kept elsewhere or not at all."""
        from desktop.services.memories import MemoryService

        return MemoryService(self._memory_database)

    @cached_property
    def drafts(self) -> "DraftService":
        """The drafts."""
        from desktop.services.composer import DraftService

        return self._close_at_end(DraftService(self.store.database))

    @cached_property
    def _memory_database(self) -> "Database":
        if self._conversations == self.folders.data:
            return self.store.database
        from desktop.storage.conversation_store import FILE_NAME
        from desktop.storage.db.database import Database

        database = Database(self.folders.data / FILE_NAME)
        self._closing.push_async_callback(database.close)
        return database

    @cached_property
    def question_journal(self) -> "QuestionJournalService":
        """The journal of questions that are not in the conversations yet."""
        from desktop.services.composer import QuestionJournalService

        return self._close_at_end(QuestionJournalService(self.folders.data / _JOURNAL_FOLDER))

    @cached_property
    def history_store(self) -> "HistoryStore":
        """The full-text history of all conversations; its index is opened at the first search."""
        from desktop.storage.history_store import HistoryStore

        return self._close_at_end(HistoryStore(self.store.database))

    @cached_property
    def history(self) -> "HistoryService":
        """The history search by words and by meaning."""
        from desktop.services.history import HistoryService

        return HistoryService(self.history_store, lambda: self.knowledge)

    @cached_property
    def egress_log(self) -> "EgressLog":
        """Which conversations stay on this machine, and what others sent."""
        from desktop.storage.egress_log import EgressLog

        return self._close_at_end(EgressLog(self.store.database))

    @cached_property
    def privacy(self) -> "PrivacyService":
        """Privacy: data that leaves the machine, conversations kept here, and permanent deletion."""
        from desktop.services.privacy import PrivacyService

        return PrivacyService(
            self.store,
            self.history_store,
            lambda: self.knowledge,
            tuple(self.folders.data / name for name in (PICTURES_FOLDER, PASTED_FOLDER)),
            egress_log=self.egress_log,
            settings=self._settings,
            web=lambda: self.web_services.web,
        )

    @cached_property
    def updates(self) -> "UpdateService":
        """This installation, and newer versions of it."""
        from desktop.services.updates import UpdateService

        return UpdateService(
            self.folders, lambda: self.preferences.settings.program, self.proxies.chooser_for("reading")
        )

    @cached_property
    def lookup(self) -> "SourceLookup":
        """Intent detection and source gathering for one question."""
        from desktop.chat.source_lookup import MemoryProvider, SourceLookup
        from desktop.search.intent import DecisionTimes
        from desktop.storage.memories import MemoryRepository

        return SourceLookup(
            web=lambda: self.web_services.web,
            read=self._read_page,
            knowledge=self.knowledge,
            pick_model=self.models.pick,
            settings=self._settings,
            memory=MemoryProvider(MemoryRepository(self._memory_database).all, self._settings).place,
            meanings=self.knowledge,
            times=DecisionTimes(self.folders.cache / _DECISION_TIMES_FILE),
        )

    @cached_property
    def evidence(self) -> "EvidenceSearch":
        """The places where the claims of a text are looked up."""
        from desktop.chat.checking.texts import EvidenceSearch

        return EvidenceSearch(
            knowledge=self.knowledge,
            lookup=self.lookup,
            read=self._read_page,
            pick_model=self.models.pick,
            judges=self.claim_judges,
        )

    def claim_judges(self) -> "ClaimJudges":
        """Return the models that judge claims under the current settings."""
        from desktop.chat.checking.checker import ClaimJudges

        is_chosen = bool(self.preferences.settings.knowledge.entailment_model)
        return ClaimJudges(self.knowledge if is_chosen else None, self.bundled_models)

    @cached_property
    def citation_checks(self) -> "CitationCheckService":
        """The check of citations; an answer without any needs none."""
        from desktop.chat.checking.service import CitationCheckService

        return CitationCheckService(
            store=self.store,
            pick_model=self.models.pick,
            settings=self._settings,
            judges=self.claim_judges,
        )

    @cached_property
    def procedures(self) -> "ProcedureDispatcher":
        """Research, summaries, drafts and checks of texts."""
        from desktop.chat.procedures.dispatcher import ProcedureDispatcher

        return ProcedureDispatcher(
            self.lookup.look_up,
            self._settings,
            self.knowledge,
            self.lookup.recall,
            self.knowledge.draw,
            evidence=self.evidence,
            texts=self.outside_texts,
        )

    @cached_property
    def outside_texts(self) -> "TextReader":
        """Reads texts that are to be checked; its processes start with the first one."""
        from desktop.services.web.texts import TextReader

        return self._close_at_end(TextReader(lambda: self.web_services.reader))

    @cached_property
    def tool_servers(self) -> "ToolServerService":
        """The user's tool servers; each starts when its tools are first needed."""
        from desktop.services.tool_servers import ToolServerService

        return self._close_at_end(
            ToolServerService(self._settings, self.preferences, lambda: self.proxies.choice("mcp"))
        )

    @cached_property
    def serving(self) -> "ServingService":
        """For the window: what other programs asked, and how they start Footnote."""
        from desktop.services.serving.service import ServingService

        return ServingService(self.folders, self.preferences)

    @cached_property
    def served_calls(self) -> "ServedCalls":
        """Carries out the calls of other programs."""
        from desktop.services.serving.calls import ServedCalls

        return ServedCalls(
            settings=self._settings,
            knowledge=self.knowledge,
            evidence=self.evidence,
            read=self._read_page,
            turns=self.turns,
            store=self.store,
        )

    @cached_property
    def turns(self) -> "TurnRunner":
        """The turn runner. It is never recreated: it holds the running answers and pending questions to the user."""
        from desktop.services.answering import turn_runner

        return turn_runner(
            self.lookup,
            store=self.store,
            pick_model=self.models.pick,
            settings=self._settings,
            knowledge=self.knowledge,
            servers=self.tool_servers,
            keep=self.memories.keep_confirmed,
            retries=self.retries,
            keep_pages=self.page_archive.keep_soon,
            procedures=lambda: self.procedures,
            checks=lambda: self.citation_checks,
        )

    @cached_property
    def topics(self) -> "TopicWatcher":
        """The watched topics."""
        from desktop.chat.watching import TopicWatcher
        from desktop.storage.topics import TopicStore

        return TopicWatcher(
            topics=TopicStore(self.store.database),
            egress_context=self.egress_log.egress_context,
            store=self.store,
            turns=lambda: self.turns,
            lock_file=self.folders.data / _TOPICS_LOCK,
            expire_pages=self._expire_pages,
        )

    def _expire_pages(self) -> None:
        self.web_services.reader.cache.expire()

    async def aclose(self) -> None:
        """Close all created services, the last one first."""
        for telling in self._telling:  # it may wait for a keyring, and its result is no longer needed
            telling.cancel()
        try:
            await self._closing.aclose()
            await asyncio.gather(*self._leaving)
        finally:
            if "store" in self.__dict__:
                await self.store.close()

    async def _fetch_list(self, url: str, known: "Validators | None") -> "FetchedResponse | FetchFailed":
        return await self.web_services.fetcher.fetch(url, known)  # current: it is recreated with the guard

    def _use_new_settings(self) -> None:
        """Apply the current settings to the services that exist already."""
        if "knowledge" in self.__dict__:
            _begin(self.knowledge.reconfigure(), self._telling)
        search = self.preferences.settings.search
        if "web_services" in self.__dict__:
            self.web_services.use(search)
        if build_inputs(search) != self._made_of:
            self._made_of = build_inputs(search)
            # Recreated at the next use; the old one finishes its current work.
            if old := self.__dict__.pop("web_services", None):
                _begin(old.retire(), self._leaving)

    def _close_at_end(self, service: _T) -> _T:
        self._closing.push_async_callback(service.aclose)
        return service


@asynccontextmanager
async def running_services(
    folders: AppFolders,
    conversations: Path | None = None,
    tell: Callable[[AppError], None] | None = None,
) -> AsyncIterator[ServiceContainer]:
    """Keep the services open for the duration of the block.

    Raises:
        StorageUnavailable: the data folder can neither be used nor be created.
    """
    await asyncio.to_thread(folders.check)
    await asyncio.to_thread(folders.close_to_others)
    services = ServiceContainer(folders, conversations, tell)
    try:
        yield services
    finally:
        await services.aclose()


def _begin(work: Coroutine[None, None, None], under_way: set[asyncio.Task[None]]) -> None:
    """Run a coroutine in the background, keeping a reference to it until it is done."""
    task = asyncio.create_task(work)
    under_way.add(task)
    task.add_done_callback(under_way.discard)
