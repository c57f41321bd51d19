"""An item model with one row for each of some records that have ids."""

from collections.abc import Container, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.ui.widgets.layout import cut_words

_Index = QModelIndex | QPersistentModelIndex


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


_T = TypeVar("_T", bound=_HasId)


class RecordModel(QAbstractListModel, Generic[_T]):
    """Shows records; rows are inserted, moved, removed and changed one by one, so that the selection stays."""

    is_editable = False
    """Whether rows can be edited in place; then `setData` takes what was typed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.records: list[_T] = []

    def values_of(self, record: _T) -> Mapping[int, Any]:
        """Return what a row shows, by role."""
        raise NotImplementedError

    def show(self, records: Iterable[_T]) -> None:
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

    def _put(self, row: int, record: _T, *, is_new: bool) -> None:
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

    def record(self, index: _Index) -> _T | None:
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
