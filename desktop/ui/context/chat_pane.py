"""The area right of the sidebar: title, conversation, bars above the composer, and composer."""

from textwrap import shorten

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QWidget

from desktop.ui.chat.tool_approvals import ApprovalBar
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.composer.composer import MAX_WIDTH, Composer
from desktop.ui.composer.drop_zone import DropZone
from desktop.ui.context.window_actions import WindowActions
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.import_bar import ImportBar
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import ElidedLabel, center, hbox, label, vbox
from desktop.ui.widgets.notice_bar import NoticeBar

_SHOWN_CHARS = 60


class EditBar(Retranslated, QFrame):
    """A bar above the composer that shows which question is being edited.

    Signals:
        given_up: the user cancelled the editing.
    """

    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._question = ""
        self._text = label(self)
        self._close = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._close.setIconSize(QSize(14, 14))
        self._close.clicked.connect(self.given_up)
        row = hbox(self, margins=(14, 6, 6, 6))
        row.addWidget(self._text, 1)
        row.addWidget(self._close)
        self._retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """The text of the bar."""
        return self._text.text()

    def show_question(self, text: str) -> None:
        """Show the beginning of a question."""
        self._question = shorten(text, _SHOWN_CHARS, placeholder="…") or text[:_SHOWN_CHARS]
        self._retranslate()
        self.show()

    def _retranslate(self) -> None:
        self._close.set_words(self.tr("Leave it as it is"), self.tr("Leave it as it is  Esc"))
        words = self.tr("Editing “{question}”. It is kept with its answer, and you can turn back to it.")
        self._text.setText(words.format(question=self._question))
        self.setAccessibleName(self._text.text())


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

    def name_buttons(self, actions: WindowActions) -> None:
        """Set the button tooltips to the current names of their actions."""
        for button, name in ((self.toggle, "sidebar"), (self.share, "export")):
            button.set_words(actions[name].text(), actions.tip(name))


class ChatPane(QWidget):
    """Lays out its parts below each other, and contains no logic."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.header = Header(self)
        self.transcripts = TranscriptStack(self)
        self.jobs = ImportBar(self)
        self.notices = NoticeBar(self)
        self.consent_bar = ApprovalBar(self)
        self.revising = EditBar(self)
        self.composer = Composer(self)
        self.drop_zone = DropZone(self)
        bars = vbox(margins=(24, 0, 24, 6))
        for bar in (self.jobs, self.notices, self.consent_bar, self.revising):
            bars.addLayout(center(bar, MAX_WIDTH))
        column = vbox(self, spacing=0)
        column.addWidget(self.header)
        column.addWidget(self.transcripts, 1)
        column.addLayout(bars)
        column.addWidget(self.composer)
