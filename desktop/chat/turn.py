"""One turn: intent → gather → number → prompt → stream → store, as one async iterator of events."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from desktop.chat.album import OF_QUESTION, Album, Pictures, open_album, worded
from desktop.chat.answer import GrowingAnswer, new_messages, recorded
from desktop.chat.assistants import chat_settings
from desktop.chat.checking.desk import CheckDesk
from desktop.chat.consents import Consents
from desktop.chat.lookup import GatherEvents, GatherRequest, PickedModel, Window
from desktop.chat.ports import Question
from desktop.chat.prompt import PICTURE_TOKENS, Prompt, build_prompt, continued, reference_budget
from desktop.chat.record import completed, extended, pinned_sources
from desktop.chat.research.desk import ResearchDesk
from desktop.chat.steps import StepLog
from desktop.chat.titles import title_of
from desktop.chat.tools.rounds import Bench, RoundEvent, answer_with_tools
from desktop.chat.tools.tags import TaggedModel
from desktop.chat.toolset import result_tokens
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import (
    CheckEvent,
    ResearchChanged,
    SourcesAdded,
    StepFinished,
    TraceReported,
    TurnEvent,
)
from desktop.domain.messages import Conversation, Message, MessageStatus, StepKind, StepStatus
from desktop.domain.models import Ability, ModelRequest
from desktop.domain.research import Depth, Phase, Research, ResearchWish
from desktop.domain.sources import Ledger, Source
from desktop.domain.tools import Consent, Tool
from desktop.domain.trace import Trace
from desktop.errors import ToolsRefused
from desktop.phrases import phrase
from desktop.search.gather import Gathered
from desktop.settings.model import ChatSettings, Settings
from desktop.storage.conversations import ConversationStore
from desktop.text.tokens import estimate_tokens

_PINNED = phrase("Sources that you keep for further questions: {count}.")
_TURNS_LEFT_OUT = phrase("Earlier questions left out: {count}.")
_SOURCES_LEFT_OUT = phrase("Sources left out: {count}.")


class TurnRunner:
    """Answers questions; see `desktop.chat.ports.Turns`."""

    def __init__(
        self,
        *,
        store: Callable[[], Awaitable[ConversationStore]],
        pick_model: Callable[[str], Awaitable[PickedModel]],
        gather: Callable[[GatherRequest], GatherEvents],
        settings: Callable[[], Settings],
        tools: Callable[[GatherRequest, Ledger], Awaitable[tuple[Tool, ...]]],
        consents: Consents,
        research: ResearchDesk,
        checks: CheckDesk,
    ) -> None:
        self._open_store = store
        self._pick_model = pick_model
        self._gather = gather
        self._settings = settings
        self._tools = tools
        self._consents = consents
        self._research = research
        self._checks = checks
        self._without_calls: set[str] = set()
        """Models that turned out not to call tools; they are asked to write tags."""

    async def decide(self, question_id: str, consent: Consent) -> None:
        """Answer a tool that asks."""
        self._consents.decide(question_id, consent)

    async def steer(self, message_id: str, wish: ResearchWish) -> None:
        """Pass on what the person wants of a research."""
        self._research.take(message_id, wish)

    async def check(self, conversation_id: str, message_id: str) -> AsyncGenerator[CheckEvent, None]:
        """Compare the citations of an answer with their sources."""
        async with aclosing(self._checks.check(conversation_id, message_id)) as events:
            async for event in events:
                yield event

    async def ask(self, question: Question) -> AsyncGenerator[TurnEvent, None]:
        """Answer a question. What the person typed is on disk before anything is sent."""
        store = await self._open_store()
        conversation = await store.load(question.conversation_id)
        asked, answer = new_messages(question)
        await store.add_message(asked)
        await store.add_message(answer)
        if not conversation.messages:
            named = question.text.strip() or ", ".join(path.name for path in question.files)
            await store.set_title(question.conversation_id, title_of(named))
        growing = GrowingAnswer(asked, answer, store)
        question = worded(question)
        if question.research:
            work = self._investigate(question, conversation, growing, question.research)
        else:
            work = self._answer(question, conversation, growing)
        async with aclosing(recorded(growing, self._checks.checked(work, growing))) as events:
            async for event in events:
                yield event

    async def go_on(
        self, conversation_id: str, message_id: str, model: str, assistant: Assistant = GENERAL
    ) -> AsyncGenerator[TurnEvent, None]:
        """Continue an answer that broke off, with the sources that it was given then."""
        store = await self._open_store()
        conversation = await store.load(conversation_id)
        position = [message.id for message in conversation.messages].index(message_id)
        answer = replace(
            conversation.messages[position], status=MessageStatus.STREAMING, error="", model=model, check=None
        )
        asked = conversation.messages[position - 1]
        await store.update_message(answer)
        growing = GrowingAnswer(asked, answer, store)
        for step in answer.steps:
            growing.log.record(StepFinished(step))
        files = tuple(map(Path, asked.attachments))
        question = worded(Question(asked.text, conversation_id, model, files=files, assistant=assistant))
        if answer.research is not None and answer.research.phase is Phase.CHECKING:
            work = _written(answer.research)
        elif answer.research is not None and answer.research.phase is not Phase.DONE:
            state = answer.research
            question = replace(question, web=state.web, bases=state.bases)
            before = replace(conversation, messages=conversation.messages[: position - 1])
            work = self._investigate(question, before, growing, state.depth)
        else:
            work = self._continue(question, growing, conversation, position)
        async with aclosing(recorded(growing, self._checks.checked(work, growing))) as events:
            async for event in events:
                yield event

    async def _answer(
        self, question: Question, conversation: Conversation, answer: GrowingAnswer
    ) -> AsyncGenerator[TurnEvent, None]:
        picked = await self._pick_model(question.model)
        answer.watch.price = picked.facts.price
        chat = self._chat(question)
        window = picked.window(chat)
        album = await open_album(question, conversation.messages, sees=Ability.IMAGES in picked.facts.has)
        ledger = Ledger.of(conversation.sources)
        pinned = pinned_sources(conversation, question.without)
        budget = max(0, _budget(question, window) - _taken(pinned, album))
        request = GatherRequest(replace(question, files=album.files), conversation.messages, picked, budget)
        sources, trace = pinned, Trace()
        async with aclosing(self._gather(request)) as events:
            async for event in events:
                if isinstance(event, Gathered):
                    numbers = ledger.register(event.passages)
                    sources = _distinct(ledger, [*(source.number for source in pinned), *numbers])
                    trace = event.trace
                else:
                    yield answer.log.record(event)
        prompt = _prompt(question, conversation.messages, sources, window, album.pictures)
        for note in _notes(album, pinned, prompt, answer.log):
            yield note
        if prompt.sources:
            await answer.store.save_sources(conversation.info.id, prompt.sources)
            yield SourcesAdded(prompt.sources)
        trace = completed(trace, pinned, prompt.sources)
        await answer.store.save_trace(answer.message.id, trace)
        yield TraceReported(trace)
        web = trace.web

        def smaller() -> ModelRequest:
            less = _prompt(question, conversation.messages, sources, window.half(), album.pictures)
            return replace(_request(picked, question, less, window.half(), chat), web=web)

        tools = await self._tools(request, ledger)
        bench = replace(self._bench(answer, ledger, tools, window, chat), smaller=smaller)
        model_request = replace(_request(picked, question, prompt, window, chat), web=web)
        async with aclosing(self._reply(picked, model_request, bench)) as replies:
            async for reply in replies:
                yield reply
                if isinstance(reply, SourcesAdded):
                    trace = extended(trace, reply.sources)
                    await answer.store.save_trace(answer.message.id, trace)
                    yield TraceReported(trace)

    async def _investigate(
        self, question: Question, conversation: Conversation, answer: GrowingAnswer, depth: Depth
    ) -> AsyncGenerator[TurnEvent, None]:
        """Answer by a research; one that broke off goes on."""
        picked = await self._pick_model(question.model)
        answer.watch.price = picked.facts.price
        budget = _budget(question, picked.window(self._chat(question)))
        request = GatherRequest(question, conversation.messages, picked, budget)
        ledger = Ledger.of(conversation.sources)
        async with aclosing(self._research.work(request, answer, ledger, depth)) as events:
            async for event in events:
                yield event

    async def _continue(
        self, question: Question, answer: GrowingAnswer, conversation: Conversation, position: int
    ) -> AsyncGenerator[TurnEvent, None]:
        picked = await self._pick_model(answer.message.model)
        answer.watch.price = picked.facts.price
        offered = set(answer.message.offered)
        sources = tuple(source for source in conversation.sources if source.number in offered)
        chat = self._chat(question)
        window = picked.window(chat)
        before = conversation.messages[: max(0, position - 1)]
        album = await open_album(question, before, sees=Ability.IMAGES in picked.facts.has)
        prompt = _prompt(question, before, sources, window, album.pictures)
        so_far = answer.message.text
        request = _request(picked, question, prompt, window, chat)
        if so_far:
            request = replace(request, messages=continued(prompt, so_far), answer_so_far=so_far)
        ledger = Ledger.of(conversation.sources)
        bench = self._bench(answer, ledger, (), window, chat)
        async with aclosing(self._reply(picked, request, bench)) as replies:
            async for event in replies:
                yield event

    def _chat(self, question: Question) -> ChatSettings:
        return chat_settings(self._settings().chat, question.assistant)

    def _bench(
        self,
        answer: GrowingAnswer,
        ledger: Ledger,
        tools: tuple[Tool, ...],
        window: Window,
        chat: ChatSettings,
    ) -> Bench:
        return Bench(
            tools=tools,
            ledger=ledger,
            log=answer.log,
            consents=self._consents,
            keep=partial(answer.store.save_sources, answer.message.conversation_id),
            limit=chat.tool_rounds,
            result_tokens=result_tokens(window),
            context_tokens=window.context_tokens,
        )

    async def _reply(
        self, picked: PickedModel, request: ModelRequest, bench: Bench
    ) -> AsyncGenerator[RoundEvent, None]:
        """Stream the model's answer; one that refuses tools is given them in writing."""
        if Ability.TOOLS not in picked.facts.lacks and picked.id not in self._without_calls:
            try:
                async with aclosing(answer_with_tools(picked, request, bench)) as events:
                    async for event in events:
                        yield event
            except ToolsRefused:
                self._without_calls.add(picked.id)
            else:
                return
        tagged = replace(picked, model=TaggedModel(picked.model))
        async with aclosing(answer_with_tools(tagged, request, bench)) as events:
            async for event in events:
                yield event


