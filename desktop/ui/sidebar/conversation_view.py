"""The list of conversations: how its rows are painted, what is chosen in it, by mouse and by keys, and what is dragged about."""

from functools import cache

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
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
    QAction,
    QColor,
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPalette,
    QPixmap,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.domain.messages import ConversationInfo, Folder, LabelColor
from desktop.ui.sidebar.conversation_actions import CONVERSATION_ACTIONS, FOLDER_ACTIONS
from desktop.ui.sidebar.conversation_groups import GroupHeader, GroupKind, Row, label_color, pluralize_count
from desktop.ui.sidebar.conversation_model import (
    FOLDER_MIME,
    MIME,
    AssistantRole,
    ConversationModel,
    DraftRole,
    InsideRole,
    OpenRole,
    RowRole,
    RunningRole,
    WaitingRole,
)
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.icons import icon, pixmap
from desktop.ui.widgets.item_views import InlineEditor, ItemActions, drag_pixmap, paint_row_background
from desktop.ui.widgets.labels import badge_of, untitled_label
from desktop.ui.widgets.layout import new_menu, shorten_name
from desktop.ui.widgets.theme import scale_spacing

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
        painter.drawPixmap(place, _draw(drawing, label_color(tint, palette).name(), _FOLDER, scale))
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
        painter.drawPixmap(place, _draw("chevron", colour.name(), _CHEVRON, scale))
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
        painter.drawPixmap(place, _draw("rename", colour, _PENCIL, painter.device().devicePixelRatioF()))
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
def _draw(name: str, colour: str, size: int, scale: float) -> QPixmap:
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


