"""The dialog around the pages; knows none of them by name."""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QScrollArea, QStackedWidget, QWidget

from desktop.ui.field_dialog import FieldDialog
from desktop.ui.icons import icon
from desktop.ui.parts import horizontal, label, line, vertical
from desktop.ui.settings.page import Page
from desktop.ui.settings.registry import PAGES
from desktop.ui.settings.rows import Context, Heading

_SIZE = QSize(820, 600)
_LIST_WIDTH = 190


class SettingsDialog(FieldDialog):
    """A list of pages beside the page that was picked; pages are built when they are first seen."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._built: dict[str, QWidget] = {}
        self.list = QListWidget(self)
        self.list.setObjectName("pages")
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.setIconSize(QSize(18, 18))
        self._stack = QStackedWidget(self)
        row = horizontal(self, spacing=0)
        row.addWidget(self.list)
        row.addWidget(self._stack, 1)
        self.resize(_SIZE)
        for page in PAGES:
            self.list.addItem(QListWidgetItem(page.id))
        self._retranslate()
        self.list.currentRowChanged.connect(self._on_row_changed)
        self.list.setCurrentRow(0)

    def go_to(self, page_id: str) -> None:
        """Show a page."""
        self.list.setCurrentRow([page.id for page in PAGES].index(page_id))

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
        self.list.setAccessibleName(self.tr("Pages"))
        for row, page in enumerate(PAGES):
            item = self.list.item(row)
            item.setText(page.title())
            item.setIcon(icon(page.icon, self.palette(), QPalette.ColorRole.Text))

    @Slot()
    def _rebuild(self) -> None:
        for widget in self._built.values():
            self._stack.removeWidget(widget)
            widget.deleteLater()
        self._built = {}
        self._on_row_changed(self.list.currentRow())

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        page = PAGES[row]
        if page.id not in self._built:
            self._built[page.id] = build_page(page, self._context, self)
            self._stack.addWidget(self._built[page.id])
        self._stack.setCurrentWidget(self._built[page.id])


def build_page(page: Page, context: Context, parent: QWidget) -> QWidget:
    """Return a page's rows below each other, in a view that scrolls."""
    scroll = QScrollArea(parent)
    scroll.setWidgetResizable(True)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    body = QWidget(scroll)
    column = vertical(body, spacing=8, margins=(28, 22, 28, 22))
    column.addWidget(label(body, page.title(), "display"))
    after_heading = True
    for row in page.rows(context):
        if not after_heading and not isinstance(row, Heading):
            column.addWidget(line(body))
        column.addWidget(row.build(context, body))
        after_heading = isinstance(row, Heading)
    column.addStretch(1)
    scroll.setWidget(body)
    return scroll
