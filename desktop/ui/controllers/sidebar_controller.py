"""Connects sidebar and title with conversations: open, rename, move, pin, colour, archive and delete."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Slot

from desktop.domain.messages import ConversationInfo, Folder, LabelColor, PlacementChange
from desktop.ui.chat.session_manager import NEW
from desktop.ui.context.window_context import WindowContext
from desktop.ui.sidebar.conversation_actions import fill_folder_menu, fill_tint_menu
from desktop.ui.sidebar.conversation_groups import (
    ARCHIVED,
    PINNED,
    folder_positions,
    in_order,
    pluralize_count,
)
from desktop.ui.widgets.layout import MAX_LINE_CHARS, shorten_name


class SidebarController(QObject):
    """Shows the stored conversations in the list, and passes the user's actions to sessions and store."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        sessions, library, sidebar = core.sessions, core.library, core.sidebar
        for signal, slot in (
            (library.listed, self._on_listed),
            (sessions.list_outdated, library.refresh_one),
            (sessions.current_changed, self._on_current_changed),
            (sessions.all_running_changed, sidebar.model.set_running),
            (core.consents.waiting_changed, sidebar.model.set_waiting),
            (core.assistants.listed, sidebar.set_assistants),
            (sidebar.new_asked, self.start_new),
            (core.new_asked, self._on_new_called_for),
            (sidebar.view.chosen, sessions.open),
            (sidebar.model.renamed, library.rename),
            (core.header.toggle.clicked, self._toggle),
        ):
            signal.connect(slot)
        core.actions.connect(
            {
                "new_chat": self.start_new,
                "filter": sidebar.focus_filter,
                "next": partial(self._open_neighbour, 1),
                "previous": partial(self._open_neighbour, -1),
                "sidebar": self._toggle,
            }
        )

    def show_title(self) -> None:
        """Show the title of the open conversation above it and as the window title."""
        sessions = self._core.sessions
        title = "" if sessions.current == NEW else self._core.sidebar.model.title_of(sessions.current)
        self._core.header.show_title(title, sessions.folder.name if sessions.folder else "")
        self._core.window.window().setWindowTitle(
            f"{shorten_name(title, MAX_LINE_CHARS)} – Footnote" if title else "Footnote"
        )

    @Slot()
    def start_new(self) -> None:
        """Open an empty conversation."""
        self._core.sessions.open(NEW)
        self._core.composer.setFocus()

    @Slot()
    def _on_new_called_for(self) -> None:
        self._core.called.emit()
        self.start_new()

    @Slot()
    def _toggle(self) -> None:
        self._core.sidebar.setVisible(not self._core.sidebar.isVisible())
        self._core.sidebar_toggled.emit()

    def _open_neighbour(self, step: int, _checked: bool = False) -> None:
        if neighbour := self._core.sidebar.neighbour(step):
            self._core.sessions.open(neighbour)

    @Slot(object)
    def _on_listed(self, infos: tuple[ConversationInfo, ...]) -> None:
        self._core.sidebar.show_conversations(infos)
        self._core.sidebar.select(self._core.sessions.current)
        self.show_title()

    @Slot(str)
    def _on_current_changed(self, conversation_id: str) -> None:
        self._core.sidebar.select(conversation_id)
        self.show_title()


