"""The items of the chosen base: the table, how its rows are painted, and the page where they are added, found and looked at."""

from functools import cache
from pathlib import PurePath
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QIcon,
    QMouseEvent,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop.domain.file_formats import FileFamily, format_named
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, ItemProgress, ItemState
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.bars import BusyBar, EmptyState, ErrorBar, FilterBar, SummaryBar
from desktop.ui.knowledge.base_panel import base_badge
from desktop.ui.knowledge.item_model import ItemColumn, ItemModel, ProgressRole
from desktop.ui.knowledge.manager_controller import ManagerController
from desktop.ui.knowledge.menus import ITEM_ACTIONS, AddMenu
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.colors import is_dark
from desktop.ui.widgets.icons import IconButton, icon
from desktop.ui.widgets.item_views import ItemActions
from desktop.ui.widgets.layout import hbox, label, new_menu, vbox

_LONGEST: Final = 4
_RADIUS: Final = 5
_SCALE: Final = 0.72
_GROUND_ALPHA: Final = 34

_Index = QModelIndex | QPersistentModelIndex

_PADDING: Final = 8
_BADGE: Final = QSize(38, 20)
_DOT: Final = 7
_BAR: Final = 3

# Ready items have none: only items that are not ready yet, or failed, are highlighted.
_DOTS: Final = {
    ItemState.WAITING: QPalette.ColorRole.PlaceholderText,
    ItemState.READING: QPalette.ColorRole.Highlight,
    ItemState.KEYWORD_READY: QPalette.ColorRole.Highlight,
    ItemState.FAILED: QPalette.ColorRole.BrightText,
}
_HOLLOW: Final = frozenset({ItemState.WAITING, ItemState.KEYWORD_READY})

_WIDTHS: Final = {
    ItemColumn.STATE: 256,
    ItemColumn.PAGES: 124,
    ItemColumn.PASSAGES: 86,
    ItemColumn.TAGS: 120,
    ItemColumn.READ: 100,
}
_SHARES: Final = {ItemColumn.STATE: 0.3, ItemColumn.PAGES: 0.1, ItemColumn.TAGS: 0.15}
"""Reasons are long: some columns get their part of what a wider table has."""
_NEEDED: Final = {ItemColumn.PASSAGES: 560, ItemColumn.TAGS: 720, ItemColumn.PAGES: 830, ItemColumn.READ: 940}
"""Width of the table in pixels from which a column is shown."""


_COLOURS: Final = {
    FileFamily.PDF: ("#b3261e", "#ff8f85"),
    FileFamily.TEXT: ("#2450b8", "#8fabff"),
    FileFamily.SHEET: ("#19703a", "#7fd39b"),
    FileFamily.SLIDES: ("#a8480c", "#ffb07f"),
    FileFamily.MAIL: ("#6b3fb0", "#c3a6ff"),
    FileFamily.PICTURE: ("#0b6b78", "#79d2de"),
    FileFamily.PAGE: ("#0b5fa5", "#86c5ff"),
    FileFamily.BOOK: ("#7a5310", "#e3bd78"),
    FileFamily.CODE: ("#54534d", "#b9babd"),
    FileFamily.NOTE: ("#806000", "#e8c860"),
}
"""On a light ground and on a dark one."""


def family_of(item: ItemInfo) -> FileFamily:
    """Return the family of an item; formats that are not known are taken for code."""
    match item.kind:
        case ItemKind.LINK:
            return FileFamily.PAGE
        case ItemKind.NOTE:
            return FileFamily.NOTE
        case ItemKind.FILE:
            return format_named(item.name).family


def paint_badge(painter: QPainter, place: QRect, item: ItemInfo, palette: QPalette, font: QFont) -> None:
    """Paint the kind of an item; links and notes have an icon, files the letters of their format."""
    colour = _colour(family_of(item), palette)
    ground = QColor(colour)
    ground.setAlpha(_GROUND_ALPHA)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(place, _RADIUS, _RADIUS)
    if item.kind is not ItemKind.FILE:
        sign = place.adjusted(0, 2, 0, -2)
        _sign("globe" if item.kind is ItemKind.LINK else "note", colour.name()).paint(painter, sign)
        return
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SCALE)
    small.setBold(True)
    painter.setFont(small)
    painter.setPen(colour)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _suffix(item)[:_LONGEST].upper() or "–")


def _suffix(item: ItemInfo) -> str:
    return PurePath(item.name).suffix.removeprefix(".").lower()


def _colour(family: FileFamily, palette: QPalette) -> QColor:
    return QColor(_COLOURS[family][is_dark(palette)])


@cache
def _sign(name: str, colour: str) -> QIcon:
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.ButtonText, QColor(colour))
    return icon(name, palette)


