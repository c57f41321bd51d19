"""The view of the conversation page, with its menu."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWebEngineCore import QWebEnginePage
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QMenu


class PageView(QWebEngineView):
    """A view whose menu offers what makes sense here.

    Signals:
        remember_asked: words that were selected.
    """

    remember_asked = Signal(str)

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
