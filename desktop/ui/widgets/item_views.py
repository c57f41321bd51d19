"""Parts of lists: an item model of records, tables of actions on the selection, an inline editor, painting of rows, and their difference."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import cut_words, shorten_name

_Index = QModelIndex | QPersistentModelIndex


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


_Record = TypeVar("_Record", bound=_HasId)


class RecordModel(QAbstractListModel, Generic[_Record]):
    """Shows records; rows are inserted, moved, removed and changed one by one, so that the selection stays."""

    is_editable = False
    """Whether rows can be edited in place; then `setData` takes what was typed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.records: list[_Record] = []

    def values_of(self, record: _Record) -> Mapping[int, Any]:
        """Return what a row shows, by role."""
        raise NotImplementedError

    def show(self, records: Iterable[_Record]) -> None:
        """Show `records` in their order, each id once."""
        wanted = {record.id: record for record in records}
        before = {record.id for record in self.records}
        for gone in [record.id for record in self.records if record.id not in wanted]:
            row = self.row_of(gone).row()
            self.beginRemoveRows(QModelIndex(), row, row)
            del self.records[row]
            self.endRemoveRows()
        for row, record in enumerate(wanted.values()):
            self._put(row, record, is_new=record.id not in before)

    def _put(self, row: int, record: _Record, *, is_new: bool) -> None:
        if is_new:
            self.beginInsertRows(QModelIndex(), row, row)
            self.records.insert(row, record)
            self.endInsertRows()
        elif self.records[row].id != record.id:
            old = self.row_of(record.id).row()
            self.beginMoveRows(QModelIndex(), old, old, QModelIndex(), row)
            self.records.insert(row, self.records.pop(old))
            self.endMoveRows()
        if self.records[row] != record:
            self.records[row] = record
            self.dataChanged.emit(self.index(row), self.index(row))

    def tell_changed(self, record_ids: Container[str] | None = None) -> None:
        """Let views read the rows of some records again, or of all."""
        for row, record in enumerate(self.records):
            if record_ids is None or record.id in record_ids:
                self.dataChanged.emit(self.index(row), self.index(row))

    def record(self, index: _Index) -> _Record | None:
        """Return the record of a row."""
        return self.records[index.row()] if index.isValid() else None

    def row_of(self, record_id: str) -> QModelIndex:
        """Return the index of a record; invalid where it does not exist."""
        rows = (row for row, record in enumerate(self.records) if record.id == record_id)
        return self.index(next(rows, -1))

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return the flags of a row."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if self.is_editable and index.isValid() else flags

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of records."""
        return 0 if parent.isValid() else len(self.records)

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a row shows."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        return self.values_of(self.records[index.row()]).get(role)


_T = TypeVar("_T")


@dataclass(frozen=True)
class ItemAction(Generic[_T]):
    """An action on the selection; `text` is translated in the context "item_actions".

    `fits` returns whether the action is possible for the selection. Menus have a separator between groups.
    Shortcuts work while the list has the focus, or with `is_everywhere` in the whole window.
    """

    id: str
    text: str
    fits: Callable[[Sequence[_T]], bool]
    icon: str = ""
    keys: tuple[str, ...] = ()
    group: int = 0
    is_everywhere: bool = False


class ItemActions(QObject, Generic[_T]):
    """The actions of a table, bound to a selection.

    Shortcuts work while `place` has the focus, even if no menu is open.

    Signals:
        asked: id of the action to perform on the selection.
    """

    asked = Signal(str)

    def __init__(self, table: Sequence[ItemAction[_T]], place: QWidget) -> None:
        super().__init__(place)
        self._table = tuple(table)
        self.actions: dict[str, QAction] = {}
        for spec in table:
            action = QAction(self)
            action.setObjectName(spec.id)
            action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
            contexts = Qt.ShortcutContext
            action.setShortcutContext(
                contexts.WindowShortcut if spec.is_everywhere else contexts.WidgetShortcut
            )
            action.triggered.connect(self._on_triggered)
            place.addAction(action)
            self.actions[spec.id] = action
        self.retranslate()

    def fit(self, chosen: Sequence[_T]) -> None:
        """Enable the actions that are possible for the selection."""
        for spec in self._table:
            self.actions[spec.id].setEnabled(spec.fits(chosen))

    def fill(self, menu: QMenu) -> None:
        """Add the enabled actions to a menu."""
        group = 0
        for spec in self._table:
            action = self.actions[spec.id]
            if not action.isEnabled():
                continue
            if spec.group != group and not menu.isEmpty():
                menu.addSeparator()
            group = spec.group
            action.setIcon(icon(spec.icon, menu.palette()))
            menu.addAction(action)

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        for spec in self._table:
            self.actions[spec.id].setText(QCoreApplication.translate("item_actions", spec.text))

    def _on_triggered(self) -> None:
        action = self.sender()
        assert action is not None
        self.asked.emit(action.objectName())


_PADDING = 10
_HEIGHT = 12
_RADIUS = 9
_MAX_WIDTH = 260

TAGS_ROLE = Qt.ItemDataRole.UserRole + 1
"""Text (str) at the end of a row."""

_GAP = 10
_SIZE = 0.85


_Run = tuple[int, int]

MOST_RUNS = 24
"""With more runs of inserted or removed rows, resetting the model is faster."""


class InlineEditor(QLineEdit):
    """A line edit that does not pass keys on to its list.

    The list would take the Enter that ends editing for one that opens the row. It cannot tell them
    apart: its `state()` forgets the editor when another row is removed, which happens while the user is typing.
    """

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept all keys, even those that a line edit ignores."""
        super().keyPressEvent(event)
        event.accept()


