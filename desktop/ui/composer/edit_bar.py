"""The bar above the composer that shows which question is being edited."""

from textwrap import shorten

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QWidget

from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, label

_SHOWN_CHARS = 60


class EditBar(Retranslated, QFrame):
    """A bar above the composer that shows which question is being edited.

    Signals:
        given_up: the user cancelled the editing.
    """

    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._question = ""
        self._text = label(self)
        self._close = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._close.setIconSize(QSize(14, 14))
        self._close.clicked.connect(self.given_up)
        row = hbox(self, margins=(14, 6, 6, 6))
        row.addWidget(self._text, 1)
        row.addWidget(self._close)
        self._retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """The text of the bar."""
        return self._text.text()

    def show_question(self, text: str) -> None:
        """Show the beginning of a question."""
        self._question = shorten(text, _SHOWN_CHARS, placeholder="…") or text[:_SHOWN_CHARS]
        self._retranslate()
        self.show()

    def _retranslate(self) -> None:
        self._close.set_words(self.tr("Cancel edit"), self.tr("Cancel edit  Esc"))
        words = self.tr("Editing “{question}”. The original stays available as an earlier version.")
        self._text.setText(words.format(question=self._question))
        self.setAccessibleName(self._text.text())