class ItemDelegate(QStyledItemDelegate):
    """Paints a badge before the name, a dot before the state and a progress line below it."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view
        self.hovered = -1
        """The row under the pointer."""

    def height(self, metrics: QFontMetrics) -> int:
        """Return the height of a row, the same for all."""
        return max(metrics.height(), _BADGE.height()) + 2 * _PADDING - 2

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one cell."""
        progress: ItemProgress = index.data(ProgressRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, index.row())
        area = option.rect.adjusted(_PADDING, 0, -_PADDING, 0)
        match index.column():
            case ItemColumn.NAME:
                self._paint_name(painter, option, index.row(), progress)
            case ItemColumn.STATE:
                _paint_state(painter, option, area, progress, str(index.data()))
            case _:
                alignment = Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole))
                _paint_text(painter, option, area, str(index.data()), alignment=alignment)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, row: int) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Dark))
        elif row == self.hovered:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Midlight))

    def _paint_name(
        self, painter: QPainter, option: QStyleOptionViewItem, row: int, progress: ItemProgress
    ) -> None:
        area = option.rect.adjusted(_PADDING, 0, -_PADDING, 0)
        place = QRect(area.topLeft(), _BADGE)
        place.moveCenter(QPoint(place.center().x(), area.center().y()))
        paint_badge(painter, place, progress.item, option.palette, option.font)
        area.setLeft(place.right() + _PADDING + 2)
        _paint_text(painter, option, area, progress.item.name, role=QPalette.ColorRole.Text)
        if self._view.hasFocus() and self._view.currentIndex().row() == row:
            bar = QRect(option.rect.left(), option.rect.top() + 5, _BAR, option.rect.height() - 10)
            painter.fillRect(bar, option.palette.color(QPalette.ColorRole.Highlight))


def _paint_state(
    painter: QPainter, option: QStyleOptionViewItem, area: QRect, progress: ItemProgress, words: str
) -> None:
    state, palette = progress.item.state, option.palette
    dot = QRectF(area.left(), area.center().y() - _DOT / 2 + 0.5, _DOT, _DOT)
    if (role := _DOTS.get(state)) is not None:
        _paint_dot(painter, dot, palette.color(role), is_full=state not in _HOLLOW)
    area.setLeft(area.left() + _DOT + _PADDING)
    is_failed = state is ItemState.FAILED
    role = QPalette.ColorRole.BrightText if is_failed else QPalette.ColorRole.PlaceholderText
    _paint_text(painter, option, area, words, role=role)
    if state is ItemState.READING and progress.total:
        line = QRect(area.left(), option.rect.bottom() - _BAR - 1, area.width(), _BAR)
        painter.fillRect(line, palette.color(QPalette.ColorRole.Mid))
        line.setWidth(round(area.width() * min(1.0, progress.done / progress.total)))
        painter.fillRect(line, palette.color(QPalette.ColorRole.Highlight))


