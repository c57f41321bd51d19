"""The folders that a base follows: add, see what is wrong with them, follow no longer."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QStackedWidget, QWidget

from desktop.domain.knowledge import BaseInfo, FolderInfo
from desktop.ui.knowledge.list_states import BusyBar, EmptyState
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.pages.page import SidePage
from desktop.ui.labels.common import localize_message, untranslated_error
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.layout import hbox, plain_tip

_FOLDER = Qt.ItemDataRole.UserRole


class FoldersPage(SidePage):
    """The folders that a base watches, each with the reason where it cannot be read.

    Signals:
        more_asked: the user wants to add another folder.
    """

    more_asked = Signal()

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._base: BaseInfo | None = None
        self._problem = ""
        self._is_listed = False
        self.list = QListWidget(self)
        self.list.setObjectName("queries")
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.more = QPushButton(self)
        self.more.setProperty("primary", "true")
        self.first = QPushButton(self)
        self.first.setProperty("primary", "true")
        self.remove = QPushButton(self)
        self.empty = EmptyState("folder", (self.first,), self)
        self._pane = QStackedWidget(self)
        self._pane.addWidget(self.empty)
        self._pane.addWidget(self.list)
        self.waiting = BusyBar(self)
        self.column.addWidget(self.waiting)
        self.column.addWidget(self._pane, 1)
        row = hbox(spacing=8)
        row.addWidget(self.remove)
        row.addStretch(1)
        row.addWidget(self.more)
        self.column.addLayout(row)
        self.more.clicked.connect(self.more_asked)
        self.first.clicked.connect(self.more_asked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.list.itemSelectionChanged.connect(self._show_state)
        self.retranslate()

    def show_base(self, base: BaseInfo) -> None:
        """Show the folders that a base watches."""
        self._take(base)
        self._problem = ""
        self.refresh()

    def watch(self, base: BaseInfo, path: Path) -> None:
        """Watch a folder for a base, and show it."""
        self._take(base)
        self._start(partial(self._means.knowledge.watch_folder, base.id, path))

    def _take(self, base: BaseInfo) -> None:
        if self._base is None or self._base.id != base.id:
            self.list.clear()
            self._is_listed = False
            self.waiting.begin(self.tr("Loading…"))
        self._base = base

    def refresh(self) -> None:
        """Load the list again."""
        if self._base is not None:
            self._means.loop.run(
                self,
                partial(self._means.knowledge.folders, self._base.id),
                partial(self._on_listed, self._base.id),
                self._on_failed,
            )
        self._show_state()

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        super().retranslate()
        self.list.setAccessibleName(self.tr("Watched folders"))
        self.more.setText(self.tr("Watch a folder…"))
        self.first.setText(self.more.text())
        self.remove.setText(self.tr("Stop watching"))
        self.empty.say(
            self.tr("No watched folders"),
            self.tr("Changes in a watched folder appear in the knowledge base automatically."),
        )
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        name = self._base.name if self._base else ""
        self.title.setText(self.tr("Watched folders of “{base}”").format(base=name))
        has_any = self.list.count() > 0
        if self._problem:
            self.hint.show_error(self._problem)
        else:
            teach = self.tr("Changes in these folders appear in the knowledge base automatically.")
            self.hint.setText(teach if has_any else "")
        self._pane.setCurrentWidget(self.list if has_any or not self._is_listed else self.empty)
        self.more.setVisible(has_any)
        self.remove.setVisible(has_any)
        self.remove.setEnabled(bool(self.list.selectedItems()))

    def _on_listed(self, base_id: str, folders: tuple[FolderInfo, ...]) -> None:
        if self._base is None or self._base.id != base_id:
            return
        self.waiting.end()
        self._is_listed = True
        self.list.clear()
        for folder in folders:
            item = QListWidgetItem(folder.path)
            if folder.error:
                item.setText(f"{folder.path}\n{localize_message(folder.error)}")
            item.setIcon(icon("warning" if folder.error else "folder", self.palette()))
            item.setToolTip(plain_tip(item.text()))
            item.setData(_FOLDER, folder.id)
            self.list.addItem(item)
        self._show_state()

    @Slot()
    def _on_remove_clicked(self) -> None:
        for item in self.list.selectedItems():
            forget = partial(self._means.knowledge.unwatch_folder, item.data(_FOLDER))
            self._start(forget)

    def _start(self, work: Callable[[], Awaitable[object]]) -> None:
        self._problem = ""
        # The store is the parent, as it outlives this window: work that was begun is completed.
        self._means.loop.run(self._means.knowledge_store, work, self._on_done, self._on_failed)

    @Slot(object)
    def _on_done(self, _nothing: object) -> None:
        self.refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.waiting.end()
        self._problem = untranslated_error(error)
        self._show_state()
