"""Conversations and messages, and their placement in the list: folders, pins, colours, the archive."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from desktop.domain.citation_check import CitationCheck
from desktop.domain.models import UsageReported
from desktop.domain.privacy import EgressEvent
from desktop.domain.procedures import Procedure
from desktop.domain.sources import NumberRanges, Source, numbers_in, ranges_of


class LabelColor(StrEnum):
    """A colour chosen by the user; the theme decides how it looks."""

    NONE = ""
    RED = "red"
    ORANGE = "orange"
    YELLOW = "yellow"
    GREEN = "green"
    TEAL = "teal"
    BLUE = "blue"
    PURPLE = "purple"


@dataclass(frozen=True)
class Folder:
    """A folder of conversations; folders are not nested."""

    id: str
    name: str
    tint: LabelColor = LabelColor.NONE
    is_open: bool = True
    position: int = 0
    """Its position among the folders, from 1; 0 until the user moves it: then it comes first, sorted by name."""


@dataclass(frozen=True)
class Placement:
    """The placement of a conversation in the list. `folder` is an id, empty outside all folders."""

    is_pinned: bool = False
    folder: str = ""
    tint: LabelColor = LabelColor.NONE
    is_archived: bool = False


@dataclass(frozen=True)
class PlacementChange:
    """A change to the placement of conversations; None leaves a field as it is."""

    is_pinned: bool | None = None
    folder: str | None = None
    tint: LabelColor | None = None
    is_archived: bool | None = None

    def of(self, place: Placement) -> Placement:
        """Return `place` with the change applied."""
        wanted = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(place, **{name: value for name, value in wanted.items() if value is not None})


OUTSIDE: Final = Placement()
"""The placement of a conversation that the user has not moved."""


class Speaker(StrEnum):
    """The author of a message."""

    USER = "user"
    MODEL = "assistant"


class MessageStatus(StrEnum):
    """The state of a message. `STREAMING` on disk means that the program crashed while it was written."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    FAILED = "failed"


class StepKind(StrEnum):
    """The kind of a step."""

    INTENT = "intent"
    SEARCH = "search"
    READ = "read"
    KNOWLEDGE = "knowledge"
    MEMORY = "memory"
    TOOL = "tool"
    PLAN = "plan"
    JUDGE = "judge"
    CHECK = "check"
    CONTEXT = "context"
    ANSWER = "answer"
    RETRY = "retry"


class StepStatus(StrEnum):
    """How a step ended: a `DEGRADED` step succeeded only partly, as `detail` says."""

    RUNNING = "running"
    DONE = "done"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True)
class Step:
    """A visible step of a turn.

    `subject` is what it works on (a query, an engine, a host); `count` is the number of results, pages or
    passages; `detail` says in plain words what went wrong or was left out. For a tool call, `arguments` is the
    beginning of the arguments and `result` the beginning of the text that the model read.
    """

    id: int
    kind: StepKind
    subject: str = ""
    status: StepStatus = StepStatus.RUNNING
    count: int | None = None
    detail: str = ""
    arguments: str = ""
    result: str = ""


@dataclass(frozen=True)
class AnswerCost:
    """Usage of an answer beside tokens; `cost` and `input_cost` (of the prompt) are None if no price is known.

    `sent` is what was sent to other machines for it, one event for each host and channel; None if that was not
    recorded.
    """

    seconds: float = 0.0
    thinking_s: float = 0.0
    cost: float | None = None
    currency: str = ""
    input_cost: float | None = None
    sent: tuple[EgressEvent, ...] | None = None


@dataclass(frozen=True)
class TokenPrice:
    """The mean price of one token of an answer, cached or not."""

    amount: float
    currency: str


class SettingsPage(StrEnum):
    """The settings page, by id, where the user can act on an error or a missing answer."""

    NONE = ""
    MODELS = "models"
    SEARCH = "search"
    NETWORK = "network"
    TOOLS = "tools"
    KNOWLEDGE = "knowledge"


class AnswerRole(StrEnum):
    """The role of an answer among those to the same question.

    The conversation continues with the usual one. `COMPARED` answers stand beside it until the user continues
    with one of them; the others then become `LEFT`.
    """

    USUAL = ""
    COMPARED = "compared"
    LEFT = "left"


