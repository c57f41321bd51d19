"""The table of a base's items, and how its rows are painted."""

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
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop.domain.file_formats import FileFamily, format_named
from desktop.domain.knowledge import ItemInfo, ItemKind, ItemProgress, ItemState
from desktop.ui.knowledge.item_model import ItemModel, ProgressRole
from desktop.ui.knowledge.item_rows import ItemColumn
from desktop.ui.theme.colors import is_dark
from desktop.ui.widgets.icons import icon

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
