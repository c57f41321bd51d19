"""The search of the settings: an index of all rows in every language, and the list that shows the results."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from desktop.ui.i18n import in_all_languages
from desktop.ui.settings.rows import PageGroup, SettingsContext, SettingsPageWidget
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import label, vbox

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
