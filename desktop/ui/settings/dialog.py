"""The settings dialog, and the order of its pages in five groups. A new page is a module and an entry of `GROUPS`."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem, QScrollArea, QStackedWidget, QWidget

from desktop.ui.settings.page_search import PAGE_ROLE, WHOLE_PAGE, SearchEntry, SearchList, entries_of
from desktop.ui.settings.pages.answers import assistants as assistants_page
from desktop.ui.settings.pages.answers import memory as memory_page
from desktop.ui.settings.pages.answers import models as models_page
from desktop.ui.settings.pages.answers import prompts as prompts_page
from desktop.ui.settings.pages.answers import research as research_page
from desktop.ui.settings.pages.general import appearance as appearance_page
from desktop.ui.settings.pages.general import program as program_page
from desktop.ui.settings.pages.general import shortcuts as shortcuts_page
from desktop.ui.settings.pages.help import about as about_page
from desktop.ui.settings.pages.help import help as help_page
from desktop.ui.settings.pages.privacy import data as data_page
from desktop.ui.settings.pages.privacy import network as network_page
from desktop.ui.settings.pages.privacy import privacy as privacy_page
from desktop.ui.settings.pages.privacy import serving as serving_page
from desktop.ui.settings.pages.sources import knowledge as knowledge_page
from desktop.ui.settings.pages.sources import page_reading as reading_page
from desktop.ui.settings.pages.sources import search as search_page
from desktop.ui.settings.pages.sources import tool_servers as mcp_page
from desktop.ui.settings.rows import HeadingRow, PageGroup, SettingsContext, SettingsPageWidget
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.layout import hbox, label, separator, set_style_flag, vbox

GROUPS = (
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "General"),
        (appearance_page.PAGE, program_page.PAGE, shortcuts_page.PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Answers"),
        (models_page.PAGE, assistants_page.PAGE, prompts_page.PAGE, research_page.PAGE, memory_page.PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Sources"),
        (search_page.PAGE, reading_page.PAGE, knowledge_page.PAGE, mcp_page.PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Privacy and data"),
        (privacy_page.PAGE, data_page.PAGE, network_page.PAGE, serving_page.PAGE),
    ),
    PageGroup(
        lambda: QCoreApplication.translate("settings_groups", "Support"),
        (help_page.PAGE, about_page.PAGE),
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