async def _written(research: Research) -> AsyncGenerator[TurnEvent, None]:
    """A research of which only the check of its citations is left."""
    yield ResearchChanged(replace(research, phase=Phase.DONE))


def _budget(question: Question, window: Window) -> int:
    """Return how many tokens of sources fit."""
    manner = question.assistant.prompt
    return reference_budget(question.text, window.context_tokens, window.answer_tokens, manner)


def _prompt(
    question: Question,
    history: Sequence[Message],
    sources: Sequence[Source],
    window: Window,
    pictures: Pictures,
) -> Prompt:
    return build_prompt(
        question.text,
        history,
        sources,
        context_tokens=window.context_tokens,
        answer_tokens=window.answer_tokens,
        today=date.today(),  # noqa: DTZ011 (the person's own calendar is meant)
        manner=question.assistant.prompt,
        pictures=pictures,
    )


def _request(
    picked: PickedModel, question: Question, prompt: Prompt, window: Window, chat: ChatSettings
) -> ModelRequest:
    return ModelRequest(
        model=picked.name,
        messages=prompt.messages,
        temperature=question.assistant.parameters.temperature,
        max_output_tokens=window.answer_tokens,
        effort="" if Ability.REASONING in picked.facts.lacks else chat.effort,
        question=question.text,
        references=prompt.sources,
    )


