"""The table of main-window actions, the current keyboard shortcuts of each, and the actions of a window.

An action has the shortcuts of the table unless the user assigned others. If two actions share a shortcut,
the user's assignment takes precedence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.settings.model import Settings, WindowSettings
from desktop.ui.stores.settings_store import SettingsStore


@dataclass(frozen=True)
class ActionSpec:
    """An action; `text` is translated in the context "actions", `group` is one of `GROUPS`."""

    id: str
    text: str
    keys: tuple[str, ...]
    group: str = "window"


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark `text` for translation. Qt's own function returns `object` to the type checker."""
    return text


GROUPS = (
    ("conversations", QT_TRANSLATE_NOOP("actions", "Chats")),
    ("messages", QT_TRANSLATE_NOOP("actions", "Questions and answers")),
    ("window", QT_TRANSLATE_NOOP("actions", "Window")),
)
"""The actions, in display order."""

ACTIONS = (
    ActionSpec("new_chat", QT_TRANSLATE_NOOP("actions", "New chat"), ("Ctrl+N",), "conversations"),
    ActionSpec("new_folder", QT_TRANSLATE_NOOP("actions", "New folder"), ("Ctrl+Shift+N",), "conversations"),
    ActionSpec("check_text", QT_TRANSLATE_NOOP("actions", "Check a text"), (), "conversations"),
    ActionSpec("topics", QT_TRANSLATE_NOOP("actions", "Watched topics"), (), "conversations"),
    ActionSpec("stop", QT_TRANSLATE_NOOP("actions", "Stop answering"), ("Esc",), "messages"),
    ActionSpec("settings", QT_TRANSLATE_NOOP("actions", "Settings"), ("Ctrl+,",)),
    ActionSpec("palette", QT_TRANSLATE_NOOP("actions", "Search everything"), ("Ctrl+K",)),
    ActionSpec("knowledge", QT_TRANSLATE_NOOP("actions", "Knowledge"), ("Ctrl+Shift+K",)),
    ActionSpec(
        "focus_composer", QT_TRANSLATE_NOOP("actions", "Go to message field"), ("Ctrl+L",), "messages"
    ),
    ActionSpec("find", QT_TRANSLATE_NOOP("actions", "Find in chat"), ("Ctrl+F",), "messages"),
    ActionSpec("filter", QT_TRANSLATE_NOOP("actions", "Search chats"), ("Ctrl+Shift+L",), "conversations"),
    ActionSpec(
        "history", QT_TRANSLATE_NOOP("actions", "Search all messages"), ("Ctrl+Shift+F",), "conversations"
    ),
    ActionSpec(
        "next",
        QT_TRANSLATE_NOOP("actions", "Next chat"),
        ("Ctrl+Tab", "Ctrl+PgDown"),
        "conversations",
    ),
    ActionSpec(
        "previous",
        QT_TRANSLATE_NOOP("actions", "Previous chat"),
        ("Ctrl+Shift+Tab", "Ctrl+PgUp"),
        "conversations",
    ),
    ActionSpec(
        "assistant", QT_TRANSLATE_NOOP("actions", "Choose an assistant"), ("Ctrl+Shift+A",), "messages"
    ),
    ActionSpec(
        "compare",
        QT_TRANSLATE_NOOP("actions", "Compare models"),
        ("Ctrl+Shift+M",),
        "messages",
    ),
    ActionSpec("retry", QT_TRANSLATE_NOOP("actions", "Regenerate answer"), ("Ctrl+R",), "messages"),
    ActionSpec(
        "edit_last", QT_TRANSLATE_NOOP("actions", "Edit last question"), ("Ctrl+Shift+E",), "messages"
    ),
    ActionSpec("earlier", QT_TRANSLATE_NOOP("actions", "Previous version"), ("Ctrl+[",), "messages"),
    ActionSpec("later", QT_TRANSLATE_NOOP("actions", "Next version"), ("Ctrl+]",), "messages"),
    ActionSpec("message_above", QT_TRANSLATE_NOOP("actions", "Previous message"), ("Alt+Up",), "messages"),
    ActionSpec("message_below", QT_TRANSLATE_NOOP("actions", "Next message"), ("Alt+Down",), "messages"),
    ActionSpec(
        "citation_before", QT_TRANSLATE_NOOP("actions", "Previous citation"), ("Alt+Left",), "messages"
    ),
    ActionSpec("citation_after", QT_TRANSLATE_NOOP("actions", "Next citation"), ("Alt+Right",), "messages"),
    ActionSpec("quote", QT_TRANSLATE_NOOP("actions", "Quote selection"), ("Ctrl+'",), "messages"),
    ActionSpec("sidebar", QT_TRANSLATE_NOOP("actions", "Show or hide sidebar"), ("Ctrl+B",)),
    ActionSpec("consent", QT_TRANSLATE_NOOP("actions", "Respond to tool request"), ("Ctrl+J",), "messages"),
    ActionSpec(
        "inspect",
        QT_TRANSLATE_NOOP("actions", "Show sources and searches"),
        ("Ctrl+I",),
        "messages",
    ),
    ActionSpec(
        "copy_answer", QT_TRANSLATE_NOOP("actions", "Copy last answer"), ("Ctrl+Shift+C",), "messages"
    ),
    ActionSpec(
        "export",
        QT_TRANSLATE_NOOP("actions", "Export chat"),
        ("Ctrl+Shift+S",),
        "conversations",
    ),
    ActionSpec("quit", QT_TRANSLATE_NOOP("actions", "Quit"), ("Ctrl+Q",)),
    ActionSpec("health", QT_TRANSLATE_NOOP("actions", "Troubleshoot"), ()),
    ActionSpec("help", QT_TRANSLATE_NOOP("actions", "Keyboard shortcuts"), ("F1", "Ctrl+/")),
)


