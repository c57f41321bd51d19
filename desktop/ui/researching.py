"""Passes on what a person wants of a research that runs."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Turns
from desktop.domain.procedures import Wish


class Researching(QObject):
    """Tells the engine.

    Signals:
        failed: an error outside any message.
    """

    failed = Signal(object)

    def __init__(self, turns: Turns, loop: BackgroundLoop, parent: QObject) -> None:
        super().__init__(parent)
        self._turns = turns
        self._loop = loop

    @Slot(str, object)
    def steer(self, message_id: str, wish: Wish) -> None:
        """Start, pause, continue or end the research of an answer, or add a remark to it."""
        job = Job(partial(self._turns.steer, message_id, wish), self._loop, self)
        job.failed.connect(self.failed)
        job.start()
