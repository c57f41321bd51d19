"""What only the chat of the main window has: its welcome, and the keyboard's way through page and composer."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.domain.messages import ConversationInfo
from desktop.ui.chat.session_manager import SessionManager
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


class KeyboardNavigator(QObject):
    """Orders the tab stops of the window, and moves the focus between messages. The composer follows the last message."""

    def __init__(
        self,
        composer: Composer,
        header: Sequence[QWidget],
        sidebar: Sidebar,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        """Initialize; `header` are the buttons beside the title."""
        super().__init__(window)
        self._composer = composer
        self._header = header
        self._sidebar = sidebar
        self._transcripts = transcripts

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

    @Slot()
    def end(self) -> None:
        """Show the page for a question that was asked, and note that the user needs no welcome any more."""
        self._notices.dismiss()
        self._transcripts.end_welcome()
        self._store.apply(replace(self._store.settings, was_welcomed=True))

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
