"""Carries out the actions on items, and shows the menu of their tags."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import ItemInfo, ItemKind, Scope
from desktop.ui.knowledge.manager_controller import ManagerController
from desktop.ui.links import open_file, open_link, refusal_message, show_in_folder
from desktop.ui.widgets.dialog import text_dialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import new_menu, plain_name
from desktop.ui.widgets.notice_bar import Notice, undo_notice

_LONGEST: Final = 60
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
        parts = (part.strip()[:_LONGEST] for part in _COMMAS.split(text))
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
