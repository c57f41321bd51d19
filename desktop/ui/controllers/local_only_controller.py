"""Controls which conversations must stay on this machine."""

from functools import partial

from PySide6.QtCore import QObject, Slot

from desktop.ui.chat.session_manager import NEW
from desktop.ui.context.chat_context import ChatContext


class LocalOnlyController(QObject):
    """Shows the setting of the open conversation and saves changes.

    A new conversation receives its setting with its first question, so that it applies before anything is sent.
    Until then the setting is stored with the draft, also across a restart where drafts are.
    """

    def __init__(self, core: ChatContext, *, outlives_window: bool = True) -> None:
        super().__init__(core)
        self._core = core
        self._switch = core.composer.local_only
        self._outlives_window = outlives_window
        self._is_new_kept = False
        """The setting for the conversation that does not exist yet."""
        self._turn = 0
        """A counter of changes to the switch. Results for an earlier count are ignored."""
        self._switch.picked.connect(self._on_picked)
        core.sessions.current_changed.connect(self._on_current_changed)
        core.sessions.started.connect(self._on_started)
        if outlives_window:
            core.began.connect(self._take_up)

    @Slot(bool)
    def _on_picked(self, is_on: bool) -> None:
        self._set(is_on=is_on)
        current = self._core.sessions.current
        if current == NEW:
            self._set_new(is_on=is_on)
            return
        self._core.loop.run(
            self,
            partial(self._core.engine.privacy.keep_here, current, is_on),
            failed=partial(self._on_not_kept, self._turn, not is_on),
        )

    def _set_new(self, *, is_on: bool) -> None:
        """Store the setting of the new conversation. It applies to the question even if saving fails."""
        self._is_new_kept = is_on
        if self._outlives_window:
            self._core.loop.run(
                self,
                partial(self._core.engine.privacy.keep_here, NEW, is_on),
                failed=self._core.notices.say_failed,
            )

    @Slot(str)
    def _on_started(self, _conversation_id: str) -> None:
        if self._is_new_kept:
            self._set_new(is_on=False)

    @Slot()
    def _take_up(self) -> None:
        self._core.loop.run(
            self,
            partial(self._core.engine.privacy.stays_here, NEW),
            partial(self._on_taken_up, self._turn),
            self._core.notices.say_failed,
        )

    def _on_taken_up(self, turn: int, is_kept: bool) -> None:
        self._is_new_kept = self._is_new_kept or is_kept
        if self._core.sessions.current == NEW:
            self._show(turn, self._is_new_kept)

    @Slot(str)
    def _on_current_changed(self, conversation_id: str) -> None:
        if conversation_id == NEW:
            self._set(is_on=self._is_new_kept)
            return
        # The switch is off until the stored setting is loaded; questions follow the stored setting in any case.
        self._set(is_on=False)
        self._core.loop.run(
            self,
            partial(self._core.engine.privacy.stays_here, conversation_id),
            partial(self._show, self._turn),
            self._core.notices.say_failed,
        )

    def _on_not_kept(self, turn: int, was_on: bool, error: Exception) -> None:
        self._core.notices.say_failed(error)
        self._show(turn, was_on)

    def _set(self, *, is_on: bool) -> None:
        self._turn += 1
        self._show(self._turn, is_on)

    def _show(self, turn: int, is_on: bool) -> None:
        if turn == self._turn:
            self._switch.show_choice(is_on=is_on)
            self._core.composer.web.setEnabled(not is_on)
