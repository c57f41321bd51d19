"""The files of a knowledge base as an item model."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QPalette

from desktop.domain.knowledge import ItemInfo, ItemProgress, ItemState
from desktop.ui.parts import plain_tip
from desktop.ui.words import progress_words

_Index = QModelIndex | QPersistentModelIndex


class ItemModel(QAbstractTableModel):
    """Name and state of every file; a file on its way changes in place."""

    NAME, STATE, PASSAGES = range(3)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ItemProgress] = []

    def show(self, items: tuple[ItemInfo, ...]) -> None:
        """Show the files of a base."""
        self.beginResetModel()
        self._rows = [ItemProgress(item) for item in items]
        self.endResetModel()

    def update(self, progress: ItemProgress) -> None:
        """Show how far a file is; a file that is not in the list yet comes last."""
        for row, known in enumerate(self._rows):
            if known.item.id == progress.item.id:
                self._rows[row] = progress
                self.dataChanged.emit(self.index(row, 0), self.index(row, self.columnCount() - 1))
                return
        at = len(self._rows)
        self.beginInsertRows(QModelIndex(), at, at)
        self._rows.append(progress)
        self.endInsertRows()

    def item(self, index: _Index) -> ItemInfo:
        """Return the file at `index`."""
        return self._rows[index.row()].item

    def retranslate(self) -> None:
        """Say the states in the language of now."""
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, self.columnCount() - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of files."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        """Return three: name, state, passages."""
        return 0 if parent.isValid() else 3

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, or the whole of it for the tooltip."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        progress = self._rows[index.row()]
        cells = (progress.item.name, progress_words(progress), str(progress.item.passages or ""))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cells[index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                text = progress.item.path if index.column() == self.NAME else cells[index.column()]
                return plain_tip(text)
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == self.PASSAGES:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole if progress.item.state is ItemState.FAILED:
                return QGuiApplication.palette().brush(QPalette.ColorRole.BrightText)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the names of the columns."""
        if role == Qt.ItemDataRole.TextAlignmentRole and section == self.PASSAGES:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("File"), self.tr("State"), self.tr("Passages"))[section]
