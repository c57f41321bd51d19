"""A page that the manager shows instead of the list: a button back, a title, and its subject."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel


class SidePage(Retranslated, QWidget):
    """Escape or the arrow leads back to the list.

    Signals:
        left: the user wants to go back.
    """

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back = IconButton("back", self)
        self.title = label(self, "", "heading")
        self.hint = StatusLabel(self, "muted")
        self.head: QHBoxLayout = hbox(spacing=8)
        self.head.addWidget(self.back)
        self.head.addWidget(self.title, 1)
        self.column = vbox(self, spacing=10, margins=(20, 14, 20, 16))
        self.column.addLayout(self.head)
        self.column.addWidget(self.hint)
        self.back.clicked.connect(self.leave)

    @Slot()
    def leave(self) -> None:
        """Go back to the list."""
        self.left.emit()

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        self.back.set_words(self.tr("Back"), f"{self.tr('Back')}  Esc")

    def _retranslate(self) -> None:
        self.retranslate()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Escape instead of closing the window."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)
