"""Checks of citations that the person asked for: they go on while another conversation is looked at."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Turns
from desktop.domain.events import CheckEvent
from desktop.ui.conversation_desk import ConversationDesk

if TYPE_CHECKING:
    from desktop.ui.page_bridge import MessageAction


class Checking(QObject):
    """One check for an answer at a time.

    Signals:
        event_arrived: a CheckEvent of the open conversation.
        given_up: id of an answer whose check was stopped or failed.
        failed: why a check failed.
    """

    event_arrived = Signal(object)
    given_up = Signal(str)
    failed = Signal(object)

    def __init__(self, turns: Turns, loop: BackgroundLoop, desk: ConversationDesk) -> None:
        super().__init__(desk)
        self._turns = turns
        self._loop = loop
        self._desk = desk
        self._jobs: dict[str, Job] = {}

    @property
    def is_running(self) -> bool:
        """Whether any answer is being checked."""
        return bool(self._jobs)

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Do what was asked of a message."""
        match action.action:
            case "check":
                self._check(self._desk.current, action.message_id)
            case "stop_check" if action.message_id in self._jobs:
                self._jobs[action.message_id].cancel()
            case "stop_check":  # it is the last step of the turn
                self._desk.stop()

    def cancel_all(self) -> None:
        """Stop every check."""
        for job in self._jobs.values():
            job.cancel()

    def _check(self, conversation_id: str, message_id: str) -> None:
        if message_id in self._jobs:
            return
        job = Job(partial(self._turns.check, conversation_id, message_id), self._loop, self)
        job.progressed.connect(partial(self._on_event, conversation_id))
        job.succeeded.connect(partial(self._on_ended, message_id))
        job.cancelled.connect(partial(self._on_given_up, message_id))
        job.failed.connect(partial(self._on_failed, message_id))
        self._jobs[message_id] = job
        job.start()

    def _on_event(self, conversation_id: str, event: CheckEvent) -> None:
        if conversation_id == self._desk.current:
            self.event_arrived.emit(event)

    def _on_ended(self, message_id: str, _nothing: object) -> None:
        del self._jobs[message_id]

    def _on_given_up(self, message_id: str) -> None:
        del self._jobs[message_id]
        self.given_up.emit(message_id)

    def _on_failed(self, message_id: str, error: Exception) -> None:
        self._on_given_up(message_id)
        self.failed.emit(error)
