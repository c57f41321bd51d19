"""The items of the chosen base: add, find, look at."""

from typing import Final

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QStackedWidget, QWidget

from desktop.domain.knowledge import BaseInfo, ItemInfo
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.actions import ITEM_ACTIONS
from desktop.ui.knowledge.add_menu import AddMenu
from desktop.ui.knowledge.base_model import base_badge
from desktop.ui.knowledge.item_bars import ErrorBar, FilterBar, SummaryBar
from desktop.ui.knowledge.item_view import ItemView
from desktop.ui.knowledge.list_states import BusyBar, EmptyState
from desktop.ui.knowledge.manager_controller import ManagerController
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.item_actions import ItemActions
from desktop.ui.widgets.layout import hbox, label, new_menu, vbox

_MENU_MARGIN: Final = 4


class ItemsPage(Retranslated, QWidget):
    """The header of a base with its actions, a filter, the table, and a summary.

    Signals:
        action_asked: id of an action of `ITEM_ACTIONS`, and the items (tuple of ItemInfo) that it is for.
        base_menu_asked: where on the screen (QPoint) the menu of the base is to open.
        trial_asked: the user wants to test the search of the base.
        resume_asked: the user wants to resume reading.
    """

    action_asked = Signal(str, object)
    base_menu_asked = Signal(QPoint)
    trial_asked = Signal()
    resume_asked = Signal()

    def __init__(self, controller: ManagerController, adding: AddMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._adding = adding
        self._badge = QLabel(self)
        self._badge.setProperty("heading", "true")
        self.name = label(self, "", "heading")
        self.trial = IconButton("search", self)
        self.more = IconButton("more", self)
        self.add = QPushButton(self)
        self.add.setMenu(add_access_keys(QMenu(self.add)))
        self.add.setProperty("primary", "true")
        self.filter = FilterBar(self)
        self.view = ItemView(controller.items, self)
        self.item_actions: ItemActions[ItemInfo] = ItemActions(ITEM_ACTIONS, self.view)
        self.buttons = {name: self._way(name) for name in ("files", "folder", "link", "note")}
        self.empty = EmptyState("library", tuple(self.buttons.values()), self)
        self.show_all = QPushButton(self)
        self.nothing_found = EmptyState("filter", (self.show_all,), self)
        self._pane = QStackedWidget(self)
        self.waiting = BusyBar(self)
        self.reason = ErrorBar(self)
        self.summary = SummaryBar(self)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _way(self, name: str) -> QPushButton:
        button = QPushButton(self)
        button.clicked.connect(self._adding.actions[name].trigger)
        return button

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(20, 14, 20, 12))
        head = hbox(spacing=8)
        head.addWidget(self._badge)
        head.addWidget(self.name, 1)
        head.addWidget(self.trial)
        head.addWidget(self.more)
        head.addWidget(self.add)
        column.addLayout(head)
        column.addWidget(self.waiting)
        column.addWidget(self.filter)
        for pane in (self.view, self.empty, self.nothing_found):
            self._pane.addWidget(pane)
        column.addWidget(self._pane, 1)
        column.addWidget(self.reason)
        column.addWidget(self.summary)

    def _connect(self) -> None:
        controller = self._controller
        for signal, slot in (
            (controller.base_changed, self._on_base_changed),
            (controller.items.counted, self.show_state),
            (controller.items.dataChanged, self._on_changed),
            (controller.items.modelReset, self.show_state),
            (self.filter.changed, controller.items.filter),
            (self.show_all.clicked, self.filter.clear),
            (self.view.picked, self._on_picked),
            (self.view.menu_asked, self._on_menu_asked),
            (self.view.doubleClicked, self._on_double_clicked),
            (self.item_actions.asked, self._on_action_asked),
            (self.add.menu().aboutToShow, self._on_add_shown),
            (self.trial.clicked, self.trial_asked),
            (self.more.clicked, self._on_more_clicked),
            (self.summary.failed_asked, self.filter.show_failed),
            (self.summary.again_asked, controller.read_failed_again),
            (self.summary.resume_asked, self.resume_asked),
            (self.reason.again_asked, self._on_again_asked),
        ):
            signal.connect(slot)
        self._on_picked()

    def _retranslate(self) -> None:
        self.retranslate()

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        self._adding.retranslate()
        self.item_actions.retranslate()
        self._controller.items.retranslate()
        self.add.setText(self.tr("Add"))
        self.trial.set_words(self.tr("Try a search…"), f"{self.tr('Try a search…')}  Ctrl+E")
        self.more.set_words(self.tr("More"))
        self.view.setAccessibleName(self.tr("Items in the knowledge base"))
        for name, button in self.buttons.items():
            button.setText(self._adding.actions[name].text())
        self.show_all.setText(self.tr("Show all"))
        self.nothing_found.say(self.tr("No matching items"), "")
        self.empty.say(
            self.tr("Drop files, folders or links here"),
            self.tr(
                "PDFs, scans, Office files, email, e-books, web pages, images and code. They are read on this computer."
            ),
        )
        self.show_state()

    @Slot()
    def show_state(self) -> None:
        """Show the table or a hint, and the summary."""
        rows, base = self._controller.items.rows, self._controller.base
        has_any = rows.total > 0
        pane = self.view if len(rows) else self.nothing_found if has_any else self.empty
        if self._controller.is_listed or has_any:
            self._pane.setCurrentWidget(pane)
            self.waiting.end()
        elif base is not None:
            self._pane.setCurrentWidget(self.view)
            self.waiting.begin(self.tr("Loading…"))
        self.filter.setVisible(has_any)
        self.summary.setVisible(has_any)
        if base is not None:
            self.summary.show_counts(rows, self._controller.bases.share(base.id), is_paused=base.is_paused)

    @Slot(object)
    def _on_base_changed(self, base: BaseInfo | None) -> None:
        if base is not None:
            badge = base_badge(base, self.font())
            self._badge.setText(badge if badge == base.icon else "")
            self._badge.setVisible(bool(self._badge.text()))
            self.name.setText(base.name)
            self.filter.set_tags(base.tags)
            self.view.set_tagged(bool(base.tags))
        self.show_state()

    @Slot()
    def _on_picked(self) -> None:
        items = self.view.items
        self.item_actions.fit(items)
        self.reason.show_error_of(items)

    @Slot()
    def _on_changed(self) -> None:
        if self.view.has_one_picked:
            self._on_picked()

    @Slot(QPoint)
    def _on_menu_asked(self, place: QPoint) -> None:
        menu = new_menu(self)
        self.item_actions.fill(menu)
        menu.popup(place)

    @Slot()
    def _on_double_clicked(self) -> None:
        self._on_action_asked("open")

    @Slot()
    def _on_again_asked(self) -> None:
        self._on_action_asked("again")

    @Slot(str)
    def _on_action_asked(self, spec: str) -> None:
        if items := self.view.items:
            self.action_asked.emit(spec, items)

    @Slot()
    def _on_add_shown(self) -> None:
        self._adding.fill(self.add.menu())

    @Slot()
    def _on_more_clicked(self) -> None:
        self.base_menu_asked.emit(self.more.mapToGlobal(QPoint(0, self.more.height() + _MENU_MARGIN)))
