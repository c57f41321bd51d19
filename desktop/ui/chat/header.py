"""The title of the open conversation, and the buttons beside it."""

from PySide6.QtWidgets import QWidget

from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import ElidedLabel, hbox


class Header(QWidget):
    """The title of the open conversation between two buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.toggle = IconButton("sidebar", self)
        self.share = IconButton("share", self)
        self._title = ElidedLabel(self)
        self._title.setObjectName("title")
        row = hbox(self, spacing=8, margins=(10, 8, 16, 8))
        row.addWidget(self.toggle)
        row.addWidget(self._title, 1)
        row.addWidget(self.share)

    def show_title(self, title: str, folder: str = "") -> None:
        """Show a title. Without one, hide the share button and show the folder of the new conversation."""
        self._title.show_words(title or folder)
        self.share.setVisible(bool(title))

    def name_buttons(self, toggle: tuple[str, str], share: tuple[str, str]) -> None:
        """Set the names of the buttons and their tooltips."""
        self.toggle.set_words(*toggle)
        self.share.set_words(*share)
