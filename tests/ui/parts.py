"""The parts of a chat with a sidebar, without the rest of the window."""

from types import SimpleNamespace

from PySide6.QtWidgets import QWidget

from desktop.ui.actions import WindowActions
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.conversations import ConversationListStore
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.window.chat_parts import ChatPane, ChatParts, SharedStores, connect


def build_parts(engine, loop, window: QWidget) -> SimpleNamespace:
    """Return a connected chat over `window`, by the names that its parts have in the workspace."""
    port = engine.port
    store = SettingsStore(port.preferences, loop, window)
    library = ConversationListStore(port.conversations, port.filing, loop, window)
    shared = SharedStores(
        port,
        loop,
        store,
        library,
        CatalogueStore(port.catalogue, loop, window),
        KnowledgeStore(port.knowledge, loop, window),
    )
    sidebar, pane = Sidebar(window), ChatPane(window)
    chat = ChatParts(
        shared,
        window,
        composer=pane.composer,
        transcripts=pane.transcripts,
        notices=pane.notices,
        outlives_window=True,
    )
    connect(chat.connections())
    return SimpleNamespace(
        **vars(shared),
        actions=WindowActions(window, store),
        chat=chat,
        sidebar=sidebar,
        pane=pane,
        composer=pane.composer,
        notices=pane.notices,
        sessions=chat.sessions,
        assistants=chat.assistants,
        window=window,
    )