class RowList(QListView):
    """A list of rows as wide as the list, which a delegate paints."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queries")
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the rows again for the new width."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


def scale_font(font: QFont, factor: float) -> QFont:
    """Return the font in another size."""
    scaled = QFont(font)
    if font.pointSizeF() > 0:
        scaled.setPointSizeF(font.pointSizeF() * factor)
    else:
        scaled.setPixelSize(round(font.pixelSize() * factor))
    return scaled


def paint_row_background(painter: QPainter, option: QStyleOptionViewItem, area: QRect, radius: int) -> None:
    """Paint the background and the focus ring of a selected or hovered row."""
    palette, state = option.palette, option.state
    is_selected = bool(state & QStyle.StateFlag.State_Selected)
    if is_selected or state & QStyle.StateFlag.State_MouseOver:
        role = QPalette.ColorRole.Dark if is_selected else QPalette.ColorRole.Midlight
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(role))
        painter.drawRoundedRect(area, radius, radius)
    if is_selected and state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(palette.color(QPalette.ColorRole.Highlight))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area.adjusted(0, 0, -1, -1), radius, radius)


def drag_pixmap(text: str, widget: QWidget) -> QPixmap:
    """Return an image of `text` on a rounded background, in the font and colours of `widget`."""
    metrics, palette, scale = widget.fontMetrics(), widget.palette(), widget.devicePixelRatioF()
    words = metrics.elidedText(shorten_name(text), Qt.TextElideMode.ElideRight, _MAX_WIDTH - 2 * _PADDING)
    size = QSize(metrics.horizontalAdvance(words) + 2 * _PADDING, metrics.height() + _HEIGHT)
    chip = QPixmap(size * scale)
    chip.setDevicePixelRatio(scale)
    chip.fill(Qt.GlobalColor.transparent)
    with QPainter(chip) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(widget.font())
        painter.setPen(palette.color(QPalette.ColorRole.Mid))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        area = QRect(0, 0, size.width() - 1, size.height() - 1)
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)
    return chip


class TagDelegate(QStyledItemDelegate):
    """Paints a row with elided text and tags at its end."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one row."""
        tags = str(index.data(TAGS_ROLE) or "")
        self.initStyleOption(option, index)
        font = scale_font(option.font, _SIZE)
        style = option.widget.style()
        if not tags:
            style.drawControl(style.ControlElement.CE_ItemViewItem, option, painter, option.widget)
            return
        width = min(_width(font, tags), option.rect.width() // 2)
        place = option.rect.adjusted(option.rect.width() - width - _GAP, 0, -_GAP, 0)
        words = style.subElementRect(style.SubElement.SE_ItemViewItemText, option, option.widget)
        space = place.left() - words.left() - 2 * _GAP  # an icon may come before the text
        option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, space)
        style.drawControl(style.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        painter.setFont(font)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        told = painter.fontMetrics().elidedText(tags, Qt.TextElideMode.ElideRight, width)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, told)
        painter.restore()


def _width(font: QFont, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text) + 2


@dataclass(frozen=True)
class ListDiff(Generic[_T]):
    """The steps from one list of rows to another: remove from the bottom, sort the rest, insert from the top.

    A run is a first and a last row, before the removal (`removed`) or in the final list (`added`).
    """

    removed: tuple[_Run, ...]
    staying: tuple[_T, ...]
    is_sorted: bool
    """Whether the remaining rows are already in their new order."""
    added: tuple[_Run, ...]

    @property
    def are_many(self) -> bool:
        """Whether a model reset is faster than this many runs."""
        return len(self.removed) + len(self.added) > MOST_RUNS


def diff(old: Sequence[_T], new: Sequence[_T], key: Callable[[_T], Hashable]) -> ListDiff[_T]:
    """Return the changes from `old` to `new`; `key` identifies a row and must be unique."""
    old_keys, new_keys = [key(row) for row in old], [key(row) for row in new]
    before, after = frozenset(old_keys), frozenset(new_keys)
    removed = tuple(_runs(number for number, each in enumerate(old_keys) if each not in after))
    added = tuple(_runs(number for number, each in enumerate(new_keys) if each not in before))
    staying = [each for each in old_keys if each in after]
    sorted_rows = [(each, row) for each, row in zip(new_keys, new, strict=True) if each in before]
    is_sorted = staying == [each for each, _row in sorted_rows]
    return ListDiff(removed[::-1], tuple(row for _key, row in sorted_rows), is_sorted, added)


def _runs(numbers: Iterator[int]) -> Iterator[_Run]:
    first = last = -1
    for number in numbers:
        if first >= 0 and number != last + 1:
            yield first, last
            first = number
        elif first < 0:
            first = number
        last = number
    if first >= 0:
        yield first, last