@dataclass(frozen=True)
class Message:
    """A message. `offered` are the numbers of the sources that it was given."""

    id: str
    conversation_id: str
    speaker: Speaker
    text: str
    created_at: datetime
    status: MessageStatus = MessageStatus.COMPLETE
    model: str = ""
    reasoning: str = ""
    steps: tuple[Step, ...] = ()
    offered: tuple[int, ...] = ()
    usage: UsageReported | None = None
    error: str = ""
    attachments: tuple[str, ...] = ()
    """Paths of the attached files, for display; the files to read are in `files`."""
    is_foreign: bool = False
    """Whether it was imported from a file: its paths are then no proof of permission to read the files."""
    procedure: Procedure | None = None
    """State of the procedure that takes the place of an ordinary answer, if any."""
    check: CitationCheck | None = None
    """The result of its citation check, if there was one."""
    spent: AnswerCost | None = None
    standing: AnswerRole = AnswerRole.USUAL
    variants: tuple[str, ...] = ()
    """Ids of this message and of its alternatives, in the order of creation; or empty."""
    settings_page: SettingsPage = SettingsPage.NONE
    """The settings page where the user can act on its `error`, or get the answer that Quotes could not give."""
    is_damaged: bool = False
    """Whether part of it was damaged on the disk and is in no backup; `text` holds what is left."""
    is_reasoning_damaged: bool = False
    known: NumberRanges | None = field(default=None, compare=False)
    """Source numbers that its marks may refer to: those known when it was written. None: not recorded, any number."""

    def knows(self, number: int) -> bool:
        """Return whether a mark of `number` may refer to the source that has this number now."""
        return self.known is None or any(first <= number <= last for first, last in self.known)

    def sources_among(self, sources: Iterable[Source]) -> tuple[Source, ...]:
        """Return those of a conversation's `sources` that its marks may refer to."""
        return tuple(source for source in sources if self.knows(source.number))

    def with_sources(self, sources: Iterable[Source]) -> "Message":
        """Return the message with further sources added to those it was given."""
        numbers = [source.number for source in sources]
        known = None if self.known is None else ranges_of((*numbers_in(self.known), *numbers))
        return replace(self, offered=tuple(dict.fromkeys((*self.offered, *numbers))), known=known)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the user attached."""
        return () if self.is_foreign else tuple(map(Path, self.attachments))

    @property
    def token_price(self) -> TokenPrice | None:
        """The mean price of an input token; None if unknown."""
        if (
            self.spent is None
            or self.spent.input_cost is None
            or not (self.usage and self.usage.input_tokens)
        ):
            return None
        return TokenPrice(self.spent.input_cost / self.usage.input_tokens, self.spent.currency)


@dataclass(frozen=True)
class ConversationInfo:
    """A conversation as shown in the list. `assistant` is an assistant's id, empty for the default."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    assistant: str = ""
    place: Placement = OUTSIDE


@dataclass(frozen=True)
class Conversation:
    """A whole conversation: its messages in order, its sources by number.

    Sources whose numbers are `pinned` are given to the model with every question.
    """

    info: ConversationInfo
    messages: tuple[Message, ...]
    sources: tuple[Source, ...]
    pinned: tuple[int, ...] = ()


def offered_numbers(messages: Iterable[Message]) -> NumberRanges:
    """Return the numbers of the sources that `messages` were given, which an answer to them may cite."""
    return ranges_of(number for message in messages for number in message.offered)


def with_known_numbers(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages of a conversation, in order, each with the numbers that its marks may refer to.

    For old answers without recorded numbers these are all numbers up to the highest one offered before their
    question or to them: numbers are assigned in order, and the message that offered a lower one may have been
    deleted.
    """
    if all(message.known is not None or message.speaker is Speaker.USER for message in messages):
        return tuple(messages)
    before = since = 0
    found: list[Message] = []
    for message in messages:
        before = since if message.speaker is Speaker.USER else before
        highest = max((before, *message.offered))
        since = max(since, highest)
        is_missing = message.known is None and message.speaker is Speaker.MODEL
        found.append(replace(message, known=((1, highest),) if highest else ()) if is_missing else message)
    return tuple(found)


def main_branch(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages of the main branch, with which the conversation continues."""
    return tuple(message for message in messages if message.standing is AnswerRole.USUAL)


def retire_answers(messages: Iterable[Message]) -> list[Message]:
    """Return the answers that were compared until now, marked as left behind."""
    return [
        replace(each, standing=AnswerRole.LEFT) for each in messages if each.standing is AnswerRole.COMPARED
    ]
