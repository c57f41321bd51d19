"""What can be done with a kept page in the viewer: read it again, show what changed, save what the server sent."""

import asyncio
import mimetypes
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSignalBlocker, QStandardPaths, Signal, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFileDialog, QFrame, QPlainTextEdit, QPushButton, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.data import PageArchive
from desktop.domain.sources import PagesChecked, PageTexts, Source, TextChange
from desktop.text.comparison import compare_words, list_changes
from desktop.text.sentences import Span
from desktop.ui.i18n import Retranslated
from desktop.ui.labels.common import error_parts
from desktop.ui.theme.colors import is_dark
from desktop.ui.widgets.icons import Recolored
from desktop.ui.widgets.wrapping_row import WrappingRow

_MOST_SHOWN: Final = 300
_SIGN_CHARS: Final = 2
_LIGHT: Final = (QColor(255, 235, 233), QColor(255, 190, 184), QColor(226, 246, 229), QColor(160, 222, 170))
_DARK: Final = (QColor(66, 32, 31), QColor(122, 46, 43), QColor(27, 56, 34), QColor(34, 100, 52))
"""Colours of removed text and of the words that differ in it, and the same of added text."""


@dataclass(frozen=True)
class PageChanges:
    """The differences of a page that was read again."""

    changes: tuple[TextChange, ...]


