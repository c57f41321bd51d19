"""The bars of the viewer: find, pages, zoom; and what can be done with a kept page."""

import asyncio
import mimetypes
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSignalBlocker, QStandardPaths, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QShortcut, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.data import PageArchive
from desktop.domain.sources import PagesChecked, PageTexts, Source, TextChange
from desktop.text.comparison import compare_words, list_changes
from desktop.text.sentences import Span
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.colors import is_dark
from desktop.ui.widgets.dialog import ask_where_to_save
from desktop.ui.widgets.icons import IconButton, Recolored
from desktop.ui.widgets.labels import error_parts
from desktop.ui.widgets.layout import WrappingRow, hbox, label

_FIELD_WIDTH = 220
_LEAST_FIELD_WIDTH = 130


class FindField(QLineEdit):
    """A search field.

    Signals:
        stepped: 1 for the next match (Return), -1 for the one before (Shift+Return).
    """

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `stepped` for Return and Shift+Return."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)


class ViewerToolbar(Retranslated, QWidget):
    """A row of controls; the window connects them to the current pane.

    Signals:
        words_changed: the text to find.
        match_stepped: 1 for the next match, -1 for the previous one.
        page_asked: index of a page, from 0.
        zoom_asked: 1 to zoom in, -1 to zoom out, 0 to fit.
    """

    words_changed = Signal(str)
    match_stepped = Signal(int)
    page_asked = Signal(int)
    zoom_asked = Signal(int)

    def __init__(self, parent: QWidget | None = None, *, is_beside: bool = False) -> None:
        """Create the controls; with `is_beside` they are narrow, and leave the keys of their window to it."""
        super().__init__(parent)
        self._is_beside = is_beside
        self.field = FindField(self)
        self.field.setMaximumWidth(_FIELD_WIDTH)
        self.field.setMinimumWidth(_LEAST_FIELD_WIDTH if is_beside else _FIELD_WIDTH)
        self.field.setClearButtonEnabled(True)
        self.matches = label(self, "", "muted", "small")
        self.matches.setWordWrap(False)
        self.previous, self.next = IconButton("up", self), IconButton("chevron", self)
        self.back, self.forward = IconButton("back", self), IconButton("forward", self)
        self.page = QSpinBox(self)
        self.page.setKeyboardTracking(False)
        self.page.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.pages = QLabel(self)
        self.smaller, self.larger = IconButton("minus", self), IconButton("plus", self)
        self._page_parts: tuple[QWidget, ...] = (self.back, self.page, self.pages, self.forward)
        self._find_parts: tuple[QWidget, ...] = (self.field, self.previous, self.next, self.matches)
        self._lay_out()
        self._connect()
        self._retranslate()
        self.set_pages(0)
        self.set_matches(0, 0)

    def set_pages(self, count: int) -> None:
        """Set the number of pages; with 0, hide the page controls."""
        for part in self._page_parts:
            part.setVisible(count > 0)
        self.page.setRange(1, max(1, count))
        self.pages.setText(f"/ {count}")
        self._show_ends()

    @Slot(int)
    def set_page(self, page: int) -> None:
        """Show the current page (from 0)."""
        self.page.blockSignals(True)
        self.page.setValue(page + 1)
        self.page.blockSignals(False)
        self._show_ends()

    def set_findable(self, is_findable: bool) -> None:
        """Show or hide the search controls."""
        for part in self._find_parts:
            part.setVisible(is_findable)

    @Slot(int, int)
    def set_matches(self, current: int, count: int) -> None:
        """Show the number of the current match and the number of all matches."""
        asked = bool(self.field.text())
        self.matches.setText(f"{current} / {count}" if count else self.tr("Not found") if asked else "")
        self.previous.setEnabled(count > 1)
        self.next.setEnabled(count > 1)

    def _lay_out(self) -> None:
        if self._is_beside:
            narrow = WrappingRow(self, spacing=4)
            narrow.setContentsMargins(12, 4, 12, 8)
            for parts in (self._find_parts, self._page_parts, (self.smaller, self.larger)):
                holder = QWidget(self)  # its parts stay together in one line
                line = hbox(holder, spacing=4)
                for part in parts:
                    line.addWidget(part)
                narrow.addWidget(holder)
            return
        row: QHBoxLayout = hbox(self, spacing=4, margins=(12, 4, 12, 8))
        for part in self._find_parts:
            row.addWidget(part)
        row.addStretch(1)
        for part in self._page_parts:
            row.addWidget(part)
        row.addSpacing(12)
        row.addWidget(self.smaller)
        row.addWidget(self.larger)

    def _connect(self) -> None:
        self.field.textChanged.connect(self.words_changed)
        self.field.stepped.connect(self.match_stepped)
        self.page.valueChanged.connect(self._on_page_chosen)
        steps = ((self.previous, self._on_previous), (self.next, self._on_next), (self.back, self._on_back))
        more = (
            (self.forward, self._on_forward),
            (self.smaller, self._on_smaller),
            (self.larger, self._on_larger),
        )
        for button, slot in (*steps, *more):
            button.clicked.connect(slot)
        for key, slot in (
            (QKeySequence.StandardKey.Find, self._on_find),
            (QKeySequence.StandardKey.ZoomIn, self._on_larger),
            (QKeySequence.StandardKey.ZoomOut, self._on_smaller),
            (QKeySequence("Ctrl+0"), self._on_fit),
        ):
            if not self._is_beside:
                QShortcut(key, self, slot, context=Qt.ShortcutContext.WindowShortcut)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Find in file"))
        self.field.setAccessibleName(self.tr("Find in file"))
        self.page.setAccessibleName(self.tr("Page"))
        self.previous.set_words(self.tr("Previous match"))
        self.next.set_words(self.tr("Next match"))
        self.back.set_words(self.tr("Previous page"))
        self.forward.set_words(self.tr("Next page"))
        self.smaller.set_words(self.tr("Smaller"))
        self.larger.set_words(self.tr("Larger"))

    def _show_ends(self) -> None:
        self.back.setEnabled(self.page.value() > 1)
        self.forward.setEnabled(self.page.value() < self.page.maximum())

    @Slot(int)
    def _on_page_chosen(self, page: int) -> None:
        self._show_ends()
        self.page_asked.emit(page - 1)

    @Slot()
    def _on_previous(self) -> None:
        self.match_stepped.emit(-1)

    @Slot()
    def _on_next(self) -> None:
        self.match_stepped.emit(1)

    @Slot()
    def _on_back(self) -> None:
        self.page.stepDown()

    @Slot()
    def _on_forward(self) -> None:
        self.page.stepUp()

    @Slot()
    def _on_smaller(self) -> None:
        self.zoom_asked.emit(-1)

    @Slot()
    def _on_larger(self) -> None:
        self.zoom_asked.emit(1)

    @Slot()
    def _on_fit(self) -> None:
        self.zoom_asked.emit(0)

    @Slot()
    def _on_find(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()


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
        media_type = self._texts.page.media_type if self._texts is not None else ""
        suffix = mimetypes.guess_extension(media_type) or ".html"
        name = f"{self._source.host or 'page'}{suffix}"
        ask_where_to_save(self, self.tr("Save page"), name, self.save_to, folder=folder, suffix=suffix)

    def save_to(self, path: Path) -> None:
        """Write what the server sent to a file."""
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
