"""Imports the program in a thread while only an empty window is on the screen."""

from collections.abc import Sequence
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QObject, Signal

BEFORE_PAGE = ("desktop.app.bootstrap", "desktop.ui.transcript.transcript_view")
"""The modules that draw the page."""

AFTER_PAGE = (
    "desktop.app.application",
    "desktop.render.page.cited_sentence",
    "desktop.ui.window.late_parts",
    "desktop.services.backups",
    "desktop.chat.watching",
    "desktop.services.example",
    "desktop.services.models",
    "desktop.storage.branch_operations",
    "desktop.services.diagnostics.service",
    "desktop.services.composer",
    "desktop.services.knowledge",
    "desktop.services.history",
    "desktop.services.data",
    "desktop.services.web.cited_pages",
    "desktop.services.web.links",
    "desktop.services.local_models",
    "desktop.services.memories",
    "desktop.services.dbus",
    "desktop.services.web.pictures",
    "desktop.services.privacy",
    "desktop.services.preferences",
    "desktop.services.serving.service",
    "desktop.services.desktop",
    "desktop.services.titles",
    "desktop.services.tool_servers",
    "desktop.services.transfers",
    "desktop.services.turns",
    "desktop.services.updates",
    "desktop.services.window",
    "desktop.search.icon_store",
    "desktop.search.reader.recent_pages",
)
"""The modules that every window needs besides, mostly while its engine is set up."""


class ModulePreloader(QObject):
    """Imports modules in its own thread while the web engine starts, which keeps the GUI thread free.

    Construct, connect, start: if everything is already imported, it finishes at once.

    Signals:
        finished: once. An import error occurs again where the module is used, and is reported there.
    """

    finished = Signal()

    def __init__(self, modules: Sequence[str], parent: QObject) -> None:
        super().__init__(parent)
        self._modules = modules
        self._thread = Thread(target=self._run, name="import")

    def start(self) -> None:
        """Start, once."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until it is finished."""
        self._thread.join()

    def _run(self) -> None:
        try:
            for module in self._modules:
                import_module(module)
        finally:
            self.finished.emit()
