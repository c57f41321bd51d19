"""The bar above the conversation that finds text in it."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QWidget

from desktop.render.page.find import FindState
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, set_style_flag

_WIDTH = 280


class FindBar(Retranslated, QFrame):
    """The find bar: Enter goes to the next match, Shift+Enter to the previous one, and Escape closes the bar.

    Signals:
        changed: the text to find; empty when the search has ended.
        step_asked: 1 for the next match, -1 for the previous one.
        closed: the bar was closed; the conversation should get the keyboard focus.
    """

    changed = Signal(str)
    step_asked = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.words = QLineEdit(self)
        self.words.setMaximumWidth(_WIDTH)
        self.words.setClearButtonEnabled(True)
        self.count = QLabel(self)
        self.count.setProperty("muted", "true")
        self.previous = IconButton("up", self)
        self.next = IconButton("chevron", self)
        self.close_button = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self.close_button.setIconSize(QSize(14, 14))
        row = hbox(self, margins=(14, 6, 6, 6))
        row.addWidget(self.words, 1)
        row.addWidget(self.count)
        row.addStretch(1)
        for button in (self.previous, self.next, self.close_button):
            row.addWidget(button)
        self.words.textChanged.connect(self._on_text_changed)
        self.previous.clicked.connect(self._on_previous_clicked)
        self.next.clicked.connect(self._on_next_clicked)
        self.close_button.clicked.connect(self.finish)
        self._retranslate()
        self.show_found(FindState("", 0, 0, is_complete=True))
        self.hide()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """The widgets that take keyboard focus, in tab order."""
        return (self.words, self.previous, self.next, self.close_button)

    def begin(self) -> None:
        """Show the bar, select the text of the last search, and search for it."""
        is_new = self.isHidden()
        self.show()
        self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words.selectAll()
        if is_new and self.words.text():
            self.changed.emit(self.words.text())

    def show_words(self, words: str) -> None:
        """Show the bar with the text of a search that is already running."""
        self.words.blockSignals(True)
        self.words.setText(words)
        self.words.blockSignals(False)
        self.show()
        self.words.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def finish(self) -> None:
        """Hide the bar and end the search."""
        if not self.isHidden():
            self.hide()
            self.changed.emit("")
            self.closed.emit()

    @Slot(object)
    def show_found(self, found: FindState) -> None:
        """Show the number of matches and the current one."""
        self.previous.setEnabled(found.total > 0)
        self.next.setEnabled(found.total > 0)
        is_missing = bool(found.needle) and found.is_complete and not found.total
        set_style_flag(self.count, "danger", is_missing)
        if not found.needle:
            text = ""
        elif not found.is_complete:
            text = self.tr("{position} of {total}…").format(position=found.position, total=found.total)
        elif is_missing:
            text = self.tr("Not found")
        else:
            text = self.tr("{position} of {total}").format(position=found.position, total=found.total)
        self.count.setText(text)
        # Screen readers announce changes of the focused field, so its description holds the result.
        self.words.setAccessibleDescription(text)

    def event(self, event: QEvent) -> bool:
        """Handle Escape here, before the window's shortcut that stops answers."""
        if isinstance(event, QKeyEvent) and _is_escape_for_shortcuts(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next or previous match, or close the bar."""
        match event.key():
            case Qt.Key.Key_Escape:
                self.finish()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.step_asked.emit(-1 if is_back else 1)
            case _:
                super().keyPressEvent(event)

    def _retranslate(self) -> None:
        self.words.setPlaceholderText(self.tr("Find in this chat"))
        self.words.setAccessibleName(self.tr("Find in this chat"))
        self.previous.set_words(self.tr("Previous"), f"{self.tr('Previous')}  Shift+Enter")
        self.next.set_words(self.tr("Next"), f"{self.tr('Next')}  Enter")
        self.close_button.set_words(self.tr("Close"), f"{self.tr('Close')}  Esc")

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        self.changed.emit(text)

    @Slot()
    def _on_previous_clicked(self) -> None:
        self.step_asked.emit(-1)

    @Slot()
    def _on_next_clicked(self) -> None:
        self.step_asked.emit(1)


def _is_escape_for_shortcuts(event: QKeyEvent) -> bool:
    return event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape
