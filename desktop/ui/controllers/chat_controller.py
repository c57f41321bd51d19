"""One chat: its composer, page and session manager; and what only the chat of the main window has.

The program has two chats, one in the main window and one in the quick window.
"""

from dataclasses import replace
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from desktop.domain.messages import Conversation, ConversationInfo, Message
from desktop.domain.procedures import ProcedureCommand
from desktop.domain.sources import Source
from desktop.ui.chat.session_manager import NEW
from desktop.ui.composer.model_indicators import ModelIndicators
from desktop.ui.context.chat_context import ChatContext
from desktop.ui.context.window_context import WindowContext
from desktop.ui.i18n import language_of


class ChatController(QObject):
    """Sends questions and answers to the page, and requests of the page to the controllers that handle them."""

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        sessions, transcripts, asking, composer = core.sessions, core.transcripts, core.asking, core.composer
        self._transcripts = transcripts
        self._asking = asking
        self._composer = composer
        self._aids = ModelIndicators(composer, core.store, core.catalogue)
        for signal, slot in (
            (sessions.current_changed, self._on_current_changed),
            (sessions.started, composer.move_draft),
            (sessions.opened, self._on_opened),
            (sessions.event_arrived, transcripts.apply),
            (sessions.event_arrived, self._aids.watch),
            (sessions.running_changed, composer.set_running),
            (transcripts.behind_changed, sessions.hold),
            (transcripts.action_requested, asking.act),
            (transcripts.research_steered, asking.change_outline),
            (composer.stop_asked, sessions.stop),
        ):
            signal.connect(slot)

    @Slot(str)
    def _on_current_changed(self, conversation_id: str) -> None:
        self._composer.open_draft(conversation_id)
        if conversation_id == NEW:
            self._show_messages((), ())

    @Slot(object)
    def _on_opened(self, conversation: Conversation) -> None:
        self._show_messages(conversation.messages, conversation.sources)

    def _show_messages(self, messages: tuple[Message, ...], sources: tuple[Source, ...]) -> None:
        self._asking.show_messages(messages)
        self._aids.show_messages(messages)
        self._transcripts.show_messages(messages, sources)


class MainChatController(QObject):
    """Connects page and composer of the main window with its actions and notices."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        sessions, transcripts, composer, asking = core.sessions, core.transcripts, core.composer, core.asking
        for signal, slot in (
            (sessions.running_changed, core.actions["stop"].setEnabled),
            (core.assistants.changed, transcripts.set_assistant),
            (asking.asked, self._on_asked),
            (transcripts.page_ready, self._order_tabs),
        ):
            signal.connect(slot)
        core.actions.connect(
            {"stop": sessions.stop, "focus_composer": composer.text.setFocus, "find": transcripts.find_words}
        )
        core.actions["stop"].setEnabled(False)

    @Slot()
    def _on_asked(self) -> None:
        store = self._core.store
        self._core.notices.dismiss()
        self._core.transcripts.end_welcome()
        store.apply(replace(store.settings, was_welcomed=True))

    @Slot()
    def _order_tabs(self) -> None:
        """Put the page before the composer in the tab order. It was created last and would come last.

        The tab order is a ring. The page is inside widgets that pass the focus on to it and keep the position
        of their creation. Everything else must come before those, or Tab would return before it reached them.
        """
        core = self._core
        if core.transcripts.page is not None:
            *found, page = core.transcripts.page.tab_stops
            header = (core.header.toggle, core.header.share)
            order = (page, *core.composer.tab_stops, *core.sidebar.tab_stops, *header, *found)
            for before, after in pairwise(order):
                QWidget.setTabOrder(before, after)


class MessageNavigator(QObject):
    """Moves the keyboard focus between messages. The composer follows the last message."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        core.actions.connect(
            {
                "message_above": partial(self.step, -1),
                "message_below": partial(self.step, 1),
            }
        )

    def step(self, by: int, _checked: bool = False) -> None:
        """Move to the previous message (-1) or to the next one (1)."""
        page, composer = self._core.transcripts.page, self._core.composer
        if page is not None and not (by > 0 and composer.text.hasFocus()):
            page.step(by, composer.setFocus)


class WelcomeController(QObject):
    """Shows the welcome screen until the user has asked a question."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._example = ""
        core.painted.connect(self._greet)

    @Slot()
    def _greet(self) -> None:
        core = self._core
        if not core.store.settings.was_welcomed:
            welcome = core.transcripts.welcome(core.opener.context())
            welcome.example_asked.connect(self._show_example)
            welcome.done.connect(core.composer.setFocus)
            if core.has_begun:  # the window started hidden, and data was requested before the first paint
                welcome.look_around()
            else:
                core.began.connect(welcome.look_around)

    @Slot()
    def _show_example(self) -> None:
        if self._example:
            self._core.sessions.open(self._example)
            return
        language = language_of(self._core.store.settings.window.language)
        self._core.loop.run(
            self,
            partial(self._core.engine.conversations.example, language),
            self._on_made,
            self._core.notices.say_failed,
        )

    @Slot(object)
    def _on_made(self, info: ConversationInfo) -> None:
        self._example = info.id
        self._core.library.refresh()
        self._core.sessions.open(info.id)


class ProcedureController(QObject):
    """Sends the user's commands to a running research or document task."""

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        self._core = core
        core.transcripts.research_steered.connect(self.steer)

    @Slot(str, object)
    def steer(self, message_id: str, wish: ProcedureCommand) -> None:
        """Start, pause, continue or end the research of an answer, or add a remark to it."""
        self._core.loop.run(
            self,
            partial(self._core.engine.turns.steer, message_id, wish),
            failed=self._core.notices.say_failed,
        )
