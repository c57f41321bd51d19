"""Notices after an answer that an engine wants to see a person, and offers to let it."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Searches
from desktop.domain.events import StepFinished, TurnEvent, TurnFinished
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.search import EngineHealth
from desktop.ui.notice_bar import Notice


class CaptchaWatch(QObject):
    """Says it once for each engine, until that engine has answered again.

    Signals:
        noticed: a Notice for the person.
        solved: the id of the answer that can be asked for again now.
    """

    noticed = Signal(object)
    solved = Signal(str)

    def __init__(self, searches: Searches, loop: BackgroundLoop, window: QWidget) -> None:
        super().__init__(window)
        self._searches = searches
        self._loop = loop
        self._window = window
        self._is_search_short = False
        self._told: set[str] = set()

    @Slot(object)
    def watch(self, event: TurnEvent) -> None:
        """Look at what a turn reports."""
        if isinstance(event, StepFinished) and event.step.kind is StepKind.SEARCH:
            self._is_search_short = self._is_search_short or event.step.status is not StepStatus.DONE
        if isinstance(event, TurnFinished):
            if self._is_search_short:
                self._look(event.message.id)
            self._is_search_short = False

    def _look(self, message_id: str) -> None:
        job = Job(self._searches.health, self._loop, self)
        job.succeeded.connect(partial(self._on_looked, message_id))
        job.start()

    def _on_looked(self, message_id: str, engines: tuple[EngineHealth, ...]) -> None:
        blocked = [engine for engine in engines if engine.can_be_shown]
        self._told &= {engine.engine for engine in blocked}
        fresh = next((engine for engine in blocked if engine.engine not in self._told), None)
        if fresh is None:
            return
        self._told.add(fresh.engine)
        words = self.tr("{engine} wants to see a person before it answers.").format(engine=fresh.name)
        show = partial(self._show, fresh, message_id)
        self.noticed.emit(Notice(words, self.tr("Show its page…"), show, is_error=True))

    def _show(self, engine: EngineHealth, message_id: str) -> None:
        from desktop.ui.dialogs import open_handing_over  # noqa: PLC0415 - not before the first paint

        dialog = open_handing_over(engine, self._searches, self._loop, self._window)
        dialog.solved.connect(partial(self._on_solved, engine, message_id))

    def _on_solved(self, engine: EngineHealth, message_id: str) -> None:
        self._told.discard(engine.engine)
        words = self.tr("{engine} answers again.").format(engine=engine.name)
        again = partial(self.solved.emit, message_id)
        self.noticed.emit(Notice(words, self.tr("Ask again"), again))
