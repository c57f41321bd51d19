"""The palette over the window: one field that searches everything, and the groups of what it found."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QWidget

from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.choice_list import ChoiceModel, CompletionGroup, CompletionItem, make_choice_view
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import label, vbox

_WIDTH = 640
_VISIBLE_ROWS = 12
_GAP = 12
_TOP_SHARE = 9
"""The palette begins at a ninth of the window's height."""

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class CommandPalette(Retranslated, QFrame):
    """A field and a list over a window. The field keeps the focus; the palette closes when it loses it.

    Signals:
        query_changed: the text of the field.
        chosen: the chosen CompletionItem, and whether it is wanted beside the current choice.
    """

    query_changed = Signal(str)
    chosen = Signal(object, bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._before: QWidget | None = None
        self._has_moved = False
        self.setObjectName("suggestions")
        self.field = QLineEdit(self)
        self.field.setObjectName("paletteField")
        self.field.setMaxLength(1000)
        self._glass = self.field.addAction(
            icon("search", self.palette()), QLineEdit.ActionPosition.LeadingPosition
        )
        self.model = ChoiceModel(self)
        self.view = make_choice_view(self.model, self)
        self.state = label(self, "", "muted")
        self.state.setContentsMargins(10, 14, 10, 14)
        self.hint = label(self, "", "muted", "small")
        self.hint.setContentsMargins(10, 2, 10, 2)
        self.hint.setWordWrap(False)
        column = vbox(self, spacing=6, margins=(8, 8, 8, 8))
        for widget in (self.field, self.view, self.state, self.hint):
            column.addWidget(widget)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self.field.textChanged.connect(self._on_text_changed)
        self.view.clicked.connect(self._on_clicked)
        self._retranslate()
        self.hide()

    @property
    def current(self) -> CompletionItem | None:
        """The item that Enter chooses."""
        return self.model.choice(self.view.currentIndex())

    def appear(self) -> None:
        """Open the palette with an empty field."""
        if not self.isVisible():
            self._before = self._window.focusWidget()
        self.field.clear()
        self._place()
        self.raise_()
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Close the palette and give the focus back."""
        before, self._before = self._before, None
        if before is not None and self.field.hasFocus():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()

    def offer(
        self, groups: Sequence[CompletionGroup], *, stays: bool, has_found: bool, is_searching: bool
    ) -> None:
        """Show what was found. With `stays`, an item that the user moved to remains chosen if it is still there.

        Without `has_found` the groups only offer to search elsewhere, and a line says that nothing was found.
        """
        self._has_moved = stays and self._has_moved
        before = self.current if self._has_moved else None
        self.model.show(groups, self.palette())
        self._choose(self.model.row_of(before))
        has_any = self.model.rowCount() > 0
        self.view.setVisible(has_any)
        self.state.setVisible(not has_found)
        self.state.setText(self._searching if is_searching else self._nothing)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the list while the field has the focus, and follow the size of the window."""
        if watched is self._window and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        if watched is not self.field:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusOut:
            # A menu of the field, or another program, only borrows the focus.
            if QApplication.activePopupWidget() is None and self._window.isActiveWindow():
                self.leave()
        elif isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()  # it would otherwise stop an answer
            elif event.type() == QEvent.Type.KeyPress:
                return self._on_key(event)
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Update the icon when the colours change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._glass.setIcon(icon("search", self.palette()))

    def _on_key(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in _ENTER and (choice := self.current) is not None:
            self._take(choice, is_beside=held == Qt.KeyboardModifier.ControlModifier)
        elif held == Qt.KeyboardModifier.NoModifier and (step := _STEPS.get(Qt.Key(event.key()))):
            self._has_moved = True
            self._choose(self.model.step(self.view.currentIndex().row(), step))
        else:
            return event.key() in (*_ENTER, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        return True

    def _take(self, choice: CompletionItem, *, is_beside: bool) -> None:
        self.leave()
        self.chosen.emit(choice, is_beside)

    def _choose(self, row: int) -> None:
        index = self.model.index(row)
        self.view.setCurrentIndex(index)
        if row == self.model.step(-1, 0):
            self.view.scrollToTop()  # its heading is above it
        choice = self.model.choice(index)
        self.hint.setText(self._beside if choice is not None and choice.beside else self._usual)
        # The focus stays in the field: a screen reader reads its description when it changes.
        self.field.setAccessibleDescription(str(index.data(Qt.ItemDataRole.AccessibleTextRole) or ""))

    def _place(self) -> None:
        """Lay the palette out over the upper middle of the window, no larger than it."""
        window = self._window.rect()
        self.setFixedWidth(min(_WIDTH, window.width() - 2 * _GAP))
        top = max(_GAP, window.height() // _TOP_SHARE)
        rows = range(min(self.model.rowCount(), _VISIBLE_ROWS))
        row = max(map(self.view.sizeHintForRow, rows), default=1)
        others = self.field.sizeHint().height() + self.hint.sizeHint().height() + 4 * _GAP
        space = max(3, (window.height() - top - _GAP - others) // row)
        self.view.setFixedHeight(min(self.model.rowCount(), _VISIBLE_ROWS, space) * row + 4)
        self.adjustSize()
        self.move((window.width() - self.width()) // 2, top)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Search chats, files, models, settings and actions"))
        self.field.setAccessibleName(self.tr("Search everything"))
        self.view.setAccessibleName(self.tr("Results"))
        self._searching = self.tr("Searching…")
        self._nothing = self.tr("No results. Try another word.")
        self._usual = self.tr("↑ ↓ to choose · Enter to open · Esc to close")
        self._beside = self.tr("Enter to use · Ctrl+Enter to compare · Esc to close")

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        if self.isVisible():
            self.query_changed.emit(text)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if (choice := self.model.choice(index)) is not None:
            self._take(choice, is_beside=False)
