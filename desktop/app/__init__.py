"""The program with a window: a frame at once, and everything else when that is painted."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication

from desktop import __version__
from desktop.settings.folders import Folders, folders_for
from desktop.ui.frame import Frame

if TYPE_CHECKING:
    from desktop.app.program import Program


class Start(QObject):
    """A window that is shown, and from its first paint on the program in it."""

    def __init__(self, application: QApplication, folders: Folders) -> None:
        super().__init__()
        self._application = application
        self._folders = folders
        self.program: Program | None = None
        self.frame = Frame(folders.data)
        self.frame.painted.connect(self._fill)
        self.frame.show()

    def close(self) -> None:
        """End the program; once."""
        if self.program is not None:
            self.program.close()

    @Slot()
    def _fill(self) -> None:
        # Imported here: it knows every room, and the window is to be painted before that.
        from desktop.app.program import Program  # noqa: PLC0415

        self.program = Program(self._application, self._folders, self.frame)


def run_window(data_dir: Path | None) -> int:
    """Open the window and stay until it is closed."""
    application = make_application()
    start = Start(application, folders_for(data_dir))
    status = application.exec()
    start.close()
    return status


def make_application() -> QApplication:
    """Return the application, ready for QtWebEngine, which comes after the first paint."""
    _allow_root()
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Footnote")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("footnote")
    return application


def _allow_root() -> None:
    """Switch QtWebEngine's sandbox off for root alone, for whom Chromium refuses to start with it."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")
