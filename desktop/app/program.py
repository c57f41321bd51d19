"""What fills the window: engine, loop and workspace; the only module that knows everyone."""

import logging
import os
import sys
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from types import TracebackType

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from desktop.app.errand import Errand
from desktop.app.reception import Reception
from desktop.background import BackgroundLoop
from desktop.domain.drafts import Draft
from desktop.engine.assembly import Rooms
from desktop.engine.log_reading import LOG_FILE, LOG_LINE
from desktop.errors import AppError
from desktop.phrases import phrase
from desktop.settings.folders import Folders
from desktop.settings.model import Settings
from desktop.settings.redaction import RedactingFormatter
from desktop.ui.bare_page import BarePage
from desktop.ui.frame import Frame
from desktop.ui.icons import app_icon
from desktop.ui.last_time import LastTime
from desktop.ui.tray import Tray
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
        self.rooms = Rooms(folders)
        _log_to(folders, self.rooms.preferences.redact)
        self.loop = BackgroundLoop(self._on_bug, expected=AppError)
        self.loop.start()
        self.window = Workspace(self.rooms.engine, self.loop, application, frame)
        self.window.stage.bare = bare
        frame.fill(self.window)
        application.setWindowIcon(app_icon())
        self.reception = Reception(folders.data, self)
        self.reception.arrived.connect(self.run)
        core = self.window.core
        self._last_time = LastTime(core, self.window.splitter, frame.place)
        self._tray = Tray(core)
        core.store.changed.connect(self._on_settings_changed)
        core.called.connect(frame.come_forward)
        core.quit_asked.connect(frame.end)
        core.quick_left.connect(self._on_quick_left)
        core.furnished.connect(self._on_furnished)
        self._on_settings_changed(core.store.settings)
        self._is_closed = False
        application.aboutToQuit.connect(self.close)
        sys.excepthook = self._on_uncaught
        if self.rooms.preferences.settings_problem:
            self.window.say_failed(AppError(detail=self.rooms.preferences.settings_problem))

    @Slot()
    def _on_furnished(self) -> None:
        """Begin what has time until everything is there."""
        self.loop.submit(self.rooms.keeping.begin())

    @Slot(object)
    def run(self, errand: Errand) -> None:
        """Do what a start of the program was for; this one, or one that found this one running."""
        core = self.window.core
        if errand.activation:  # Wayland lets nobody to the front without the token of what the person did
            os.environ["XDG_ACTIVATION_TOKEN"] = errand.activation
        if errand.is_quick:
            core.quick_asked.emit()
            return
        if not errand.is_hidden or not self._tray.icon.isVisible():
            core.called.emit()
        if errand.files or errand.question:
            self.window.start_new()
            core.composer.put(Draft(errand.question, errand.paths))

    @Slot()
    def _on_quick_left(self) -> None:
        """End what was started for a quick question alone, where nothing could call it back."""
        if not (self.frame.isVisible() or self._tray.icon.isVisible()):
            self.frame.end()

    @Slot(object)
    def _on_settings_changed(self, settings: Settings) -> None:
        self.frame.set_stays(settings.program.stays_in_tray and self._tray.icon.isVisible())

    def close(self) -> None:
        """Cancel what runs, close the rooms, end the thread; once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.reception.close()
        self.window.cancel_all()
        try:
            self.loop.call(self._settle(), CLOSE_TIMEOUT_S)
        except (TimeoutError, AppError) as error:
            _log.warning("The rooms did not close in time: %s", error)
        finally:  # else its thread would keep the program from ending
            self.loop.stop()

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
