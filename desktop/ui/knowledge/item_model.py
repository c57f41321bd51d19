"""The items of a knowledge base as an item model: its rows, sorted and filtered as they change, and the texts of its cells."""

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import lru_cache
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
from desktop.ui.widgets.labels import format_date, format_datetime, format_progress, localize_message
from desktop.ui.widgets.layout import cut_words, plain_tip

_DIGITS: Final = re.compile(r"\d+")
_LONGEST_NUMBER: Final = 12
_NAMES_KEPT: Final = 65_536
"""As many names are sorted in another way without being looked at again."""
_RANKS: Final = {
    ItemState.FAILED: 0,
    ItemState.READING: 1,
    ItemState.WAITING: 2,
    ItemState.KEYWORD_READY: 3,
    ItemState.READY: 4,
}
"""What wants attention comes first."""

SortKey = tuple[Any, int]
"""The position of an item: its sort key, and its number, which makes it unique."""


class ItemColumn(IntEnum):
    """The columns of the table."""

    NAME = 0
    STATE = 1
    PAGES = 2
    PASSAGES = 3
    TAGS = 4
    READ = 5


@lru_cache(_NAMES_KEPT)
def name_key(name: str) -> bytes:
    """Return the sort key of a name: 2 before 10, ignoring case, Chinese by pinyin.

    GB 18030 has the common characters in the order of their pinyin.
    """
    padded = _DIGITS.sub(lambda number: number[0].zfill(_LONGEST_NUMBER), name.casefold())
    return padded.encode("gb18030", "replace")


_KEYS: Final[dict[ItemColumn, Callable[[ItemInfo], Any]]] = {
    ItemColumn.NAME: lambda item: name_key(item.name),
    ItemColumn.STATE: lambda item: (_RANKS[item.state], name_key(item.name)),
    ItemColumn.PAGES: lambda item: item.pages or 0,
    ItemColumn.PASSAGES: lambda item: item.passages,
    ItemColumn.TAGS: lambda item: tuple(map(name_key, item.tags)),
    ItemColumn.READ: lambda item: item.read_at or 0.0,
}


def key_of(column: ItemColumn) -> Callable[[ItemInfo], Any]:
    """Return the sort key of an item in a column."""
    return _KEYS[column]


@dataclass(frozen=True)
class ItemFilter:
    """Which items are shown; empty fields match all items."""

    words: str = ""
    states: frozenset[ItemState] = frozenset()
    tag: str = ""

    def accepts(self, progress: ItemProgress) -> bool:
        """Say whether an item is shown: every word occurs in its name, place, tags or error as it is shown."""
        item = progress.item
        if self.states and item.state not in self.states:
            return False
        if self.tag and self.tag not in item.tags:
            return False
        if not self.words:
            return True
        text = "\n".join((item.name, item.path, *item.tags, localize_message(item.error))).casefold()
        return all(word in text for word in self.words.casefold().split())


class ItemRows:
    """The rows of items, sorted and filtered. A change costs what has changed: a base may have 50,000 items.

    Items are numbered in the order of their arrival; `places` are those of the items shown, ascending.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._items: dict[int, ItemProgress] = {}
        self._place_by_number: dict[int, SortKey] = {}
        self._places: list[SortKey] = []
        self._next = 0
        self.filter = ItemFilter()
        self.column = ItemColumn.NAME
        self.is_descending = False
        self.states: Counter[ItemState] = Counter()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def total(self) -> int:
        """The number of items, shown or not."""
        return len(self._items)

    def at(self, row: int) -> ItemProgress:
        """Return the item in a row."""
        return self._items[self._places[self._flip(row)][1]]

    def find_progress(self, item_id: str) -> ItemProgress | None:
        """Return the progress of an item, shown or not."""
        number = self._numbers.get(item_id)
        return None if number is None else self._items[number]

    def all(self) -> Iterable[ItemProgress]:
        """Return all items in the order of their arrival."""
        return self._items.values()

    def row_of(self, item_id: str) -> int:
        """Return the row of an item; -1 if it is not shown."""
        place = self.place_of(item_id)
        return -1 if place is None else self.row_of_place(place)

    def put(self, progress: ItemProgress) -> tuple[int, SortKey | None, SortKey | None]:
        """Store the progress of an item; return its number, its previous place and its new place.

        The rows are unchanged until `take_out` and `put_in`, or `rearrange`.
        """
        number = self.keep(progress)
        return number, self._place_by_number.get(number), self._place_for(number)

    def keep(self, progress: ItemProgress) -> int:
        """Store the progress of an item and return its number; the rows are unchanged until `arrange`."""
        number = self._numbers.get(progress.item.id)
        if number is None:
            number = self._numbers[progress.item.id] = self._next
            self._next += 1
        else:
            self.states[self._items[number].item.state] -= 1
        self._items[number] = progress
        self.states[progress.item.state] += 1
        return number

    def place_of(self, item_id: str) -> SortKey | None:
        """Return the place of an item; None if it is not shown."""
        return self._place_by_number.get(self._numbers.get(item_id, -1))

    def forget(self, item_id: str) -> None:
        """Delete an item that is not shown, or will not be after the next `arrange`."""
        if (number := self._numbers.pop(item_id, None)) is not None:
            self.states[self._items.pop(number).item.state] -= 1

    def row_for(self, place: SortKey) -> int:
        """Return the row at which a new place would be inserted."""
        at = bisect_left(self._places, place)
        return len(self._places) - at if self.is_descending else at

    def put_in(self, place: SortKey) -> None:
        """Insert the row of an item."""
        insort(self._places, place)
        self._place_by_number[place[1]] = place

    def take_out(self, place: SortKey) -> None:
        """Remove the row of an item."""
        del self._places[bisect_left(self._places, place)]
        del self._place_by_number[place[1]]

    def row_of_place(self, place: SortKey) -> int:
        """Return the row of an item that is shown."""
        return self._flip(bisect_left(self._places, place))

    def arrange(self) -> None:
        """Filter and sort all items again."""
        places = (self._place_for(number) for number in self._items)
        self._places = sorted(place for place in places if place is not None)
        self._place_by_number = {place[1]: place for place in self._places}

    def rearrange(self, changes: Iterable[tuple[int, SortKey | None, SortKey | None]]) -> None:
        """Apply many changes at once; most of the order stays, which makes sorting cheap."""
        gone = {old for _, old, _ in changes if old is not None}
        kept = [place for place in self._places if place not in gone] if gone else self._places
        for number, _old, new in changes:
            self._place_by_number.pop(number, None)
            if new is not None:
                kept.append(new)
                self._place_by_number[number] = new
        kept.sort()
        self._places = kept

    def clear(self) -> None:
        """Delete all items; filter and order stay."""
        for kept in (self._numbers, self._items, self._place_by_number, self._places, self.states):
            kept.clear()

    def _place_for(self, number: int) -> SortKey | None:
        progress = self._items[number]
        return (key_of(self.column)(progress.item), number) if self.filter.accepts(progress) else None

    def _flip(self, at: int) -> int:
        return len(self._places) - 1 - at if self.is_descending else at


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
            known = self._rows.find_progress(item.id)
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
