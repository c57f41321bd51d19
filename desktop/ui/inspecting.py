"""Shows how an answer came by its sources, and does what the person wants otherwise."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.conversation_ports import Conversations
from desktop.domain.messages import Conversation
from desktop.domain.trace import Trace
from desktop.ui.asking import Asking
from desktop.ui.catalogue_reader import CatalogueReader
from desktop.ui.conversation_desk import ConversationDesk
from desktop.ui.notice_bar import Notice

if TYPE_CHECKING:
    from desktop.ui.inspector import Inspector
    from desktop.ui.page_bridge import MessageAction


class Inspecting(QObject):
    """Opens the inspector of the answers in the open conversation.

    Signals:
        noticed: a Notice about an answer that cannot be inspected.
        failed: an error outside any message.
    """

    noticed = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        conversations: Conversations,
        loop: BackgroundLoop,
        *,
        desk: ConversationDesk,
        asking: Asking,
        catalogue: CatalogueReader,
        window: QWidget,
    ) -> None:
        """The inspector opens over `window`."""
        super().__init__(window)
        self._conversations = conversations
        self._loop = loop
        self._desk = desk
        self._asking = asking
        self._catalogue = catalogue
        self._window = window

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Show the details that were asked for on the page."""
        if action.action == "details":
            self._inspect(action.message_id)

    @Slot()
    def inspect_last(self) -> None:
        """Inspect the last answer of the open conversation."""
        if self._asking.last_answer:
            self._inspect(self._asking.last_answer)

    def _inspect(self, message_id: str) -> None:
        reading = Job(partial(self._read, self._desk.current, message_id), self._loop, self)
        reading.succeeded.connect(partial(self._on_read, message_id))
        reading.failed.connect(self.failed)
        reading.start()

    async def _read(self, conversation_id: str, message_id: str) -> tuple[Trace | None, Conversation]:
        trace = await self._conversations.trace(message_id)
        return trace, await self._conversations.load(conversation_id)

    def _on_read(self, message_id: str, found: tuple[Trace | None, Conversation]) -> None:
        trace, conversation = found
        question = self._asking.question_of(message_id)
        if trace is None or question is None:
            words = self.tr("There is no record of how this answer came by its sources.")
            self.noticed.emit(Notice(words))
            return
        from desktop.ui.dialogs import open_inspector  # noqa: PLC0415 - not before the first paint
        from desktop.ui.inspector import Inspection  # noqa: PLC0415 - not before the first paint

        answers = (message for message in conversation.messages if message.id == message_id)
        price = next((answer.token_price for answer in answers), None)
        inspection = Inspection(question.text, trace, frozenset(conversation.pinned), price)
        engines = {engine.id: engine.name for engine in self._catalogue.engines}
        inspector = open_inspector(inspection, engines, self._window)
        inspector.set_running(self._desk.is_running)
        inspector.again_asked.connect(partial(self._asking.ask_again, message_id))
        inspector.pin_asked.connect(partial(self._pin, conversation.info.id, inspector))
        self._desk.running_changed.connect(inspector.set_running)

    def _pin(self, conversation_id: str, inspector: "Inspector", number: int, is_pinned: bool) -> None:
        work = partial(self._conversations.pin, conversation_id, number, is_pinned)
        pinning = Job(work, self._loop, inspector)
        pinning.succeeded.connect(partial(_show_pinned, inspector, number, is_pinned))
        pinning.failed.connect(self.failed)
        pinning.start()


def _show_pinned(inspector: "Inspector", number: int, is_pinned: bool, _nothing: object) -> None:
    inspector.set_pinned(number, is_pinned)
