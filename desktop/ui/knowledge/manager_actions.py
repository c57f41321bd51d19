"""Carries out the actions on bases and items; lets the user choose the icon of a base and the tags of items."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, Scope
from desktop.ui.knowledge.bars import TransferBar
from desktop.ui.knowledge.base_panel import BaseView
from desktop.ui.knowledge.manager_controller import ManagerController
from desktop.ui.links import open_file, open_link, refusal_message, show_in_folder
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.widgets.dialog import text_dialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import hbox, new_menu, plain_name, vbox
from desktop.ui.widgets.notice_bar import Notice, undo_notice
from desktop.ui.widgets.theme import can_draw

_SIGNS: Final = (
    "📚",
    "📖",
    "📝",
    "📄",
    "📁",
    "🗂",
    "🗃",
    "📊",
    "📈",
    "📐",
    "🔬",
    "🧪",
    "🧬",
    "🩺",
    "⚖",
    "🏛",
    "💼",
    "💰",
    "🏠",
    "🌍",
    "✈",
    "🍳",
    "🎓",
    "🎨",
    "🎵",
    "🎬",
    "📷",
    "💻",
    "⚙",
    "🔧",
    "💡",
    "⭐",
    "❤",
    "🌱",
    "☕",
    "★",
    "♥",
    "☀",
    "☂",
    "✎",
    "✉",
    "♫",
    "⌘",
    "§",
    "∑",
    "λ",
    "π",
    "∞",
)
_COLUMNS: Final = 8
_MOST: Final = 32
_CELL: Final = 36
_LONGEST_ICON: Final = 8
"""An emoji of a family is several characters."""


class IconPicker(QFrame):
    """A grid of emoji that this machine can draw, a field for any other, and none.

    Signals:
        picked: the emoji, or an empty text for none.
    """

    picked = Signal(str)

    def __init__(self, chosen: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = vbox(self, spacing=8, margins=(10, 10, 10, 10))
        grid = QGridLayout()
        grid.setSpacing(2)
        drawn = [sign for sign in _SIGNS if can_draw(sign, self.font().family())][:_MOST]
        self.buttons = {sign: self._button(sign, is_chosen=sign == chosen) for sign in drawn}
        for place, button in enumerate(self.buttons.values()):
            grid.addWidget(button, *divmod(place, _COLUMNS))
        column.addLayout(grid)
        row = hbox(spacing=6)
        self.own = QLineEdit(self)
        self.own.setMaxLength(_LONGEST_ICON)
        self.own.setPlaceholderText(self.tr("Another emoji"))
        self.own.setAccessibleName(self.tr("Another emoji"))
        self.own.returnPressed.connect(self._on_typed)
        self.none = QPushButton(self.tr("No icon"), self)
        self.none.clicked.connect(partial(self._pick, ""))
        row.addWidget(self.own, 1)
        row.addWidget(self.none)
        column.addLayout(row)
        self.setAccessibleName(self.tr("Icons"))

    def show_at(self, place: QPoint) -> None:
        """Show the grid at a position of the screen, moved so that it fits."""
        self.adjustSize()
        space = self.screen().availableGeometry()
        self.move(
            min(place.x(), space.right() - self.width()),
            max(space.top(), min(place.y(), space.bottom() - self.height())),
        )
        self.show()
        next(iter(self.buttons.values()), self.own).setFocus()

    def _button(self, sign: str, *, is_chosen: bool) -> QToolButton:
        button = QToolButton(self)
        button.setText(sign)
        button.setFixedSize(_CELL, _CELL)
        button.setCheckable(True)
        button.setChecked(is_chosen)
        button.setAccessibleName(sign)
        button.clicked.connect(partial(self._pick, sign))
        return button

    def _on_typed(self) -> None:
        self._pick(self.own.text().strip())

    def _pick(self, sign: str, _checked: bool = False) -> None:
        self.picked.emit(sign)
        self.close()


class BaseActions(QObject):
    """Runs the actions of `BASE_ACTIONS`; those that are pages are requested by a signal.

    Signals:
        noticed: a Notice.
        again_asked: all items of the base are to be read again.
        page_asked: id of the action that is a page, and its `BaseInfo`.
    """

    noticed = Signal(object)
    again_asked = Signal()
    page_asked = Signal(str, object)

    def __init__(
        self, knowledge_store: KnowledgeStore, view: BaseView, transfers: TransferBar, window: QWidget
    ) -> None:
        super().__init__(window)
        self._knowledge_store = knowledge_store
        self._view = view
        self._window = window
        self._item_actions: dict[str, Callable[[BaseInfo], None]] = {
            "rename": self._rename,
            "icon": self._choose_icon,
            "pause": partial(self._pause, True),
            "resume": partial(self._pause, False),
            "again": self._read_again,
            "export": transfers.ask_export,
            "delete": knowledge_store.delete,
            **{page: partial(self.page_asked.emit, page) for page in ("trial", "folders", "options")},
        }
        knowledge_store.deleted.connect(self._on_deleted)
        transfers.exported.connect(self._on_exported)
        transfers.imported.connect(self._on_imported)

    @Slot(str)
    def do(self, spec: str) -> None:
        """Run an action on the selected base."""
        if (base := self._view.base) is not None:
            self._item_actions[spec](base)

    def make(self, name: str = "", paths: Sequence[Path] = (), links: Sequence[str] = ()) -> None:
        """Create a base under an unused name, and add `paths` and `links`."""
        wanted = name.strip() or self.tr("New knowledge base")
        taken = {base.name for base in self._knowledge_store.bases}
        numbered = (f"{wanted} {number}" for number in itertools.count(2))
        free = next(each for each in itertools.chain((wanted,), numbered) if each not in taken)
        self._knowledge_store.create(free, paths, links)

    def _rename(self, _base: BaseInfo) -> None:
        self._view.rename()

    def _choose_icon(self, base: BaseInfo) -> None:
        picker = IconPicker(base.icon, self._window)
        picker.picked.connect(partial(self._on_icon_picked, base))
        row = self._view.visualRect(self._view.currentIndex())
        picker.show_at(self._view.viewport().mapToGlobal(row.bottomLeft() + QPoint(8, 4)))

    def _on_icon_picked(self, base: BaseInfo, sign: str) -> None:
        self._knowledge_store.update(replace(self._knowledge_store.base(base.id) or base, icon=sign))

    def _read_again(self, _base: BaseInfo) -> None:
        self.again_asked.emit()

    def _pause(self, is_paused: bool, base: BaseInfo) -> None:
        self._knowledge_store.update(replace(base, is_paused=is_paused))

    @Slot(object)
    def _on_deleted(self, base: BaseInfo) -> None:
        words = self.tr("“{base}” was deleted. Your files were not changed.").format(base=base.name)
        restore = partial(self._knowledge_store.restore, base)
        self.noticed.emit(undo_notice(words, restore))

    @Slot(object)
    def _on_exported(self, path: Path) -> None:
        words = self.tr("Exported to “{file}”.").format(file=path.name)
        self.noticed.emit(Notice(words, self.tr("Show in folder"), partial(_show, path)))

    @Slot(object)
    def _on_imported(self, base: BaseInfo) -> None:
        self._knowledge_store.refresh()
        words = self.tr("Imported: “{base}”.").format(base=base.name)
        self.noticed.emit(Notice(words, self.tr("Show"), partial(self._view.choose, base.id)))


def _show(path: Path) -> None:
    show_in_folder(path)


_LONGEST_TAG: Final = 60
_COMMAS: Final = re.compile("[,，、;；]")

_Items = tuple[ItemInfo, ...]


class TagMenu(QObject):
    """A menu of all tags of a base; those that all selected items have are checked.

    Signals:
        changed: items (tuple of `ItemInfo`), tags to add and tags to remove (frozensets of str).
    """

    changed = Signal(object, object, object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def menu_for(self, items: tuple[ItemInfo, ...], tags: tuple[str, ...]) -> QMenu:
        """Return the menu; without any tag it only offers to add one."""
        menu = new_menu(self._window)
        for tag in tags:
            action = menu.addAction(plain_name(tag))
            action.setCheckable(True)
            is_on = all(tag in item.tags for item in items)
            action.setChecked(is_on)
            action.triggered.connect(partial(self._on_toggled, items, tag, not is_on))
        menu.addSeparator()
        new = menu.addAction(icon("plus", menu.palette()), self.tr("New tag…"))
        new.triggered.connect(partial(self.ask, items))
        return menu

    def ask(self, items: tuple[ItemInfo, ...], _checked: bool = False) -> None:
        """Ask for a tag, or several separated by commas."""
        dialog = text_dialog(self._window, self.tr("New tag"), self.tr("Tags, separated by commas"))
        dialog.textValueSelected.connect(partial(self._on_typed, items))
        dialog.open()

    def _on_toggled(self, items: tuple[ItemInfo, ...], tag: str, is_on: bool, _checked: bool = False) -> None:
        tags, nothing = frozenset({tag}), frozenset[str]()
        self.changed.emit(items, tags if is_on else nothing, nothing if is_on else tags)

    def _on_typed(self, items: tuple[ItemInfo, ...], text: str) -> None:
        parts = (part.strip()[:_LONGEST_TAG] for part in _COMMAS.split(text))
        if tags := frozenset(filter(None, parts)):
            self.changed.emit(items, tags, frozenset())


class FileActions(QObject):
    """Runs the actions of `ITEM_ACTIONS`.

    Signals:
        noticed: a Notice.
        withdrawn: a `Notice` whose action is not possible any more.
        note_asked: the ItemInfo of a note to be edited.
        passages_asked: the ItemInfo whose passages are to be shown.
        read_asked: key of the `Scope` of an item that is to be read for the user, and its name.
    """

    noticed = Signal(object)
    withdrawn = Signal(object)
    note_asked = Signal(object)
    passages_asked = Signal(object)
    read_asked = Signal(str, str)

    def __init__(self, controller: ManagerController, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self.tags = TagMenu(window)
        self._item_actions: dict[str, Callable[[_Items], None]] = {
            "open": self._open,
            "passages": self._show_passages,
            "digest": self._ask_to_read,
            "folder": self._show_folder,
            "again": controller.read_again,
            "cancel": controller.cancel,
            "tag": self._tag,
            "remove": controller.remove,
        }
        self.tags.changed.connect(controller.tag)
        self._removal: Notice | None = None
        controller.removed.connect(self._on_removed)
        controller.settled.connect(self._on_settled)

    @Slot(str, object)
    def do(self, spec: str, items: _Items) -> None:
        """Run an action on items."""
        self._item_actions[spec](items)

    def _open(self, items: _Items) -> None:
        item = items[0]
        match item.kind:
            case ItemKind.NOTE:
                self.note_asked.emit(item)
            case ItemKind.LINK:
                self._tell("" if open_link(item.path) else refusal_message(item.path))
            case ItemKind.FILE:
                self._tell(open_file(path_of(item.path)))

    def _show_folder(self, items: _Items) -> None:
        self._tell(show_in_folder(path_of(items[0].path)))

    def _show_passages(self, items: _Items) -> None:
        self.passages_asked.emit(items[0])

    def _ask_to_read(self, items: _Items) -> None:
        item = items[0]
        self.read_asked.emit(Scope(item.base_id, item_id=item.id).key, item.name)

    def _tag(self, items: _Items) -> None:
        base = self._controller.base
        tags = base.tags if base else ()
        if tags:
            self.tags.menu_for(items, tags).popup(QCursor.pos())
        else:
            self.tags.ask(items)

    def _tell(self, problem: str) -> None:
        if problem:
            self.noticed.emit(Notice(problem, is_error=True))

    @Slot(int)
    def _on_removed(self, count: int) -> None:
        words = self.tr("{count} removed. Your files were not changed.").format(count=count)
        self._removal = undo_notice(words, self._controller.take_back)
        self.noticed.emit(self._removal)

    @Slot()
    def _on_settled(self) -> None:
        self.withdrawn.emit(self._removal)
