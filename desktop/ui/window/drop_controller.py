"""Handles files dropped onto the conversation, the sidebar list, or the button of the knowledge bases."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Slot
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from desktop.domain.messages import ConversationInfo
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.composer.composer import Composer
from desktop.ui.composer.message_edit import local_files
from desktop.ui.knowledge.import_bar import BaseChooser
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.notice_bar import Notice, NoticeBar


class DropController(QObject):
    """Handles dropped files.

    Files dropped on a conversation in the list are attached there; on a folder, they begin a conversation in
    it.
    """

    def __init__(
        self,
        chooser: BaseChooser,
        *,
        composer: Composer,
        notices: NoticeBar,
        sessions: SessionManager,
        sidebar: Sidebar,
    ) -> None:
        super().__init__(sidebar)
        self._chooser = chooser
        self._composer = composer
        self._notices = notices
        self._sessions = sessions
        self._sidebar = sidebar
        self._view = sidebar.view
        sidebar.setAcceptDrops(True)
        for watched in (sidebar, self._view.viewport()):
            watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle dragged files. Other drags over the list are left to the list."""
        if event.type() in {QEvent.Type.DragLeave, QEvent.Type.Drop}:
            self._mark(QModelIndex(), None)
        if isinstance(event, QDropEvent) and isinstance(watched, QWidget) and local_files(event.mimeData()):
            place = watched.mapTo(self._sidebar, event.position().toPoint())
            index, button = self._row_at(place), self._button_at(place)
            if event.type() == QEvent.Type.Drop:
                self._take(index, button)(local_files(event.mimeData()))
            else:
                self._mark(index, button)
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _row_at(self, place: QPoint) -> QModelIndex:
        viewport = self._view.viewport()
        inside = viewport.mapFrom(self._sidebar, place)
        is_there = self._view.isVisible() and viewport.rect().contains(inside)
        return self._view.indexAt(inside) if is_there else QModelIndex()

    def _button_at(self, place: QPoint) -> IconButton | None:
        buttons = self._sidebar.drop_buttons
        inside = (button for button in buttons if button.geometry().contains(place))
        return next(inside, None)

    def _mark(self, index: QModelIndex, button: IconButton | None) -> None:
        self._view.mark_target(index)
        for each in self._sidebar.drop_buttons:
            each.setDown(each is button)

    def _take(self, index: QModelIndex, button: IconButton | None) -> Callable[[tuple[Path, ...]], None]:
        """Return the handler for files dropped there. On an empty place, they begin a conversation."""
        _new, knowledge = self._sidebar.drop_buttons
        if button is knowledge:
            return self._chooser.choose
        row = self._sidebar.model.row_at(index)
        if isinstance(row, ConversationInfo):
            return partial(self._attach_in, partial(self._sessions.open, row.id))
        if row is not None and row.folder is not None:
            return partial(self._attach_in, partial(self._sessions.begin_in, row.folder))
        return partial(self._attach_in, partial(self._sessions.open, NEW))

    def _attach_in(self, open_it: Callable[[], None], paths: tuple[Path, ...]) -> None:
        open_it()
        self._composer.attach_files(paths)

    @Slot(object)
    def say_left_out(self, paths: tuple[Path, ...]) -> None:
        """Report which files cannot be attached, and offer a knowledge base for folders."""
        if folders := tuple(path for path in paths if path.is_dir()):
            words = self.tr("Folders can’t be attached. Add the folder to a knowledge base instead.")
            add = partial(self._chooser.choose, folders)
            self._notices.say(Notice(words, self.tr("Add to a knowledge base…"), add, is_lasting=True))
        elif paths:
            names = ", ".join(path.name for path in paths)
            words = self.tr("Couldn’t find: {names}").format(names=names)
            self._notices.say(Notice(words, is_error=True))
