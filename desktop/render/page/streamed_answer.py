"""An answer that reaches the page in pieces, its outdated parts, and placeholders for distant messages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from desktop.domain.messages import Message, Speaker
from desktop.domain.sources import Source
from desktop.render.labels import Labels
from desktop.render.page.article import name_of, reasoning_html, steps_html
from desktop.render.page.operations import (
    AppendReasoning,
    Cut,
    LetGo,
    Operation,
    Placeholder,
    PrependPlaceholders,
    SetPart,
)
from desktop.render.page.panel_parts import NO_WISHES, PendingCommands
from desktop.render.page.procedure_panels import procedure_html
from desktop.render.stream import Patch, StreamRenderer

FIRST_MESSAGES: Final = 8
"""Number of messages, from the end, that are rendered when a conversation opens."""

PIECE_CHARS: Final = 24_000
"""Length of text rendered at a time: about 25 ms of work, so that the page stays responsive."""


@dataclass
class StreamedAnswer:
    """An answer as it was shown last, and how much of its text the page has. After `end` no more text arrives.

    If `is_new`, it is streaming or has just ended; other answers come from the disk.
    """

    message: Message
    renderer: StreamRenderer
    written: int = 0
    """How much of the text the page has."""
    reasoned: int = 0
    """How much of the reasoning the page has."""
    is_new: bool = True
    has_ended: bool = False
    wishes: PendingCommands = NO_WISHES
    """Commands that its procedure has not confirmed yet."""
    outdated: set[str] = field(default_factory=set)
    """Parts that are outdated on the page."""

    @property
    def is_behind(self) -> bool:
        """Whether there is text that the page does not have yet."""
        return self.written < len(self.message.text)

    def show(self, message: Message, sources: Mapping[int, Source]) -> None:
        """Take the message as it is now, and mark the parts that are outdated by it."""
        before, self.message = self.message, message
        if (message.offered, message.known) != (before.offered, before.known):
            self.renderer.add_sources([sources[each] for each in message.offered if each in sources])
        if message.steps != before.steps:
            self.outdated.add("steps")
        if message.procedure is not before.procedure and message.procedure is not None:
            self.wishes = self.wishes.after(message.procedure)
            self.outdated.add("research")
        has_thought = len(message.reasoning) > len(before.reasoning)
        if message.spent != before.spent or (has_thought and not before.reasoning.strip()):
            self.outdated.add("reasoning")
        if message.text and not before.text:
            self.outdated.update({"steps", "reasoning"})

    def advance(self) -> tuple[Patch, ...]:
        """Render the next piece, and the end of the text if nothing follows."""
        piece = self.message.text[self.written : self.written + PIECE_CHARS]
        self.written += len(piece)
        patches = self.renderer.feed(piece) if piece else ()
        if self.has_ended and not self.is_behind:
            patches += self.renderer.finish()
        return patches

    def can_end_with(self, message: Message) -> bool:
        """Say whether what the page has is the beginning of `message`."""
        return message.text.startswith(self.message.text[: self.written])

    def end(self, message: Message, sources: Mapping[int, Source]) -> None:
        """Use the message as stored on disk; the rest of its text remains to be rendered."""
        self.show(message, sources)
        self.has_ended = True


def first_written(messages: Sequence[Message]) -> int:
    """Return the index of the first message to render at once: the last few, fewer if they are long."""
    first = len(messages)
    chars = 0
    while first > 0 and len(messages) - first < FIRST_MESSAGES and chars < PIECE_CHARS:
        first -= 1
        chars += len(messages[first].text)
    return first


def count_unchanged(before: Sequence[Message], after: Sequence[Message]) -> int:
    """Return how many messages at the start are the same in both."""
    return next(
        (n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new),
        min(len(before), len(after)),
    )


def placeholder_of(message: Message, labels: Labels) -> Placeholder:
    """Return the placeholder of a message."""
    is_question = message.speaker is Speaker.USER
    name = name_of(message, labels)
    # A wide character takes three bytes and two units, a narrow one takes one of each.
    size = len(message.text.encode("utf-8", "surrogatepass"))
    units = (len(message.text) + size) // 2
    return Placeholder(message.id, is_question, name, units, message.text.count("\n"))


def take_outdated_parts(
    writing: StreamedAnswer, sources: Mapping[int, Source], labels: Labels
) -> list[Operation]:
    """Return the outdated parts of an answer and mark them as up to date."""
    message, outdated = writing.message, writing.outdated
    writing.outdated = set()
    operations: list[Operation] = []
    if "research" in outdated:
        html = procedure_html(message, sources, labels, writing.wishes)
        operations.append(SetPart(message.id, "research", html))
    if "steps" in outdated:
        html = steps_html(message.steps, labels, is_live=True)
        operations.append(SetPart(message.id, "steps", html))
    if "reasoning" in outdated:
        html = reasoning_html(message, labels)
        operations.append(SetPart(message.id, "reasoning", html))
    elif len(message.reasoning) > writing.reasoned:
        operations.append(AppendReasoning(message.id, message.reasoning[writing.reasoned :]))
    writing.reasoned = len(message.reasoning)
    return operations


class Placeholders:
    """The messages of a conversation that are not rendered.

    These are older messages, whose placeholders the page receives gradually, and messages that it unloaded.
    """

    def __init__(self, message_ids: Iterable[str] = ()) -> None:
        self._unplaced = list(message_ids)
        """The oldest messages, of which the page does not even have placeholders yet."""
        self._ids = set(self._unplaced)
        self._may_let_go = True

    def __contains__(self, message_id: str) -> bool:
        """Say whether a message is not rendered."""
        return message_id in self._ids

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the messages that are not rendered."""
        return iter(self._ids)

    def __len__(self) -> int:
        """Return the number of messages that are not rendered."""
        return len(self._ids)

    @property
    def has_more(self) -> bool:
        """Whether the page lacks some placeholders."""
        return bool(self._unplaced)

    def discard(self, message_id: str) -> None:
        """Record that a message is rendered now."""
        self._ids.discard(message_id)

    def keep_written(self) -> None:
        """Unload nothing from now on."""
        self._may_let_go = False

    def release(self, messages: Iterable[Message], labels: Labels) -> list[Operation]:
        """Replace rendered messages with placeholders on the page."""
        far = [each for each in messages if each.id not in self._ids] if self._may_let_go else []
        self._ids.update(each.id for each in far)
        return [LetGo(tuple(placeholder_of(each, labels) for each in far))] if far else []

    def more(self, messages: Mapping[str, Message], labels: Labels, count: int = 0) -> list[Operation]:
        """Send the page placeholders for `count` more of the `messages`, newest first, or for all if 0."""
        start = max(0, len(self._unplaced) - count) if count else 0
        places = tuple(placeholder_of(messages[each], labels) for each in self._unplaced[start:])
        del self._unplaced[start:]
        return [PrependPlaceholders(places)] if places else []

    def cut(self, message_ids: Sequence[str], *, stays: bool) -> list[Operation]:
        """Forget the last messages, and remove from the page those that it has."""
        gone = set(message_ids)
        unplaced = set(self._unplaced)
        self._ids -= gone
        self._unplaced = [each for each in self._unplaced if each not in gone]
        first = next((each for each in message_ids if each not in unplaced), "")
        return [Cut(first, stays)] if first else []