_TYPES_NOTHING = re.compile(r"(Shift\+)?F\d+$|(Shift\+)?(Ctrl|Alt|Meta)\+")
_LOCAL = ("F2", "Del", "Backspace", "Return", "Enter", "Shift+Return", "Tab", "Shift+Tab", "Space", "Esc")
"""Keys that lists and fields need. A window action can have one only as its default."""


@dataclass(frozen=True)
class ShortcutBinding:
    """The current keys of an action. `lost` lists keys taken by another action, with that action's id."""

    keys: tuple[str, ...]
    lost: tuple[tuple[str, str], ...] = ()


def bindings(window: WindowSettings) -> dict[str, ShortcutBinding]:
    """Return the keys of every action by id. No key belongs to two actions.

    The user's assignments take precedence over the table; among equals, the earlier action in the table wins.
    """
    own = dict(window.shortcuts)
    holders: dict[str, str] = {}
    for spec in sorted(ACTIONS, key=lambda spec: spec.id not in own):
        for key in _list_keys(spec, own):
            holders.setdefault(key, spec.id)
    found = {}
    for spec in ACTIONS:
        wanted = _list_keys(spec, own)
        lost = tuple((key, holders[key]) for key in wanted if holders[key] != spec.id)
        found[spec.id] = ShortcutBinding(tuple(key for key in wanted if holders[key] == spec.id), lost)
    return found


def with_keys(settings: Settings, action_id: str, keys: Sequence[str]) -> Settings:
    """Return `settings` with `keys` assigned to an action and removed from every other action."""
    wanted = _normal(keys)
    spec = next(spec for spec in ACTIONS if spec.id == action_id)
    others = tuple(
        (other, tuple(key for key in _normal(theirs) if key not in wanted))
        for other, theirs in settings.window.shortcuts
        if other != action_id
    )
    own = () if wanted == _normal(spec.keys) else ((action_id, wanted),)
    return _with(settings, (*others, *own))


def without_own_keys(settings: Settings) -> Settings:
    """Return `settings` with the default keys of the table."""
    return _with(settings, ())


def is_usable(keys: QKeySequence) -> bool:
    """Say whether an action can have `keys`: not those that type text or that lists and fields need."""
    written = QKeySequence(keys).toString()
    return written not in _LOCAL and _TYPES_NOTHING.match(written) is not None


def native(keys: Iterable[str]) -> Iterator[str]:
    """Yield keys in the notation of this operating system."""
    for each in keys:
        yield QKeySequence(each).toString(QKeySequence.SequenceFormat.NativeText)


def own_specs(window: WindowSettings) -> tuple[ActionSpec, ...]:
    """Return the actions whose keys differ from the table."""
    own = dict(window.shortcuts)
    return tuple(spec for spec in ACTIONS if spec.id in own and _normal(own[spec.id]) != _normal(spec.keys))


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


def _list_keys(spec: ActionSpec, own: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the keys of an action. Unusable keys in the settings file are ignored."""
    usual = _normal(spec.keys)
    given = _normal(own[spec.id]) if spec.id in own else usual
    return tuple(key for key in given if key in usual or is_usable(QKeySequence(key)))


def _with(settings: Settings, shortcuts: tuple[tuple[str, tuple[str, ...]], ...]) -> Settings:
    return replace(settings, window=replace(settings.window, shortcuts=shortcuts))


def _normal(keys: Sequence[str]) -> tuple[str, ...]:
    """Return keys in Qt's notation, without duplicates and keys that Qt does not know."""
    written = (QKeySequence(key).toString() for key in keys)
    return tuple(dict.fromkeys(filter(None, written)))
