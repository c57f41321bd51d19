"""How a row of the conversation list is painted."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPalette
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.ui.assistant_words import badge_of
from desktop.ui.conversation_model import AssistantRole, HeadingRole, RunningRole, WaitingRole
from desktop.ui.density import spaced
from desktop.ui.icons import icon
from desktop.ui.row_ground import paint_row_ground

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


class ConversationDelegate(QStyledItemDelegate):
    """Rounded rows with a quiet heading over each group; the row under the pointer offers its menu."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._more = QIcon()
        self._more_colour = QColor()

    def menu_area(self, row: QRect) -> QRect:
        """Return where, in a row, a click opens the menu."""
        return QRect(row.right() - _MENU_WIDTH, row.top(), _MENU_WIDTH, row.height())

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return one height for all rows, by the font."""
        return QSize(0, option.fontMetrics.height() + 2 * spaced(_PADDING) - 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a heading or a conversation."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.data(HeadingRole):
            self._paint_heading(painter, option, str(index.data()))
        else:
            self._paint_conversation(painter, option, index)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a line edit without a frame of its own."""
        editor = QLineEdit(parent)
        editor.setObjectName("titleEditor")
        editor.setAccessibleName(str(index.data()))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        """Let the editor fill the row."""
        editor.setGeometry(option.rect)

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, text: str) -> None:
        font = option.font
        font.setPointSizeF(font.pointSizeF() * _HEADING_SCALE)
        painter.setFont(font)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        area = option.rect.adjusted(_PADDING, 0, -_PADDING, -5)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, text)

    def _paint_conversation(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        palette = option.palette
        area = option.rect.adjusted(0, _GAP, 0, -_GAP)
        paint_row_ground(painter, option, area, _RADIUS)
        text_area = area.adjusted(_PADDING, 0, -_PADDING, 0)
        if index.data(WaitingRole):
            text_area.setRight(self._paint_waiting(painter, palette, text_area) - _PADDING)
        elif index.data(RunningRole):
            text_area.setRight(self._paint_dot(painter, palette, text_area) - _PADDING)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            self._paint_menu(painter, palette, area)
            text_area.setRight(area.right() - _MENU_WIDTH)
        if assistant := index.data(AssistantRole):
            text_area.setLeft(self._paint_badge(painter, option, badge_of(assistant, option.font), text_area))
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        title = option.fontMetrics.elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, text_area.width()
        )
        painter.drawText(text_area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)

    def _paint_badge(self, painter: QPainter, option: QStyleOptionViewItem, badge: str, area: QRect) -> int:
        """Paint what stands for an assistant and return where the title begins."""
        place = QRect(area.left(), 0, _BADGE, _BADGE)
        place.moveCenter(QPoint(place.center().x(), area.center().y()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(option.palette.color(QPalette.ColorRole.Midlight))
        painter.drawRoundedRect(place, _BADGE_RADIUS, _BADGE_RADIUS)
        font = QFont(option.font)
        font.setPointSizeF(font.pointSizeF() * _BADGE_SCALE)
        painter.setFont(font)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, badge)
        painter.setFont(option.font)
        return place.right() + _BADGE_GAP

    def _paint_dot(self, painter: QPainter, palette: QPalette, area: QRect) -> int:
        left = area.right() - _DOT
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
        painter.drawEllipse(left, area.center().y() - _DOT // 2, _DOT, _DOT)
        return left

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
        colour = palette.color(QPalette.ColorRole.PlaceholderText)
        if colour != self._more_colour:
            self._more = icon("more", palette, QPalette.ColorRole.PlaceholderText)
            self._more_colour = colour
        self._more.paint(painter, self.menu_area(area).adjusted(4, 4, -6, -4))
