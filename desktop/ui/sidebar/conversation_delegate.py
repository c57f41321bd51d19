"""How a row of the conversation list is painted."""

from functools import cache

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.domain.messages import ConversationInfo, LabelColor
from desktop.ui.labels.chat import badge_of
from desktop.ui.sidebar.conversation_groups import GroupHeader, GroupKind
from desktop.ui.sidebar.conversation_model import (
    AssistantRole,
    DraftRole,
    InsideRole,
    OpenRole,
    RowRole,
    RunningRole,
    WaitingRole,
)
from desktop.ui.theme.label_colors import label_color
from desktop.ui.theme.theme import scale_spacing
from desktop.ui.widgets.icons import icon, pixmap
from desktop.ui.widgets.item_views import InlineEditor, paint_row_background
from desktop.ui.widgets.layout import shorten_name

_Index = QModelIndex | QPersistentModelIndex

_PADDING = 10
_GAP = 1
_RADIUS = 8
_HEADING_SCALE = 0.88
_DOT = 7
_BADGE = 18
_BADGE_RADIUS = 5
_BADGE_SCALE = 0.8
_BADGE_GAP = 8
_MENU_WIDTH = 28
_INDENT = 14
_BAR = QSize(3, 16)
_CHEVRON = 14
_FOLDER = 16
_PENCIL = 14


