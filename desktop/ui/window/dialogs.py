"""The dialogs that open over the window. Imported when the first of them is needed."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.data import PageArchive
from desktop.chat.api.engine import Searches, Services
from desktop.chat.api.knowledge import Knowledge
from desktop.chat.api.system import BrowserSetup
from desktop.domain.knowledge import ItemInfo, PassageInfo
from desktop.domain.program import Release
from desktop.domain.search import EngineHealth
from desktop.domain.sources import Source, SourceKind
from desktop.settings.model import WindowSettings
from desktop.ui.dialogs.browser_dialogs import BrowserDownloadDialog, CaptchaDialog
from desktop.ui.dialogs.guide_dialogs import ReleaseNotesDialog
from desktop.ui.dialogs.shortcut_sheet import ShortcutSheet
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.passages_page import source_of
from desktop.ui.links import open_source
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.viewer.loader import ViewRequest
from desktop.ui.viewer.window import SourceViewer


def open_settings(context: SettingsContext, page_id: str, row: int | None, window: QWidget) -> None:
    """Open the settings at a page, or at a row of it."""
    dialog = SettingsDialog(context, window)
    dialog.go_to(page_id, row)
    _open(dialog)


def open_shortcuts(looks: WindowSettings, change: Callable[[], None], window: QWidget) -> None:
    """Show all shortcuts; `change` opens the page where they can be changed."""
    sheet = ShortcutSheet(looks, window)
    sheet.change_asked.connect(change)
    _open(sheet)


def open_release_notes(
    engine: Services, store: SettingsStore, loop: BackgroundLoop, release: Release | None, window: QWidget
) -> None:
    """Show what is new in a release, or in this version."""
    _open(ReleaseNotesDialog(engine, store, loop, release, window))


def open_knowledge(
    engine: Services,
    knowledge_store: KnowledgeStore,
    store: SettingsStore,
    loop: BackgroundLoop,
    *,
    read: Callable[[str, str], None],
    window: QWidget,
) -> None:
    """Show the knowledge bases, in the existing window if there is one, even one opened for a transfer.

    `read` reads an item for the user: it is called with the key of the item's `Scope` and its name.
    """
    managers = window.findChildren(KnowledgeManager)
    manager = next((each for each in managers if each.isVisible() or each.transfers.is_busy), None)
    if manager is None:
        manager = KnowledgeManager(
            ManagerContext(knowledge_store, engine.knowledge, engine.embedders, store, loop), window
        )
        manager.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        manager.place_asked.connect(partial(_open_place, engine.knowledge, loop, manager))
        manager.read_asked.connect(read)
    manager.show()
    manager.raise_()
    manager.activateWindow()


def open_browser_offer(setup: BrowserSetup, loop: BackgroundLoop, window: QWidget) -> None:
    """Offer to download a browser."""
    _open(BrowserDownloadDialog(setup, loop, window))


def open_handing_over(
    engine: EngineHealth, searches: Callable[[], Searches], loop: BackgroundLoop, window: QWidget
) -> CaptchaDialog:
    """Show the page on which an engine asks for a captcha, and return the dialog that waits for its end."""
    dialog = CaptchaDialog(engine, searches, loop, window)
    _open(dialog)
    return dialog


def open_viewer(
    wanted: ViewRequest,
    knowledge: Knowledge,
    loop: BackgroundLoop,
    window: QWidget,
    pages: PageArchive | None = None,
) -> SourceViewer:
    """Show a file or a page in the viewer, replacing the previous one; return it."""
    viewer = SourceViewer(wanted, knowledge, loop, window, pages=pages)
    for old in window.findChildren(SourceViewer):
        if old is not viewer and old.isVisible():
            viewer.setGeometry(old.geometry())
            old.close()
    viewer.show()
    viewer.activateWindow()
    return viewer


def open_item(
    item: ItemInfo, passage: PassageInfo, knowledge: Knowledge, loop: BackgroundLoop, window: QWidget
) -> None:
    """Show an item of a base at a passage."""
    _open_place(knowledge, loop, window, source_of(item, passage))


def _open_place(knowledge: Knowledge, loop: BackgroundLoop, window: QWidget, source: Source) -> None:
    if source.kind is SourceKind.WEB:
        open_source(source, source.text)
    else:
        open_viewer(ViewRequest(source), knowledge, loop, window)


def _open(dialog: QDialog) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
