"""The list of conversations: what is chosen in it, by mouse and by keys, and what is dragged about."""

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QShortcut,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from desktop.domain.messages import ConversationInfo, Folder
from desktop.ui.labels.common import untitled_label
from desktop.ui.sidebar.conversation_actions import CONVERSATION_ACTIONS, FOLDER_ACTIONS
from desktop.ui.sidebar.conversation_delegate import ConversationDelegate
from desktop.ui.sidebar.conversation_groups import GroupHeader, Row, pluralize_count
from desktop.ui.sidebar.conversation_model import FOLDER_MIME, MIME, ConversationModel
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_actions import ItemActions
from desktop.ui.widgets.item_views import drag_pixmap
from desktop.ui.widgets.layout import new_menu


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
        return tuple(row for row in self._chosen_rows() if isinstance(row, ConversationInfo))

    @property
    def folder(self) -> Folder | None:
        """The folder that alone is chosen."""
        rows = self._chosen_rows()
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

    def _chosen_rows(self) -> list[Row]:
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
