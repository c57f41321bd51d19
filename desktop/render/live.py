"""What the page shows of a conversation, as operations for it: no Qt, no waiting, one thread.

Each operation is a frozen dataclass whose `op` names a function of `chat.js`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import unescape
from typing import Any, Final, Literal

from desktop.domain.events import (
    SourcesAdded,
    StepFinished,
    StepStarted,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import Message, MessageStatus, Step
from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.domain.sources import Source
from desktop.render.cards import card_html
from desktop.render.labels import Labels
from desktop.render.look import Look
from desktop.render.message import RenderedMessage, render_message
from desktop.render.page import (
    answer_html,
    article_of,
    message_html,
    question_html,
    reasoning_html,
    welcome_html,
)
from desktop.render.steps import steps_html
from desktop.render.stream import Patch, StreamRenderer
from desktop.render.support import citing_sentence

_MAIL_LINK = re.compile(r'<a href="(mailto:[^"]*)"')

FIRST_MESSAGES: Final = 8
"""How many messages, from the end, are shown before the older ones are written."""

MORE_MESSAGES: Final = 12


@dataclass(frozen=True)
class SetWords:
    """The words of the page's own scripts."""

    words: dict[str, Any]
    op: Literal["words"] = "words"


@dataclass(frozen=True)
class OpenPage:
    """All that the page shows from now on."""

    html: str
    op: Literal["open"] = "open"


@dataclass(frozen=True)
class PrependMessages:
    """Older messages, above those shown."""

    html: str
    op: Literal["prepend"] = "prepend"


@dataclass(frozen=True)
class SetMessage:
    """A message, new at the end or in place of what it was."""

    id: str
    html: str
    op: Literal["message"] = "message"


@dataclass(frozen=True)
class SetPart:
    """A part of an answer."""

    id: str
    part: str
    html: str
    op: Literal["part"] = "part"


@dataclass(frozen=True)
class PatchText:
    """Changes of an answer's text."""

    id: str
    patches: tuple[Patch, ...]
    op: Literal["patches"] = "patches"


@dataclass(frozen=True)
class Finish:
    """An answer has ended; `words` are said by screen readers."""

    id: str
    words: str
    op: Literal["finished"] = "finished"


@dataclass(frozen=True)
class ShowCard:
    """The card that was asked for."""

    message: str
    number: int
    html: str
    op: Literal["card"] = "card"


Operation = SetWords | OpenPage | PrependMessages | SetMessage | SetPart | PatchText | Finish | ShowCard


@dataclass
class _Answer:
    """An answer while it is written."""

    message: Message
    renderer: StreamRenderer
    steps: dict[int, Step] = field(default_factory=dict)
    outdated: set[str] = field(default_factory=set)


