"""The base of the program: services, event loop, settings, and the page of the conversation."""

import asyncio
import gc
import logging
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from threading import Thread
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from desktop.background import BackgroundLoop
from desktop.errors import AppError
from desktop.services.container import ServiceContainer
from desktop.services.diagnostics.log_reader import LOG_FILE, LOG_LINE
from desktop.settings.folders import SETTINGS_FILE, AppFolders
from desktop.settings.redaction import RedactingFormatter
from desktop.ui.transcript.start_page import StartPage, describe_look, read_display_settings
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.startup import StartupPage

LOOK_MS: Final = 100

CLOSE_TIMEOUT_S = 4.0
"""How long the services may take to close before the program ends anyway."""
_LOG_BYTES = 1_000_000
_LOG_FILES = 3
_log = logging.getLogger(__name__)


def run_gc_on_gui_thread(owner: QObject) -> None:
    """Collect cyclic garbage only in this thread while `owner` lives, and not at all afterwards.

    Python collects in any thread that happens to create an object. In the asyncio thread it would destroy
    unreferenced widgets, which crashes Qt. In the GUI thread it could do so while other widgets are being
    destroyed: Qt then calls into Python with a lock held, on which the next widget waits forever.
    """
    gc.disable()
    timer = QTimer(owner)
    timer.setInterval(LOOK_MS)
    timer.timeout.connect(collect_if_due)
    timer.start()


def collect_if_due() -> None:
    """Collect the oldest generation that has reached Python's own threshold."""
    due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
    if any(due):
        gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))


class Bootstrap(QObject):
    """The base of the program, created before it and closed after it.

    Signals:
        stumbled: an unhandled exception; the log has it.
    """

    stumbled = Signal(object)

    def __init__(self, application: QApplication, folders: AppFolders, frame: MainWindow) -> None:
        super().__init__()
        run_gc_on_gui_thread(self)
        self._folders = folders
        self.services = ServiceContainer(folders, recovers_questions=True)
        _log_to(folders, self.services.preferences.redact)
        self.loop = BackgroundLoop(self.stumbled.emit, expected=AppError)
        self.loop.start()
        # In parallel to the start: the folders themselves are already private, but may hold thousands of files.
        Thread(target=folders.close_to_others, name="close-folders", daemon=True).start()
        self.front = StartupPage(self.services.preferences, self.loop, application, frame)

    @Slot()
    def keep_start_page(self) -> None:
        """Store the welcome for the next start."""
        page = self.front.start_page("")
        self.loop.submit(asyncio.to_thread(_write_start_page, page, self._folders))

    def close(self) -> None:
        """Close the services and end the thread; once."""
        try:
            self.loop.call(self._save_and_close(), CLOSE_TIMEOUT_S)
        except (TimeoutError, AppError) as error:
            _log.warning("The services did not close in time: %s", error)
        finally:  # otherwise its thread would keep the process alive
            self.loop.stop()

    async def _save_and_close(self) -> None:
        """Save the last changes of the settings, and close the services."""
        try:
            await self.front.store.settle()
        except AppError as error:  # there is no window left to show it
            _log.error("The last settings could not be kept: %s", error)
        finally:
            await self.services.aclose()


def _write_start_page(page: StartPage, folders: AppFolders) -> None:
    display = read_display_settings(folders.data / SETTINGS_FILE)
    made_for = describe_look(display, is_dark=page.look["theme"] == "dark")
    page._replace(made_for=made_for).write(folders.cache)


def _log_to(folders: AppFolders, redact: Callable[[str], str]) -> None:
    try:
        folders.create()
        handler: logging.Handler = RotatingFileHandler(
            folders.logs / LOG_FILE, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
        )
    except OSError:  # a full or read-only disk must not prevent the start
        handler = logging.StreamHandler()
    lines = logging.Formatter(LOG_LINE)
    handler.setFormatter(RedactingFormatter(lines, redact))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
