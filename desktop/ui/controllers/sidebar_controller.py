"""Connects sidebar and title with conversations: open, rename, move, pin, colour, archive and delete."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import Titles
from desktop.domain.messages import ConversationInfo, Folder, LabelColor, PlacementChange
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.chat.transcript_stack import Header
from desktop.ui.composer.composer import Composer
from desktop.ui.sidebar.conversation_actions import fill_folder_menu, fill_tint_menu
from desktop.ui.sidebar.conversation_groups import (
    ARCHIVED,
    PINNED,
    folder_positions,
    in_order,
    pluralize_count,
)
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.sidebar.conversation_view import ConversationView
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.stores.conversations import ConversationListStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.layout import MAX_LINE_CHARS, shorten_name
from desktop.ui.widgets.notice_bar import NoticeBar

_NARROW_PX = 740
"""The sidebar would take more than a third of a window that is narrower."""


class SidebarController(QObject):
    """Shows the stored conversations in the list, and the title of the open one.

    Signals:
        toggled: the sidebar was shown or hidden.
    """

    toggled = Signal()

    def __init__(
        self,
        sessions: SessionManager,
        *,
        composer: Composer,
        header: Header,
        sidebar: Sidebar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._composer = composer
        self._header = header
        self._sidebar = sidebar
        self._window = window
        self._is_narrow = False
        self._has_folded = False

    def show_title(self) -> None:
        """Show the title of the open conversation above it and as the window title."""
        sessions = self._sessions
        title = "" if sessions.current == NEW else self._sidebar.model.title_of(sessions.current)
        self._header.show_title(title, sessions.folder.name if sessions.folder else "")
        self._window.window().setWindowTitle(
            f"{shorten_name(title, MAX_LINE_CHARS)} – Footnote" if title else "Footnote"
        )

    @Slot()
    def start_new(self) -> None:
        """Open an empty conversation."""
        self._sessions.open(NEW)
        self._composer.setFocus()

    @Slot()
    def toggle(self) -> None:
        """Show or hide the sidebar."""
        self._has_folded = False
        self._sidebar.setVisible(not self._sidebar.isVisible())
        self.toggled.emit()

    def fit(self, width: int) -> None:
        """Hide the sidebar when the window becomes narrow, and show it again when there is room for it."""
        is_narrow = width < _NARROW_PX
        if is_narrow == self._is_narrow:
            return
        self._is_narrow = is_narrow
        if is_narrow and not self._sidebar.isHidden():
            self._has_folded = True
            self._sidebar.hide()
        elif self._has_folded:
            self._has_folded = False
            self._sidebar.show()

    def open_neighbour(self, step: int, _checked: bool = False) -> None:
        """Open the next conversation of the list (1) or the previous one (-1)."""
        if neighbour := self._sidebar.neighbour(step):
            self._sessions.open(neighbour)

    @Slot(object)
    def show_conversations(self, infos: tuple[ConversationInfo, ...]) -> None:
        """Show all conversations."""
        self._sidebar.show_conversations(infos)
        self._sidebar.select(self._sessions.current)
        self.show_title()

    @Slot(str)
    def select(self, conversation_id: str) -> None:
        """Select the open conversation in the list, and show its title."""
        self._sidebar.select(conversation_id)
        self.show_title()


class TitleController(QObject):
    """Generates titles with a model: for new conversations once they are answered, and on request."""

    def __init__(
        self,
        titles: Titles,
        loop: BackgroundLoop,
        *,
        library: ConversationListStore,
        model: ConversationModel,
        notices: NoticeBar,
        store: SettingsStore,
        view: ConversationView,
    ) -> None:
        super().__init__(view)
        self._titles = titles
        self._loop = loop
        self._library = library
        self._model = model
        self._notices = notices
        self._store = store
        self._view = view
        self._new: set[str] = set()

    @Slot(str)
    def note_new(self, conversation_id: str) -> None:
        """Note that a conversation is new and has the first line of its question as title."""
        self._new.add(conversation_id)

    @Slot(str)
    def make(self, conversation_id: str) -> None:
        """Generate a title for a new conversation that was answered."""
        if conversation_id in self._new:
            self._new.discard(conversation_id)
            if self._store.settings.chat.names_with_model:
                self._make(conversation_id)

    @Slot()
    def suggest(self) -> None:
        """Generate titles for the conversations selected in the list."""
        for info in self._view.infos:
            work = partial(self._titles.suggest, info.id)
            self._loop.run(self, work, partial(self._on_suggested, info.id), self._notices.say_failed)

    def _make(self, conversation_id: str) -> None:
        # Errors are ignored: the title is then the first line, as it is without a model.
        self._loop.run(
            self,
            partial(self._titles.make, conversation_id),
            partial(self._on_made, conversation_id),
        )

    def _on_made(self, conversation_id: str, is_made: bool) -> None:
        if is_made:
            self._library.refresh_one(conversation_id)

    def _on_suggested(self, conversation_id: str, title: str) -> None:
        if title and title != self._model.title_of(conversation_id):
            self._library.rename(conversation_id, title)


class OrganizeController(QObject):
    """Has a handler for each action of `FOLDER_ACTIONS` and of `CONVERSATION_ACTIONS`.

    Signals:
        titles_asked: the selected conversations should get titles from a model.
    """

    titles_asked = Signal()

    def __init__(
        self,
        library: ConversationListStore,
        sessions: SessionManager,
        *,
        composer: Composer,
        sidebar: Sidebar,
    ) -> None:
        super().__init__(sidebar)
        self._library = library
        self._sessions = sessions
        self._composer = composer
        self._sidebar = sidebar
        self._view, self._model = sidebar.view, sidebar.model
        self._was_open = NEW
        self._item_actions: dict[str, Callable[[], None]] = {
            "rename": self._rename,
            "pin": partial(self._arrange, PINNED),
            "unpin": partial(self._arrange, PlacementChange(is_pinned=False)),
            "archive": self._archive,
            "unarchive": partial(self._arrange, PlacementChange(is_archived=False)),
            "title": self.titles_asked.emit,
            "delete": self._delete,
        }
        self._folder_actions: dict[str, Callable[[Folder], None]] = {
            "begin": self._begin,
            "rename": self.rename_folder,
            "up": partial(self._step, by=-1),
            "down": partial(self._step, by=1),
            "dissolve": self._dissolve,
            "delete": self._delete_folder,
        }
        view = self._view
        for signal, slot in (
            (view.move_menu.aboutToShow, self._fill_folders),
            (view.tint_menu.aboutToShow, self._fill_tints),
            (view.folder_tint_menu.aboutToShow, self._fill_folder_tints),
        ):
            signal.connect(slot)

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
            pluralize_count(len(ids), self.tr("Archived"), self.tr("{count} chats archived")),
        )

    def _delete(self) -> None:
        ids = self._ids()
        words = pluralize_count(len(ids), self.tr("Deleted"), self.tr("{count} chats deleted"))
        self._forget(ids)
        self._library.delete(ids, words)

    def _forget(self, ids: tuple[str, ...]) -> None:
        if self._sessions.current in ids:
            self._was_open = self._sessions.current
        for conversation_id in ids:
            self._sessions.forget(conversation_id)

    @Slot(object)
    def reopen(self, ids: tuple[str, ...]) -> None:
        """Reopen a restored conversation that was open, unless the user has started something else."""
        is_idle = self._sessions.current == NEW and not self._composer.draft.text
        if self._was_open in ids and is_idle:
            self._sessions.open(self._was_open)

    def _move(self, folder_id: str) -> None:
        self._arrange(PlacementChange(is_pinned=False, folder=folder_id, is_archived=False))

    def _tint(self, tint: LabelColor) -> None:
        self._arrange(PlacementChange(tint=tint))

    @Slot()
    def make_folder(self) -> None:
        """Create a folder, and show it even if the list is filtered."""
        self._sidebar.show()
        self._sidebar.show_all()  # a filtered list does not show an empty folder
        self._library.make_folder(self.tr("New folder"))

    def _make_folder_of_chosen(self) -> None:
        self._library.make_folder(self.tr("New folder"), self._ids())

    @Slot(object)
    def rename_folder(self, folder: Folder) -> None:
        """Let the user name a folder in the list."""
        self._view.rename(self._model.row_of_folder(folder.id))

    def _begin(self, folder: Folder) -> None:
        self._sessions.begin_in(folder)
        self._composer.setFocus()

    def _dissolve(self, folder: Folder) -> None:
        self._library.dissolve(folder, self.tr("Folder deleted"))

    def _delete_folder(self, folder: Folder) -> None:
        ids = self._model.inside(folder)
        self._forget(ids)
        self._library.delete_folder(folder, ids, self.tr("Folder and chats deleted"))

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
    def act(self, action: str) -> None:
        """Handle an action on the selected conversations."""
        self._item_actions[action]()

    @Slot(str)
    def act_on_folder(self, action: str) -> None:
        """Handle an action on the selected folder."""
        if (folder := self._view.folder) is not None:
            self._folder_actions[action](folder)

    @Slot(object, str)
    def set_folder_name(self, folder: Folder, name: str) -> None:
        """Save the new name of a folder."""
        self._library.change_folder(replace(folder, name=name))

    @Slot(object, bool)
    def set_folder_open(self, folder: Folder, is_open: bool) -> None:
        """Save whether a folder is open."""
        self._library.change_folder(replace(folder, is_open=is_open))

    @Slot(str, str)
    def move_folder(self, folder_id: str, onto: str) -> None:
        """Move a folder to the position of another one."""
        self._place_folder(folder_id, self._order().index(onto))
