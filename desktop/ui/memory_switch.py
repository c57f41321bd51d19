"""The switch for memory in the conversation that is open."""

from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from desktop.ui.icons import IconButton
from desktop.ui.parts import mark


class MemorySwitch(IconButton):
    """On or off; hidden while there is nothing to remember.

    Signals:
        picked: whether the conversation may use memories from now on.
    """

    picked = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("memory", parent, QPalette.ColorRole.PlaceholderText)
        self.setCheckable(True)
        self.is_on = True
        self.clicked.connect(self._on_clicked)
        self.show_choice(is_on=True)
        self.hide()

    def show_choice(self, *, is_on: bool) -> None:
        """Show what holds in the conversation."""
        self.is_on = is_on
        self.setChecked(is_on)
        self.set_role(QPalette.ColorRole.Highlight if is_on else QPalette.ColorRole.PlaceholderText)
        mark(self, "active", is_on)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        on, off = self.tr("Memory: on in this conversation"), self.tr("Memory: off in this conversation")
        self.set_words(on if self.is_on else off)

    @Slot(bool)
    def _on_clicked(self, is_on: bool) -> None:
        self.show_choice(is_on=is_on)
        self.picked.emit(is_on)
