"""What fills the window: engine, loop and workspace; the only module that knows everyone."""

import logging
import sys
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from types import TracebackType

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from desktop.app.garbage import Collector
from desktop.app.presence import Presence
from desktop.background import BackgroundLoop
from desktop.engine.assembly import Rooms
from desktop.engine.log_reading import LOG_FILE, LOG_LINE
from desktop.errors import AppError
from desktop.phrases import phrase
from desktop.settings.folders import Folders
from desktop.settings.redaction import RedactingFormatter
from desktop.ui.bare_page import BarePage
from desktop.ui.frame import Frame
from desktop.ui.icons import app_icon
from desktop.ui.workspace import Workspace

CLOSE_TIMEOUT_S = 4.0
"""How long the rooms may take to close before the program ends without them."""

_UNEXPECTED = phrase("Something unexpected happened ({detail}). The log has details.")
_LOG_BYTES = 1_000_000
_LOG_FILES = 3

_log = logging.getLogger(__name__)


class Program(QObject):
    """The parts of a running program and the order in which they end."""

    def __init__(
        self, application: QApplication, folders: Folders, frame: Frame, bare: BarePage | None = None
    ) -> None:
        """A page of the conversation that was made ahead, `bare`, is used."""
        super().__init__()
        self.frame = frame
        self._collector = Collector(self)
        self.rooms = Rooms(folders)
        _log_to(folders, self.rooms.preferences.redact)
        self.loop = BackgroundLoop(self._on_bug, expected=AppError)
        self.loop.start()
        self.window = Workspace(self.rooms.engine, self.loop, application, frame)
        self.window.stage.bare = bare
        frame.fill(self.window)
        application.setWindowIcon(app_icon())
        self.presence = Presence(folders, frame, self.window)
        self.window.core.began.connect(self._on_began)
        self._is_closed = False
        application.aboutToQuit.connect(self.close)
        sys.excepthook = self._on_uncaught
        if self.rooms.preferences.settings_problem:
            self.window.say_failed(AppError(detail=self.rooms.preferences.settings_problem))

    @Slot()
    def _on_began(self) -> None:
        """Begin what has time until the page is on the screen."""
        self.loop.submit(self.rooms.keeping.begin())

    def close(self) -> None:
        """Cancel what runs, close the rooms, end the thread; once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.presence.close()
        self.window.cancel_all()
        try:
            self.loop.call(self._settle(), CLOSE_TIMEOUT_S)
        except (TimeoutError, AppError) as error:
            _log.warning("The rooms did not close in time: %s", error)
        finally:  # else its thread would keep the program from ending
            self.loop.stop()
            self._collector.close()
            sys.excepthook = sys.__excepthook__  # there is no window left to say anything in

    async def _settle(self) -> None:
        """Keep what was set last, however shortly ago, and close the rooms."""
        try:
            await self.window.store.settle()
        except AppError as error:  # there is no window left to say it in
            _log.error("The last settings could not be kept: %s", error)
        finally:
            await self.rooms.aclose()

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
        if (
            self._is_closed
        ):  # what was still asked of rooms that are closed; and there is no window to say it in
            _log.warning("While the program ended: %r", error)
            return
        self.window.say_failed(AppError(detail=_UNEXPECTED.format(detail=repr(error))))


def _log_to(folders: Folders, redact: Callable[[str], str]) -> None:
    try:
        folders.create()
        handler: logging.Handler = RotatingFileHandler(
            folders.logs / LOG_FILE, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
        )
    except OSError:  # a full or read-only disk is no reason not to start
        handler = logging.StreamHandler()
    lines = logging.Formatter(LOG_LINE)
    handler.setFormatter(RedactingFormatter(lines, redact))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
