"""The dialogs that open over the window; imported when the first of them is asked for."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.ports import BrowserSetup
from desktop.ui.base_chooser import BaseChooser
from desktop.ui.browser_offer import BrowserOffer
from desktop.ui.knowledge_dialog import KnowledgeDialog
from desktop.ui.knowledge_shelf import KnowledgeShelf
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.rows import Context


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


def _open(dialog: QDialog) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
