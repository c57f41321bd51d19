"""Requests to language models and the events of their streams."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from desktop.domain.search import SearchStatus
from desktop.domain.sources import Source

QUOTES_MODEL = "quotes"
"""Id of the built-in model that needs no key and no network."""

Role = Literal["system", "user", "assistant", "tool"]


class Ability(StrEnum):
    """What a model can do besides answering a text with a text."""

    TOOLS = "tools"
    IMAGES = "images"
    FILES = "files"
    REASONING = "reasoning"
    SEARCH = "search"
    """Its server searches the web itself and reports what it cites."""


@dataclass(frozen=True)
class Price:
    """The price of a million tokens; cached tokens cost `cached` if that is known, else the normal price."""

    input: float
    output: float
    currency: str = "USD"
    cached: float | None = None


@dataclass(frozen=True)
class ModelFacts:
    """Facts about a model; None, and an ability in neither list, mean unknown."""

    context_tokens: int | None = None
    output_tokens: int | None = None
    price: Price | None = None
    has: tuple[Ability, ...] = ()
    lacks: tuple[Ability, ...] = ()

    def over(self, others: "ModelFacts") -> "ModelFacts":
        """Return these facts, with gaps filled from `others`."""
        said = {*self.has, *self.lacks}
        return ModelFacts(
            self.context_tokens or others.context_tokens,
            self.output_tokens or others.output_tokens,
            self.price or others.price,
            tuple(sorted({*self.has, *(set(others.has) - said)})),
            tuple(sorted({*self.lacks, *(set(others.lacks) - said)})),
        )

    def context_within(self, wanted_tokens: int) -> int:
        """Return the context size to use: `wanted_tokens`, limited to the model's window."""
        return min(wanted_tokens, self.context_tokens or wanted_tokens)


NO_FACTS = ModelFacts()


@dataclass(frozen=True)
class ModelInfo:
    """A model that can be selected. `id` is `provider/name`, or `quotes` for the built-in one."""

    id: str
    name: str
    provider: str
    facts: ModelFacts = NO_FACTS


@dataclass(frozen=True)
class ProviderTrial:
    """A step of the trial of a provider: `models` are the names that it lists, best first, `model` is the one that is asked."""

    models: tuple[str, ...]
    model: str
    has_answered: bool = False


@dataclass(frozen=True)
class ToolSpec:
    """A tool offered to a model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A complete call; `arguments` is the JSON text exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Image:
    """A picture for models that can see; `media_type` such as image/png. A `label` is said before it."""

    media_type: str
    data: bytes
    label: str = ""


@dataclass(frozen=True)
class Replay:
    """An item of a response that the server wants back, unchanged, with the results of the calls in it.

    Examples are signed thoughts and reasoning items: only the provider that created `item` reads it.
    """

    item: dict[str, Any]


@dataclass(frozen=True)
class PromptMessage:
    """One message as a provider sends it.

    `call_id` names the call that a tool message answers. `replay` holds further items from the model's server
    that belong to an assistant message beside its text and calls.
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    images: tuple[Image, ...] = ()
    replay: tuple[Replay, ...] = ()


@dataclass(frozen=True)
class ModelRequest:
    """One request to a model.

    `model` is the provider's own name of the model. `may_call` is false where `tools` only explain the calls in
    `messages`. `effort` is low, medium, high, or empty for the default of the model. `question`, `references`
    and `answer_so_far` repeat, apart from the prompt, the question, the passages shown and the answer to
    continue, for models that need no prompt. `web` is the outcome of the web search for it, None without a
    search; `has_unanswering_files` means that the user's files were searched and do not seem to answer the
    question. `searches` lets the model's server search the web by itself. `fields` are sent as they are,
    whatever the protocol. `shows_waits` means that the user sees the waits before retries; only then may they
    be long.
    """

    model: str
    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    may_call: bool = True
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    thinks: bool = True
    effort: str = ""
    question: str = ""
    references: tuple[Source, ...] = ()
    answer_so_far: str = ""
    web: SearchStatus | None = None
    has_unanswering_files: bool = False
    searches: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    shows_waits: bool = False


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    """A piece of the model's reasoning, shown apart from the answer."""

    text: str


