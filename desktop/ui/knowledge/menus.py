"""What can be chosen for bases and items: the tables of actions, and the ways to add files, folders, pages and notes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from PySide6.QtCore import QMimeData, QObject, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, ItemState
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.composer.message_edit import local_files
from desktop.ui.links import sanitize_url
from desktop.ui.widgets.dialog import ask_for_file, ask_for_files, text_dialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_views import ItemAction

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


_ICONS: Final = {"files": "file", "folder": "folder", "watch": "refresh", "link": "globe", "note": "note"}
_KEYS: Final = {"files": "Ctrl+O", "folder": "Ctrl+Shift+A", "link": "Ctrl+L", "note": "Ctrl+N"}


@dataclass(frozen=True)
class DropData:
    """Files, folders and addresses of pages that are dropped or pasted."""

    paths: tuple[Path, ...] = ()
    links: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths or self.links)

    @property
    def name(self) -> str:
        """The name for a new base with it: that of the folder, where it is one."""
        return self.paths[0].name if len(self.paths) == 1 and self.paths[0].is_dir() else ""


def read_drop(data: QMimeData) -> DropData:
    """Return what can be added to a base; a browser offers a link also as text."""
    urls = data.urls() or ([QUrl(data.text().strip())] if data.hasText() else [])
    links = (web_link(url.toString(QUrl.ComponentFormattingOption.FullyEncoded)) for url in urls)
    return DropData(local_files(data), tuple(dict.fromkeys(filter(None, links))))


def web_link(text: str) -> str:
    """Return the http(s) address of a text, or an empty text; the scheme may be missing."""
    typed = text.strip()
    if not typed or any(letter.isspace() for letter in typed):
        return ""
    if (
        "://" not in typed
        and "." in typed.split("/", maxsplit=1)[0]
        and ":" not in typed.split("/", maxsplit=1)[0]
    ):
        typed = f"https://{typed}"
    address = QUrl(typed, QUrl.ParsingMode.StrictMode)
    is_web = address.isValid() and address.scheme() in {"http", "https"} and bool(address.host())
    return sanitize_url(address) if is_web else ""


class AddMenu(QObject):
    """A menu of five actions; it asks for files, folders and addresses itself.

    Signals:
        chosen: paths (tuple of Path) of files and folders.
        watch_chosen: the `Path` of a folder to watch.
        link_given: the address of a page.
        refused: a text that is not a web address.
        note_asked: the user wants to write a note.
    """

    chosen = Signal(object)
    watch_chosen = Signal(object)
    link_given = Signal(str)
    refused = Signal(str)
    note_asked = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        slots = {
            "files": self._on_files,
            "folder": self._on_folder,
            "watch": self._on_watch,
            "link": self.ask_link,
            "note": self.note_asked,
        }
        self.actions: dict[str, QAction] = {}
        for name, slot in slots.items():
            action = QAction(window)
            action.setShortcut(QKeySequence(_KEYS.get(name, "")))
            action.triggered.connect(slot)
            window.addAction(action)
            self.actions[name] = action
        self.retranslate()

    def fill(self, menu: QMenu) -> None:
        """Add all actions to a menu."""
        menu.clear()
        for name, action in self.actions.items():
            action.setIcon(icon(_ICONS[name], menu.palette()))
            menu.addAction(action)

    def set_enabled(self, is_enabled: bool) -> None:
        """Enable or disable all actions."""
        for action in self.actions.values():
            action.setEnabled(is_enabled)

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        texts = {
            "files": self.tr("Files…"),
            "folder": self.tr("Folder…"),
            "watch": self.tr("Watch a folder…"),
            "link": self.tr("Web page…"),
            "note": self.tr("New note…"),
        }
        for name, text in texts.items():
            self.actions[name].setText(text)

    @Slot()
    def ask_link(self) -> None:
        """Ask for the address of a page."""
        dialog = text_dialog(self._window, self.tr("Add a web page"), self.tr("Address of a page or PDF"))
        dialog.setMinimumWidth(460)
        dialog.textValueSelected.connect(self._on_link_typed)
        dialog.open()

    @Slot()
    def _on_files(self) -> None:
        ask_for_files(self._window, self.tr("Add files"), self.chosen.emit)

    @Slot()
    def _on_folder(self) -> None:
        ask_for_file(self._window, self.tr("Add a folder"), self._on_folder_chosen, is_folder=True)

    @Slot()
    def _on_watch(self) -> None:
        ask_for_file(self._window, self.tr("Watch a folder"), self.watch_chosen.emit, is_folder=True)

    def _on_folder_chosen(self, folder: Path) -> None:
        self.chosen.emit((folder,))

    @Slot(str)
    def _on_link_typed(self, text: str) -> None:
        if link := web_link(text):
            self.link_given.emit(link)
        elif text.strip():
            self.refused.emit(text.strip())
