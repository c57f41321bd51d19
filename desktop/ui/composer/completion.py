"""Completion in the composer: the text typed after `@` or `/`, and the list of the items that match."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QWidget

from desktop.ui.composer.message_edit import MessageEdit
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.choice_list import (
    ChoiceModel,
    CompletionGroup,
    CompletionItem,
    filter_choices,
    make_choice_view,
)
from desktop.ui.widgets.layout import label, vbox

Sign = Literal["@", "/"]

LONGEST_QUERY: Final = 40

# Chinese input methods also produce full-width signs. A query follows its sign and contains no other.
_TAIL = re.compile(rf"(?P<sign>[@＠/／])(?P<query>(?:[^\s@＠/／][^@＠/／]{{0,{LONGEST_QUERY - 1}}})?)$")
_SIGNS: dict[str, Sign] = {"@": "@", "＠": "@", "/": "/", "／": "/"}
_IN_ADDRESS = re.compile(r"[A-Za-z0-9_.+\-:@/\\]")


@dataclass(frozen=True)
class Trigger:
    """A `sign` at `start` in the line, and the text typed after it."""

    sign: Sign
    start: int
    query: str


def trigger_in(before: str) -> Trigger | None:
    """Return the completion trigger at the end of `before`, the line up to the cursor.

    An `@` triggers anywhere except in an e-mail address, because Chinese has no spaces between words. A `/`
    triggers only at the start of a word, because it also occurs in paths, dates and “and/or”.
    """
    found = _TAIL.search(before)
    if found is None:
        return None
    sign, start = _SIGNS[found["sign"]], found.start()
    last = before[start - 1 : start]
    is_inside = bool(last) and not last.isspace() if sign == "/" else bool(_IN_ADDRESS.match(last))
    return None if is_inside else Trigger(sign, start, found["query"])


_WIDTH = 460
_VISIBLE_ROWS = 9
_GAP = 6


class CompletionPopup(Retranslated, QFrame):
    """The completion list. It never takes the focus, so that typing and input methods are not interrupted.

    Signals:
        clicked: the CompletionItem that was clicked.
    """

    clicked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = parent
        self.setObjectName("suggestions")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.model = ChoiceModel(self)
        self.view = make_choice_view(self.model, self)
        self.hint = label(self, "", "muted", "small")
        self.hint.setWordWrap(False)
        column = vbox(self, spacing=4, margins=(6, 6, 6, 6))
        column.addWidget(self.view)
        self.hint.setContentsMargins(10, 2, 10, 2)
        column.addWidget(self.hint)
        self.view.clicked.connect(self._on_clicked)
        self._retranslate()
        self.hide()

    @property
    def current(self) -> CompletionItem | None:
        """The item that Enter selects."""
        return self.model.choice(self.view.currentIndex())

    def offer(self, groups: Sequence[CompletionGroup], at: QPoint, *, stays: bool = False) -> None:
        """Show as many of `groups` as fit above `at`, a point in the parent.

        Select the first item, or with `stays` the previously selected one if it is still offered.
        """
        before = self.current if stays and self.isVisible() else None
        self.model.show(groups, self.palette())
        self._choose(self.model.row_of(before))
        rows = range(min(self.model.rowCount(), _VISIBLE_ROWS))
        self.view.setFixedHeight(len(rows) * max(map(self.view.sizeHintForRow, rows), default=0) + 4)
        window = self._window.rect()
        self.setFixedWidth(min(_WIDTH, window.width() - 2 * _GAP))
        self.adjustSize()
        left = max(_GAP, min(at.x(), window.width() - self.width() - _GAP))
        self.move(left, max(_GAP, at.y() - self.height() - _GAP))
        self.raise_()
        self.show()

    def move_on(self, step: int) -> None:
        """Select the item `step` places further."""
        self._choose(self.model.step(self.view.currentIndex().row(), step))

    def _choose(self, row: int) -> None:
        index = self.model.index(row)
        self.view.setCurrentIndex(index)
        if row == self.model.step(-1, 0):
            self.view.scrollToTop()  # its heading is above it
        choice = self.model.choice(index)
        self.hint.setText(self._beside if choice is not None and choice.beside else self._usual)
        if choice is not None:
            told = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.view, told))

    def _retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Suggestions"))
        self._usual = self.tr("Enter to insert · Esc to dismiss")
        self._beside = self.tr("Enter to use · Ctrl+Enter to compare")

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if (choice := self.model.choice(index)) is not None:
            self.clicked.emit(choice)


_UNITS = "utf-16-le"
"""The encoding whose units Qt's text positions count."""

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -5, Qt.Key.Key_PageDown: 5}


