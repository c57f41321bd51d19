"""Watched topics in the window: runs those that are due, says what is new, and opens their page."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import Notification, Topics
from desktop.domain.topics import Topic, TopicRun
from desktop.errors import TopicsInUse
from desktop.render.export.topic_feed import run_line
from desktop.render.labels import labels_of
from desktop.ui.widgets.notice_bar import Notice, NoticeBar

if TYPE_CHECKING:
    from desktop.ui.dialogs.topics_dialog import TopicsDialog

_LOOK_EVERY_MS = 5 * 60 * 1_000
"""How often the window looks which topics are due; a run itself takes as long as a question."""


class TopicsController(QObject):
    """Runs topics while the window is open, also in the tray. There is no notification if nothing is new.

    Signals:
        conversation_asked: id of the conversation of a run.
    """

    conversation_asked = Signal(str)

    def __init__(
        self,
        topics: Topics,
        loop: BackgroundLoop,
        *,
        new_topic: Callable[[str], Topic],
        notices: NoticeBar,
        notify: Callable[[str, Notification, Callable[[], None]], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._topics = topics
        self._loop = loop
        self._new_topic = new_topic
        self._notices = notices
        self._notify = notify
        self._window = window
        self._is_running = False
        self._dialog: TopicsDialog | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.run_due)
        self._timer.start(_LOOK_EVERY_MS)

    @Slot()
    def run_due(self) -> None:
        """Run the topics that are due, unless a run is under way."""
        if not self._is_running:
            self._is_running = True
            self._loop.run(self, self._topics.run_due, self._on_run, self._on_failed)

    @Slot()
    def show(self, _checked: bool = False) -> None:
        """Open the page of the topics."""
        from desktop.ui.dialogs.topics_dialog import TopicsDialog  # noqa: PLC0415 - not before the first paint

        if self._dialog is None:
            self._dialog = TopicsDialog(self._topics, self._loop, self._new_topic, self._window.window())
            self._dialog.conversation_asked.connect(self.conversation_asked)
        self._dialog.refresh()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    def _on_run(self, done: tuple[tuple[Topic, TopicRun], ...]) -> None:
        self._is_running = False
        for topic, run in done:
            if run.findings:
                self._tell(topic, run)
        if done and self._dialog is not None:
            self._dialog.refresh()

    def _tell(self, topic: Topic, run: TopicRun) -> None:
        told = run_line(run, labels_of(QLocale().name()))
        self._notices.say(Notice(self.tr("“{question}”: {told}").format(question=topic.question, told=told)))
        note = Notification(topic.question, told)
        self._notify(f"topic-{topic.id}", note, lambda: self.conversation_asked.emit(run.conversation_id))

    def _on_failed(self, error: Exception) -> None:
        self._is_running = False
        if not isinstance(error, TopicsInUse):  # that program tells what it finds
            self._notices.say_failed(error)