class LivePage:
    """Knows one conversation, and turns what happens to it into operations."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._messages: dict[str, Message] = {}
        self._sources: dict[int, Source] = {}
        self._older: list[Message] = []
        self._answer: _Answer | None = None

    def open(self, messages: Sequence[Message], sources: Sequence[Source]) -> list[Operation]:
        """Show a conversation: the newest messages now, the others by `write_older`."""
        self._messages = {message.id: message for message in messages}
        self._sources = {source.number: source for source in sources}
        self._answer = None
        return self._show_all()

    def set_labels(self, labels: Labels) -> list[Operation]:
        """Speak another language, about everything that is shown."""
        self._labels = labels
        return self.show_again()

    def show_again(self) -> list[Operation]:
        """Show everything from the beginning, to a page that has lost it."""
        return [SetWords(_script_words(self._labels)), *self._show_all()]

    @property
    def has_older(self) -> bool:
        """Whether there are messages that are not shown yet."""
        return bool(self._older)

    def write_older(self) -> list[Operation]:
        """Write some of the messages that are not shown yet; nothing when there are none."""
        if not self._older:
            return []
        batch = self._older[-MORE_MESSAGES:]
        del self._older[-MORE_MESSAGES:]
        return [PrependMessages("".join(map(self._html, batch)))]

    def apply(self, events: Iterable[TurnEvent]) -> list[Operation]:
        """Show what a running turn reported."""
        operations: list[Operation] = []
        text: list[str] = []
        for event in events:
            if isinstance(event, TextDelta):
                text.append(event.text)
                continue
            operations += self._write(text)
            text = []
            operations += self._apply(event)
        operations += self._write(text)
        return operations + self._write_parts()

    def message(self, message_id: str) -> Message | None:
        """Return a message as it is now."""
        return self._messages.get(message_id)

    def source(self, number: int) -> Source | None:
        """Return the source that a number stands for."""
        return self._sources.get(number)

    def mail_address(self, message_id: str, index: int) -> str:
        """Return where the `index`th mail link of an answer leads; empty if there is none."""
        message = self._messages.get(message_id)
        html = render_message(message.text, look=Look.PAGE).html if message is not None else ""
        addresses = _MAIL_LINK.findall(html)
        return unescape(addresses[index]) if 0 <= index < len(addresses) else ""

    def card(self, message_id: str, number: int, occurrence: int) -> list[Operation]:
        """Show the card of the `occurrence`th mark of a number in a message."""
        source, message = self._sources.get(number), self._messages.get(message_id)
        if source is None or message is None:
            return []
        sentence = citing_sentence(message.text, number, occurrence)
        return [ShowCard(message_id, number, card_html(source, self._labels, sentence))]

    # Showing what is there

    def _show_all(self) -> list[Operation]:
        if not self._messages:
            return [OpenPage(welcome_html(self._labels))]
        messages = list(self._messages.values())
        self._older = messages[:-FIRST_MESSAGES]
        return [OpenPage("".join(map(self._html, messages[-FIRST_MESSAGES:]))), *self._restart()]

    def _html(self, message: Message) -> str:
        if self._answer is not None and message.id == self._answer.message.id:
            message = replace(message, text="")
        return message_html(message, tuple(self._sources.values()), self._labels)

    def _restart(self) -> list[Operation]:
        """Write the text of a running answer once more, into the empty article shown for it."""
        if self._answer is None:
            return []
        answer = self._answer
        answer.renderer = StreamRenderer(tuple(self._sources.values()), self._labels.source)
        return [PatchText(answer.message.id, answer.renderer.feed(answer.message.text))]

    # What happens

    def _apply(self, event: TurnEvent) -> list[Operation]:
        match event:
            case TurnStarted(question, message):
                return self._begin(question, message)
            case TurnFinished(message) | TurnFailed(message):
                return self._end(message)
            case SourcesAdded(sources):
                self._sources.update({source.number: source for source in sources})
                if self._answer is not None:
                    self._answer.renderer.add_sources(sources)
                    offered = (*self._answer.message.offered, *(source.number for source in sources))
                    self._change(offered=tuple(dict.fromkeys(offered)))
            case StepStarted(step) | StepFinished(step) if self._answer is not None:
                self._answer.steps[step.id] = step
                self._change(steps=tuple(self._answer.steps.values()))
                self._answer.outdated.add("steps")
            case ReasoningDelta(text) if self._answer is not None:
                self._change(reasoning=self._answer.message.reasoning + text)
                self._answer.outdated.add("reasoning")
            case _:
                pass
        return []

    def _begin(self, question: Message, message: Message) -> list[Operation]:
        message = replace(message, status=MessageStatus.STREAMING, error="")
        operations: list[Operation] = []
        if question.id not in self._messages:
            self._messages[question.id] = question
            operations.append(SetMessage(question.id, question_html(question, self._labels)))
        self._messages[message.id] = message
        renderer = StreamRenderer(tuple(self._sources.values()), self._labels.source)
        self._answer = _Answer(message, renderer, {step.id: step for step in message.steps})
        parts = article_of(message, (), RenderedMessage(""), self._labels)
        operations.append(SetMessage(message.id, answer_html(message, "", parts, self._labels)))
        if message.text:
            operations.append(PatchText(message.id, renderer.feed(message.text)))
        return operations

    def _write(self, pieces: list[str]) -> list[Operation]:
        text = "".join(pieces)
        if not text or self._answer is None:
            return []
        if not self._answer.message.text:
            self._answer.outdated.update({"steps", "reasoning"})
        self._change(text=self._answer.message.text + text)
        patches = self._answer.renderer.feed(text)
        return [PatchText(self._answer.message.id, patches)] if patches else []

    def _write_parts(self) -> list[Operation]:
        if self._answer is None or not self._answer.outdated:
            return []
        message, outdated = self._answer.message, self._answer.outdated
        self._answer.outdated = set()
        operations: list[Operation] = []
        if "steps" in outdated:
            html = steps_html(message.steps, self._labels, is_live=True)
            operations.append(SetPart(message.id, "steps", html))
        if "reasoning" in outdated:
            html = reasoning_html(message.reasoning, self._labels, is_live=not message.text)
            operations.append(SetPart(message.id, "reasoning", html))
        return operations

    def _end(self, message: Message) -> list[Operation]:
        answer, self._answer = self._answer, None
        shown = self._messages.get(message.id)
        self._messages[message.id] = message
        if answer is None or answer.message.id != message.id or shown is None or shown.text != message.text:
            return [SetMessage(message.id, self._html(message)), self._finish(message)]
        patches = answer.renderer.finish()
        rendered = RenderedMessage("", answer.renderer.cited, answer.renderer.unknown)
        parts = article_of(message, tuple(self._sources.values()), rendered, self._labels)
        return [
            PatchText(message.id, patches),
            *(SetPart(message.id, name, html) for name, html in asdict(parts).items()),
            self._finish(message),
        ]

    def _finish(self, message: Message) -> Operation:
        return Finish(message.id, self._labels.statuses.get(message.status, self._labels.finished))

    def _change(self, **fields: Any) -> None:
        assert self._answer is not None
        self._answer.message = replace(self._answer.message, **fields)
        self._messages[self._answer.message.id] = self._answer.message


def _script_words(labels: Labels) -> dict[str, Any]:
    names = (
        "language",
        "conversation",
        "lines",
        "copy_code",
        "wrap_code",
        "more_lines",
        "copied",
        "picture",
        "to_end",
    )
    return {name: getattr(labels, name) for name in names}
