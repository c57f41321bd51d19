"""The assistant of the open conversation: stored with it, and in the settings for the next new conversation."""

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from desktop.chat.assistants import find, list_assistants
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.messages import ConversationInfo
from desktop.settings.model import Settings
from desktop.ui.chat.session_manager import NEW
from desktop.ui.i18n import language_of
from desktop.ui.stores.conversation_list import ConversationListStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.notice_bar import Notice


class AssistantSelection(QObject):
    """Knows all assistants and which one each conversation uses.

    Signals:
        listed: all assistants (tuple of Assistant).
        changed: the Assistant that answers in the open conversation.
        reopened: another conversation was opened; its assistant may be the same.
        noticed: a Notice that a conversation's assistant no longer exists.
    """

    listed = Signal(object)
    changed = Signal(object)
    reopened = Signal()
    noticed = Signal(object)

    def __init__(
        self,
        store: SettingsStore,
        library: ConversationListStore,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._library = library
        self._open = NEW
        self._of: dict[str, str] = {}
        self._told_gone = ""
        self.assistants: tuple[Assistant, ...] = ()
        self.current = GENERAL

    @Slot()
    def refresh(self) -> None:
        """Emit the assistants and the current one, named in the current language."""
        settings = self._store.settings
        self.assistants = list_assistants(settings, language_of(settings.window.language))
        self.listed.emit(self.assistants)
        self._look()

    @Slot(str)
    def pick(self, assistant_id: str) -> None:
        """Use another assistant for the open conversation and for new ones."""
        settings = self._store.settings
        if self._open != NEW and self._of.get(self._open) != assistant_id:
            self._of[self._open] = assistant_id
            self._library.assign(self._open, assistant_id)
        self._store.apply(replace(settings, chat=replace(settings.chat, assistant=assistant_id)))
        self._look()

    def _look(self) -> None:
        """Determine the current assistant, and report a change."""
        is_new = self._open == NEW
        wanted = self._store.settings.chat.assistant if is_new else self._of.get(self._open, "")
        found = find(self.assistants, wanted)
        if found is None:
            self._tell_gone()
        if (found or GENERAL) != self.current:
            self.current = found or GENERAL
            self.changed.emit(self.current)

    def _tell_gone(self) -> None:
        """Report once per conversation that its assistant was deleted, except for a new conversation."""
        if self._open not in (NEW, self._told_gone):
            self._told_gone = self._open
            words = self.tr("The assistant of this chat was deleted. Answers continue without it.")
            self.noticed.emit(Notice(words))

    @Slot(object)
    def note_conversations(self, infos: tuple[ConversationInfo, ...]) -> None:
        """Note which assistant each conversation uses."""
        self._of = {self._open: self._of.get(self._open, "")} | {info.id: info.assistant for info in infos}
        self._look()

    @Slot(str)
    def open(self, conversation_id: str) -> None:
        """Use the assistant of another conversation."""
        self._open = conversation_id
        self._look()
        self.reopened.emit()

    @Slot(str)
    def note_started(self, conversation_id: str) -> None:
        """Note that the new conversation has an id now."""
        self._of[conversation_id] = self.current.id
        self._open = conversation_id

    @Slot(object)
    def apply_settings(self, settings: Settings) -> None:
        """List the assistants of changed settings."""
        listed = list_assistants(settings, language_of(settings.window.language))
        if listed != self.assistants:
            self.assistants = listed
            self.listed.emit(listed)
        self._look()
