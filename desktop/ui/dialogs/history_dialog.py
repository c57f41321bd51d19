"""The dialog that searches all conversations: the search field, the filters, and the list of results."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from PySide6.QtCore import QDate, QEvent, QModelIndex, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QWidget,
)

from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.history import HistoryPage, HistoryQuery, Hit
from desktop.domain.messages import Speaker
from desktop.ui.dialogs.history_results import HistoryDelegate, HistoryModel
from desktop.ui.i18n import Retranslated
from desktop.ui.stores.conversations import HistorySearch
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.labels import assistant_name, localize_message, untranslated_error
from desktop.ui.widgets.layout import hbox, label, new_menu, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_BETWEEN = -1
_DAYS = (None, 1, 7, 30, 365, _BETWEEN)
"""Choices of days back, today included; None means no limit."""
_SPEAKERS = (None, Speaker.USER, Speaker.MODEL)
_BACK = timedelta(days=30)


class HistoryFilters(Retranslated, QWidget):
    """A row of search filters.

    Signals:
        changed: the user changed a filter.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._assistants: tuple[Assistant, ...] = ()
        self.when, self.who, self.assistant = (QComboBox(self) for _ in range(3))
        today = _today()
        self.since, self.until = _date_edit(self, today - _BACK), _date_edit(self, today)
        row = hbox(self, spacing=8)
        self.meaning = QCheckBox(self)
        for widget in (self.when, self.since, self.until, self.who, self.assistant):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.meaning)
        self._retranslate()
        for box in (self.when, self.who, self.assistant):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.currentIndexChanged.connect(self._on_changed)
        self.meaning.toggled.connect(self._on_changed)
        for edit in (self.since, self.until):
            edit.dateChanged.connect(self._on_changed)
        self._show_dates()

    def set_assistants(self, assistants: Sequence[Assistant]) -> None:
        """Set the assistants in the filter."""
        self._assistants = tuple(assistants)
        self._retranslate()

    def query(self, words: str) -> HistoryQuery:
        """Return a query for `words` with the current filters."""
        since, until = self._dates()
        return HistoryQuery(
            words, _SPEAKERS[self.who.currentIndex()], self.assistant.currentData(), since, until
        )

    @property
    def is_narrowing(self) -> bool:
        """Whether any filter restricts the results."""
        return any(box.currentIndex() > 0 for box in (self.when, self.who, self.assistant))

    def _dates(self) -> tuple[datetime | None, datetime | None]:
        days = _DAYS[self.when.currentIndex()]
        if days is None:
            return None, None
        if days == _BETWEEN:
            first, last = sorted((_day(self.since), _day(self.until)))
            return _midnight(first), _midnight(last + timedelta(days=1))
        return _midnight(_today() - timedelta(days=days - 1)), None

    def _retranslate(self) -> None:
        whens = (
            self.tr("Any time"),
            self.tr("Today"),
            self.tr("Past 7 days"),
            self.tr("Past 30 days"),
            self.tr("Past year"),
            self.tr("Custom range…"),
        )
        _fill(self.when, [(text, None) for text in whens])
        whos = (self.tr("Questions and answers"), self.tr("My questions"), self.tr("Answers"))
        _fill(self.who, [(text, None) for text in whos])
        every = [(self.tr("All assistants"), None)]
        _fill(
            self.assistant, every + [(assistant_name(each), each.id) for each in (GENERAL, *self._assistants)]
        )
        self.assistant.setVisible(bool(self._assistants))
        self.meaning.setText(self.tr("Similar meaning"))
        self.meaning.setToolTip(
            self.tr("Also find messages that say the same in other words. Runs on this computer.")
        )
        self.when.setAccessibleName(self.tr("Date"))
        self.who.setAccessibleName(self.tr("Author"))
        self.assistant.setAccessibleName(self.tr("Assistant"))
        self.since.setAccessibleName(self.tr("From"))
        self.until.setAccessibleName(self.tr("To"))

    def _show_dates(self) -> None:
        is_between = _DAYS[self.when.currentIndex()] == _BETWEEN
        self.since.setVisible(is_between)
        self.until.setVisible(is_between)

    @Slot()
    def _on_changed(self) -> None:
        self._show_dates()
        self.changed.emit()


def _today() -> date:
    return datetime.now().astimezone().date()


