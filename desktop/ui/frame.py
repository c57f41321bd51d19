"""The window itself, before and around everything in it."""

import json
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from desktop.settings.folders import SETTINGS_FILE
from desktop.ui.colours import DARK, LIGHT

SIZE = QSize(1160, 780)
SIDEBAR_WIDTH = 252

_MIN_SIZE = QSize(560, 420)
_GEOMETRY = "geometry"


class Frame(QMainWindow):
    """On the screen at once, in the colours and at the place of the last time; filled when it is painted.

    Its place is kept in `window.ini` of the data folder; the colours are those that the settings name.

    Signals:
        painted: once, after the first paint.
    """

    painted = Signal()

    def __init__(self, data: Path) -> None:
        super().__init__()
        self._colours = DARK if _is_dark(_theme(data / SETTINGS_FILE)) else LIGHT
        self._place = QSettings(str(data / "window.ini"), QSettings.Format.IniFormat, self)
        self._is_painted = False
        self.setWindowTitle("Footnote")
        self.setMinimumSize(_MIN_SIZE)
        self.resize(SIZE)
        geometry = self._place.value(_GEOMETRY)
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)

    def fill(self, content: QWidget) -> None:
        """Put everything in."""
        self.setCentralWidget(content)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is there before the content: the two surfaces that it will lie on."""
        super().paintEvent(event)
        if self.centralWidget() is None:
            with QPainter(self) as painter:
                painter.fillRect(self.rect(), QColor(self._colours.window))
                painter.fillRect(0, 0, SIDEBAR_WIDTH, self.height(), QColor(self._colours.sidebar))
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the place."""
        self._place.setValue(_GEOMETRY, self.saveGeometry())
        self._place.sync()
        super().closeEvent(event)


def _theme(path: Path) -> object:
    """Return the theme that the settings name, at a glance; what is wrong with them is said later."""
    try:
        return json.loads(path.read_bytes())["window"]["theme"]
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _is_dark(theme: object) -> bool:
    if theme in {"light", "dark"}:
        return theme == "dark"
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
