"""Sends changes to the page: collects them for a frame, makes operations, and sends one batch at a time.

push, apply ─▶ commands ─ once a frame ─▶ asyncio thread: PageModel ─▶ script ─▶ this thread: runJavaScript ─▶ chat.js

The GUI thread only passes data on and parses nothing. The messages belong to the chat session; with each change comes its
transcript, a value that both threads can read. The page model is used by the asyncio thread alone, whose batches are short
(`PIECE_CHARS`). So a frame crosses threads twice, there and back. The next batch is sent when the page has drawn the
previous one; all changes in the meantime become one batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot
from PySide6.QtWebEngineCore import QWebEnginePage

from desktop.background import BackgroundLoop, Job
from desktop.domain.events import Beside, TurnEvent
from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.render.labels import Labels
from desktop.render.page.find import FindState
from desktop.render.page.operations import Operation, write_card_script, write_script
from desktop.render.page.page_model import PageModel
from desktop.render.page.source_cards import find_card, words_behind

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
