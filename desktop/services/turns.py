"""Turns for a window: the services they need are created with the first turn, on the asyncio thread."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop.chat.api.engine import Question
from desktop.chat.emit import Emit, stream
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import CheckEvent, TurnEvent
from desktop.domain.procedures import ProcedureCommand, StartOutline
from desktop.domain.tools import Consent
from desktop.settings.egress import EgressContext, on

if TYPE_CHECKING:  # it imports heavy services
    from desktop.chat.turn.runner import TurnRunner


class TurnService:
    """See `desktop.chat.api.engine.Turns`. `egress_context` returns what may leave the machine.

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

    def ask(self, question: Question) -> AsyncIterator[TurnEvent]:
        """Answer a question; the first event comes when question and answer are on disk."""
        return stream(partial(self._ask, question))

    def go_on(
        self,
        conversation_id: str,
        message_id: str,
        model: str,
        assistant: Assistant = GENERAL,
        outline: StartOutline | None = None,
    ) -> AsyncIterator[TurnEvent]:
        """Continue an interrupted answer, or rewrite a draft by another outline."""

        async def run(emit: Emit) -> None:
            with on(await self._egress_context(conversation_id, False)):
                await self._runner().go_on(
                    conversation_id, message_id, model, emit, assistant=assistant, outline=outline
                )

        return stream(run)

    def check(
        self, conversation_id: str, message_id: str, *, by_words: bool = False
    ) -> AsyncIterator[CheckEvent]:
        """Compare the citations of an answer with their sources."""

        async def run(emit: Callable[[CheckEvent], Awaitable[None]]) -> None:
            with on(await self._egress_context(conversation_id, False)):
                await self._runner().checks.check(conversation_id, message_id, emit, by_words=by_words)

        return stream(run)

    def answer_with_models(
        self, conversation_id: str, message_id: str, models: tuple[str, ...], assistant: Assistant = GENERAL
    ) -> AsyncIterator[TurnEvent]:
        """Let further models answer, side by side."""

        async def run(emit: Emit) -> None:
            with on(await self._egress_context(conversation_id, False)):
                await self._runner().answer_with_models(conversation_id, message_id, models, emit, assistant)

        return stream(run)

    async def stop_one(self, message_id: str) -> None:
        """Stop one of several answers."""
        await self._runner().stop_one(message_id)

    async def skip_wait(self, message_id: str) -> None:
        """Skip the wait before a retry of the request for an answer."""
        await self._runner().skip_wait(message_id)

    async def decide(self, question_id: str, consent: Consent) -> None:
        """Answer the consent request of a tool."""
        await self._runner().decide(question_id, consent)

    async def steer(self, message_id: str, wish: ProcedureCommand) -> None:
        """Start, pause, resume or end a research, or add a remark to it."""
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
