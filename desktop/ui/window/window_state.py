"""The state of the main window for the next start, and whether things in it may move."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.system import DesktopIntegration
from desktop.domain.messages import ConversationInfo
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.window.main_window import WindowPlace

_SPLITTER = "splitter"
_SIDEBAR = "sidebar"
_CONVERSATION = "conversation"


class ReducedMotion(QObject):
    """Disables animations if the settings or the system request it. The system is asked once."""

    def __init__(
        self,
        surroundings: DesktopIntegration,
        loop: BackgroundLoop,
        store: SettingsStore,
        transcripts: TranscriptStack,
    ) -> None:
        super().__init__(transcripts)
        self._surroundings = surroundings
        self._loop = loop
        self._store = store
        self._transcripts = transcripts
        self._is_wanted_by_system = False
        self.apply()

    @Slot()
    def ask(self) -> None:
        """Ask the system."""
        self._loop.run(self, self._surroundings.wants_less_motion, self._on_told)

    @Slot(object)
    def _on_told(self, is_wanted: bool) -> None:
        self._is_wanted_by_system = is_wanted
        self.apply()

    @Slot()
    def apply(self) -> None:
        """Apply the settings."""
        is_chosen = self._store.settings.window.motion == "less"
        self._transcripts.set_still(is_chosen or self._is_wanted_by_system)


class WindowState(QObject):
    """Restores the stored state of the window and saves every change."""

    def __init__(
        self,
        place: WindowPlace,
        splitter: QSplitter,
        *,
        sessions: SessionManager,
        sidebar: QWidget,
        store: SettingsStore,
    ) -> None:
        super().__init__(splitter)
        self._place = place
        self._splitter = splitter
        self._sessions = sessions
        self._sidebar = sidebar
        self._wanted = place.text(_CONVERSATION, NEW) if store.settings.program.reopens else NEW
        splitter.restoreState(place.state(_SPLITTER))
        if place.text(_SIDEBAR) == "hidden":
            sidebar.hide()

    @Slot(object)
    def reopen(self, infos: Sequence[ConversationInfo]) -> None:
        """Open the last conversation, unless it was deleted or the user has opened another one."""
        wanted, self._wanted = self._wanted, NEW
        is_there = any(info.id == wanted for info in infos)
        if wanted != NEW and is_there and not self._sessions.is_running:
            self._sessions.open(wanted)

    @Slot(str)
    def keep_conversation(self, conversation_id: str) -> None:
        """Save which conversation is open."""
        self._wanted = NEW
        self._place.keep_text(_CONVERSATION, conversation_id)

    @Slot()
    def keep_splitter(self) -> None:
        """Save the width of the sidebar."""
        self._place.keep_state(_SPLITTER, self._splitter.saveState())

    @Slot()
    def keep_sidebar(self) -> None:
        """Save whether the sidebar is shown."""
        self._place.keep_text(_SIDEBAR, "hidden" if self._sidebar.isHidden() else "shown")