class ConversationDelegate(QStyledItemDelegate):
    """Paints rounded rows with a muted header over each group; the row under the pointer has a menu button."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self.target = QPersistentModelIndex()
        """The row that something would be dropped on."""

    def menu_area(self, row: QRect) -> QRect:
        """Return where, in a row, a click opens the menu."""
        return QRect(row.right() - _MENU_WIDTH, row.top(), _MENU_WIDTH, row.height())

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return one height for all rows, by the font."""
        return QSize(0, option.fontMetrics.height() + 2 * scale_spacing(_PADDING) - 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a heading, a folder or a conversation."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = index.data(RowRole)
        if isinstance(row, ConversationInfo):
            self._paint_conversation(painter, option, index, row)
        elif row.kind in (GroupKind.FOLDER, GroupKind.ARCHIVE):
            self._paint_folder(painter, option, row)
        else:
            self._paint_heading(painter, option, row)
        if self.target == index:
            painter.setPen(option.palette.color(QPalette.ColorRole.Highlight))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(_ground(option).adjusted(0, 0, -1, -1), _RADIUS, _RADIUS)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a line edit without a frame of its own."""
        editor = InlineEditor(parent)
        editor.setObjectName("titleEditor")
        editor.setAccessibleName(str(index.data()))
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Show the title, unless the user is writing another one: rows change while one is renamed."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        """Let the editor fill the row."""
        editor.setGeometry(option.rect)

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, group: GroupHeader) -> None:
        muted = option.palette.color(QPalette.ColorRole.PlaceholderText)
        flags = QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
        is_pointed_at = group.can_close and bool(option.state & flags)
        if is_pointed_at:
            paint_row_background(painter, option, _ground(option), _RADIUS)
        _use_font(painter, option, _HEADING_SCALE)
        painter.setPen(muted)
        area = option.rect.adjusted(_PADDING, 0, -_PADDING, -5)
        painter.drawText(
            area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, shorten_name(group.name)
        )
        if not group.is_open:
            count = str(group.count)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, count)
        if is_pointed_at or not group.is_open:
            metrics = painter.fontMetrics()
            left = area.left() + metrics.horizontalAdvance(shorten_name(group.name)) + _CHEVRON
            middle = QPoint(left, area.bottom() - metrics.height() // 2 + 1)
            self._paint_chevron(painter, middle, muted, is_open=group.is_open)

    def _paint_folder(self, painter: QPainter, option: QStyleOptionViewItem, group: GroupHeader) -> None:
        area, palette = _ground(option), option.palette
        paint_row_background(painter, option, area, _RADIUS)
        muted = palette.color(QPalette.ColorRole.PlaceholderText)
        left = area.left() + 4
        self._paint_chevron(
            painter, QPoint(left + _CHEVRON // 2, area.center().y()), muted, is_open=group.is_open
        )
        tint = group.folder.tint if group.folder else LabelColor.NONE
        drawing = "folder" if group.folder else "archive"
        place = QRect(left + _CHEVRON + 3, 0, _FOLDER, _FOLDER)
        place.moveCenter(QPoint(place.center().x(), area.center().y()))
        scale = painter.device().devicePixelRatioF()
        painter.drawPixmap(place, _drawn(drawing, label_color(tint, palette).name(), _FOLDER, scale))
        text_area = area.adjusted(place.right() + _BADGE_GAP - area.left(), 0, -_PADDING, 0)
        if option.state & QStyle.StateFlag.State_MouseOver and group.folder:
            self._paint_menu(painter, palette, area)
            text_area.setRight(area.right() - _MENU_WIDTH)
        elif group.count:
            count = str(group.count)
            painter.setPen(muted)
            painter.drawText(text_area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, count)
            text_area.setRight(text_area.right() - option.fontMetrics.horizontalAdvance(count) - _PADDING)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        _draw_elided(painter, option.font, text_area, shorten_name(group.name))

    def _paint_chevron(self, painter: QPainter, centre: QPoint, colour: QColor, *, is_open: bool) -> None:
        painter.save()
        painter.translate(centre)
        painter.rotate(0 if is_open else -90)
        scale = painter.device().devicePixelRatioF()
        place = QRect(-_CHEVRON // 2, -_CHEVRON // 2, _CHEVRON, _CHEVRON)
        painter.drawPixmap(place, _drawn("chevron", colour.name(), _CHEVRON, scale))
        painter.restore()

    def _paint_conversation(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index, info: ConversationInfo
    ) -> None:
        palette, area = option.palette, _ground(option)
        paint_row_background(painter, option, area, _RADIUS)
        if index.data(OpenRole):
            self._paint_bar(painter, palette, area)
        text_area = area.adjusted(_PADDING + (_INDENT if index.data(InsideRole) else 0), 0, -_PADDING, 0)
        if index.data(WaitingRole):
            text_area.setRight(self._paint_waiting(painter, palette, text_area) - _PADDING)
        elif index.data(RunningRole):
            text_area.setRight(self._paint_dot(painter, palette, text_area) - _PADDING)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            self._paint_menu(painter, palette, area)
            text_area.setRight(area.right() - _MENU_WIDTH)
        elif index.data(DraftRole):
            text_area.setRight(self._paint_pencil(painter, palette, text_area) - _PADDING // 2)
        if info.place.tint is not LabelColor.NONE:
            text_area.setLeft(self._paint_tint(painter, label_color(info.place.tint, palette), text_area))
        if assistant := index.data(AssistantRole):
            text_area.setLeft(self._paint_badge(painter, option, badge_of(assistant, option.font), text_area))
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        _draw_elided(painter, option.font, text_area, str(index.data()))

    def _paint_bar(self, painter: QPainter, palette: QPalette, area: QRect) -> None:
        """Paint the mark of the open conversation."""
        bar = QRect(QPoint(0, 0), _BAR)
        bar.moveCenter(area.center())
        bar.moveLeft(area.left())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
        painter.drawRoundedRect(bar, 1.5, 1.5)

    def _paint_tint(self, painter: QPainter, colour: QColor, area: QRect) -> int:
        """Paint a dot in a conversation's colour and return where what follows begins."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(area.left(), area.center().y() - _DOT // 2, _DOT + 1, _DOT + 1)
        return area.left() + _DOT + _BADGE_GAP

    def _paint_badge(self, painter: QPainter, option: QStyleOptionViewItem, badge: str, area: QRect) -> int:
        """Paint the badge of an assistant and return where the title begins."""
        place = QRect(area.left(), 0, _BADGE, _BADGE)
        place.moveCenter(QPoint(place.center().x(), area.center().y()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(option.palette.color(QPalette.ColorRole.Midlight))
        painter.drawRoundedRect(place, _BADGE_RADIUS, _BADGE_RADIUS)
        _use_font(painter, option, _BADGE_SCALE)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, badge)
        return place.right() + _BADGE_GAP

    def _paint_dot(self, painter: QPainter, palette: QPalette, area: QRect) -> int:
        left = area.right() - _DOT
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
        painter.drawEllipse(left, area.center().y() - _DOT // 2, _DOT, _DOT)
        return left

    def _paint_pencil(self, painter: QPainter, palette: QPalette, area: QRect) -> int:
        """Paint the sign of a draft and return where the title has to end."""
        place = QRect(0, 0, _PENCIL, _PENCIL)
        place.moveCenter(area.center())
        place.moveRight(area.right())
        colour = palette.color(QPalette.ColorRole.PlaceholderText).name()
        painter.drawPixmap(place, _drawn("rename", colour, _PENCIL, painter.device().devicePixelRatioF()))
        return place.left()

    def _paint_waiting(self, painter: QPainter, palette: QPalette, area: QRect) -> int:
        """Paint a question mark where the dot of a running conversation is."""
        place = QRect(0, 0, _BADGE, _BADGE)
        place.moveCenter(area.center())
        place.moveRight(area.right())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
        painter.drawEllipse(place)
        painter.setPen(palette.color(QPalette.ColorRole.HighlightedText))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "?")
        return place.left()

    def _paint_menu(self, painter: QPainter, palette: QPalette, area: QRect) -> None:
        more: QIcon = icon("more", palette, QPalette.ColorRole.PlaceholderText)
        more.paint(painter, self.menu_area(area).adjusted(4, 4, -6, -4))


def _ground(option: QStyleOptionViewItem) -> QRect:
    area: QRect = option.rect
    return area.adjusted(0, _GAP, 0, -_GAP)


@cache
def _drawn(name: str, colour: str, size: int, scale: float) -> QPixmap:
    return pixmap(name, QColor(colour), size, scale)


def _use_font(painter: QPainter, option: QStyleOptionViewItem, scale: float) -> None:
    font = QFont(option.font)
    font.setPointSizeF(font.pointSizeF() * scale)
    painter.setFont(font)


def _draw_elided(painter: QPainter, font: QFont, area: QRect, text: str) -> None:
    painter.setFont(font)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(
        area,
        Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine,
        shown,
    )
