"""Which tools a model may use for a question."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from desktop.chat.assistants import chat_settings
from desktop.chat.lookup import GatherRequest, Lookup, Window
from desktop.chat.tools.builtin import knowledge_search, read_page, web_search, wikipedia_search
from desktop.chat.tools.remember import Keep, remember
from desktop.domain.messages import Message, Speaker
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.search import WEB_OFF
from desktop.domain.sources import Ledger
from desktop.domain.tools import Tool
from desktop.settings.model import Settings

_RESULT_SHARE = 0.25
_LEAST_RESULT_TOKENS = 500


def result_tokens(window: Window) -> int:
    """Return how much of a model's window the result of one call may fill."""
    return max(_LEAST_RESULT_TOKENS, int(window.context_tokens * _RESULT_SHARE))


class Toolset:
    """Our own tools as far as the question's switches allow them, and those of the person's servers."""

    def __init__(
        self,
        *,
        lookup: Lookup,
        settings: Callable[[], Settings],
        servers: Callable[[], Awaitable[tuple[Tool, ...]]],
        keep: Keep | None = None,
        problems: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """`problems` says why some of the `servers` gave no tools when they were last asked."""
        self._problems = problems
        self._keep = keep
        self._lookup = lookup
        self._settings = settings
        self._servers = servers

    def problems(self, request: GatherRequest) -> tuple[str, ...]:
        """Return, after `tools`, what the person should know of those that are missing."""
        return self._problems() if self._is_wanted(request) else ()

    def _is_wanted(self, request: GatherRequest) -> bool:
        chat = chat_settings(self._settings().chat, request.question.assistant)
        return chat.uses_tools and request.picked.id != QUOTES_MODEL

    async def tools(self, request: GatherRequest, ledger: Ledger) -> tuple[Tool, ...]:
        """Return the tools for a question."""
        question = request.question
        chat = chat_settings(self._settings().chat, question.assistant)
        if not self._is_wanted(request):
            return ()
        look_up = partial(
            self._lookup.look_up, replace(request, budget_tokens=result_tokens(request.picked.window(chat)))
        )
        tools: list[Tool] = []
        if question.web != WEB_OFF:
            tools.append(web_search(look_up, question.web))
            tools.append(wikipedia_search(look_up))
            tools.append(read_page(look_up, partial(_is_known, request, ledger)))
        if question.bases or question.files or any(message.attachments for message in request.history):
            tools.append(knowledge_search(look_up))
        if self._keep is not None and question.uses_memory and self._settings().memory.is_on:
            said = (question.text, *_words_of_person(request.history))
            tools.append(remember(self._keep, said))
        offered = (*tools, *await self._servers())
        return tuple(tool for tool in offered if question.assistant.may_use(tool.spec.name, tool.server))


def _is_known(request: GatherRequest, ledger: Ledger, address: str) -> bool:
    """Say whether an address stands, letter by letter, where the model may have read it.

    One that does not may carry words of the conversation to whoever made the model write it.
    """
    said = (request.question.text, *_words_of_person(request.history))
    if any(address in text for text in said):
        return True
    return any(address == source.url or address in source.text for source in ledger.sources)


def _words_of_person(history: tuple[Message, ...]) -> tuple[str, ...]:
    return tuple(message.text for message in history if message.speaker is Speaker.PERSON)
