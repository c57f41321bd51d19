"""The items of a knowledge base as an item model, and the texts of its cells."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from pathlib import PurePath
from time import monotonic
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)

from desktop.domain.knowledge import ItemInfo, ItemKind, ItemProgress, ItemState
from desktop.ui.knowledge.item_rows import ItemColumn, ItemFilter, ItemRows, SortKey
from desktop.ui.labels.common import format_date, format_datetime, format_progress, localize_message
from desktop.ui.widgets.layout import cut_words, plain_tip

_SEPARATOR: Final = " · "

_Index = QModelIndex | QPersistentModelIndex

ProgressRole: Final = Qt.ItemDataRole.UserRole
"""The ItemProgress of a row."""

_COLUMNS: Final = len(ItemColumn)
_FRAME_MS: Final = 33
_REST: Final = 8
"""How many times as long as the last frame took the next one waits at least."""
_ONE_BY_ONE: Final = 24
"""How many rows may be inserted, removed or moved in a frame; more reset the model."""
_MOST_A_FRAME: Final = 2_000
"""How many items are looked at in a frame: a base of 50,000 would stop the window for a second."""

_NUMBERS: Final = frozenset({ItemColumn.PAGES, ItemColumn.PASSAGES})
_ALIGNMENT: Final = {
    False: Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    True: Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
}


def column_name(column: ItemColumn) -> str:
    """Return the heading of a column."""
    translate = QCoreApplication.translate
    match column:
        case ItemColumn.NAME:
            return translate("item_words", "Name")
        case ItemColumn.STATE:
            return translate("item_words", "State")
        case ItemColumn.PAGES:
            return translate("item_words", "Pages")
        case ItemColumn.PASSAGES:
            return translate("item_words", "Passages")
        case ItemColumn.TAGS:
            return translate("item_words", "Tags")
        case ItemColumn.READ:
            return translate("item_words", "Read")


def state_name(state: ItemState) -> str:
    """Return the name of a state in the filter."""
    translate = QCoreApplication.translate
    match state:
        case ItemState.WAITING:
            return translate("item_words", "Waiting")
        case ItemState.READING:
            return translate("item_words", "Reading")
        case ItemState.KEYWORD_READY:
            return translate("item_words", "Searchable")
        case ItemState.READY:
            return translate("item_words", "Ready")
        case ItemState.FAILED:
            return translate("item_words", "Failed")


def format_cell(progress: ItemProgress, column: ItemColumn) -> str:
    """Return the text of a cell."""
    item = progress.item
    match column:
        case ItemColumn.NAME:
            return item.name
        case ItemColumn.STATE:
            return _without_name(format_progress(progress), item.name)
        case ItemColumn.PAGES:
            return _pages(item)
        case ItemColumn.PASSAGES:
            return QLocale().toString(item.passages) if item.passages else ""
        case ItemColumn.TAGS:
            return ", ".join(item.tags)
        case ItemColumn.READ:
            return _day(item.read_at)


def cell_tip(progress: ItemProgress, column: ItemColumn) -> str:
    """Return the tooltip of a cell."""
    item = progress.item
    match column:
        case ItemColumn.NAME:
            return item.path or item.name
        case ItemColumn.READ if item.read_at is not None:
            return format_datetime(_local(item.read_at))
        case ItemColumn.PAGES if item.scanned:
            words = QCoreApplication.translate("item_words", "{pages} pages, {scanned} scanned")
            return words.format(pages=item.pages or item.scanned, scanned=item.scanned)
        case ItemColumn.STATE if item.error and item.state is not ItemState.FAILED:
            return f"{format_progress(progress)}\n{localize_message(item.error)}"
        case ItemColumn.STATE:
            return format_progress(progress)
    return format_cell(progress, column)


def format_row(progress: ItemProgress) -> str:
    """Return the text of a row for screen readers."""
    cells = (format_cell(progress, column) for column in ItemColumn)
    return _SEPARATOR.join(filter(None, (kind_name(progress.item), *cells)))


def kind_name(item: ItemInfo) -> str:
    """Return the kind of an item: a link, a note, or a file of some format."""
    match item.kind:
        case ItemKind.LINK:
            return QCoreApplication.translate("item_words", "Web page")
        case ItemKind.NOTE:
            return QCoreApplication.translate("item_words", "Note")
        case ItemKind.FILE:
            return PurePath(item.name).suffix.removeprefix(".").upper()


def _without_name(words: str, name: str) -> str:
    """Return the reason of a failure without the name of the item, which is in another column."""
    return " ".join(words.replace(f"“{name}”", "", 1).split())


def _pages(item: ItemInfo) -> str:
    if not item.pages:
        return ""
    pages = QLocale().toString(item.pages)
    if not item.scanned:
        return pages
    if item.scanned >= item.pages:
        return QCoreApplication.translate("item_words", "{pages}, scanned").format(pages=pages)
    words = QCoreApplication.translate("item_words", "{pages} ({scanned} scanned)")
    return words.format(pages=pages, scanned=QLocale().toString(item.scanned))


def _day(moment: float | None) -> str:
    return "" if moment is None else format_date(_local(moment))


def _local(moment: float) -> datetime:
    return datetime.fromtimestamp(moment).astimezone()


class ItemModel(QAbstractTableModel):
    """The items, sorted and filtered; changes are collected and applied once in each frame.

    Signals:
        counted: the number of items or their states changed.
    """

    counted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = ItemRows()
        self._news: dict[str, ItemProgress] = {}
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(_FRAME_MS)
        self._frame.timeout.connect(self.flush)

    @property
    def rows(self) -> ItemRows:
        """The rows, for reading only."""
        return self._rows

    def show(self, items: Iterable[ItemInfo]) -> None:
        """Replace the items by those of another base; many are added in several frames."""
        self.beginResetModel()
        self._rows.clear()
        self.endResetModel()
        self._news = {item.id: ItemProgress(item) for item in items}
        self.flush()

    def bring_up_to_date(self, items: Iterable[ItemInfo]) -> None:
        """Update the items of this base; the progress of an item stays where its state does."""
        self.flush()
        by_id = {item.id: item for item in items}
        self.remove([each.item.id for each in self._rows.all() if each.item.id not in by_id])
        for item in by_id.values():
            known = self._rows.known(item.id)
            if known is None or known.item != item:
                is_same = known is not None and known.item.state is item.state
                self.update(
                    ItemProgress(item, known.done, known.total) if known and is_same else ItemProgress(item)
                )
        self.flush()

    def update(self, progress: ItemProgress) -> None:
        """Show the progress of an item in the next frame."""
        self._news[progress.item.id] = progress
        if not self._frame.isActive():
            self._frame.start()

    @Slot()
    def flush(self) -> None:
        """Apply the changes since the last frame, at most as many as a frame has time for."""
        self._frame.stop()
        if not self._news:
            return
        began = monotonic()
        changed = list(islice(self._news, _MOST_A_FRAME))
        changes = [self._rows.put(self._news.pop(item_id)) for item_id in changed]
        moved = [change for change in changes if change[1] != change[2]]
        stayed = [new for _number, old, new in changes if new is not None and new == old]
        if len(moved) > _ONE_BY_ONE:
            self.beginResetModel()
            self._rows.rearrange(moved)
            self.endResetModel()
        else:
            for _number, old, new in moved:
                self._move(old, new)
            self._tell_of(stayed)
        self.counted.emit()
        self._frame.setInterval(max(_FRAME_MS, round((monotonic() - began) * 1000 * _REST)))
        if self._news:
            self._frame.start()

    def remove(self, item_ids: Iterable[str]) -> None:
        """Remove items."""
        wanted = list(item_ids)
        for item_id in wanted:
            self._news.pop(item_id, None)
        if len(wanted) > _ONE_BY_ONE:
            self.beginResetModel()
            for item_id in wanted:
                self._rows.forget(item_id)
            self._rows.arrange()
            self.endResetModel()
        else:
            for item_id in wanted:
                self._move(self._rows.place_of(item_id), None)
                self._rows.forget(item_id)
        self.counted.emit()

    def filter(self, wanted: ItemFilter) -> None:
        """Apply a filter."""
        if wanted != self._rows.filter:
            self.beginResetModel()
            self._rows.filter = wanted
            self._rows.arrange()
            self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self.beginResetModel()
        self._rows.column = ItemColumn(column)
        self._rows.is_descending = order is Qt.SortOrder.DescendingOrder
        self._rows.arrange()
        self.endResetModel()

    def item(self, index: _Index) -> ItemInfo:
        """Return the item at `index`."""
        return self._rows.at(index.row()).item

    def index_of(self, item_id: str) -> QModelIndex:
        """Return the index of an item; invalid if it is not shown."""
        row = self._rows.row_of(item_id)
        return self.index(row, 0) if row >= 0 else QModelIndex()

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of items shown."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else _COLUMNS

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text or the tooltip of a cell, or the `ItemProgress` of its row."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        progress, column = self._rows.at(index.row()), ItemColumn(index.column())
        match role:
            case _ if role == ProgressRole:
                return progress
            case Qt.ItemDataRole.DisplayRole:
                return format_cell(progress, column)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(cell_tip(progress, column))
            case Qt.ItemDataRole.AccessibleTextRole if column is ItemColumn.NAME:
                return format_row(progress)
        return _ALIGNMENT[column in _NUMBERS] if role == Qt.ItemDataRole.TextAlignmentRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENT[section in _NUMBERS]
        return column_name(ItemColumn(section)) if role == Qt.ItemDataRole.DisplayRole else None

    def _move(self, old: SortKey | None, new: SortKey | None) -> None:
        nowhere = QModelIndex()
        if old is None and new is not None:
            row = self._rows.row_for(new)
            self.beginInsertRows(nowhere, row, row)
            self._rows.put_in(new)
            self.endInsertRows()
        elif old is not None and new is None:
            row = self._rows.row_of_place(old)
            self.beginRemoveRows(nowhere, row, row)
            self._rows.take_out(old)
            self.endRemoveRows()
        elif old is not None and new is not None:
            row = self._rows.row_of_place(old)
            # False where the row is to stay: a move to itself is none to Qt.
            is_moved = self.beginMoveRows(nowhere, row, row, nowhere, self._rows.row_for(new))
            self._rows.take_out(old)
            self._rows.put_in(new)
            if is_moved:
                self.endMoveRows()
            self._tell_of((new,))

    def _tell_of(self, places: Iterable[SortKey]) -> None:
        last = _COLUMNS - 1
        for place in places:
            row = self._rows.row_of_place(place)
            self.dataChanged.emit(self.index(row, 0), self.index(row, last))