def _distinct(ledger: Ledger, numbers: Sequence[int]) -> tuple[Source, ...]:
    by_number = {source.number: source for source in ledger.sources}
    return tuple(by_number[number] for number in dict.fromkeys(numbers))


def _taken(pinned: Sequence[Source], album: Album) -> int:
    """Return how many tokens are spent before anything is looked up."""
    pictures = PICTURE_TOKENS * len(album.pictures.get(OF_QUESTION, ()))
    return pictures + sum(estimate_tokens(source.text) for source in pinned)


def _notes(album: Album, pinned: Sequence[Source], prompt: Prompt, log: StepLog) -> Iterator[TurnEvent]:
    """Say as steps which pictures the model does not see, what is kept for it and what did not fit its window."""
    for problem in album.problems:
        yield log.report(StepKind.READ, StepStatus.DEGRADED, problem)
    if pinned:
        yield log.report(StepKind.CONTEXT, StepStatus.DONE, _PINNED.format(count=len(pinned)))
    words = []
    if prompt.dropped_turns:
        words.append(_TURNS_LEFT_OUT.format(count=prompt.dropped_turns))
    if prompt.dropped_sources:
        words.append(_SOURCES_LEFT_OUT.format(count=len(prompt.dropped_sources)))
    if words:
        started = log.start(StepKind.CONTEXT)
        yield started
        yield log.finish(started, status=StepStatus.DEGRADED, detail=" ".join(words))
