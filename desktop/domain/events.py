"""Events of a turn: the window, the command line and tests read the same events."""

from dataclasses import dataclass

from desktop.domain.citation_check import CitationCheck
from desktop.domain.messages import Message, Step
from desktop.domain.models import ReasoningDelta, TextDelta, ToolCall, UsageReported
from desktop.domain.procedures import Procedure
from desktop.domain.sources import PagesChecked, Source
from desktop.domain.trace import Trace


@dataclass(frozen=True)
class TurnStarted:
    """Both messages are on disk; no request has been sent yet."""

    question: Message
    answer: Message


@dataclass(frozen=True)
class StepStarted:
    """A step began."""

    step: Step


@dataclass(frozen=True)
class StepFinished:
    """A step ended; it has the same id as when it started."""

    step: Step


@dataclass(frozen=True)
class SourcesAdded:
    """The sources offered to the model now, both new and known, in the order of their numbers."""

    sources: tuple[Source, ...]


@dataclass(frozen=True)
class TraceReported:
    """The record of how the answer found its sources; it is on disk."""

    trace: Trace


@dataclass(frozen=True)
class ProcedureChanged:
    """The present state of a procedure; it is on disk."""

    procedure: Procedure


@dataclass(frozen=True)
class TextReplaced:
    """The text of the answer was replaced; later deltas are appended to the new text."""

    text: str


@dataclass(frozen=True)
class RoundStarted:
    """The model called tools for the `number`th time; at `limit` it must answer."""

    number: int
    limit: int


@dataclass(frozen=True)
class ToolCalled:
    """The model called a tool."""

    call: ToolCall


@dataclass(frozen=True)
class ToolAsks:
    """A tool needs the user's consent; the turn waits until `id` is answered.

    `server` is the tool's server, empty for built-in tools. With `insists`, a lasting consent is not enough:
    the user must agree to this call.
    """

    id: str
    call: ToolCall
    server: str = ""
    insists: bool = False


@dataclass(frozen=True)
class ToolReturned:
    """A tool returned; `text` is what the model reads."""

    call: ToolCall
    text: str
    is_error: bool = False


@dataclass(frozen=True)
class CheckAdvanced:
    """Progress of the citation check: how many citations have been compared with their sources."""

    message_id: str
    done: int
    total: int


@dataclass(frozen=True)
class CitationsChecked:
    """The citation check of an answer has ended; its result is on disk."""

    message_id: str
    check: CitationCheck


CheckEvent = CheckAdvanced | CitationsChecked
"""Events of a citation check."""


@dataclass(frozen=True)
class ThinkingEnded:
    """The model has stopped thinking for now; `seconds` is its total thinking time in this answer."""

    seconds: float


@dataclass(frozen=True)
class TurnFinished:
    """The answer is complete or was stopped; it is on disk."""

    message: Message


@dataclass(frozen=True)
class TurnFailed:
    """The turn failed; `message` holds the text so far and the error, and is on disk."""

    message: Message
    is_transient: bool = False


@dataclass(frozen=True)
class Beside:
    """An event of an answer that is written beside the usual one; `message_id` is the id of that answer."""

    message_id: str
    event: "TurnEvent"


TurnEvent = (
    TurnStarted
    | StepStarted
    | StepFinished
    | SourcesAdded
    | TraceReported
    | ReasoningDelta
    | TextDelta
    | ProcedureChanged
    | TextReplaced
    | RoundStarted
    | ToolCalled
    | ToolAsks
    | ToolReturned
    | UsageReported
    | ThinkingEnded
    | CheckAdvanced
    | CitationsChecked
    | PagesChecked
    | TurnFinished
    | TurnFailed
    | Beside
)