def _paint_dot(painter: QPainter, place: QRectF, colour: QColor, *, is_full: bool) -> None:
    painter.setPen(Qt.PenStyle.NoPen if is_full else colour)
    painter.setBrush(colour if is_full else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(place)


def _paint_text(
    painter: QPainter,
    option: QStyleOptionViewItem,
    area: QRect,
    text: str,
    *,
    role: QPalette.ColorRole = QPalette.ColorRole.PlaceholderText,
    alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
) -> None:
    painter.setFont(option.font)
    painter.setPen(option.palette.color(role))
    one_line = " ".join(text.split())
    painter.drawText(
        area, alignment, option.fontMetrics.elidedText(one_line, Qt.TextElideMode.ElideRight, area.width())
    )


class ItemView(QTableView):
    """The table of items; the selection survives a reset of the model.

    Signals:
        picked: the selection changed.
        menu_asked: where on the screen (QPoint) the menu of the selected items is to open.
    """

    picked = Signal()
    menu_asked = Signal(QPoint)

    def __init__(self, model: ItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items = model
        self._kept: tuple[str, ...] = ()
        self._kept_current = ""
        self._is_tagged = False
        self._delegate = ItemDelegate(self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setObjectName("items")
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._set_up_headers()
        model.modelAboutToBeReset.connect(self._keep)
        model.modelReset.connect(self._pick_kept)
        self.selectionModel().selectionChanged.connect(self.picked)

    def _set_up_headers(self) -> None:
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self._delegate.height(self.fontMetrics()))
        header = self.horizontalHeader()
        # Of its own, and empty: painting a heading asks of each row whether the column is picked.
        header.setSelectionModel(QItemSelectionModel(self._items, self))
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setSectionResizeMode(ItemColumn.NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            header.resizeSection(column, width)
        header.setSortIndicator(ItemColumn.NAME, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    @property
    def items(self) -> tuple[ItemInfo, ...]:
        """The selected items from top to bottom."""
        selection = self.selectionModel().selection()
        stretches = (selection.at(number) for number in range(selection.count()))
        rows = {row for each in stretches for row in range(each.top(), each.bottom() + 1)}
        return tuple(self._items.rows.at(row).item for row in sorted(rows))

    @property
    def has_one_picked(self) -> bool:
        """Whether exactly one item is selected; fast also with thousands."""
        selection = self.selectionModel().selection()
        return selection.count() == 1 and selection.at(0).height() == 1

    def pick(self, item_id: str) -> None:
        """Select one item only and scroll to it."""
        index = self._items.index_of(item_id)
        if index.isValid():
            # Not the view's own setCurrentIndex, which adds to the selection while Ctrl is held.
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.scrollTo(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many columns as fit."""
        super().resizeEvent(event)
        self._show_columns()

    def set_tagged(self, is_tagged: bool) -> None:
        """Show the column of tags only where there are tags."""
        if is_tagged != self._is_tagged:
            self._is_tagged = is_tagged
            self._show_columns()

    def _show_columns(self) -> None:
        width = self.viewport().width()
        spare = 0 if self._is_tagged else _WIDTHS[ItemColumn.TAGS]
        for column, needed in _NEEDED.items():
            is_empty = column is ItemColumn.TAGS and not self._is_tagged
            self.setColumnHidden(column, is_empty or width + spare < needed)
        for column, share in _SHARES.items():
            self.setColumnWidth(column, max(_WIDTHS[column], round(width * share)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Signal that the menu is to open, by mouse or keyboard."""
        if self.selectionModel().hasSelection():
            is_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
            below = self.visualRect(self.currentIndex()).bottomLeft()
            self.menu_asked.emit(event.globalPos() if is_mouse else self.viewport().mapToGlobal(below))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the row under the pointer."""
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(event.position().toPoint().y()))

    def leaveEvent(self, event: QEvent) -> None:
        """Show no row as hovered."""
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._delegate.hovered:
            self._delegate.hovered = row
            self.viewport().update()

    @Slot()
    def _keep(self) -> None:
        # The rows are asked before they change; a selection of all is many.
        self._kept = tuple(item.id for item in self.items)
        current = self.currentIndex()
        self._kept_current = self._items.item(current).id if current.isValid() else ""

    @Slot()
    def _pick_kept(self) -> None:
        rows = sorted(row for row in map(self._items.rows.row_of, self._kept) if row >= 0)
        selection = QItemSelection()
        for first, last in _stretches(rows):
            selection.select(self._items.index(first, 0), self._items.index(last, len(ItemColumn) - 1))
        flags = QItemSelectionModel.SelectionFlag
        current = self._items.index_of(self._kept_current)
        if current.isValid():
            self.selectionModel().setCurrentIndex(current, flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)
        self.picked.emit()


def _stretches(rows: list[int]) -> list[tuple[int, int]]:
    """Return rows that follow each other as first and last."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and row == found[-1][1] + 1:
            found[-1] = (found[-1][0], row)
        else:
            found.append((row, row))
    return found


_MENU_MARGIN: Final = 4


class ItemsPage(Retranslated, QWidget):
    """The header of a base with its actions, a filter, the table, and a summary.

    Signals:
        action_asked: id of an action of `ITEM_ACTIONS`, and the items (tuple of ItemInfo) that it is for.
        base_menu_asked: where on the screen (QPoint) the menu of the base is to open.
        trial_asked: the user wants to test the search of the base.
        resume_asked: the user wants to resume reading.
    """

    action_asked = Signal(str, object)
    base_menu_asked = Signal(QPoint)
    trial_asked = Signal()
    resume_asked = Signal()

    def __init__(self, controller: ManagerController, adding: AddMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._adding = adding
        self._badge = QLabel(self)
        self._badge.setProperty("heading", "true")
        self.name = label(self, "", "heading")
        self.trial = IconButton("search", self)
        self.more = IconButton("more", self)
        self.add = QPushButton(self)
        self.add.setMenu(add_access_keys(QMenu(self.add)))
        self.add.setProperty("primary", "true")
        self.filter = FilterBar(self)
        self.view = ItemView(controller.items, self)
        self.item_actions: ItemActions[ItemInfo] = ItemActions(ITEM_ACTIONS, self.view)
        self.buttons = {name: self._way(name) for name in ("files", "folder", "link", "note")}
        self.empty = EmptyState("library", tuple(self.buttons.values()), self)
        self.show_all = QPushButton(self)
        self.nothing_found = EmptyState("filter", (self.show_all,), self)
        self._pane = QStackedWidget(self)
        self.waiting = BusyBar(self)
        self.reason = ErrorBar(self)
        self.summary = SummaryBar(self)
        self._lay_out()
        self._connect()
        self._retranslate()

    def _way(self, name: str) -> QPushButton:
        button = QPushButton(self)
        button.clicked.connect(self._adding.actions[name].trigger)
        return button

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(20, 14, 20, 12))
        head = hbox(spacing=8)
        head.addWidget(self._badge)
        head.addWidget(self.name, 1)
        head.addWidget(self.trial)
        head.addWidget(self.more)
        head.addWidget(self.add)
        column.addLayout(head)
        column.addWidget(self.waiting)
        column.addWidget(self.filter)
        for pane in (self.view, self.empty, self.nothing_found):
            self._pane.addWidget(pane)
        column.addWidget(self._pane, 1)
        column.addWidget(self.reason)
        column.addWidget(self.summary)

    def _connect(self) -> None:
        controller = self._controller
        for signal, slot in (
            (controller.base_changed, self._on_base_changed),
            (controller.items.counted, self.show_state),
            (controller.items.dataChanged, self._on_changed),
            (controller.items.modelReset, self.show_state),
            (self.filter.changed, controller.items.filter),
            (self.show_all.clicked, self.filter.clear),
            (self.view.picked, self._on_picked),
            (self.view.menu_asked, self._on_menu_asked),
            (self.view.doubleClicked, self._on_double_clicked),
            (self.item_actions.asked, self._on_action_asked),
            (self.add.menu().aboutToShow, self._on_add_shown),
            (self.trial.clicked, self.trial_asked),
            (self.more.clicked, self._on_more_clicked),
            (self.summary.failed_asked, self.filter.show_failed),
            (self.summary.again_asked, controller.read_failed_again),
            (self.summary.resume_asked, self.resume_asked),
            (self.reason.again_asked, self._on_again_asked),
        ):
            signal.connect(slot)
        self._on_picked()

    def _retranslate(self) -> None:
        self._adding.retranslate()
        self.item_actions.retranslate()
        self._controller.items.retranslate()
        self.add.setText(self.tr("Add"))
        self.trial.set_words(self.tr("Try a search…"), f"{self.tr('Try a search…')}  Ctrl+E")
        self.more.set_words(self.tr("More"))
        self.view.setAccessibleName(self.tr("Items in the knowledge base"))
        for name, button in self.buttons.items():
            button.setText(self._adding.actions[name].text())
        self.show_all.setText(self.tr("Show all"))
        self.nothing_found.say(self.tr("No matching items"), "")
        self.empty.say(
            self.tr("Drop files, folders or links here"),
            self.tr(
                "PDFs, scans, Office files, email, e-books, web pages, images and code. They are read on this computer."
            ),
        )
        self.show_state()

    @Slot()
    def show_state(self) -> None:
        """Show the table or a hint, and the summary."""
        rows, base = self._controller.items.rows, self._controller.base
        has_any = rows.total > 0
        pane = self.view if len(rows) else self.nothing_found if has_any else self.empty
        if self._controller.is_listed or has_any:
            self._pane.setCurrentWidget(pane)
            self.waiting.end()
        elif base is not None:
            self._pane.setCurrentWidget(self.view)
            self.waiting.begin(self.tr("Loading…"))
        self.filter.setVisible(has_any)
        self.summary.setVisible(has_any)
        if base is not None:
            self.summary.show_counts(rows, self._controller.bases.share(base.id), is_paused=base.is_paused)

    @Slot(object)
    def _on_base_changed(self, base: BaseInfo | None) -> None:
        if base is not None:
            badge = base_badge(base, self.font())
            self._badge.setText(badge if badge == base.icon else "")
            self._badge.setVisible(bool(self._badge.text()))
            self.name.setText(base.name)
            self.filter.set_tags(base.tags)
            self.view.set_tagged(bool(base.tags))
        self.show_state()

    @Slot()
    def _on_picked(self) -> None:
        items = self.view.items
        self.item_actions.fit(items)
        self.reason.show_error_of(items)

    @Slot()
    def _on_changed(self) -> None:
        if self.view.has_one_picked:
            self._on_picked()

    @Slot(QPoint)
    def _on_menu_asked(self, place: QPoint) -> None:
        menu = new_menu(self)
        self.item_actions.fill(menu)
        menu.popup(place)

    @Slot()
    def _on_double_clicked(self) -> None:
        self._on_action_asked("open")

    @Slot()
    def _on_again_asked(self) -> None:
        self._on_action_asked("again")

    @Slot(str)
    def _on_action_asked(self, spec: str) -> None:
        if items := self.view.items:
            self.action_asked.emit(spec, items)

    @Slot()
    def _on_add_shown(self) -> None:
        self._adding.fill(self.add.menu())

    @Slot()
    def _on_more_clicked(self) -> None:
        self.base_menu_asked.emit(self.more.mapToGlobal(QPoint(0, self.more.height() + _MENU_MARGIN)))
