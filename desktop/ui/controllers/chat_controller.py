"""What every chat does besides questions: whether it stays on this machine, and steering a running procedure."""

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.data import Privacy
from desktop.chat.api.engine import Turns
from desktop.domain.procedures import ProcedureCommand
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.composer.composer import Composer
from desktop.ui.widgets.notice_bar import NoticeBar


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