@dataclass(frozen=True)
class ToolCallDelta:
    """A piece of a tool call; `index` distinguishes parallel calls, `id` and `name` may be sent only once."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True)
class UsageReported:
    """Token counts reported by the server; a later report in the same stream replaces an earlier one."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    written_s: float = 0.0
    """How many seconds the server took to write, 0 if it does not say: llama.cpp does."""

    def __add__(self, other: "UsageReported") -> "UsageReported":
        """Return the sum of the usage of several responses."""
        return UsageReported(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.written_s + other.written_s,
        )

    def cost(self, price: Price) -> float:
        """Return the cost of the tokens, in the price's currency."""
        return self.input_cost(price) + self.output_tokens * price.output / 1_000_000

    def input_cost(self, price: Price) -> float:
        """Return the cost of the input tokens, in the price's currency."""
        cached_price = price.input if price.cached is None else price.cached
        fresh = max(0, self.input_tokens - self.cached_tokens)
        return (fresh * price.input + self.cached_tokens * cached_price) / 1_000_000


@dataclass(frozen=True)
class CitedPage:
    """A page found by the model's server; `text` is the cited passage, if the server reports it."""

    url: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True)
class CitedPages:
    """The pages that support the text so far."""

    pages: tuple[CitedPage, ...]


@dataclass(frozen=True)
class ServerSearch:
    """Progress of a search by the model's server; `error` is the server's name for a failure."""

    id: str
    query: str = ""
    is_done: bool = False
    count: int | None = None
    error: str = ""


class FinishReason(StrEnum):
    """Why a stream ended, the same for all providers."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    REFUSED = "refused"


@dataclass(frozen=True)
class WishesLeftOut:
    """Request options that could not be sent to this model, by the names of the fields; the first event."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class MarkupLeftOut:
    """The model wrote tool-call markup or the like into its text; it is not shown and nothing was run."""


@dataclass(frozen=True)
class AnswerRemark:
    """Something that the user should know of how the model answered; before its first text."""

    text: str


@dataclass(frozen=True)
class RetryWaits:
    """The request failed for `reason` and is retried in `seconds_left` as attempt `attempt`; 0 means now.

    Sent every second; `id` is the id of the wait, which can be skipped.
    """

    id: str
    attempt: int
    attempts: int
    seconds_left: int
    reason: str


@dataclass(frozen=True)
class StreamEnded:
    """Last event of every stream that did not fail."""

    reason: FinishReason


ModelEvent = (
    TextDelta
    | ReasoningDelta
    | ToolCallDelta
    | CitedPages
    | ServerSearch
    | Replay
    | UsageReported
    | WishesLeftOut
    | MarkupLeftOut
    | AnswerRemark
    | RetryWaits
    | StreamEnded
)


class Model(Protocol):
    """A language model: a server behind an SDK, or the built-in quotes model."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield events; `StreamEnded` comes last, exactly once. Closing the generator closes the connection.

        Raises:
            ProviderError: while iterating; events yielded before stay valid.
        """
        ...


LOCAL_PROVIDER: Final = "local"
"""Id of their provider: `local/qwen3-4b` is a model of it."""


def file_name_of(model_id: str) -> str:
    """Return the id of a model; llama.cpp gives the path of its file, of which this is the last part."""
    return model_id.replace("\\", "/").rsplit("/", 1)[-1] if model_id.endswith(".gguf") else model_id


@dataclass(frozen=True)
class LocalModel:
    """A model that is offered for download, or a file of the user's own.

    `memory_bytes` is about what it takes while it runs, 0 if that is unknown. `received_bytes` are those of a
    download that was paused. With an `error`, in words, the model cannot be used; with a `warning` perhaps not now.
    """

    id: str
    name: str
    size_bytes: int = 0
    memory_bytes: int = 0
    licence: str = ""
    description: str = ""
    source: str = ""
    """The repository on the hub."""
    path: Path | None = None
    """The file, if it is here."""
    is_own: bool = False
    received_bytes: int = 0
    error: str = ""
    warning: str = ""

    @property
    def is_here(self) -> bool:
        """Whether it can be asked."""
        return self.path is not None and not self.error
