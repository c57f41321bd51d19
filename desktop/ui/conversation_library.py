"""The conversations on disk, for the sidebar: listed, renamed, deleted, brought back."""

from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.conversation_ports import Conversations
from desktop.ui.notice_bar import Notice


class ConversationLibrary(QObject):
    """Asks the engine and reports; every change ends with a new list.

    Signals:
        listed: all conversations (tuple of ConversationInfo), the last used first.
        noticed: a Notice that a conversation was deleted, with the way to bring it back.
        failed: the error that kept something from being done, or that the disk reports.
    """

    listed = Signal(object)
    noticed = Signal(object)
    failed = Signal(object)

    def __init__(
        self, conversations: Conversations, loop: BackgroundLoop, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._conversations = conversations
        self._loop = loop
        self._newest = 0
        self._troubles: Job | None = None

    def watch(self) -> None:
        """Report from now on what is wrong with the disk."""
        self._troubles = Job(self._conversations.troubles, self._loop, self)
        self._troubles.progressed.connect(self.failed)
        self._troubles.start()

    @Slot()
    def refresh(self) -> None:
        """Read the list again."""
        self._newest += 1
        job = Job(self._conversations.recent, self._loop, self)
        job.succeeded.connect(partial(self._on_listed, self._newest))
        job.failed.connect(self.failed)
        job.start()

    @Slot(str, str)
    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        self._change(partial(self._conversations.rename, conversation_id, title))

    def assign(self, conversation_id: str, assistant_id: str) -> None:
        """Give a conversation to another assistant."""
        self._change(partial(self._conversations.assign, conversation_id, assistant_id))

    @Slot(str)
    def delete(self, conversation_id: str) -> None:
        """Take a conversation out of the list."""
        job = self._change(partial(self._conversations.delete, conversation_id))
        job.succeeded.connect(partial(self._on_deleted, conversation_id))

    @Slot(str)
    def restore(self, conversation_id: str) -> None:
        """Bring a deleted conversation back."""
        self._change(partial(self._conversations.restore, conversation_id))

    def _change(self, work: Callable[[], Awaitable[None]]) -> Job:
        job = Job(work, self._loop, self)
        job.succeeded.connect(self.refresh)
        job.failed.connect(self.failed)
        job.start()
        return job

    def _on_listed(self, number: int, infos: object) -> None:
        # Lists may overtake each other on the way; only the one asked for last counts.
        if number == self._newest:
            self.listed.emit(infos)

    def _on_deleted(self, conversation_id: str, _nothing: object) -> None:
        restore = partial(self.restore, conversation_id)
        self.noticed.emit(Notice(self.tr("Deleted"), self.tr("Undo"), restore))
