"""Turns for a window: the services they need are created with the first turn, on the asyncio thread."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.engine import Question, Turns
from desktop.chat.emit import Emit, stream
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import CheckEvent, TurnEvent
from desktop.domain.procedures import ProcedureCommand, StartOutline
from desktop.domain.tools import Consent
from desktop.settings.egress import EgressContext, on

if TYPE_CHECKING:  # it imports heavy services
    from desktop.chat.turn.runner import TurnRunner


class TurnService(Turns):
    """Runs turns in their egress context. `egress_context` returns what may leave the machine.

    `forget_question` is called with the id of a question once the conversation store has it.
    """

    def __init__(
        self,
        runner: Callable[[], "TurnRunner"],
        egress_context: Callable[[str, bool], Awaitable[EgressContext]],
        forget_question: Callable[[str], None],
    ) -> None:
        self._runner = runner
        self._forget_question = forget_question
        self._egress_context = egress_context

    @override
    def ask(self, question: Question) -> AsyncIterator[TurnEvent]:
        """Answer a question; the first event comes when question and answer are on disk."""
        return stream(partial(self._ask, question))

    @override
    def go_on(
        self,
        conversation_id: str,
        message_id: str,
        model: str,
        assistant: Assistant = GENERAL,
        outline: StartOutline | None = None,
    ) -> AsyncIterator[TurnEvent]:
        async def run(emit: Emit) -> None:
            with on(await self._egress_context(conversation_id, False)):
                await self._runner().go_on(
                    conversation_id, message_id, model, emit, assistant=assistant, outline=outline
                )

        return stream(run)

    @override
    def check(
        self, conversation_id: str, message_id: str, *, by_words: bool = False
    ) -> AsyncIterator[CheckEvent]:
        async def run(emit: Callable[[CheckEvent], Awaitable[None]]) -> None:
            with on(await self._egress_context(conversation_id, False)):
                await self._runner().checks().check(conversation_id, message_id, emit, by_words=by_words)

        return stream(run)

    @override
    def answer_with_models(
        self, conversation_id: str, message_id: str, models: tuple[str, ...], assistant: Assistant = GENERAL
    ) -> AsyncIterator[TurnEvent]:
        async def run(emit: Emit) -> None:
            with on(await self._egress_context(conversation_id, False)):
                await self._runner().answer_with_models(conversation_id, message_id, models, emit, assistant)

        return stream(run)

    @override
    async def stop_one(self, message_id: str) -> None:
        await self._runner().stop_one(message_id)

    @override
    async def skip_wait(self, message_id: str) -> None:
        await self._runner().skip_wait(message_id)

    @override
    async def decide(self, question_id: str, consent: Consent) -> None:
        await self._runner().decide(question_id, consent)

    @override
    async def steer(self, message_id: str, wish: ProcedureCommand) -> None:
        await self._runner().steer(message_id, wish)

    async def _ask(self, question: Question, emit: Emit) -> None:
        def forget() -> None:
            if question.message_id:
                self._forget_question(question.message_id)

        stays_here = await self._has_to_stay(question)
        with on(await self._egress_context(question.conversation_id, stays_here)):
            await self._runner().run(question, emit, forget)

    async def _has_to_stay(self, question: Question) -> bool:
        """Say whether a question keeps its conversation here, including by citing a conversation kept here."""
        cited = {past.conversation_id for past in question.past}
        return question.stays_here or any(
            [(await self._egress_context(each, False)).stays_here for each in cited]
        )
