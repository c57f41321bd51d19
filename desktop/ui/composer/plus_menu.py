"""The menu of the plus button: files, document tasks, and the switches that are shown only when they are changed."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.procedures import DocumentTask
from desktop.ui.composer.pills import Pill
from desktop.ui.composer.switches import LocalOnlySwitch, MemorySwitch, ModeSwitch
from desktop.ui.labels.chat import task_hint, task_name
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.icons import icon

TASK_ICONS = {DocumentTask.READ: "summary", DocumentTask.WRITE: "compose", DocumentTask.CHECK: "check"}


class PlusMenu(QMenu):
    """Filled when it opens. The menus of the switches are its submenus.

    Signals:
        attach_asked: the user wants to attach files.
    """

    attach_asked = Signal()

    def __init__(
        self,
        research: ModeSwitch,
        choices: Sequence[Pill],
        local_only: LocalOnlySwitch,
        memory: MemorySwitch,
        parent: QWidget,
    ) -> None:
        """Initialize; `choices` are the switches whose menus are offered below the tasks."""
        super().__init__(parent)
        self._research = research
        self._choices = tuple(choices)
        self._local_only = local_only
        self._memory = memory
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        add_access_keys(self)

    @property
    def plain_actions(self) -> tuple[QAction, ...]:
        """What the menu offers besides the document tasks and the submenus."""
        self.fill()
        tasks = {task_name(task) for task in DocumentTask}
        actions = (each for each in self.actions() if each.menu() is None and not each.isSeparator())
        return tuple(each for each in actions if each.text() not in tasks)

    @Slot()
    def fill(self) -> None:
        """Offer what is possible now."""
        self.clear()
        self._add("attach", self.tr("Attach files…"), self.attach_asked.emit)
        self.addSeparator()
        for task in DocumentTask:
            action = self._add(TASK_ICONS[task], task_name(task), partial(self._research.set_task, task))
            action.setToolTip(task_hint(task))
        self._add_menu("research", self.tr("Research"), self._research)
        self.addSeparator()
        for pill in self._choices:
            if pill.is_offered:
                self._add_menu(pill.icon_name, pill.kind, pill)
        self.addSeparator()
        self._add_switch(self.tr("Keep this chat on this computer"), self._local_only, self._local_only.is_on)
        if self._memory.is_offered:
            self._add_switch(self.tr("Use memory in this chat"), self._memory, self._memory.is_on)

    def _add(self, icon_name: str, text: str, act: Callable[[], None]) -> QAction:
        def on_triggered(_checked: bool) -> None:
            act()

        action = self.addAction(icon(icon_name, self.palette()), text)
        action.triggered.connect(on_triggered)
        return action

    def _add_menu(self, icon_name: str, text: str, pill: Pill) -> None:
        menu = pill.menu()
        menu.setTitle(text)
        menu.setIcon(icon(icon_name, self.palette()))
        self.addMenu(menu)

    def _add_switch(self, text: str, pill: Pill, is_on: bool) -> None:
        action = self.addAction(text)
        action.setCheckable(True)
        action.setChecked(is_on)
        action.setEnabled(pill.isEnabled())
        action.triggered.connect(pill.click)
