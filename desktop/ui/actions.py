"""Every shortcut of the main window, in one table."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True)
class ActionSpec:
    """An action; `text` is translated in the context "actions"."""

    id: str
    text: str
    keys: tuple[str, ...]


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark `text` for translation; Qt's own returns object to the type checker."""
    return text


ACTIONS = (
    ActionSpec("new_chat", QT_TRANSLATE_NOOP("actions", "New chat"), ("Ctrl+N",)),
    ActionSpec("stop", QT_TRANSLATE_NOOP("actions", "Stop answering"), ("Esc",)),
    ActionSpec("settings", QT_TRANSLATE_NOOP("actions", "Settings"), ("Ctrl+,",)),
    ActionSpec("knowledge", QT_TRANSLATE_NOOP("actions", "Knowledge"), ("Ctrl+K",)),
    ActionSpec("focus_composer", QT_TRANSLATE_NOOP("actions", "Write a message"), ("Ctrl+L",)),
    ActionSpec("find", QT_TRANSLATE_NOOP("actions", "Find in the conversation"), ("Ctrl+F",)),
    ActionSpec("filter", QT_TRANSLATE_NOOP("actions", "Find a conversation"), ("Ctrl+Shift+F",)),
    ActionSpec("next", QT_TRANSLATE_NOOP("actions", "Next conversation"), ("Ctrl+Tab", "Ctrl+PgDown")),
    ActionSpec(
        "previous", QT_TRANSLATE_NOOP("actions", "Previous conversation"), ("Ctrl+Shift+Tab", "Ctrl+PgUp")
    ),
    ActionSpec("assistant", QT_TRANSLATE_NOOP("actions", "Choose an assistant"), ("Ctrl+Shift+A",)),
    ActionSpec("compare", QT_TRANSLATE_NOOP("actions", "Ask several models side by side"), ("Ctrl+Shift+M",)),
    ActionSpec("sidebar", QT_TRANSLATE_NOOP("actions", "Show or hide the sidebar"), ("Ctrl+B",)),
    ActionSpec("consent", QT_TRANSLATE_NOOP("actions", "Answer a tool that asks"), ("Ctrl+J",)),
    ActionSpec(
        "inspect", QT_TRANSLATE_NOOP("actions", "How the last answer came by its sources"), ("Ctrl+I",)
    ),
    ActionSpec("copy_answer", QT_TRANSLATE_NOOP("actions", "Copy the last answer"), ("Ctrl+Shift+C",)),
    ActionSpec("export", QT_TRANSLATE_NOOP("actions", "Save the conversation as a file"), ("Ctrl+Shift+S",)),
    ActionSpec("quit", QT_TRANSLATE_NOOP("actions", "Quit"), ("Ctrl+Q",)),
)


class Actions:
    """The window's actions by id."""

    def __init__(self, window: QWidget) -> None:
        self._actions = {spec.id: _action(spec, window) for spec in ACTIONS}
        self.retranslate()

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def connect(self, slots: dict[str, Callable[[], object]]) -> None:
        """Say what each action does."""
        for action_id, slot in slots.items():
            self._actions[action_id].triggered.connect(slot)

    def retranslate(self) -> None:
        """Name the actions in the language of now."""
        for spec in ACTIONS:
            self._actions[spec.id].setText(QCoreApplication.translate("actions", spec.text))

    def tip(self, action_id: str) -> str:
        """Return an action's name with its shortcut, as a tooltip shows it."""
        action = self._actions[action_id]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        return f"{action.text()}  {keys}"


def _action(spec: ActionSpec, window: QWidget) -> QAction:
    action = QAction(window)
    action.setObjectName(spec.id)
    action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
    window.addAction(action)
    return action
