"""The conversations of a backup or a file as a table with check boxes and a filter for titles."""

from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QPushButton, QTreeView, QWidget

from desktop.domain.backups import Difference, ForeignConversation
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.labels import format_datetime
from desktop.ui.widgets.layout import cut_words, hbox, plain_tip, vbox

_Index = QModelIndex | QPersistentModelIndex

_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ForeignColumn(IntEnum):
    """The columns of the table."""

    TITLE = 0
    USED = 1
    MESSAGES = 2
    DIFFERENCE = 3


class ConversationTableModel(QAbstractTableModel):
    """Missing conversations are selected initially; conversations that are identical here cannot be selected.

    Signals:
        chosen_changed: the selection changed.
    """

    chosen_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ForeignConversation, ...] = ()
        self._chosen: set[str] = set()

    @property
    def chosen(self) -> frozenset[str]:
        """The ids of the selected conversations."""
        return frozenset(self._chosen)

    def show(self, rows: tuple[ForeignConversation, ...]) -> None:
        """Replace the conversations."""
        self.beginResetModel()
        self._rows = rows
        self._chosen = {row.id for row in rows if row.difference is Difference.MISSING}
        self.endResetModel()
        self.chosen_changed.emit()

    def tick(self, indexes: list[QModelIndex], *, is_on: bool) -> None:
        """Select or deselect rows."""
        ids = {
            self._rows[index.row()].id for index in indexes if self._can_be_imported(self._rows[index.row()])
        }
        self._chosen = self._chosen | ids if is_on else self._chosen - ids
        if self._rows:
            last = self.index(len(self._rows) - 1, ForeignColumn.TITLE)
            self.dataChanged.emit(self.index(0, ForeignColumn.TITLE), last, [Qt.ItemDataRole.CheckStateRole])
        self.chosen_changed.emit()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of conversations."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(ForeignColumn)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return the flags of a cell; rows that can be imported have a check box."""
        flags = super().flags(index)
        if index.isValid() and index.column() == ForeignColumn.TITLE:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if index.isValid() and not self._can_be_imported(self._rows[index.row()]):
            flags &= ~Qt.ItemFlag.ItemIsEnabled
        return flags

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, or whether its row is selected."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row, column = self._rows[index.row()], ForeignColumn(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(row, column)
            case Qt.ItemDataRole.ToolTipRole if column is ForeignColumn.TITLE:
                return plain_tip(row.title)
            case Qt.ItemDataRole.CheckStateRole if column is ForeignColumn.TITLE:
                is_on = row.id in self._chosen
                return Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.TextAlignmentRole if column is ForeignColumn.MESSAGES:
                return _RIGHT
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Select or deselect a row."""
        is_tick = role == Qt.ItemDataRole.CheckStateRole and index.column() == ForeignColumn.TITLE
        if not (is_tick and self.checkIndex(index, self.CheckIndexOption.IndexIsValid)):
            return False
        row = self._rows[index.row()]
        if not self._can_be_imported(row):
            return False
        if Qt.CheckState(value) is Qt.CheckState.Checked:
            self._chosen.add(row.id)
        else:
            self._chosen.discard(row.id)
        self.dataChanged.emit(index, index, [role])
        self.chosen_changed.emit()
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the name of a column."""
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        names = {
            ForeignColumn.TITLE: self.tr("Chat"),
            ForeignColumn.USED: self.tr("Last used"),
            ForeignColumn.MESSAGES: self.tr("Messages"),
            ForeignColumn.DIFFERENCE: self.tr("Already here"),
        }
        return names.get(ForeignColumn(section)) if 0 <= section < len(ForeignColumn) else None

    def _cell(self, row: ForeignConversation, column: ForeignColumn) -> str:
        match column:
            case ForeignColumn.TITLE:
                return row.title or self.tr("Untitled")
            case ForeignColumn.USED:
                return format_datetime(row.updated_at)
            case ForeignColumn.MESSAGES:
                return QLocale().toString(row.messages)
            case ForeignColumn.DIFFERENCE:
                return {
                    Difference.MISSING: self.tr("No"),
                    Difference.SAME: self.tr("Yes, the same"),
                    Difference.OLDER: self.tr("Yes, newer"),
                    Difference.NEWER: self.tr("Yes, older"),
                }[row.difference]

    @staticmethod
    def _can_be_imported(row: ForeignConversation) -> bool:
        return row.difference is not Difference.SAME


class FoundForeign(QSortFilterProxyModel):
    """Conversations whose titles contain all words of a query."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []

    def find(self, text: str) -> None:
        """Show the rows whose titles contain all words of `text`."""
        self.beginFilterChange()
        self._words = text.casefold().split()
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, source_parent: _Index) -> bool:
        """Return whether the title of a row contains all words."""
        index = self.sourceModel().index(source_row, ForeignColumn.TITLE, source_parent)
        title = str(index.data() or "").casefold()
        return all(word in title for word in self._words)


class ConversationTable(Retranslated, QWidget):
    """Conversations of a backup or a file, with a filter and buttons to select all or none.

    Signals:
        chosen_changed: the selection changed.
    """

    chosen_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter = QLineEdit(self)
        self.filter.setClearButtonEnabled(True)
        self.all = QPushButton(self)
        self.none = QPushButton(self)
        self.model = ConversationTableModel(self)
        self.found = FoundForeign(self)
        self.found.setSourceModel(self.model)
        self.view = QTreeView(self)
        self.view.setObjectName("scopes")
        self.view.setModel(self.found)
        self.view.setRootIsDecorated(False)
        self.view.setUniformRowHeights(True)
        self.view.setAllColumnsShowFocus(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.view.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(ForeignColumn.TITLE, QHeaderView.ResizeMode.Stretch)
        row = hbox(spacing=8)
        row.addWidget(self.filter, 1)
        row.addWidget(self.all)
        row.addWidget(self.none)
        column = vbox(self, spacing=8)
        column.addLayout(row)
        column.addWidget(self.view, 1)
        self.filter.textChanged.connect(self.found.find)
        self.all.clicked.connect(self._on_all_clicked)
        self.none.clicked.connect(self._on_none_clicked)
        self.model.chosen_changed.connect(self.chosen_changed)
        self._retranslate()

    @property
    def chosen(self) -> frozenset[str]:
        """The ids of the selected conversations, including those hidden by the filter."""
        return self.model.chosen

    def show_conversations(self, rows: tuple[ForeignConversation, ...]) -> None:
        """Replace the conversations."""
        self.model.show(rows)

    def _retranslate(self) -> None:
        self.filter.setPlaceholderText(self.tr("Search chats"))
        self.filter.setAccessibleName(self.tr("Search chats"))
        self.view.setAccessibleName(self.tr("Chats"))
        self.all.setText(self.tr("All"))
        self.none.setText(self.tr("None"))

    @Slot()
    def _on_all_clicked(self) -> None:
        self._tick(is_on=True)

    @Slot()
    def _on_none_clicked(self) -> None:
        self._tick(is_on=False)

    def _tick(self, *, is_on: bool) -> None:
        rows = range(self.found.rowCount())
        indexes = [self.found.mapToSource(self.found.index(row, ForeignColumn.TITLE)) for row in rows]
        self.model.tick(indexes, is_on=is_on)
