"""Conversation titles made by a model, requested in the egress context of the conversation."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.conversations import Titles
from desktop.chat.titles import title_by, title_of
from desktop.domain.messages import Conversation, Speaker
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.privacy import EgressEvent
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.model import Settings
from desktop.storage.conversation_store import ConversationStore

if TYPE_CHECKING:  # it imports heavy services
    from desktop.services.models import Models


class TitleService(Titles):
    """Lets models write titles. `egress_context` returns what may leave the machine."""

    def __init__(
        self,
        store: ConversationStore,
        models: Callable[[], "Models"],
        settings: Callable[[], Settings],
        egress_context: Callable[[str], Awaitable[EgressContext]],
    ) -> None:
        self._store = store
        self._models = models
        self._settings = settings
        self._egress_context = egress_context

    @override
    async def suggest(self, conversation_id: str) -> str:
        """Return a title for a conversation; its first line if no model can make one."""
        conversation = await self._store.load(conversation_id)
        return await self._make_title(conversation) or _first_line(conversation)

    @override
    async def make(self, conversation_id: str) -> bool:
        """Set a title made by a model unless the user has set one; returns whether there is one."""
        title = await self._make_title(await self._store.load(conversation_id))
        if title:
            await self._store.set_title(conversation_id, title)
        return bool(title)

    async def _make_title(self, conversation: Conversation) -> str:
        answering = (message.model for message in reversed(conversation.messages) if message.model)
        model = self._settings().chat.small_model or next(answering, QUOTES_MODEL)
        if model == QUOTES_MODEL:
            return ""  # it has no text of its own
        sent: list[EgressEvent] = []
        answers = (each.id for each in reversed(conversation.messages) if each.speaker is Speaker.MODEL)
        try:
            with egress.on(await self._egress_context(conversation.info.id)), egress.collect(sent):
                return await title_by(await self._models().pick(model), conversation)
        finally:
            if answer := next(answers, ""):
                await self._store.add_sent(answer, sent)


def _first_line(conversation: Conversation) -> str:
    asked = (message.text for message in conversation.messages if message.speaker is Speaker.USER)
    return title_of(next(filter(None, asked), ""))
