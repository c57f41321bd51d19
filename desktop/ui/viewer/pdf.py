"""The PDF pane of the viewer: pages below each other, with the passage highlighted."""

from typing import Final

from PySide6.QtCore import QElapsedTimer, QModelIndex, QRect, QRectF, QSize, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtPdf import QPdfDocument, QPdfSearchModel
from PySide6.QtPdfWidgets import QPdfView
from PySide6.QtWidgets import QFrame, QWidget

from desktop.domain.sources import TEXT_JOIN
from desktop.text.comparison import locate, utf16_offset
from desktop.text.sentences import Span

MARK: Final = QColor(255, 245, 190)
WORDS_MARK: Final = QColor(255, 214, 80)
ZOOM_STEP: Final = 1.2
SLICE_MS: Final = 8
"""Maximum time in ms that a step of a search may block the window: half a frame."""

_POINTS_PER_INCH: Final = 72
_SMALLEST_ZOOM: Final = 0.2
_LARGEST_ZOOM: Final = 6.0
_ABOVE_PASSAGE: Final = 60
"""Space shown above the passage, in points of the page."""


class PdfPane(QPdfView):
    """Shows a PDF with a highlighted passage, and searches it.

    Signals:
        page_changed: index of the shown page, from 0.
        found_changed: number of the current match (from 1, 0 for none), and the total.
    """

    page_changed = Signal(int)
    found_changed = Signal(int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        # Owned by the parent: a view that deletes its document makes its painter read freed memory.
        self._pdf = QPdfDocument(parent)
        self._points: list[QSizeF] = []
        self._marks: list[QRectF] = []
        self._words: list[QRectF] = []
        self._marked_page = 0
        self._matches = QPdfSearchModel(parent)
        self._matches.setDocument(self._pdf)
        self._searched_pages = 0
        self._search = QTimer(self)
        self._search.timeout.connect(self._search_on)
        self.setDocument(self._pdf)
        self.setSearchModel(self._matches)
        self.setPageMode(QPdfView.PageMode.MultiPage)
        self.setZoomMode(QPdfView.ZoomMode.FitToWidth)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._matches.countChanged.connect(self._on_count_changed)
        self.pageNavigator().currentPageChanged.connect(self.page_changed)

    @property
    def page_count(self) -> int:
        """Number of pages."""
        return self._pdf.pageCount()

    @property
    def marks(self) -> list[QRectF]:
        """Rectangles of the highlighted lines on their page, in points from the upper left corner."""
        return list(self._marks)

    @property
    def words(self) -> list[QRectF]:
        """Rectangles of the strongly highlighted words on that page, in points."""
        return list(self._words)

    def load(self, path: str) -> bool:
        """Open a PDF and return whether that worked; pages are rendered on demand in another thread."""
        is_loaded = self._pdf.load(path) is QPdfDocument.Error.None_
        self._points = [self._pdf.pagePointSize(page) for page in range(self.page_count)]
        return is_loaded

    def mark(self, passage: str, page: int, words: str = "") -> bool:
        """Highlight `passage` and, more strongly, `words` on or next to `page` (from 0).

        Return whether the passage was found.
        """
        for candidate in (page, page + 1, page - 1):
            if not 0 <= candidate < self.page_count:
                continue
            text = self._pdf.getAllText(candidate).text()
            span = locate(passage.split(TEXT_JOIN, maxsplit=1)[0], text)
            if span is not None:
                self._marked_page, self._marks = candidate, self._lines(candidate, text, span)
                within = locate(words, text[span.start : span.end]) or Span(0, 0)
                most = Span(span.start + within.start, span.start + within.end)
                self._words = self._lines(candidate, text, most)
                self.viewport().update()
                return True
        self._marked_page, self._marks = min(max(page, 0), max(0, self.page_count - 1)), []
        return False

    def show_passage(self) -> None:
        """Scroll to the passage, or to its page if the passage was not found."""
        top = min((mark.top() for mark in self._words or self._marks), default=0.0)
        self.go_to(self._marked_page, max(0.0, top - _ABOVE_PASSAGE))

    def go_to(self, page: int, top: float = 0.0) -> None:
        """Scroll to `page`, `top` points below its upper edge.

        This sets the scroll bars: the view's navigator ignores a jump to its last target, even after scrolling.
        """
        place, scale = self.page_geometry(page), self._scale(page)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setValue(round(vertical.value() + place.top() + top * scale) - self.pageSpacing())
        horizontal.setValue(horizontal.maximum() // 2)

    def find_words(self, words: str) -> None:
        """Search the document and highlight all matches; `found_changed` follows as pages are searched."""
        self._matches.setSearchString(words)
        self._searched_pages = 0
        self._search.start()
        if not words:
            self._search.stop()
            self.found_changed.emit(0, 0)

    def find_next(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around."""
        count = self._matches.rowCount(QModelIndex())
        if count:
            self._go_to_match((self.currentSearchResultIndex() + step) % count, count)

    def zoom(self, step: int) -> None:
        """Zoom in (1), zoom out (-1), or fit the width (0), and keep the position."""
        page = self.pageNavigator().currentPage()
        top = -self.page_geometry(page).top() / self._scale(page)
        if step:
            factor = self._scale(page) / self._pixels_per_point() * (ZOOM_STEP if step > 0 else 1 / ZOOM_STEP)
            self.setZoomMode(QPdfView.ZoomMode.Custom)
            self.setZoomFactor(min(max(factor, _SMALLEST_ZOOM), _LARGEST_ZOOM))
        else:
            self.setZoomMode(QPdfView.ZoomMode.FitToWidth)
        self.go_to(page, top)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the highlights over the page."""
        super().paintEvent(event)
        if not self._marks:
            return
        page, scale = self.page_geometry(self._marked_page), self._scale(self._marked_page)
        with QPainter(self.viewport()) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
            painter.translate(page.topLeft())
            painter.scale(scale, scale)
            for colour, marks in ((MARK, self._marks), (WORDS_MARK, self._words)):
                for mark in marks:
                    painter.fillRect(mark, colour)

    def page_geometry(self, page: int) -> QRect:
        """Return the current rectangle of a page in the viewport.

        QPdfView does not expose it; this repeats its layout of pages below each other.
        """
        sizes, margins = self._page_sizes(), self.documentMargins()
        width = max(size.width() for size in sizes) + margins.left() + margins.right()
        top = margins.top() + sum(size.height() + self.pageSpacing() for size in sizes[:page])
        left = (max(width, self.viewport().width()) - sizes[page].width()) // 2
        scrolled = (self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        return QRect(left - scrolled[0], top - scrolled[1], sizes[page].width(), sizes[page].height())

    def _scale(self, page: int) -> float:
        """Return the number of pixels per point of a page."""
        return self.page_geometry(page).width() / max(1.0, self._points[page].width())

    def _page_sizes(self) -> list[QSize]:
        resolution, margins = self._pixels_per_point(), self.documentMargins()
        space = self.viewport().width() - margins.left() - margins.right()
        is_fitted = self.zoomMode() is QPdfView.ZoomMode.FitToWidth
        sizes: list[QSize] = []
        for points in self._points:
            if is_fitted:
                natural = (points * resolution).toSize()
                sizes.append(natural * (space / max(1, natural.width())))
            else:
                sizes.append((points * (resolution * self.zoomFactor())).toSize())
        return sizes

    def _pixels_per_point(self) -> float:
        return QGuiApplication.primaryScreen().logicalDotsPerInch() / _POINTS_PER_INCH

    def _lines(self, page: int, text: str, span: Span) -> list[QRectF]:
        if span.start == span.end:
            return []
        start, end = utf16_offset(text, span.start), utf16_offset(text, span.end)
        bounds = self._pdf.getSelectionAtIndex(page, start, end - start).bounds()
        return lines_of([polygon.boundingRect() for polygon in bounds])

    @Slot()
    def _search_on(self) -> None:
        """Search some pages at once: the model itself takes a tenth of a second for each page."""
        clock = QElapsedTimer()
        clock.start()
        while self._searched_pages < self.page_count and clock.elapsed() < SLICE_MS:
            self._matches.resultsOnPage(self._searched_pages)
            self._searched_pages += 1
        if self._searched_pages >= self.page_count:
            self._search.stop()

    @Slot()
    def _on_count_changed(self) -> None:
        count = self._matches.rowCount(QModelIndex())
        current = self.currentSearchResultIndex()
        if count and not 0 <= current < count:
            self._go_to_match(0, count)
        else:
            self.found_changed.emit(current + 1 if count else 0, count)

    def _go_to_match(self, index: int, count: int) -> None:
        self.setCurrentSearchResultIndex(index)
        match = self._matches.resultAtIndex(index)
        self.go_to(match.page(), max(0.0, match.location().y() - _ABOVE_PASSAGE))
        self.found_changed.emit(index + 1, count)


def lines_of(boxes: list[QRectF]) -> list[QRectF]:
    """Merge the boxes of words and characters of each line, so that no part is highlighted twice."""
    lines: list[QRectF] = []
    for box in boxes:
        if lines and _share_line(lines[-1], box):
            lines[-1] = lines[-1].united(box)
        else:
            lines.append(QRectF(box))
    return lines


def _share_line(line: QRectF, box: QRectF) -> bool:
    overlap = min(line.bottom(), box.bottom()) - max(line.top(), box.top())
    is_near = box.left() - line.right() < 2 * max(line.height(), box.height())
    return is_near and box.left() >= line.left() and overlap > 0
