"""Saves facts that the user wants remembered, and controls whether a conversation may use memories."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Memories
from desktop.domain.drafts import Draft
from desktop.domain.memory import Memory
from desktop.domain.sources import Source
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.composer.composer import Composer
from desktop.ui.stores.memory_store import MemoryStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.notice_bar import Notice, undo_notice

_SHOWN_CHARS = 80
_KEY = "memory:"


class MemoryController(QObject):
    """Saves facts that are typed or selected on the page. Each can be undone at once.

    Signals:
        noticed: a Notice that says what was remembered.
        page_asked: requests the page of the memories.
        failed: the error that prevented saving a fact.
    """

    noticed = Signal(object)
    page_asked = Signal()
    failed = Signal(object)

    def __init__(
        self,
        memories: Memories,
        loop: BackgroundLoop,
        *,
        composer: Composer,
        sessions: SessionManager,
        store: SettingsStore,
    ) -> None:
        super().__init__(composer)
        self._memories = memories
        self._loop = loop
        self._composer = composer
        self._sessions = sessions
        self._store = store
        self.memory_store = MemoryStore(memories, loop, self)
        self.memory_store.listed.connect(self.show_switch)
        self.memory_store.failed.connect(self.failed)

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that remember."""
        return {
            MessageAction.REMEMBER: self.remember,
        }

    def remember(self, request: ActionRequest) -> None:
        """Remember the text selected on the page, or the whole text of a user's message."""
        question = None if request.text else self._sessions.shown.question_of(request.message_id)
        if text := request.text or (question.text if question else ""):
            self._keep(text, self._nothing)

    @Slot(object)
    def show_source(self, source: Source) -> None:
        """Show the memory that an answer cites."""
        self.memory_store.ask_to_show(source.key.removeprefix(_KEY))
        self.page_asked.emit()

    @Slot(str, object)
    def remember_typed(self, fact: str, draft: Draft) -> None:
        """Remember a fact that was typed; `draft` returns to the composer if that is undone or fails."""
        self._keep(fact, partial(self._composer.give_back, self._sessions.current, draft))

    def _keep(self, text: str, undo: Callable[[], None]) -> None:
        """Remember a fact. `undo` restores the typed text when saving is undone or fails."""
        self._loop.run(
            self,
            partial(self._memories.add, text),
            partial(self._on_kept, undo),
            partial(self._on_failed, undo),
        )

    def _on_kept(self, undo: Callable[[], None], memory: Memory) -> None:
        is_long = len(memory.text) > _SHOWN_CHARS
        shown = f"{memory.text[:_SHOWN_CHARS]}…" if is_long else memory.text
        if any(known.id == memory.id for known in self.memory_store.memories):
            words = self.tr("Already in memory: “{fact}”")
            self.noticed.emit(Notice(words.format(fact=shown)))
            return
        words = self.tr("Saved to memory: “{fact}”").format(fact=shown)
        self.noticed.emit(undo_notice(words, partial(self._take_back, memory, undo)))
        self.memory_store.refresh()

    def _take_back(self, memory: Memory, undo: Callable[[], None]) -> None:
        self.memory_store.delete(memory)
        undo()

    def _on_failed(self, undo: Callable[[], None], error: Exception) -> None:
        self.failed.emit(error)
        undo()

    @Slot()
    def show_switch(self) -> None:
        """Show the switch for memories if there are any."""
        self._composer.memory.set_offered(
            bool(self.memory_store.memories) and self._store.settings.memory.is_on
        )

    @Slot(bool)
    def pick(self, is_on: bool) -> None:
        """Set whether the open conversation may use memories."""
        if self._sessions.current != NEW:
            self._use_in(self._sessions.current, is_on)

    @Slot(str)
    def keep_choice(self, conversation_id: str) -> None:
        """Save the setting of a new conversation."""
        if not self._composer.memory.is_on:
            self._use_in(conversation_id, is_on=False)

    @Slot(str)
    def show_choice(self, conversation_id: str) -> None:
        """Show the setting of a conversation."""
        # Off until the setting is known: a question asked meanwhile must not send excluded memories.
        self._composer.memory.show_choice(is_on=conversation_id == NEW)
        if conversation_id != NEW:
            self._loop.run(
                self,
                partial(self._memories.is_used_in, conversation_id),
                partial(self._on_known, conversation_id),
                self.failed,
            )

    def _on_known(self, conversation_id: str, is_on: bool) -> None:
        if conversation_id == self._sessions.current:
            self._composer.memory.show_choice(is_on=is_on)

    def _use_in(self, conversation_id: str, is_on: bool) -> None:
        self._loop.run(self, partial(self._memories.use_in, conversation_id, is_on), failed=self.failed)

    @staticmethod
    def _nothing() -> None:
        """Do nothing."""
