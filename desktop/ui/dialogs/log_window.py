"""A window with the newest log entries, which can be filtered, followed and copied."""

import logging
from collections import deque
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    QSortFilterProxyModel,
    Qt,
    QUrl,
    Slot,
)
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QWidget,
)

from desktop.background import BackgroundLoop
from desktop.chat.api.system import Diagnostics
from desktop.domain.diagnostics import LogEntry
from desktop.ui.labels.common import error_message
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, label, vbox

MOST_ENTRIES: Final = 5_000

_Index = QModelIndex | QPersistentModelIndex

_SIZE = QSize(940, 600)

_LEVELS = (logging.NOTSET, logging.INFO, logging.WARNING, logging.ERROR)


class LogColumn(IntEnum):
    """The columns of the table."""

    TIME = 0
    LEVEL = 1
    ORIGIN = 2
    TEXT = 3


class LogModel(QAbstractTableModel):
    """A model of the newest entries, at most `most`, in chronological order."""

    def __init__(self, parent: QObject | None = None, most: int = MOST_ENTRIES) -> None:
        super().__init__(parent)
        self._most = most
        self._entries: deque[LogEntry] = deque()

    def entry(self, row: int) -> LogEntry:
        """Return the entry in a row."""
        return self._entries[row]

    def append(self, entries: Sequence[LogEntry]) -> None:
        """Add entries; the oldest are dropped when there are too many."""
        added = entries[-self._most :]
        if not added:
            return
        surplus = len(self._entries) + len(added) - self._most
        if surplus > 0:
            self.beginRemoveRows(QModelIndex(), 0, surplus - 1)
            for _entry in range(surplus):
                self._entries.popleft()
            self.endRemoveRows()
        first = len(self._entries)
        self.beginInsertRows(QModelIndex(), first, first + len(added) - 1)
        self._entries.extend(added)
        self.endInsertRows()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of entries."""
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(LogColumn)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the data of a cell; for a text with several lines, its first line."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            first_line = entry.text.partition("\n")[0]
            return (entry.time, entry.level_name, entry.origin.removeprefix("desktop."), first_line)[
                index.column()
            ]
        if role == Qt.ItemDataRole.ForegroundRole and entry.level >= logging.WARNING:
            return QGuiApplication.palette().color(QPalette.ColorRole.BrightText)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the name of a column."""
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        return (self.tr("Time"), self.tr("Level"), self.tr("Source"), self.tr("Message"))[section]


class LogFilter(QSortFilterProxyModel):
    """Shows the entries of at least a given level that contain all words."""

    def __init__(self, model: LogModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._log = model
        self._words: tuple[str, ...] = ()
        self._level = logging.NOTSET
        self.setSourceModel(model)

    def filter_entries(self, text: str, level: int) -> None:
        """Show entries with at least `level` that contain every word of `text`."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self._level = level
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, row: int, parent: _Index) -> bool:
        """Return whether an entry is shown."""
        entry = self._log.entry(row)
        if entry.level < self._level:
            return False
        haystack = f"{entry.level_name} {entry.origin} {entry.text}".casefold()
        return all(word in haystack for word in self._words)


_WIDTHS = {LogColumn.TIME: 150, LogColumn.LEVEL: 84, LogColumn.ORIGIN: 170}


class LogWindow(FormDialog):
    """Shows the log as it grows. Secrets are masked before entries arrive here."""

    def __init__(self, diagnostics: Diagnostics, loop: BackgroundLoop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Log"))
        self.resize(_SIZE)
        self._folder = diagnostics.log_folder
        self.model = LogModel(self)
        self.filter = LogFilter(self.model, self)
        self.words = QLineEdit(self)
        self.words.setPlaceholderText(self.tr("Search log"))
        self.words.setAccessibleName(self.words.placeholderText())
        self.words.setClearButtonEnabled(True)
        self.level = NoWheelComboBox(self)
        self.level.addItems(
            [self.tr("All messages"), self.tr("Info and above"), self.tr("Warnings"), self.tr("Errors")]
        )
        self.level.setAccessibleName(self.tr("Level"))
        self.follows = QCheckBox(self.tr("Auto-scroll"), self)
        self.follows.setChecked(True)
        self.table = self._make_table()
        self.whole = QPlainTextEdit(self)
        self.whole.setObjectName("lines")
        self.whole.setReadOnly(True)
        self.whole.setAccessibleName(self.tr("Full entry"))
        self.problem = label(self, "", "danger")
        self.problem.hide()
        self.copy = QPushButton(self.tr("Copy"), self)
        self.open_folder = QPushButton(self.tr("Open folder"), self)
        self._lay_out()
        self._connect()
        self._following = loop.run(
            self, diagnostics.follow_log, failed=self._on_failed, progressed=self._on_added
        )

    def _make_table(self) -> QTableView:
        table = QTableView(self)
        table.setObjectName("items")
        table.setModel(self.filter)
        table.setAccessibleName(self.tr("Log"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in _WIDTHS.items():
            table.setColumnWidth(column, width)
        header.setSectionResizeMode(LogColumn.TEXT, QHeaderView.ResizeMode.Stretch)
        return table

    def _lay_out(self) -> None:
        top = hbox(spacing=10)
        top.addWidget(self.words, 1)
        top.addWidget(self.level)
        top.addWidget(self.follows)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(self.table)
        splitter.addWidget(self.whole)
        splitter.setStretchFactor(0, 4)
        splitter.setStretchFactor(1, 1)
        foot = hbox(spacing=8)
        foot.addWidget(
            label(self, self.tr("API keys are masked. Errors may contain your questions."), "muted"), 1
        )
        foot.addWidget(self.open_folder)
        foot.addWidget(self.copy)
        column = vbox(self, spacing=10, margins=(18, 16, 18, 14))
        column.addLayout(top)
        column.addWidget(splitter, 1)
        column.addWidget(self.problem)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.words.textChanged.connect(self._on_filter_changed)
        self.level.currentIndexChanged.connect(self._on_filter_changed)
        self.follows.toggled.connect(self._follow)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.open_folder.clicked.connect(self._on_open_clicked)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table, self._on_copy_clicked)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.words.setFocus)

    def _chosen(self) -> Sequence[LogEntry]:
        """Return the selected rows, or all visible rows if none is selected."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        wanted = rows or range(self.filter.rowCount())
        return [self.model.entry(self.filter.mapToSource(self.filter.index(row, 0)).row()) for row in wanted]

    @Slot(object)
    def _on_added(self, entries: tuple[LogEntry, ...]) -> None:
        self.model.append(entries)
        self._follow()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.problem.setText(error_message(error))
        self.problem.show()

    @Slot()
    def _follow(self) -> None:
        if self.follows.isChecked():
            self.table.scrollToBottom()

    @Slot()
    def _on_filter_changed(self) -> None:
        self.filter.filter_entries(self.words.text(), _LEVELS[self.level.currentIndex()])
        self._follow()

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        is_any = self.table.selectionModel().hasSelection()
        self.whole.setPlainText("\n".join(entry.text for entry in self._chosen()) if is_any else "")

    @Slot()
    def _on_copy_clicked(self) -> None:
        lines = (f"{each.time} {each.level_name} {each.origin}: {each.text}" for each in self._chosen())
        QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def _on_open_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))
