"""The only object that the page can call. It takes ids, emits them as signals, and returns nothing.

If a hostile script ever ran in the page, it could only name things that the user sees anyway, at a
limited rate. Invalid ids, numbers out of range and unknown actions are dropped.
"""

import re
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot

from desktop.domain.procedures import (
    MOST_CHAPTERS,
    MOST_PLANNED,
    NOT_WRITTEN,
    QUERY_CHARS,
    REMARK_CHARS,
    TITLE_CHARS,
    AnswerNow,
    OutlineHeading,
    Pause,
    Plan,
    ProcedureCommand,
    Query,
    Resume,
    SearchTarget,
    StartOutline,
    StartPlan,
    UserNote,
)
from desktop.render.page.article import MENUS
from desktop.ui.transcript.web_page import CLICKS_A_SECOND, RateLimit

ACTIONS: Final = frozenset(
    {
        "copy",
        "share",
        "copy_sources",
        "add_sources",
        "retry",
        "retry_with",
        "skip_wait",
        "earlier",
        "later",
        "settings",
        "quote",
        "beside",
        "choose",
        "stop",
        "continue",
        "edit",
        "remember",
        "details",
        "check",
        "stop_check",
    }
)
"""User actions on a message. `example` is emitted by the program, not by the page."""

MAX_NUMBER: Final = 1_000_000
"""Largest accepted number of a source, mark or link."""

MAX_PIXELS: Final = 20_000
"""Limit for the size of a view in pixels."""

MAX_IDS: Final = 500
"""Maximum number of messages that the page may request at once."""

LOADS_A_SECOND: Final = 5
LOOKS_A_SECOND: Final = 200
"""Limit for reports that the page sends without a click; see `CLICKS_A_SECOND`."""

_WISHES: Final[dict[str, ProcedureCommand]] = {
    "pause": Pause(),
    "resume": Resume(),
    "answer": AnswerNow(),
}
_PLACES: Final = {place.value: place for place in SearchTarget}
_ID = re.compile(r"[\w.-]{1,64}")


