"""Results of a search of all conversations: an item model that grows while scrolling, and its delegate."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from desktop.domain.assistants import Assistant
from desktop.domain.history import Hit
from desktop.domain.messages import Speaker
from desktop.ui.widgets.item_views import paint_row_background, scale_font
from desktop.ui.widgets.labels import format_date, format_time, model_name, untitled_label
from desktop.ui.widgets.layout import cut_words, plain_tip

_Index = QModelIndex | QPersistentModelIndex

HitRole: Final = Qt.ItemDataRole.UserRole
TitleRole: Final = Qt.ItemDataRole.UserRole + 1
WhoRole: Final = Qt.ItemDataRole.UserRole + 2
WhenRole: Final = Qt.ItemDataRole.UserRole + 3


class HistoryModel(QAbstractListModel):
    """A list model with one row for each hit.

    Signals:
        more_asked: the view has reached the end of the results so far.
    """

    more_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: list[Hit] = []
        self._assistants: dict[str, Assistant] = {}
        self._has_more = False

    def clear(self) -> None:
        """Remove all hits."""
        self.beginResetModel()
        self._hits = []
        self._has_more = False
        self.endResetModel()

    def append(self, hits: Sequence[Hit]) -> None:
        """Append hits."""
        if hits:
            self.beginInsertRows(QModelIndex(), len(self._hits), len(self._hits) + len(hits) - 1)
            self._hits.extend(hits)
            self.endInsertRows()

    def set_has_more(self, has_more: bool) -> None:
        """Set whether more results can be loaded."""
        self._has_more = has_more

    def set_assistants(self, assistants: Sequence[Assistant]) -> None:
        """Set the assistants whose names are shown as authors of answers."""
        self._assistants = {assistant.id: assistant for assistant in assistants}

    def hit(self, index: _Index) -> Hit:
        """Return the hit at `index`."""
        return self._hits[index.row()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of hits so far."""
        return 0 if parent.isValid() else len(self._hits)

    def canFetchMore(self, parent: _Index) -> bool:
        """Return whether there may be more hits."""
        return not parent.isValid() and self._has_more

    def fetchMore(self, parent: _Index) -> None:
        """Emit `more_asked`; the hits are added when they arrive."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_asked.emit()

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the excerpt, or the data of another role."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        hit = self._hits[index.row()]
        tell = _TOLD.get(role)
        return tell(self, hit) if tell else None

    def title(self, hit: Hit) -> str:
        """Return the title of a hit's conversation."""
        title = hit.title or untitled_label()
        return self.tr("{title} (archived)").format(title=title) if hit.is_archived else title

    def who(self, hit: Hit) -> str:
        """Return the name of a hit's author."""
        if not hit.message_id:
            return self.tr("Chat")
        if hit.speaker is Speaker.USER:
            return self.tr("You")
        assistant = self._assistants.get(hit.assistant)
        return assistant.name if assistant else model_name(hit.model, ())

    def spoken(self, hit: Hit) -> str:
        """Return the text of a hit for screen readers."""
        return ", ".join((self.title(hit), self.who(hit), when(hit.created_at), hit.excerpt.text))


_TOLD: Final[dict[int, Callable[[HistoryModel, Hit], object]]] = {
    Qt.ItemDataRole.DisplayRole: lambda _, hit: hit.excerpt.text,
    Qt.ItemDataRole.ToolTipRole: lambda model, hit: plain_tip(model.title(hit)),
    Qt.ItemDataRole.AccessibleTextRole: HistoryModel.spoken,
    HitRole: lambda _, hit: hit,
    TitleRole: HistoryModel.title,
    WhoRole: HistoryModel.who,
    WhenRole: lambda _, hit: when(hit.created_at),
}


def when(moment: datetime) -> str:
    """Return a date in the format of the current language, with the time if it is today."""
    is_today = moment.astimezone().date() == datetime.now().astimezone().date()
    return format_time(moment) if is_today else format_date(moment)


_PADDING = 12
_GAP = 1
_BETWEEN = 4
_RADIUS = 10
_LINES = 2
_AIR = 6
_SMALL = 0.9


class HistoryDelegate(QStyledItemDelegate):
    """Paints rounded rows of equal height: a muted line above, and up to two lines of the message below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the height of all rows, which depends on the font."""
        return QSize(
            0, option.fontMetrics.lineSpacing() * (_LINES + 1) + _AIR + _BETWEEN + 2 * (_PADDING - 2)
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a hit."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = option.rect.adjusted(0, _GAP, 0, -_GAP)
        paint_row_background(painter, option, area, _RADIUS)
        inner = area.adjusted(_PADDING, _PADDING - 4, -_PADDING, -_PADDING + 4)
        below = self._paint_head(painter, option, index, inner)
        self._paint_excerpt(painter, option, index, inner.adjusted(0, below, 0, 0))
        painter.restore()

    def _paint_head(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index, area: QRect) -> int:
        """Paint title, author and date; return the height that they use."""
        small = scale_font(option.font, _SMALL)
        metrics = QFontMetrics(small)
        height = option.fontMetrics.lineSpacing()
        line = QRect(area.left(), area.top(), area.width(), height)
        painter.setFont(small)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        when = str(index.data(WhenRole))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, when)
        line.setRight(line.right() - metrics.horizontalAdvance(when) - _PADDING)
        words = "  ·  ".join(filter(None, (str(index.data(WhoRole)), str(index.data(TitleRole)))))
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        return height + _BETWEEN

    def _paint_excerpt(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index, area: QRect
    ) -> None:
        excerpt = index.data(HitRole).excerpt
        layout = QTextLayout(excerpt.text, option.font)
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.setFormats(
            [_mark_match(start, end, excerpt.text, option.palette) for start, end in excerpt.marks]
        )
        layout.beginLayout()
        top = 0.0
        for _ in range(_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(area.width())
            line.setPosition(QPointF(0, top))
            top += line.height()  # higher than the font's own height if a fallback font provides a letter
        layout.endLayout()
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        layout.draw(painter, QPointF(area.topLeft()))


def _mark_match(start: int, end: int, text: str, palette: QPalette) -> QTextLayout.FormatRange:
    """Return the format of a highlighted match; Qt counts in UTF-16 code units."""
    looks = QTextCharFormat()
    looks.setFontWeight(QFont.Weight.Bold)
    looks.setForeground(palette.color(QPalette.ColorRole.Highlight))
    found = QTextLayout.FormatRange()
    found.start = _units(text[:start])
    found.length = _units(text[start:end])
    found.format = looks
    return found


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
