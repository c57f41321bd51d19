"""The parts of the main window that are built after its page, because their imports are slow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QWidget

from desktop.ui.actions import WindowActions
from desktop.ui.controllers.export_controller import ConversationExport, ExportController
from desktop.ui.controllers.history_controller import HistoryController
from desktop.ui.controllers.palette_controller import PaletteController
from desktop.ui.controllers.source_panel_controller import SourcePanelController
from desktop.ui.controllers.topics_controller import TopicsController
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.stores.conversations import HistorySearch
from desktop.ui.transcript.message_action import ActionHandlers, Handlers
from desktop.ui.window.chat_parts import ChatPane, ChatParts, Connections, SharedStores
from desktop.ui.window.main_window import WindowPlace
from desktop.ui.window.notifications import Notifications
from desktop.ui.window.window_opener import WindowOpener

_WIDTH = "panel"
"""The name of the width of the panel beside the conversation in the file of the window."""


@dataclass(frozen=True)
class LateParts:
    """The parts, and their connections with the others."""

    notifying: Notifications
    palette_search: HistorySearch
    panel: SourcePanelController
    connections: Connections
    slots: dict[str, Callable[..., object]]
    """What actions of the window do, by their ids."""
    handlers: Handlers


def build_late_parts(
    shared: SharedStores,
    chat: ChatParts,
    *,
    conditions: Mapping[str, Callable[[], bool]],
    handlers: ActionHandlers,
    history: HistoryController,
    opener: WindowOpener,
    pane: ChatPane,
    place: WindowPlace | None,
    shortcuts: WindowActions,
    sidebar: Sidebar,
    window: QWidget,
) -> LateParts:
    """Build the parts, as children of `window`; `conditions` say which actions are possible now, by their ids."""
    engine, loop, sessions, titles = shared.engine, shared.loop, chat.sessions, sidebar.model
    header = pane.header
    exporting = ExportController(engine.conversations, loop, sessions=sessions, window=window)
    whole = ConversationExport(engine.transfers, loop, sessions, titles, window)
    notifying = Notifications(engine.notes, loop, store=shared.store, titles=titles, window=window)
    search = HistorySearch(engine.history, loop, window)
    notices = pane.notices
    palette = PaletteController(
        search,
        actions=shortcuts.by_id,
        composer_menu=pane.composer.plus_menu,
        completion=chat.completion,
        conditions=conditions,
        context=opener.context,
        handlers=handlers,
        history=history,
        knowledge_store=shared.knowledge_store,
        library=shared.library,
        sessions=sessions,
        view=sidebar.view,
        window=window,
    )
    panel = _build_panel(shared, chat, pane, place, window)
    topics = TopicsController(
        engine.topics,
        loop,
        new_topic=chat.asking.new_topic,
        notices=notices,
        notify=notifying.tell,
        window=window,
    )
    connections: Connections = (
        (header.share.clicked, exporting.offer_conversation),
        (exporting.whole_asked, whole.ask_current),
        *((part.noticed, notices.say) for part in (whole, exporting)),
        *((part.failed, notices.say_failed) for part in (whole, exporting, search)),
        (palette.settings_asked, opener.show_settings),
        (palette.item_asked, opener.show_item),
        *_panel_connections(panel, chat, pane),
        (topics.conversation_asked, sessions.open),
    )
    slots = _slots_of(topics, exporting, palette, panel)
    return LateParts(notifying, search, panel, connections, slots, exporting.handlers)


def _slots_of(
    topics: TopicsController,
    exporting: ExportController,
    palette: PaletteController,
    panel: SourcePanelController,
) -> dict[str, Callable[..., object]]:
    return {
        "topics": topics.show,
        "copy_answer": exporting.copy_last,
        "export": exporting.offer_conversation,
        "palette": palette.show,
        "citation_before": partial(panel.step, -1),
        "citation_after": partial(panel.step, 1),
    }


def _build_panel(
    shared: SharedStores, chat: ChatParts, pane: ChatPane, place: WindowPlace | None, window: QWidget
) -> SourcePanelController:
    panel = SourcePanelController(
        shared.engine.knowledge,
        shared.loop,
        pages=shared.engine.page_archive,
        sessions=chat.sessions,
        splitter=pane.splitter,
        transcripts=pane.transcripts,
        window=window,
    )
    if place is not None:
        width = place.text(_WIDTH)
        panel.set_width(int(width) if width.isdecimal() else 0)
        panel.width_changed.connect(partial(_keep_width, place))
    return panel


def _panel_connections(panel: SourcePanelController, chat: ChatParts, pane: ChatPane) -> Connections:
    return (
        (chat.sessions.current_changed, panel.forget),
        (chat.sessions.running_changed, panel.set_running),
        (panel.left, pane.composer.setFocus),
        (panel.add_asked, chat.adding.offer),
    )


def _keep_width(place: WindowPlace, width: int) -> None:
    place.keep_text(_WIDTH, str(width))