class PageBridge(QObject):
    """Receives calls from the page and emits them as signals.

    Signals:
        loaded: the scripts of the page are running.
        card_toggled: whether a source card is open.
        drawing_done: the page has drawn everything that it was sent.
        messages_asked: ids (list) of messages that are near the view and not yet written.
        messages_far: ids (list) of messages far from the view, when the page is full.
        action_asked: id of a message, one of `ACTIONS`.
        menu_asked: id of a message, one of `MENUS`, and the position in the page where it should open.
        source_asked: number of a source to show.
        original_asked: number of a source whose page or file should be opened.
        source_copy_asked: number of a source to copy.
        source_add_asked: number of a source to add to a knowledge base.
        card_asked: id of a message, number of a source, index of its mark (from 0).
        mail_asked: id of a message, index of its mail link (from 0).
        example_asked: index of an example question.
        drawing_asked: id of an answer, index of its drawing (from 0), to be drawn.
        drawing_stopped: the same, when it should not be drawn any more.
        drawing_menu_asked: the same, and the position in the page where the menu of the drawing should open.
        research_steered: id of an answer, and a Wish. The needs of a plan are left empty.
    """

    loaded = Signal()
    card_toggled = Signal(bool)
    drawing_done = Signal()
    messages_asked = Signal(list)
    messages_far = Signal(list)
    action_asked = Signal(str, str)
    menu_asked = Signal(str, str, int, int)
    source_asked = Signal(int)
    original_asked = Signal(int)
    source_copy_asked = Signal(int)
    source_add_asked = Signal(int)
    card_asked = Signal(str, int, int)
    mail_asked = Signal(str, int)
    example_asked = Signal(int)
    drawing_asked = Signal(str, int)
    drawing_stopped = Signal(str, int)
    drawing_menu_asked = Signal(str, int, int, int)
    research_steered = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loads = RateLimit(LOADS_A_SECOND)
        self._clicks = RateLimit(CLICKS_A_SECOND)
        self._looks = RateLimit(LOOKS_A_SECOND)

    @Slot()
    def page_ready(self) -> None:
        """Called when the scripts of the page are running."""
        if self._loads.is_left():
            self.loaded.emit()

    @Slot(bool)
    def card_shown(self, is_open: bool) -> None:
        """Called when a source card was opened or closed."""
        if self._looks.is_left():
            self.card_toggled.emit(is_open)

    @Slot()
    def drawn(self) -> None:
        """Called when the page has nothing left to draw."""
        self.drawing_done.emit()

    @Slot(list)
    def messages_wanted(self, message_ids: list[object]) -> None:
        """Called when messages come near the view."""
        if (ids := _known(message_ids)) and self._looks.is_left():
            self.messages_asked.emit(ids)

    @Slot(list)
    def messages_unwanted(self, message_ids: list[object]) -> None:
        """Called when messages are far from the view."""
        if (ids := _known(message_ids)) and self._looks.is_left():
            self.messages_far.emit(ids)

    @Slot(str, str)
    def act(self, message_id: str, action: str) -> None:
        """Called when a button of a message was pressed."""
        if action in ACTIONS and _ID.fullmatch(message_id) and self._clicks.is_left():
            self.action_asked.emit(message_id, action)

    @Slot(str, str, float, float)
    def menu_wanted(self, message_id: str, menu: str, x: float, y: float) -> None:
        """Called when a menu button was pressed; the menu should open at this point of the view."""
        is_there = 0 <= x <= MAX_PIXELS and 0 <= y <= MAX_PIXELS
        if is_there and menu in MENUS and _ID.fullmatch(message_id) and self._clicks.is_left():
            self.menu_asked.emit(message_id, menu, round(x), round(y))

    @Slot(int)
    def source_wanted(self, number: int) -> None:
        """Called when a mark or a source was clicked."""
        if 1 <= number <= MAX_NUMBER and self._clicks.is_left():
            self.source_asked.emit(number)

    @Slot(int)
    def original_wanted(self, number: int) -> None:
        """Called when the button that opens the page or file of a source was pressed."""
        if 1 <= number <= MAX_NUMBER and self._clicks.is_left():
            self.original_asked.emit(number)

    @Slot(int)
    def source_copy_wanted(self, number: int) -> None:
        """Called when the copy button of a source was pressed."""
        if 1 <= number <= MAX_NUMBER and self._clicks.is_left():
            self.source_copy_asked.emit(number)

    @Slot(int)
    def source_add_wanted(self, number: int) -> None:
        """Called when a source of a card should be added to a knowledge base."""
        if 1 <= number <= MAX_NUMBER and self._clicks.is_left():
            self.source_add_asked.emit(number)

    @Slot(str, int, int)
    def card_wanted(self, message_id: str, number: int, occurrence: int) -> None:
        """Called when a mark is hovered or focused."""
        is_known = _ID.fullmatch(message_id) and 1 <= number <= MAX_NUMBER and 0 <= occurrence <= MAX_NUMBER
        if is_known and self._looks.is_left():
            self.card_asked.emit(message_id, number, occurrence)

    @Slot(str, int)
    def mail_wanted(self, message_id: str, index: int) -> None:
        """Called when a mail link was clicked; the web engine itself reports only links to web pages."""
        if _ID.fullmatch(message_id) and 0 <= index <= MAX_NUMBER and self._clicks.is_left():
            self.mail_asked.emit(message_id, index)

    @Slot(int)
    def example_wanted(self, index: int) -> None:
        """Called when an example question was clicked."""
        if 0 <= index <= MAX_NUMBER and self._clicks.is_left():
            self.example_asked.emit(index)

    @Slot(str, int)
    def drawing_wanted(self, message_id: str, index: int) -> None:
        """Called when code that can be drawn comes into view."""
        if _ID.fullmatch(message_id) and 0 <= index <= MAX_NUMBER and self._looks.is_left():
            self.drawing_asked.emit(message_id, index)

    @Slot(str, int)
    def drawing_unwanted(self, message_id: str, index: int) -> None:
        """Called when the button that stops drawing was pressed."""
        if _ID.fullmatch(message_id) and 0 <= index <= MAX_NUMBER and self._clicks.is_left():
            self.drawing_stopped.emit(message_id, index)

    @Slot(str, int, float, float)
    def drawing_menu_wanted(self, message_id: str, index: int, x: float, y: float) -> None:
        """Called when the menu button of a drawing was pressed."""
        is_there = 0 <= x <= MAX_PIXELS and 0 <= y <= MAX_PIXELS and 0 <= index <= MAX_NUMBER
        if is_there and _ID.fullmatch(message_id) and self._clicks.is_left():
            self.drawing_menu_asked.emit(message_id, index, round(x), round(y))

    @Slot(str, str, str)
    def steer(self, message_id: str, wish: str, text: str) -> None:
        """Called when a button of running research was pressed, or a remark for it was written."""
        if wish == "remark":
            remark = _typed(text, REMARK_CHARS)
            self._steer(message_id, UserNote(remark) if remark else None)
        else:
            self._steer(message_id, _WISHES.get(wish))

    @Slot(str, list, list)
    def start_plan(self, message_id: str, places: list[object], texts: list[object]) -> None:
        """Called when the user starts the edited research plan: its search queries and places."""
        queries = tuple(
            Query(typed, _PLACES[place])
            for place, text in zip(places[:MOST_PLANNED], texts[:MOST_PLANNED], strict=False)
            if isinstance(place, str) and place in _PLACES
            if isinstance(text, str) and (typed := _typed(text, QUERY_CHARS))
        )
        self._steer(message_id, StartPlan(Plan(queries=queries)))

    @Slot(str, list, list, int)
    def start_outline(self, message_id: str, origins: list[object], titles: list[object], anew: int) -> None:
        """Called when the user starts writing from the edited outline.

        Each section has a heading, and the origin of the text that stays under it.
        The section in row `anew` (from 0) is rewritten.
        """
        headings = tuple(
            OutlineHeading(typed, int(origin), is_anew=row == anew)
            for row, (origin, title) in enumerate(
                zip(origins[:MOST_CHAPTERS], titles[:MOST_CHAPTERS], strict=False)
            )
            if isinstance(origin, int | float) and NOT_WRITTEN <= origin < MOST_CHAPTERS
            if isinstance(title, str) and (typed := _typed(title, TITLE_CHARS))
        )
        self._steer(message_id, StartOutline(headings) if headings else None)

    def _steer(self, message_id: str, wish: ProcedureCommand | None) -> None:
        if wish is not None and _ID.fullmatch(message_id) and self._clicks.is_left():
            self.research_steered.emit(message_id, wish)


def _typed(text: str, most: int) -> str:
    """Return `text` as one line of limited length, without invisible or unencodable characters."""
    seen = "".join(char if char.isprintable() else " " for char in text[: 2 * most])
    return " ".join(seen.split())[:most]


def _known(message_ids: list[object]) -> list[str]:
    """Return the values that can be message ids."""
    return [each for each in message_ids[:MAX_IDS] if isinstance(each, str) and _ID.fullmatch(each)]
