"""The contents of the main window: its parts, which connect themselves, and the state for the next start."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Services
from desktop.domain.messages import ConversationInfo
from desktop.ui.chat.session_manager import NEW
from desktop.ui.composer.message_edit import local_files
from desktop.ui.context.window_context import WindowContext
from desktop.ui.controllers.branch_controller import BranchController, ComparisonController
from desktop.ui.controllers.chat_controller import (
    ChatController,
    MainChatController,
    MessageNavigator,
    ProcedureController,
    WelcomeController,
)
from desktop.ui.controllers.citation_controller import CitationCheckController, InspectorController
from desktop.ui.controllers.completion_controller import CompletionController
from desktop.ui.controllers.composer_controller import (
    ComposerController,
    DraftSaver,
    EditController,
    PastAnswerController,
    PasteController,
    QuoteController,
)
from desktop.ui.controllers.history_controller import HistoryController
from desktop.ui.controllers.local_only_controller import LocalOnlyController
from desktop.ui.controllers.sidebar_controller import OrganizeController, SidebarController, TitleController
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.layout import hbox
from desktop.ui.window.drop_controller import DropController
from desktop.ui.window.main_window import SIDEBAR_WIDTH, SIZE, WindowPlace
from desktop.ui.window.notices import CaptchaNotifier, KeyringWarning, RerankerOffer, UpdateNotifier
from desktop.ui.window.quick_window import QuickWindowController
from desktop.ui.window.startup import StartupPage


class ReducedMotion(QObject):
    """Disables animations if the settings or the system request it. The system is asked once."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._is_wanted_by_system = False
        core.began.connect(self._ask)
        core.store.changed.connect(self._apply)
        self._apply()

    @Slot()
    def _ask(self) -> None:
        self._core.loop.run(self, self._core.engine.surroundings.wants_less_motion, self._on_told)

    @Slot(object)
    def _on_told(self, is_wanted: bool) -> None:
        self._is_wanted_by_system = is_wanted
        self._apply()

    @Slot()
    def _apply(self) -> None:
        is_chosen = self._core.store.settings.window.motion == "less"
        self._core.transcripts.set_still(is_chosen or self._is_wanted_by_system)


_SPLITTER = "splitter"
_SIDEBAR = "sidebar"
_CONVERSATION = "conversation"


class WindowState(QObject):
    """Restores the stored state of the window and saves every change."""

    def __init__(self, core: WindowContext, splitter: QSplitter, place: WindowPlace) -> None:
        super().__init__(core)
        self._core = core
        self._splitter = splitter
        self._place = place
        self._wanted = place.text(_CONVERSATION, NEW) if core.store.settings.program.reopens else NEW
        splitter.restoreState(place.state(_SPLITTER))
        core.sidebar.setHidden(place.text(_SIDEBAR) == "hidden")
        splitter.splitterMoved.connect(self._on_splitter_moved)
        core.sidebar_toggled.connect(self._on_sidebar_toggled)
        core.sessions.current_changed.connect(self._on_opened)
        core.sessions.started.connect(self._on_opened)
        core.library.listed.connect(self._on_listed)

    @Slot(object)
    def _on_listed(self, infos: Sequence[ConversationInfo]) -> None:
        """Open the last conversation, unless it was deleted or the user has opened another one."""
        wanted, self._wanted = self._wanted, NEW
        is_there = any(info.id == wanted for info in infos)
        if wanted != NEW and is_there and not self._core.sessions.is_running:
            self._core.sessions.open(wanted)

    @Slot(str)
    def _on_opened(self, conversation_id: str) -> None:
        self._wanted = NEW
        self._place.keep_text(_CONVERSATION, conversation_id)

    @Slot()
    def _on_splitter_moved(self) -> None:
        self._place.keep_state(_SPLITTER, self._splitter.saveState())

    @Slot()
    def _on_sidebar_toggled(self) -> None:
        self._place.keep_text(_SIDEBAR, "hidden" if self._core.sidebar.isHidden() else "shown")


_PARTS = (
    WelcomeController,
    BranchController,
    CitationCheckController,
    PastAnswerController,
    ComparisonController,
    DraftSaver,
    DropController,
    OrganizeController,
    HistoryController,
    InspectorController,
    KeyringWarning,
    PasteController,
    CompletionController,
    QuickWindowController,
    QuoteController,
    ProcedureController,
    EditController,
    LocalOnlyController,
    MessageNavigator,
    ReducedMotion,
    RerankerOffer,
    TitleController,
    UpdateNotifier,
)
"""The parts created with the window. Parts with slow imports are created in `_make_late_parts`."""

_PAGE_MS = 2_000
"""The time after which data is read from disk even if the page is not ready, in milliseconds."""

_Connections = tuple[tuple[SignalInstance, Callable[..., object]], ...]


