"""What can be done with items and bases: tables of actions, and the menus made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, ItemState
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.icons import icon

_T = TypeVar("_T")

_OPEN_STATES: Final = frozenset({ItemState.WAITING, ItemState.READING})
_READ_STATES: Final = frozenset({ItemState.KEYWORD_READY, ItemState.READY})


@dataclass(frozen=True)
class Deed(Generic[_T]):
    """An action on what is chosen; `text` is translated in the context "deeds".

    `fits` says whether there is sense in it for what is chosen now. A group is set off from the one before.
    Keys count where the list has the focus, those of what `is_everywhere` in all of the window.
    """

    id: str
    text: str
    fits: Callable[[Sequence[_T]], bool]
    icon: str = ""
    keys: tuple[str, ...] = ()
    group: int = 0
    is_everywhere: bool = False


def _is_one(chosen: Sequence[_T]) -> bool:
    return len(chosen) == 1


def _is_some(chosen: Sequence[_T]) -> bool:
    return bool(chosen)


def _is_one_of(*kinds: ItemKind) -> Callable[[Sequence[ItemInfo]], bool]:
    return lambda items: len(items) == 1 and items[0].kind in kinds


def _is_one_in(states: frozenset[ItemState]) -> Callable[[Sequence[ItemInfo]], bool]:
    return lambda items: len(items) == 1 and items[0].state in states


def _is_any_in(states: frozenset[ItemState]) -> Callable[[Sequence[ItemInfo]], bool]:
    return lambda items: any(item.state in states for item in items)


ITEM_DEEDS: Final[tuple[Deed[ItemInfo], ...]] = (
    Deed("open", QT_TRANSLATE_NOOP("deeds", "Open"), _is_one, "share", ("Return", "Enter")),
    Deed("passages", QT_TRANSLATE_NOOP("deeds", "Show passages"), _is_one, "quote", ("Space",)),
    Deed("digest", QT_TRANSLATE_NOOP("deeds", "Read this for me"), _is_one_in(_READ_STATES), "research"),
    Deed(
        "folder",
        QT_TRANSLATE_NOOP("deeds", "Show in folder"),
        _is_one_of(ItemKind.FILE),
        "folder",
        ("Ctrl+Shift+O",),
    ),
    Deed(
        "again",
        QT_TRANSLATE_NOOP("deeds", "Read again"),
        _is_any_in(frozenset(ItemState) - _OPEN_STATES),
        "refresh",
        ("F5", "Ctrl+R"),
        group=1,
    ),
    Deed(
        "cancel",
        QT_TRANSLATE_NOOP("deeds", "Do not read"),
        _is_any_in(_OPEN_STATES),
        "stop",
        ("Ctrl+.",),
        group=1,
    ),
    Deed("tag", QT_TRANSLATE_NOOP("deeds", "Tags…"), _is_some, "tag", ("Ctrl+T",), group=1),
    Deed("remove", QT_TRANSLATE_NOOP("deeds", "Remove from the base"), _is_some, "trash", ("Del",), group=2),
)

BASE_DEEDS: Final[tuple[Deed[BaseInfo], ...]] = (
    Deed("rename", QT_TRANSLATE_NOOP("deeds", "Rename"), _is_one, "rename", ("F2",)),
    Deed("icon", QT_TRANSLATE_NOOP("deeds", "Choose an icon…"), _is_one, "appearance"),
    Deed(
        "pause",
        QT_TRANSLATE_NOOP("deeds", "Pause reading"),
        lambda bases: _is_one(bases) and not bases[0].is_paused,
        "pause",
        group=1,
    ),
    Deed(
        "resume",
        QT_TRANSLATE_NOOP("deeds", "Go on reading"),
        lambda bases: _is_one(bases) and bases[0].is_paused,
        "play",
        group=1,
    ),
    Deed("again", QT_TRANSLATE_NOOP("deeds", "Read everything again"), _is_one, "refresh", group=1),
    Deed(
        "trial",
        QT_TRANSLATE_NOOP("deeds", "Test the search"),
        _is_one,
        "search",
        ("Ctrl+E",),
        group=1,
        is_everywhere=True,
    ),
    Deed("folders", QT_TRANSLATE_NOOP("deeds", "Watched folders"), _is_one, "folder", group=1),
    Deed("options", QT_TRANSLATE_NOOP("deeds", "Settings of the base"), _is_one, "settings", group=1),
    Deed("export", QT_TRANSLATE_NOOP("deeds", "Export…"), _is_one, "share", group=2),
    Deed("delete", QT_TRANSLATE_NOOP("deeds", "Delete"), _is_one, "trash", group=2),
)


class Deeds(QObject, Generic[_T]):
    """The actions of a table, bound to what is chosen.

    Shortcuts work where the keyboard is in `place`; they are there also while no menu is open.

    Signals:
        asked: id of a deed that the person wants done with what is chosen.
    """

    asked = Signal(str)

    def __init__(self, table: Sequence[Deed[_T]], place: QWidget) -> None:
        super().__init__(place)
        self._table = tuple(table)
        self._place = place
        self.actions: dict[str, QAction] = {}
        for deed in table:
            action = QAction(self)
            action.setObjectName(deed.id)
            action.setShortcuts([QKeySequence(keys) for keys in deed.keys])
            contexts = Qt.ShortcutContext
            action.setShortcutContext(
                contexts.WindowShortcut if deed.is_everywhere else contexts.WidgetShortcut
            )
            action.triggered.connect(self._on_triggered)
            place.addAction(action)
            self.actions[deed.id] = action
        self.retranslate()

    def fit(self, chosen: Sequence[_T]) -> None:
        """Offer what makes sense for what is chosen."""
        for deed in self._table:
            self.actions[deed.id].setEnabled(deed.fits(chosen))

    def fill(self, menu: QMenu) -> None:
        """Put what makes sense now into a menu."""
        group = 0
        for deed in self._table:
            action = self.actions[deed.id]
            if not action.isEnabled():
                continue
            if deed.group != group and not menu.isEmpty():
                menu.addSeparator()
            group = deed.group
            action.setIcon(icon(deed.icon, menu.palette()))
            menu.addAction(action)

    def retranslate(self) -> None:
        """Name the actions in the language of now."""
        for deed in self._table:
            self.actions[deed.id].setText(QCoreApplication.translate("deeds", deed.text))

    def _on_triggered(self) -> None:
        action = self.sender()
        assert action is not None
        self.asked.emit(action.objectName())
