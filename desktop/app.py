"""The program with a window: start, wiring, shutdown. The only module that knows everyone."""

import logging
import os
import sys
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from desktop import __version__
from desktop.background import BackgroundLoop
from desktop.engine.assembly import Rooms
from desktop.errors import AppError
from desktop.settings.folders import Folders, folders_for
from desktop.settings.redaction import RedactingFormatter
from desktop.ui.main_window import MainWindow

CLOSE_TIMEOUT_S = 4.0
"""How long the rooms may take to close before the program ends without them."""

_LOG_BYTES = 1_000_000
_LOG_FILES = 3

_log = logging.getLogger(__name__)


class Program(QObject):
    """The parts of a running program and the order in which they end."""

    def __init__(self, application: QApplication, folders: Folders) -> None:
        super().__init__()
        self.rooms = Rooms(folders)
        self.loop = BackgroundLoop(self._on_bug, expected=AppError)
        self.loop.start()
        self.window = MainWindow(self.rooms.engine, self.loop, application)
        self._is_closed = False
        application.aboutToQuit.connect(self.close)
        sys.excepthook = self._on_uncaught
        if self.rooms.preferences.settings_problem:
            self.window.say_failed(AppError(detail=self.rooms.preferences.settings_problem))

    def close(self) -> None:
        """Cancel what runs, close the rooms, end the thread; once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.window.cancel_all()
        try:
            self.loop.call(self.rooms.aclose(), CLOSE_TIMEOUT_S)
        except (TimeoutError, AppError) as error:
            _log.warning("The rooms did not close in time: %s", error)
        self.loop.stop()

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        _log.error("An exception that nobody expected", exc_info=(kind, error, trace))
        self._on_bug(error)

    def _on_bug(self, error: BaseException) -> None:
        """Say that something unexpected happened; the log has the rest."""
        self.window.say_failed(
            AppError(detail=f"Something unexpected happened ({error!r}). The log has details.")
        )


def run_window(data_dir: Path | None) -> int:
    """Open the window and stay until it is closed."""
    application, program = start(data_dir)
    status = application.exec()
    program.close()
    return status


def start(data_dir: Path | None) -> tuple[QApplication, Program]:
    """Make the program and show its window."""
    folders = folders_for(data_dir)
    _allow_root()
    # QtWebEngine comes after the first paint; it wants this said before there is an application.
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Footnote")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("footnote")
    program = Program(application, folders)
    _log_to(folders, program.rooms.preferences.redact)
    program.window.show()
    return application, program


def _allow_root() -> None:
    """Switch QtWebEngine's sandbox off for root alone, for whom Chromium refuses to start with it."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")


def _log_to(folders: Folders, redact: Callable[[str], str]) -> None:
    try:
        folders.create()
        handler: logging.Handler = RotatingFileHandler(
            folders.logs / "footnote.log", maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
        )
    except OSError:  # a full or read-only disk is no reason not to start
        handler = logging.StreamHandler()
    lines = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(RedactingFormatter(lines, redact))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