class TitleController(QObject):
    """Generates titles with a model: for new conversations once they are answered, and on request."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._new: set[str] = set()
        for signal, slot in (
            (core.sessions.started, self._on_started),
            (core.sessions.answered, self._on_answered),
            (core.sidebar.view.action_asked, self._on_action_asked),
        ):
            signal.connect(slot)

    @Slot(str)
    def _on_started(self, conversation_id: str) -> None:
        self._new.add(conversation_id)

    @Slot(str)
    def _on_answered(self, conversation_id: str) -> None:
        if conversation_id in self._new:
            self._new.discard(conversation_id)
            if self._core.store.settings.chat.names_with_model:
                self._make(conversation_id)

    @Slot(str)
    def _on_action_asked(self, handler: str) -> None:
        if handler == "title":
            for info in self._core.sidebar.view.infos:
                self._core.loop.run(
                    self,
                    partial(self._core.engine.titles.suggest, info.id),
                    partial(self._on_suggested, info.id),
                    self._core.notices.say_failed,
                )

    def _make(self, conversation_id: str) -> None:
        # Errors are ignored: the title is then the first line, as it is without a model.
        self._core.loop.run(
            self,
            partial(self._core.engine.titles.make, conversation_id),
            partial(self._on_made, conversation_id),
        )

    def _on_made(self, conversation_id: str, is_made: bool) -> None:
        if is_made:
            self._core.library.refresh_one(conversation_id)

    def _on_suggested(self, conversation_id: str, title: str) -> None:
        if title and title != self._core.sidebar.model.title_of(conversation_id):
            self._core.library.rename(conversation_id, title)


class OrganizeController(QObject):
    """Has a method for each action of `FOLDER_ACTIONS` and of `CONVERSATION_ACTIONS` except `title`."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._library, self._view, self._model = core.library, core.sidebar.view, core.sidebar.model
        self._was_open = NEW
        self._item_actions: dict[str, Callable[[], None]] = {
            "rename": self._rename,
            "pin": partial(self._arrange, PINNED),
            "unpin": partial(self._arrange, PlacementChange(is_pinned=False)),
            "archive": self._archive,
            "unarchive": partial(self._arrange, PlacementChange(is_archived=False)),
            "delete": self._delete,
        }
        self._folder_actions: dict[str, Callable[[Folder], None]] = {
            "begin": self._begin,
            "rename": self._rename_folder,
            "up": partial(self._step, by=-1),
            "down": partial(self._step, by=1),
            "dissolve": self._dissolve,
            "delete": self._delete_folder,
        }
        library, view, model = self._library, self._view, self._model
        for signal, slot in (
            (library.folders_listed, model.show_folders),
            (library.folder_made, self._rename_folder),
            (library.restored, self._on_restored),
            (library.withdrawn, core.notices.withdraw),
            (core.sidebar.new_folder_asked, self._make_folder),
            (model.folder_renamed, self._on_folder_renamed),
            (model.folded, self._on_folded),
            (model.dropped, self._on_dropped),
            (model.folder_dropped, self._on_folder_dropped),
            (view.action_asked, self._on_action_asked),
            (view.folder_action_asked, self._on_folder_action_asked),
            (view.undo_asked, library.undo),
            (view.move_menu.aboutToShow, self._fill_folders),
            (view.tint_menu.aboutToShow, self._fill_tints),
            (view.folder_tint_menu.aboutToShow, self._fill_folder_tints),
        ):
            signal.connect(slot)
        core.actions.connect({"new_folder": self._make_folder})

    def _ids(self) -> tuple[str, ...]:
        return tuple(info.id for info in self._view.infos)

    def _rename(self) -> None:
        self._view.rename(self._model.row_of(self._view.infos[0].id))

    def _arrange(self, change: PlacementChange) -> None:
        self._library.arrange(self._ids(), change)

    def _archive(self) -> None:
        ids = self._ids()
        self._library.arrange(
            ids,
            ARCHIVED,
            pluralize_count(len(ids), self.tr("Archived"), self.tr("{count} conversations archived")),
        )

    def _delete(self) -> None:
        ids = self._ids()
        words = pluralize_count(len(ids), self.tr("Deleted"), self.tr("{count} conversations deleted"))
        self._forget(ids)
        self._library.delete(ids, words)

    def _forget(self, ids: tuple[str, ...]) -> None:
        if self._core.sessions.current in ids:
            self._was_open = self._core.sessions.current
        for conversation_id in ids:
            self._core.sessions.forget(conversation_id)

    @Slot(object)
    def _on_restored(self, ids: tuple[str, ...]) -> None:
        """Reopen a restored conversation that was open, unless the user has started something else."""
        is_idle = self._core.sessions.current == NEW and not self._core.composer.draft.text
        if self._was_open in ids and is_idle:
            self._core.sessions.open(self._was_open)

    def _move(self, folder_id: str) -> None:
        self._arrange(PlacementChange(is_pinned=False, folder=folder_id, is_archived=False))

    def _tint(self, tint: LabelColor) -> None:
        self._arrange(PlacementChange(tint=tint))

    @Slot()
    def _make_folder(self) -> None:
        self._core.sidebar.show()
        self._core.sidebar.show_all()  # a filtered list does not show an empty folder
        self._library.make_folder(self.tr("New folder"))

    def _make_folder_of_chosen(self) -> None:
        self._library.make_folder(self.tr("New folder"), self._ids())

    @Slot(object)
    def _rename_folder(self, folder: Folder) -> None:
        self._view.rename(self._model.row_of_folder(folder.id))

    def _begin(self, folder: Folder) -> None:
        self._core.sessions.begin_in(folder)
        self._core.composer.setFocus()

    def _dissolve(self, folder: Folder) -> None:
        self._library.dissolve(folder, self.tr("Folder deleted"))

    def _delete_folder(self, folder: Folder) -> None:
        ids = self._model.inside(folder)
        self._forget(ids)
        self._library.delete_folder(folder, ids, self.tr("Folder deleted with its conversations"))

    def _tint_folder(self, folder: Folder, tint: LabelColor) -> None:
        self._library.change_folder(replace(folder, tint=tint))

    def _step(self, folder: Folder, by: int) -> None:
        ids = self._order()
        number = ids.index(folder.id) + by
        if 0 <= number < len(ids):
            self._place_folder(folder.id, number)

    def _order(self) -> list[str]:
        return [folder.id for folder in in_order(self._model.folders)]

    def _place_folder(self, folder_id: str, number: int) -> None:
        self._library.place_folders(folder_positions(self._model.folders, folder_id, number))

    @Slot()
    def _fill_folders(self) -> None:
        fill_folder_menu(
            self._view.move_menu,
            self._model.folders,
            self._view.infos,
            self._move,
            self._make_folder_of_chosen,
        )

    @Slot()
    def _fill_tints(self) -> None:
        fill_tint_menu(self._view.tint_menu, [info.place.tint for info in self._view.infos], self._tint)

    @Slot()
    def _fill_folder_tints(self) -> None:
        if (folder := self._view.folder) is not None:
            fill_tint_menu(self._view.folder_tint_menu, [folder.tint], partial(self._tint_folder, folder))

    @Slot(str)
    def _on_action_asked(self, handler: str) -> None:
        if handler in self._item_actions:  # titles are handled by `TitleController`
            self._item_actions[handler]()

    @Slot(str)
    def _on_folder_action_asked(self, handler: str) -> None:
        if (folder := self._view.folder) is not None:
            self._folder_actions[handler](folder)

    @Slot(object, str)
    def _on_folder_renamed(self, folder: Folder, name: str) -> None:
        self._library.change_folder(replace(folder, name=name))

    @Slot(object, bool)
    def _on_folded(self, folder: Folder, is_open: bool) -> None:
        self._library.change_folder(replace(folder, is_open=is_open))

    @Slot(str, str)
    def _on_folder_dropped(self, folder_id: str, onto: str) -> None:
        self._place_folder(folder_id, self._order().index(onto))

    @Slot(object, object)
    def _on_dropped(self, ids: tuple[str, ...], change: PlacementChange) -> None:
        self._library.arrange(ids, change)