def _date_edit(parent: QWidget, day: date) -> QDateEdit:
    edit = QDateEdit(QDate(day.year, day.month, day.day), parent)
    edit.setCalendarPopup(True)
    edit.hide()
    return edit


def _day(edit: QDateEdit) -> date:
    day = edit.date()
    return date(day.year(), day.month(), day.day())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone()


def _fill(box: QComboBox, choices: Sequence[tuple[str, str | None]]) -> None:
    """Replace the choices of a box and keep the current choice."""
    box.blockSignals(True)
    chosen = max(0, box.findData(box.currentData()) if box.currentData() is not None else box.currentIndex())
    box.clear()
    for text, value in choices:
        box.addItem(text, value)
    box.setCurrentIndex(min(chosen, len(choices) - 1))
    box.blockSignals(False)
    for row in range(box.count()):
        box.setItemData(row, box.itemText(row), Qt.ItemDataRole.AccessibleTextRole)


_SIZE = (760, 620)
_PAUSE_MS = 40
"""Delay in milliseconds, so that quick keystrokes start only one search."""
_WHOLE = 0.999


class HistoryDialog(ScreenFitDialog):
    """The search dialog; it keeps its state when closed, so that the user can open one hit after another.

    Signals:
        opened: the Hit that the user wants to see in its conversation.
        cited: the Hit that the user wants to ask about.
    """

    opened = Signal(object)
    cited = Signal(object)

    def __init__(self, history_search: HistorySearch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history_search = history_search
        self._problem = self._note = ""
        self._is_stale = self._opens_first = False
        self.words = QLineEdit(self)
        self.words.setClearButtonEnabled(True)
        self.words.setMaxLength(1000)
        self.words.installEventFilter(self)
        self._glass = self.words.addAction(
            icon("search", self.palette()), QLineEdit.ActionPosition.LeadingPosition
        )
        self.filters = HistoryFilters(self)
        self.model = HistoryModel(self)
        self.view = _view(self.model, self)
        self.state = StatusLabel(self, "muted")
        self.state.setContentsMargins(40, 56, 40, 0)
        self.state.words.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.foot = label(self, "", "muted", "small")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_PAUSE_MS)
        self._cite = QAction(self)
        self._cite.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self.addAction(self._cite)
        self._lay_out()
        self._connect()
        self._retranslate()

    def ask(self, words: str = "") -> None:
        """Show the dialog with the focus in the search field; `words` replace its text, if given."""
        if words:
            self.words.setText(words)
        self.show()
        self.raise_()
        self.activateWindow()
        self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words.selectAll()
        self._search()

    def set_assistants(self, assistants: tuple[Assistant, ...]) -> None:
        """Set the assistants in the filter and for the names in results."""
        self.filters.set_assistants(assistants)
        self.model.set_assistants(assistants)

    def menu_for(self, index: QModelIndex) -> QMenu:
        """Return the context menu of a hit."""
        hit = self.model.hit(index)
        menu = new_menu(self)
        menu.addAction(self.tr("Open")).triggered.connect(self._on_open_asked)
        if hit.message_id:
            menu.addAction(self.tr("Cite in message")).triggered.connect(self._on_cite_asked)
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys and Enter act on the list while the search field has the focus."""
        if watched is self.words and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVES and self.model.rowCount():
                self.view.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
                self._on_entered()
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Update texts and icons when the language or the theme changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._glass.setIcon(icon("search", self.palette()))

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(18, 18, 18, 12))
        column.addWidget(self.words)
        column.addWidget(self.filters)
        column.addWidget(self.view, 1)
        column.addWidget(self.state, 1)
        foot = hbox()
        foot.addWidget(self.foot, 1)
        column.addLayout(foot)
        self.resize(*_SIZE)

    def _connect(self) -> None:
        for signal, slot in (
            (self.words.textChanged, self._typing.start),
            (self._typing.timeout, self._search),
            (self.filters.changed, self._search),
            (self.model.more_asked, self._history_search.go_on),
            (self._history_search.began, self._on_began),
            (self._history_search.found, self._on_found),
            (self._history_search.ended, self._on_ended),
            (self._history_search.failed, self._on_failed),
            (self._history_search.reach_changed, self._refresh),
            (self.view.activated, self._on_open_asked),
            (self.view.clicked, self._on_open_asked),
            (self.view.customContextMenuRequested, self._on_menu_asked),
            (self._cite.triggered, self._on_cite_asked),
        ):
            signal.connect(slot)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Search all messages"))
        self.words.setPlaceholderText(self.tr("Search words, or a “phrase in quotes”"))
        self.words.setAccessibleName(self.tr("Search all messages"))
        self.view.setAccessibleName(self.tr("Results"))
        self._cite.setText(self.tr("Cite in message"))
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Update the status text, the reason for an empty list, and the key hints."""
        has_any = self.model.rowCount() > 0
        self.view.setVisible(has_any)
        if self._problem:
            self.state.show_error(self._problem)
        else:
            self.state.setText(self._format_state())
        self.state.setVisible(not has_any)
        keys = self.tr("Enter to open · Ctrl+Enter to cite in your message")
        words = (self._note, self._format_reach(), keys if has_any and not self._note else "")
        self.foot.setText(" · ".join(filter(None, words)))
        self.words.setAccessibleDescription(self._format_count() if has_any else self.state.text())

    def _format_state(self) -> str:
        if not self.words.text().strip():
            return self.tr("Search every message, including archived chats.\nUse quotes for an exact phrase.")
        if self._history_search.known < _WHOLE:
            return self.tr("Indexing messages by meaning: {share}%…").format(
                share=int(self._history_search.known * 100)
            )
        if self._history_search.is_searching:
            return self.tr("Searching…")
        if self.filters.is_narrowing:
            return self.tr("No results. Try removing a filter.")
        return self.tr("No results. Try fewer or different words.")

    def _format_reach(self) -> str:
        if self._history_search.known < _WHOLE and self.model.rowCount():
            return self.tr("{share}% of messages indexed by meaning").format(
                share=int(self._history_search.known * 100)
            )
        reach = self._history_search.reach
        if reach >= _WHOLE:
            return ""
        return self.tr("Indexing older messages: {share}% searchable").format(share=int(reach * 100))

    def _format_count(self) -> str:
        count = self.model.rowCount()
        if self._history_search.has_more:
            return self.tr("More than %n result(s)", None, count)
        return self.tr("%n result(s)", None, count)

    @Slot()
    def _search(self) -> None:
        self._typing.stop()
        query = self.filters.query(self.words.text())
        self._history_search.search(query, by_meaning=self.filters.meaning.isChecked())

    @Slot()
    def _on_began(self) -> None:
        # Old results stay until new ones arrive: a list that flickers with every letter is hard to read.
        self._problem = self._note = ""
        self._is_stale = True
        self._refresh()

    def _drop_stale(self) -> None:
        if self._is_stale:
            self._is_stale = False
            self.model.clear()

    @Slot(object)
    def _on_found(self, page: HistoryPage) -> None:
        self._drop_stale()
        is_first = self.model.rowCount() == 0
        self.model.append(page.hits)
        self._note = localize_message(page.note)
        if is_first and page.hits:
            self.view.setCurrentIndex(self.model.index(0))
            if self._opens_first:
                self._on_open_asked()
        self._refresh()

    @Slot()
    def _on_ended(self) -> None:
        self._drop_stale()
        self._opens_first = False
        self.model.set_has_more(self._history_search.has_more)
        self._refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._problem = untranslated_error(error)

    def _selected_hit(self) -> Hit | None:
        index = self.view.currentIndex()
        return self.model.hit(index) if index.isValid() else None

    @Slot()
    def _on_entered(self) -> None:
        """Open the selected hit; if the results are of an older search, open the first hit of the new one."""
        if self._typing.isActive():
            self._search()
        if self._is_stale:
            self._opens_first = True
        else:
            self._on_open_asked()

    @Slot()
    def _on_open_asked(self) -> None:
        if (hit := self._selected_hit()) is not None:
            self.hide()
            self.opened.emit(hit)

    @Slot()
    def _on_cite_asked(self) -> None:
        hit = self._selected_hit()
        if hit is not None and hit.message_id:
            self.hide()
            self.cited.emit(hit)

    @Slot(QPoint)
    def _on_menu_asked(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.menu_for(index).popup(self.view.viewport().mapToGlobal(at))


_MOVES = frozenset({Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp})


def _view(model: HistoryModel, parent: QWidget) -> QListView:
    view = QListView(parent)
    view.setObjectName("history")
    view.setItemDelegate(HistoryDelegate(view))
    view.setModel(model)
    view.setUniformItemSizes(True)
    view.setMouseTracking(True)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    return view
