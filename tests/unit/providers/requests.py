"""What tests ask of providers, and how they collect the answer."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from desktop.domain.models import (
    CitedPage,
    CitedPages,
    FinishReason,
    ModelEvent,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    ServerSearch,
    StreamEnded,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    UsageReported,
    WishesLeftOut,
)
from desktop.errors import AppError
from desktop.providers.anthropic import AnthropicMessages
from desktop.providers.openai_responses import RESPONSES
from desktop.providers.openai_server import CHAT, OpenAIServer
from desktop.providers.registry import Provider
from desktop.providers.transport import PATIENCE, Timeouts
from desktop.settings.model import ProviderKind, ProviderSettings

KEY = "sk-canary-5f1e9d7c3b"
HELLO = ModelRequest("m-1", (PromptMessage("user", "Hello"),))


@asynccontextmanager
async def opened(
    base_url: str,
    kind: ProviderKind = "openai",
    *,
    key: str | None = KEY,
    id_: str = "test",
    models: tuple[str, ...] = (),
    timeouts: Timeouts = PATIENCE,
) -> AsyncIterator[Provider]:
    settings = ProviderSettings(id_, "Test", kind, base_url, models=models)
    provider: Provider
    if kind == "anthropic":
        provider = AnthropicMessages(settings, key, timeouts=timeouts)
    else:
        dialect = CHAT if kind == "openai" else RESPONSES
        provider = OpenAIServer(settings, key, dialect, timeouts=timeouts)
    try:
        yield provider
    finally:
        await provider.aclose()


@dataclass
class Answer:
    """A stream taken together."""

    text: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    cited: list[tuple[int, CitedPage]] = field(default_factory=list)
    """Pages, each with the length of the text that it stands behind."""
    searches: list[ServerSearch] = field(default_factory=list)
    usage: UsageReported | None = None
    reason: FinishReason | None = None
    error: AppError | None = None
    left_out: tuple[str, ...] = ()

    def take(self, event: ModelEvent) -> None:
        assert self.reason is None, "nothing may follow the end"
        match event:
            case TextDelta(text):
                self.text += text
            case ReasoningDelta(text):
                self.reasoning += text
            case ToolCallDelta(index, id_, name, arguments):
                while len(self.calls) <= index:
                    self.calls.append(ToolCall("", "", ""))
                known = self.calls[index]
                self.calls[index] = ToolCall(known.id + id_, known.name + name, known.arguments + arguments)
            case CitedPages(pages):
                self.cited += [(len(self.text), page) for page in pages]
            case ServerSearch():
                self.searches.append(event)
            case UsageReported():
                self.usage = event
            case WishesLeftOut(names):
                assert not self.text, "it comes first"
                self.left_out = names
            case StreamEnded(reason):
                self.reason = reason


async def ask(provider: Provider, request: ModelRequest = HELLO) -> Answer:
    """Collect the whole answer; an AppError ends up in `error`, anything else is raised."""
    answer = Answer()
    try:
        async with aclosing(provider.stream(request)) as events:
            async for event in events:
                answer.take(event)
    except AppError as error:
        answer.error = error
    return answer
