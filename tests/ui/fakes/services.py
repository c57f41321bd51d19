"""A small engine in memory, at the port: conversations, turns that wait at a gate, bases, preferences."""

import asyncio
import base64
import json
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from typing_extensions import override

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import NotificationResult
from desktop.chat.api.engine import Services
from desktop.chat.api.system import KeyNews
from desktop.domain.knowledge import (
    AdditionOutcome,
    BaseInfo,
    FolderInfo,
    ItemInfo,
    ItemKind,
    ItemProgress,
    ItemState,
    OriginalState,
    PassageInfo,
    SearchTrial,
    SourceAddition,
    Transfer,
)
from desktop.domain.messages import (
    Conversation,
    ConversationInfo,
    Message,
    Speaker,
)
from desktop.domain.sources import Source
from desktop.errors import (
    AppError,
    BaseExists,
    UnknownBase,
)
from desktop.installation import Installation, InstallForm
from desktop.search.web_search import WebSearch
from desktop.services.container import ServiceContainer
from desktop.services.preferences import PreferencesService
from desktop.services.updates import UpdateService
from desktop.services.window import window_services
from desktop.settings.folders import AppFolders
from desktop.settings.model import ProviderSettings, Settings
from desktop.settings.secrets import Secrets
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.conversations.message_tree import AT_END, Unsaved, add
from desktop.storage.db.rows import micros
from tests.ui.fakes.scripts import answering, yielding
from tests.ui.fakes.turns import SOURCE, ScriptedModels, ScriptedTurns

RED_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)

OLLAMA = ProviderSettings("ollama", "Ollama", "openai", "http://127.0.0.1:11434/v1", needs_key=False)
OPENAI = ProviderSettings("openai", "OpenAI", "openai", "https://api.openai.com/v1")
ANTHROPIC = ProviderSettings("anthropic", "Anthropic", "anthropic", "https://api.anthropic.com")