class ChangesPane(Recolored, QPlainTextEdit):
    """Lists what was removed from a page (−) and added to it (+), the cited passage first."""

    def __init__(self, changes: PageChanges, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setObjectName("viewerText")
        self.setAccessibleName(self.tr("What changed on the page"))
        self.document().setDocumentMargin(20)
        self._shown = changes
        self._recolor()

    def _recolor(self) -> None:
        changes = self._shown
        self.clear()
        removed, less, added, more = _DARK if is_dark(self.palette()) else _LIGHT
        cursor = QTextCursor(self.document())
        is_in_passage: bool | None = None
        for change in changes.changes[:_MOST_SHOWN]:
            if change.is_in_passage is not is_in_passage:
                is_in_passage = change.is_in_passage
                self._heading(
                    cursor,
                    self.tr("In the cited passage") if is_in_passage else self.tr("Elsewhere on the page"),
                )
            gone, new = compare_words(change.removed, change.added)
            if change.removed:
                _insert(cursor, f"− {change.removed}", gone, (removed, less))
            if change.added:
                _insert(cursor, f"+ {change.added}", new, (added, more))
            cursor.insertBlock()
        if (left := len(changes.changes) - _MOST_SHOWN) > 0:
            self._heading(cursor, self.tr("%n more change(s)", None, left))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _heading(self, cursor: QTextCursor, words: str) -> None:
        form = QTextCharFormat()
        form.setFontWeight(600)
        cursor.insertText(words, form)
        cursor.insertBlock()


def _insert(cursor: QTextCursor, line: str, spans: tuple[Span, ...], grounds: tuple[QColor, QColor]) -> None:
    """Insert a block: a sign and a text; the words at `spans` of the text have the second, stronger ground."""
    plain, marked = QTextCharFormat(), QTextCharFormat()
    plain.setBackground(grounds[0])
    marked.setBackground(grounds[1])
    marked.setFontWeight(600)
    at = 0
    for span in spans:
        start, end = span.start + _SIGN_CHARS, span.end + _SIGN_CHARS
        cursor.insertText(line[at:start], plain)
        cursor.insertText(line[start:end], marked)
        at = end
    cursor.insertText(line[at:], plain)
    cursor.insertBlock()


class CitedPageBar(Retranslated, QWidget):
    """The buttons for a kept page; hidden until `show_page`.

    Signals:
        checked: `PagesChecked` of a check that ended; its result is on disk.
        told: words about what is going on, and what a server or the system said about a failure.
        changes_wanted: `PageChanges` to show, or None to show the page again.
    """

    checked = Signal(object)
    told = Signal(str, str)
    changes_wanted = Signal(object)

    def __init__(
        self, pages: PageArchive, conversation_id: str, source: Source, loop: BackgroundLoop, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._pages = pages
        self._conversation_id = conversation_id
        self._source = source
        self._loop = loop
        self._texts: PageTexts | None = None
        self._job: Job | None = None
        self.check = QPushButton(self)
        self.changes = QPushButton(self)
        self.changes.setCheckable(True)
        self.save = QPushButton(self)
        row = WrappingRow(self)
        row.setContentsMargins(16, 8, 16, 0)
        for button in (self.check, self.changes, self.save):
            row.addWidget(button)
        self.check.clicked.connect(self._on_check)
        self.changes.toggled.connect(self._on_changes)
        self.save.clicked.connect(self._ask_where)
        self.hide()
        self._retranslate()

    def show_page(self, texts: PageTexts, source: Source) -> None:
        """Offer what can be done with a page; `source` has what reading it again showed."""
        self._texts, self._source = texts, source
        with QSignalBlocker(self.changes):
            self.changes.setChecked(False)
        self.changes.setVisible(bool(texts.newer))
        self.save.setVisible(bool(texts.page.file))
        self.show()
        self._retranslate()

    def _retranslate(self) -> None:
        self.check.setText(self.tr("Check for changes") if self._job is None else self.tr("Stop"))
        self.changes.setText(self.tr("Show page") if self.changes.isChecked() else self.tr("Show changes"))
        self.save.setText(self.tr("Save page…"))

    @Slot()
    def _on_check(self) -> None:
        if self._job is not None:
            self._job.cancel()
            return
        number = self._source.number
        self.told.emit(self.tr("Reading the page again…"), "")
        self._job = self._loop.run(
            self,
            partial(self._pages.check, self._conversation_id, (number,)),
            self._on_check_ended,
            self._on_check_failed,
            progressed=self._on_checked,
            cancelled=self._on_check_ended,
        )
        self._retranslate()

    @Slot(object)
    def _on_checked(self, step: PagesChecked) -> None:
        if step.checks:
            self.told.emit("", "")
            self.checked.emit(step)

    def _on_check_ended(self, _nothing: object = None) -> None:
        self._job = None
        self._retranslate()
        self.told.emit("", "")

    @Slot(object)
    def _on_check_failed(self, error: Exception) -> None:
        self._on_check_ended()
        self.told.emit(*error_parts(error))

    @Slot(bool)
    def _on_changes(self, is_wanted: bool) -> None:
        self._retranslate()
        if not is_wanted:
            self.changes_wanted.emit(None)
            return
        assert self._texts is not None
        work = partial(asyncio.to_thread, _changes_of, self._texts, self._source)
        self._loop.run(self, work, self.changes_wanted.emit)

    @Slot()
    def _ask_where(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        dialog = QFileDialog(self, self.tr("Save page"), folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        media_type = self._texts.page.media_type if self._texts is not None else ""
        suffix = mimetypes.guess_extension(media_type) or ".html"
        dialog.selectFile(f"{self._source.host or 'page'}{suffix}")
        dialog.finished.connect(dialog.deleteLater)
        dialog.fileSelected.connect(self.save_to)
        dialog.open()

    @Slot(str)
    def save_to(self, place: str) -> None:
        """Write what the server sent to a file."""
        path = Path(place)
        self._loop.run(
            self,
            partial(self._pages.save_file, self._conversation_id, self._source.number, path),
            partial(self._on_saved, path),
            self._on_check_failed,
        )

    def _on_saved(self, path: Path, _nothing: object) -> None:
        self.told.emit(self.tr("Saved as “{name}”.").format(name=path.name), "")


def _changes_of(texts: PageTexts, source: Source) -> PageChanges:
    return PageChanges(list_changes(texts.text, texts.newer, source.passages))
