"""Shows a source with the passage highlighted: in a window, or in the panel beside the conversation."""

from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import QLocale, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QKeySequence, QPixmap, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.data import PageArchive
from desktop.chat.api.knowledge import Knowledge
from desktop.domain.knowledge import OriginalState
from desktop.domain.sources import PagesChecked, PageTexts, SourceKind, host_of, is_page, with_page_checks
from desktop.render.export.notes import links_in_note
from desktop.render.page.source_cards import localize_section
from desktop.render.page_checks import SIGNS, describe_page_check
from desktop.ui.i18n import Retranslated
from desktop.ui.links import open_file, open_link, refusal_message, show_in_folder
from desktop.ui.links import open_source as open_page
from desktop.ui.viewer.bars import ChangesPane, CitedPageBar, PageChanges, ViewerToolbar
from desktop.ui.viewer.loader import (
    LoadedSource,
    ViewKind,
    ViewRequest,
    is_stored,
    load_stored_passage,
    open_source,
    path_of,
)
from desktop.ui.viewer.pdf import PdfPane
from desktop.ui.viewer.text import TextPane
from desktop.ui.widgets.dialog import fit
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import error_parts, format_date, localize_message
from desktop.ui.widgets.layout import MAX_LINE_CHARS, WrappingRow, hbox, label, shorten_name, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_ZOOM_STEP: Final = 1.25
_SMALLEST: Final = 0.05
_LARGEST: Final = 8.0

SIZE: Final = QSize(880, 900)


