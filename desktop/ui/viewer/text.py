"""The text pane of the viewer, with the passage highlighted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from desktop.domain.sources import TEXT_JOIN, Locator
from desktop.render.export.notes import NoteLink
from desktop.text.comparison import locate, utf16_offset
from desktop.text.markdown import MarkKind, mark_spans
from desktop.text.sentences import Span
from desktop.ui.widgets.colors import is_dark

MAX_CHARS: Final = 200_000
"""Maximum number of characters shown around the passage: laying out more would block the window."""

MAX_LINE: Final = 4_000
"""Maximum line length; longer lines are wrapped, as Qt lays out each line at once."""

_MAX_MATCHES: Final = 2_000
_LIGHT_MARKS: Final = (QColor(255, 245, 204), QColor(255, 222, 110))
_DARK_MARKS: Final = (QColor(62, 54, 28), QColor(112, 92, 20))
"""Colours of the passage, and of the most relevant words in it."""
_FOUND: Final = QColor(120, 160, 255, 110)

_HAS_SIGNS: Final = re.compile(r"[#*`|\[]")
NOWHERE: Final = Span(0, 0)
_LINE_CHARS: Final = 90
"""The most average characters in a line of prose."""


@dataclass(frozen=True)
class MarkedText:
    """Text for the pane; `passage` and the most relevant `words` in it are spans of the text.

    `is_cut` says that the text was longer.
    """

    text: str
    passage: Span = NOWHERE
    words: Span = NOWHERE
    is_cut: bool = False


def mark_passage(text: str, passage: str, locator: Locator, words: str = "") -> MarkedText:
    """Return `text`, shortened if necessary, with the spans of `passage` and of `words` in it.

    The offsets of `locator` are used if the passage is there; otherwise the text is searched for it.
    """
    first = passage.split(TEXT_JOIN, maxsplit=1)[0]
    start, end = locator.start or 0, locator.end or 0
    if text[start:end].strip() != first.strip():
        span = locate(first, text)
        start, end = (span.start, span.end) if span else (0, 0)
    space = max(0, MAX_CHARS - (end - start)) // 2
    begin, stop = max(0, start - space), min(len(text), end + space)
    before = _break_lines(text[begin:start])
    marked = _break_lines(text[start : min(end, start + MAX_CHARS)])
    after = _break_lines(text[end:stop])
    return MarkedText(
        before + marked + after,
        Span(len(before), len(before) + len(marked)),
        stretch_of(words, marked, len(before)),
        is_cut=begin > 0 or stop < len(text),
    )


def stretch_of(words: str, passage: str, at: int) -> Span:
    """Return the span of `words` in a text that has `passage` at offset `at`."""
    span = locate(words, passage)
    return Span(at + span.start, at + span.end) if span else NOWHERE


def _break_lines(text: str) -> str:
    if len(text) <= MAX_LINE:
        return text
    return "\n".join(
        line[at : at + MAX_LINE] for line in text.split("\n") for at in range(0, max(1, len(line)), MAX_LINE)
    )


_PROSE_SIZE: Final = 1.15
"""The size of prose, in that of the window: it is read, not scanned."""


_HEADING_SIZE: Final = 1.25
_HIDDEN_SIZE: Final = 0.1


class MarkdownHighlighter(QSyntaxHighlighter):
    """Gives lines of Markdown their look, and hides the signs; the text itself stays, and with it every offset in it."""

    def __init__(self, pane: "TextPane") -> None:
        super().__init__(pane.document())
        self._pane = pane
        self.is_on = True

    def highlightBlock(self, text: str) -> None:
        """Set the formats of a line."""
        if not self.is_on or not _HAS_SIGNS.search(text):
            return
        wide = text.encode("utf-16-le", "surrogatepass")
        is_narrow = len(wide) == 2 * len(text)
        for kind, start, end in mark_spans(text):
            at = start if is_narrow else utf16_offset(text, start)
            stop = end if is_narrow else utf16_offset(text, end)
            for place in range(at, stop) if kind is not MarkKind.SIGN else ():
                # A strong word in a heading is both.
                form = self.format(place)
                self._add(form, kind)
                self.setFormat(place, 1, form)
            if kind is MarkKind.SIGN:
                self.setFormat(at, stop - at, self._make_hidden_format())

    def _add(self, form: QTextCharFormat, kind: MarkKind) -> None:
        match kind:
            case MarkKind.HEADING:
                form.setFontWeight(QFont.Weight.DemiBold)
                form.setFontPointSize(self._pane.font().pointSizeF() * _HEADING_SIZE)
            case MarkKind.STRONG:
                form.setFontWeight(QFont.Weight.DemiBold)
            case MarkKind.EMPHASIS:
                form.setFontItalic(True)
            case MarkKind.CODE:
                fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
                form.setFontFamilies(fixed.families())
            case _:
                form.setForeground(self._pane.palette().placeholderText())

    def _make_hidden_format(self) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setFontPointSize(_HIDDEN_SIZE)
        form.setForeground(QColor(0, 0, 0, 0))
        return form


class TextPane(QPlainTextEdit):
    """Shows read-only text that can be searched and copied.

    Signals:
        link_followed: the address of a link in the text.
        found_changed: number of the current match (from 1, 0 for none), and the total.
    """

    link_followed = Signal(str)
    found_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setObjectName("viewerText")
        self.document().setDocumentMargin(20)
        self._passage = QTextCursor(self.document())
        self._words = QTextCursor(self.document())
        self._links: list[tuple[int, int, str]] = []
        self._matches: list[QTextCursor] = []
        self._current = 0
        self._size = self.font().pointSizeF()
        self._window_size = QGuiApplication.font().pointSizeF()
        self._has_own_size = False
        self._look = MarkdownHighlighter(self)

    def changeEvent(self, event: QEvent) -> None:
        """Paint marks and links in the colours of the theme, and follow the size of the window's text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            # Not at once: after this event, the style gives the widget the font back that it had before.
            QTimer.singleShot(0, self, self._follow_window_size)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_marks()
            self._paint_links()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the lines of prose short enough to read."""
        super().resizeEvent(event)
        self._limit_lines()

    def _limit_lines(self) -> None:
        widest = self.fontMetrics().averageCharWidth() * _LINE_CHARS + 2 * round(
            self.document().documentMargin()
        )
        beside = max(0, self.width() - widest) if self._look.is_on else 0
        if self.viewportMargins().right() != beside:
            self.setViewportMargins(0, 0, beside, 0)  # it begins where the title above it does

    def show_text(self, marked: MarkedText, *, is_code: bool) -> None:
        """Show a text: prose with the look of its Markdown, code in a monospace font."""
        size = self._size
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont) if is_code else self.font()
        font.setPointSizeF(size if is_code else size * _PROSE_SIZE)
        self.setFont(font)
        self._has_own_size = True
        self._look.is_on = not is_code
        self._limit_lines()
        self.setPlainText(marked.text)
        self._passage = self._cursor(marked.text, marked.passage)
        self._words = self._cursor(marked.text, marked.words)
        self._paint_marks()

    def show_links(self, links: Sequence[NoteLink]) -> None:
        """Make parts of the shown text lead to addresses, by a click or with Return where the caret is."""
        text = self.toPlainText()
        for link in links:
            start, end = utf16_offset(text, link.start), utf16_offset(text, link.end)
            self._links.append((start, end, link.address))
        self._paint_links()
        self.viewport().setMouseTracking(bool(links))
        self.setTextInteractionFlags(
            self.textInteractionFlags() | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def address_at(self, position: int) -> str:
        """Return the address to which the text at a position of the document leads; empty if to none."""
        return next((address for start, end, address in self._links if start <= position < end), "")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand over a link."""
        super().mouseMoveEvent(event)
        is_over = self._links and self.address_at(self._position(event))
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if is_over else Qt.CursorShape.IBeamCursor
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow a link that is clicked."""
        super().mouseReleaseEvent(event)
        is_click = event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection()
        if is_click and (address := self.address_at(self._position(event))):
            self.link_followed.emit(address)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Follow the link where the caret is."""
        is_return = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if is_return and (address := self.address_at(self.textCursor().position())):
            self.link_followed.emit(address)
        else:
            super().keyPressEvent(event)

    def _position(self, event: QMouseEvent) -> int:
        return self.cursorForPosition(event.position().toPoint()).position()

    @property
    def marked(self) -> str:
        """The highlighted passage as displayed."""
        return self._passage.selection().toPlainText()

    @property
    def words(self) -> str:
        """The strongly highlighted words as displayed."""
        return self._words.selection().toPlainText()

    def show_passage(self) -> None:
        """Scroll to the passage, or to the most relevant words in it."""
        self._show(self._words if self._words.hasSelection() else self._passage)

    def find_words(self, words: str) -> None:
        """Highlight all matches of `words`."""
        self._matches = []
        cursor = QTextCursor(self.document())
        while words and len(self._matches) < _MAX_MATCHES:
            cursor = self.document().find(words, cursor, QTextDocument.FindFlag(0))
            if cursor.isNull():
                break
            self._matches.append(cursor)
        after = (n for n, match in enumerate(self._matches) if match.position() >= self._passage.anchor())
        self._current = next(after, 0)
        self._go_to_match()

    def find_next(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around."""
        if self._matches:
            self._current = (self._current + step) % len(self._matches)
            self._go_to_match()

    def zoom(self, step: int) -> None:
        """Zoom in (1) or out (-1)."""
        if step > 0:
            self.zoomIn()
        elif step < 0:
            self.zoomOut()
        self._look.rehighlight()
        self._limit_lines()

    @Slot()
    def _follow_window_size(self) -> None:
        """Scale the text, also zoomed text, like that of the window, which may change while the pane is open."""
        size = QGuiApplication.font().pointSizeF()
        share, self._window_size = size / self._window_size, size
        if share == 1:
            return
        self._size *= share
        if self._has_own_size:
            font = self.font()
            font.setPointSizeF(font.pointSizeF() * share)
            self.setFont(font)
        self._look.rehighlight()
        self._limit_lines()

    def _go_to_match(self) -> None:
        self._paint_marks()
        if self._matches:
            self._show(self._matches[self._current])
        self.found_changed.emit(self._current + 1 if self._matches else 0, len(self._matches))

    def _show(self, cursor: QTextCursor) -> None:
        start = QTextCursor(self.document())
        start.setPosition(cursor.selectionStart())
        self.setTextCursor(start)
        self.centerCursor()

    def _cursor(self, text: str, span: Span) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(utf16_offset(text, span.start))
        cursor.setPosition(utf16_offset(text, span.end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _paint_links(self) -> None:
        form = QTextCharFormat()
        form.setForeground(self.palette().link())
        form.setFontUnderline(True)
        for start, end, _address in self._links:
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(form)

    def _paint_marks(self) -> None:
        passage, words = _DARK_MARKS if is_dark(self.palette()) else _LIGHT_MARKS
        chosen = [(self._passage, passage), (self._words, words)]
        chosen += [(match, _FOUND) for match in self._matches]
        if self._matches:
            chosen.append((self._matches[self._current], self.palette().highlight().color()))
        self.setExtraSelections([_colour(cursor, colour) for cursor, colour in chosen])


def _colour(cursor: QTextCursor, colour: QColor) -> QTextEdit.ExtraSelection:
    # PySide's stubs declare the attributes of this struct on its class only.
    selection = QTextEdit.ExtraSelection()
    form = QTextCharFormat()
    form.setBackground(colour)
    selection.cursor = cursor
    selection.format = form
    return selection
