"""The view of the conversation page: its menu, where links lead, and which keys are the page's."""

from functools import partial

from PySide6.QtCore import QEvent, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWebEngineCore import QWebEnginePage
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QLabel, QMenu, QWidget

_HINT_SHARE = 0.7
"""How much of the view's width an address may take."""


class PageView(QWebEngineView):
    """A view whose menu offers what makes sense here.

    Signals:
        remember_asked: words that were selected.
    """

    remember_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._has_card = False
        self.hint = QLabel(self)
        self.hint.setObjectName("link-hint")
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.setAutoFillBackground(True)
        self.hint.setContentsMargins(8, 3, 8, 3)
        self.hint.hide()

    @Slot(bool)
    def note_card(self, is_open: bool) -> None:
        """While a card is open Escape closes it, and stops nothing."""
        self._has_card = is_open

    @Slot(str)
    def show_target(self, address: str) -> None:
        """Show where the link under the pointer leads, its host first to be seen; nothing for our own marks."""
        url = QUrl(address)
        self.hint.setVisible(url.scheme() in {"http", "https", "mailto"})
        shown = url.toDisplayString(QUrl.ComponentFormattingOption.EncodeUnicode)
        room = int(self.width() * _HINT_SHARE)
        self.hint.setText(self.hint.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, room))
        self.hint.adjustSize()
        self.hint.move(0, self.height() - self.hint.height())
        self.hint.raise_()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the window's shortcuts while it is the card's."""
        if self._has_card and event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_escape = event.key() == Qt.Key.Key_Escape
            event.setAccepted(is_escape)
            return is_escape
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy, to select, and to remember what is selected."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for which in (QWebEnginePage.WebAction.Copy, QWebEnginePage.WebAction.SelectAll):
            menu.addAction(self.pageAction(which))
        if words := self.selectedText().strip():
            menu.addSeparator()
            menu.addAction(self.tr("Remember this")).triggered.connect(
                partial(self._on_remember_picked, words)
            )
        menu.popup(event.globalPos())

    def _on_remember_picked(self, words: str, _checked: bool = False) -> None:
        self.remember_asked.emit(words)
