"""Texts that come with the program: the user guide, and what is new in a version."""

import re
from dataclasses import replace
from datetime import date
from functools import partial

from PySide6.QtCore import QLocale, QSize, QUrl, Slot
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLineEdit, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Services
from desktop.domain.backups import BackupCopy, CopyKind
from desktop.domain.program import Release, VersionNews
from desktop.resources import GUIDE_PAGES, guide_text
from desktop.ui.i18n import Retranslated
from desktop.ui.links import WEB_SCHEMES, open_link, refusal_message
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.labels import format_date, format_datetime, localize_message
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_GUIDE_SIZE = QSize(720, 620)
_INDENT = 20
_IMAGE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n*", re.MULTILINE)
_NOTE = re.compile(r"^!!! \w+(?: \"[^\"\n]*\")?\n((?: {4}.*\n?)+)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


class GuideDialog(Retranslated, FormDialog):
    """A page of the guide, with the choice of all pages above it."""

    def __init__(self, page: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.resize(_GUIDE_SIZE)
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


_NOTES_SIZE = QSize(640, 560)


class ReleaseNotesDialog(FormDialog):
    """The news of a `release`, or, without one, of the version that runs."""

    def __init__(
        self,
        engine: Services,
        store: SettingsStore,
        loop: BackgroundLoop,
        release: Release | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._release = release
        self._program = program = engine.updates.program
        self.setWindowTitle(self.tr("What’s new"))
        self.resize(_NOTES_SIZE)
        self.title = label(self, "", "heading")
        self.about = StatusLabel(self, "muted")
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.setObjectName("lines")
        self.text.document().setIndentWidth(_INDENT)
        self.text.setAccessibleName(self.tr("What’s new"))
        self.copies = label(self, "", "muted", "small")
        column = vbox(self, spacing=10, margins=(22, 18, 22, 16))
        for widget in (self.title, self.about):
            column.addWidget(widget)
        column.addWidget(self.text, 1)
        if release is not None:
            self._add_way(column)
        column.addWidget(self.copies)
        self.copies.hide()
        self._add_buttons(column)
        if release is None:
            self.title.setText(self.tr("What’s new in Footnote {version}").format(version=program.version))
            loop.run(
                self, partial(engine.updates.news, QLocale().name()), self._on_news_read, self._on_failed
            )
        else:
            self._show_release(release)
        loop.run(self, engine.backups.copies, self._on_copies_listed)

    def _add_way(self, column: QVBoxLayout) -> None:
        column.addWidget(label(self, localize_message(self._program.advice)))
        if not self._program.command:
            return
        self.command = QLineEdit(self._program.command, self)
        self.command.setReadOnly(True)
        self.command.setCursorPosition(0)
        self.command.setAccessibleName(self.tr("Command that updates Footnote"))
        copy = QPushButton(self.tr("Copy"), self)
        copy.clicked.connect(self._on_copy_clicked)
        row = hbox(spacing=8)
        row.addWidget(self.command, 1)
        row.addWidget(copy)
        column.addLayout(row)

    def _add_buttons(self, column: QVBoxLayout) -> None:
        row = hbox(spacing=8)
        close = QPushButton(self.tr("Close"), self)
        close.clicked.connect(self.reject)
        if self._release is not None:
            self.stop = QPushButton(self.tr("Turn off update checks"), self)
            self.stop.setProperty("flat", "true")
            self.stop.clicked.connect(self._on_stop_clicked)
            row.addWidget(self.stop)
        row.addStretch(1)
        row.addWidget(close)
        if self._release is not None:
            self.page = QPushButton(self.tr("Open page"), self)
            self.page.setProperty("primary", "true")
            self.page.setToolTip(self._release.address)
            self.page.clicked.connect(self._on_page_clicked)
            row.addWidget(self.page)
        column.addLayout(row)

    def _show_release(self, release: Release) -> None:
        self.title.setText(self.tr("Footnote {version} is available").format(version=release.version))
        day = format_date(date.fromisoformat(release.day))
        words = self.tr("Released {day}. You have {version}. Nothing is installed automatically.")
        self.about.setText(words.format(day=day, version=self._program.version))
        notes = release.notes_in(QLocale().name())
        self.text.setPlainText(notes or self.tr("See the web page for what’s new."))

    @Slot(object)
    def _on_news_read(self, news: VersionNews) -> None:
        if news.since:
            self.about.setText(self.tr("Changes since version {version}.").format(version=news.since))
        self.about.setVisible(bool(news.since))
        document = self.text.document()
        document.setMarkdown(
            news.text or self.tr("No changes are listed for this version."),
            QTextDocument.MarkdownFeature.MarkdownNoHTML,
        )

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.about.show_error(error)

    @Slot(object)
    def _on_copies_listed(self, copies: tuple[BackupCopy, ...]) -> None:
        before = next((copy for copy in copies if copy.kind is CopyKind.BEFORE_UPDATE), None)
        if self._release is None and before is not None:
            words = self.tr(
                "Before updating your data, Footnote made and checked a backup: {moment}. Find it in Settings > Data."
            )
            self.copies.setText(words.format(moment=format_datetime(before.taken_at)))
        elif copies:
            words = self.tr(
                "Before a new version changes your data, it makes and checks a backup. Latest backup: {moment}. See Settings > Data."
            )
            self.copies.setText(words.format(moment=format_datetime(copies[0].taken_at)))
        self.copies.setVisible(bool(copies))

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._program.command)

    @Slot()
    def _on_page_clicked(self) -> None:
        assert self._release is not None
        if not open_link(self._release.address):
            self.about.setText(refusal_message(self._release.address))

    @Slot()
    def _on_stop_clicked(self) -> None:
        settings = self._store.settings
        self._store.apply(replace(settings, program=replace(settings.program, checks_updates=False)))
        self.stop.setEnabled(False)
        self.about.setText(self.tr("Update checks are off. Turn them on in Settings > Program."))
