"""The dialogs that open over the window; imported when the first of them is asked for."""

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.ports import BrowserSetup, Knowledge, Searches
from desktop.domain.search import EngineHealth
from desktop.ui.base_chooser import BaseChooser
from desktop.ui.browser_offer import BrowserOffer
from desktop.ui.handing_over import HandingOver
from desktop.ui.inspector import Inspection, Inspector
from desktop.ui.knowledge_dialog import KnowledgeDialog
from desktop.ui.knowledge_shelf import KnowledgeShelf
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.rows import Context
from desktop.ui.source_links import follow_link
from desktop.ui.viewer import Viewer
from desktop.ui.viewer_opening import Wanted


def open_settings(context: Context, page_id: str, window: QWidget) -> None:
    """Show the settings, at a page."""
    dialog = SettingsDialog(context, window)
    dialog.go_to(page_id)
    _open(dialog)


def open_knowledge(shelf: KnowledgeShelf, chooser: BaseChooser, window: QWidget) -> None:
    """Show the knowledge bases."""
    _open(KnowledgeDialog(shelf, chooser, window))


def open_browser_offer(setup: BrowserSetup, loop: BackgroundLoop, window: QWidget) -> None:
    """Offer to download a browser."""
    _open(BrowserOffer(setup, loop, window))


def open_handing_over(
    engine: EngineHealth, searches: Searches, loop: BackgroundLoop, window: QWidget
) -> HandingOver:
    """Have the page shown on which an engine wants to see a person; returned is what waits for the end of it."""
    dialog = HandingOver(engine, searches, loop, window)
    _open(dialog)
    return dialog


def open_viewer(wanted: Wanted, knowledge: Knowledge, loop: BackgroundLoop, window: QWidget) -> None:
    """Show a file source in the viewer, in place of the one shown before."""
    viewer = Viewer(wanted, knowledge, loop, window)
    for old in window.findChildren(Viewer):
        if old is not viewer and old.isVisible():
            viewer.setGeometry(old.geometry())
            old.close()
    viewer.show()
    viewer.activateWindow()


def open_inspector(inspection: Inspection, engines: Mapping[str, str], window: QWidget) -> Inspector:
    """Show how an answer came by its sources."""
    inspector = Inspector(inspection, engines, window)
    inspector.link_followed.connect(follow_link)
    _open(inspector)
    return inspector


def _open(dialog: QDialog) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
