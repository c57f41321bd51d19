"""The models and engines that can be picked, asked for again whenever the settings change."""

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Catalogue
from desktop.domain.models import ModelInfo
from desktop.domain.search import EngineInfo


class CatalogueReader(QObject):
    """Keeps what was last heard.

    Signals:
        models_listed: all models (tuple of ModelInfo).
        engines_listed: all engines (tuple of EngineInfo).
        failed: the error that kept them from being listed.
    """

    models_listed = Signal(object)
    engines_listed = Signal(object)
    failed = Signal(object)

    def __init__(self, catalogue: Catalogue, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue
        self._loop = loop
        self.models: tuple[ModelInfo, ...] = ()
        self.engines: tuple[EngineInfo, ...] = ()

    @Slot()
    def refresh(self) -> None:
        """Ask for both again."""
        for work, slot in (
            (self._catalogue.models, self._on_models_listed),
            (self._catalogue.engines, self._on_engines_listed),
        ):
            job = Job(work, self._loop, self)
            job.succeeded.connect(slot)
            job.failed.connect(self.failed)
            job.start()

    @Slot(object)
    def _on_models_listed(self, models: tuple[ModelInfo, ...]) -> None:
        self.models = models
        self.models_listed.emit(models)

    @Slot(object)
    def _on_engines_listed(self, engines: tuple[EngineInfo, ...]) -> None:
        self.engines = engines
        self.engines_listed.emit(engines)
