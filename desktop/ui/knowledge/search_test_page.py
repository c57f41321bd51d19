"""A test of the search: a query, and the score of each passage at each stage."""

from enum import IntEnum
from functools import partial
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTreeView,
    QWidget,
)

from desktop.background import Job
from desktop.domain.knowledge import BaseInfo, SearchTrial, TrialRow
from desktop.render.page.source_cards import localize_section
from desktop.ui.knowledge.bars import BusyBar, EmptyState
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.passages_page import source_from_passage
from desktop.ui.knowledge.side_pages import SidePage
from desktop.ui.viewer.text import MarkedText, TextPane
from desktop.ui.widgets.labels import localize_message, untranslated_error
from desktop.ui.widgets.layout import cut_words, hbox, label, plain_tip, vbox

_Index = QModelIndex | QPersistentModelIndex

_NONE: Final = "–"
_SHOWN: Final = 300
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_SCORE_WIDTH: Final = 64
_SOURCE_USE_WIDTH: Final = 176
_SOURCE_USE_SHARE: Final = 0.25
_NARROW: Final = 640
_NARROW_SOURCE_USE: Final = 116


class TrialColumn(IntEnum):
    """The columns: what was found, and its score at each stage."""

    PASSAGE = 0
    KEYWORD = 1
    VECTOR = 2
    FUSED = 3
    RERANKED = 4
    SOURCE_USE = 5


_SCORES: Final = frozenset({TrialColumn.KEYWORD, TrialColumn.VECTOR, TrialColumn.FUSED, TrialColumn.RERANKED})


