"""The left side of the manager: the bases as an item model with their progress, how its rows are painted, and buttons for new ones."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
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
from typing_extensions import override

from desktop.domain.knowledge import BaseInfo, ItemProgress, ItemState
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.item_model import name_key
from desktop.ui.knowledge.menus import BASE_ACTIONS
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_views import (
    InlineEditor,
    ItemActions,
    RecordModel,
    paint_row_background,
    scale_font,
)
from desktop.ui.widgets.layout import plain_tip, vbox
from desktop.ui.widgets.theme import can_draw

_SHARES: Final = {
    ItemState.WAITING: 0.0,
    ItemState.READING: 0.0,
    ItemState.KEYWORD_READY: 0.5,
    ItemState.READY: 1.0,
    ItemState.FAILED: 1.0,
}

_Index = QModelIndex | QPersistentModelIndex

BaseRole: Final = Qt.ItemDataRole.UserRole
"""The BaseInfo of a row."""
ShareRole: Final = Qt.ItemDataRole.UserRole + 1
"""How much of its work a base has done, or None."""
WordsRole: Final = Qt.ItemDataRole.UserRole + 2
"""What is said below the name."""

_FRAME_MS: Final = 100


@dataclass
class _Load:
    """The items since the base was last idle, by their progress."""

    shares: dict[str, float]
    done: float
    opened: set[str]


class BaseProgress:
    """Counts the items of a base from the moment that it has work until it has none."""

    def __init__(self) -> None:
        self._loads: defaultdict[str, _Load] = defaultdict(lambda: _Load({}, 0.0, set()))

    def take(self, progress: ItemProgress) -> bool:
        """Record a step of an item and say whether it changes the progress of its base."""
        item = progress.item
        if item.base_id not in self._loads and item.state.has_ended:
            return False
        load = self._loads[item.base_id]
        share = _SHARES[item.state]
        if load.shares.get(item.id) == share:
            return False
        load.done += share - load.shares.get(item.id, 0.0)
        load.shares[item.id] = share
        (load.opened.discard if item.state.has_ended else load.opened.add)(item.id)
        if not load.opened:
            del self._loads[item.base_id]
        return True

    def drop(self, base_id: str, item_id: str) -> None:
        """Stop counting an item that was removed or cancelled."""
        if (load := self._loads.get(base_id)) is not None:
            load.done -= load.shares.pop(item_id, 0.0)
            load.opened.discard(item_id)
            if not load.opened:
                del self._loads[base_id]

    def share(self, base_id: str) -> float | None:
        """Return the progress of the base from 0 to 1; None without any work."""
        load = self._loads.get(base_id)
        return load.done / len(load.shares) if load else None


def share_anew(base: BaseInfo) -> float | None:
    """Return how much of a base is embedded with its next model, from 0 to 1; None if nothing is."""
    return min(1.0, base.embedded_anew / base.passages) if base.embedded_anew and base.passages else None


def format_base(base: BaseInfo, share: float | None = None) -> str:
    """Return how much is in a base, and whether it is being read or embedded with another model."""
    translate = QCoreApplication.translate
    items = translate("base_words", "1 item") if base.items == 1 else translate("base_words", "{count} items")
    items = items.format(count=QLocale().toString(base.items))
    if base.is_paused:
        return translate("base_words", "Paused · {items}").format(items=items)
    if share is not None:
        return translate("base_words", "Reading, {percent}%").format(percent=int(100 * share))
    if (share := share_anew(base)) is not None:
        return translate("base_words", "Indexing again, {percent}%").format(percent=int(100 * share))
    if not base.items:
        return translate("base_words", "Empty")
    one, many = translate("base_words", "1 passage"), translate("base_words", "{count} passages")
    passages = one if base.passages == 1 else many.format(count=QLocale().toString(base.passages))
    return f"{items} · {passages}"


def base_badge(base: BaseInfo, font: QFont) -> str:
    """Return the icon of a base, or the first letter of its name where no font here has the icon."""
    is_drawn = bool(base.icon) and can_draw(base.icon, font.family())
    return base.icon if is_drawn else base.name[:1].upper()


class BaseModel(RecordModel[BaseInfo]):
    """The bases by name.

    Signals:
        renamed: a `BaseInfo` with its new name.
    """

    renamed = Signal(object)
    is_editable = True

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._progress = BaseProgress()
        self._changed: set[str] = set()
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(_FRAME_MS)
        self._frame.timeout.connect(self._tell)

    @override
    def show(self, records: Iterable[BaseInfo]) -> None:
        """Show bases; they are sorted by name."""
        super().show(sorted(records, key=lambda base: name_key(base.name)))

    def follow(self, progress: ItemProgress) -> None:
        """Update the progress of a base after a step of an item."""
        if self._progress.take(progress):
            self._tell_soon(progress.item.base_id)

    def drop(self, base_id: str, item_ids: tuple[str, ...]) -> None:
        """Stop counting items."""
        for item_id in item_ids:
            self._progress.drop(base_id, item_id)
        self._tell_soon(base_id)

    def share(self, base_id: str) -> float | None:
        """Return the progress of a base from 0 to 1; None without any work."""
        share, base = self._progress.share(base_id), self.record(self.row_of(base_id))
        return share_anew(base) if share is None and base is not None else share

    @override
    def values_of(self, record: BaseInfo) -> Mapping[int, Any]:
        """Return the name of a base, its summary, or the base itself."""
        words = format_base(record, self._progress.share(record.id))
        return {
            Qt.ItemDataRole.DisplayRole: record.name,
            Qt.ItemDataRole.EditRole: record.name,
            Qt.ItemDataRole.ToolTipRole: plain_tip(f"{record.name}\n{words}"),
            Qt.ItemDataRole.AccessibleTextRole: f"{record.name}, {words}",
            BaseRole: record,
            ShareRole: self.share(record.id),
            WordsRole: words,
        }

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Request a new name."""
        if role != Qt.ItemDataRole.EditRole or not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return False
        base, name = self.records[index.row()], str(value).strip()
        if name and name != base.name:
            self.renamed.emit(replace(base, name=name))
        return True

    def _tell_soon(self, base_id: str) -> None:
        self._changed.add(base_id)
        if not self._frame.isActive():
            self._frame.start()

    @Slot()
    def _tell(self) -> None:
        changed, self._changed = self._changed, set()
        self.tell_changed(changed)


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
        self.base_actions: ItemActions[BaseInfo] = ItemActions(BASE_ACTIONS, self.view)
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
        self.base_actions.retranslate()
