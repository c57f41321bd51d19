"""The area right of the sidebar: title, conversation, bars above the composer, and composer; beside them, a panel."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from desktop.ui.chat.header import Header
from desktop.ui.chat.tool_approvals import ApprovalBar
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.composer.composer import MAX_WIDTH, Composer, EditBar
from desktop.ui.composer.drop_zone import DropZone
from desktop.ui.knowledge.import_bar import ImportBar
from desktop.ui.widgets.layout import center, hbox, vbox
from desktop.ui.widgets.notice_bar import NoticeBar


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
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setHandleWidth(1)
        chat = QWidget(self.splitter)
        self.splitter.setCollapsible(0, False)
        hbox(self, spacing=0).addWidget(self.splitter)
        column = vbox(chat, spacing=0)
        column.addWidget(self.header)
        column.addWidget(self.transcripts, 1)
        column.addLayout(bars)
        column.addWidget(self.composer)
