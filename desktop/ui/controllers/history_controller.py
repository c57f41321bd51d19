"""The search in all messages: its window, and how its results are opened."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtGui import QAction, QIcon, QPalette
from PySide6.QtWidgets import QLineEdit

from desktop.domain.assistants import Assistant
from desktop.domain.history import HistoryExcerpt, Hit
from desktop.domain.messages import Conversation, Speaker
from desktop.domain.sources import Source, message_of
from desktop.ui.context.window_context import WindowContext
from desktop.ui.history.dialog import HistoryDialog
from desktop.ui.stores.history_search import HistorySearch
from desktop.ui.widgets.icons import icon


class HistoryController(QObject):
    """Opens the search window, and shows the message of a hit in its conversation."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._history_search = HistorySearch(core.engine.history, core.loop, self)
        self._dialog: HistoryDialog | None = None
        self._wanted: Hit | None = None
        self._is_turned = False
        self._assistants: tuple[Assistant, ...] = ()
        filter_line = core.sidebar.filter
        self._history_button = filter_line.addAction(self._glass(), QLineEdit.ActionPosition.TrailingPosition)
        filter_line.installEventFilter(self)
        for signal, slot in (
            (core.began, self._history_search.keep_up),
            (core.ending, self._history_search.stop),
            (core.sessions.opened, self._on_opened),
            (core.sessions.current_changed, self._on_current_changed),
            (core.transcripts.answer_followed, self._on_answer_followed),
            (core.assistants.listed, self._on_assistants_listed),
            (self._history_button.triggered, self._on_history_asked),
            (filter_line.returnPressed, self._on_filter_entered),
        ):
            signal.connect(slot)
        core.actions.connect({"history": self.search})
        self._action: QAction = core.actions["history"]
        self._action.changed.connect(self._name_history_button)
        self._name_history_button()

    @Slot()
    def search(self, words: str = "") -> None:
        """Open the search in all messages with `words`."""
        if self._dialog is None:
            self._dialog = HistoryDialog(self._history_search, self._core.window.window())
            self._dialog.opened.connect(self.show_hit)
            self._dialog.cited.connect(self._core.cite_asked)
            self._dialog.set_assistants(self._assistants)
        self._dialog.ask(words)

    @Slot(object)
    def show_hit(self, hit: Hit) -> None:
        """Open the conversation of a hit at its message."""
        self._wanted = hit
        self._is_turned = False
        self._core.transcripts.end_welcome()
        self._core.sessions.open(hit.conversation_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the search icon when the colours change."""
        if event.type() == QEvent.Type.PaletteChange:
            self._history_button.setIcon(self._glass())
        return super().eventFilter(watched, event)

    def _glass(self) -> QIcon:
        return icon("search", self._core.sidebar.palette(), QPalette.ColorRole.PlaceholderText)

    @Slot()
    def _name_history_button(self) -> None:
        self._history_button.setText(self._action.text())
        self._history_button.setToolTip(self._core.actions.tip("history"))

    @Slot()
    def _on_history_asked(self) -> None:
        self.search(self._core.sidebar.filter.text())

    @Slot()
    def _on_filter_entered(self) -> None:
        if not self._core.sidebar.model.ids:  # no title matches, but messages might
            self._on_history_asked()

    @Slot(object)
    def _on_assistants_listed(self, assistants: tuple[Assistant, ...]) -> None:
        self._assistants = assistants
        if self._dialog is not None:
            self._dialog.set_assistants(assistants)

    @Slot(object, str)
    def _on_answer_followed(self, source: Source, words: str) -> None:
        conversation_id, message_id = message_of(source)
        excerpt = HistoryExcerpt(words, ((0, len(words)),) if words else ())
        self.show_hit(Hit(conversation_id, source.title, message_id, Speaker.MODEL, source.read_at, excerpt))

    @Slot(str)
    def _on_current_changed(self, conversation_id: str) -> None:
        if self._wanted is not None and self._wanted.conversation_id != conversation_id:
            self._wanted = None

    @Slot(object)
    def _on_opened(self, conversation: Conversation) -> None:
        hit = self._wanted
        if hit is None or hit.conversation_id != conversation.info.id:
            return
        is_there = not hit.message_id or any(each.id == hit.message_id for each in conversation.messages)
        if is_there or self._is_turned:
            self._wanted = None
            # The question of a running turn arrives on the page right after the opened conversation.
            QTimer.singleShot(0, self, partial(self._show_place, hit))
        else:  # the message is in another version
            self._is_turned = True
            self._core.loop.run(
                self,
                partial(self._core.engine.branches.show, hit.message_id),
                partial(self._on_turned, hit.conversation_id),
                self._core.notices.say_failed,
            )

    def _show_place(self, hit: Hit) -> None:
        if not hit.message_id or self._core.asking.message(hit.message_id) is not None:
            self._core.transcripts.show_place(hit.message_id, hit.excerpt.needle)

    def _on_turned(self, conversation_id: str, _nothing: object) -> None:
        if self._core.sessions.current == conversation_id:
            self._core.sessions.open(conversation_id)
