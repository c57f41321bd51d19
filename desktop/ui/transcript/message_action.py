"""The actions on messages, their menus, and the handlers of a window for them.

An action is a value of `MessageAction`, a row of the menus that offer it, and a row of `handlers` of the controller that does it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.widgets.layout import new_menu


class MessageAction(StrEnum):
    """What can be done with a message. The values are the `data-action` of buttons, and names of menu entries."""

    ADD_NOTE = "add_note"
    ADD_SOURCE = "add_source"
    ADD_SOURCES = "add_sources"
    BESIDE = "beside"
    BRANCH_OFF = "branch_off"
    CHECK = "check"
    CHOOSE = "choose"
    CONTINUE = "continue"
    COPY = "copy"
    COPY_PICTURE = "copy_picture"
    COPY_SOURCE = "copy_source"
    COPY_SOURCES = "copy_sources"
    DELETE = "delete"
    DELETE_REST = "delete_rest"
    DETAILS = "details"
    EARLIER = "earlier"
    EDIT = "edit"
    EXAMPLE = "example"
    LATER = "later"
    QUOTE = "quote"
    QUOTE_ALL = "quote_all"
    REMEMBER = "remember"
    RETRY = "retry"
    RETRY_WITH = "retry_with"
    SAVE_DRAWING = "save_drawing"
    SAVE_PICTURE = "save_picture"
    SETTINGS = "settings"
    SHARE = "share"
    SHARE_PAGE = "share_page"
    SKIP_WAIT = "skip_wait"
    START = "start"
    STOP = "stop"
    STOP_CHECK = "stop_check"


@dataclass(frozen=True)
class ActionRequest:
    """A request for an action on a message.

    `remember` and `quote` refer to the selected words in `text`; `remember` without text means the message.
    `example` has a question for an empty conversation in `text`, `start` one of `STARTS`; `copy_source` has the number of the source
    in `number`; `save_drawing` has the title of the drawing in `text`, the suffix of the file in `suffix`, and its
    `content`. A menu opens at the screen position `place`, if given.
    """

    message_id: str
    action: MessageAction
    text: str = ""
    number: int = 0
    suffix: str = ""
    content: bytes = field(default=b"", repr=False)
    place: QPoint | None = field(default=None, compare=False)


Handler = Callable[[ActionRequest], object]
Handlers = Mapping[MessageAction, Handler]


class ActionHandlers:
    """The handlers of a window: exactly one for each action."""

    def __init__(self) -> None:
        self._handlers: dict[MessageAction, Handler] = {}

    def add(self, handlers: Handlers) -> None:
        """Add handlers.

        Raises:
            ValueError: an action has a handler already.
        """
        if twice := self._handlers.keys() & handlers.keys():
            message = f"two handlers for {', '.join(sorted(twice))}"
            raise ValueError(message)
        self._handlers |= handlers

    @property
    def missing(self) -> frozenset[MessageAction]:
        """The actions without a handler."""
        return frozenset(MessageAction) - self._handlers.keys()

    def handle(self, request: ActionRequest) -> None:
        """Pass a request to the handler of its action.

        Raises:
            LookupError: there is none.
        """
        if request.action not in self._handlers:
            message = f"no handler for the action {request.action!r}"
            raise LookupError(message)
        self._handlers[request.action](request)


Act = Callable[[MessageAction], None]
"""Called with the chosen action."""

_Entries = tuple[tuple[MessageAction, str] | None, ...]
"""Pairs of action and label; None is a separator."""

_CONTEXT: Final = "MessageMenu"
_LINE: Final = None
_WHILE_STREAMING: Final = frozenset({MessageAction.COPY, MessageAction.QUOTE_ALL})
_NEED_WORDS: Final = frozenset(
    {
        MessageAction.COPY,
        MessageAction.COPY_PICTURE,
        MessageAction.SHARE,
        MessageAction.SHARE_PAGE,
        MessageAction.SAVE_PICTURE,
        MessageAction.QUOTE_ALL,
        MessageAction.CONTINUE,
        MessageAction.REMEMBER,
    }
)

_OF_SELECTION: _Entries = (
    (MessageAction.QUOTE, QT_TRANSLATE_NOOP("MessageMenu", "Quote in message")),
    (MessageAction.REMEMBER, QT_TRANSLATE_NOOP("MessageMenu", "Remember this")),
    (MessageAction.ADD_NOTE, QT_TRANSLATE_NOOP("MessageMenu", "Add to knowledge base as note…")),
)
_OF_QUESTIONS: _Entries = (
    (MessageAction.COPY, QT_TRANSLATE_NOOP("MessageMenu", "Copy question")),
    (MessageAction.EDIT, QT_TRANSLATE_NOOP("MessageMenu", "Edit question")),
    (MessageAction.RETRY, QT_TRANSLATE_NOOP("MessageMenu", "Regenerate")),
    (MessageAction.RETRY_WITH, QT_TRANSLATE_NOOP("MessageMenu", "Compare with another model…")),
    _LINE,
    (MessageAction.REMEMBER, QT_TRANSLATE_NOOP("MessageMenu", "Remember this question")),
    (MessageAction.BRANCH_OFF, QT_TRANSLATE_NOOP("MessageMenu", "New chat from here")),
    _LINE,
    (MessageAction.DELETE, QT_TRANSLATE_NOOP("MessageMenu", "Delete question and answer")),
    (MessageAction.DELETE_REST, QT_TRANSLATE_NOOP("MessageMenu", "Delete this and everything after")),
)
_OF_ANSWERS: _Entries = (
    (MessageAction.COPY, QT_TRANSLATE_NOOP("MessageMenu", "Copy answer")),
    (MessageAction.COPY_PICTURE, QT_TRANSLATE_NOOP("MessageMenu", "Copy as image")),
    (MessageAction.SHARE, QT_TRANSLATE_NOOP("MessageMenu", "Share or export…")),
    (MessageAction.SHARE_PAGE, QT_TRANSLATE_NOOP("MessageMenu", "Share as page…")),
    (MessageAction.SAVE_PICTURE, QT_TRANSLATE_NOOP("MessageMenu", "Save as image…")),
    (MessageAction.RETRY, QT_TRANSLATE_NOOP("MessageMenu", "Regenerate")),
    (MessageAction.RETRY_WITH, QT_TRANSLATE_NOOP("MessageMenu", "Compare with another model…")),
    (MessageAction.CONTINUE, QT_TRANSLATE_NOOP("MessageMenu", "Resume answer")),
    _LINE,
    (MessageAction.QUOTE_ALL, QT_TRANSLATE_NOOP("MessageMenu", "Quote answer in message")),
    (MessageAction.DETAILS, QT_TRANSLATE_NOOP("MessageMenu", "Sources and searches…")),
    (MessageAction.BRANCH_OFF, QT_TRANSLATE_NOOP("MessageMenu", "New chat from here")),
    _LINE,
    (MessageAction.DELETE, QT_TRANSLATE_NOOP("MessageMenu", "Delete answer")),
    (MessageAction.DELETE_REST, QT_TRANSLATE_NOOP("MessageMenu", "Delete this and everything after")),
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
        entries = tuple(entry for entry in entries if entry is not None and entry[0] in _WHILE_STREAMING)
    if not message.text:
        entries = tuple(entry for entry in entries if entry is None or entry[0] not in _NEED_WORDS)
    _add(menu, entries, act)


def _add(menu: QMenu, entries: _Entries, act: Act) -> None:
    for entry in entries:
        if entry is None:
            menu.addSeparator()
            continue
        action, words = entry
        item = menu.addAction(QCoreApplication.translate(_CONTEXT, words))
        item.setObjectName(action)
        item.triggered.connect(partial(_on_triggered, act, action))


def _on_triggered(act: Act, action: MessageAction, _checked: bool = False) -> None:
    act(action)
