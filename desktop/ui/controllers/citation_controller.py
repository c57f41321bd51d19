"""Citations of answers: their checks, and the inspector that shows how an answer obtained its sources."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.conversations import Conversations
from desktop.chat.api.engine import Turns
from desktop.domain.events import (
    Beside,
    CheckEvent,
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TraceReported,
    TurnEvent,
    TurnFailed,
    TurnFinished,
)
from desktop.domain.messages import Conversation, Message, MessageStatus
from desktop.domain.models import TextDelta
from desktop.domain.procedures import Research
from desktop.domain.trace import Trace
from desktop.domain.transcript import Transcript
from desktop.errors import UnknownConversation
from desktop.render.markdown.citations import groups_in
from desktop.settings.model import BY_WORDS
from desktop.ui.chat.question_controller import QuestionController
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.controllers.source_panel_controller import SourcePanelController
from desktop.ui.links import open_link
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.notice_bar import Notice, NoticeBar

if TYPE_CHECKING:
    from desktop.ui.dialogs.inspector_dialog import Inspection, InspectorView

_FOLLOWED = (
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TraceReported,
    TurnFailed,
    TurnFinished,
)
"""The events that change what is shown."""


@dataclass(frozen=True)
class _RunningCheck:
    """A check that is under way; `number` tells it from others of the same answer."""

    job: Job
    number: int
    is_automatic: bool


class CitationCheckController(QObject):
    """Checks citations. Each answer has at most one check at a time; one that the user asks for replaces the automatic one."""

    def __init__(
        self,
        turns: Turns,
        loop: BackgroundLoop,
        *,
        notices: NoticeBar,
        sessions: SessionManager,
        store: SettingsStore,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._turns = turns
        self._loop = loop
        self._notices = notices
        self._sessions = sessions
        self._transcripts = transcripts
        self._store = store
        self._jobs: dict[str, _RunningCheck] = {}
        self._count = 0

    @property
    def is_running(self) -> bool:
        """Whether any answer is being checked."""
        return bool(self._jobs)

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that check citations."""
        return {
            MessageAction.CHECK: self.check,
            MessageAction.STOP_CHECK: self.stop,
        }

    def check(self, request: ActionRequest) -> None:
        """Check the citations of an answer."""
        self._check(self._sessions.current, request.message_id, by_words=False)

    @Slot(str, object)
    def check_new(self, conversation_id: str, answer: Message) -> None:
        """Check a new answer without any model, if the settings ask for it."""
        is_wanted = self._store.settings.chat.checks_citations == BY_WORDS
        is_complete = answer.status is MessageStatus.COMPLETE and answer.check is None
        has_citations = answer.known != () or any(groups_in(answer.text))
        if is_wanted and is_complete and has_citations:  # what checks is loaded with the first check
            self._check(conversation_id, answer.id, by_words=True)

    def _check(self, conversation_id: str, message_id: str, *, by_words: bool) -> None:
        running = self._jobs.get(message_id)
        if running is not None:
            if by_words or not running.is_automatic:
                return
            running.job.cancel()  # what the user asks for replaces what runs by itself
        self._count += 1
        job = self._loop.run(
            self,
            partial(self._turns.check, conversation_id, message_id, by_words=by_words),
            partial(self._on_ended, message_id, self._count),
            partial(self._on_failed, message_id, self._count),
            progressed=partial(self._on_event, conversation_id),
            cancelled=partial(self._on_given_up, message_id, self._count),
        )
        self._jobs[message_id] = _RunningCheck(job, self._count, is_automatic=by_words)

    def stop(self, request: ActionRequest) -> None:
        """Stop the check of an answer, which may be the last step of the running turn."""
        if request.message_id in self._jobs:
            self._jobs[request.message_id].job.cancel()
        else:
            self._sessions.stop()

    @Slot()
    def cancel_all(self) -> None:
        """Stop every check."""
        for running in self._jobs.values():
            running.job.cancel()

    def _on_event(self, conversation_id: str, event: CheckEvent) -> None:
        self._sessions.apply(conversation_id, event)

    def _on_ended(self, message_id: str, number: int, _nothing: object) -> None:
        self._forget(message_id, number)

    def _on_given_up(self, message_id: str, number: int) -> None:
        if self._forget(message_id, number):
            self._transcripts.end_check(message_id)

    def _forget(self, message_id: str, number: int) -> bool:
        """Forget a check that ended; says whether it was the present one of its answer."""
        running = self._jobs.get(message_id)
        is_present = running is not None and running.number == number
        if is_present:
            del self._jobs[message_id]
        return is_present

    def _on_failed(self, message_id: str, number: int, error: Exception) -> None:
        self._on_given_up(message_id, number)
        if not isinstance(error, UnknownConversation):  # it was deleted meanwhile
            self._notices.say_failed(error)