class ConversationView(QListView):
    """The list itself.

    Signals:
        chosen: id of the conversation that the user picked.
        action_asked: id of an action of `CONVERSATION_ACTIONS`, to be done with `infos`.
        folder_action_asked: id of an action of `FOLDER_ACTIONS`, to be done with `folder`.
        new_folder_asked: a new folder is wanted.
        undo_asked: what was done last is to be taken back.
    """

    chosen = Signal(str)
    action_asked = Signal(str)
    folder_action_asked = Signal(str)
    new_folder_asked = Signal()
    undo_asked = Signal()

    def __init__(self, model: ConversationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversations")
        self._conversations = model
        self._is_plain_press = True
        self._painter = ConversationDelegate(self)
        self.setItemDelegate(self._painter)
        self.setModel(model)
        self._item_actions: ItemActions[ConversationInfo] = ItemActions(CONVERSATION_ACTIONS, self)
        self._folder_actions: ItemActions[Folder] = ItemActions(FOLDER_ACTIONS, self)
        self.move_menu, self.tint_menu, self.folder_tint_menu = (
            add_access_keys(QMenu(self)) for _ in range(3)
        )
        self._item_actions.actions["move"].setMenu(self.move_menu)
        self._item_actions.actions["tint"].setMenu(self.tint_menu)
        self._folder_actions.actions["tint"].setMenu(self.folder_tint_menu)
        # Many rows may change at once: what can be done with those chosen is found out once, behind it all.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._behave()
        self._connect()
        self.fit()

    @property
    def infos(self) -> tuple[ConversationInfo, ...]:
        """The conversations that are chosen, from top to bottom."""
        return tuple(row for row in self._list_chosen_rows() if isinstance(row, ConversationInfo))

    @property
    def folder(self) -> Folder | None:
        """The folder that alone is chosen."""
        rows = self._list_chosen_rows()
        return rows[0].folder if len(rows) == 1 and isinstance(rows[0], GroupHeader) else None

    @property
    def possible_actions(self) -> tuple[QAction, ...]:
        """What can be done with the chosen conversations at once, without a further choice."""
        self.fit()
        actions = self._item_actions.actions.values() if self.infos else ()
        return tuple(each for each in actions if each.isEnabled() and each.menu() is None)

    @Slot()
    def fit(self) -> None:
        """Enable the actions that are possible for the selection."""
        self._fitting.stop()
        self._item_actions.fit(self.infos)
        self._folder_actions.fit((self.folder,) if self.folder is not None else ())

    def menu_for(self, index: QModelIndex) -> QMenu:
        """Return what can be done with what is chosen, after choosing `index` if it was not part of it."""
        menu = new_menu(self)
        if index.flags() & Qt.ItemFlag.ItemIsSelectable:
            if not self.selectionModel().isSelected(index):
                self.choose(index)
            self.fit()
            self._item_actions.fill(menu)
            self._folder_actions.fill(menu)
        if menu.isEmpty():
            menu.addAction(
                icon("folder-new", menu.palette()), self.tr("New folder"), self.new_folder_asked.emit
            )
        return menu

    def retranslate(self) -> None:
        """Name everything in the current language."""
        self.setAccessibleName(self.tr("Chats"))
        self._item_actions.retranslate()
        self._folder_actions.retranslate()

    def choose(self, index: QModelIndex) -> None:
        """Choose a row alone, whichever keys are held down; an invalid index chooses none."""
        select = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, select)

    def rename(self, index: QModelIndex) -> None:
        """Let the user write another title or name."""
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.scrollTo(index)
            self.choose(index)
            self.edit(index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu under the pointer, or at the current row for the keyboard."""
        is_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_keyboard else self.indexAt(event.pos())
        self._open_menu(index, self.visualRect(index).bottomLeft() if is_keyboard else event.pos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose, and remember whether that is to open as well."""
        self._is_plain_press = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if not self._is_on_dots(event):
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the menu by a click on its dots."""
        if self._is_on_dots(event):
            index = self.indexAt(event.position().toPoint())
            self._open_menu(index, self._painter.menu_area(self.visualRect(index)).bottomLeft())
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open by Enter on every platform; open and close folders by the arrows, as trees do."""
        index, key = self.currentIndex(), event.key()
        if index.isValid() and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pick(index)
        elif index.isValid() and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._walk(index, is_inwards=key == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Drag the selection; the rows stay until the drop has moved them."""
        infos, folder = self.infos, self.folder
        words = folder.name if folder is not None else ""
        if infos:
            words = pluralize_count(len(infos), infos[0].title or untitled_label(), self.tr("{count} chats"))
        if infos or folder is not None:
            drag = QDrag(self)
            drag.setMimeData(self._conversations.mimeData(self.selectedIndexes()))
            drag.setPixmap(drag_pixmap(words, self))
            drag.setHotSpot(QPoint(-12, -6))
            drag.exec(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take what is dragged, wherever it comes in: where it may be dropped is asked at every move."""
        if any(event.mimeData().hasFormat(each) for each in (MIME, FOLDER_MIME)):
            self.setState(QAbstractItemView.State.DraggingState)
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Mark the row that they would be dropped on."""
        super().dragMoveEvent(event)
        is_taken = event.isAccepted()
        self.mark_target(self.indexAt(event.position().toPoint()) if is_taken else QModelIndex())

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Mark nothing any more."""
        super().dragLeaveEvent(event)
        self.mark_target(QModelIndex())

    def dropEvent(self, event: QDropEvent) -> None:
        """Move what was dragged to the position of the row that it was dropped on."""
        index = self.indexAt(event.position().toPoint())
        self.mark_target(QModelIndex())
        self.stopAutoScroll()
        self.setState(QAbstractItemView.State.NoState)
        if self._conversations.dropMimeData(event.mimeData(), event.dropAction(), -1, -1, index):
            event.acceptProposedAction()

    def mark_target(self, index: QModelIndex) -> None:
        """Show that something would be dropped on a row, or, with an invalid index, on none."""
        if self._painter.target != index:
            self._painter.target = QPersistentModelIndex(index)
            self.viewport().update()

    def _behave(self) -> None:
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDragDropOverwriteMode(True)  # dropped onto rows, never between them
        self.setDropIndicatorShown(False)

    def _connect(self) -> None:
        undo = QShortcut(QKeySequence.StandardKey.Undo, self, context=Qt.ShortcutContext.WidgetShortcut)
        for signal, slot in (
            (self.clicked, self._on_clicked),
            (self.selectionModel().selectionChanged, self.fit),
            (self._conversations.modelReset, self._fitting.start),
            (self._conversations.dataChanged, self._fitting.start),
            (self._fitting.timeout, self.fit),
            (undo.activated, self.undo_asked),
            (self._item_actions.asked, self._on_action_asked),
            (self._folder_actions.asked, self._on_folder_action_asked),
        ):
            signal.connect(slot)

    def _list_chosen_rows(self) -> list[Row]:
        numbers = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        rows = (self._conversations.row_at(self._conversations.index(number)) for number in numbers)
        return [row for row in rows if row is not None]

    def _is_on_dots(self, event: QMouseEvent) -> bool:
        index = self.indexAt(event.position().toPoint())
        is_here = self._painter.menu_area(self.visualRect(index)).contains(event.position().toPoint())
        has_menu = bool(index.flags() & Qt.ItemFlag.ItemIsEditable)
        return is_here and has_menu and event.button() == Qt.MouseButton.LeftButton

    def _open_menu(self, index: QModelIndex, at: QPoint) -> None:
        self.menu_for(index).popup(self.viewport().mapToGlobal(at))

    def _pick(self, index: QModelIndex) -> None:
        row = self._conversations.row_at(index)
        if isinstance(row, ConversationInfo):
            self.chosen.emit(row.id)
        elif row is not None:
            self._conversations.fold(index, not row.is_open)

    def _walk(self, index: QModelIndex, *, is_inwards: bool) -> None:
        row = self._conversations.row_at(index)
        if isinstance(row, GroupHeader):
            if not self._conversations.fold(index, is_inwards) and is_inwards:
                self.choose(index.siblingAtRow(index.row() + 1))
        elif not is_inwards and (group := self._conversations.group_of(index)).isValid():
            self.choose(group)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if self._is_plain_press:
            self._pick(index)

    @Slot(str)
    def _on_action_asked(self, spec: str) -> None:
        menus = {"move": self.move_menu, "tint": self.tint_menu}
        if spec in menus:
            self._open_choice(menus[spec])
        else:
            self.action_asked.emit(spec)

    @Slot(str)
    def _on_folder_action_asked(self, spec: str) -> None:
        if spec == "tint":
            self._open_choice(self.folder_tint_menu)
        else:
            self.folder_action_asked.emit(spec)

    def _open_choice(self, menu: QMenu) -> None:
        """Open what is otherwise a part of the menu by itself, for the keyboard."""
        menu.popup(self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft()))
