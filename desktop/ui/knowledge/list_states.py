"""What a list shows while it loads, while it is empty, and while something is dragged over it."""

from typing import Final

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QWidget

from desktop.ui.widgets.icons import Recolored, pixmap
from desktop.ui.widgets.layout import center, label, set_style_flag, vbox
from desktop.ui.widgets.wrapping_row import WrappingRow

_PATIENCE_MS: Final = 300
"""What comes sooner needs no word."""

_MARGIN = 8

_ICON_SIZE: Final = 44
_MAX_WIDTH: Final = 460


class BusyBar(QWidget):
    """A line of text above a bar that shows no share; hidden while nothing is awaited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = label(self, "", "muted", "small")
        bar = QProgressBar(self)
        bar.setTextVisible(False)
        bar.setRange(0, 0)
        column = vbox(self, spacing=4)
        column.addWidget(self.text)
        column.addWidget(bar)
        self.hide()
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._on_patience_over)

    def begin(self, words: str) -> None:
        """Say `words` unless `end` comes at once."""
        self.text.setText(words)
        self.setAccessibleName(words)
        if not self.isVisible():
            self._patience.start()

    def end(self) -> None:
        """Wait no more."""
        self._patience.stop()
        self.hide()

    @Slot()
    def _on_patience_over(self) -> None:
        self.show()


class DropHint(QFrame):
    """A frame over a part of the window; the mouse goes through it."""

    def __init__(self, covered: QWidget) -> None:
        super().__init__(covered)
        self._covered = covered
        self.setObjectName("dropTarget")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = label(self, "", "heading")
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        vbox(self, margins=(24, 24, 24, 24)).addWidget(self.text)
        set_style_flag(self, "active", is_on=True)
        self.hide()

    def appear(self, words: str) -> None:
        """Say where it would go."""
        self.text.setText(words)
        self.setGeometry(self._covered.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN))
        self.raise_()
        self.show()


class EmptyState(Recolored, QWidget):
    """An icon, a few words, and buttons for what can be done."""

    def __init__(
        self, icon_name: str, buttons: tuple[QPushButton, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._icon = QLabel(self)
        self.title = label(self, "", "heading")
        self.text = label(self, "", "muted")
        column = vbox(self, spacing=10, margins=(16, 16, 16, 16))
        column.addStretch(2)
        for part in (self._icon, self.title, self.text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addLayout(center(part, _MAX_WIDTH))
        row = WrappingRow(is_centered=True)
        row.setContentsMargins(0, 8, 0, 0)
        for button in buttons:
            row.addWidget(button)
        column.addLayout(row)
        column.addStretch(3)
        self._recolor()

    def say(self, title: str, text: str) -> None:
        """Say what belongs here."""
        self.title.setText(title)
        self.text.setText(text)

    def _recolor(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.PlaceholderText)
        self._icon.setPixmap(pixmap(self._icon_name, colour, _ICON_SIZE, self.devicePixelRatioF()))
