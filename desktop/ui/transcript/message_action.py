"""The actions on messages that the page can request, and the handlers of a window for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QPoint


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


class ActionHandlers:
    """The handlers of a window: exactly one for each action."""

    def __init__(self) -> None:
        self._handlers: dict[MessageAction, Handler] = {}

    def add(self, handlers: Mapping[MessageAction, Handler]) -> None:
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
