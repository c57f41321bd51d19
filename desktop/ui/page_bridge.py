"""The only object that the page can reach. It takes ids and hands them on; it returns nothing."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot

ACTIONS: Final = frozenset({"copy", "share", "copy_sources", "retry", "continue", "edit", "details"})
"""What a person may ask of a message. `example` is ours to emit, not the page's."""


@dataclass(frozen=True)
class MessageAction:
    """Something asked of a message: copy, share, copy_sources, retry, continue, edit, details.

    Or `example`: a question to ask in an empty conversation, which is in `text`. Or `copy_source`: of
    the source that is `number`.
    """

    message_id: str
    action: str
    text: str = ""
    number: int = 0


class PageBridge(QObject):
    """What the page may report.

    Signals:
        loaded: the page can show things from now on.
        drawing_done: the page has drawn everything that it was told.
        messages_asked: ids (list) of messages that come near the view and are not written yet.
        action_asked: id of a message, and one of `ACTIONS`.
        source_asked: number of a source to open.
        source_copy_asked: number of a source to copy.
        card_asked: id of a message, number of a source, which of its marks (from 0).
        mail_asked: id of a message, which of its mail links (from 0).
        example_asked: index of an example question.
    """

    loaded = Signal()
    drawing_done = Signal()
    messages_asked = Signal(list)
    action_asked = Signal(str, str)
    source_asked = Signal(int)
    source_copy_asked = Signal(int)
    card_asked = Signal(str, int, int)
    mail_asked = Signal(str, int)
    example_asked = Signal(int)

    @Slot()
    def page_ready(self) -> None:
        """The scripts run."""
        self.loaded.emit()

    @Slot()
    def drawn(self) -> None:
        """Nothing is left to draw."""
        self.drawing_done.emit()

    @Slot(list)
    def messages_wanted(self, message_ids: list[str]) -> None:
        """Places of messages come near the view."""
        self.messages_asked.emit(message_ids)

    @Slot(str, str)
    def act(self, message_id: str, action: str) -> None:
        """A button of a message was pressed."""
        if action in ACTIONS:
            self.action_asked.emit(message_id, action)

    @Slot(int)
    def source_wanted(self, number: int) -> None:
        """A mark or a source was clicked."""
        self.source_asked.emit(number)

    @Slot(int)
    def source_copy_wanted(self, number: int) -> None:
        """The button to copy a source was pressed."""
        self.source_copy_asked.emit(number)

    @Slot(str, int, int)
    def card_wanted(self, message_id: str, number: int, occurrence: int) -> None:
        """A mark is under the pointer or has the focus."""
        self.card_asked.emit(message_id, number, occurrence)

    @Slot(str, int)
    def mail_wanted(self, message_id: str, index: int) -> None:
        """A link to a mailbox was clicked; the web engine reports only those to web pages itself."""
        self.mail_asked.emit(message_id, index)

    @Slot(int)
    def example_wanted(self, index: int) -> None:
        """An example question was clicked."""
        self.example_asked.emit(index)
