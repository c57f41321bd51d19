"""The services of a window for tests: real ones, of which single parts are scripted."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from typing_extensions import override

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import NotificationResult
from desktop.chat.api.system import KeyNews
from desktop.domain.messages import (
    Conversation,
    ConversationInfo,
    Message,
    Speaker,
)
from desktop.domain.sources import Source
from desktop.installation import Installation, InstallForm
from desktop.services.container import ServiceContainer
from desktop.services.preferences import PreferencesService
from desktop.services.window import window_services
from desktop.settings.folders import AppFolders
from desktop.settings.model import ProviderSettings, Settings
from desktop.settings.secrets import Secrets
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.rows import micros
from desktop.storage.message_tree import AT_END, Unsaved, add
from tests.ui.fakes.knowledge import InProcessWorker
from tests.ui.fakes.scripts import script_result, script_steps
from tests.ui.fakes.turns import SOURCE, ScriptedModels, ScriptedTurns

OLLAMA = ProviderSettings("ollama", "Ollama", "openai", "http://127.0.0.1:11434/v1", needs_key=False)
OPENAI = ProviderSettings("openai", "OpenAI", "openai", "https://api.openai.com/v1")
ANTHROPIC = ProviderSettings("anthropic", "Anthropic", "anthropic", "https://api.anthropic.com")


class ScriptedPreferences(PreferencesService):
    """Real settings on the disk, and secrets in memory; no server runs on this machine."""

    presets = (OPENAI, ANTHROPIC, OLLAMA)
    keyring_problem = ""

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
        self._secrets = Secrets(environment={})
        script_result(self._secrets, "_usable_keyring", None)
        script_result(self, "local_providers", ())

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
        return {name: value for name, value in self._secrets._memory.items() if value}


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
class ScriptedServices:
    """The real services of a window on `folder`; what models say, secrets and this computer are scripted."""

    loop: BackgroundLoop
    folder: Path
    count: int = 0

    def __post_init__(self) -> None:
        (self.folder / FILE_NAME).write_bytes(_empty_database())
        self.services = ServiceContainer(AppFolders(self.folder, self.folder / "cache", self.folder / "logs"))
        self.preferences = self.services.preferences = ScriptedPreferences(self.services)
        installed = Installation(InstallForm.UV_TOOL, ("python", "-m", "desktop"))
        vars(self.services.updates)["_installed"] = installed
        self.models = self.services.models = ScriptedModels(self.services)
        self.turns = ScriptedTurns(self.services, self.models)
        self.port = replace(window_services(self.services), turns=self.turns)
        script_result(self.browser, "problem", "")  # whatever is installed here
        script_result(self.local_models, "problem", "")
        script_result(self.notes, "show", NotificationResult.NO_PLACE)
        script_result(self.surroundings, "starts_at_login", False)
        script_result(self.surroundings, "start_at_login", None)
        script_result(self.surroundings, "wants_less_motion", False)
        script_steps(self.surroundings, "listen_to_key", KeyNews.HELD, asyncio.Event())
        self.worker = InProcessWorker(self.services.knowledge, self.loop)

    def __getattr__(self, name: str) -> Any:
        """Return a service that is not scripted."""
        return getattr(vars(self)["port"], name)

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
        await self.worker.aclose()

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
        return self.loop.call(self.services.store.load(conversation_id))

    def change(self, conversation_id: str, number: int, **fields: Any) -> Message:
        """Change fields of a message that is shown."""
        message = replace(self.load(conversation_id).messages[number], **fields)
        self.loop.call(self.conversations.update_message(message))
        return message
