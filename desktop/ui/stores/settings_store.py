"""The settings for the window: changes take effect at once and are saved in the background."""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.settings.model import Settings

if TYPE_CHECKING:  # imported for types only, as the page is drawn before the ports are needed
    from desktop.chat.api.system import Preferences

_Secrets = tuple[tuple[str, str], ...]


class SettingsStore(QObject):
    """Holds the current settings and saves them in order, so that the latest ones are saved last.

    Signals:
        changed: the new Settings, in effect but perhaps not yet saved.
        saved: Settings that are on disk and known to the engine.
        secrets_kept: secrets were stored or deleted.
        failed: the error of saving settings or secrets.
    """

    changed = Signal(object)
    saved = Signal(object)
    secrets_kept = Signal()
    failed = Signal(object)

    def __init__(
        self, preferences: "Preferences", loop: BackgroundLoop, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._loop = loop
        self._settings = preferences.settings
        self._saving: Settings | None = None
        self._writing = asyncio.Lock()
        self._keeping: list[_Secrets] = []

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._settings

    def apply(self, settings: Settings) -> None:
        """Apply `settings` and save them."""
        if settings == self._settings:
            return
        self._settings = settings
        self.changed.emit(settings)
        if self._saving is None:
            self._save()

    def reread(self) -> None:
        """Load settings changed elsewhere, by an import; settings that are being saved here take precedence."""
        settings = self._preferences.settings
        if self._saving is None and settings != self._settings:
            self._settings = settings
            self.changed.emit(settings)
            self.saved.emit(settings)

    def keep_secrets(self, secrets: Iterable[tuple[str, str]]) -> Job:
        """Start and return a job that stores `secrets`, pairs of name and value; an empty value deletes one.

        The job goes on when the page that started it is closed, as a keyring may take some time.
        """
        wanted = tuple(secrets)
        return self._loop.run(self, partial(self._keep, wanted), self._on_secrets_kept, self.failed)

    async def _keep(self, secrets: _Secrets) -> None:
        self._keeping.append(secrets)
        try:
            await self._keep_secrets(secrets)
        finally:
            self._keeping.remove(secrets)

    async def settle(self) -> None:
        """Save everything to disk and keyring; called at exit, when signals are no longer delivered.

        Raises:
            AppError: saving failed.
        """
        for secrets in tuple(self._keeping):
            await self._keep_secrets(secrets)
        if self._saving is not None:
            await self._write(self._settings)

    async def _write(self, settings: Settings) -> None:
        async with self._writing:  # saves run in the order of the changes
            await self._preferences.save(settings)

    async def _keep_secrets(self, secrets: _Secrets) -> None:
        for name, value in secrets:
            await self._preferences.set_secret(name, value)

    @Slot(object)
    def _on_secrets_kept(self, _nothing: object) -> None:
        self.secrets_kept.emit()

    def _save(self) -> None:
        self._saving = self._settings
        self._loop.run(self, partial(self._write, self._settings), self._on_saved, self._on_failed)

    @Slot(object)
    def _on_saved(self, _nothing: object) -> None:
        done, self._saving = self._saving, None
        if done != self._settings:
            self._save()
        else:
            self.saved.emit(done)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        done, self._saving = self._saving, None
        self.failed.emit(error)
        if done != self._settings:
            self._save()
