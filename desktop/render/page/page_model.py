"""What the page has of a conversation, as operations for the page: no Qt, no waiting, one thread.

The messages belong to the chat session; the model gets its transcript with each change and makes none of its own. When a conversation opens, only the newest messages are rendered. The page has placeholders for the others
and requests those that come near its viewport; if it is full, it unloads those far away. A long text
follows its article in pieces, so that the page never waits for more than one piece: `work` continues with
what remains.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, replace
from threading import get_ident
from typing import Final

from desktop.domain.citation_check import CitationCheck
from desktop.domain.events import (
    Beside,
    CheckAdvanced,
    CitationsChecked,
    TextReplaced,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import AnswerRole, Message, MessageStatus, Speaker
from desktop.domain.procedures import ProcedureCommand
from desktop.domain.sources import PagesChecked
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.render.labels import Labels
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
    ShowSupport,
    script_words,
)
from desktop.render.page.panel_parts import NO_WISHES, PendingCommands
from desktop.render.page.source_cards import check_line, show_check, show_doubts, show_progress
from desktop.render.page.streamed_answer import (
    PIECE_CHARS,
    Placeholders,
    StreamedAnswer,
    count_unchanged,
    first_written,
    take_outdated_parts,
)
from desktop.render.stream import StreamRenderer
from desktop.text.html_element import EMPTY, Html

__all__ = ["Operation", "PageModel", "PatchText"]

PLACES_AT_ONCE: Final = 250

MOST_TURNED: Final = 60
"""Maximum number of messages rendered at once when the user switches to another version."""

_LAST_PARTS: Final = ("sources", "actions")
"""Parts that depend on the whole text."""


class PageModel:
    """Converts the changes of a transcript to operations. Keeps how far the page has each message."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._shown = NOTHING_SHOWN
        """The transcript as the session handed it over with the last change."""
        self._ids: dict[str, None] = {}
        """Ids of the messages that the page knows, in order."""
        self._places = Placeholders()
        self._writings: dict[str, StreamedAnswer] = {}
        self._finder = Finder(self._text_html)
        self._thread: int | None = None

    def claim_thread(self) -> None:
        """Assert that always the same thread uses this model."""
        thread = get_ident()
        assert self._thread in {None, thread}, "a page model is used by one thread"
        self._thread = thread

    def show(self, shown: Transcript) -> list[Operation]:
        """Show a conversation at its end; if the page has it already, update only what changed."""
        self._finder.forget()
        before, self._shown = self._shown, shown
        messages = shown.messages
        stays = count_unchanged(before.messages, messages)
        if stays and len(messages) - stays <= MOST_TURNED:
            return self._turn_to(messages, stays)
        self._writings = {}
        return self._show_all()

    def _turn_to(self, messages: Sequence[Message], stays: int) -> list[Operation]:
        """Replace the messages after the first `stays`; the page keeps what it has of these."""
        operations = self._cut(messages[:stays], stays=True)
        self._write_unfinished()
        for message in messages[stays:]:
            self._ids[message.id] = None
            operations.append(SetMessage(message.id, self._html(message), stays=True))
            operations += show_doubts(message, self._labels, self._shown.sources)
        return operations

    def _cut(self, kept: Iterable[Message], *, stays: bool = False) -> list[Operation]:
        """Remove all messages except those that are `kept`, which come first."""
        ids = {message.id for message in kept}
        gone = [each for each in self._ids if each not in ids]
        for each in gone:
            del self._ids[each]
            self._writings.pop(each, None)
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
        return self.write(key for key in self._ids if key in self._places)

    def release(self, message_ids: Iterable[str]) -> list[Operation]:
        """Replace messages far from the viewport with placeholders, if the page is full."""
        ids = (each for each in message_ids if each in self._ids and each not in self._writings)
        return self._places.release((self._shown.by_id[each] for each in ids), self._labels)

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
        operations: list[Operation] = self._places.more(self._shown.by_id, self._labels, PLACES_AT_ONCE)
        behind = next((writing for writing in self._writings.values() if writing.is_behind), None)
        if behind is not None:
            operations += self._advance(behind)
        if self._finder.is_searching:
            had_spot = self._finder.spot is not None
            self._finder.advance()
            if not had_spot and self._finder.spot is not None:
                operations += self._show_found()
        return operations

    def apply(self, events: Sequence[TurnEvent], shown: Transcript) -> list[Operation]:
        """Show what is `shown` after some events of a running turn; events that only continue a text may be left out."""
        before, self._shown = self._shown, shown
        # What a later event has removed is gone before the earlier ones are looked at.
        operations = self._cut(shown.messages) if events else []
        usual = before.usual or shown.usual
        for event in events:
            if isinstance(event, TurnStarted):
                usual = event.answer.id
            operations += self._apply(event, before, usual)
        for writing in self._list_unfinished():
            writing.show(shown.by_id[writing.message.id], shown.sources)
            if writing.is_behind:
                operations += self._advance(writing)
            operations += take_outdated_parts(writing, shown.sources, self._labels)
        return operations

    def _list_unfinished(self) -> list[StreamedAnswer]:
        return [writing for writing in self._writings.values() if not writing.has_ended]

    def find(self, needle: str, start: str = "") -> list[Operation]:
        """Search the conversation and show the first occurrence in or after the message `start` once found."""
        self._finder.search(needle, self._shown.by_id, start)
        return [MarkFound(self._finder.needle)]

    def find_next(self, by: int) -> list[Operation]:
        """Show the next (1) or previous (-1) occurrence."""
        self._finder.step(by)
        return self._show_found()

    def show_place(self, message_id: str, needle: str = "") -> list[Operation]:
        """Scroll to a message, and in it to the first `needle`."""
        if message_id not in self._ids:
            return []
        shown = [*self._write_place(message_id), ShowPlace(message_id)]
        return [*shown, *self.find(needle, message_id)]

    @property
    def found(self) -> FindState:
        """The progress of the search."""
        return self._finder.found

    def end_check(self, message_id: str) -> list[Operation]:
        """Restore what was shown before a check that ended without a result."""
        if not self._is_written(message_id):
            return []
        return show_check(self._shown.by_id[message_id], self._labels, self._shown.sources)

    def _is_written(self, message_id: str) -> bool:
        return message_id in self._ids and message_id not in self._places

    def steer(self, message_id: str, wish: ProcedureCommand) -> list[Operation]:
        """Show that a command for a running procedure was received."""
        writing = self._writings.get(message_id)
        if writing is None or writing.has_ended:
            return []
        writing.wishes = writing.wishes.with_command(wish)
        writing.outdated.add("research")
        return take_outdated_parts(writing, self._shown.sources, self._labels)

    def _show_all(self, *, stays: bool = False) -> list[Operation]:
        self._places = Placeholders()
        self._ids = dict.fromkeys(self._shown.by_id)
        messages = self._shown.messages
        if not messages:
            self._writings = {}
            return [OpenPage(welcome_html(self._labels))]
        self._write_unfinished(anew=True)
        first = first_written(messages)
        self._places = Placeholders(each.id for each in messages[:first])
        page = OpenPage("".join(map(self._html, messages[first:])), stays)
        return [
            page,
            *(
                doubt
                for message in messages[first:]
                for doubt in show_doubts(message, self._labels, self._shown.sources)
            ),
        ]

    def _write_unfinished(self, *, anew: bool = False) -> None:
        """Begin to write the answers that are running; with `anew`, also those that the page had."""
        had = self._writings
        self._writings = {} if anew else had
        for message_id in self._shown.unfinished:
            if message_id not in self._writings:
                wishes = had[message_id].wishes if message_id in had else NO_WISHES
                message = self._shown.by_id[message_id]
                self._writings[message_id] = self._begin_writing(message, wishes)

    def _begin_writing(self, message: Message, wishes: PendingCommands = NO_WISHES) -> StreamedAnswer:
        """Return an answer whose article the page gets now, and whose text follows."""
        thought = len(message.reasoning)
        return StreamedAnswer(message, self._renderer(message), reasoned=thought, wishes=wishes)

    def _write_place(self, message_id: str) -> list[Operation]:
        if message_id not in self._places:
            return []
        self._places.discard(message_id)
        placing = self._places.more(self._shown.by_id, self._labels)
        message = self._shown.by_id[message_id]
        written = SetMessage(message_id, self._html(message))
        return [*placing, written, *show_doubts(message, self._labels, self._shown.sources)]

    def _html(self, message: Message) -> Html:
        """Return an article; the text of a long or running answer follows through `work`."""
        if message.speaker is Speaker.USER:
            return question_html(message, self._labels)
        if message.id not in self._writings and len(message.text) > PIECE_CHARS:
            writing = StreamedAnswer(message, self._renderer(message), is_new=False, has_ended=True)
            self._writings[message.id] = writing
        is_whole = message.id not in self._writings
        rendered = self._render(message) if is_whole else RenderedMessage(EMPTY)
        parts = article_of(message, self._shown.sources, rendered, self._labels)
        return answer_html(message, rendered.html, parts, self._labels)

    def _titles_for(self, message: Message) -> dict[int, str]:
        """Return the titles of the sources that a message's marks may refer to, by number."""
        sources = self._shown.sources
        return {number: source.title for number, source in sources.items() if message.knows(number)}

    def _render(self, message: Message) -> RenderedMessage:
        titles = self._titles_for(message)
        return render_message(message.text, titles, RenderTarget.PAGE, self._labels.source, is_capped=True)

    def _text_html(self, message: Message) -> str:
        return self._render(message).html

    def _renderer(self, message: Message) -> StreamRenderer:
        return StreamRenderer(self._titles_for(message), self._labels.source)

    def _apply(self, event: TurnEvent, before: Transcript, usual: str) -> list[Operation]:
        """Show an event; `usual` is the answer that it refers to if it is not `Beside`, and may have ended meanwhile."""
        operations: list[Operation] = []
        match event:
            case TurnStarted(question, answer):
                operations = [*self._begin(question.id, before), *self._begin_answer(answer.id)]
            case Beside(_, TurnStarted(_, answer)):
                operations = self._begin_answer(answer.id)
            case TextReplaced():
                operations = self._begin_answer(usual)
            case Beside(message_id, TextReplaced()):
                operations = self._begin_answer(message_id)
            case Beside(_, inner):
                operations = self._apply(inner, before, usual)
            case TurnFinished(message) | TurnFailed(message):
                operations = self._end(message.id)
            case CheckAdvanced(message_id, done, total) if self._is_written(message_id):
                operations = [show_progress(message_id, done, total, self._labels)]
            case CitationsChecked(message_id, check) if message_id in self._ids:
                operations = self._show_result(message_id, check)
            case PagesChecked(checks) if checks:
                operations = self._show_page_checks(checks)
        return operations

    def _begin(self, question_id: str, before: Transcript) -> list[Operation]:
        """Add the question of a turn that has begun."""
        operations: list[Operation] = []
        question = self._shown.get(question_id)
        if question is not None and question_id not in self._ids:
            operations += self._leave_compared(before)
            self._ids[question_id] = None
            operations.append(SetMessage(question_id, question_html(question, self._labels)))
        return operations

    def _leave_compared(self, before: Transcript) -> list[Operation]:
        """Collapse the answers that were not chosen, once the conversation continues."""
        left = [
            each
            for each in self._shown.messages
            if each.standing is AnswerRole.LEFT
            and self._is_written(each.id)
            and (was := before.get(each.id)) is not None
            and was.standing is AnswerRole.COMPARED
        ]
        for each in left:
            self._writings.pop(each.id, None)
        return [SetMessage(each.id, self._html(each)) for each in left]

    def _begin_answer(self, message_id: str) -> list[Operation]:
        message = self._shown.get(message_id)
        if message is None:  # a later event has removed it again
            return []
        self._ids[message_id] = None
        self._places.discard(message_id)
        self._writings[message_id] = self._begin_writing(message)
        # If it has ended meanwhile, the page learns that from `_end`, with the end of the text.
        running = replace(message, status=MessageStatus.STREAMING, error="")
        return [SetMessage(message_id, self._html(running))]

    def _advance(self, writing: StreamedAnswer) -> list[Operation]:
        """Send a piece of an answer's text to the page, and with the last piece all parts that depend on it."""
        patches = writing.advance()
        operations: list[Operation] = [PatchText(writing.message.id, patches)] if patches else []
        if writing.has_ended and not writing.is_behind:
            del self._writings[writing.message.id]
            parts = self._parts(writing)
            operations += [SetPart(writing.message.id, name, getattr(parts, name)) for name in _LAST_PARTS]
            operations += show_doubts(writing.message, self._labels, self._shown.sources)
            if writing.is_new:
                operations.append(self._finish(writing.message))
        return operations

    def _end(self, message_id: str) -> list[Operation]:
        if (
            message_id not in self._ids or message_id in self._shown.unfinished
        ):  # removed or begun again since
            return []
        message = self._shown.by_id[message_id]
        writing = self._writings.get(message_id)
        if writing is None or not writing.can_end_with(message):
            self._writings.pop(message_id, None)
            self._places.discard(message_id)
            doubts = show_doubts(message, self._labels, self._shown.sources)
            return [SetMessage(message_id, self._html(message)), *doubts, self._finish(message)]
        writing.end(message, self._shown.sources)
        parts = asdict(self._parts(writing)).items()
        # Some follow with the end of the text, which is a matter of the same moment unless it is long.
        shown = [SetPart(message_id, name, html) for name, html in parts if name not in _LAST_PARTS]
        return [*shown, *self._advance(writing)]

    def _show_result(self, message_id: str, check: CitationCheck) -> list[Operation]:
        if (writing := self._writings.get(message_id)) is not None:
            # Its text stays what the page has of it.
            writing.message = replace(writing.message, check=check)
        return [*self.end_check(message_id), Finish(message_id, check_line(check, self._labels))]

    def _show_page_checks(self, numbers: Collection[int]) -> list[Operation]:
        """Show what reading pages again showed in the marks and sources of all answers that cite them."""
        operations: list[Operation] = []
        for message in self._shown.messages:
            is_still = self._is_written(message.id) and message.id not in self._writings
            if is_still and message.speaker is Speaker.MODEL and any(map(message.knows, numbers)):
                parts = article_of(message, self._shown.sources, self._render(message), self._labels)
                operations.append(SetPart(message.id, "sources", parts.sources))
                doubts = show_doubts(message, self._labels, self._shown.sources)
                operations += doubts or [
                    ShowSupport(message.id, ())
                ]  # marks may have said otherwise until now
        return operations

    def _parts(self, writing: StreamedAnswer) -> AnswerElement:
        rendered = RenderedMessage(EMPTY, writing.renderer.cited, writing.renderer.unknown)
        return article_of(writing.message, self._shown.sources, rendered, self._labels)

    def _finish(self, message: Message) -> Operation:
        return Finish(message.id, self._labels.end_of_answer(message.status))

    def _show_found(self) -> list[Operation]:
        spot = self._finder.spot
        if spot is None:
            return []
        mark = MarkFound(self._finder.needle, spot.message_id, spot.occurrence)
        return [*self._write_place(spot.message_id), mark]
