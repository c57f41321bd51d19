"""The researches that run: begun and resumed for answers, and steered by the person meanwhile."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import date
from functools import partial

from desktop.chat.answer import GrowingAnswer
from desktop.chat.assistants import chat_settings
from desktop.chat.lookup import GatherEvents, GatherRequest
from desktop.chat.research.bench import Bench, ResearchEvent
from desktop.chat.research.control import Control
from desktop.chat.research.run import research
from desktop.domain.models import UsageReported
from desktop.domain.research import Depth, Place, Research, ResearchWish
from desktop.domain.search import WEB_OFF
from desktop.domain.sources import Ledger
from desktop.domain.trace import Trace
from desktop.errors import NowhereToLook
from desktop.search.intent import Intent
from desktop.settings.model import Settings

LookUpFor = Callable[[GatherRequest, Intent, str], GatherEvents]


class ResearchDesk:
    """Knows the controls of all researches that run, by the id of their answer."""

    def __init__(self, look_up: LookUpFor, settings: Callable[[], Settings]) -> None:
        self._look_up = look_up
        self._settings = settings
        self._controls: dict[str, Control] = {}

    def take(self, message_id: str, wish: ResearchWish) -> None:
        """Pass on what the person wants; a research that is over hears nothing any more."""
        if control := self._controls.get(message_id):
            control.take(wish)

    async def work(
        self, request: GatherRequest, answer: GrowingAnswer, ledger: Ledger, depth: Depth
    ) -> AsyncGenerator[ResearchEvent, None]:
        """Carry out the research for an answer, from where it stands.

        Raises:
            NowhereToLook: the question allows no place.
            ProviderError: the model failed; the research can be resumed.
        """
        question = request.question
        confirms = question.confirms_plan
        fresh = Research(question.text, depth, question.web, question.bases, confirms=confirms)
        state = answer.message.research or fresh
        control = self._controls[answer.message.id] = Control()
        chat = chat_settings(self._settings().chat, question.assistant)
        message, store = answer.message, answer.store
        bench = Bench(
            picked=request.picked,
            look_up=partial(self._look_up, request),
            places=_places(request),
            web=question.web,
            ledger=ledger,
            log=answer.log,
            keep=partial(store.save_sources, message.conversation_id),
            today=date.today(),  # noqa: DTZ011 (the person's own calendar is meant)
            window=request.picked.window(chat),
            control=control,
            history=request.history,
            manner=question.assistant.prompt,
            keep_trace=partial(store.save_trace, message.id),
            trace=await store.trace(message.id) or Trace(),
            answer_so_far=message.text,
            used=message.usage or UsageReported(),
            effort=chat.effort,
        )
        try:
            async with aclosing(research(state, bench)) as events:
                async for event in events:
                    yield event
        finally:
            del self._controls[answer.message.id]


def _places(request: GatherRequest) -> tuple[Place, ...]:
    question = request.question
    places: list[Place] = []
    if question.web != WEB_OFF:
        places += [Place.WEB, Place.WIKIPEDIA]
    if question.bases or question.files or any(message.attachments for message in request.history):
        places.append(Place.FILES)
    if not places:
        raise NowhereToLook
    return tuple(places)
