"""Looks up what a question needs: takes in its files, then gathers from web, bases and memory."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from desktop.chat.attachments import Bases, attachment_base, take_in
from desktop.chat.ports import Question
from desktop.chat.steps import StepLog
from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.messages import Message, StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL, Model
from desktop.errors import KnowledgeError
from desktop.search.gather import Gathered, Inquiry, Places, gather
from desktop.search.gather_web import Reader, WebSearcher
from desktop.settings.model import Settings

GatherEvents = AsyncGenerator[StepStarted | StepFinished | Gathered, None]


@dataclass(frozen=True)
class PickedModel:
    """A model that is ready to be asked; `name` is what its provider calls it."""

    model: Model
    id: str
    name: str


@dataclass(frozen=True)
class GatherRequest:
    """What is to be looked up for a question; `budget_tokens` bounds the text of all passages."""

    question: Question
    history: tuple[Message, ...]
    picked: PickedModel
    budget_tokens: int


class Lookup:
    """Knows the rooms that are looked into."""

    def __init__(
        self,
        *,
        web: WebSearcher,
        reader: Reader,
        knowledge: Bases,
        pick_model: Callable[[str], Awaitable[PickedModel]],
        settings: Callable[[], Settings],
    ) -> None:
        self._web = web
        self._reader = reader
        self._knowledge = knowledge
        self._pick_model = pick_model
        self._settings = settings

    async def gather(self, request: GatherRequest) -> GatherEvents:
        """Yield every step as it begins and ends, and what was gathered last."""
        question, log = request.question, StepLog()
        scope = list(question.bases)
        if question.files or any(message.attachments for message in request.history):
            async for event in self._attach(question, scope, log):
                yield event
        inquiry = self._inquiry(request, scope, await self._deciding_model(request.picked))
        places = Places(self._reader, self._web, self._knowledge)
        offset = len(log.steps)
        async with aclosing(gather(inquiry, places)) as events:
            async for found in events:
                yield found if isinstance(found, Gathered) else _moved(found, offset)

    async def _attach(
        self, question: Question, scope: list[str], log: StepLog
    ) -> AsyncIterator[StepStarted | StepFinished]:
        """Read the files of the question and put the conversation's own base into `scope`."""
        try:
            base = await attachment_base(self._knowledge, question.conversation_id)
            scope.append(base.id)
            if question.files:
                async for event in take_in(self._knowledge, base, question.files, log):
                    yield event
        except KnowledgeError as error:
            started = log.start(StepKind.READ, ", ".join(path.name for path in question.files))
            yield started
            yield log.finish(started, status=StepStatus.FAILED, count=0, detail=str(error))

    async def _deciding_model(self, picked: PickedModel) -> PickedModel | None:
        """Return the model that decides what to look up; None leaves it to keywords."""
        small = self._settings().chat.small_model
        chosen = await self._pick_model(small) if small and small != picked.id else picked
        return None if chosen.id == QUOTES_MODEL else chosen

    def _inquiry(self, request: GatherRequest, scope: Sequence[str], model: PickedModel | None) -> Inquiry:
        settings = self._settings()
        return Inquiry(
            question=request.question.text,
            history=request.history,
            model=model.model if model else None,
            model_name=model.name if model else "",
            web=request.question.web,
            scope=tuple(scope),
            budget_tokens=request.budget_tokens,
            result_count=settings.search.result_count,
            passage_count=settings.knowledge.passage_count,
        )


def _moved(event: StepStarted | StepFinished, offset: int) -> StepStarted | StepFinished:
    """Number a step of the gathering behind the steps that came before it."""
    return replace(event, step=replace(event.step, id=event.step.id + offset))
