"""What is done while nothing is on the screen but an empty window: importing the program, beside the event loop."""

from importlib import import_module
from threading import Thread

from PySide6.QtCore import QObject, Signal

_AT_START = (
    "desktop.app.program",
    "desktop.ui.chat_page",
    "desktop.ui.exporting",
    "desktop.engine.knowledge",
    "desktop.engine.links",
    "desktop.engine.describing",
    "desktop.engine.models",
)
"""What every window needs, the last of it when its engine is put together."""


class Import(QObject):
    """Imports the program in a thread of its own; the web engine starts meanwhile in the thread of the window.

    Construct, connect, start: where everything was imported before, it is finished at once.

    Signals:
        finished: once. What went wrong goes wrong again where the program is used, and is told there.
    """

    finished = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thread = Thread(target=self._run, name="import")

    def start(self) -> None:
        """Begin, once."""
        self._thread.start()

    def wait(self) -> None:
        """Return when it is finished."""
        self._thread.join()

    def _run(self) -> None:
        try:
            for module in _AT_START:
                import_module(module)
        finally:
            self.finished.emit()
