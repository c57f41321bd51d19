"""The actions of the window with their current shortcuts."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.settings.model import Settings
from desktop.ui.actions import ACTIONS, ActionSpec, bindings, native
from desktop.ui.stores.settings_store import SettingsStore


class WindowActions:
    """The window's actions by id; their keys follow the settings."""

    def __init__(self, window: QWidget, store: SettingsStore) -> None:
        self._actions = {spec.id: _action(spec, window) for spec in ACTIONS}
        self._shortcuts = store.settings.window.shortcuts
        self._use(store.settings)
        self.retranslate()
        store.changed.connect(self._on_settings_changed)

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    @property
    def by_id(self) -> Mapping[str, QAction]:
        """All actions by id."""
        return self._actions

    def connect(self, slots: dict[str, Callable[[], object]]) -> None:
        """Connect actions, by id, to slots."""
        for action_id, slot in slots.items():
            self._actions[action_id].triggered.connect(slot)

    def retranslate(self) -> None:
        """Set the names of the actions in the current language."""
        for spec in ACTIONS:
            self._actions[spec.id].setText(QCoreApplication.translate("actions", spec.text))

    def tip(self, action_id: str) -> str:
        """Return an action's name and shortcut, for a tooltip."""
        action = self._actions[action_id]
        keys = "".join(native([action.shortcut().toString()]))
        return f"{action.text()}  {keys}".rstrip()

    def _use(self, settings: Settings) -> None:
        for action_id, binding in bindings(settings.window).items():
            self._actions[action_id].setShortcuts([QKeySequence(keys) for keys in binding.keys])

    def _on_settings_changed(self, settings: Settings) -> None:
        if settings.window.shortcuts != self._shortcuts:
            self._shortcuts = settings.window.shortcuts
            self._use(settings)


def _action(spec: ActionSpec, window: QWidget) -> QAction:
    action = QAction(window)
    action.setObjectName(spec.id)
    window.addAction(action)
    return action
