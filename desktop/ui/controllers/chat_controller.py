"""What a chat does besides questions: procedures and whether it stays on this machine; welcome and keyboard focus in the main window."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.data import Privacy
from desktop.chat.api.engine import Turns
from desktop.domain.messages import ConversationInfo
from desktop.domain.procedures import ProcedureCommand
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.composer.composer import Composer
from desktop.ui.i18n import language_of
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.stores.conversations import ConversationListStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.layout import shorten_name
from desktop.ui.widgets.notice_bar import Notice, NoticeBar

if TYPE_CHECKING:
    from desktop.ui.chat.welcome import Welcome
    from desktop.ui.settings.rows import SettingsContext


class LocalOnlyController(QObject):
    """Shows the setting of the open conversation and saves changes.

    A new conversation receives its setting with its first question, so that it applies before anything is sent.
    Until then the setting is stored with the draft, also across a restart where drafts are.
    """

    def __init__(
        self,
        privacy: Privacy,
        loop: BackgroundLoop,
        *,
        composer: Composer,
        notices: NoticeBar,
        outlives_window: bool,
        sessions: SessionManager,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._privacy = privacy
        self._loop = loop
        self._composer = composer
        self._notices = notices
        self._outlives_window = outlives_window
        self._sessions = sessions
        self._switch = composer.local_only
        self._is_new_kept = False
        """The setting for the conversation that does not exist yet."""
        self._turn = 0
        """A counter of changes to the switch. Results for an earlier count are ignored."""

    @Slot(bool)
    def set(self, is_on: bool) -> None:
        """Set whether the open conversation must stay on this machine."""
        self._set(is_on=is_on)
        current = self._sessions.current
        if current == NEW:
            self._set_new(is_on=is_on)
            return
        self._loop.run(
            self,
            partial(self._privacy.keep_here, current, is_on),
            failed=partial(self._on_not_kept, self._turn, not is_on),
        )

    def _set_new(self, *, is_on: bool) -> None:
        """Store the setting of the new conversation. It applies to the question even if saving fails."""
        self._is_new_kept = is_on
        if self._outlives_window:
            self._loop.run(
                self,
                partial(self._privacy.keep_here, NEW, is_on),
                failed=self._notices.say_failed,
            )

    @Slot(str)
    def forget_new(self, _conversation_id: str) -> None:
        """Reset the setting of the new conversation, which has received it with its first question."""
        if self._is_new_kept:
            self._set_new(is_on=False)

    @Slot()
    def load_new(self) -> None:
        """Load the setting of the new conversation from the last run."""
        self._loop.run(
            self,
            partial(self._privacy.stays_here, NEW),
            partial(self._on_taken_up, self._turn),
            self._notices.say_failed,
        )

    def _on_taken_up(self, turn: int, is_kept: bool) -> None:
        self._is_new_kept = self._is_new_kept or is_kept
        if self._sessions.current == NEW:
            self._show(turn, self._is_new_kept)

    @Slot(str)
    def show_of(self, conversation_id: str) -> None:
        """Show the setting of a conversation."""
        if conversation_id == NEW:
            self._set(is_on=self._is_new_kept)
            return
        # The switch is off until the stored setting is loaded; questions follow the stored setting in any case.
        self._set(is_on=False)
        self._loop.run(
            self,
            partial(self._privacy.stays_here, conversation_id),
            partial(self._show, self._turn),
            self._notices.say_failed,
        )

    def _on_not_kept(self, turn: int, was_on: bool, error: Exception) -> None:
        self._notices.say_failed(error)
        self._show(turn, was_on)

    def _set(self, *, is_on: bool) -> None:
        self._turn += 1
        self._show(self._turn, is_on)

    def _show(self, turn: int, is_on: bool) -> None:
        if turn == self._turn:
            self._switch.show_choice(is_on=is_on)
            self._composer.web.setEnabled(not is_on)


class MainChatController(QObject):
    """Keeps page and composer of the main window in step with its questions."""

    def __init__(
        self,
        store: SettingsStore,
        *,
        composer: Composer,
        header: Sequence[QWidget],
        notices: NoticeBar,
        sidebar: Sidebar,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        """Initialize; `header` are the buttons beside the title."""
        super().__init__(window)
        self._store = store
        self._composer = composer
        self._header = header
        self._notices = notices
        self._sidebar = sidebar
        self._transcripts = transcripts

    @Slot()
    def end_welcome(self) -> None:
        """Show the page for a question that was asked, and note that the user needs no welcome any more."""
        self._notices.dismiss()
        self._transcripts.end_welcome()
        self._store.apply(replace(self._store.settings, was_welcomed=True))

    @Slot()
    def order_tabs(self) -> None:
        """Put the page before the composer in the tab order. It was created last and would come last.

        The tab order is a ring. The page is inside widgets that pass the focus on to it and keep the position
        of their creation. Everything else must come before those, or Tab would return before it reached them.
        """
        if (shown := self._transcripts.page) is not None:
            *found, page = shown.tab_stops
            order = (page, *self._composer.tab_stops, *self._sidebar.tab_stops, *self._header, *found)
            for before, after in pairwise(order):
                QWidget.setTabOrder(before, after)


class MessageNavigator(QObject):
    """Moves the keyboard focus between messages. The composer follows the last message."""

    def __init__(self, transcripts: TranscriptStack, composer: Composer, window: QWidget) -> None:
        super().__init__(window)
        self._transcripts = transcripts
        self._composer = composer

    def step(self, by: int, _checked: bool = False) -> None:
        """Move to the previous message (-1) or to the next one (1)."""
        page, composer = self._transcripts.page, self._composer
        if page is not None and not (by > 0 and composer.text.hasFocus()):
            page.step(by, composer.setFocus)


class WelcomeController(QObject):
    """Shows the welcome screen until the user has asked a question."""

    def __init__(
        self,
        make_example: Callable[[str], Awaitable[ConversationInfo]],
        loop: BackgroundLoop,
        *,
        composer: Composer,
        library: ConversationListStore,
        notices: NoticeBar,
        sessions: SessionManager,
        store: SettingsStore,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._make_example = make_example
        self._loop = loop
        self._composer = composer
        self._library = library
        self._notices = notices
        self._sessions = sessions
        self._store = store
        self._transcripts = transcripts
        self._example = ""

    def show(self, context: "SettingsContext") -> "Welcome | None":
        """Show the welcome screen and return it, unless the user was welcomed before."""
        if self._store.settings.was_welcomed:
            return None
        welcome = self._transcripts.welcome(context)
        welcome.example_asked.connect(self._show_example)
        welcome.connected.connect(self._say_connected)
        welcome.done.connect(self._composer.setFocus)
        return welcome

    @Slot(str, str)
    def _say_connected(self, provider: str, model: str) -> None:
        words = self.tr("{provider} is connected. {model} answers.")
        text = words.format(provider=provider, model=shorten_name(model))
        self._notices.say(Notice(text, self.tr("Choose another model"), self._composer.model.showMenu))

    @Slot()
    def _show_example(self) -> None:
        if self._example:
            self._sessions.open(self._example)
            return
        language = language_of(self._store.settings.window.language)
        self._loop.run(
            self,
            partial(self._make_example, language),
            self._on_made,
            self._notices.say_failed,
        )

    @Slot(object)
    def _on_made(self, info: ConversationInfo) -> None:
        self._example = info.id
        self._library.refresh()
        self._sessions.open(info.id)


class ProcedureController(QObject):
    """Sends the user's commands to a running research or document task."""

    def __init__(self, turns: Turns, loop: BackgroundLoop, notices: NoticeBar, window: QWidget) -> None:
        super().__init__(window)
        self._turns = turns
        self._loop = loop
        self._notices = notices

    @Slot(str, object)
    def steer(self, message_id: str, wish: ProcedureCommand) -> None:
        """Start, pause, continue or end the research of an answer, or add a remark to it."""
        self._loop.run(
            self,
            partial(self._turns.steer, message_id, wish),
            failed=self._notices.say_failed,
        )
