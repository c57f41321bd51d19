"""The models of this computer for the window: listed, downloaded, added and deleted."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import LocalModels
from desktop.domain.models import LocalModel
from desktop.ui.stores.catalogue import DownloadStore
from desktop.ui.stores.settings_store import SettingsStore


class LocalModelStore(DownloadStore):
    """Lists the models of this computer. A paused download keeps what has arrived; a discarded one does not.

    Signals:
        ended: a model was downloaded or deleted.
    """

    ended = Signal()

    def __init__(
        self, port: LocalModels, loop: BackgroundLoop, store: SettingsStore, parent: QObject | None = None
    ) -> None:
        super().__init__(port, loop, parent)
        self._port = port
        self._settings = store
        self._newest = 0
        self._discarded: set[str] = set()
        self.models: tuple[LocalModel, ...] = ()
        self.problem = ""
        """Why no model can run here, in English; empty if they can."""
        store.saved.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Reload the list."""
        self._newest += 1
        work = partial(_state_of, self._port)
        self._loop.run(self, work, partial(self._on_listed, self._newest), self.failed)

    def discard(self, model_id: str) -> None:
        """Delete a model, or end its download and delete what has arrived."""
        if model_id in self._jobs:
            self._discarded.add(model_id)
            self.cancel(model_id)
        else:
            self.delete(model_id)

    def add(self, path: Path) -> None:
        """Add a file of the user's own to the settings; it stays where it is."""
        self._loop.run(self, partial(self._port.inspect, path), self._on_inspected, self.failed)

    def remove(self, model: LocalModel) -> None:
        """Take a file of the user's own from the settings; the file stays."""
        files = self._settings.settings.local_models.files
        self._apply_files(tuple(file for file in files if file != str(model.path)))
        self.delete(model.id)

    def _apply_files(self, files: tuple[str, ...]) -> None:
        settings = self._settings.settings
        self._settings.apply(replace(settings, local_models=replace(settings.local_models, files=files)))

    @Slot(object)
    def _on_inspected(self, model: LocalModel) -> None:
        files = self._settings.settings.local_models.files
        self._apply_files(tuple(dict.fromkeys((*files, str(model.path)))))

    def _on_listed(self, number: int, found: tuple[tuple[LocalModel, ...], str]) -> None:
        if number == self._newest:  # an older response may arrive later
            self.models, self.problem = found
            self.listed.emit()

    def _on_ended(self, model_id: str, nothing: object = None) -> None:
        super()._on_ended(model_id, nothing)
        if model_id in self._discarded:
            self._discarded.discard(model_id)
            self.delete(model_id)
        self.ended.emit()


async def _state_of(port: LocalModels) -> tuple[tuple[LocalModel, ...], str]:
    return await port.models(), await port.problem()
