"""The displayed state of a conversation, as operations for the page: no Qt, no waiting, one thread.

When a conversation opens, only the newest messages are rendered. The page has placeholders for the others
and requests those that come near its viewport; if it is full, it unloads those far away. A long text
follows its article in pieces, so that the page never waits for more than one piece: `work` continues with
what remains.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from threading import get_ident
from typing import Final

from desktop.domain.citation_check import CitationCheck
from desktop.domain.events import (
    Beside,
    CheckAdvanced,
    CitationsChecked,
    SourcesAdded,
    TextReplaced,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    messages_before_turn,
)
from desktop.domain.messages import Message, MessageStatus, Speaker, retire_answers
from desktop.domain.models import TextDelta
from desktop.domain.procedures import ProcedureCommand
from desktop.domain.sources import Source
from desktop.render.labels import Labels, script_words
from desktop.render.markdown.tree import RenderTarget
from desktop.render.message import RenderedMessage, render_message
from desktop.render.page.article import AnswerElement, answer_html, article_of, question_html, welcome_html
from desktop.render.page.find import Finder, FindState
from desktop.render.page.operations import (
    Finish,
    MarkFound,
    OpenPage,
    Operation,
    PatchText,
    SetMessage,
    SetPart,
    SetWords,
    ShowPlace,
)
from desktop.render.page.snapshot import PageSnapshot
from desktop.render.page.source_cards import check_line, show_check, show_doubts, show_progress
from desktop.render.page.streamed_answer import (
    PIECE_CHARS,
    Placeholders,
    StreamedAnswer,
    count_unchanged,
    first_written,
    join_deltas,
    take_outdated_parts,
)
from desktop.render.stream import StreamRenderer

__all__ = ["Operation", "PageModel", "PatchText"]

PLACES_AT_ONCE: Final = 250

MOST_TURNED: Final = 60
"""Maximum number of messages rendered at once when the user switches to another version."""

_LAST_PARTS: Final = ("sources", "actions")
"""Parts that depend on the whole text."""


class PageModel:
    """Holds one conversation, and converts its events to operations."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._messages: dict[str, Message] = {}
        self._sources: dict[int, Source] = {}
        self._titles: dict[int, str] = {}
        self._places = Placeholders()
        self._writings: dict[str, StreamedAnswer] = {}
        self._running = ""
        self._finder = Finder(self._text_html)
        self._thread: int | None = None

    def claim_thread(self) -> None:
        """Assert that always the same thread uses this model."""
        thread = get_ident()
        assert self._thread in {None, thread}, "a page model is used by one thread"
        self._thread = thread

    def open(self, messages: Sequence[Message], sources: Sequence[Source]) -> list[Operation]:
        """Show a conversation at its end; if it is shown already, update only what changed."""
        self._finder.forget()
        self._sources = {source.number: source for source in sources}
        self._titles = {source.number: source.title for source in sources}
        stays = count_unchanged(tuple(self._messages.values()), messages)
        if stays and len(messages) - stays <= MOST_TURNED:
            return self._turn_to(messages, stays)
        self._messages = {message.id: message for message in messages}
        self._running = ""
        self._writings = {}
        return self._show_all()

    def _turn_to(self, messages: Sequence[Message], stays: int) -> list[Operation]:
        """Replace the messages after the first `stays`; the page keeps what it has of these."""
        operations = self._keep(messages[:stays], stays=True)
        for message in messages[stays:]:
            self._messages[message.id] = message
            operations.append(SetMessage(message.id, self._html(message), stays=True))
            operations += show_doubts(message, self._labels)
        return operations

    def _keep(self, messages: Sequence[Message], *, stays: bool = False) -> list[Operation]:
        """Remove all messages except these, which come first."""
        ids = {message.id for message in messages}
        gone = [each for each in self._messages if each not in ids]
        for each in gone:
            del self._messages[each]
            self._writings.pop(each, None)
        self._running = self._running if self._running in ids else ""
        return self._places.cut(gone, stays=stays)

    def set_labels(self, labels: Labels) -> list[Operation]:
        """Change the language of everything that is shown."""
        self._labels = labels
        return self.show_again()

    def show_again(self) -> list[Operation]:
        """Send everything again, to a page that has lost its content."""
        return [SetWords(script_words(self._labels)), *self._show_all(stays=True)]

    def write(self, message_ids: Iterable[str]) -> list[Operation]:
        """Render messages of which the page has placeholders."""
        return [operation for message_id in message_ids for operation in self._write_place(message_id)]

    def write_all(self) -> list[Operation]:
        """Render all messages permanently, for printing; `work` delivers the rest of long ones."""
        self._places.keep_written()
        return self.write(key for key in self._messages if key in self._places)

    def release(self, message_ids: Iterable[str]) -> list[Operation]:
        """Replace messages far from the viewport with placeholders, if the page is full."""
        known = (self._messages[each] for each in message_ids if each in self._messages)
        return self._places.release((each for each in known if each.id not in self._writings), self._labels)

    @property
    def is_whole(self) -> bool:
        """Whether all messages are rendered completely."""
        return not self._places and not self.has_work

    @property
    def has_work(self) -> bool:
        """Whether `work` has anything to do."""
        return (
            self._places.has_more
            or self._finder.is_searching
            or any(writing.is_behind for writing in self._writings.values())
        )

    def work(self) -> list[Operation]:
        """Do a small part of the remaining work: a piece of a long text, a part of a search."""
        operations: list[Operation] = self._places.more(self._labels, PLACES_AT_ONCE)
        behind = next((writing for writing in self._writings.values() if writing.is_behind), None)
        if behind is not None:
            operations += self._advance(behind)
        if self._finder.is_searching:
            had_spot = self._finder.spot is not None
            self._finder.advance()
            if not had_spot and self._finder.spot is not None:
                operations += self._show_found()
        return operations

    def apply(self, events: Iterable[TurnEvent]) -> list[Operation]:
        """Show the events of a running turn."""
        operations: list[Operation] = []
        for event in join_deltas(events):
            operations += self._apply(event)
        for writing in self._unfinished():
            operations += take_outdated_parts(writing, self._sources, self._labels)
        return operations

    def _unfinished(self) -> list[StreamedAnswer]:
        return [writing for writing in self._writings.values() if not writing.has_ended]

    def find(self, needle: str, start: str = "") -> list[Operation]:
        """Search the conversation and show the first occurrence in or after the message `start` once found."""
        self._finder.search(needle, self._messages.values(), start)
        return [MarkFound(self._finder.needle)]

    def find_next(self, by: int) -> list[Operation]:
        """Show the next (1) or previous (-1) occurrence."""
        self._finder.step(by)
        return self._show_found()

    def show_place(self, message_id: str, needle: str = "") -> list[Operation]:
        """Scroll to a message, and in it to the first `needle`."""
        if message_id not in self._messages:
            return []
        shown = [*self._write_place(message_id), ShowPlace(message_id)]
        return [*shown, *self.find(needle, message_id)]

    @property
    def found(self) -> FindState:
        """The progress of the search."""
        return self._finder.found

    def snapshot(self) -> PageSnapshot:
        """Return what is shown now, which other threads may read."""
        return PageSnapshot(
            self._labels, dict(self._messages), dict(self._sources), self.is_whole, self.has_work
        )

    def end_check(self, message_id: str) -> list[Operation]:
        """Restore what was shown before a check that ended without a result."""
        is_shown = message_id in self._messages and message_id not in self._places
        return show_check(self._messages[message_id], self._labels) if is_shown else []

    def steer(self, message_id: str, wish: ProcedureCommand) -> list[Operation]:
        """Show that a command for a running procedure was received."""
        writing = self._writings.get(message_id)
        if writing is None or writing.has_ended:
            return []
        writing.wishes = writing.wishes.with_command(wish)
        writing.outdated.add("research")
        return take_outdated_parts(writing, self._sources, self._labels)

    def _show_all(self, *, stays: bool = False) -> list[Operation]:
        unfinished = self._unfinished()
        self._writings = {}
        self._places = Placeholders()
        if not self._messages:
            return [OpenPage(welcome_html(self._labels))]
        self._writings = {each.message.id: self._writing_of(each) for each in unfinished}
        messages = list(self._messages.values())
        first = first_written(messages)
        self._places = Placeholders(messages[:first])
        page = OpenPage("".join(map(self._html, messages[first:])), stays)
        return [
            page,
            *(doubt for message in messages[first:] for doubt in show_doubts(message, self._labels)),
        ]

    def _write_place(self, message_id: str) -> list[Operation]:
        if message_id not in self._places:
            return []
        self._places.discard(message_id)
        placing = self._places.more(self._labels)
        message = self._messages[message_id]
        written = SetMessage(message_id, self._html(message))
        return [*placing, written, *show_doubts(message, self._labels)]

    def _html(self, message: Message) -> str:
        """Return an article; the text of a long or running answer follows through `work`."""
        if message.speaker is Speaker.USER:
            return question_html(message, self._labels)
        if message.id not in self._writings and len(message.text) > PIECE_CHARS:
            writing = StreamedAnswer(message, self._renderer(message), is_new=False, has_ended=True)
            self._writings[message.id] = writing
        is_whole = message.id not in self._writings
        rendered = self._render(message) if is_whole else RenderedMessage("")
        parts = article_of(message, self._sources, rendered, self._labels)
        return answer_html(message, rendered.html, parts, self._labels)

    def _titles_for(self, message: Message) -> dict[int, str]:
        """Return the titles of the sources that a message's marks may refer to, by number."""
        return {number: title for number, title in self._titles.items() if message.knows(number)}

    def _render(self, message: Message) -> RenderedMessage:
        titles = self._titles_for(message)
        return render_message(message.text, titles, RenderTarget.PAGE, self._labels.source, is_capped=True)

    def _text_html(self, message: Message) -> str:
        return self._render(message).html

    def _renderer(self, message: Message) -> StreamRenderer:
        return StreamRenderer(self._titles_for(message), self._labels.source)

    def _writing_of(self, running: StreamedAnswer) -> StreamedAnswer:
        """Start again from the displayed state of a running answer."""
        return replace(running, renderer=self._renderer(running.message), written=0, reasoned=0)

    def _apply(self, event: TurnEvent) -> list[Operation]:
        match event:
            case TurnStarted():
                return self._begin(event)
            case TurnFinished(message) | TurnFailed(message):
                return self._end(message)
            case Beside(message_id, inner):
                return self._apply_beside(message_id, inner)
            case CheckAdvanced(message_id, done, total):
                is_shown = message_id in self._messages and message_id not in self._places
                return [show_progress(message_id, done, total, self._labels)] if is_shown else []
            case CitationsChecked(message_id, check) if message_id in self._messages:
                return self._take_check(message_id, check)
            case SourcesAdded(sources):
                self._add_sources(sources)
        writing = self._writings.get(self._running)
        return [] if writing is None else self._apply_to(writing, event)

    def _apply_beside(self, message_id: str, event: TurnEvent) -> list[Operation]:
        match event:
            case TurnStarted(_, message):
                return self._begin_answer(message)
            case SourcesAdded(sources):
                self._add_sources(sources)
        writing = self._writings.get(message_id)
        if writing is None or isinstance(event, TurnFinished | TurnFailed):
            return self._apply(event)
        return self._apply_to(writing, event)

    def _apply_to(self, writing: StreamedAnswer, event: TurnEvent) -> list[Operation]:
        if isinstance(event, TextReplaced):
            return self._begin_answer(replace(writing.message, text=event.text, is_damaged=False))
        writing.take(event)
        self._messages[writing.message.id] = writing.message
        return self._advance(writing) if isinstance(event, TextDelta) else []

    def _add_sources(self, sources: Sequence[Source]) -> None:
        self._sources.update({source.number: source for source in sources})
        self._titles.update({source.number: source.title for source in sources})

    def _begin(self, started: TurnStarted) -> list[Operation]:
        question, message = started.question, started.answer
        operations = self._keep(messages_before_turn(tuple(self._messages.values()), started))
        if question.id not in self._messages:
            operations += self._leave_compared()
            self._messages[question.id] = question
            operations.append(SetMessage(question.id, question_html(question, self._labels)))
        self._running = message.id
        return operations + self._begin_answer(message)

    def _leave_compared(self) -> list[Operation]:
        """Collapse the answers that were not chosen, once the conversation continues."""
        left = retire_answers(self._messages.values())
        self._messages.update((each.id, each) for each in left)
        return [SetMessage(each.id, self._html(each)) for each in left if each.id not in self._places]

    def _begin_answer(self, message: Message) -> list[Operation]:
        message = replace(message, status=MessageStatus.STREAMING, error="")
        self._messages[message.id] = message
        self._places.discard(message.id)
        steps = {step.id: step for step in message.steps}
        writing = self._writings[message.id] = StreamedAnswer(message, self._renderer(message), steps=steps)
        shown = SetMessage(message.id, self._html(message))
        return [shown, *(self._advance(writing) if message.text else [])]

    def _advance(self, writing: StreamedAnswer) -> list[Operation]:
        """Send a piece of an answer's text to the page, and with the last piece all parts that depend on it."""
        patches = writing.advance()
        operations: list[Operation] = [PatchText(writing.message.id, patches)] if patches else []
        if writing.has_ended and not writing.is_behind:
            del self._writings[writing.message.id]
            parts = self._parts(writing)
            operations += [SetPart(writing.message.id, name, getattr(parts, name)) for name in _LAST_PARTS]
            operations += show_doubts(writing.message, self._labels)
            if writing.is_new:
                operations.append(self._finish(writing.message))
        return operations

    def _end(self, message: Message) -> list[Operation]:
        if message.id == self._running:
            self._running = ""
        self._messages[message.id] = message
        writing = self._writings.get(message.id)
        if writing is None or not writing.can_end_with(message):
            self._writings.pop(message.id, None)
            self._places.discard(message.id)
            doubts = show_doubts(message, self._labels)
            return [SetMessage(message.id, self._html(message)), *doubts, self._finish(message)]
        writing.end(message)
        parts = asdict(self._parts(writing)).items()
        # Some follow with the end of the text, which is a matter of the same moment unless it is long.
        shown = [SetPart(message.id, name, html) for name, html in parts if name not in _LAST_PARTS]
        return [*shown, *self._advance(writing)]

    def _take_check(self, message_id: str, check: CitationCheck) -> list[Operation]:
        message = self._messages[message_id] = replace(self._messages[message_id], check=check)
        if (writing := self._writings.get(message_id)) is not None:
            writing.change(check=check)
        return [*self.end_check(message.id), Finish(message.id, check_line(check, self._labels))]

    def _parts(self, writing: StreamedAnswer) -> AnswerElement:
        rendered = RenderedMessage("", writing.renderer.cited, writing.renderer.unknown)
        return article_of(writing.message, self._sources, rendered, self._labels)

    def _finish(self, message: Message) -> Operation:
        return Finish(message.id, self._labels.statuses.get(message.status, self._labels.finished))

    def _show_found(self) -> list[Operation]:
        spot = self._finder.spot
        if spot is None:
            return []
        mark = MarkFound(self._finder.needle, spot.message_id, spot.occurrence)
        return [*self._write_place(spot.message_id), mark]
