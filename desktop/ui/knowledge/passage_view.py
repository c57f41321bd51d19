"""The list of an item's passages: where each stands, and below it its text."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.ui.knowledge.passage_model import PlaceRole

_Index = QModelIndex | QPersistentModelIndex

_PADDING: Final = 10
_RADIUS: Final = 8
_SMALL: Final = 0.88
_LINES: Final = 2
"""How many lines of a passage are shown in the list; all rows are of one height, so that there may be thousands."""
_WRAP: Final = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
_SHOWN_CHARS: Final = 600


class PassageView(QListView):
    """Passages below each other, each with its first lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queries")
        self.setItemDelegate(PassageDelegate(self))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the lines break anew."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class PassageDelegate(QStyledItemDelegate):
    """Paints where a passage stands, quietly, and how it begins."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return one height for all rows."""
        height = QFontMetrics(_small(option.font)).height() + _LINES * option.fontMetrics.lineSpacing()
        return QSize(self._view.viewport().width(), height + 2 * _PADDING + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one passage."""
        palette, state = option.palette, option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(
                palette.color(QPalette.ColorRole.Dark if is_selected else QPalette.ColorRole.Midlight)
            )
            painter.drawRoundedRect(option.rect, _RADIUS, _RADIUS)
        area = option.rect.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        small = _small(option.font)
        painter.setFont(small)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        metrics = QFontMetrics(small)
        place = metrics.elidedText(str(index.data(PlaceRole)), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), place)
        painter.setFont(option.font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        text = QRect(area.left(), area.top() + metrics.height() + 4, area.width(), area.height())
        text.setHeight(_LINES * option.fontMetrics.lineSpacing())
        painter.setClipRect(text)
        painter.drawText(text, _WRAP, str(index.data())[:_SHOWN_CHARS])
        painter.restore()


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SMALL)
    return small
