"""What can be done with conversations and their folders: tables of actions, and the menus of choices."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu

from desktop.domain.messages import ConversationInfo, Folder, LabelColor
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.sidebar.conversation_groups import in_order, label_color_name, swatch
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_views import ItemAction
from desktop.ui.widgets.layout import plain_name

_Infos = Sequence[ConversationInfo]

_FEW: Final = 10


def _is_one(chosen: Sequence[object]) -> bool:
    return len(chosen) == 1


def _is_some(chosen: Sequence[object]) -> bool:
    return bool(chosen)


def _are_few(infos: _Infos) -> bool:
    """Say whether each may cost a request, all at once."""
    return 0 < len(infos) <= _FEW


def _are_all_pinned(infos: _Infos) -> bool:
    return bool(infos) and all(info.place.is_pinned for info in infos)


def _are_all_archived(infos: _Infos) -> bool:
    return bool(infos) and all(info.place.is_archived for info in infos)


CONVERSATION_ACTIONS: Final[tuple[ItemAction[ConversationInfo], ...]] = (
    ItemAction("rename", QT_TRANSLATE_NOOP("item_actions", "Rename"), _is_one, "rename", ("F2",)),
    ItemAction("title", QT_TRANSLATE_NOOP("item_actions", "Suggest a title"), _are_few, "think"),
    ItemAction(
        "pin",
        QT_TRANSLATE_NOOP("item_actions", "Pin"),
        lambda infos: bool(infos) and not _are_all_pinned(infos),
        "pin",
        ("Ctrl+D",),
    ),
    ItemAction("unpin", QT_TRANSLATE_NOOP("item_actions", "Unpin"), _are_all_pinned, "unpin", ("Ctrl+D",)),
    ItemAction("move", QT_TRANSLATE_NOOP("item_actions", "Move to folder"), _is_some, "folder", ("Ctrl+M",)),
    ItemAction("tint", QT_TRANSLATE_NOOP("item_actions", "Color"), _is_some, "appearance"),
    ItemAction(
        "archive",
        QT_TRANSLATE_NOOP("item_actions", "Archive"),
        lambda infos: bool(infos) and not _are_all_archived(infos),
        "archive",
        ("Ctrl+E",),
        group=1,
    ),
    ItemAction(
        "unarchive",
        QT_TRANSLATE_NOOP("item_actions", "Unarchive"),
        _are_all_archived,
        "unarchive",
        ("Ctrl+E",),
        group=1,
    ),
    ItemAction(
        "delete", QT_TRANSLATE_NOOP("item_actions", "Delete"), _is_some, "trash", ("Del", "Ctrl+Backspace"), 2
    ),
)

FOLDER_ACTIONS: Final[tuple[ItemAction[Folder], ...]] = (
    ItemAction("begin", QT_TRANSLATE_NOOP("item_actions", "New chat in this folder"), _is_one, "compose"),
    ItemAction("rename", QT_TRANSLATE_NOOP("item_actions", "Rename"), _is_one, "rename", ("F2",), 1),
    ItemAction("tint", QT_TRANSLATE_NOOP("item_actions", "Color"), _is_one, "appearance", group=1),
    ItemAction("up", QT_TRANSLATE_NOOP("item_actions", "Move up"), _is_one, "up", ("Alt+Shift+Up",), 1),
    ItemAction(
        "down", QT_TRANSLATE_NOOP("item_actions", "Move down"), _is_one, "chevron", ("Alt+Shift+Down",), 1
    ),
    ItemAction(
        "dissolve",
        QT_TRANSLATE_NOOP("item_actions", "Delete folder only"),
        _is_one,
        "trash",
        ("Del", "Ctrl+Backspace"),
        2,
    ),
    ItemAction(
        "delete",
        QT_TRANSLATE_NOOP("item_actions", "Delete folder and chats"),
        _is_one,
        "trash",
        group=2,
    ),
)


def fill_folder_menu(
    menu: QMenu,
    folders: Sequence[Folder],
    infos: _Infos,
    pick: Callable[[str], object],
    new: Callable[[], object],
) -> None:
    """Offer the folders, those that `infos` are all in ticked, a new one, and none. `pick` is given an id."""
    translate = QCoreApplication.translate
    menu.clear()
    menu.addAction(icon("folder-new", menu.palette()), translate("item_actions", "New folder…"), new)
    menu.addSeparator()
    for folder in in_order(folders):
        action = menu.addAction(swatch(folder.tint, menu.palette()), plain_name(folder.name))
        action.setCheckable(True)
        action.setChecked(bool(infos) and all(info.place.folder == folder.id for info in infos))
        action.triggered.connect(partial(_pick, pick, folder.id))
    if any(info.place.folder for info in infos):
        menu.addSeparator()
        menu.addAction(translate("item_actions", "Remove from folder"), partial(pick, ""))


def fill_tint_menu(menu: QMenu, now: Sequence[LabelColor], pick: Callable[[LabelColor], object]) -> None:
    """Offer the colours, the one that all have `now` ticked."""
    menu.clear()
    for tint in LabelColor:
        action = menu.addAction(
            swatch(tint, menu.palette(), menu.devicePixelRatioF()), label_color_name(tint)
        )
        action.setCheckable(True)
        action.setChecked(bool(now) and all(each is tint for each in now))
        action.triggered.connect(partial(_pick, pick, tint))


def _pick(pick: Callable[..., object], choice: object, _checked: bool = False) -> None:
    pick(choice)
