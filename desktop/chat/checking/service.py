"""Checks the citations of an answer, in its turn or on request, and where its sources disagree."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from desktop.chat.answer_recorder import AnswerRecorder
from desktop.chat.checking.checker import (
    NO_MODEL,
    WORDS_ALONE,
    CheckProgress,
    ClaimJudges,
    JudgeModel,
    check,
    confirm_disagreements,
)
from desktop.chat.checking.disagreements import find_disagreements
from desktop.chat.emit import Emit
from desktop.chat.source_lookup import SelectedModel
from desktop.chat.step_log import StepLog
from desktop.domain.citation_check import (
    DOUBTED,
    CitationCheck,
    Disagreement,
)
from desktop.domain.events import (
    CheckAdvanced,
    CheckEvent,
    CitationsChecked,
    ProcedureChanged,
    StepFinished,
    StepStarted,
    TurnEvent,
)
from desktop.domain.messages import Message, Speaker, StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.privacy import EgressEvent
from desktop.domain.procedures import Phase, TextCheck
from desktop.domain.sources import Source, SourceKind
from desktop.errors import AppError, UnknownConversation
from desktop.phrases import pluralize, sentences, translatable
from desktop.settings import egress
from desktop.settings.model import Settings
from desktop.storage.conversation_store import ConversationStore

_MODEL_SHARE = 0.6
"""Share of a model's window that claims and excerpts can fill."""

_COMPARED = frozenset({SourceKind.WEB, SourceKind.FILE})
_MOST_COMPARED = 30
_MOST_DISAGREEMENTS = 8
"""How many sources are compared with one another, and how many of their disagreements are kept."""

_UNSUPPORTED = (
    translatable("{count} citation is not clearly supported by its source."),
    translatable("{count} citations are not clearly supported by their sources."),
)


class CitationCheckService:
    """Checks citations with the models that the settings select."""

    def __init__(
        self,
        *,
        store: ConversationStore,
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        settings: Callable[[], Settings],
        judges: Callable[[], ClaimJudges] = lambda: WORDS_ALONE,
    ) -> None:
        self._judges = judges
        self._store = store
        self._pick_model = pick_model
        self._settings = settings

    def before_done(self, answer: AnswerRecorder, emit: Emit) -> Emit:
        """Return a sink that checks the citations of an answer before its procedure is reported as done."""

        async def check_before_done(event: TurnEvent) -> None:
            if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.DONE:
                await emit(ProcedureChanged(replace(event.procedure, phase=Phase.CHECKING)))
                await self.check_new(answer, emit)
            await emit(event)

        return check_before_done

    async def check_new(self, answer: AnswerRecorder, emit: Emit) -> None:
        """Check an answer with complete text; without citations there is no step."""
        answer.is_written = True
        message = answer.as_it_stands()
        sources = (await answer.store.load(message.conversation_id)).sources
        started: StepStarted | None = None

        async def show(event: CheckEvent) -> None:
            nonlocal started
            if started is None and isinstance(event, CheckAdvanced) and event.total:
                started = answer.log.start(StepKind.CHECK)
                await emit(started)
            if started is None:
                return
            await emit(event)
            if isinstance(event, CitationsChecked):
                await emit(_finish(answer.log, started, event.check))

        await self._check(message, answer.asked.text, sources, show)

    async def check(
        self,
        conversation_id: str,
        message_id: str,
        emit: Callable[[CheckEvent], Awaitable[None]],
        *,
        by_words: bool = False,
    ) -> None:
        """Check a stored answer and store the result.

        With `by_words` no model is asked, no progress is reported, and an answer without citations stays unchecked,
        as does one of Quotes, unless its sources disagree.

        Raises:
            UnknownConversation: the conversation or the answer does not exist.
        """
        store = self._store
        conversation = await store.load(conversation_id)
        message = next((one for one in conversation.messages if one.id == message_id), None)
        if message is None:
            raise UnknownConversation
        if isinstance(message.procedure, TextCheck) and message.check is not None:
            await emit(CitationsChecked(message_id, message.check))  # it says more than this check would
            return

        async def store_check(event: CheckEvent) -> None:
            if isinstance(event, CitationsChecked):
                found = event.check
                if by_words and not (found.marks or found.unknown or found.disagreements):
                    return
                await store.save_check(message_id, event.check)
            elif by_words:
                return
            await emit(event)

        sent: list[EgressEvent] = []
        with egress.collect(sent):
            asked = _question_of(message, conversation.messages)
            await self._check(message, asked, conversation.sources, store_check, by_words=by_words)
        await store.add_sent(message_id, sent)

    async def _check(
        self,
        message: Message,
        asked: str,
        sources: Sequence[Source],
        emit: Callable[[CheckEvent], Awaitable[None]],
        *,
        by_words: bool = False,
    ) -> None:
        sources = message.sources_among(sources)
        differing = await compare_sources(asked, sources)
        if by_words and message.model == QUOTES_MODEL and not differing:
            return  # its sentences are copies of their sources
        examiner, problem = (None, "") if by_words else await self._examiner(message.model)
        judges = replace(self._judges(), chosen=None) if by_words else self._judges()
        if examiner is not None and differing:
            differing, failure = await confirm_disagreements(differing, sources, examiner)
            problem = problem or failure
        async with aclosing(check(message.text, sources, examiner, judges)) as events:
            async for event in events:
                if isinstance(event, CheckProgress):
                    await emit(CheckAdvanced(message.id, event.done, event.total))
                else:
                    found = event if problem in event.problem else event.with_problem(problem)
                    found = replace(found, disagreements=differing)
                    await emit(CitationsChecked(message.id, found))

    async def _examiner(self, model_id: str) -> tuple[JudgeModel | None, str]:
        """Return the model that judges citations, if one is enabled, or why it is unavailable."""
        chat = self._settings().chat
        wanted = chat.small_model or model_id
        if not chat.checks_with_model or wanted in {"", QUOTES_MODEL}:
            return None, ""
        try:
            picked = await self._pick_model(wanted)
        except AppError as error:
            return None, NO_MODEL.format(detail=error)
        return JudgeModel(picked, int(picked.window(chat).context_tokens * _MODEL_SHARE)), ""


def _question_of(message: Message, messages: Sequence[Message]) -> str:
    """Return the text of the question before an answer."""
    earlier = messages[: messages.index(message)]
    return next((each.text for each in reversed(earlier) if each.speaker is Speaker.USER), "")


async def compare_sources(question: str, sources: Sequence[Source]) -> tuple[Disagreement, ...]:
    """Return where web pages and files that an answer was given disagree, by their numbers."""
    compared = [source for source in sources if source.kind in _COMPARED][:_MOST_COMPARED]
    texts = [(source.title, source.text) for source in compared]
    found = await asyncio.to_thread(find_disagreements, question, texts)
    return tuple(
        replace(
            each,
            sources=tuple(tuple(compared[place - 1].number for place in places) for places in each.sources),
        )
        for each in found[:_MOST_DISAGREEMENTS]
    )


def _finish(log: StepLog, started: StepStarted, found: CitationCheck) -> StepFinished:
    doubtful = sum(found.count(support) for support in DOUBTED)
    words = pluralize(_UNSUPPORTED, doubtful) if doubtful else ""
    return log.finish(
        started,
        status=StepStatus.DEGRADED if found.problem else StepStatus.DONE,
        count=len(found.marks),
        detail=sentences((words, found.problem)),
    )