class Workspace(Retranslated, QWidget):
    """The contents of a window, or a window itself.

    It paints first; the page, which needs QtWebEngine, and everything from disk follow.

    Signals:
        furnished: the conversation page exists.
    """

    furnished = Signal()

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
        self._is_painted = False
        front = front or StartupPage(engine.preferences, loop, app, self)
        self._front = front
        self.store, self.looks = front.store, front.looks
        self.core = core = WindowContext(engine, loop, self.store, self)
        self.sessions, self.asking, self.library, self.opener = (
            core.sessions,
            core.asking,
            core.library,
            core.opener,
        )
        self.catalogue, self.knowledge_store, self.shortcuts = (
            core.catalogue,
            core.knowledge_store,
            core.actions,
        )
        self.sidebar, self.transcripts, self.composer = core.sidebar, core.transcripts, core.composer
        self.jobs, self.notices, self.consent_bar = core.jobs, core.notices, core.consent_bar
        self.drop_zone = core.drop_zone
        ChatController(core)
        MainChatController(core)
        self._listing = SidebarController(core)
        self.start_new, self.say_failed = self._listing.start_new, core.notices.say_failed
        for part in _PARTS:
            part(core)
        self._captchas = CaptchaNotifier(engine.searches, loop, self)
        self._composing = ComposerController(core)
        for signal, slot in (*self._part_connections(), *self._opener_connections()):
            signal.connect(slot)
        self._connect_actions()
        self._lay_out()
        self._retranslate()
        self.composer.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Create everything else after the first paint."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self._furnish)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show the drop targets."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self.drop_zone.appear()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the drop targets."""
        self.drop_zone.leave()

    def cancel_all(self) -> None:
        """Stop every answer and every import. Their final events follow while the loop still runs."""
        self.core.ending.emit()

    def _lay_out(self) -> None:
        self.setAcceptDrops(True)
        self.splitter = splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(self.sidebar)
        splitter.addWidget(self.core.pane)
        splitter.setCollapsible(1, False)
        splitter.setStretchFactor(1, 1)
        splitter.setHandleWidth(1)
        splitter.setSizes([SIDEBAR_WIDTH, SIZE.width() - SIDEBAR_WIDTH])
        hbox(self, spacing=0).addWidget(splitter)

    def _part_connections(self) -> _Connections:
        core, asking, notices, captchas = self.core, self.asking, self.notices, self._captchas
        return (
            (self.sessions.event_arrived, captchas.watch),
            (self.sessions.running_changed, captchas.settle),
            (captchas.noticed, notices.say),
            (captchas.solved, asking.repeat),
            (core.consents.changed, self.consent_bar.show_questions),
            (self.consent_bar.answered, core.consents.answer),
            (self.knowledge_store.created, self._composing.settings.switch_base_on),
            (self.knowledge_store.added, self.jobs.watch),
            (self.store.changed, self._retranslate),
            (core.began, self.opener.look_for_browser),
            (self.store.saved, self.catalogue.refresh),
            (self.store.secrets_kept, self.catalogue.refresh),
            (self.composer.model.opened, self.catalogue.refresh),
        )

    def _opener_connections(self) -> _Connections:
        opener = self.opener
        return (
            (opener.read_asked, self.asking.read_item),
            (self.sidebar.knowledge_asked, opener.show_knowledge),
            (self.sidebar.settings_asked, opener.to_settings("models")),
        )

    def _connect_actions(self) -> None:
        self.shortcuts.connect(
            {
                "settings": self.opener.to_settings("models"),
                "knowledge": self.opener.show_knowledge,
                "assistant": self.composer.assistant.showMenu,
                "consent": self.consent_bar.focus,
                "help": self.opener.show_shortcuts,
                "quit": self.core.quit_asked.emit,
                "health": self.opener.to_settings("help"),
            }
        )

    @Slot()
    def _furnish(self) -> None:
        self.looks.dress(self.transcripts)
        self.core.painted.emit()
        # Anything requested earlier would delay the page, which the user sees first.
        self.transcripts.page_ready.connect(self.core.begin)
        QTimer.singleShot(_PAGE_MS, self.core, self.core.begin)
        engine = self.core.engine
        self.transcripts.furnish(self.core.loop, engine.icons, engine.pictures, self._front.page)
        _make_late_parts(self.core)
        if (asked := self._front.take_asked()) is not None:
            self.transcripts.action_requested.emit(asked)
        self.furnished.emit()

    @Slot()
    def _retranslate(self) -> None:
        self.shortcuts.retranslate()
        self.core.header.name_buttons(self.shortcuts)
        self._listing.show_title()


def _make_late_parts(core: WindowContext) -> None:
    from desktop.ui.controllers.export_controller import make_exporting  # noqa: PLC0415 - not before the first paint
    from desktop.ui.window.notifications import Notifications  # noqa: PLC0415 - same

    make_exporting(core)
    Notifications(core)
