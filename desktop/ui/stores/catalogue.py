"""Stores of selectable items: models, also those of this computer, search engines and embedding models."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.engine import Catalogue, LocalModels
from desktop.chat.api.knowledge import Embedders
from desktop.domain.knowledge import Download, EmbeddingModel, ModelLibrary
from desktop.domain.models import LocalModel, ModelInfo
from desktop.domain.search import EngineInfo
from desktop.ui.stores.settings_store import SettingsStore


class CatalogueStore(QObject):
    """Loads models and search engines and keeps the latest lists.

    Signals:
        models_listed: all models (tuple of ModelInfo).
        engines_listed: all engines (tuple of EngineInfo).
        failed: the error of a failed listing.
    """

    models_listed = Signal(object)
    engines_listed = Signal(object)
    failed = Signal(object)

    def __init__(self, catalogue: Catalogue, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue
        self._loop = loop
        self._newest = 0
        self.models: tuple[ModelInfo, ...] = ()
        self.engines: tuple[EngineInfo, ...] = ()

    @Slot()
    def refresh(self) -> None:
        """Reload both lists."""
        self._newest += 1
        for work, slot in (
            (self._catalogue.models, self._on_models_listed),
            (self._catalogue.engines, self._on_engines_listed),
        ):
            self._loop.run(self, work, partial(slot, self._newest), self.failed)

    # An unreachable server delays its response, so a later request may finish before this one.

    def _on_models_listed(self, number: int, models: tuple[ModelInfo, ...]) -> None:
        if number == self._newest:
            self.models = models
            self.models_listed.emit(models)

    def _on_engines_listed(self, number: int, engines: tuple[EngineInfo, ...]) -> None:
        if number == self._newest:
            self.engines = engines
            self.engines_listed.emit(engines)


class Downloads(Protocol):
    """A port that downloads and deletes models."""

    def download(self, model_id: str) -> AsyncIterator[Download]:
        """Download a model; closing the iterator stops it and keeps what has arrived."""
        ...

    async def delete(self, model_id: str) -> None:
        """Delete a model, or what has arrived of it."""
        ...


class DownloadStore(QObject):
    """Downloads and deletes models. A download goes on even if the settings page is closed.

    Signals:
        listed: the lists have changed.
        changed: id of a model whose download started, progressed or ended.
        failed: the error of a failed listing.
    """

    listed = Signal()
    changed = Signal(str)
    failed = Signal(object)

    def __init__(self, downloads: Downloads, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self._loop = loop
        self._jobs: dict[str, Job] = {}
        self.downloads: dict[str, Download] = {}
        """The running downloads by model id."""
        self.problems: dict[str, Exception] = {}
        """Errors of downloads and deletions by model id, until they are retried."""

    @Slot()
    def refresh(self) -> None:
        """Reload the lists."""
        raise NotImplementedError

    def download(self, model_id: str) -> None:
        """Download a model."""
        if model_id in self._jobs:
            return
        self.problems.pop(model_id, None)
        self.downloads[model_id] = Download()
        self._jobs[model_id] = self._loop.run(
            self,
            self._download_work(model_id),
            partial(self._on_ended, model_id),
            partial(self._on_failed, model_id),
            progressed=partial(self._on_progressed, model_id),
            cancelled=partial(self._on_ended, model_id),
        )
        self.changed.emit(model_id)

    def _download_work(self, model_id: str) -> Callable[[], AsyncIterator[Download]]:
        return partial(self._downloads.download, model_id)

    def cancel(self, model_id: str) -> None:
        """Stop a download; the received part is kept for the next attempt."""
        if model_id in self._jobs:
            self._jobs[model_id].cancel()

    def delete(self, model_id: str) -> None:
        """Remove a model from this machine."""
        self.problems.pop(model_id, None)
        work = partial(self._downloads.delete, model_id)
        self._loop.run(self, work, partial(self._on_ended, model_id), partial(self._on_failed, model_id))

    def _on_progressed(self, model_id: str, download: Download) -> None:
        self.downloads[model_id] = download
        self.changed.emit(model_id)

    def _on_failed(self, model_id: str, error: Exception) -> None:
        self.problems[model_id] = error
        self._on_ended(model_id)

    def _on_ended(self, model_id: str, _nothing: object = None) -> None:
        self._jobs.pop(model_id, None)
        self.downloads.pop(model_id, None)
        self.changed.emit(model_id)
        self.refresh()


_Models = tuple[EmbeddingModel, ...]
LIBRARY = "library"
"""Stands for the packages of the extra “models” among the downloads; no model has such an id."""


class EmbedderStore(DownloadStore):
    """Lists the embedding models, rerankers and entailment models of this machine, and what runs them."""

    def __init__(
        self, embedders: Embedders, loop: BackgroundLoop, store: SettingsStore, parent: QObject | None = None
    ) -> None:
        super().__init__(embedders, loop, parent)
        self.port = embedders
        self._newest = 0
        self.models: tuple[EmbeddingModel, ...] = ()
        self.rerankers: tuple[EmbeddingModel, ...] = ()
        self.entailment_models: tuple[EmbeddingModel, ...] = ()
        self.library: ModelLibrary | None = None
        """The packages that run models of the user's choice; None until they are listed."""
        store.saved.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Reload the list."""
        self._newest += 1
        self._loop.run(self, partial(_all_of, self.port), partial(self._on_listed, self._newest), self.failed)

    def _download_work(self, model_id: str) -> Callable[[], AsyncIterator[Download]]:
        return self.port.install_library if model_id == LIBRARY else super()._download_work(model_id)

    def _on_listed(self, number: int, found: tuple[_Models, _Models, _Models, ModelLibrary]) -> None:
        if number == self._newest:  # an older response may arrive later
            self.models, self.rerankers, self.entailment_models, self.library = found
            self.listed.emit()


async def _all_of(port: Embedders) -> tuple[_Models, _Models, _Models, ModelLibrary]:
    return (
        await port.models(),
        await port.rerankers(),
        await port.entailment_models(),
        await port.library(),
    )


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
