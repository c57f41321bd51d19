"""The controls of the viewer: find, pages, zoom."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSpinBox, QWidget

from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, label
from desktop.ui.widgets.wrapping_row import WrappingRow

_FIELD_WIDTH = 220
_LEAST_FIELD_WIDTH = 130


class FindField(QLineEdit):
    """A search field.

    Signals:
        stepped: 1 for the next match (Return), -1 for the one before (Shift+Return).
    """

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `stepped` for Return and Shift+Return."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)


class ViewerToolbar(Retranslated, QWidget):
    """A row of controls; the window connects them to the current pane.

    Signals:
        words_changed: the text to find.
        match_stepped: 1 for the next match, -1 for the previous one.
        page_asked: index of a page, from 0.
        zoom_asked: 1 to zoom in, -1 to zoom out, 0 to fit.
    """

    words_changed = Signal(str)
    match_stepped = Signal(int)
    page_asked = Signal(int)
    zoom_asked = Signal(int)

    def __init__(self, parent: QWidget | None = None, *, is_beside: bool = False) -> None:
        """Create the controls; with `is_beside` they are narrow, and leave the keys of their window to it."""
        super().__init__(parent)
        self._is_beside = is_beside
        self.field = FindField(self)
        self.field.setMaximumWidth(_FIELD_WIDTH)
        self.field.setMinimumWidth(_LEAST_FIELD_WIDTH if is_beside else _FIELD_WIDTH)
        self.field.setClearButtonEnabled(True)
        self.matches = label(self, "", "muted", "small")
        self.matches.setWordWrap(False)
        self.previous, self.next = IconButton("up", self), IconButton("chevron", self)
        self.back, self.forward = IconButton("back", self), IconButton("forward", self)
        self.page = QSpinBox(self)
        self.page.setKeyboardTracking(False)
        self.page.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.pages = QLabel(self)
        self.smaller, self.larger = IconButton("minus", self), IconButton("plus", self)
        self._page_parts: tuple[QWidget, ...] = (self.back, self.page, self.pages, self.forward)
        self._find_parts: tuple[QWidget, ...] = (self.field, self.previous, self.next, self.matches)
        self._lay_out()
        self._connect()
        self._retranslate()
        self.set_pages(0)
        self.set_matches(0, 0)

    def set_pages(self, count: int) -> None:
        """Set the number of pages; with 0, hide the page controls."""
        for part in self._page_parts:
            part.setVisible(count > 0)
        self.page.setRange(1, max(1, count))
        self.pages.setText(f"/ {count}")
        self._show_ends()

    @Slot(int)
    def set_page(self, page: int) -> None:
        """Show the current page (from 0)."""
        self.page.blockSignals(True)
        self.page.setValue(page + 1)
        self.page.blockSignals(False)
        self._show_ends()

    def set_findable(self, is_findable: bool) -> None:
        """Show or hide the search controls."""
        for part in self._find_parts:
            part.setVisible(is_findable)

    @Slot(int, int)
    def set_matches(self, current: int, count: int) -> None:
        """Show the number of the current match and the number of all matches."""
        asked = bool(self.field.text())
        self.matches.setText(f"{current} / {count}" if count else self.tr("Not found") if asked else "")
        self.previous.setEnabled(count > 1)
        self.next.setEnabled(count > 1)

    def _lay_out(self) -> None:
        if self._is_beside:
            narrow = WrappingRow(self, spacing=4)
            narrow.setContentsMargins(12, 4, 12, 8)
            for parts in (self._find_parts, self._page_parts, (self.smaller, self.larger)):
                holder = QWidget(self)  # its parts stay together in one line
                line = hbox(holder, spacing=4)
                for part in parts:
                    line.addWidget(part)
                narrow.addWidget(holder)
            return
        row: QHBoxLayout = hbox(self, spacing=4, margins=(12, 4, 12, 8))
        for part in self._find_parts:
            row.addWidget(part)
        row.addStretch(1)
        for part in self._page_parts:
            row.addWidget(part)
        row.addSpacing(12)
        row.addWidget(self.smaller)
        row.addWidget(self.larger)

    def _connect(self) -> None:
        self.field.textChanged.connect(self.words_changed)
        self.field.stepped.connect(self.match_stepped)
        self.page.valueChanged.connect(self._on_page_chosen)
        steps = ((self.previous, self._on_previous), (self.next, self._on_next), (self.back, self._on_back))
        more = (
            (self.forward, self._on_forward),
            (self.smaller, self._on_smaller),
            (self.larger, self._on_larger),
        )
        for button, slot in (*steps, *more):
            button.clicked.connect(slot)
        for key, slot in (
            (QKeySequence.StandardKey.Find, self._on_find),
            (QKeySequence.StandardKey.ZoomIn, self._on_larger),
            (QKeySequence.StandardKey.ZoomOut, self._on_smaller),
            (QKeySequence("Ctrl+0"), self._on_fit),
        ):
            if not self._is_beside:
                QShortcut(key, self, slot, context=Qt.ShortcutContext.WindowShortcut)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Find in file"))
        self.field.setAccessibleName(self.tr("Find in file"))
        self.page.setAccessibleName(self.tr("Page"))
        self.previous.set_words(self.tr("Previous match"))
        self.next.set_words(self.tr("Next match"))
        self.back.set_words(self.tr("Previous page"))
        self.forward.set_words(self.tr("Next page"))
        self.smaller.set_words(self.tr("Smaller"))
        self.larger.set_words(self.tr("Larger"))

    def _show_ends(self) -> None:
        self.back.setEnabled(self.page.value() > 1)
        self.forward.setEnabled(self.page.value() < self.page.maximum())

    @Slot(int)
    def _on_page_chosen(self, page: int) -> None:
        self._show_ends()
        self.page_asked.emit(page - 1)

    @Slot()
    def _on_previous(self) -> None:
        self.match_stepped.emit(-1)

    @Slot()
    def _on_next(self) -> None:
        self.match_stepped.emit(1)

    @Slot()
    def _on_back(self) -> None:
        self.page.stepDown()

    @Slot()
    def _on_forward(self) -> None:
        self.page.stepUp()

    @Slot()
    def _on_smaller(self) -> None:
        self.zoom_asked.emit(-1)

    @Slot()
    def _on_larger(self) -> None:
        self.zoom_asked.emit(1)

    @Slot()
    def _on_fit(self) -> None:
        self.zoom_asked.emit(0)

    @Slot()
    def _on_find(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
