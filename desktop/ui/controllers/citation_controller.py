"""Citations of answers: their checks, and the inspector that shows how an answer obtained its sources."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from desktop.background import Job
from desktop.domain.events import CheckEvent
from desktop.domain.messages import Conversation
from desktop.domain.trace import Trace
from desktop.ui.context.chat_context import ChatContext
from desktop.ui.context.window_context import WindowContext
from desktop.ui.widgets.notice_bar import Notice

if TYPE_CHECKING:
    from desktop.ui.inspector.dialog import InspectorDialog
    from desktop.ui.transcript.page_bridge import MessageAction


class CitationCheckController(QObject):
    """Checks citations. Each answer has at most one check at a time."""

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        self._core = core
        self._jobs: dict[str, Job] = {}
        core.transcripts.action_requested.connect(self.act)
        core.ending.connect(self.cancel_all)

    @property
    def is_running(self) -> bool:
        """Whether any answer is being checked."""
        return bool(self._jobs)

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Handle an action on a message."""
        match action.action:
            case "check":
                self._check(self._core.sessions.current, action.message_id)
            case "stop_check" if action.message_id in self._jobs:
                self._jobs[action.message_id].cancel()
            case "stop_check":  # the check is the last step of the running turn
                self._core.sessions.stop()

    @Slot()
    def cancel_all(self) -> None:
        """Stop every check."""
        for job in self._jobs.values():
            job.cancel()

    def _check(self, conversation_id: str, message_id: str) -> None:
        if message_id in self._jobs:
            return
        job = self._core.loop.run(
            self,
            partial(self._core.engine.turns.check, conversation_id, message_id),
            partial(self._on_ended, message_id),
            partial(self._on_failed, message_id),
            progressed=partial(self._on_event, conversation_id),
            cancelled=partial(self._on_given_up, message_id),
        )
        self._jobs[message_id] = job

    def _on_event(self, conversation_id: str, event: CheckEvent) -> None:
        if conversation_id == self._core.sessions.current:
            self._core.transcripts.apply(event)

    def _on_ended(self, message_id: str, _nothing: object) -> None:
        del self._jobs[message_id]

    def _on_given_up(self, message_id: str) -> None:
        del self._jobs[message_id]
        self._core.transcripts.end_check(message_id)

    def _on_failed(self, message_id: str, error: Exception) -> None:
        self._on_given_up(message_id)
        self._core.notices.say_failed(error)


class InspectorController(QObject):
    """Opens the inspector of the answers in the open conversation."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        core.transcripts.action_requested.connect(self.act)
        core.actions.connect({"inspect": self.inspect_last})

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Show the details that the user requested on the page."""
        if action.action == "details":
            self._inspect(action.message_id)

    @Slot()
    def inspect_last(self) -> None:
        """Inspect the last answer of the open conversation."""
        if self._core.asking.last_answer:
            self._inspect(self._core.asking.last_answer)

    def _inspect(self, message_id: str) -> None:
        self._core.loop.run(
            self,
            partial(self._read, self._core.sessions.current, message_id),
            partial(self._on_read, message_id),
            self._core.notices.say_failed,
        )

    async def _read(self, conversation_id: str, message_id: str) -> tuple[Trace | None, Conversation]:
        trace = await self._core.engine.conversations.trace(message_id)
        return trace, await self._core.engine.conversations.load(conversation_id)

    def _on_read(self, message_id: str, found: tuple[Trace | None, Conversation]) -> None:
        trace, conversation = found
        question = self._core.asking.question_of(message_id)
        if trace is None or question is None:
            words = self.tr("There is no record of how this answer came by its sources.")
            self._core.notices.say(Notice(words))
            return
        from desktop.ui.context.dialogs import open_inspector  # noqa: PLC0415 - not before the first paint
        from desktop.ui.inspector.dialog import Inspection  # noqa: PLC0415 - not before the first paint

        answers = (message for message in conversation.messages if message.id == message_id)
        price = next((answer.token_price for answer in answers), None)
        inspection = Inspection(question.text, trace, frozenset(conversation.pinned), price)
        engines = {engine.id: engine.name for engine in self._core.catalogue.engines}
        inspector = open_inspector(inspection, engines, self._core.window)
        inspector.set_running(self._core.sessions.is_running)
        inspector.again_asked.connect(partial(self._core.asking.ask_again, message_id))
        inspector.pin_asked.connect(partial(self._pin, conversation.info.id, inspector))
        self._core.sessions.running_changed.connect(inspector.set_running)

    def _pin(self, conversation_id: str, inspector: "InspectorDialog", number: int, is_pinned: bool) -> None:
        work = partial(self._core.engine.conversations.pin, conversation_id, number, is_pinned)
        self._core.loop.run(
            inspector,
            work,
            partial(_show_pinned, inspector, number, is_pinned),
            self._core.notices.say_failed,
        )


def _show_pinned(inspector: "InspectorDialog", number: int, is_pinned: bool, _nothing: object) -> None:
    inspector.set_pinned(number, is_pinned)
