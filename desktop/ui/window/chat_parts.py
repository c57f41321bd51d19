"""The parts of one chat: built and connected here for the main and the quick window, and laid out for the main one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Services
from desktop.domain.sources import Source
from desktop.ui.chat.composer_state import AssistantSelection, ComposerState
from desktop.ui.chat.memory_controller import MemoryController
from desktop.ui.chat.question_controller import QuestionController
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.chat.tool_approvals import ApprovalBar
from desktop.ui.chat.transcript_stack import Header, TranscriptStack
from desktop.ui.composer.composer import MAX_WIDTH, Composer, EditBar
from desktop.ui.composer.drop_zone import DropZone
from desktop.ui.composer.model_indicators import ModelIndicators
from desktop.ui.controllers.base_additions import BaseAdditionController
from desktop.ui.controllers.chat_controller import LocalOnlyController, ProcedureController
from desktop.ui.controllers.citation_controller import CitationCheckController
from desktop.ui.controllers.completion_controller import (
    CompletionController,
    Mentions,
    PastAnswerCompletions,
)
from desktop.ui.controllers.composer_controller import ImageAttachments, PastAnswerController, PasteController
from desktop.ui.knowledge.import_bar import ImportBar
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.conversations import ConversationListStore, HistorySearch
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.transcript.message_action import Handlers
from desktop.ui.widgets.layout import center, hbox, vbox
from desktop.ui.widgets.notice_bar import NoticeBar
from desktop.ui.window.window_opener import WindowOpener


class ChatPane(QWidget):
    """Title, conversation, bars and composer below each other, and room for a panel beside them; contains no logic."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.header = Header(self)
        self.transcripts = TranscriptStack(self)
        self.jobs = ImportBar(self)
        self.notices = NoticeBar(self)
        self.consent_bar = ApprovalBar(self)
        self.revising = EditBar(self)
        self.composer = Composer(self)
        self.drop_zone = DropZone(self)
        bars = vbox(margins=(24, 0, 24, 6))
        for bar in (self.jobs, self.notices, self.consent_bar, self.revising):
            bars.addLayout(center(bar, MAX_WIDTH))
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setHandleWidth(1)
        chat = QWidget(self.splitter)
        self.splitter.setCollapsible(0, False)
        hbox(self, spacing=0).addWidget(self.splitter)
        column = vbox(chat, spacing=0)
        column.addWidget(self.header)
        column.addWidget(self.transcripts, 1)
        column.addLayout(bars)
        column.addWidget(self.composer)


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
        self.assistants = AssistantSelection(store, shared.library, window)
        self.asking = QuestionController(composer, sessions)
        self.remembering = MemoryController(
            engine.memories, loop, composer=composer, sessions=sessions, store=store
        )
        self.memory_store = self.remembering.memory_store
        self.indicators = ModelIndicators(composer, store, shared.catalogue, lambda: sessions.shown)
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
        self._build_answer_parts(window)
        self.switches = ComposerState(composer, store)
        self.pictures = ImageAttachments(composer, engine.pictures, loop)
        transcripts.note_model(composer.model.choice)

    def _build_answer_parts(self, window: QWidget) -> None:
        shared, notices, sessions, transcripts = self._shared, self.notices, self.sessions, self.transcripts
        self.checks = CitationCheckController(
            shared.engine.turns,
            shared.loop,
            notices=notices,
            sessions=sessions,
            store=shared.store,
            transcripts=transcripts,
            window=window,
        )
        self.adding = BaseAdditionController(
            shared.engine.knowledge,
            shared.loop,
            knowledge_store=shared.knowledge_store,
            notices=notices,
            sessions=sessions,
            store=shared.store,
            transcripts=transcripts,
            window=window,
        )

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
        return (
            *self._session_connections(),
            *self._page_connections(),
            *self._switch_connections(),
            *self._composer_connections(),
            *self._notice_connections(),
        )

    def _session_connections(self) -> Connections:
        sessions, composer, local_only = self.sessions, self.composer, self.local_only
        assistants, remembering = self.assistants, self.remembering
        return (
            # The assistant comes first: the draft of a conversation may change what the assistant sets.
            (sessions.current_changed, assistants.open),
            (sessions.current_changed, remembering.show_choice),
            (sessions.current_changed, composer.open_draft),
            (sessions.current_changed, self.pastes.withdraw),
            (sessions.current_changed, local_only.show_of),
            (sessions.started, assistants.note_started),
            (sessions.started, remembering.keep_choice),
            (sessions.started, composer.move_draft),
            (sessions.started, local_only.forget_new),
            (sessions.opened, self.asking.offer_history),
            (sessions.opened, self.indicators.count_anew),
            (sessions.opened, self.transcripts.show_transcript),
            (sessions.event_arrived, self.asking.watch),
            (sessions.event_arrived, self.transcripts.apply),
            (sessions.event_arrived, self.indicators.watch),
            (sessions.answer_ended, self.checks.check_new),
            (sessions.running_changed, composer.set_running),
            (sessions.question_returned, self.asking.give_back),
            (sessions.list_outdated, self.memory_store.refresh),
        )

    def _page_connections(self) -> Connections:
        transcripts = self.transcripts
        return (
            (transcripts.behind_changed, self.sessions.hold),
            (transcripts.card_opened, self.adding.tell_places),
            (transcripts.research_steered, self.asking.change_outline),
            (transcripts.research_steered, self.procedures.steer),
            (transcripts.memory_followed, self.remembering.show_source),
            (self.assistants.changed, transcripts.set_assistant),
        )

    def _switch_connections(self) -> Connections:
        """Return the connections of the switches with what they choose from, and with the settings."""
        composer, switches, indicators, assistants = (
            self.composer,
            self.switches,
            self.indicators,
            self.assistants,
        )
        store, catalogue, knowledge = (
            self._shared.store,
            self._shared.catalogue,
            self._shared.knowledge_store,
        )
        return (
            (store.changed, assistants.apply_settings),
            (store.changed, self.remembering.show_switch),
            (store.changed, indicators.refresh),
            (store.changed, switches.show),
            (self._shared.library.listed, assistants.note_conversations),
            (catalogue.models_listed, indicators.refresh),
            (catalogue.models_listed, switches.offer_models),
            (catalogue.engines_listed, switches.offer_engines),
            (knowledge.bases_listed, switches.offer_bases),
            (knowledge.items_listed, composer.bases.set_items),
            (assistants.listed, composer.assistant.set_assistants),
            (assistants.changed, switches.use_assistant),
            (assistants.reopened, switches.forget_picks),
            (composer.assistant.picked, assistants.pick),
            (composer.bases.items_asked, knowledge.list_items),
            (composer.bases.picked, switches.pick_bases),
            (composer.effort.picked, indicators.pick_effort),
            (composer.memory.picked, self.remembering.pick),
            (composer.model.picked, indicators.refresh),
            (composer.model.picked, switches.pick_model),
            (composer.model.changed, self.transcripts.note_model),
            (composer.local_only.picked, self.local_only.set),
            (composer.research.picked, switches.pick_depth),
            (composer.research.plan_picked, switches.pick_plan),
            (composer.web.picked, switches.pick_web),
        )

    def _composer_connections(self) -> Connections:
        composer, popup = self.composer, self.completion.completion
        return (
            (composer.submitted, self.asking.submit),
            (composer.stop_asked, self.sessions.stop),
            (composer.text.textChanged, self.indicators.measure_soon),
            (composer.text.text_given, self.pastes.keep),
            (composer.text.picture_given, self.pictures.attach),
            (composer.files.changed, self.indicators.measure_soon),
            (composer.files.changed, self.pictures.shrink_new),
            (self.asking.remember_asked, self.remembering.remember_typed),
            (self._shared.catalogue.models_listed, popup.refresh),
            (self._shared.knowledge_store.bases_listed, popup.refresh),
            (self.assistants.listed, popup.refresh),
            (self.past.changed, popup.refresh),
            (self.past.picked, self.citing.cite),
            (popup.began, self._shared.catalogue.refresh),
            (popup.mentioned, self.past.look_for),
        )

    def _notice_connections(self) -> Connections:
        notices = self.notices
        failing = (self.sessions, self.remembering, self.pictures, self.past_search)
        noticing = (self.asking, self.assistants, self.remembering, self.transcripts, self.switches)
        return (
            *((part.failed, notices.say_failed) for part in failing),
            *((part.noticed, notices.say) for part in noticing),
        )

    def opener_connections(self, opener: WindowOpener) -> Connections:
        """Return the connections with the other windows."""
        composer = self.composer
        return (
            (self.transcripts.file_followed, partial(self._show_source, opener)),
            (opener.page_checked, self.sessions.apply),
            (self.remembering.page_asked, opener.to_settings("memory")),
            (self.completion.prompts_asked, opener.to_settings("prompts")),
            (composer.assistant.manage_asked, opener.to_settings("assistants")),
            (composer.web.setup_asked, opener.to_settings("search")),
            (composer.model.setup_asked, opener.to_settings("models")),
            (composer.bases.manage_asked, opener.show_knowledge),
        )

    def _show_source(self, opener: WindowOpener, source: Source, words: str) -> None:
        chat = self.sessions.current
        opener.show_source(source, words, chat, partial(self.adding.offer_in_viewer, chat))

    def handlers(self) -> Handlers:
        """Return the handlers of the page actions that both windows have."""
        parts = (self.asking, self.checks, self.remembering, self.adding)
        return {action: handle for part in parts for action, handle in part.handlers.items()}

    def stop(self) -> None:
        """Stop what runs besides the answers."""
        self.checks.cancel_all()
        self.adding.stop()
        self.past_search.stop()