class PicturePane(QScrollArea):
    """Shows an image, fitted to the window or zoomed by the user.

    Signals:
        found_changed: never emitted; the other panes have this signal too.
    """

    found_changed = Signal(int, int)

    def __init__(self, picture: QImage, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QPixmap.fromImage(picture)
        self._factor: float | None = None
        self._label = QLabel(self)
        self._label.setAccessibleName(name)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWidget(self._label)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the image to the new size."""
        super().resizeEvent(event)
        self._draw()

    def zoom(self, step: int) -> None:
        """Zoom in (1), out (-1), or fit the image to the window (0)."""
        factor = self._current_scale() * (_ZOOM_STEP if step > 0 else 1 / _ZOOM_STEP)
        self._factor = min(max(factor, _SMALLEST), _LARGEST) if step else None
        self._draw()

    def _current_scale(self) -> float:
        if self._factor is not None:
            return self._factor
        space, size = self.viewport().size(), self._picture.size()
        return min(1.0, space.width() / max(1, size.width()), space.height() / max(1, size.height()))

    def _draw(self) -> None:
        size = self._picture.size() * self._current_scale()
        self._label.setPixmap(
            self._picture.scaled(
                size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        )
        self._label.resize(size)


class SourceViewer(Retranslated, QWidget):
    """Opens its source at once; of a page that is not kept, and of a file that is missing or changed, the stored passage.

    It is a window, or with `is_beside` a part of its parent that leaves the focus where it is.

    Signals:
        add_asked: its Source should be added to a knowledge base.
        page_checked: `PagesChecked`: a kept page was read again.
    """

    add_asked = Signal(object)
    page_checked = Signal(object)

    def __init__(
        self,
        wanted: ViewRequest,
        knowledge: Knowledge,
        loop: BackgroundLoop,
        parent: QWidget,
        *,
        pages: PageArchive | None = None,
        is_beside: bool = False,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Widget if is_beside else Qt.WindowType.Window)
        self._is_beside = is_beside
        self._is_page = is_page(wanted.source)
        self._is_file = not (self._is_page or is_stored(wanted.source))
        self.source = wanted.source
        self._wanted = wanted
        self.pane: PdfPane | TextPane | PicturePane | None = None
        self._opened: LoadedSource | None = None
        self._problem = self._detail = ""
        self._pages = pages
        self._loop = loop
        self.page_bar: CitedPageBar | None = None
        self._changes: ChangesPane | None = None
        name = wanted.source.title or wanted.source.url if not self._is_file else path_of(wanted.source).name
        self._title = label(self, name, "heading")
        self._place = label(self, "", "muted")
        self.notice = StatusLabel(self)
        self.bar = ViewerToolbar(self, is_beside=is_beside)
        self._body = QStackedWidget(self)
        self._waiting = label(self, "", "muted")
        self.to_passage = QPushButton(self)
        self.add = QPushButton(self)
        self.folder = QPushButton(self)
        self.system = QPushButton(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("viewer")
        self.setAutoFillBackground(True)
        self.resize(SIZE)
        self._lay_out()
        self._connect()
        self._retranslate()
        loop.run(self, partial(open_source, knowledge, wanted, pages), self._on_opened, self._on_failed)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the window to the screen."""
        if not event.spontaneous() and not self._is_beside:
            fit(self)
        super().showEvent(event)

    def _lay_out(self) -> None:
        head = vbox(spacing=2, margins=(16, 14, 16, 6))
        for part in (self._title, self._place, self.notice):
            head.addWidget(part)
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._body.addWidget(self._waiting)
        foot = WrappingRow()
        foot.setContentsMargins(16, 10, 16, 12)
        for button in (self.to_passage, self.add, self.folder, self.system):
            foot.addWidget(button)
        self._column = column = vbox(self, spacing=0)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self._body, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.to_passage.clicked.connect(self._on_to_passage)
        self.add.clicked.connect(self._on_add)
        self.folder.clicked.connect(self._on_folder)
        self.system.clicked.connect(self._on_system)
        if not self._is_beside:
            QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
            QShortcut(QKeySequence.StandardKey.Close, self, self.close)

    def _retranslate(self) -> None:
        self.setWindowTitle(shorten_name(self._title.text(), MAX_LINE_CHARS))
        parts = [" ".join(localize_section(self.source.locator.section, QLocale().name()).split())]
        if self.source.locator.page is not None:
            parts.insert(0, self.tr("page {page}").format(page=self.source.locator.page))
        if self._is_page:
            parts.insert(0, host_of(self.source.url))
        self._place.setText(" · ".join(part for part in parts if part))
        self._place.setVisible(bool(self._place.text()))
        self._waiting.setText(self.tr("Opening…"))
        self.to_passage.setText(self.tr("Back to passage"))
        self.add.setText(self.tr("Add to knowledge base…"))
        self.folder.setText(self.tr("Show in folder"))
        self.system.setText(self.tr("Open live page") if self._is_page else self.tr("Open in default app"))
        self.folder.setVisible(self._is_file)
        self.system.setVisible(self._is_file or self._is_page)
        self.bar.setVisible(self.source.kind is SourceKind.FILE or self._page is not None)
        self._say()

    @property
    def _page(self) -> PageTexts | None:
        return self._opened.page if self._opened is not None else None

    @Slot(object)
    def _on_opened(self, opened: LoadedSource) -> None:
        match opened.shape:
            case ViewKind.PDF:
                self._show_pdf(opened)
            case ViewKind.PICTURE:
                assert opened.picture is not None
                self._show(opened, PicturePane(opened.picture, self._title.text(), self))
            case _:
                self._show_text(opened)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._problem, self._detail = error_parts(error)
        self._show_text(load_stored_passage(self._wanted))

    def _show_pdf(self, opened: LoadedSource) -> None:
        pane = PdfPane(self)
        if not pane.load(str(path_of(self.source))):
            pane.deleteLater()
            self._show_text(load_stored_passage(self._wanted))
            return
        is_found = pane.mark(self.source.text, (self.source.locator.page or 1) - 1, self._wanted.words)
        if not is_found:
            self._problem = self.tr("Couldn’t find the passage on this page. It may be in an image.")
        pane.page_changed.connect(self.bar.set_page)
        self.bar.page_asked.connect(pane.go_to)
        self.bar.set_pages(pane.page_count)
        self._show(opened, pane)

    def _show_text(self, opened: LoadedSource) -> None:
        pane = TextPane(self)
        pane.show_text(opened.text, is_code=opened.shape is ViewKind.CODE)
        if not (self._is_page or self._is_file):
            pane.show_links(links_in_note(opened.text.text))
            pane.link_followed.connect(self._on_link_followed)
        self._show(opened, pane)
        if opened.page is not None:
            self._offer_page(opened.page)

    def _offer_page(self, page: PageTexts) -> None:
        """Offer to read the page again; the bar is made with the first page that is kept."""
        assert self._pages is not None
        if self.page_bar is None:
            self.page_bar = CitedPageBar(
                self._pages, self._wanted.conversation_id, self.source, self._loop, self
            )
            self._column.insertWidget(self._column.count() - 1, self.page_bar)
            self.page_bar.checked.connect(self._on_page_checked)
            self.page_bar.told.connect(self._on_told)
            self.page_bar.changes_wanted.connect(self._show_changes)
        self.page_bar.show_page(page, self.source)
        self.bar.setVisible(True)

    @Slot(object)
    def _on_page_checked(self, step: PagesChecked) -> None:
        (self.source,) = with_page_checks([self.source], step.checks)
        self._wanted = replace(self._wanted, source=self.source)
        self.page_checked.emit(step)
        self._say()
        assert self._pages is not None
        load = partial(self._pages.load, self._wanted.conversation_id, self.source.number)
        self._loop.run(self, load, self._on_page_loaded, self._on_load_failed)

    @Slot(object)
    def _on_page_loaded(self, page: PageTexts | None) -> None:
        if page is not None and self.page_bar is not None:
            self._show_changes(None)
            self.page_bar.show_page(page, self.source)

    @Slot(object)
    def _on_load_failed(self, error: Exception) -> None:
        self._tell(*error_parts(error))

    @Slot(str, str)
    def _on_told(self, words: str, detail: str) -> None:
        self._tell(words, detail)

    @Slot(object)
    def _show_changes(self, changes: PageChanges | None) -> None:
        """Show what changed on the page in place of its text, or the text again."""
        if self._changes is not None:
            self._body.removeWidget(self._changes)
            self._changes.deleteLater()
            self._changes = None
        if changes is not None:
            self._changes = ChangesPane(changes, self)
            self._body.addWidget(self._changes)
            self._body.setCurrentWidget(self._changes)
        elif self.pane is not None:
            self._body.setCurrentWidget(self.pane)
        self.bar.set_findable(changes is None)
        self.to_passage.setEnabled(changes is None)

    def _show(self, opened: LoadedSource, pane: PdfPane | TextPane | PicturePane) -> None:
        self._opened, self.pane = opened, pane
        pane.setAccessibleName(self._title.text())
        self._body.addWidget(pane)
        self._body.setCurrentWidget(pane)
        self.bar.zoom_asked.connect(pane.zoom)
        self.bar.set_findable(not isinstance(pane, PicturePane))
        self.to_passage.setVisible(opened.shape in {ViewKind.PDF, ViewKind.PROSE, ViewKind.CODE})
        is_there = opened.state is not OriginalState.GONE
        self.system.setEnabled(is_there)
        self.folder.setEnabled(self._is_file and path_of(self.source).parent.is_dir())
        if not isinstance(pane, PicturePane):
            self.bar.words_changed.connect(pane.find_words)
            self.bar.match_stepped.connect(pane.find_next)
            pane.found_changed.connect(self.bar.set_matches)
        if not self._is_beside:
            pane.setFocus()
        self._say()
        # The pane needs its final size before it can scroll to the passage.
        QTimer.singleShot(0, self, self._on_to_passage)

    def _say(self) -> None:
        state = self._format_state()
        if self._is_page:
            day = format_date(self.source.read_at)
            is_whole = self._opened is not None and self._opened.shape is ViewKind.PROSE
            state = (
                self.tr("This page, as it was read on {day}.")
                if is_whole
                else self.tr("The passage of this page, as it was read on {day}.")
            ).format(day=day)
            if (check := self.source.page_check) is not None:
                result = localize_message(describe_page_check(check))
                on = self.tr("(Read again on {day})").format(day=format_date(check.checked_at))
                state = f"{state} {SIGNS[check.state]} {result} {on}"
        words = " ".join(part for part in (self._problem, state) if part)
        self.notice.show_status(words, detail=self._detail)

    def _format_state(self) -> str:
        if self._opened is None:
            return ""
        day = format_date(self.source.read_at)
        match self._opened.state:
            case OriginalState.GONE:
                words = self.tr("The file is no longer in {folder}. This passage was read on {day}.")
                return words.format(folder=path_of(self.source).parent, day=day)
            case OriginalState.CHANGED:
                words = self.tr("The file has changed. This passage was read on {day}.")
                return words.format(day=day)
            case _ if self._opened.shape is ViewKind.PASSAGE:
                words = self.tr("The file can’t be shown here. This passage was read on {day}.")
                return words.format(day=day)
            case _ if self._opened.text.is_cut:
                return self.tr("The file is very long. Only the part around the passage is shown.")
        return ""

    @Slot()
    def _on_to_passage(self) -> None:
        if isinstance(self.pane, PdfPane | TextPane):
            self.pane.show_passage()

    @Slot()
    def _on_add(self) -> None:
        self.add_asked.emit(self.source)

    @Slot(str)
    def _on_link_followed(self, address: str) -> None:
        self._tell("" if open_link(address) else refusal_message(address))

    @Slot()
    def _on_folder(self) -> None:
        self._tell(show_in_folder(path_of(self.source)))

    @Slot()
    def _on_system(self) -> None:
        if self._is_page:
            self._tell(open_page(self.source, self._wanted.words))
        else:
            self._tell(open_file(path_of(self.source), self.source.locator.page))

    def _tell(self, problem: str, detail: str = "") -> None:
        self._problem, self._detail = problem, detail
        self._say()


_LEAST_WIDTH = 300


class SourcePanel(Retranslated, QWidget):
    """Shows one source at a time with the widgets of the viewer, or a record of an answer.

    Signals:
        step_asked: the previous mark (-1) or the next one (1) is wanted.
        add_asked: the Source that should be added to a knowledge base.
        close_asked: the panel is no longer wanted.
        page_checked: `PagesChecked`: a kept page was read again.
    """

    step_asked = Signal(int)
    add_asked = Signal(object)
    close_asked = Signal()
    page_checked = Signal(object)

    def __init__(
        self,
        knowledge: Knowledge,
        loop: BackgroundLoop,
        parent: QWidget,
        *,
        pages: PageArchive | None = None,
    ) -> None:
        super().__init__(parent)
        self._pages = pages
        self._knowledge = knowledge
        self._loop = loop
        self._at = (0, 0)
        self.viewer: SourceViewer | None = None
        self.record: QWidget | None = None
        self.setObjectName("sourcePanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(_LEAST_WIDTH)
        self.count = label(self, "", "muted", "small")
        self.back = IconButton("back", self)
        self.forward = IconButton("forward", self)
        self.leave = IconButton("close", self)
        head = hbox(spacing=2, margins=(16, 10, 10, 0))
        self.count.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        for widget in (self.count, self.back, self.forward, self.leave):
            head.addWidget(widget)
        self._column = vbox(self, spacing=0, margins=(1, 0, 0, 0))  # beside the line at its edge
        self._column.addLayout(head)
        self.back.clicked.connect(self._on_back)
        self.forward.clicked.connect(self._on_forward)
        self.leave.clicked.connect(self.close_asked)
        keys = Qt.Key
        self._keys: list[QShortcut] = []
        for key, slot in (
            (keys.Key_P, self._on_back),
            (keys.Key_Left, self._on_back),
            (keys.Key_N, self._on_forward),
            (keys.Key_Right, self._on_forward),
        ):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)
            self._keys.append(shortcut)
        self._retranslate()

    def show_source(self, wanted: ViewRequest, at: int, count: int) -> None:
        """Show a source, which belongs to mark `at` (from 1; 0 for none) of `count`."""
        had_focus = self.viewer is not None and self.viewer.isAncestorOf(self.focusWidget())
        self.clear()
        self.viewer = SourceViewer(
            wanted, self._knowledge, self._loop, self, pages=self._pages, is_beside=True
        )
        self.viewer.add_asked.connect(self.add_asked)
        self.viewer.page_checked.connect(self.page_checked)
        self._column.addWidget(self.viewer, 1)
        self.viewer.show()
        if had_focus:
            self.forward.setFocus()
        self._at = (at, count)
        self._retranslate()

    def show_record(self, view: QWidget) -> None:
        """Show how an answer got its sources."""
        self.clear()
        self.record = view
        self._column.addWidget(view, 1)
        view.show()
        self._at = (0, 0)
        self._retranslate()

    def clear(self) -> None:
        """Delete what is shown."""
        for shown in (self.viewer, self.record):
            if shown is not None:
                self._column.removeWidget(shown)
                shown.hide()
                shown.deleteLater()
        self.viewer = self.record = None

    def _retranslate(self) -> None:
        at, count = self._at
        is_record = self.record is not None
        told = self.tr("Citation {at} of {count}").format(at=at, count=count) if at else ""
        self.count.setText(self.tr("Sources and searches") if is_record else told)
        self.back.set_words(self.tr("Previous citation"), self.tr("Previous citation  Alt+←"))
        self.forward.set_words(self.tr("Next citation"), self.tr("Next citation  Alt+→"))
        self.leave.set_words(self.tr("Close panel"), self.tr("Close panel  Esc"))
        for button in (self.back, self.forward):
            button.setEnabled(count > 1)
            button.setVisible(not is_record)
        for shortcut in self._keys:  # the arrows open and close the rows of a record
            shortcut.setEnabled(not is_record)
        self.setAccessibleName(self.tr("Sources and searches") if is_record else self.tr("Source"))

    def _on_back(self) -> None:
        self.step_asked.emit(-1)

    def _on_forward(self) -> None:
        self.step_asked.emit(1)