class FakeKnowledge:
    """Items named `bad…` fail; every other one is read as three pages. Waits at a gate when told to.

    Every step is told to `steps` too; `tell` has one happen that nobody asked for.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, BaseInfo] = {}
        self.items_of: dict[str, list[ItemInfo]] = {}
        self.deleted: dict[str, BaseInfo] = {}
        self.forgotten: list[str] = []
        self.notes: dict[str, str] = {}
        self.found: dict[str, SearchTrial] = {}
        self.passages_of: dict[str, tuple[PassageInfo, ...]] = {}
        self.watched: dict[str, FolderInfo] = {}
        self.exported: list[tuple[str, Path]] = []
        self.error: AppError | None = None
        self.texts: dict[str, str] = {}
        self.states: dict[Path, OriginalState] = {}
        self.gate = asyncio.Event()
        self.gate.set()
        self.added_from: list[str] = []
        """The conversations whose sources were added, in their order."""
        self.is_read = asyncio.Event()
        """Items of `add_sources` whose name begins with “long” are read once it is set."""
        self._listeners: list[asyncio.Queue[ItemProgress]] = []
        self._count = 0

    def put(self, name: str, items: Sequence[ItemInfo] = ()) -> BaseInfo:
        self._count += 1
        base = BaseInfo(f"b{self._count}", name)
        self.by_name[name] = base
        self.items_of[base.id] = list(items)
        return base

    async def tell(self, progress: ItemProgress) -> ItemProgress:
        """Keep the item of a step and tell all who follow."""
        items = self.items_of[progress.item.base_id]
        if all(item.id != progress.item.id for item in items):
            items.append(progress.item)
        items[:] = [progress.item if item.id == progress.item.id else item for item in items]
        for listener in self._listeners:
            listener.put_nowait(progress)
        return progress

    async def steps(self) -> AsyncIterator[ItemProgress]:
        listener: asyncio.Queue[ItemProgress] = asyncio.Queue()
        self._listeners.append(listener)
        try:
            while True:
                yield await listener.get()
        finally:
            self._listeners.remove(listener)

    async def bases(self) -> tuple[BaseInfo, ...]:
        return tuple(self._seen(base) for _, base in sorted(self.by_name.items()))

    def _seen(self, base: BaseInfo) -> BaseInfo:
        items = self.items_of[base.id]
        tags = dict.fromkeys(tag for item in items for tag in item.tags)
        return replace(
            base,
            items=len(items),
            passages=sum(item.passages for item in items),
            tags=tuple(sorted(tags)),
        )

    async def create(self, name: str) -> BaseInfo:
        if name in self.by_name:
            raise BaseExists(base=name)
        return self.put(name)

    def _base(self, base_id: str) -> BaseInfo:
        for base in self.by_name.values():
            if base.id == base_id:
                return base
        raise UnknownBase(base=base_id)

    async def update(self, base: BaseInfo) -> BaseInfo:
        known = self._base(base.id)
        await self.gate.wait()
        if base.name != known.name and base.name in self.by_name:
            raise BaseExists(base=base.name)
        del self.by_name[known.name]
        self.by_name[base.name] = base
        return self._seen(base)

    async def delete(self, base_id: str) -> None:
        self.deleted[base_id] = self.by_name.pop(self._base(base_id).name)

    async def restore(self, base_id: str) -> BaseInfo:
        base = self.deleted.pop(base_id, None)
        if base is None:
            raise UnknownBase(base=base_id)
        while base.name in self.by_name:
            base = replace(base, name=f"{base.name} 2")
        self.by_name[base.name] = base
        return self._seen(base)

    async def forget(self, base_id: str) -> None:
        self.forgotten.append(base_id)
        if self.deleted.pop(base_id, None) is not None:
            del self.items_of[base_id]

    async def items(self, base_id: str) -> tuple[ItemInfo, ...]:
        self._base(base_id)
        return tuple(self.items_of[base_id])

    async def add(self, base_id: str, paths: Sequence[Path]) -> AsyncIterator[ItemProgress]:
        for path in paths:
            item = ItemInfo(f"{base_id}/{path.name}", base_id, path.name, str(path), ItemState.WAITING)
            async for progress in self._read(item):
                yield progress

    async def add_link(self, base_id: str, url: str) -> AsyncIterator[ItemProgress]:
        name = url.rsplit("/", 1)[-1]
        item = ItemInfo(f"{base_id}/{url}", base_id, name, url, ItemState.WAITING, kind=ItemKind.LINK)
        async for progress in self._read(item):
            yield progress

    async def add_sources(
        self, base_id: str, sources: Sequence[Source], conversation_id: str
    ) -> AsyncIterator[SourceAddition]:
        """A page whose title begins with “bad” cannot be read, a “long” one is still read; one is not added twice."""
        if self.error is not None:
            raise self.error
        self.added_from.append(conversation_id)
        for done, source in enumerate(sources, 1):
            await self.gate.wait()
            known = next((each for each in self.items_of[base_id] if each.path == source.url), None)
            outcome, detail = AdditionOutcome.ADDED if known is None else AdditionOutcome.KNOWN, ""
            if source.title.startswith("bad"):
                outcome, detail = AdditionOutcome.REFUSED, "The page has no text."
            elif known is None:
                known = ItemInfo(
                    f"{base_id}/{source.url}",
                    base_id,
                    source.title,
                    source.url,
                    ItemState.READING if source.title.startswith("long") else ItemState.READY,
                    kind=ItemKind.LINK,
                )
                await self.tell(ItemProgress(known))
            yield SourceAddition((source.number,), source.title, outcome, done, len(sources), known, detail)

    async def bases_with(self, source: Source) -> tuple[BaseInfo, ...]:
        return tuple(
            base
            for base in await self.bases()
            if any(item.path and item.path == source.url for item in self.items_of[base.id])
        )

    async def watch_items(self, item_ids: Sequence[str]) -> AsyncIterator[ItemProgress]:
        for item in [item for items in self.items_of.values() for item in items if item.id in item_ids]:
            await self.is_read.wait()
            is_bad = item.name.endswith("bad")
            error = "“bad” is damaged" if is_bad else ""
            state = ItemState.FAILED if is_bad else ItemState.READY
            yield await self.tell(ItemProgress(replace(item, state=state, error=error)))

    async def put_note(
        self, base_id: str, title: str, text: str, item_id: str = ""
    ) -> AsyncIterator[ItemProgress]:
        self._count += 1
        item_id = item_id or f"n{self._count}"
        self.notes[item_id] = text
        item = ItemInfo(item_id, base_id, title, "", ItemState.WAITING, kind=ItemKind.NOTE)
        async for progress in self._read(item):
            yield progress

    async def note(self, item_id: str) -> str:
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        return self.notes.get(item_id, "")

    async def read_again(self, item_ids: Sequence[str]) -> AsyncIterator[ItemProgress]:
        for item in [item for items in self.items_of.values() for item in items if item.id in item_ids]:
            async for progress in self._read(replace(item, state=ItemState.WAITING, error="")):
                yield progress

    async def _read(self, item: ItemInfo) -> AsyncIterator[ItemProgress]:
        if self.error is not None:
            raise self.error
        yield await self.tell(ItemProgress(item))
        for page in (1, 2, 3):
            item = replace(item, state=ItemState.READING, pages=3)
            yield await self.tell(ItemProgress(item, page, 3))
            await self.gate.wait()
        is_bad = item.name.startswith("bad")
        error = "“bad.pdf” is damaged" if is_bad else ""
        item = replace(item, state=ItemState.FAILED if is_bad else ItemState.READY, error=error, passages=7)
        yield await self.tell(ItemProgress(item))

    async def cancel(self, item_ids: Sequence[str]) -> None:
        unread = (ItemState.WAITING, ItemState.READING)
        for items in self.items_of.values():
            items[:] = [item for item in items if item.id not in item_ids or item.state not in unread]

    async def remove(self, item_ids: Sequence[str]) -> None:
        for items in self.items_of.values():
            items[:] = [item for item in items if item.id not in item_ids]

    async def tag(self, item_ids: Sequence[str], tags: Sequence[str]) -> None:
        for items in self.items_of.values():
            items[:] = [replace(item, tags=tuple(tags)) if item.id in item_ids else item for item in items]

    async def passages(self, item_id: str) -> tuple[PassageInfo, ...]:
        await self.gate.wait()
        return self.passages_of.get(item_id, ())

    async def try_search(self, base_id: str, query: str) -> SearchTrial:
        self._base(base_id)
        await self.gate.wait()
        return self.found.get(query, SearchTrial())

    async def folders(self, base_id: str) -> tuple[FolderInfo, ...]:
        await self.gate.wait()
        return tuple(folder for folder in self.watched.values() if folder.base_id == base_id)

    async def watch_folder(self, base_id: str, path: Path) -> FolderInfo:
        self._base(base_id)
        self._count += 1
        folder = FolderInfo(f"f{self._count}", base_id, str(path))
        self.watched[folder.id] = folder
        return folder

    async def unwatch_folder(self, folder_id: str) -> None:
        self.watched.pop(folder_id, None)

    async def export(self, base_id: str, path: Path) -> AsyncIterator[Transfer]:
        if self.error is not None:
            raise self.error
        base = self._seen(self._base(base_id))
        for done in range(3):
            yield Transfer(done, 3)
            await self.gate.wait()
        self.exported.append((base_id, path))
        yield Transfer(3, 3, base)

    async def import_(self, path: Path) -> AsyncIterator[Transfer]:
        if self.error is not None:
            raise self.error
        for done in range(3):
            yield Transfer(done, 3)
            await self.gate.wait()
        yield Transfer(3, 3, self.put(path.stem))

    async def state_of(self, path: Path, document: str) -> OriginalState:
        return self.states.get(path, OriginalState.UNCHANGED)

    async def text_of(self, document: str) -> str:
        return self.texts.get(document, "")


class MemorySecrets(Secrets):
    """Keeps secrets until the end of the run."""

    @property
    def kept(self) -> dict[str, str]:
        """The secrets that are not empty."""
        return {name: value for name, value in self._memory.items() if value}

    @override
    async def _usable_keyring(self) -> None:
        return None


class ScriptedPreferences(PreferencesService):
    """Real settings on the disk, and secrets in memory. `local` are the servers that run on this machine."""

    presets = (OPENAI, ANTHROPIC, OLLAMA)
    keyring_problem = ""
    local: tuple[ProviderSettings, ...] = ()

    @override
    async def probe_keyring(self) -> str:
        return self.keyring_problem

    def __init__(self, services: ServiceContainer) -> None:
        super().__init__(
            services.folders,
            models=lambda: services.models,
            web=lambda: services.web_services.web,
            sites=lambda: services.sites,
            on_saved=services._use_new_settings,
            keys={},
        )
        self._settings = Settings(was_welcomed=True)
        self._secrets: MemorySecrets = MemorySecrets()

    @property
    @override
    def settings(self) -> Settings:
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def secrets(self) -> dict[str, str]:
        """The secrets that are stored."""
        return self._secrets.kept

    @override
    async def local_providers(self) -> tuple[ProviderSettings, ...]:
        return self.local


@cache
def _empty_database() -> bytes:
    """Return a database file without rows: to copy it takes a fifth of the time of all migrations."""

    async def create(folder: Path) -> bytes:
        store = ConversationStore(folder)
        await store.database.open()
        await store.close()
        return (folder / FILE_NAME).read_bytes()

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(create(Path(folder)))


@dataclass
class FakeEngine:
    """The services of a window on `folder`, with what is in memory in place of some of them."""

    loop: BackgroundLoop
    folder: Path
    count: int = 0
    knowledge: FakeKnowledge = field(default_factory=FakeKnowledge)

    def __post_init__(self) -> None:
        (self.folder / FILE_NAME).write_bytes(_empty_database())
        self.services = ServiceContainer(AppFolders(self.folder, self.folder / "cache", self.folder / "logs"))
        self.preferences = self.services.preferences = ScriptedPreferences(self.services)
        self.updates = self.services.updates = UpdateService(
            self.services.folders,
            lambda: self.preferences.settings.program,
            self.services.proxies.choosing("reading"),
            installed=Installation(InstallForm.UV_TOOL, ("python", "-m", "desktop")),
        )
        self.real = window_services(self.services)
        self.browser, self.tool_servers = self.services.browser_setup, self.services.tool_servers
        self.embedders, self.local_models = self.services.embedders, self.services.local_models
        answering(self.browser, "problem", "")  # whatever is installed here
        answering(self.local_models, "problem", "")
        self.notes, self.surroundings = self.real.notes, self.real.surroundings
        answering(self.notes, "show", NotificationResult.NO_PLACE)
        answering(self.surroundings, "starts_at_login", False)
        answering(self.surroundings, "start_at_login", None)
        answering(self.surroundings, "wants_less_motion", False)
        yielding(self.surroundings, "listen_to_key", KeyNews.HELD, asyncio.Event())
        self.diagnostics, self.serving = self.real.diagnostics, self.services.serving
        self.backups, self.transfers = self.real.backups, self.real.transfers
        self.page_archive = self.services.page_archive
        self.memories = self.real.memories
        self.drafts = self.real.drafts
        self.pasted = self.real.pasted
        self.question_journal = self.real.question_journal
        self.icons = self.services.icon_store
        self.titles = self.real.titles
        self.topics = self.real.topics
        self.privacy = self.services.privacy
        self.conversations = self.services.store
        self.filing = self.real.filing
        self.branches = self.real.branches
        self.models = self.services.models = ScriptedModels(self.services)
        self.turns = ScriptedTurns(self.services, self.models)
        self.history = self.services.history

    @property
    def searches(self) -> WebSearch:
        """The real searches; they are made when a window, or a test, wants them."""
        return self.services.web_services.web

    def release(self, gate: asyncio.Event) -> None:
        """Open a gate at which a scripted method waits."""

        async def release() -> None:
            gate.set()

        self.loop.call(release())

    def close(self) -> None:
        """Close the services once what was asked of them has been cancelled."""
        self.loop.call(self._close())

    async def _close(self) -> None:
        jobs = tuple(self.loop._tasks.values())
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        await self.services.aclose()

    def put(
        self,
        title: str,
        age: timedelta = timedelta(),
        texts: Sequence[str] = (),
        sources: Sequence[Source] = (SOURCE,),
    ) -> str:
        """Have a conversation on disk, in which user and model say `texts` in turn; returns its id."""
        self.count += 1
        moment = datetime.now(UTC) - age
        info = ConversationInfo(f"c{self.count}", title, moment, moment)
        speakers = (Speaker.USER, Speaker.MODEL)
        messages = [
            Message(
                f"{info.id}-m{n}",
                info.id,
                speakers[n % 2],
                text,
                moment - timedelta(seconds=len(texts) - n),
                offered=tuple(source.number for source in sources) if n % 2 else (),
            )
            for n, text in enumerate(texts)
        ]

        def write(connection: sqlite3.Connection) -> None:
            for message in messages:
                unsaved = Unsaved(info, is_title_given=True) if message is messages[0] else None
                add(message, AT_END, unsaved, connection)
            connection.execute(
                "UPDATE conversations SET updated_at = ? WHERE id = ?", (micros(moment), info.id)
            )

        self.loop.call(self.conversations.database.write(write))
        self.loop.call(self.conversations.save_sources(info.id, sources))
        return info.id

    def load(self, conversation_id: str) -> Conversation:
        """Return a conversation as it is on disk and on the screen."""
        return self.loop.call(self.conversations.load(conversation_id))

    def change(self, conversation_id: str, number: int, **fields: Any) -> Message:
        """Change fields of a message that is shown."""
        message = replace(self.load(conversation_id).messages[number], **fields)
        self.loop.call(self.conversations.update_message(message))
        return message

    def journalled(self) -> list[dict[str, object]]:
        """Return the questions in the journal, as they are on disk."""
        files = (self.folder / "sent-questions").glob("*.json")
        return [json.loads(file.read_bytes()) for file in files]

    @property
    def port(self) -> Services:
        return replace(
            self.real,
            turns=self.turns,
            catalogue=self.models,
            knowledge=self.knowledge,
        )
