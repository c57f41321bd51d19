"""The settings dialog, the order of its pages in five groups, and their search. A new page is a module and an entry of `GROUPS`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from desktop.ui.i18n import in_all_languages
from desktop.ui.settings.pages import appearance as appearance_page
from desktop.ui.settings.pages import assistants as assistants_page
from desktop.ui.settings.pages import data as data_page
from desktop.ui.settings.pages import help as help_page
from desktop.ui.settings.pages import knowledge as knowledge_page
from desktop.ui.settings.pages import memory as memory_page
from desktop.ui.settings.pages import models as models_page
from desktop.ui.settings.pages import privacy as privacy_page
from desktop.ui.settings.pages import program as program_page
from desktop.ui.settings.pages import prompts as prompts_page
from desktop.ui.settings.pages import search as search_page
from desktop.ui.settings.pages import serving as serving_page
from desktop.ui.settings.pages import tool_servers as mcp_page
from desktop.ui.settings.rows import HeadingRow, PageGroup, SettingsContext, SettingsPageWidget
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import hbox, label, separator, set_style_flag, vbox

WHOLE_PAGE = -1

_WIDTH = 208
_LEAST_WIDTH = 168
_SHARE = 0.34
_MOST_WIDTH = 300
_HEADING_LINES = 1.9
"""The height of the heading of a group, in lines of text."""
_CHARS = 28
_PAUSE_MS = 120
"""A page is built for what is looked for, not for every letter on the way there."""

_PLACE = Qt.ItemDataRole.UserRole
PAGE_ROLE = Qt.ItemDataRole.UserRole
"""The id of the page of an item in the list of pages; headings of groups have none."""

_STEPS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


@dataclass(frozen=True)
class SearchEntry:
    """A row of a page, or the page itself: `row` is `WHOLE_PAGE`.

    `titles` are its title in every language, `text` is what is searched.
    """

    page: str
    row: int
    title: str
    titles: tuple[str, ...] = ()
    text: str = ""


def entries_of(pages: Iterable[SettingsPageWidget], context: SettingsContext) -> tuple[SearchEntry, ...]:
    """Return an entry for every row that can be found, in the order of the pages."""
    found = []
    for page in pages:
        title = page.title()
        found.append(_place(page.id, WHOLE_PAGE, (title,)))
        for number, row in enumerate(page.rows(context)):
            words = tuple(filter(None, row.words))
            if words:
                found.append(_place(page.id, number, words))
    return tuple(found)


def search(places: Iterable[SearchEntry], wanted: str) -> tuple[SearchEntry, ...]:
    """Return the entries that contain all words of `wanted`; those of a page together, the best page first."""
    words = wanted.casefold().split()
    if not words:
        return ()
    best: dict[str, int] = {}
    hits: dict[str, list[tuple[int, SearchEntry]]] = defaultdict(list)
    for place in places:
        rank = _rank(place, words)
        if rank is not None:
            hits[place.page].append((rank, place))
            best[place.page] = min(rank, best.get(place.page, rank))
    ordered = sorted(hits, key=best.__getitem__)
    return tuple(place for page in ordered for _rank, place in sorted(hits[page], key=lambda hit: hit[0]))


def _rank(place: SearchEntry, words: Sequence[str]) -> int | None:
    """Return 0 for a title, 1 for what begins one, 2 for what is in one, 3 for what is said elsewhere."""
    if not all(word in place.text for word in words):
        return None
    wanted = " ".join(words)
    if wanted in place.titles:
        return 0
    if any(title.startswith(wanted) for title in place.titles):
        return 1
    return 2 if any(all(word in title for word in words) for title in place.titles) else 3


def _place(page: str, row: int, words: Sequence[str]) -> SearchEntry:
    title, *rest = words
    titles = tuple(in_all_languages(title))
    texts = (*titles, *(each for word in rest for each in in_all_languages(word)))
    return SearchEntry(page, row, title, titles, "\n".join(texts))


class SearchList(QWidget):
    """The list of the pages; while there is a query, the list of results.

    Signals:
        place_chosen: the `SearchEntry` to be shown.
        search_left: the query was cleared.
        entered: the user wants to edit the entry that is shown.
    """

    place_chosen = Signal(object)
    search_left = Signal()
    entered = Signal()

    def __init__(
        self,
        groups: Sequence[PageGroup],
        places: Callable[[], Sequence[SearchEntry]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pagesSide")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._groups = groups
        self._pages = tuple(page for group in groups for page in group.pages)
        self._collect = places
        self._places: Sequence[SearchEntry] | None = None
        self.field = QLineEdit(self)
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.pages = _list("pages", self)
        self.hits = _list("pages", self)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self.nothing = label(self, "", "muted")
        self.nothing.setContentsMargins(10, 8, 10, 8)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._stack = QStackedWidget(self)
        for widget in (self.pages, self.hits, self.nothing):
            self._stack.addWidget(widget)
        column = vbox(self, spacing=6, margins=(10, 12, 10, 8))
        column.addWidget(self.field)
        column.addWidget(self._stack, 1)
        self._items: dict[str, QListWidgetItem] = {}
        self._headings: list[QListWidgetItem] = []
        self._add_pages()
        self.fit(_WIDTH * 4)
        self.retranslate()
        self.field.textChanged.connect(self._on_text_changed)
        self.field.returnPressed.connect(self._on_return_pressed)
        self._pause.timeout.connect(self._tell_place)
        self.hits.currentItemChanged.connect(self._on_hit_changed)
        self.hits.itemActivated.connect(self.entered)

    def retranslate(self) -> None:
        """Show all texts in the current language, and the icons in the current colours."""
        self.field.setPlaceholderText(self.tr("Search settings"))
        self.field.setAccessibleName(self.tr("Search settings"))
        self.pages.setAccessibleName(self.tr("Pages"))
        self.hits.setAccessibleName(self.tr("Found"))
        self._places = None
        for heading, group in zip(self._headings, self._groups, strict=True):
            heading.setText(group.title())
        for page in self._pages:
            item = self._items[page.id]
            item.setText(page.title())
            item.setIcon(icon(page.icon, self.palette(), QPalette.ColorRole.Text))

    def choose(self, page_id: str) -> None:
        """Select a page in the list of pages."""
        self.pages.setCurrentItem(self._items[page_id])

    def _add_pages(self) -> None:
        """Add the pages of each group below its heading, which cannot be selected."""
        for group in self._groups:
            heading = QListWidgetItem(self.pages)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            self._headings.append(heading)
            for page in group.pages:
                item = QListWidgetItem(self.pages)
                item.setData(PAGE_ROLE, page.id)
                self._items[page.id] = item

    def changeEvent(self, event: QEvent) -> None:
        """Adapt the width to the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit(self.window().width())

    def fit(self, whole: int) -> None:
        """Take the width that the font needs, and no more than a share of the `whole` width."""
        wanted = self.fontMetrics().horizontalAdvance("x") * _CHARS
        self.setFixedWidth(min(max(wanted, _WIDTH), _MOST_WIDTH, max(_LEAST_WIDTH, round(whole * _SHARE))))
        for heading in self._headings:
            heading.setSizeHint(QSize(0, round(self.fontMetrics().height() * _HEADING_LINES)))

    def begin(self) -> None:
        """Focus the search field."""
        self.field.setFocus()
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the results with the keys of a list; Escape clears the query before it closes the dialog."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self.field.text():
            if event.key() == Qt.Key.Key_Escape:
                self.field.clear()
                return True
            if event.key() in _STEPS and self._stack.currentWidget() is self.hits:
                self.hits.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        if not text.strip():
            self._pause.stop()
            self._stack.setCurrentWidget(self.pages)
            self.search_left.emit()
            return
        if self._places is None:
            self._places = self._collect()
        found = search(self._places, text)
        if found:
            self._show(found)
        else:
            self.nothing.setText(self.tr("No matching settings. Try another word."))
        self._stack.setCurrentWidget(self.hits if found else self.nothing)

    def _show(self, found: Sequence[SearchEntry]) -> None:
        self.hits.clear()
        pages = {page.id: page for page in self._pages}
        shown = ""
        for place in found:
            if place.page != shown:
                shown = place.page
                self.hits.addItem(self._heading(pages[shown], place))
            if place.row != WHOLE_PAGE:
                item = QListWidgetItem(place.title)
                item.setData(_PLACE, place)
                item.setToolTip(place.title)
                self.hits.addItem(item)
        first = next(row for row in range(self.hits.count()) if self.hits.item(row).data(_PLACE) == found[0])
        self.hits.setCurrentRow(first)

    def _heading(self, page: SettingsPageWidget, place: SearchEntry) -> QListWidgetItem:
        item = QListWidgetItem(icon(page.icon, self.palette(), QPalette.ColorRole.Text), page.title())
        font = self.hits.font()
        font.setBold(True)
        item.setFont(font)
        whole = place if place.row == WHOLE_PAGE else SearchEntry(page.id, WHOLE_PAGE, page.title())
        item.setData(_PLACE, whole)
        return item

    @Slot(QListWidgetItem, QListWidgetItem)
    def _on_hit_changed(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        if item is not None:
            self._pause.start()

    @Slot()
    def _tell_place(self) -> None:
        self._pause.stop()
        item: QListWidgetItem | None = self.hits.currentItem()
        if item is not None:
            self.place_chosen.emit(item.data(_PLACE))

    @Slot()
    def _on_return_pressed(self) -> None:
        if self._stack.currentWidget() is self.hits:
            self._tell_place()
            self.entered.emit()


def _list(name: str, parent: QWidget) -> QListWidget:
    result = QListWidget(parent)
    result.setObjectName(name)
    result.setIconSize(QSize(18, 18))
    result.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    result.setTextElideMode(Qt.TextElideMode.ElideRight)
    return result


GROUPS = (
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "General"),
        (appearance_page.PAGE, program_page.PAGE, program_page.SHORTCUTS_PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Answers"),
        (
            models_page.PAGE,
            assistants_page.PAGE,
            prompts_page.PAGE,
            search_page.RESEARCH_PAGE,
            memory_page.PAGE,
        ),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Sources"),
        (search_page.PAGE, search_page.READING_PAGE, knowledge_page.PAGE, mcp_page.PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Privacy and data"),
        (privacy_page.PAGE, data_page.PAGE, privacy_page.NETWORK_PAGE, serving_page.PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Support"),
        (help_page.PAGE, help_page.ABOUT_PAGE),
    ),
)
PAGES = tuple(page for group in GROUPS for page in group.pages)


_FIELD_WIDTH = 60
"""Space above and below a row that is scrolled to, in pixels."""

_SIZE = QSize(920, 740)


class PageBody(QScrollArea):
    """The rows of a page, which scroll. Rows are numbered from 0 in the order of the page."""

    def __init__(self, page: SettingsPageWidget, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys that its controls have no use for scroll it
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        body = QWidget(self)
        column = vbox(body, spacing=8, margins=(22, 22, 22, 22))
        column.addWidget(label(body, page.title(), "display"))
        self.rows: list[QWidget] = []
        self._marked: QWidget | None = None
        after_heading = True
        for row in page.rows(context):
            if not after_heading and not isinstance(row, HeadingRow):
                column.addWidget(separator(body))
            built = row.build(context, body)
            built.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
            column.addWidget(built)
            self.rows.append(built)
            after_heading = isinstance(row, HeadingRow)
        column.addStretch(1)
        self.setWidget(body)

    def show_top(self) -> None:
        """Scroll to the top, with no row marked."""
        self.unmark()
        self.verticalScrollBar().setValue(0)

    def show_row(self, number: int) -> None:
        """Bring a row into view and mark it."""
        self.unmark()
        self._marked = self.rows[number]
        set_style_flag(self._marked, "found", True)
        # A page that was built just now has its places only after the layout.
        QTimer.singleShot(0, self, self._scroll_to_marked)

    def unmark(self) -> None:
        """Remove the mark."""
        if self._marked is not None:
            set_style_flag(self._marked, "found", False)
            self._marked = None

    def focus_marked(self, reason: Qt.FocusReason) -> None:
        """Focus the first control of the marked row, or of the page."""
        target: QWidget = self._marked or self
        control = next((each for each in target.findChildren(QWidget) if _takes_keys(each)), None)
        if control is not None:
            control.setFocus(reason)

    @Slot()
    def _scroll_to_marked(self) -> None:
        if self._marked is not None:
            QApplication.sendPostedEvents(self.widget())
            self.ensureWidgetVisible(self._marked, 0, _FIELD_WIDTH)


def _takes_keys(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible() and widget.isEnabled()


class SettingsDialog(FormDialog):
    """A list of pages and the selected page; pages are built when they are first shown."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = replace(context, show_page=self.go_to)
        self._built: dict[str, PageBody] = {}
        self._stack = QStackedWidget(self)
        self.side = SearchList(GROUPS, partial(entries_of, PAGES, context), self)
        row = hbox(self, spacing=0)
        row.addWidget(self.side)
        row.addWidget(self._stack, 1)
        self.resize(_SIZE)
        self._retranslate()
        self.list.currentItemChanged.connect(self._on_page_chosen)
        self.side.place_chosen.connect(self._on_place_chosen)
        self.side.search_left.connect(self._unmark)
        self.side.entered.connect(self._on_entered)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.side.begin)
        self.go_to(PAGES[0].id)
        self.list.setFocus()

    @property
    def list(self) -> QListWidget:
        """The pages."""
        return self.side.pages

    def go_to(self, page_id: str, row: int | None = None) -> None:
        """Show a page; if it has a row with this number, mark it and give it the focus."""
        self.side.choose(page_id)
        if row is not None and 0 <= row < len(self._shown.rows):
            self._shown.show_row(row)
            QTimer.singleShot(0, self, self._focus_marked)

    @Slot()
    def _focus_marked(self) -> None:
        self._shown.focus_marked(Qt.FocusReason.ShortcutFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the page enough width beside the list."""
        super().resizeEvent(event)
        self.side.fit(event.size().width())

    def changeEvent(self, event: QEvent) -> None:
        """Follow language and theme: pages are built again in the new language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            # After the control that changed the language has returned: it is on a page itself.
            QTimer.singleShot(0, self, self._rebuild)
        elif event.type() == QEvent.Type.PaletteChange:
            self._retranslate()

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        self.side.retranslate()

    @property
    def _shown(self) -> PageBody:
        shown = self._stack.currentWidget()
        assert isinstance(shown, PageBody)
        return shown

    @Slot()
    def _rebuild(self) -> None:
        for widget in self._built.values():
            self._stack.removeWidget(widget)
            widget.deleteLater()
        self._built = {}
        self._on_page_chosen(self.list.currentItem(), None)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _on_page_chosen(self, item: QListWidgetItem, _before: QListWidgetItem | None) -> None:
        page = next(page for page in PAGES if page.id == item.data(PAGE_ROLE))
        if page.id not in self._built:
            self._built[page.id] = PageBody(page, self._context, self._stack)
            self._stack.addWidget(self._built[page.id])
        self._stack.setCurrentWidget(self._built[page.id])

    @Slot(object)
    def _on_place_chosen(self, place: SearchEntry) -> None:
        self._unmark()
        self.go_to(place.page)
        if place.row == WHOLE_PAGE:
            self._shown.show_top()
        else:
            self._shown.show_row(place.row)

    @Slot()
    def _unmark(self) -> None:
        for body in self._built.values():
            body.unmark()

    @Slot()
    def _on_entered(self) -> None:
        self._shown.focus_marked(Qt.FocusReason.ShortcutFocusReason)
