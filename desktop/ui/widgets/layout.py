"""Layouts, labels and fields that all panels use."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtGui import Qt as RichText
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QBoxLayout,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

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
    return _spaced(QHBoxLayout(), parent, spacing, margins)


def vbox(parent: QWidget | None = None, spacing: int = 6, margins: _Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """Return a vertical layout; `margins` are left, top, right, bottom."""
    return _spaced(QVBoxLayout(), parent, spacing, margins)


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


def _spaced(box: _B, parent: QWidget | None, spacing: int, margins: _Margins) -> _B:
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
