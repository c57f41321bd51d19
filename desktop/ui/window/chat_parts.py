"""The parts of a chat, of which the main window and the quick window have one each, and how they are connected."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Services
from desktop.ui.chat.assistant_selection import AssistantSelection
from desktop.ui.chat.composer_state import ComposerState
from desktop.ui.chat.memory_controller import MemoryController
from desktop.ui.chat.question_controller import QuestionController
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.composer.composer import Composer
from desktop.ui.composer.image_attachments import ImageAttachments
from desktop.ui.composer.model_indicators import ModelIndicators
from desktop.ui.controllers.chat_controller import ChatController, ProcedureController
from desktop.ui.controllers.citation_controller import CitationCheckController
from desktop.ui.controllers.completion_controller import (
    CompletionController,
    Mentions,
    PastAnswerCompletions,
)
from desktop.ui.controllers.composer_controller import PastAnswerController, PasteController
from desktop.ui.controllers.local_only_controller import LocalOnlyController
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.conversation_list import ConversationListStore
from desktop.ui.stores.history_search import HistorySearch
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.transcript.message_action import Handler, MessageAction
from desktop.ui.widgets.notice_bar import NoticeBar
from desktop.ui.window.window_opener import WindowOpener

Connections = tuple[tuple[SignalInstance, Callable[..., object] | SignalInstance], ...]


def connect(connections: Connections) -> None:
    """Connect signals to slots, in this order."""
    for signal, slot in connections:
        signal.connect(slot)


@dataclass(frozen=True)
class SharedStores:
    """The services and stores that exist once, regardless of the number of chats."""

    engine: Services
    loop: BackgroundLoop
    store: SettingsStore
    library: ConversationListStore
    catalogue: CatalogueStore
    knowledge_store: KnowledgeStore


class ChatParts:
    """Builds the parts of a chat. Only the code that builds a window uses it."""

    def __init__(
        self,
        shared: SharedStores,
        window: QWidget,
        *,
        composer: Composer,
        transcripts: TranscriptStack,
        notices: NoticeBar,
        outlives_window: bool,
    ) -> None:
        """Build the parts, as children of `window`; `outlives_window` says whether drafts are stored."""
        self._shared = shared
        engine, loop, store = shared.engine, shared.loop, shared.store
        self.composer, self.transcripts, self.notices = composer, transcripts, notices
        self.sessions = sessions = SessionManager(engine, loop, window)
        self.assistants = AssistantSelection(store, shared.library, sessions)
        self.asking = QuestionController(composer, sessions)
        self.remembering = MemoryController(
            engine.memories, loop, asking=self.asking, composer=composer, sessions=sessions, store=store
        )
        self.memory_store = self.remembering.memory_store
        self.indicators = ModelIndicators(composer, store, shared.catalogue)
        self.chat = ChatController(
            asking=self.asking,
            composer=composer,
            indicators=self.indicators,
            transcripts=transcripts,
            window=window,
        )
        self.checks = CitationCheckController(
            engine.turns, loop, notices=notices, sessions=sessions, transcripts=transcripts, window=window
        )
        self.citing = PastAnswerController(
            engine.history,
            engine.privacy,
            loop,
            composer=composer,
            notices=notices,
            transcripts=transcripts,
        )
        self.pastes = PasteController(engine.pasted, loop, composer, notices)
        self._build_completion(window)
        self.procedures = ProcedureController(engine.turns, loop, notices, window)
        self.local_only = LocalOnlyController(
            engine.privacy,
            loop,
            composer=composer,
            notices=notices,
            outlives_window=outlives_window,
            sessions=sessions,
            window=window,
        )
        self.switches = ComposerState(
            composer, store, self.assistants, shared.catalogue, shared.knowledge_store
        )
        self.pictures = ImageAttachments(composer, engine.pictures, loop)

    def _build_completion(self, window: QWidget) -> None:
        shared, composer = self._shared, self.composer
        self.past_search = HistorySearch(shared.engine.history, shared.loop, window)
        self.past = PastAnswerCompletions(self.past_search, window)
        self.completion = CompletionController(
            shared.engine.tool_servers,
            shared.loop,
            composer=composer,
            mentions=Mentions(
                self.assistants, shared.catalogue, shared.knowledge_store, composer.model, composer.bases
            ),
            notices=self.notices,
            past=self.past,
            sessions=self.sessions,
            store=shared.store,
            window=window,
        )

    def connections(self) -> Connections:
        """Return the connections between the parts of the chat."""
        sessions, transcripts, composer, notices = (
            self.sessions,
            self.transcripts,
            self.composer,
            self.notices,
        )
        popup = self.completion.completion
        return (
            # what goes wrong, and what is to be told
            (sessions.failed, notices.say_failed),
            (self.remembering.failed, notices.say_failed),
            (self.pictures.failed, notices.say_failed),
            (self.past_search.failed, notices.say_failed),
            (self.assistants.noticed, notices.say),
            (self.remembering.noticed, notices.say),
            (transcripts.noticed, notices.say),
            (self.switches.noticed, notices.say),
            # the open conversation
            (sessions.current_changed, self.chat.show_draft),
            (sessions.current_changed, self.pastes.withdraw),
            (sessions.current_changed, self.local_only.show_of),
            (sessions.started, composer.move_draft),
            (sessions.started, self.local_only.forget_new),
            (sessions.opened, self.chat.show_conversation),
            (sessions.event_arrived, transcripts.apply),
            (sessions.event_arrived, self.indicators.watch),
            (sessions.running_changed, composer.set_running),
            (self.assistants.changed, transcripts.set_assistant),
            # the page
            (transcripts.behind_changed, sessions.hold),
            (transcripts.research_steered, self.asking.change_outline),
            (transcripts.research_steered, self.procedures.steer),
            (transcripts.memory_followed, self.remembering.show_source),
            # the composer
            (composer.stop_asked, sessions.stop),
            (composer.text.text_given, self.pastes.keep),
            (composer.local_only.picked, self.local_only.set),
            # completion
            (self._shared.catalogue.models_listed, popup.refresh),
            (self._shared.knowledge_store.bases_listed, popup.refresh),
            (self.assistants.listed, popup.refresh),
            (self.past.changed, popup.refresh),
            (self.past.picked, self.citing.cite),
            (popup.began, self._shared.catalogue.refresh),
            (popup.mentioned, self.past.look_for),
        )

    def opener_connections(self, opener: WindowOpener) -> Connections:
        """Return the connections with the other windows."""
        composer = self.composer
        return (
            (self.transcripts.file_followed, opener.show_file),
            (self.remembering.page_asked, opener.to_settings("memory")),
            (self.completion.prompts_asked, opener.to_settings("prompts")),
            (composer.assistant.manage_asked, opener.to_settings("assistants")),
            (composer.web.setup_asked, opener.to_settings("search")),
            (composer.model.setup_asked, opener.to_settings("models")),
            (composer.bases.manage_asked, opener.show_knowledge),
        )

    def handlers(self) -> dict[MessageAction, Handler]:
        """Return the handlers of the page actions that both windows have."""
        return {
            MessageAction.EXAMPLE: self.asking.ask_example,
            MessageAction.CONTINUE: self.asking.go_on,
            MessageAction.RETRY: self.asking.retry,
            MessageAction.CHECK: self.checks.check,
            MessageAction.STOP_CHECK: self.checks.stop,
            MessageAction.REMEMBER: self.remembering.remember,
        }

    def stop(self) -> None:
        """Stop what runs besides the answers."""
        self.checks.cancel_all()
        self.past_search.stop()
