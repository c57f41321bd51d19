"""How an answer got its sources: its course while it runs, its queries, which can be edited, and their results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QLocale, QModelIndex, QSize, QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QListView, QPushButton, QTreeView, QWidget

from desktop.domain.messages import Message, MessageStatus, TokenPrice
from desktop.domain.sources import Source
from desktop.domain.trace import SourceTrace, SourceUse, Trace
from desktop.render.labels import labels_of
from desktop.ui.dialogs.inspector_rows import (
    CourseBar,
    Emphasis,
    InspectorRow,
    TraceModel,
    bold_font,
    course_rows,
    format_decider,
    rows_of,
)
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.layout import WrappingRow, hbox, label, vbox

_SHOWN_ROWS = 4

_SIZE = QSize(980, 700)
_OUTCOME_WIDTH = 200
_NARROW_OUTCOME_WIDTH = 130
_TIME_WIDTH = 64
_TOKENS_WIDTH = 104
_COST_WIDTH = 76
_CELL_MARGIN = 16
_SHOWN_QUESTION = 240


class QueryList(Retranslated, QWidget):
    """An editable list of queries: double-click, F2 or Return edits a query, Delete removes the selected ones.

    Signals:
        changed: the queries changed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = QStringListModel(self)
        self.view = _QueryView(self)
        self.view.setModel(self.model)
        self.add = QPushButton(self)
        self.remove = QPushButton(self)
        self.view.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )  # long queries are elided
        row = hbox(self, spacing=8)
        row.addWidget(self.view, 1)
        buttons = vbox(spacing=8)
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row.addLayout(buttons)
        self.add.clicked.connect(self._on_add_clicked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.view.delete_pressed.connect(self._on_remove_clicked)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        for signal in (self.model.dataChanged, self.model.rowsRemoved, self.model.modelReset):
            signal.connect(self._on_model_changed)
        self._retranslate()
        self._on_selected()

    @property
    def queries(self) -> tuple[str, ...]:
        """The current queries, without empty lines and duplicates."""
        lines = (" ".join(line.split()) for line in self.model.stringList())
        return tuple(dict.fromkeys(filter(None, lines)))

    def show_queries(self, queries: tuple[str, ...]) -> None:
        """Replace the queries."""
        self.model.setStringList(list(queries))

    def _retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Queries"))
        self.add.setText(self.tr("Add a query"))
        self.remove.setText(self.tr("Remove"))

    @Slot()
    def _on_add_clicked(self) -> None:
        row = self.model.rowCount()
        self.model.insertRow(row)
        index = self.model.index(row)
        self.view.setCurrentIndex(index)
        self.view.edit(index)

    @Slot()
    def _on_remove_clicked(self) -> None:
        rows = sorted((index.row() for index in self.view.selectedIndexes()), reverse=True)
        for row in rows:
            self.model.removeRow(row)

    @Slot()
    def _on_selected(self) -> None:
        self.remove.setEnabled(self.view.selectionModel().hasSelection())

    @Slot()
    def _on_model_changed(self) -> None:
        self.changed.emit()


class _QueryView(QListView):
    """A list view whose lines are edited in place.

    Signals:
        delete_pressed: the user pressed Delete.
    """

    delete_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("queries")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setFixedHeight((_SHOWN_ROWS * self.fontMetrics().height() * 17) // 10 + 12)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit a line with Return as with F2, and emit `delete_pressed` for Delete."""
        is_editing = self.state() == QAbstractItemView.State.EditingState
        if event.matches(QKeySequence.StandardKey.Delete):
            self.delete_pressed.emit()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not is_editing:
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)


@dataclass(frozen=True)
class Inspection:
    """What is shown: an answer's question, its record, and the numbers of the pinned sources.

    `message` is the answer, whose course is shown while it runs and for a research; `sources` are those of the chat.
    `price` is the price of one sent token.
    """

    question: str
    trace: Trace
    pinned: frozenset[int] = frozenset()
    price: TokenPrice | None = None
    message: Message | None = None
    sources: Mapping[int, Source] = field(default_factory=dict)


class InspectorView(Retranslated, QWidget):
    """The state of a running answer, its queries, and below them what was searched, found, used and left out.

    Signals:
        again_asked: queries and keys of excluded sources (tuples), to answer the question again.
        pin_asked: number of a source, and whether to send it with every further question.
        link_followed: the address of a page to open.
        steered: a command of the user to the running research.
        stop_asked: the answer is to be stopped.
        left: the view is no longer wanted.
    """

    again_asked = Signal(object, object)
    pin_asked = Signal(int, bool)
    link_followed = Signal(str)
    steered = Signal(object)
    stop_asked = Signal()
    left = Signal()

    def __init__(
        self,
        inspection: Inspection,
        engines: Mapping[str, str],
        parent: QWidget | None = None,
        *,
        is_beside: bool = False,
    ) -> None:
        """Show `inspection`; `engines` maps ids of search engines to names. `is_beside`: in the panel, which is narrow."""
        super().__init__(parent)
        self._inspection = inspection
        self._engines = engines
        self._is_beside = is_beside
        self._is_running = False
        self._shown: tuple[InspectorRow, ...] = ()
        self._question = label(self)
        self._question.setProperty("strong" if is_beside else "heading", "true")
        self._decider = label(self, "", "muted")
        self._empty = label(self, "", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.course = CourseBar(self)
        self.queries = QueryList(self)
        self.search_again = QPushButton(self)
        self.model = TraceModel(self)
        self.tree = _tree(self.model, self)
        self.leave_out = QPushButton(self)
        self.pin = QPushButton(self)
        self.close_button = QPushButton(self)
        self._lay_out()
        self._connect()
        self.queries.show_queries(inspection.trace.asked)
        self._retranslate()
        if not is_beside:
            self.tree.setFocus()

    @property
    def message_id(self) -> str:
        """The id of the answer; empty if it is not known."""
        return self._inspection.message.id if self._inspection.message is not None else ""

    def follow(self, message: Message, sources: Mapping[int, Source], trace: Trace | None = None) -> None:
        """Show the present state of the answer, and its record if there is a new one."""
        if trace is not None and not self._inspection.trace.asked:
            self.queries.show_queries(trace.asked)
        known = trace or self._inspection.trace
        self._inspection = replace(self._inspection, message=message, sources=sources, trace=known)
        self._show_trace()
        self._show_state()

    def set_pinned(self, number: int, is_pinned: bool) -> None:
        """Update whether a source is pinned."""
        kept = self._inspection.pinned - {number}
        pinned = kept | {number} if is_pinned else kept
        self._inspection = replace(self._inspection, pinned=pinned)
        self._show_state()

    @Slot(bool)
    def set_running(self, is_running: bool) -> None:
        """Disable asking again while an answer is being written."""
        self._is_running = is_running
        self._show_state()

    def _lay_out(self) -> None:
        margins = (16, 6, 16, 14) if self._is_beside else (24, 20, 24, 20)
        column = vbox(self, spacing=12, margins=margins)
        for widget in (self._question, self.course, self._decider):
            column.addWidget(widget)
        if self._is_beside:  # what was found comes first, and there is no width for one row of buttons
            self.close_button.hide()
            marking = WrappingRow()
            for button in (self.leave_out, self.pin):
                marking.addWidget(button)
            column.addWidget(self._empty, 1)  # it or the tree is shown
            column.addWidget(self.tree, 1)
            column.addLayout(marking)
            column.addWidget(self.queries)
            column.addWidget(_at_the_right(self.search_again))
        else:
            column.addWidget(self.queries)
            column.addWidget(self._empty, 1)  # it or the tree is shown
            column.addWidget(self.tree, 1)
            bottom = WrappingRow()
            for button in (self.leave_out, self.pin):
                bottom.addWidget(button)
            bottom.addWidget(_at_the_right(self.close_button, self.search_again))
            column.addLayout(bottom)
        if self._is_beside:
            self.tree.setWordWrap(True)
            self.tree.setColumnHidden(TraceModel.TOKENS, True)
        for button in (self.leave_out, self.pin, self.close_button, self.search_again):
            button.setAutoDefault(False)
        self.search_again.setProperty("primary", "true")

    def _connect(self) -> None:
        for signal, slot in (
            (self.search_again.clicked, self._on_search_again_clicked),
            (self.leave_out.clicked, self._on_leave_out_clicked),
            (self.pin.clicked, self._on_pin_clicked),
            (self.close_button.clicked, self.left),
            (self.course.steered, self.steered),
            (self.course.stop_asked, self.stop_asked),
            (self.queries.changed, self._show_state),
            (self.tree.activated, self._on_activated),
            (self.tree.selectionModel().selectionChanged, self._show_state),
        ):
            signal.connect(slot)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Sources and searches"))
        self.search_again.setText(self.tr("Search again and regenerate"))
        self.close_button.setText(self.tr("Close"))
        self.tree.setAccessibleName(self.tr("Sources and searches"))
        question = self._inspection.question
        is_long = len(question) > _SHOWN_QUESTION
        self._question.setText(f"{question[:_SHOWN_QUESTION]}…" if is_long else question)
        self._show_trace()
        self._show_state()

    def _show_trace(self) -> None:
        inspection, price = self._inspection, self._inspection.price
        labels = labels_of(QLocale().name())
        message = inspection.message
        self.course.show_state(message, labels)
        has_record = bool(inspection.trace.searches or inspection.trace.sources)
        is_live = message is not None and message.status is MessageStatus.STREAMING
        self._decider.setText("" if is_live and not has_record else format_decider(inspection.trace))
        self._decider.setVisible(bool(self._decider.text()))
        course = course_rows(message, inspection.sources, labels, has_record=has_record) if message else ()
        rows = (*course, *rows_of(inspection.trace, self._engines, price))
        if rows != self._shown:
            opened, place = self._list_expanded(), self.tree.verticalScrollBar().value()
            known = {row.name for row in self._shown}
            self._shown = rows
            self.model.show(rows)
            self._span_names(QModelIndex())
            for at, row in enumerate(rows):
                index = self.model.index(at, 0)
                is_open = (row.name,) in opened if row.name in known else True
                self.tree.setExpanded(index, is_open)
                self._open_below(index, (row.name,), opened)
            self.tree.verticalScrollBar().setValue(place)
        self.tree.setColumnHidden(TraceModel.COST, price is None or self._is_beside)
        if self._is_beside:
            has_times = any(map(_has_time, rows))
            self.tree.setColumnHidden(TraceModel.TIME, not has_times)
            width = _NARROW_OUTCOME_WIDTH + (0 if has_times else _TIME_WIDTH)
            self.tree.header().resizeSection(TraceModel.OUTCOME, max(width, self._width_of_facts(rows)))
        nothing_yet = self.tr("Searches and sources are shown here as they come.")
        self._empty.setText(nothing_yet if is_live else self.tr("Nothing was searched for this answer."))
        self._empty.setVisible(not rows)
        self.tree.setVisible(bool(rows))

    def _width_of_facts(self, rows: Sequence[InspectorRow]) -> int:
        """Return the width of what stands beside the headings, which is short and is not cut."""
        measure = QFontMetrics(bold_font())
        facts = (row.outcome for row in rows if row.tone is Emphasis.HEADING)
        return max((measure.horizontalAdvance(each) for each in facts), default=0) + _CELL_MARGIN

    def _span_names(self, parent: QModelIndex) -> None:
        """Give the name of a row that has nothing beside it the whole width."""
        for at in range(self.model.rowCount(parent)):
            index = self.model.index(at, 0, parent)
            others = range(1, self.model.columnCount())
            is_alone = not any(index.siblingAtColumn(column).data() for column in others)
            self.tree.setFirstColumnSpanned(at, parent, is_alone)
            self._span_names(index)

    def _list_expanded(self) -> set[tuple[str, ...]]:
        """Return the names on the way to each row that is expanded."""
        found: set[tuple[str, ...]] = set()

        def walk(parent: QModelIndex, above: tuple[str, ...]) -> None:
            for at in range(self.model.rowCount(parent)):
                index = self.model.index(at, 0, parent)
                if self.tree.isExpanded(index):
                    path = (*above, self.model.row_at(index).name)
                    found.add(path)
                    walk(index, path)

        walk(QModelIndex(), ())
        return found

    def _open_below(self, parent: QModelIndex, above: tuple[str, ...], opened: set[tuple[str, ...]]) -> None:
        for at in range(self.model.rowCount(parent)):
            index = self.model.index(at, 0, parent)
            path = (*above, self.model.row_at(index).name)
            if path in opened:
                self.tree.setExpanded(index, True)
                self._open_below(index, path, opened)

    @Slot()
    def _show_state(self) -> None:
        chosen = self._list_selected()
        can_ask = not self._is_running
        self.search_again.setEnabled(can_ask and bool(self.queries.queries))
        takes_back = _are_excluded(chosen)
        takes_out = any(source.source_use is SourceUse.GIVEN for source in chosen)
        self.leave_out.setEnabled(can_ask and (takes_out or takes_back))
        back, out = self.tr("Include and regenerate"), self.tr("Exclude and regenerate")
        self.leave_out.setText(back if takes_back else out)
        numbers = self._numbers()
        self.pin.setEnabled(bool(numbers))
        are_pinned = bool(numbers) and numbers <= self._inspection.pinned
        self.pin.setText(self.tr("Unpin") if are_pinned else self.tr("Pin for this chat"))

    def _list_selected(self) -> list[SourceTrace]:
        rows = [self.model.row_at(index) for index in self.tree.selectionModel().selectedRows()]
        return [row.source for row in rows if row.source is not None]

    def _numbers(self) -> frozenset[int]:
        return frozenset(source.number for source in self._list_selected() if source.number is not None)

    @Slot()
    def _on_search_again_clicked(self) -> None:
        self._ask_again(self._inspection.trace.without)

    @Slot()
    def _on_leave_out_clicked(self) -> None:
        chosen, without = self._list_selected(), self._inspection.trace.without
        keys = tuple(key for source in chosen for key in (source.key, source.found_as) if key)
        if _are_excluded(chosen):
            self._ask_again(tuple(key for key in without if key not in keys))
        else:
            self._ask_again(tuple(dict.fromkeys((*without, *keys))))

    def _ask_again(self, without: tuple[str, ...]) -> None:
        self.again_asked.emit(self.queries.queries, without)
        self.left.emit()

    @Slot()
    def _on_pin_clicked(self) -> None:
        numbers = self._numbers()
        are_pinned = numbers <= self._inspection.pinned
        for number in sorted(numbers):
            self.pin_asked.emit(number, not are_pinned)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        if address := self.model.row_at(index).url:
            self.link_followed.emit(address)


class InspectorDialog(Retranslated, ScreenFitDialog):
    """The view as a window of its own, where there is no space for the panel."""

    def __init__(self, view: InspectorView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = view
        vbox(self, spacing=0).addWidget(view)
        self.resize(_SIZE)
        view.left.connect(self.accept)
        self._retranslate()
        view.tree.setFocus()

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Sources and searches"))


def _at_the_right(*buttons: QPushButton) -> QWidget:
    """Return a widget that takes the rest of its line, with buttons at its end."""
    holder = QWidget(buttons[0].parentWidget())
    row = hbox(holder, spacing=8)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return holder


def _has_time(row: InspectorRow) -> bool:
    return bool(row.time) or any(map(_has_time, row.children))


def _are_excluded(sources: Sequence[SourceTrace]) -> bool:
    return bool(sources) and all(source.source_use is SourceUse.EXCLUDED for source in sources)


def _tree(model: TraceModel, parent: QWidget) -> QTreeView:
    tree = QTreeView(parent)
    tree.setModel(model)
    tree.setObjectName("trace")
    tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    tree.setExpandsOnDoubleClick(False)
    tree.setTextElideMode(Qt.TextElideMode.ElideRight)
    header = tree.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(TraceModel.NAME, QHeaderView.ResizeMode.Stretch)
    header.resizeSection(TraceModel.OUTCOME, _OUTCOME_WIDTH)
    header.resizeSection(TraceModel.TIME, _TIME_WIDTH)
    header.resizeSection(TraceModel.TOKENS, _TOKENS_WIDTH)
    header.resizeSection(TraceModel.COST, _COST_WIDTH)
    return tree
