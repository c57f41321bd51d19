"""The actions on items and bases, as tables."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, ItemState
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.widgets.item_actions import ItemAction

_T = TypeVar("_T")

_OPEN_STATES: Final = frozenset({ItemState.WAITING, ItemState.READING})
_READ_STATES: Final = frozenset({ItemState.KEYWORD_READY, ItemState.READY})


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


ITEM_ACTIONS: Final[tuple[ItemAction[ItemInfo], ...]] = (
    ItemAction("open", QT_TRANSLATE_NOOP("item_actions", "Open"), _is_one, "file", ("Return", "Enter")),
    ItemAction("passages", QT_TRANSLATE_NOOP("item_actions", "Show passages"), _is_one, "quote", ("Space",)),
    ItemAction("digest", QT_TRANSLATE_NOOP("item_actions", "Summarize"), _is_one_in(_READ_STATES), "summary"),
    ItemAction(
        "folder",
        QT_TRANSLATE_NOOP("item_actions", "Show in folder"),
        _is_one_of(ItemKind.FILE),
        "folder",
        ("Ctrl+Shift+O",),
    ),
    ItemAction(
        "again",
        QT_TRANSLATE_NOOP("item_actions", "Read again"),
        _is_any_in(frozenset(ItemState) - _OPEN_STATES),
        "refresh",
        ("F5", "Ctrl+R"),
        group=1,
    ),
    ItemAction(
        "cancel",
        QT_TRANSLATE_NOOP("item_actions", "Skip"),
        _is_any_in(_OPEN_STATES),
        "stop",
        ("Ctrl+.",),
        group=1,
    ),
    ItemAction("tag", QT_TRANSLATE_NOOP("item_actions", "Tags…"), _is_some, "tag", ("Ctrl+T",), group=1),
    ItemAction(
        "remove",
        QT_TRANSLATE_NOOP("item_actions", "Remove from knowledge base"),
        _is_some,
        "trash",
        ("Del",),
        group=2,
    ),
)

BASE_ACTIONS: Final[tuple[ItemAction[BaseInfo], ...]] = (
    ItemAction("rename", QT_TRANSLATE_NOOP("item_actions", "Rename"), _is_one, "rename", ("F2",)),
    ItemAction("icon", QT_TRANSLATE_NOOP("item_actions", "Choose icon…"), _is_one, "appearance"),
    ItemAction(
        "pause",
        QT_TRANSLATE_NOOP("item_actions", "Pause reading"),
        lambda bases: _is_one(bases) and not bases[0].is_paused,
        "pause",
        group=1,
    ),
    ItemAction(
        "resume",
        QT_TRANSLATE_NOOP("item_actions", "Resume"),
        lambda bases: _is_one(bases) and bases[0].is_paused,
        "play",
        group=1,
    ),
    ItemAction("again", QT_TRANSLATE_NOOP("item_actions", "Read all again"), _is_one, "refresh", group=1),
    ItemAction(
        "trial",
        QT_TRANSLATE_NOOP("item_actions", "Try a search…"),
        _is_one,
        "search",
        ("Ctrl+E",),
        group=1,
        is_everywhere=True,
    ),
    ItemAction("folders", QT_TRANSLATE_NOOP("item_actions", "Watched folders"), _is_one, "folder", group=1),
    ItemAction(
        "options", QT_TRANSLATE_NOOP("item_actions", "Knowledge base settings…"), _is_one, "settings", group=1
    ),
    ItemAction("export", QT_TRANSLATE_NOOP("item_actions", "Export…"), _is_one, "share", group=2),
    ItemAction("delete", QT_TRANSLATE_NOOP("item_actions", "Delete"), _is_one, "trash", group=2),
)
