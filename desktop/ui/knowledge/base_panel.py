"""The left side of the manager: the list of bases, how its rows are painted, and buttons for new bases."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.domain.knowledge import BaseInfo
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.actions import BASE_ACTIONS
from desktop.ui.knowledge.base_model import BaseModel, BaseRole, ShareRole, WordsRole, base_badge
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_actions import ItemActions
from desktop.ui.widgets.item_views import InlineEditor, paint_row_background, scale_font
from desktop.ui.widgets.layout import vbox

_PADDING = 8
_GAP = 1
_RADIUS = 8
_BADGE = 30
_BADGE_RADIUS = 8
_BADGE_SCALE = 1.15
_SIGN = 18
_RING = 16
_RING_WIDTH = 2.5
_SMALL = 0.86
_DEGREES = 16
"""Qt counts angles in sixteenths of a degree."""
_NAME_LONGEST = 80

_Index = QModelIndex | QPersistentModelIndex

_WIDTH = 232
_MARGIN = 10


class BaseDelegate(QStyledItemDelegate):
    """Paints a badge, the name with a muted line below it, and a progress ring while the base is reading."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return one height for all rows, by the font."""
        lines = option.fontMetrics.height() + QFontMetrics(scale_font(option.font, _SMALL)).height()
        return QSize(0, max(lines, _BADGE) + 2 * _PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one base."""
        base: BaseInfo = index.data(BaseRole)
        area = option.rect.adjusted(0, _GAP, 0, -_GAP)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row_background(painter, option, area, _RADIUS)
        inner = area.adjusted(_PADDING, 0, -_PADDING, 0)
        inner.setLeft(_paint_badge(painter, option, base_badge(base, option.font), inner) + _PADDING)
        share = index.data(ShareRole)
        if base.is_paused:
            inner.setRight(_paint_pause(painter, option.palette, inner) - _PADDING)
        elif share is not None:
            inner.setRight(_paint_ring(painter, option.palette, inner, share) - _PADDING)
        _paint_words(painter, option, inner, (base.name, str(index.data(WordsRole))))
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a line edit."""
        editor = InlineEditor(parent)
        editor.setMaxLength(_NAME_LONGEST)
        editor.setAccessibleName(str(index.data()))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        """Put the editor where the words are."""
        height = editor.sizeHint().height()
        left = option.rect.left() + _PADDING + _BADGE + 2
        top = option.rect.center().y() - height // 2
        editor.setGeometry(left, top, option.rect.right() - left - 4, height)


def _paint_badge(painter: QPainter, option: QStyleOptionViewItem, badge: str, area: QRect) -> int:
    """Paint the badge of a base and return where it ends."""
    place = QRect(area.left(), 0, _BADGE, _BADGE)
    place.moveCenter(QPoint(place.center().x(), area.center().y()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(option.palette.color(QPalette.ColorRole.Base))
    painter.drawRoundedRect(place, _BADGE_RADIUS, _BADGE_RADIUS)
    painter.setFont(scale_font(option.font, _BADGE_SCALE))
    painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, badge)
    return place.right()


def _paint_words(
    painter: QPainter, option: QStyleOptionViewItem, area: QRect, words: tuple[str, str]
) -> None:
    small = scale_font(option.font, _SMALL)
    heights = option.fontMetrics.height(), QFontMetrics(small).height()
    top = area.center().y() - sum(heights) // 2
    looks = ((option.font, QPalette.ColorRole.Text), (small, QPalette.ColorRole.PlaceholderText))
    for text, height, (font, role) in zip(words, heights, looks, strict=True):
        painter.setFont(font)
        painter.setPen(option.palette.color(role))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        line = QRect(area.left(), top, area.width(), height)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        top += height


def _paint_ring(painter: QPainter, palette: QPalette, area: QRect, share: float) -> int:
    """Paint how much of the work is done and return where the ring begins."""
    place = _sign(area, _RING)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), _RING_WIDTH))
    painter.drawEllipse(place)
    stroke = QPen(palette.color(QPalette.ColorRole.Highlight), _RING_WIDTH)
    stroke.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(stroke)
    painter.drawArc(place, 90 * _DEGREES, -round(max(share, 0.03) * 360 * _DEGREES))
    return place.left()


def _paint_pause(painter: QPainter, palette: QPalette, area: QRect) -> int:
    place = _sign(area, _SIGN)
    icon("pause", palette, QPalette.ColorRole.PlaceholderText).paint(painter, place)
    return place.left()


def _sign(area: QRect, size: int) -> QRect:
    place = QRect(0, 0, size, size)
    place.moveCenter(area.center())
    place.moveRight(area.right() - 2)
    return place


class BaseView(QListView):
    """Rows of bases.

    Signals:
        chosen: the BaseInfo that is current now, or None.
        menu_asked: where on the screen (QPoint) the menu of the current base is wanted.
        delete_pressed: the user pressed Delete.
    """

    chosen = Signal(object)
    menu_asked = Signal(QPoint)
    delete_pressed = Signal()

    def __init__(self, model: BaseModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bases = model
        self.setModel(model)
        self.setItemDelegate(BaseDelegate(self))
        self.setObjectName("bases")
        self.setMouseTracking(True)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    @property
    def base(self) -> BaseInfo | None:
        """The base that is chosen."""
        return self._bases.record(self.currentIndex())

    def choose(self, base_id: str) -> None:
        """Choose a base, or the first one if it is not there."""
        index = self._bases.row_of(base_id)
        self.setCurrentIndex(index if index.isValid() else self._bases.index(0))

    def base_at(self, place: QPoint) -> BaseInfo | None:
        """Return the base at a place of the view."""
        return self._bases.record(self.indexAt(self.viewport().mapFrom(self, place)))

    def rename(self) -> None:
        """Let the user type another name for the chosen base."""
        self.edit(self.currentIndex())

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        """Signal which base is selected."""
        super().currentChanged(current, previous)
        self.chosen.emit(self._bases.record(current))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the row, by mouse or keyboard."""
        if self.currentIndex().isValid():
            is_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
            below = self.visualRect(self.currentIndex()).bottomLeft()
            self.menu_asked.emit(event.globalPos() if is_mouse else self.viewport().mapToGlobal(below))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Rename with Enter, delete with Delete."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.rename()
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)


class BasePanel(Retranslated, QWidget):
    """The list with two buttons below it.

    Signals:
        new_asked: a new base is wanted.
        import_asked: a base is to be made of a file.
    """

    new_asked = Signal()
    import_asked = Signal()

    def __init__(self, model: BaseModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.view = BaseView(model, self)
        self.item_actions: ItemActions[BaseInfo] = ItemActions(BASE_ACTIONS, self.view)
        self.new = QPushButton(self)
        self.take = QPushButton(self)
        self.take.setProperty("flat", "true")
        column = vbox(self, spacing=8, margins=(_MARGIN, 12, _MARGIN, 12))
        column.addStrut(_WIDTH - 2 * _MARGIN)
        # The buttons may need more than that, where text is large; the names of bases are shortened.
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        column.addWidget(self.view, 1)
        column.addWidget(self.new)
        column.addWidget(self.take)
        self.new.clicked.connect(self.new_asked)
        self.take.clicked.connect(self.import_asked)
        self._retranslate()

    def _retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Knowledge bases"))
        self.new.setText(self.tr("New knowledge base"))
        self.take.setText(self.tr("Import…"))
        self.item_actions.retranslate()