class InspectorController(QObject):
    """Shows how the answers in the open conversation got their sources: in the panel, or in a window without space.

    Signals:
        steered: id of an answer, and a command of the user to its research.
        left: what is shown is no longer wanted.
    """

    steered = Signal(str, object)
    left = Signal()

    def __init__(
        self,
        conversations: Conversations,
        loop: BackgroundLoop,
        *,
        asking: QuestionController,
        catalogue: CatalogueStore,
        notices: NoticeBar,
        sessions: SessionManager,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._conversations = conversations
        self._loop = loop
        self._asking = asking
        self._catalogue = catalogue
        self._notices = notices
        self._sessions = sessions
        self._window = window
        self._panel: SourcePanelController | None = None
        self._view: InspectorView | None = None
        self._followed = ""
        """The id of the answer whose research was shown by itself; not again once the user has closed it."""

    def set_panel(self, panel: SourcePanelController) -> None:
        """Use the panel beside the conversation."""
        self._panel = panel

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that show how an answer got its sources."""
        return {
            MessageAction.DETAILS: self.inspect,
        }

    def inspect(self, request: ActionRequest) -> None:
        """Show how an answer of the page obtained its sources."""
        self._inspect(request.message_id)

    @Slot()
    def inspect_last(self) -> None:
        """Inspect the last answer of the open conversation."""
        if last := self._sessions.shown.last_answer:
            self._inspect(last)

    @Slot(object, object)
    def follow(self, event: TurnEvent, shown: Transcript) -> None:
        """Follow the answer that is shown, and show a research that begins where the panel is free."""
        if isinstance(event, TextDelta):  # by far the most frequent one
            return
        inner = event.event if isinstance(event, Beside) else event
        if not isinstance(inner, _FOLLOWED):
            return
        about = event.message_id if isinstance(event, Beside) else shown.usual
        if isinstance(inner, ProcedureChanged) and isinstance(inner.procedure, Research):
            self._show_research(about, shown)
        if self._view is not None and (message := shown.get(self._view.message_id)) is not None:
            trace = inner.trace if isinstance(inner, TraceReported) and about == message.id else None
            self._view.follow(message, shown.sources, trace)

    def _show_research(self, message_id: str, shown: Transcript) -> None:
        panel = self._panel
        message, question = shown.get(message_id), shown.question_of(message_id)
        if message is None or question is None or self._followed == message_id or panel is None:
            return
        self._followed = message_id
        if panel.has_space and not panel.is_open:
            from desktop.ui.dialogs.inspector_dialog import Inspection  # noqa: PLC0415 - not before the first paint

            self._show("", Inspection(question.text, Trace(), message=message, sources=shown.sources))

    def _inspect(self, message_id: str) -> None:
        self._loop.run(
            self,
            partial(self._read, self._sessions.current, message_id),
            partial(self._on_read, message_id),
            self._notices.say_failed,
        )

    async def _read(self, conversation_id: str, message_id: str) -> tuple[Trace | None, Conversation]:
        trace = await self._conversations.trace(message_id)
        return trace, await self._conversations.load(conversation_id)

    def _on_read(self, message_id: str, found: tuple[Trace | None, Conversation]) -> None:
        trace, conversation = found
        shown = self._sessions.shown
        question, message = shown.question_of(message_id), shown.get(message_id)
        is_live = message is not None and message.status is MessageStatus.STREAMING
        if question is None or (trace is None and not is_live):
            words = self.tr("No search details were saved for this answer.")
            self._notices.say(Notice(words))
            return
        from desktop.ui.dialogs.inspector_dialog import Inspection  # noqa: PLC0415 - not before the first paint

        answers = (answer for answer in conversation.messages if answer.id == message_id)
        price = next((answer.token_price for answer in answers), None)
        pinned = frozenset(conversation.pinned)
        inspection = Inspection(question.text, trace or Trace(), pinned, price, message, shown.sources)
        self._show(conversation.info.id, inspection)

    def _show(self, conversation_id: str, inspection: "Inspection") -> None:
        from desktop.ui.dialogs.inspector_dialog import InspectorDialog, InspectorView  # noqa: PLC0415 - not before the first paint

        engines = {engine.id: engine.name for engine in self._catalogue.engines}
        panel = self._panel
        is_beside = panel is not None and panel.has_space
        view = InspectorView(inspection, engines, self._window, is_beside=is_beside)
        message_id = view.message_id
        for signal, slot in (
            (view.link_followed, open_link),
            (view.again_asked, partial(self._asking.ask_again, message_id)),
            (view.pin_asked, partial(self._pin, conversation_id or self._sessions.current, view)),
            (view.stop_asked, self._sessions.stop),
            (view.steered, partial(self.steered.emit, message_id)),
            (self._sessions.running_changed, view.set_running),
        ):
            signal.connect(slot)
        view.set_running(self._sessions.is_running)
        if panel is not None and panel.show_record(view, message_id):
            view.left.connect(self.left)
        else:
            dialog = InspectorDialog(view, self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()
        self._view = view
        view.destroyed.connect(partial(self._forget, view))

    def _forget(self, view: "InspectorView", _gone: object = None) -> None:
        if self._view is view:
            self._view = None

    def _pin(self, conversation_id: str, view: "InspectorView", number: int, is_pinned: bool) -> None:
        work = partial(self._conversations.pin, conversation_id, number, is_pinned)
        self._loop.run(
            view,
            work,
            partial(_show_pinned, view, number, is_pinned),
            self._notices.say_failed,
        )


def _show_pinned(view: "InspectorView", number: int, is_pinned: bool, _nothing: object) -> None:
    view.set_pinned(number, is_pinned)
