"""The channel between page and program: the only object that the page can call, and the changes that are sent to it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot
from PySide6.QtWebEngineCore import QWebEnginePage

from desktop.background import BackgroundLoop, Job
from desktop.domain.events import Beside, TurnEvent
from desktop.domain.models import ReasoningDelta, TextDelta
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
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.render.labels import Labels
from desktop.render.page.article import MENUS
from desktop.render.page.find import FindState
from desktop.render.page.operations import Operation, write_card_script, write_script
from desktop.render.page.page_model import PageModel
from desktop.render.page.source_cards import find_card, words_behind
from desktop.text.decode import printable_line
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
        if (ids := _filter_ids(message_ids)) and self._looks.is_left():
            self.messages_asked.emit(ids)

    @Slot(list)
    def messages_unwanted(self, message_ids: list[object]) -> None:
        """Called when messages are far from the view."""
        if (ids := _filter_ids(message_ids)) and self._looks.is_left():
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
            remark = printable_line(text, REMARK_CHARS)
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
            if isinstance(text, str) and (typed := printable_line(text, QUERY_CHARS))
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
            if isinstance(title, str) and (typed := printable_line(title, TITLE_CHARS))
        )
        self._steer(message_id, StartOutline(headings) if headings else None)

    def _steer(self, message_id: str, wish: ProcedureCommand | None) -> None:
        if wish is not None and _ID.fullmatch(message_id) and self._clicks.is_left():
            self.research_steered.emit(message_id, wish)


def _filter_ids(message_ids: list[object]) -> list[str]:
    """Return the values that can be message ids."""
    return [each for each in message_ids[:MAX_IDS] if isinstance(each, str) and _ID.fullmatch(each)]


FRAME_MS: Final = 33
"""Milliseconds for which events are collected between two batches."""

BEHIND_CHARS: Final = 16_384
"""Maximum text waiting for the page, in characters: 100 times the output of the fastest model in a frame."""

Command = Callable[[PageModel], list[Operation]]


@dataclass(frozen=True)
class _Batch:
    """The result of commands: the script for the page (empty without operations), and the state after it."""

    script: str
    found: FindState
    is_whole: bool
    """Whether all messages are rendered completely."""
    has_work: bool
    """Whether the page model has work left that no event starts."""


class PageUpdater(QObject):
    """Updates the page to match the transcript.

    Signals:
        ready: the page has been loaded and shows the conversation.
        found: a FindState with the state of the search.
        behind_changed: whether too much text is waiting to be shown; the sender may then pause.
    """

    ready = Signal()
    found = Signal(object)
    behind_changed = Signal(bool)

    def __init__(self, page: QWebEnginePage, labels: Labels, loop: BackgroundLoop) -> None:
        super().__init__(page)
        self._page = page
        self._loop = loop
        self._model = PageModel(labels)  # used by batches only, in the asyncio thread
        self.shown = NOTHING_SHOWN
        """The transcript that was handed over last."""
        self._labels = labels
        self._sentences: dict[int, str] = {}
        self.places: dict[int, tuple[str, ...]] = {}
        """The names of the knowledge bases in which the sources are whose cards were shown."""
        self._commands: list[Command] = []
        self._events: list[TurnEvent] = []
        self._has_continued = False
        """Whether the text or reasoning of an answer has become longer, which needs no event."""
        self._waiting_chars = 0
        self._unshown_chars = 0
        self._is_behind = False
        self._is_showing = False
        self._is_loaded = False
        self._is_fresh = False
        self._is_whole = True
        self._found: FindState | None = None
        self._writing: Job | None = None
        self._since_write = QElapsedTimer()
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.timeout.connect(self._write)

    @property
    def is_loaded(self) -> bool:
        """Whether a page is loaded that can receive batches."""
        return self._is_loaded

    @property
    def is_drawn(self) -> bool:
        """Whether the page has drawn its first content since it was loaded."""
        return self._is_loaded and not self._is_fresh

    @property
    def is_whole(self) -> bool:
        """Whether the page shows the whole conversation, with every message written."""
        is_quiet = self._writing is None and not self._is_showing and not self._is_outdated
        return is_quiet and self._is_whole

    @property
    def _is_outdated(self) -> bool:
        """Whether there is anything to send to the page."""
        return bool(self._commands or self._events) or self._has_continued

    @property
    def waiting_chars(self) -> int:
        """Number of characters that were applied but are not yet drawn."""
        return self._waiting_chars + self._unshown_chars

    def push(self, command: Command) -> None:
        """Queue a command; commands run in order."""
        self._gather_events()
        self._commands.append(command)
        self._wake()

    def show(self, shown: Transcript) -> None:
        """Show a conversation instead of the current one."""
        self.places.clear()
        self._sentences.clear()  # another conversation has other sources
        self.push(partial(PageModel.show, shown=shown))
        self.shown = shown

    def apply(self, event: TurnEvent, shown: Transcript) -> None:
        """Show an event of a running turn, and what is shown after it."""
        self.shown = shown
        inner = event.event if isinstance(event, Beside) else event
        if isinstance(inner, TextDelta | ReasoningDelta):
            self._has_continued = True
            self._waiting_chars += len(inner.text)
            self._look_whether_behind()
        else:
            self._events.append(event)
        self._wake()

    def set_labels(self, labels: Labels) -> None:
        """Change the language of the page."""
        self._labels = labels
        self.push(partial(PageModel.set_labels, labels=labels))

    def show_card(self, message_id: str, number: int, occurrence: int) -> None:
        """Show the card of a mark at once: it waits for no batch, also while an answer streams."""
        card = find_card(
            self.shown, message_id, number, occurrence, self._labels, places=self.places.get(number, ())
        )
        if card is not None:
            self._sentences[number] = card.sentence
            self._page.runJavaScript(write_card_script(message_id, number, card.html))

    def words_behind(self, number: int) -> str:
        """Return the words that a source's last card highlighted, for opening the source there."""
        return words_behind(self.shown.sources.get(number), self._sentences.get(number, ""))

    def suspend(self) -> None:
        """Stop sending batches while the page is loading."""
        self._is_loaded = False
        self._look_whether_behind()

    def resume(self) -> None:
        """Send everything to a page that has been loaded."""
        self._is_loaded = True
        self._is_fresh = True
        self._is_showing = False
        self._commands.insert(0, PageModel.show_again)
        self._write_now()

    @Slot()
    def note_drawn(self) -> None:
        """Note that the page has drawn the last batch, so that the next one can be sent."""
        self._is_showing = False
        self._unshown_chars = 0
        self._look_whether_behind()
        if self._is_fresh:
            self._is_fresh = False
            self.ready.emit()
        if self._is_outdated:
            self._wake()

    def _look_whether_behind(self) -> None:
        """Emit `behind_changed` when the page falls behind or catches up; an unloaded page is never behind."""
        is_behind = self._is_loaded and self.waiting_chars >= BEHIND_CHARS
        if is_behind is not self._is_behind:
            self._is_behind = is_behind
            self.behind_changed.emit(is_behind)

    def _gather_events(self) -> None:
        if self._events or self._has_continued:
            self._commands.append(partial(PageModel.apply, events=tuple(self._events), shown=self.shown))
            self._events.clear()
            self._has_continued = False

    def _wake(self) -> None:
        is_busy = self._writing is not None or self._is_showing
        if self._is_loaded and not is_busy and not self._frame.isActive():
            # After a pause, changes are sent at once, such as the first word of an answer.
            waited = self._since_write.elapsed() if self._since_write.isValid() else FRAME_MS
            self._frame.start(max(0, FRAME_MS - waited))

    def _write_now(self) -> None:
        self._frame.stop()
        if self._writing is None:
            self._write()

    @Slot()
    def _write(self) -> None:
        self._since_write.start()
        self._gather_events()
        commands, self._commands = tuple(self._commands), []
        self._unshown_chars, self._waiting_chars = self._waiting_chars, 0
        self._writing = Job(partial(_run_batch, self._model, commands), self._loop, self)
        self._writing.succeeded.connect(self._on_written)
        self._writing.failed.connect(self._on_failed)
        self._writing.start()

    @Slot(object)
    def _on_written(self, batch: _Batch) -> None:
        self._writing = None
        self._is_whole = batch.is_whole
        if batch.has_work:
            self._commands.append(PageModel.work)
        if batch.found != self._found:
            self._found = batch.found
            self.found.emit(batch.found)
        if batch.script or self._is_fresh:
            self._is_showing = True
            self._page.runJavaScript(batch.script or write_script(()))
        elif self._commands:
            # A search without results so far need not wait for a frame.
            self._write_now()
        else:
            self.note_drawn()

    @Slot(object)
    def _on_failed(self, _error: Exception) -> None:
        # This is a bug and is reported as one. One failed batch must not block those after it.
        self._writing = None
        self.note_drawn()


async def _run_batch(page: PageModel, commands: Sequence[Command]) -> _Batch:
    """Run commands and return their batch."""
    if __debug__:
        page.claim_thread()
    operations = [operation for command in commands for operation in command(page)]
    script = write_script(operations) if operations else ""
    return _Batch(script, page.found, page.is_whole, page.has_work)
