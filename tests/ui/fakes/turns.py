"""Real turns: only what models say and what a search finds is scripted."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import UTC, datetime

from typing_extensions import override

from desktop.chat.api.engine import Question
from desktop.chat.checking.checker import WORDS_ALONE
from desktop.chat.emit import Emit, EmitStep
from desktop.chat.source_lookup import GatherRequest, SelectedModel
from desktop.chat.turn.runner import TurnRunner
from desktop.domain.events import StepFinished, StepStarted, TurnEvent
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    StreamEnded,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
)
from desktop.domain.sources import Ledger, Locator, Passage, Source, SourceKind
from desktop.domain.tools import Arguments, Tool, ToolEvents, ToolResult, always
from desktop.errors.servers import AuthFailed
from desktop.search.gather import GatherResult
from desktop.services.container import ServiceContainer
from desktop.services.models import Models, provider_secret
from desktop.services.turns import TurnService
from desktop.settings.model import ProviderSettings

WORDS = ("Tides ", "follow ", "the ", "moon ", "[1].")

SOURCE = Source(
    number=1,
    kind=SourceKind.WEB,
    key="https://example.org/tides",
    title="Tides",
    url="https://example.org/tides",
    host="example.org",
    locator=Locator(),
    text="Tides follow the moon and, less, the sun.",
    text_hash="",
    read_at=datetime(2026, 1, 1, tzinfo=UTC),
)


class ScriptedModels(Models):
    """Models that answer with `words`; while `is_gated`, each word passes only after `allow`.

    Before their first answer they make `calls` of tools. A key is right if it is “good”.
    """

    def __init__(self, services: ServiceContainer) -> None:
        self._services = services
        super().__init__(lambda: services.preferences.settings, services.preferences.secret, environ={})
        self.listed_models: tuple[ModelInfo, ...] = (
            ModelInfo(QUOTES_MODEL, "Quotes", ""),
            ModelInfo("ollama/qwen3:8b", "qwen3:8b", "Ollama"),
            ModelInfo("openai/gpt-5-mini", "gpt-5-mini", "OpenAI"),
            ModelInfo("openai/gpt-5", "gpt-5", "OpenAI"),
        )
        self.words = WORDS
        self.calls: tuple[ToolCall, ...] = ()
        self.is_gated = False
        self._gate = asyncio.Semaphore(0)

    async def allow(self, words: int) -> None:
        """Let so many words of gated answers pass."""
        for _ in range(words):
            self._gate.release()

    async def pass_gate(self) -> None:
        """Wait until one more word may pass."""
        if self.is_gated:
            await self._gate.acquire()

    @override
    async def models(self) -> tuple[ModelInfo, ...]:
        return self.listed_models

    @override
    async def test(self, provider: ProviderSettings, key: str | None) -> tuple[str, ...]:
        known = key or await self._secret(provider_secret(provider.id))
        if provider.needs_key and known != "good":
            raise AuthFailed(provider=provider.name, detail="")
        return ("small", "large")

    @override
    async def pick(self, model_id: str) -> SelectedModel:
        return SelectedModel(self, model_id, model_id)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Write the answer; what is no question wants a title."""
        if not request.question:
            yield TextDelta("Made by a model")
        elif request.tools and all(message.role != "tool" for message in request.messages):
            for index, call in enumerate(self.calls):
                yield ToolCallDelta(index, call.id, call.name, call.arguments)
            yield StreamEnded(FinishReason.TOOL_CALLS)
            return
        else:
            for word in self.words:
                await self.pass_gate()
                yield TextDelta(word)
        yield StreamEnded(FinishReason.STOP)


class ScriptedTurns(TurnService):
    """Real turns of scripted models, with one page for every question. A procedure writes what the models say."""

    def __init__(self, services: ServiceContainer, models: ScriptedModels) -> None:
        super().__init__(
            self._runner_of, services.egress_log.egress_context, services.question_journal.forget
        )
        self._services = services
        self._models = models
        self._made: TurnRunner | None = None
        self.questions: list[Question] = []

    def _runner_of(self) -> TurnRunner:
        if self._made is None:
            vars(self._services)["claim_judges"] = lambda: WORDS_ALONE
            self._made = self._services.turns
            vars(self._made).update(_gather=self._gather, _tools=self._tools)
            vars(self._services.procedures)["work"] = self._work
        return self._made

    async def _gather(self, _request: GatherRequest, emit: EmitStep) -> GatherResult:
        step = Step(1, StepKind.SEARCH, "tides")
        await emit(StepStarted(step))
        await emit(StepFinished(Step(1, StepKind.SEARCH, "tides", StepStatus.DONE, 1)))
        return GatherResult((Passage(SOURCE.kind, SOURCE.title, SOURCE.text, SOURCE.url),))

    async def _tools(self, _request: GatherRequest, _ledger: Ledger) -> tuple[Tool, ...]:
        async def run(_arguments: Arguments) -> ToolEvents:
            yield ToolResult("Done.")

        names = dict.fromkeys(call.name for call in self._models.calls)
        return tuple(Tool(ToolSpec(name, "", {"type": "object"}), run, "Files", always) for name in names)

    async def _work(self, _request: GatherRequest, _answer: object, _ledger: Ledger, emit: Emit) -> None:
        for word in self._models.words:
            await self._models.pass_gate()
            await emit(TextDelta(word))

    @override
    def ask(self, question: Question) -> AsyncIterator[TurnEvent]:
        self.questions.append(question)
        return super().ask(question)
