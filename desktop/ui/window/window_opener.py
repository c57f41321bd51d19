"""Opens the other windows: settings, knowledge bases, files, and the browser download."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Services
from desktop.domain.knowledge import ItemInfo, ItemKind, PassageInfo
from desktop.domain.program import Release
from desktop.domain.sources import Source
from desktop.ui.stores.catalogue import CatalogueStore, EmbedderStore, LocalModelStore
from desktop.ui.stores.global_shortcut import GlobalShortcut
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.memory_store import MemoryStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.notice_bar import Notice

# Dialogs are imported when they are first opened, after the first paint.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from desktop.ui.settings.rows import SettingsContext


class WindowOpener(QObject):
    """Opens dialogs over the window. Their modules are imported when first needed.

    Signals:
        noticed: a Notice about what is missing.
        read_asked: key of the `Scope` of an item to read for the user, and its name.
        data_changed: conversations, memories or bases were replaced.
        page_checked: id of a conversation and `PagesChecked`: a kept page was read again.
    """

    noticed = Signal(object)
    read_asked = Signal(str, str)
    data_changed = Signal()
    page_checked = Signal(str, object)

    def __init__(
        self,
        engine: Services,
        loop: BackgroundLoop,
        *,
        store: SettingsStore,
        catalogue: CatalogueStore,
        memories: MemoryStore,
        knowledge_store: KnowledgeStore,
        embedders: EmbedderStore,
        local_models: LocalModelStore,
        quick_key: GlobalShortcut,
        conversation: Callable[[], str],
        window: QWidget,
    ) -> None:
        """Initialize; `conversation` returns the id of the open conversation, or an empty string."""
        super().__init__(window)
        self._engine = engine
        self._loop = loop
        self._store = store
        self._catalogue = catalogue
        self._memories = memories
        self._knowledge_store = knowledge_store
        self._embedders = embedders
        self._local_models = local_models
        self._quick_key = quick_key
        self._conversation = conversation
        self._window = window

    def context(self) -> "SettingsContext":
        """Return the context for the pages of the settings."""
        from desktop.ui.settings.rows import SettingsContext

        return SettingsContext(
            self._engine,
            self._loop,
            self._store,
            self._catalogue,
            self._memories,
            self._knowledge_store,
            self._embedders,
            self._local_models,
            self._quick_key,
            self._conversation(),
            self.data_changed.emit,
            self.show_knowledge,
        )

    def look_for_browser(self) -> None:
        """Warn before the first search if the browser for searches is missing, and offer to install it."""
        self._loop.run(self, self._engine.browser.problem, self._on_browser_looked_for)

    @Slot(object)
    def _on_browser_looked_for(self, problem: str) -> None:
        if problem:
            words = self.tr("Web search needs a browser.")
            self.noticed.emit(Notice(words, self.tr("Download…"), self.offer_browser))

    @Slot()
    def offer_browser(self) -> None:
        """Offer to download a browser."""
        from desktop.ui.window.dialogs import open_browser_offer

        open_browser_offer(self._engine.browser, self._loop, self._window)

    @Slot()
    def show_knowledge(self) -> None:
        """Show the knowledge bases."""
        from desktop.ui.window.dialogs import open_knowledge

        open_knowledge(
            self._engine,
            self._knowledge_store,
            self._store,
            self._loop,
            read=self.read_asked.emit,
            window=self._window,
        )

    @Slot()
    def show_shortcuts(self) -> None:
        """Show all shortcuts."""
        from desktop.ui.window.dialogs import open_shortcuts

        open_shortcuts(self._store.settings.window, self.to_settings("shortcuts"), self._window)

    @Slot(object)
    def show_release_notes(self, release: Release | None) -> None:
        """Show what is new in a release, or in this version."""
        from desktop.ui.window.dialogs import open_release_notes

        open_release_notes(self._engine, self._store, self._loop, release, self._window.window())

    def show_source(
        self, source: Source, words: str, conversation_id: str, add: Callable[[Source], None]
    ) -> None:
        """Show the file of a source, or its page as a conversation cited it, at `words` in it.

        `add` is called if it should be added to a knowledge base.
        """
        from desktop.ui.viewer.loader import ViewRequest
        from desktop.ui.window.dialogs import open_viewer

        viewer = open_viewer(
            ViewRequest(source, words, conversation_id),
            self._engine.knowledge,
            self._loop,
            self._window.window(),
            self._engine.page_archive,
        )
        viewer.add_asked.connect(add)
        viewer.page_checked.connect(partial(self.page_checked.emit, conversation_id))

    def to_settings(self, page_id: str) -> partial[None]:
        """Return a slot that opens a page of the settings and ignores the arguments of the signal."""
        return partial(self.show_settings, page_id)

    def show_settings(self, page_id: str, *row: object) -> None:
        """Open a page of the settings, at a row if its number is given."""
        from desktop.ui.window.dialogs import open_settings

        number = next(
            (each for each in row if type(each) is int), None
        )  # a button tells whether it is checked
        open_settings(self.context(), page_id, number, self._window)

    @Slot(object)
    def show_item(self, item: ItemInfo) -> None:
        """Show an item of a knowledge base: a file in the viewer, a link in the browser, others in the manager."""
        self._loop.run(
            self,
            partial(self._engine.knowledge.passages, item.id),
            partial(self._on_item_read, item),
            self._knowledge_store.failed.emit,
        )

    def _on_item_read(self, item: ItemInfo, passages: tuple[PassageInfo, ...]) -> None:
        from desktop.ui.window.dialogs import open_item

        if item.kind is ItemKind.NOTE or not passages:
            self.show_knowledge()
        else:
            open_item(item, passages[0], self._engine.knowledge, self._loop, self._window.window())
