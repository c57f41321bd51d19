"""Layouts, labels, fields and rows of widgets that all panels use."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent, QWheelEvent
from PySide6.QtGui import Qt as RichText
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QBoxLayout,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QMenu,
    QProgressBar,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from desktop.ui.widgets.access_keys import add_access_keys

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object

_B = TypeVar("_B", bound=QBoxLayout)
_Data = TypeVar("_Data", bound=Callable[..., Any])
_Index = QModelIndex | QPersistentModelIndex
_Margins = tuple[int, int, int, int]
_BAR_STEPS = 1000

MAX_NAME_CHARS: Final = 2_000
MAX_LINE_CHARS: Final = 200
"""Maximum length of one-line texts, in characters: menus, desktop notifications and window titles."""
MAX_LABEL_CHARS: Final = 20_000
MAX_TIP_CHARS: Final = 4_000

_MARGIN = 7


def hbox(parent: QWidget | None = None, spacing: int = 6, margins: _Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Return a horizontal layout; `margins` are left, top, right, bottom."""
    return _space(QHBoxLayout(), parent, spacing, margins)


def vbox(parent: QWidget | None = None, spacing: int = 6, margins: _Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """Return a vertical layout; `margins` are left, top, right, bottom."""
    return _space(QVBoxLayout(), parent, spacing, margins)


def center(widget: QWidget, max_width: int) -> QHBoxLayout:
    """Return a row that centers `widget` when there is more space than `max_width`."""
    widget.setMaximumWidth(max_width)
    row = hbox(spacing=0)
    row.addStretch(1)
    row.addWidget(widget, 1000)
    row.addStretch(1)
    return row


class PlainLabel(QLabel):
    """A label for plain text, which truncates very long text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        """Show `text`, cut to `MAX_LABEL_CHARS`."""
        super().setText(shorten_name(text, MAX_LABEL_CHARS))

    def setAccessibleName(self, name: str) -> None:
        """Set the accessible name, truncated in the same way."""
        super().setAccessibleName(shorten_name(name, MAX_LABEL_CHARS))


def label(parent: QWidget | None = None, text: str = "", *looks: str) -> QLabel:
    """Return a label with word wrap for plain text; `looks` are muted, small, danger, heading, display."""
    result = PlainLabel(parent)
    result.setText(text)
    result.setWordWrap(True)
    for look in looks:
        result.setProperty(look, "true")
    return result


def plain_tip(text: str) -> str:
    """Return a tooltip that shows `text` as plain text.

    Qt renders text that looks like HTML and loads its images: on Windows even from remote
    servers, by UNC paths. File names, titles and addresses are untrusted.
    """
    text = shorten_name(text, MAX_TIP_CHARS)
    return RichText.convertFromPlainText(text) if RichText.mightBeRichText(text) else text


def shorten_name(text: str, chars: int = MAX_NAME_CHARS) -> str:
    """Return a name, truncated: Qt lays out the whole text of a widget, which takes seconds for a megabyte."""
    return text if len(text) <= chars else text[: chars - 1] + "…"


def add_choice(menu: QMenu, text: str, pick: Callable[..., object], *, is_chosen: bool) -> QAction:
    """Add an entry that shows whether it is the current choice."""
    action = menu.addAction(plain_name(text))
    action.setCheckable(True)
    action.setChecked(is_chosen)
    action.triggered.connect(pick)
    return action


def plain_name(text: str) -> str:
    """Return a name escaped for a menu or a button, where a single & marks a shortcut key."""
    return shorten_name(text, MAX_LINE_CHARS).replace("&", "&&")


def cut_words(data: _Data) -> _Data:
    """Decorate `data` of an item model so that views and screen readers get texts truncated by `shorten_name`.

    The `EditRole` is not truncated; tooltips are truncated by `plain_tip`.
    """

    @wraps(data)
    def cut(model: object, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(model, index, role)
        is_shown = role not in {Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole}
        return shorten_name(value) if is_shown and isinstance(value, str) else value

    return cast("_Data", cut)


def new_menu(parent: QWidget) -> QMenu:
    """Return an empty menu that is deleted when it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return add_access_keys(menu)


def separator(parent: QWidget | None = None) -> QFrame:
    """Return a muted horizontal separator."""
    result = QFrame(parent)
    result.setProperty("line", "true")
    return result


def show_progress(bar: QProgressBar, done: int, total: int) -> None:
    """Update a progress bar; with `total` 0 (unknown), it is shown as busy."""
    # Not the numbers themselves: QProgressBar is limited to 2³¹, and byte counts can be larger.
    bar.setRange(0, _BAR_STEPS if total else 0)
    if total:
        bar.setValue(_BAR_STEPS * done // total)


def set_style_flag(widget: QWidget, name: str, is_on: bool) -> None:
    """Set a property that the style sheet uses, and reapply the style."""
    value = "true" if is_on else "false"
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def _space(box: _B, parent: QWidget | None, spacing: int, margins: _Margins) -> _B:
    if parent is not None:
        parent.setLayout(box)
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    return box


class ElidedText(_Widget):
    """Elides the text of a widget where it does not fit; the tooltip then has all of it. It is the first base of the widget."""

    words = ""

    def show_words(self, words: str) -> None:
        """Set the text."""
        self.words = shorten_name(words)
        self.setAccessibleName(self.words)
        self._cut()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the text to the new width."""
        super().resizeEvent(event)
        self._cut()

    def changeEvent(self, event: QEvent) -> None:
        """Elide the text again when the font changes."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._cut()

    def _cut(self) -> None:
        cut = self.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, self._room())
        self._write(cut)
        self.setToolTip(plain_tip(self.words) if cut != self.words else "")

    def _room(self) -> int:
        """Return the width for the text in pixels."""
        raise NotImplementedError

    def _write(self, text: str) -> None:
        raise NotImplementedError


class ElidedLabel(ElidedText, QLabel):
    """A line of text that is elided if it does not fit; its minimum width is 0."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def sizeHint(self) -> QSize:
        """Return the size of the whole text."""
        return QSize(self.fontMetrics().horizontalAdvance(self.words), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line, with width 0."""
        return QSize(0, super().minimumSizeHint().height())

    def _room(self) -> int:
        return self.contentsRect().width()

    def _write(self, text: str) -> None:
        self.setText(text)


class NoWheelComboBox(QComboBox):
    """A combo box that ignores the mouse wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, which scrolls."""
        event.ignore()


class NoWheelSpinBox(QSpinBox):
    """A spin box for integers that ignores the mouse wheel and signals complete input only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _set_up(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, which scrolls."""
        event.ignore()


class NoWheelDoubleSpinBox(QDoubleSpinBox):
    """A spin box for decimal numbers that ignores the mouse wheel and signals complete input only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _set_up(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, which scrolls."""
        event.ignore()


def _set_up(field: QAbstractSpinBox) -> None:
    field.setKeyboardTracking(False)
    field.setAccelerated(True)
    field.setProperty("stepper", "true")  # with buttons that subtract and add
    field.setGroupSeparatorShown(True)
    # Align the text with that of other fields.
    field.lineEdit().setTextMargins(_MARGIN, 0, 0, 0)


class WrappingRow(QLayout):
    """Puts widgets beside each other, and in further lines those for which there is no room.

    Texts that may wrap, and widgets with an expanding width, share what is left of their line.
    """

    def __init__(self, parent: QWidget | None = None, spacing: int = 8, *, is_centered: bool = False) -> None:
        super().__init__()
        self._is_centered = is_centered
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        if parent is not None:
            parent.setLayout(self)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._valid())

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None beyond the end."""
        items = self._valid()
        return items[index] if 0 <= index < len(items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item and return it, or None beyond the end."""
        items = self._valid()
        return items.pop(index) if 0 <= index < len(items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Take the width that there is."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Return true: the number of lines depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        return self._place(self._inside(QRect(0, 0, width, 0)), moves=False) + self._around().height()

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        sizes = [item.sizeHint() for item in self._list_shown()]
        width = sum(size.width() for size in sizes) + self.spacing() * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0)) + self._around()

    def minimumSize(self) -> QSize:
        """Return the size of the largest widget, which has a line of its own in the narrowest row."""
        sizes = [item.minimumSize() for item in self._list_shown()]
        return (
            QSize(
                max((size.width() for size in sizes), default=0),
                max((size.height() for size in sizes), default=0),
            )
            + self._around()
        )

    def setGeometry(self, rect: QRect) -> None:
        """Place the widgets in lines."""
        super().setGeometry(rect)
        self._place(self._inside(rect), moves=True)

    def _inside(self, rect: QRect) -> QRect:
        return rect.marginsRemoved(self.contentsMargins())

    def _around(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _valid(self) -> list[QLayoutItem]:
        """Return the items that still exist; those of a window that is being deleted may go before the row does.

        Qt asks the row on in a change of style, and ends the program at the second error in an answer.
        """
        if not all(map(isValid, self._items)):
            self._items = [item for item in self._items if isValid(item)]
        return self._items

    def _list_shown(self) -> list[QLayoutItem]:
        return [item for item in self._valid() if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        used = 0
        for item in self._list_shown():
            needed = item.sizeHint().width()
            if not lines or used + self.spacing() + needed > width:
                lines.append([])
                used = -self.spacing()
            lines[-1].append(item)
            used += self.spacing() + needed
        return lines

    def _widths(self, line: Sequence[QLayoutItem], room: int) -> list[int]:
        wanted = [min(item.sizeHint().width(), room) for item in line]
        growing = [at for at, item in enumerate(line) if _grows(item)]
        left = max(0, room - sum(wanted) - self.spacing() * (len(line) - 1))
        for place, at in enumerate(growing):
            most = line[at].maximumSize().width()
            share = min(left // (len(growing) - place), max(0, most - wanted[at]))
            wanted[at] += share
            left -= share
        return wanted

    def _place(self, rect: QRect, *, moves: bool) -> int:
        """Return the height of all lines in the width of `rect`; with `moves`, put the widgets there."""
        top = rect.top()
        for line in self._lines(rect.width()):
            widths = self._widths(line, rect.width())
            heights = [_height(item, width) for item, width in zip(line, widths, strict=True)]
            spare = rect.width() - sum(widths) - self.spacing() * (len(line) - 1)
            left = rect.left() + (max(0, spare) // 2 if self._is_centered else 0)
            for item, width, height in zip(line, widths, heights, strict=True):
                if moves:
                    item.setGeometry(QRect(left, top + (max(heights) - height) // 2, width, height))
                left += width + self.spacing()
            top += max(heights) + self.spacing()
        return max(0, top - self.spacing() - rect.top())


def _grows(item: QLayoutItem) -> bool:
    return item.hasHeightForWidth() or bool(item.expandingDirections() & Qt.Orientation.Horizontal)


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
