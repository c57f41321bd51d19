"""The contents of the main window: builds its parts, and connects them in one table."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Services
from desktop.ui.actions import WindowActions
from desktop.ui.chat.session_manager import NEW
from desktop.ui.chat.tool_approvals import ToolApprovals
from desktop.ui.composer.message_edit import local_files
from desktop.ui.controllers.branch_controller import BranchController, ComparisonController
from desktop.ui.controllers.citation_controller import InspectorController
from desktop.ui.controllers.composer_controller import (
    DraftSaver,
    DropController,
    EditController,
    QuoteController,
)
from desktop.ui.controllers.history_controller import HistoryController
from desktop.ui.controllers.main_chat import KeyboardNavigator, WelcomeController
from desktop.ui.controllers.sidebar_controller import OrganizeController, SidebarController, TitleController
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.import_bar import BaseChooser
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.stores.catalogue import CatalogueStore, EmbedderStore, LocalModelStore
from desktop.ui.stores.conversations import ConversationListStore, HistorySearch
from desktop.ui.stores.global_shortcut import GlobalShortcut
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.transcript.message_action import ActionHandlers
from desktop.ui.widgets.layout import hbox
from desktop.ui.window.chat_parts import ChatPane, ChatParts, Connections, SharedStores, connect
from desktop.ui.window.main_window import SIDEBAR_WIDTH, SIZE, WindowPlace
from desktop.ui.window.notices import CaptchaNotifier, KeyringWarning, RerankerOffer, UpdateNotifier
from desktop.ui.window.quick_window import QuickWindowController
from desktop.ui.window.startup import StartupPage
from desktop.ui.window.window_opener import WindowOpener
from desktop.ui.window.window_state import ReducedMotion, WindowState

if TYPE_CHECKING:
    from desktop.ui.window.notifications import Notifications

_PAGE_MS = 2_000
"""The time after which data is read from disk even if the page is not ready, in milliseconds."""


class Workspace(Retranslated, QWidget):
    """The contents of a window, or a window itself.

    It paints first; the page, which needs QtWebEngine, and everything from disk follow.

    Signals:
        furnished: the conversation page exists.
        began: the window is displayed; data from disk or network can be requested.
        called: the window should come to the front.
        quick_asked: the quick window should open.
        quick_left: the quick window is hidden and generates no answer.
        quit_asked: the user wants to quit.
        ending: running work must stop; its final events follow while the loop still runs.
    """

    furnished = Signal()
    began = Signal()
    called = Signal()
    quick_asked = Signal()
    quick_left = Signal()
    quit_asked = Signal()
    ending = Signal()

    def __init__(
        self,
        engine: Services,
        loop: BackgroundLoop,
        app: QApplication,
        parent: QWidget | None = None,
        front: StartupPage | None = None,
    ) -> None:
        """Create the contents, using the parts that were created earlier in `front`."""
        super().__init__(parent)
        self.has_begun = False
        self._is_painted = False
        self._has_late_parts = False
        self._place: WindowPlace | None = None
        self._front = front = front or StartupPage(engine.preferences, loop, app, self)
        self._engine, self._loop = engine, loop
        self.store, self.looks = front.store, front.looks
        self.shortcuts = WindowActions(self, self.store)
        self.handlers = ActionHandlers()
        self._build_stores()
        self._build_chat()
        self._build_chat_controllers()
        self._build_answer_controllers()
        self._build_list_controllers()
        self._build_notices()
        connect(self.chat.connections())
        connect(self.chat.opener_connections(self.opener))
        connect(self._connections())
        self.shortcuts.connect(self._action_slots())
        self.shortcuts["stop"].setEnabled(False)
        self.handlers.add(self.chat.handlers())
        for part in (self._branching, self._comparing, self._inspecting, self._quoting, self._editing):
            self.handlers.add(part.handlers)
        self._lay_out()
        self._name_history_button()
        self._retranslate()
        self.composer.setFocus()

    def _build_stores(self) -> None:
        engine, loop = self._engine, self._loop
        self.library = ConversationListStore(engine.conversations, engine.filing, loop, self)
        self.catalogue = CatalogueStore(engine.catalogue, loop, self)
        self.knowledge_store = KnowledgeStore(engine.knowledge, loop, self)
        self.embedders = EmbedderStore(engine.embedders, loop, self.store, self)
        self.local_models = LocalModelStore(engine.local_models, loop, self.store, self)
        self.quick_key = GlobalShortcut(engine.surroundings, loop, self.store, self)
        self.shared = SharedStores(
            engine, loop, self.store, self.library, self.catalogue, self.knowledge_store
        )

    def _build_chat(self) -> None:
        self.sidebar, self.pane = Sidebar(self), ChatPane(self)
        pane = self.pane
        self.transcripts, self.composer, self.notices = pane.transcripts, pane.composer, pane.notices
        self.jobs, self.consent_bar, self.drop_zone = pane.jobs, pane.consent_bar, pane.drop_zone
        self.say_failed = pane.notices.say_failed
        self.chat = ChatParts(
            self.shared,
            self,
            composer=self.composer,
            transcripts=self.transcripts,
            notices=self.notices,
            outlives_window=True,
        )
        self.sessions, self.asking = self.chat.sessions, self.chat.asking
        self._consents = ToolApprovals(self._engine.turns, self.store, self._loop, self)
        self.opener = WindowOpener(
            self._engine,
            self._loop,
            store=self.store,
            catalogue=self.catalogue,
            memories=self.chat.memory_store,
            knowledge_store=self.knowledge_store,
            embedders=self.embedders,
            local_models=self.local_models,
            conversation=lambda: self.sessions.current,
            quick_key=self.quick_key,
            window=self,
        )

    def _build_chat_controllers(self) -> None:
        engine, loop, composer, transcripts = self._engine, self._loop, self.composer, self.transcripts
        asking, sessions, notices = self.asking, self.sessions, self.notices
        header = self.pane.header
        self._keyboard = KeyboardNavigator(
            composer, (header.toggle, header.share), self.sidebar, transcripts, self
        )
        self._welcome = WelcomeController(
            engine.make_example,
            loop,
            composer=composer,
            library=self.library,
            notices=notices,
            sessions=sessions,
            store=self.store,
            transcripts=transcripts,
            window=self,
        )
        self._drafts = DraftSaver(
            engine.drafts, engine.question_journal, loop, composer=composer, notices=notices
        )
        self._quoting = QuoteController(composer, sessions, transcripts)
        self._editing = EditController(asking, composer, sessions, self.pane.revising)

    def _build_answer_controllers(self) -> None:
        engine, loop, asking, sessions = self._engine, self._loop, self.asking, self.sessions
        notices = self.notices
        self._branching = BranchController(
            engine.branches,
            loop,
            asking=asking,
            catalogue=self.catalogue,
            library=self.library,
            notices=notices,
            sessions=sessions,
            titles=self.sidebar.model,
            window=self,
        )
        self._comparing = ComparisonController(
            engine.conversations,
            engine.turns,
            loop,
            asking=asking,
            catalogue=self.catalogue,
            model=self.composer.model,
            notices=notices,
            sessions=sessions,
            window=self,
        )
        self._inspecting = InspectorController(
            engine.conversations,
            loop,
            asking=asking,
            catalogue=self.catalogue,
            notices=notices,
            sessions=sessions,
            window=self,
        )

    def _build_list_controllers(self) -> None:
        engine, loop, sidebar, sessions = self._engine, self._loop, self.sidebar, self.sessions
        self._listing = SidebarController(
            sessions, composer=self.composer, header=self.pane.header, sidebar=sidebar, window=self
        )
        self.start_new = self._listing.start_new
        self._titling = TitleController(
            engine.titles,
            loop,
            library=self.library,
            model=sidebar.model,
            notices=self.notices,
            store=self.store,
            view=sidebar.view,
        )
        self._organizing = OrganizeController(self.library, sessions, composer=self.composer, sidebar=sidebar)
        self._history_search = HistorySearch(engine.history, loop, self)
        self._history = HistoryController(
            self._history_search,
            engine.branches,
            loop,
            notices=self.notices,
            sessions=sessions,
            sidebar=sidebar,
            transcripts=self.transcripts,
            window=self,
        )
        self._base_chooser = BaseChooser(self.knowledge_store, self)
        self._dropping = DropController(
            self._base_chooser,
            composer=self.composer,
            notices=self.notices,
            sessions=sessions,
            sidebar=sidebar,
        )
        self._quick = QuickWindowController(self.shared, self.opener, self.transcripts, self)

    def _build_notices(self) -> None:
        engine, loop, notices = self._engine, self._loop, self.notices
        self._captchas = CaptchaNotifier(engine.searches, loop, self)
        self._keyring = KeyringWarning(engine.preferences, notices)
        self._rerankers = RerankerOffer(engine.embedders, loop, self.store, notices)
        self._updates = UpdateNotifier(engine.updates, loop, notices)
        self._motion = ReducedMotion(engine.surroundings, loop, self.store, self.transcripts)

    def _connections(self) -> Connections:
        """Return all connections between parts of the main window that are not those of a chat."""
        return (
            *self._chat_connections(),
            *self._list_connections(),
            *self._store_connections(),
            *self._start_and_end_connections(),
        )

    def _chat_connections(self) -> Connections:
        asking, sessions, transcripts = self.asking, self.sessions, self.transcripts
        composer, notices, editing, header = self.composer, self.notices, self._editing, self.pane.header
        return (
            (transcripts.action_requested, self.handlers.handle),
            (transcripts.page_ready, self._keyboard.order_tabs),
            (transcripts.answer_followed, self._history.show_answer),
            (asking.asked, self._welcome.end),
            (asking.asked, editing.end),
            (asking.found_busy, self._branching.say_busy),
            (self._branching.settings_asked, self.opener.show_settings),
            (composer.model.compare_asked, self._comparing.pick),
            (composer.left_out, self._dropping.say_left_out),
            (composer.draft_changed, self._drafts.note_changed),
            (self._drafts.listed, self.sidebar.model.set_drafts),
            (sessions.question_returned, self._drafts.note_returned),
            (sessions.running_changed, self.shortcuts["stop"].setEnabled),
            (sessions.current_changed, self._listing.select),
            (sessions.current_changed, self._history.forget_other),
            (sessions.current_changed, editing.leave),
            (sessions.running_changed, editing.set_running),
            (sessions.opened, self._history.show_place),
            (sessions.opened, self._captchas.note_opened),
            (sessions.event_arrived, self._captchas.watch),
            (sessions.running_changed, self._captchas.repeat_if_solved),
            (self._captchas.noticed, notices.say),
            (self._captchas.solved, asking.repeat),
            (self.pane.revising.given_up, editing.give_up),
            (sessions.current_changed, self._consents.show),
            (sessions.started, self._consents.show),
            (sessions.tool_asked, self._consents.ask),
            (sessions.all_running_changed, self._consents.keep_running),
            (self._consents.failed, notices.say_failed),
            (self._consents.changed, self.consent_bar.show_questions),
            (self.consent_bar.answered, self._consents.answer),
            (self.drop_zone.attached, composer.attach_files),
            (self.drop_zone.read_asked, asking.prepare_reading),
            (self.drop_zone.check_asked, asking.prepare_check),
            (self.drop_zone.kept, self._base_chooser.choose),
            (header.toggle.clicked, self._listing.toggle),
        )

    def _list_connections(self) -> Connections:
        library, sessions, sidebar, organizing = self.library, self.sessions, self.sidebar, self._organizing
        model, view = sidebar.model, sidebar.view
        return (
            (library.listed, self._listing.show_conversations),
            (library.folders_listed, model.show_folders),
            (library.folder_made, organizing.rename_folder),
            (library.restored, organizing.reopen),
            (library.noticed, self.notices.say),
            (library.withdrawn, self.notices.withdraw),
            (sessions.list_outdated, library.refresh_one),
            (sessions.all_running_changed, model.set_running),
            (sessions.started, self._titling.note_new),
            (sessions.answered, self._titling.make),
            (self._consents.waiting_changed, model.set_waiting),
            (self.chat.assistants.listed, sidebar.set_assistants),
            (self.chat.assistants.listed, self._history.set_assistants),
            (sidebar.new_asked, self.start_new),
            (sidebar.new_folder_asked, organizing.make_folder),
            (sidebar.knowledge_asked, self.opener.show_knowledge),
            (sidebar.settings_asked, self.opener.to_settings("appearance")),
            (sidebar.filter.returnPressed, self._history.search_unmatched),
            (self._history.cite_asked, self.chat.citing.cite),
            (self.shortcuts["history"].changed, self._name_history_button),
            (view.chosen, sessions.open),
            (view.action_asked, organizing.act),
            (view.folder_action_asked, organizing.act_on_folder),
            (view.undo_asked, library.undo),
            (organizing.titles_asked, self._titling.suggest),
            (model.renamed, library.rename),
            (model.folder_renamed, organizing.set_folder_name),
            (model.folded, organizing.set_folder_open),
            (model.dropped, library.arrange),
            (model.folder_dropped, organizing.move_folder),
        )

    def _store_connections(self) -> Connections:
        store, library, knowledge, opener = self.store, self.library, self.knowledge_store, self.opener
        return (
            *((each.failed, self.say_failed) for each in (store, library, knowledge, self.catalogue)),
            (store.changed, self._motion.apply),
            (store.changed, self._retranslate),
            (store.saved, self.catalogue.refresh),
            (self.local_models.ended, self.catalogue.refresh),
            (store.secrets_kept, self.catalogue.refresh),
            (store.secrets_kept, self._keyring.warn),
            (self.composer.model.opened, self.catalogue.refresh),
            (knowledge.bases_listed, self._rerankers.look_at),
            (knowledge.created, self.chat.switches.switch_base_on),
            (knowledge.added, self.jobs.watch),
            (self._rerankers.settings_asked, opener.to_settings("knowledge")),
            (self._updates.news_asked, opener.show_release_notes),
            (opener.noticed, self.notices.say),
            (opener.read_asked, self.asking.read_item),
            (opener.data_changed, self._reread),
        )

    def _start_and_end_connections(self) -> Connections:
        quick = self._quick
        return (
            (self.began, self._drafts.load),
            (self.began, self._history_search.keep_up),
            (self.began, self.chat.local_only.load_new),
            (self.began, self._motion.ask),
            (self.began, self._updates.begin),
            (self.began, self.opener.look_for_browser),
            (self.quick_key.pressed, quick.show),
            (self.quick_asked, quick.show),
            (quick.opening, self.begin),
            (quick.called, self.called),
            (quick.left, self.quick_left),
            (quick.taken_over, self.sessions.adopt),
            (self.ending, self.sessions.stop_all),
            (self.ending, self.knowledge_store.cancel_all),
            (self.ending, self.quick_key.stop),
            (self.ending, self.chat.stop),
            (self.ending, self._drafts.keep),
            (self.ending, self._history_search.stop),
            (self.ending, quick.end),
        )

    def _action_slots(self) -> dict[str, Callable[..., object]]:
        """Return what the actions of the window do. `_connect_late_parts` adds those that need slow imports."""
        opener, listing, keyboard = self.opener, self._listing, self._keyboard
        return {
            "new_chat": self.start_new,
            "new_folder": self._organizing.make_folder,
            "check_text": partial(self.asking.prepare_check, ()),
            "filter": self.sidebar.focus_filter,
            "history": partial(self._search_history, ""),
            "next": partial(listing.open_neighbour, 1),
            "previous": partial(listing.open_neighbour, -1),
            "sidebar": listing.toggle,
            "stop": self.sessions.stop,
            "find": self.transcripts.find_words,
            "focus_composer": self.composer.text.setFocus,
            "message_above": partial(keyboard.step, -1),
            "message_below": partial(keyboard.step, 1),
            "retry": self._branching.repeat_last,
            "earlier": partial(self._branching.turn_last, -1),
            "later": partial(self._branching.turn_last, 1),
            "compare": self._comparing.pick,
            "inspect": self._inspecting.inspect_last,
            "quote": self._quoting.quote_selection,
            "edit_last": self._editing.edit_last,
            "assistant": self.composer.choose_assistant,
            "consent": self.consent_bar.focus,
            "knowledge": opener.show_knowledge,
            "settings": opener.to_settings("appearance"),
            "health": opener.to_settings("help"),
            "help": opener.show_shortcuts,
            "quit": self.quit_asked.emit,
        }

    def _build_late_parts(self) -> None:
        """Build the parts whose imports are slow, and connect them; once."""
        if self._has_late_parts:
            return
        self._has_late_parts = True
        from desktop.ui.window.late_parts import build_late_parts  # noqa: PLC0415 - not before the first paint

        late = build_late_parts(
            self.shared,
            self.chat,
            conditions={"consent": self.consent_bar.isVisible, "stop": lambda: self.sessions.is_running},
            handlers=self.handlers,
            history=self._history,
            opener=self.opener,
            pane=self.pane,
            place=self._place,
            shortcuts=self.shortcuts,
            sidebar=self.sidebar,
            window=self,
        )
        connect(late.connections)
        self._inspecting.set_panel(late.panel)
        connect(
            (
                (self.sessions.event_arrived, self._inspecting.follow),
                (self._inspecting.steered, self.chat.procedures.steer),
                (self._inspecting.left, late.panel.close),
            )
        )
        connect(self._notification_connections(late.notifying))
        self.ending.connect(late.palette_search.stop)
        self.shortcuts.connect(late.slots)
        self.handlers.add(late.handlers)

    def _notification_connections(self, notifying: "Notifications") -> Connections:
        return (
            (self.sessions.answer_ended, notifying.note_ended),
            (self.sessions.all_running_changed, notifying.note_running),
            (self.sessions.tool_asked, notifying.tell_tool),
            (self.knowledge_store.added, notifying.watch),
            (notifying.called, self.called),
            (notifying.conversation_asked, self.sessions.open),
            (notifying.knowledge_asked, self.opener.show_knowledge),
            (self.ending, notifying.withdraw),
        )

    def keep_state(self, place: WindowPlace) -> None:
        """Restore the state that is stored in `place`, and save its changes there."""
        self._place = place
        state = WindowState(
            place, self.splitter, sessions=self.sessions, sidebar=self.sidebar, store=self.store
        )
        connect(
            (
                (self.splitter.splitterMoved, state.keep_splitter),
                (self._listing.toggled, state.keep_sidebar),
                (self.sessions.current_changed, state.keep_conversation),
                (self.sessions.started, state.keep_conversation),
                (self.library.listed, state.reopen),
            )
        )

    @Slot()
    def begin(self) -> None:
        """Request the data from disk, once."""
        if self.has_begun:
            return
        self.has_begun = True
        self.began.emit()
        self._refresh_stores()
        self.library.watch()
        self.quick_key.start()
        if not self._is_painted:  # it started hidden, where topics are looked up as well
            self._build_late_parts()

    def _refresh_stores(self) -> None:
        chat = self.chat
        for store in (self.library, self.catalogue, self.knowledge_store, chat.assistants, chat.memory_store):
            store.refresh()

    @Slot()
    def _reread(self) -> None:
        """Reload everything after the data was replaced. The open conversation may no longer exist."""
        self.store.reread()
        self.sessions.open(NEW)
        self._refresh_stores()

    @Slot()
    def call_with_new(self) -> None:
        """Bring the window to the front with a new conversation."""
        self.called.emit()
        self.start_new()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Create everything else after the first paint."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self._furnish)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show the drop targets."""
        if paths := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.drop_zone.appear(paths)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the drop targets."""
        self.drop_zone.leave()

    @Slot(int)
    def fit(self, width: int) -> None:
        """Give the page the room of the sidebar in a narrow window."""
        self._listing.fit(width)

    def cancel_all(self) -> None:
        """Stop every answer and every import. Their final events follow while the loop still runs."""
        self.ending.emit()

    def _lay_out(self) -> None:
        self.setAcceptDrops(True)
        self.splitter = splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(self.sidebar)
        splitter.addWidget(self.pane)
        splitter.setCollapsible(1, False)
        splitter.setStretchFactor(1, 1)
        splitter.setHandleWidth(1)
        splitter.setSizes([SIDEBAR_WIDTH, SIZE.width() - SIDEBAR_WIDTH])
        hbox(self, spacing=0).addWidget(splitter)

    @Slot()
    def _furnish(self) -> None:
        self.looks.dress(self.transcripts)
        self._greet()
        # Anything requested earlier would delay the page, which the user sees first.
        self.transcripts.page_ready.connect(self.begin)
        QTimer.singleShot(_PAGE_MS, self, self.begin)
        engine = self._engine
        self.transcripts.furnish(self._loop, engine.icons, engine.pictures, self._front.page)
        self._build_late_parts()
        if (asked := self._front.take_asked()) is not None:
            self.transcripts.action_requested.emit(asked)
        self.furnished.emit()

    def _greet(self) -> None:
        if (welcome := self._welcome.show(self.opener.context())) is None:
            return
        if self.has_begun:  # the window started hidden, and data was requested before the first paint
            welcome.look_around()
        else:
            self.began.connect(welcome.look_around)

    def _search_history(self, words: str, _checked: bool = False) -> None:
        self._history.search(words)

    @Slot()
    def _name_history_button(self) -> None:
        self._history.name_button(*self._name_and_tip("history"))

    def _name_and_tip(self, action: str) -> tuple[str, str]:
        return self.shortcuts[action].text(), self.shortcuts.tip(action)

    @Slot()
    def _retranslate(self) -> None:
        self.shortcuts.retranslate()
        self.pane.header.name_buttons(self._name_and_tip("sidebar"), self._name_and_tip("export"))
        self._listing.show_title()