class Completer(QObject):
    """Watches the text typed after `@` and `/`, and handles the keys for the list.

    `offer` returns all items for a sign. Selecting an item removes the text typed for it.

    Signals:
        began: a sign was typed, and its items are needed.
        mentioned: the text typed after an `@`, whenever it changes.
    """

    began = Signal()
    mentioned = Signal(str)

    def __init__(
        self, text: MessageEdit, window: QWidget, offer: Callable[[Sign], Sequence[CompletionItem]]
    ) -> None:
        super().__init__(text)
        self._text = text
        self._window = window
        self._offer = offer
        self._trigger: Trigger | None = None
        self._offered: tuple[CompletionItem, ...] = ()
        self._left: int | None = None
        """Position, in the whole text, of the sign whose list the user closed."""
        self.popup = CompletionPopup(window)
        self.popup.clicked.connect(self._take)
        text.installEventFilter(self)
        window.installEventFilter(self)
        text.textChanged.connect(self._look)
        text.cursorPositionChanged.connect(self._look)
        text.focus_changed.connect(self._on_focus_changed)

    @Slot()
    def refresh(self) -> None:
        """Update the items if the list is open."""
        if self._trigger is not None:
            self._offered = tuple(self._offer(self._trigger.sign))
            self._show(self._trigger, stays=True)

    @Slot()
    def leave(self) -> None:
        """Close the list and keep it closed for this sign."""
        if self._trigger is not None:
            self._left = self._start_of(self._trigger)
        self._close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys for the open list. Letters from an input method do not arrive here."""
        if event.type() == QEvent.Type.Resize and watched is not self._text:
            self._close()
        is_key = event.type() in {QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride}
        is_open = watched is self._text and self.popup.isVisible() and not self._text.is_composing
        if not (is_key and is_open and isinstance(event, QKeyEvent)):
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.ShortcutOverride:
            # Esc would otherwise also stop an answer.
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
            return False
        return self._on_key(event)

    def _on_key(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        choice = self.popup.current
        if held == Qt.KeyboardModifier.NoModifier and event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif held == Qt.KeyboardModifier.NoModifier and (step := _STEPS.get(Qt.Key(event.key()))):
            self.popup.move_on(step)
        elif held == Qt.KeyboardModifier.NoModifier and choice and event.key() in (*_ENTER, Qt.Key.Key_Tab):
            self._take(choice)
        elif held == Qt.KeyboardModifier.ControlModifier and choice and event.key() in _ENTER:
            self._take(choice, is_beside=choice.beside is not None)
        else:
            return False
        return True

    @Slot()
    def _look(self) -> None:
        cursor = self._text.textCursor()
        found = None if cursor.hasSelection() else trigger_in(_before(cursor))
        if found is None or not self._text.hasFocus():
            self._left = None if found is None else self._left
            self._close()
        elif found != self._trigger and self._start_of(found) != self._left:
            if self._trigger is None or (self._trigger.sign, self._trigger.start) != (
                found.sign,
                found.start,
            ):
                self._offered = tuple(self._offer(found.sign))
                self.began.emit()
            self._left = None
            self._show(found)
            if found.sign == "@":
                self.mentioned.emit(found.query)

    def _show(self, trigger: Trigger, *, stays: bool = False) -> None:
        self._trigger = trigger
        groups = filter_choices(self._offered, trigger.query)
        if not groups:
            self.popup.hide()
            return
        at = self._text.cursorRect(self._sign_at(trigger)).topLeft()
        self.popup.offer(groups, self._text.viewport().mapTo(self._window, at), stays=stays)

    def _sign_at(self, trigger: Trigger) -> QTextCursor:
        cursor = self._text.textCursor()
        cursor.setPosition(self._start_of(trigger))
        return cursor

    def _close(self) -> None:
        self._trigger = None
        self._offered = ()
        self.popup.hide()

    def _start_of(self, trigger: Trigger) -> int:
        block = self._text.textCursor().block()
        return block.position() + len(block.text()[: trigger.start].encode(_UNITS, "surrogatepass")) // 2

    @Slot(object)
    def _take(self, choice: CompletionItem, *, is_beside: bool = False) -> None:
        """Remove the text typed for an item and apply the item."""
        if self._trigger is None:
            return
        start = self._start_of(self._trigger)
        self._close()
        cursor = self._text.textCursor()
        cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._left = start  # the inserted text may begin with the sign
        act = choice.beside if is_beside and choice.beside is not None else choice.pick
        act()
        self._look()

    @Slot(bool)
    def _on_focus_changed(self, has_focus: bool) -> None:
        if not has_focus:
            self._close()


def _before(cursor: QTextCursor) -> str:
    """Return the line up to the cursor."""
    line = cursor.block().text().encode(_UNITS, "surrogatepass")
    return line[: 2 * cursor.positionInBlock()].decode(_UNITS, "surrogatepass")
