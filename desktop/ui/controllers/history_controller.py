"""The search in all messages: its window, and how its results are opened."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import Branches
from desktop.domain.assistants import Assistant
from desktop.domain.history import HistoryExcerpt, Hit
from desktop.domain.messages import Speaker
from desktop.domain.sources import Source, message_of
from desktop.domain.transcript import Transcript
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.dialogs.history_dialog import HistoryDialog
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.stores.conversations import HistorySearch
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.notice_bar import NoticeBar


class HistoryController(QObject):
    """Opens the search window, and shows the message of a hit in its conversation.

    Signals:
        cite_asked: the next question should cite an answer (Hit).
    """

    cite_asked = Signal(object)

    def __init__(
        self,
        history_search: HistorySearch,
        branches: Branches,
        loop: BackgroundLoop,
        *,
        notices: NoticeBar,
        sessions: SessionManager,
        sidebar: Sidebar,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._history_search = history_search
        self._branches = branches
        self._loop = loop
        self._notices = notices
        self._sessions = sessions
        self._sidebar = sidebar
        self._transcripts = transcripts
        self._window = window
        self._dialog: HistoryDialog | None = None
        self._wanted: Hit | None = None
        self._is_turned = False
        self._assistants: tuple[Assistant, ...] = ()
        self._history_button = sidebar.filter.addAction(
            self._search_icon(), QLineEdit.ActionPosition.TrailingPosition
        )
        self._history_button.triggered.connect(self._on_history_asked)
        sidebar.filter.installEventFilter(self)

    def search(self, words: str = "") -> None:
        """Open the search in all messages with `words`."""
        if self._dialog is None:
            self._dialog = HistoryDialog(self._history_search, self._window.window())
            self._dialog.opened.connect(self.show_hit)
            self._dialog.cited.connect(self.cite_asked)
            self._dialog.set_assistants(self._assistants)
        self._dialog.ask(words)

    @Slot(object)
    def show_hit(self, hit: Hit) -> None:
        """Open the conversation of a hit at its message."""
        self._wanted = hit
        self._is_turned = False
        self._transcripts.end_welcome()
        self._sessions.open(hit.conversation_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the search icon when the colours change."""
        if event.type() == QEvent.Type.PaletteChange:
            self._history_button.setIcon(self._search_icon())
        return super().eventFilter(watched, event)

    def _search_icon(self) -> QIcon:
        return icon("search", self._sidebar.palette(), QPalette.ColorRole.PlaceholderText)

    def name_button(self, name: str, tip: str) -> None:
        """Set the name of the button in the filter, and its tooltip."""
        self._history_button.setText(name)
        self._history_button.setToolTip(tip)

    @Slot()
    def _on_history_asked(self) -> None:
        self.search(self._sidebar.filter.text())

    @Slot()
    def search_unmatched(self) -> None:
        """Search all messages for the text of the filter if no title matches it."""
        if not self._sidebar.model.ids:  # no title matches, but messages might
            self._on_history_asked()

    @Slot(object)
    def set_assistants(self, assistants: tuple[Assistant, ...]) -> None:
        """Set the assistants that the window can filter by."""
        self._assistants = assistants
        if self._dialog is not None:
            self._dialog.set_assistants(assistants)

    @Slot(object, str)
    def show_answer(self, source: Source, words: str) -> None:
        """Open the conversation of a cited answer at its message."""
        conversation_id, message_id = message_of(source)
        excerpt = HistoryExcerpt(words, ((0, len(words)),) if words else ())
        self.show_hit(Hit(conversation_id, source.title, message_id, Speaker.MODEL, source.read_at, excerpt))

    @Slot(str)
    def forget_other(self, conversation_id: str) -> None:
        """Forget the hit to show if another conversation is opened."""
        if self._wanted is not None and self._wanted.conversation_id != conversation_id:
            self._wanted = None

    @Slot(object)
    def show_place(self, shown: Transcript) -> None:
        """Show the message of the hit in its conversation, which was opened."""
        hit = self._wanted
        if hit is None or hit.conversation_id != self._sessions.current:
            return
        is_there = not hit.message_id or hit.message_id in shown.by_id
        if is_there or self._is_turned:
            self._wanted = None
        if is_there:
            self._transcripts.show_place(hit.message_id, hit.excerpt.needle)
        elif not self._is_turned:  # the message is in another version
            self._is_turned = True
            self._loop.run(
                self,
                partial(self._branches.show, hit.message_id),
                partial(self._on_turned, hit.conversation_id),
                self._notices.say_failed,
            )

    def _on_turned(self, conversation_id: str, _nothing: object) -> None:
        if self._sessions.current == conversation_id:
            self._sessions.open(conversation_id)
