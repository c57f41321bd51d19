"""The user guide, which comes with the program: also offline, and of this version."""

import re

from PySide6.QtCore import QLocale, QSize, QUrl, Slot
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPushButton, QTextBrowser, QWidget

from desktop.resources import GUIDE_PAGES, guide_text
from desktop.ui.i18n import Retranslated
from desktop.ui.links import WEB_SCHEMES, open_link
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, vbox

_SIZE = QSize(720, 620)
_INDENT = 20
_IMAGE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n*", re.MULTILINE)
_NOTE = re.compile(r"^!!! \w+(?: \"[^\"\n]*\")?\n((?: {4}.*\n?)+)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


class GuideDialog(Retranslated, FormDialog):
    """A page of the guide, with the choice of all pages above it."""

    def __init__(self, page: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.resize(_SIZE)
        self.pages = NoWheelComboBox(self)
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.setObjectName("lines")
        self.text.document().setIndentWidth(_INDENT)
        self._close = QPushButton(self)
        for each in GUIDE_PAGES:
            self.pages.addItem("", each)
        self.pages.setCurrentIndex(GUIDE_PAGES.index(page))
        column = vbox(self, spacing=10, margins=(22, 18, 22, 16))
        column.addWidget(self.pages)
        column.addWidget(self.text, 1)
        row = hbox()
        row.addStretch(1)
        row.addWidget(self._close)
        column.addLayout(row)
        self.pages.currentIndexChanged.connect(self._show)
        self.text.anchorClicked.connect(self._on_link_clicked)
        self._close.clicked.connect(self.reject)
        self._retranslate()

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("User guide"))
        self.pages.setAccessibleName(self.tr("Page"))
        self.text.setAccessibleName(self.tr("User guide"))
        self._close.setText(self.tr("Close"))
        for at, page in enumerate(GUIDE_PAGES):
            self.pages.setItemText(at, _text_of(page).partition("\n")[0].removeprefix("# "))
        self._show()

    @Slot()
    def _show(self) -> None:
        text = _text_of(self.pages.currentData())
        self.text.document().setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    @Slot(QUrl)
    def _on_link_clicked(self, url: QUrl) -> None:
        page = url.path().removesuffix(".md")
        if url.scheme() in WEB_SCHEMES:
            open_link(url.toString())
        elif page in GUIDE_PAGES:
            self.pages.setCurrentIndex(GUIDE_PAGES.index(page))


def _text_of(page: str) -> str:
    """Return the Markdown of a page without its images, and without links to pages that are only on the site."""
    text = _NOTE.sub(
        lambda note: re.sub("^ {4}", "", note[1], flags=re.MULTILINE), guide_text(page, QLocale().name())
    )
    return _LINK.sub(_keep_link, _IMAGE.sub("", text))


def _keep_link(link: re.Match[str]) -> str:
    words, target = link.groups()
    is_kept = QUrl(target).scheme() in WEB_SCHEMES or target.removesuffix(".md") in GUIDE_PAGES
    return link[0] if is_kept else words
