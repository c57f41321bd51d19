"""The actions of the window with their current shortcuts, its state for the next start, and whether it may move."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QObject, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.system import DesktopIntegration
from desktop.domain.messages import ConversationInfo
from desktop.settings.model import Settings
from desktop.ui.actions import ACTIONS, ActionSpec, bindings, native
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.window.main_window import WindowPlace


class WindowActions:
    """The window's actions by id; their keys follow the settings."""

    def __init__(self, window: QWidget, store: SettingsStore) -> None:
        self._actions = {spec.id: _action(spec, window) for spec in ACTIONS}
        self._shortcuts = store.settings.window.shortcuts
        self._use(store.settings)
        self.retranslate()
        store.changed.connect(self._on_settings_changed)

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    @property
    def by_id(self) -> Mapping[str, QAction]:
        """All actions by id."""
        return self._actions

    def connect(self, slots: dict[str, Callable[[], object]]) -> None:
        """Connect actions, by id, to slots."""
        for action_id, slot in slots.items():
            self._actions[action_id].triggered.connect(slot)

    def retranslate(self) -> None:
        """Set the names of the actions in the current language."""
        for spec in ACTIONS:
            self._actions[spec.id].setText(QCoreApplication.translate("actions", spec.text))

    def tip(self, action_id: str) -> str:
        """Return an action's name and shortcut, for a tooltip."""
        action = self._actions[action_id]
        keys = "".join(native([action.shortcut().toString()]))
        return f"{action.text()}  {keys}".rstrip()

    def _use(self, settings: Settings) -> None:
        for action_id, binding in bindings(settings.window).items():
            self._actions[action_id].setShortcuts([QKeySequence(keys) for keys in binding.keys])

    def _on_settings_changed(self, settings: Settings) -> None:
        if settings.window.shortcuts != self._shortcuts:
            self._shortcuts = settings.window.shortcuts
            self._use(settings)


def _action(spec: ActionSpec, window: QWidget) -> QAction:
    action = QAction(window)
    action.setObjectName(spec.id)
    window.addAction(action)
    return action


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
