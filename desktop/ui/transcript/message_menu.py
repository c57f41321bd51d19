"""The context menu of a message, and of selected text in it."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.widgets.layout import new_menu

Act = Callable[[str], None]
"""Called with the chosen action."""

_Entries = tuple[tuple[str, str], ...]
"""Pairs of action and label; a pair of empty strings is a separator."""

_CONTEXT = "MessageMenu"
_LINE = ("", "")
_NEED_WORDS = frozenset(
    {
        "copy",
        "copy_picture",
        "share",
        "share_page",
        "save_picture",
        "quote_all",
        "continue",
        "remember",
    }
)

_OF_SELECTION: _Entries = (
    ("quote", QT_TRANSLATE_NOOP("MessageMenu", "Quote in message")),
    ("remember", QT_TRANSLATE_NOOP("MessageMenu", "Remember this")),
    ("add_note", QT_TRANSLATE_NOOP("MessageMenu", "Add to knowledge base as note…")),
)
_OF_QUESTIONS: _Entries = (
    ("copy", QT_TRANSLATE_NOOP("MessageMenu", "Copy question")),
    ("edit", QT_TRANSLATE_NOOP("MessageMenu", "Edit question")),
    ("retry", QT_TRANSLATE_NOOP("MessageMenu", "Regenerate")),
    ("retry_with", QT_TRANSLATE_NOOP("MessageMenu", "Compare with another model…")),
    _LINE,
    ("remember", QT_TRANSLATE_NOOP("MessageMenu", "Remember this question")),
    ("branch_off", QT_TRANSLATE_NOOP("MessageMenu", "New chat from here")),
    _LINE,
    ("delete", QT_TRANSLATE_NOOP("MessageMenu", "Delete question and answer")),
    ("delete_rest", QT_TRANSLATE_NOOP("MessageMenu", "Delete this and everything after")),
)
_OF_ANSWERS: _Entries = (
    ("copy", QT_TRANSLATE_NOOP("MessageMenu", "Copy answer")),
    ("copy_picture", QT_TRANSLATE_NOOP("MessageMenu", "Copy as picture")),
    ("share", QT_TRANSLATE_NOOP("MessageMenu", "Share or export…")),
    ("share_page", QT_TRANSLATE_NOOP("MessageMenu", "Share as page…")),
    ("save_picture", QT_TRANSLATE_NOOP("MessageMenu", "Save as picture…")),
    ("retry", QT_TRANSLATE_NOOP("MessageMenu", "Regenerate")),
    ("retry_with", QT_TRANSLATE_NOOP("MessageMenu", "Compare with another model…")),
    ("continue", QT_TRANSLATE_NOOP("MessageMenu", "Resume answer")),
    _LINE,
    ("quote_all", QT_TRANSLATE_NOOP("MessageMenu", "Quote answer in message")),
    ("details", QT_TRANSLATE_NOOP("MessageMenu", "Sources and searches…")),
    ("branch_off", QT_TRANSLATE_NOOP("MessageMenu", "New chat from here")),
    _LINE,
    ("delete", QT_TRANSLATE_NOOP("MessageMenu", "Delete answer")),
    ("delete_rest", QT_TRANSLATE_NOOP("MessageMenu", "Delete this and everything after")),
)


def message_menu(message: Message, act: Act, parent: QWidget) -> QMenu:
    """Return the menu of a message; a message that is still being written has only a few actions."""
    menu = new_menu(parent)
    add_message(menu, message, act)
    return menu


def add_selection(menu: QMenu, copy: QAction, act: Act) -> None:
    """Add the actions for the selected text."""
    menu.addAction(copy)
    _add(menu, _OF_SELECTION, act)


def add_message(menu: QMenu, message: Message, act: Act) -> None:
    """Add the actions for a message."""
    entries = _OF_QUESTIONS if message.speaker is Speaker.USER else _OF_ANSWERS
    if message.status is MessageStatus.STREAMING:
        entries = tuple(entry for entry in entries if entry[0] in {"copy", "quote_all"})
    if not message.text:
        entries = tuple(entry for entry in entries if entry[0] not in _NEED_WORDS)
    _add(menu, entries, act)


def _add(menu: QMenu, entries: _Entries, act: Act) -> None:
    for name, words in entries:
        if not name:
            menu.addSeparator()
            continue
        entry = menu.addAction(QCoreApplication.translate(_CONTEXT, words))
        entry.setObjectName(name)
        entry.triggered.connect(partial(_on_triggered, act, name))


def _on_triggered(act: Act, name: str, _checked: bool = False) -> None:
    act(name)
