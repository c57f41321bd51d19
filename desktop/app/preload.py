"""Imports the program in a thread while only an empty window is on the screen."""

import sys
from collections.abc import Sequence
from importlib import import_module
from threading import Thread
from types import ModuleType

from PySide6.QtCore import QObject, Signal

BEFORE_PAGE = ("desktop.app.bootstrap", "desktop.ui.transcript.transcript_view")
"""The modules that draw the page."""

AFTER_PAGE = (
    "desktop.app.application",
    "desktop.render.page.cited_sentence",
    "desktop.ui.controllers.export_controller",
    "desktop.ui.window.notifications",
    "desktop.services.data.backups",
    "desktop.services.branches",
    "desktop.services.catalogue",
    "desktop.services.conversations",
    "desktop.services.models",
    "desktop.services.diagnostics.service",
    "desktop.services.composer",
    "desktop.services.knowledge.service",
    "desktop.services.history",
    "desktop.services.data.container",
    "desktop.services.web.links",
    "desktop.services.local_models",
    "desktop.services.memories",
    "desktop.services.desktop.notifications",
    "desktop.services.web.pictures",
    "desktop.services.privacy.service",
    "desktop.services.preferences",
    "desktop.services.searches",
    "desktop.services.desktop",
    "desktop.services.titles",
    "desktop.services.tool_servers",
    "desktop.services.data.transfers",
    "desktop.services.turns",
    "desktop.services.updates",
    "desktop.search.icon_store",
)
"""The modules that every window needs besides, mostly while its engine is set up."""

_LOOK = "_mod_uses_pyside"
"""The PySide function that says whether a given module uses Qt names."""


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
        _leave_sources_alone()
        try:
            for module in self._modules:
                import_module(module)
        finally:
            self.finished.emit()


def _leave_sources_alone() -> None:
    """Stop PySide from reading the source of every imported module.

    PySide searches the source for its own name to see where Qt names may be spelled in Python style
    (`__feature__`), which this program does not use. The search takes a sixth of the import time, and 20 MB in
    which linecache keeps all lines.

    WORKAROUND for https://bugreports.qt.io/browse/PYSIDE-2029: remove when PySide looks for `__feature__` first.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, _LOOK):  # a PySide without this function is left unchanged
        setattr(feature, _LOOK, _is_ours)


def _is_ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == "desktop"
