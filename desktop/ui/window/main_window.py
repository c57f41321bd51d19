"""The main window before its contents are built, and the file that stores its geometry."""

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QMargins, QSettings, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QGuiApplication,
    QKeyEvent,
    QMoveEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow, QWidget

from desktop.settings.folders import SETTINGS_FILE
from desktop.ui.transcript.start_page import describe_look, read_display_settings
from desktop.ui.widgets.colors import DARK, LIGHT
from desktop.ui.widgets.dialog import fit

if TYPE_CHECKING:
    from desktop.ui.transcript.web_page import PreloadedPage

FLUSH_LIMIT_S = 5.0
"""How long the program waits for a slow disk when it ends, in seconds."""

_log = logging.getLogger(__name__)


class WindowPlace:
    """Named texts and widget states. Used by the GUI thread, which never waits for the disk.

    A single thread writes all values at once. Changes made during a write are written next, and the last change
    wins. `QSettings` is only used for reading, because its writing holds Python's GIL until the disk responds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values = _read(path)
        self._lock = threading.Lock()
        self._has_changed = False
        self._writer: threading.Thread | None = None

    def text(self, name: str, otherwise: str = "") -> str:
        """Return a stored text."""
        return self._values.get(name, otherwise)

    def state(self, name: str) -> QByteArray:
        """Return the stored state of a widget; an empty byte array if there is none."""
        return QByteArray.fromBase64(self._values.get(name, "").encode())

    def keep_text(self, name: str, text: str) -> None:
        """Store a text."""
        if self._values.get(name) == text:
            return
        with self._lock:
            self._values[name] = text
            self._has_changed = True
            if self._writer is None:
                self._writer = threading.Thread(target=self._write, name="window place")
                self._writer.start()

    def keep_state(self, name: str, state: QByteArray) -> None:
        """Store the state of a widget."""
        self.keep_text(name, state.toBase64().toStdString())

    def flush(self, limit_s: float = FLUSH_LIMIT_S) -> bool:
        """Wait until everything is written, for at most `limit_s` seconds. Return whether it is."""
        with self._lock:
            writer = self._writer
        if writer is not None:
            writer.join(limit_s)
        return writer is None or not writer.is_alive()

    def _write(self) -> None:
        from desktop.settings.atomic_files import write_whole  # noqa: PLC0415 - not before the first paint

        while True:
            with self._lock:
                if not self._has_changed:
                    self._writer = None
                    return
                self._has_changed = False
                lines = [f"{name}={_quote(value)}\n" for name, value in self._values.items()]
            try:
                write_whole(self._path, "".join(["[General]\n", *lines]).encode())
            except OSError as error:
                _log.warning("The place of the window could not be kept: %s", error)


def _read(path: Path) -> dict[str, str]:
    """Return the contents of the file: texts, and widget states in base64."""
    settings = QSettings(str(path), QSettings.Format.IniFormat)
    values = {name: settings.value(name) for name in settings.allKeys()}
    return {
        name: value.toBase64().toStdString() if isinstance(value, QByteArray) else str(value)
        for name, value in values.items()
    }


def _quote(text: str) -> str:
    """Return a text quoted as `QSettings` expects it in a file."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


SIZE = QSize(1160, 780)
SIDEBAR_WIDTH = 252

_ABOUT_THE_PAGE = QMargins(SIDEBAR_WIDTH + 1, 51, 0, 113)
"""The margins around the conversation page in the complete window: sidebar, title and composer."""

_MIN_SIZE = QSize(560, 420)
_GEOMETRY = "geometry"
_SETTLED_MS = 400


class MainWindow(QMainWindow):
    """Appears at once with the last geometry and colours; its contents are added after the first paint.

    The geometry is stored in `window.ini` of the data folder soon after each change, so that a crash does not
    lose it. The colours come from the settings.

    Signals:
        painted: once, after the first paint.
        closed: the window was closed and the program should end.
        resized: the new width, in pixels.
    """

    painted = Signal()
    closed = Signal()
    resized = Signal(int)

    def __init__(self, data: Path) -> None:
        super().__init__()
        self._display = read_display_settings(data / SETTINGS_FILE)
        self._colours = DARK if _is_dark(self._display.get("theme")) else LIGHT
        self.place = WindowPlace(data / "window.ini")
        self._typed = ""
        self._is_painted = False
        self._stays = False
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLED_MS)
        self._settling.timeout.connect(self._keep_place)
        self.setWindowTitle("Footnote")
        self.setMinimumSize(_MIN_SIZE)
        self.resize(SIZE)
        fit(self)
        self.restoreGeometry(self.place.state(_GEOMETRY))
        self.setFocus()  # the page, which is shown before the message field, does not take what is typed

    @property
    def look(self) -> str:
        """What the welcome of this window depends on."""
        return describe_look(self._display, is_dark=self._colours.is_dark)

    def show_bare(self, page: "PreloadedPage") -> None:
        """Show the conversation page at its usual position, in the colour of the window."""
        page.web_page.setBackgroundColor(QColor(self._colours.window))
        page.view.setGeometry(self.rect() - _ABOUT_THE_PAGE)
        page.view.show()

    def fill(self, content: QWidget) -> None:
        """Add the contents."""
        self.setCentralWidget(content)

    def take_typed(self) -> str:
        """Return what the user has typed before there was a field for it."""
        typed, self._typed = self._typed, ""
        return typed

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep what is typed before the contents are there."""
        held = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        if self.centralWidget() is not None:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Backspace:
            self._typed = self._typed[:-1]
        elif event.text().isprintable() and not held:
            self._typed += event.text()

    def set_stays(self, stays: bool) -> None:
        """Set whether closing the window only hides it."""
        self._stays = stays

    @Slot()
    def come_forward(self) -> None:
        """Bring the window to the front in its previous size."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot()
    def end(self) -> None:
        """Close the window and quit the program."""
        self._stays = False
        self.close()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background of sidebar and conversation while there are no contents."""
        super().paintEvent(event)
        if self.centralWidget() is None:
            with QPainter(self) as painter:
                painter.fillRect(self.rect(), QColor(self._colours.window))
                painter.fillRect(0, 0, SIDEBAR_WIDTH, self.height(), QColor(self._colours.sidebar))
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self.painted.emit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Store the size after a short delay."""
        super().resizeEvent(event)
        self.resized.emit(event.size().width())
        self._settling.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Store the position after a short delay."""
        super().moveEvent(event)
        self._settling.start()

    def changeEvent(self, event: QEvent) -> None:
        """Store whether the window is maximized or full screen."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._settling.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store the geometry. If the program keeps running, only hide the window."""
        self._keep_place()
        if self._stays:
            event.ignore()
            self.hide()
            return
        super().closeEvent(event)
        self.closed.emit()

    @Slot()
    def _keep_place(self) -> None:
        if self._is_painted:
            self.place.keep_state(_GEOMETRY, self.saveGeometry())


def _is_dark(theme: object) -> bool:
    if theme in {"light", "dark"}:
        return theme == "dark"
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