class SearchTestModel(QAbstractTableModel):
    """The passages found, best first; a stage that did not rank one has no score for it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[TrialRow, ...] = ()

    def show(self, rows: tuple[TrialRow, ...]) -> None:
        """Replace the results."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    @property
    def is_reranked(self) -> bool:
        """Whether any passage has a score of the reranker."""
        return any(row.reranked is not None for row in self._rows)

    def row(self, index: _Index) -> TrialRow:
        """Return what is at `index`."""
        return self._rows[index.row()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of passages."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(TrialColumn)

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, and the whole passage as its tooltip."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row, column = self._rows[index.row()], TrialColumn(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(row, column)
            case Qt.ItemDataRole.ToolTipRole if column is TrialColumn.SOURCE_USE:
                return plain_tip(localize_message(row.source_use))
            case Qt.ItemDataRole.ToolTipRole if column is TrialColumn.PASSAGE:
                return plain_tip(row.passage.text)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column in _SCORES else _LEFT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the names of the columns, and what their scores mean."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = TrialColumn(section)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._name(column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._meaning(column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column in _SCORES else _LEFT
        return None

    def _cell(self, row: TrialRow, column: TrialColumn) -> str:
        match column:
            case TrialColumn.PASSAGE:
                return " ".join(row.passage.text[:_SHOWN].split())
            case TrialColumn.KEYWORD:
                return _number(row.keyword)
            case TrialColumn.VECTOR:
                return _number(row.vector)
            case TrialColumn.FUSED:
                return _number(row.fused)
            case TrialColumn.RERANKED:
                return _number(row.reranked)
            case TrialColumn.SOURCE_USE:
                return localize_message(row.source_use)

    def _name(self, column: TrialColumn) -> str:
        match column:
            case TrialColumn.PASSAGE:
                return self.tr("Passage")
            case TrialColumn.KEYWORD:
                return self.tr("Keywords")
            case TrialColumn.VECTOR:
                return self.tr("Meaning")
            case TrialColumn.FUSED:
                return self.tr("Combined")
            case TrialColumn.RERANKED:
                return self.tr("Reranked")
            case TrialColumn.SOURCE_USE:
                return self.tr("Result")

    def _meaning(self, column: TrialColumn) -> str:
        match column:
            case TrialColumn.KEYWORD:
                return self.tr("Keyword match (BM25); higher is better")
            case TrialColumn.VECTOR:
                return self.tr("Similarity in meaning (cosine); 1 is identical")
            case TrialColumn.FUSED:
                return self.tr("Both searches combined; only the order matters")
            case TrialColumn.RERANKED:
                return self.tr("Reranker score, from 0 to 1")
            case _:
                return ""


def _number(score: float | None) -> str:
    return _NONE if score is None else f"{score:.3f}"


class SearchTestPage(SidePage):
    """Enter asks; a row shows its whole passage below.

    Signals:
        place_asked: the `Source` to open.
    """

    place_asked = Signal(object)

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._base: BaseInfo | None = None
        self._job: Job | None = None
        self._newest = 0
        self._asked = ""
        self._problem = self._note = ""
        self.model = SearchTestModel(self)
        self.query = QLineEdit(self)
        self.query.setClearButtonEnabled(True)
        self.ask = QPushButton(self)
        self.ask.setProperty("primary", "true")
        self.table = QTreeView(self)
        self.text = TextPane(self)
        self.empty = EmptyState("search", (), self)
        self.found_in = label(self, "", "muted", "small")
        self.waiting = BusyBar(self)
        self._pane = QStackedWidget(self)
        self._set_up_table()
        self._found = self._lay_out()
        self.query.returnPressed.connect(self._on_asked)
        self.ask.clicked.connect(self._on_asked)
        self._retranslate()

    def _lay_out(self) -> QSplitter:
        """Put everything into its place; returns what shows the passages."""
        row = hbox(spacing=8)
        row.addWidget(self.query, 1)
        row.addWidget(self.ask)
        self.column.addLayout(row)
        self.column.addWidget(self.waiting)
        split = QSplitter(Qt.Orientation.Vertical, self)
        whole = QWidget(split)
        below = vbox(whole, spacing=6)
        below.addWidget(self.found_in)
        below.addWidget(self.text, 1)
        split.addWidget(self.table)
        split.addWidget(whole)
        split.setSizes([300, 170])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(10)
        self.text.setObjectName("lines")
        self._pane.addWidget(self.empty)
        self._pane.addWidget(split)
        self.column.addWidget(self._pane, 1)
        return split

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setObjectName("files")
        table.setRootIsDecorated(False)
        table.setUniformRowHeights(True)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TrialColumn.PASSAGE, QHeaderView.ResizeMode.Stretch)
        for column in list(TrialColumn)[1:-1]:
            header.resizeSection(column, _SCORE_WIDTH)
        table.selectionModel().currentChanged.connect(self._on_chosen)
        table.activated.connect(self._on_activated)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give what is said of each passage its part of a wider table."""
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW
        least = _NARROW_SOURCE_USE if is_narrow else _SOURCE_USE_WIDTH
        source_use = max(least, round(self.width() * _SOURCE_USE_SHARE))
        self.table.header().resizeSection(TrialColumn.SOURCE_USE, source_use)
        # Only their order matters, which is that of the rows.
        self.table.setColumnHidden(TrialColumn.FUSED, is_narrow)

    def show_base(self, base: BaseInfo) -> None:
        """Test the search in a base."""
        if self._base is None or self._base.id != base.id:
            self.query.clear()
            self._on_over()
            self._show(SearchTrial())
            self._asked = ""
        self._base = base
        self._show_state()
        self.query.setFocus()
        self.query.selectAll()

    def _retranslate(self) -> None:
        super()._retranslate()
        self.query.setPlaceholderText(self.tr("Type a question"))
        self.query.setAccessibleName(self.tr("Question"))
        self.ask.setText(self.tr("Search"))
        self.table.setAccessibleName(self.tr("Passages found"))
        self.text.setAccessibleName(self.tr("Full passage"))
        self._show_state()

    def _show_state(self) -> None:
        name = self._base.name if self._base else ""
        self.title.setText(self.tr("Try a search in “{base}”").format(base=name))
        if self._problem:
            self.hint.show_error(self._problem)
        else:
            self.hint.setText(self._note)
        has_rows = self.model.rowCount() > 0
        if self._asked and not has_rows:
            self.empty.say(
                self.tr("No results"), self.tr("Try other words, or check that the files have been read.")
            )
        else:
            self.empty.say(
                self.tr("See how search works"),
                self.tr(
                    "Type a question. Each passage shows its scores, and why it would be used or left out."
                ),
            )
        self._pane.setCurrentWidget(self._found if has_rows else self.empty)

    @Slot()
    def _on_asked(self) -> None:
        query = self.query.text().strip()
        if not query or self._base is None:
            return
        self._on_over()
        self.ask.setEnabled(False)
        self.waiting.begin(self.tr("Searching…"))
        self._newest += 1
        self._job = self._means.loop.run(
            self,
            partial(self._means.knowledge.try_search, self._base.id, query),
            partial(self._on_found, self._newest, query),
            partial(self._on_failed, self._newest),
        )

    def _on_found(self, number: int, query: str, trial: SearchTrial) -> None:
        if number != self._newest:
            return
        self._on_over()
        self._asked = query
        self._show(trial)
        self._show_state()
        if self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(0, 0))

    def _on_failed(self, number: int, error: Exception) -> None:
        if number != self._newest:
            return
        self._on_over()
        self._show(SearchTrial())
        self._asked = ""
        self._problem = untranslated_error(error)
        self._show_state()

    def _on_over(self) -> None:
        """Wait for no answer any more, whether it came or not."""
        if self._job is not None:
            self._job.cancel()
        self._job = None
        self._newest += 1
        self.waiting.end()
        self.ask.setEnabled(True)

    def _show(self, trial: SearchTrial) -> None:
        self.model.show(trial.rows)
        self.table.setColumnHidden(TrialColumn.RERANKED, not self.model.is_reranked)
        self._problem, self._note = "", " ".join(localize_message(note) for note in trial.notes)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        if not index.isValid():
            self.found_in.clear()
            self.text.clear()
            return
        row = self.model.row(index)
        passage = row.passage
        page = passage.locator.page
        parts = (
            passage.title,
            "" if page is None else self.tr("page {page}").format(page=page),
            localize_section(passage.locator.section, QLocale().name()),
            localize_message(row.source_use),
        )
        self.found_in.setText(" · ".join(" ".join(part.split()) for part in parts if part))
        self.text.show_text(MarkedText(passage.text), is_code=False)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        self.place_asked.emit(source_from_passage(self.model.row(index).passage))
