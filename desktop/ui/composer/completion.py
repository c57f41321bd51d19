"""Completion in the composer: the text typed after `@` or `/`, the matching items, and their list."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import groupby
from typing import Any, Final, Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QPalette, QTextCursor
from PySide6.QtWidgets import QFrame, QListView, QWidget

from desktop.ui.composer.message_edit import MessageEdit
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_views import TAGS_ROLE, TagDelegate
from desktop.ui.widgets.layout import cut_words, label, plain_tip, vbox

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


SHOWN = 7
"""The number of items shown per group; typing more letters finds the others."""


@dataclass(frozen=True)
class CompletionItem:
    """An item to select. `words` are alternative names; `beside` adds the item to the current selection."""

    group: str
    title: str
    pick: Callable[[], None]
    detail: str = ""
    icon: str = ""
    words: str = ""
    is_on: bool = False
    beside: Callable[[], None] | None = None

    def is_like(self, other: "CompletionItem") -> bool:
        """Say whether `other` offers the same item, even if it was created anew."""
        return (self.group, self.title, self.detail) == (other.group, other.title, other.detail)

    @cached_property
    def names(self) -> str:
        """All searchable text. Cached because there can be thousands of items, searched at every keystroke."""
        return f"{self.title} {self.words}".casefold()


@dataclass(frozen=True)
class CompletionGroup:
    """Items under a heading: `count` match, and `choices` contains the best of them."""

    name: str
    choices: tuple[CompletionItem, ...]
    count: int


def matching(choices: Iterable[CompletionItem], query: str) -> tuple[CompletionGroup, ...]:
    """Return the items that contain all words of `query`; items that begin with it come first in each group.

    The groups keep their order; items of the same group are adjacent in `choices`.
    """
    words = query.casefold().split()
    found = list(choices)
    for word in words:
        found = [choice for choice in found if word in choice.names]
    return tuple(
        CompletionGroup(
            name, tuple(nsmallest(SHOWN, members, key=lambda choice: _rank(choice, words))), len(members)
        )
        for name, members in (
            (name, list(each)) for name, each in groupby(found, lambda choice: choice.group)
        )
    )


def _rank(choice: CompletionItem, words: Sequence[str]) -> int:
    """Return 0 if an item begins with the first word, 1 if one of its words does, 2 otherwise."""
    if not words:
        return 0
    if choice.names.startswith(words[0]):
        return 0
    return 1 if f" {words[0]}" in choice.names else 2


_WIDTH = 460
_VISIBLE_ROWS = 9
_GAP = 6

_Index = QModelIndex | QPersistentModelIndex


class ChoiceModel(QAbstractListModel):
    """A list of groups, each under a heading that cannot be selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[CompletionItem | str] = []
        self._palette = QPalette()

    def show(self, groups: Sequence[CompletionGroup], palette: QPalette) -> None:
        """Show `groups`, with icons in the colours of `palette`."""
        self.beginResetModel()
        self._palette = palette
        self._rows = []
        for group in groups:
            more = group.count > len(group.choices)
            count = self.tr("{shown} of {count}").format(shown=len(group.choices), count=group.count)
            self._rows += [f"{group.name} · {count}" if more else group.name, *group.choices]
        self.endResetModel()

    def choice(self, index: _Index) -> CompletionItem | None:
        """Return the item at `index`; None for a heading."""
        row = self._rows[index.row()] if index.isValid() else ""
        return None if isinstance(row, str) else row

    def row_of(self, choice: CompletionItem | None) -> int:
        """Return the row of the item equal to `choice`, or of the first item; -1 without items."""
        if choice is not None:
            for row, each in enumerate(self._rows):
                if isinstance(each, CompletionItem) and each.is_like(choice):
                    return row
        return self.step(-1, 0)

    def step(self, row: int, step: int) -> int:
        """Return the row `step` items further, wrapping around; -1 without items."""
        rows = [at for at, each in enumerate(self._rows) if isinstance(each, CompletionItem)]
        if not rows:
            return -1
        return rows[(rows.index(row) + step) % len(rows)] if row in rows else rows[0]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of items and headings."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Make items selectable, and headings not."""
        return super().flags(index) if self.choice(index) else Qt.ItemFlag.NoItemFlags

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a row."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row = self._rows[index.row()]
        if isinstance(row, str):
            return row if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DecorationRole and row.icon:
            return icon(row.icon, self._palette)
        return _said(row).get(role)


def _said(choice: CompletionItem) -> dict[int, str]:
    roles = Qt.ItemDataRole
    return {
        roles.DisplayRole: f"{choice.title}  ✓" if choice.is_on else choice.title,
        roles.ToolTipRole: plain_tip(choice.detail or choice.title),
        roles.AccessibleTextRole: ", ".join(filter(None, (choice.title, choice.detail))),
        TAGS_ROLE: choice.detail,
    }


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
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setMouseTracking(True)
        self.view.setIconSize(QSize(16, 16))
        self.view.setUniformItemSizes(True)
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setModel(self.model)
        self.view.setItemDelegate(TagDelegate(self.view))
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
        groups = matching(self._offered, trigger.query)
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
