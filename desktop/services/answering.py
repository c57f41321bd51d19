"""Composition of the turn runner, which answers questions."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from desktop.chat.retries import Retries
from desktop.chat.source_lookup import SelectedModel, SourceLookup
from desktop.chat.tools.executor import Approvals
from desktop.chat.tools.toolset import Keep, Toolset
from desktop.chat.turn.runner import TurnRunner
from desktop.domain.messages import Message
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.services.tool_servers import ToolServerService
from desktop.settings.model import Settings
from desktop.storage.conversation_store import ConversationStore

if TYPE_CHECKING:  # most answers need none of them
    from desktop.chat.checking.service import CitationCheckService
    from desktop.chat.procedures.dispatcher import ProcedureDispatcher


def turn_runner(
    lookup: SourceLookup,
    *,
    store: ConversationStore,
    pick_model: Callable[[str], Awaitable[SelectedModel]],
    settings: Callable[[], Settings],
    knowledge: KnowledgeClient,
    servers: ToolServerService,
    keep: Keep,
    retries: Retries,
    keep_pages: Callable[[str, Message], None],
    procedures: Callable[[], "ProcedureDispatcher"],
    checks: Callable[[], "CitationCheckService"],
) -> TurnRunner:
    """Return the runner that answers with sources from `lookup`; `keep` stores facts that the user confirmed.

    `keep_pages` gets each answer once it is stored.
    """
    toolset = Toolset(
        lookup=lookup,
        settings=settings,
        servers=servers.tools,
        keep=keep,
        problems=lambda: servers.problems,
    )
    return TurnRunner(
        store=store,
        pick_model=pick_model,
        on_answered=keep_pages,
        retries=retries,
        gather=lookup.gather,
        settings=settings,
        tools=toolset.tools,
        tool_problems=toolset.problems,
        draw_page=knowledge.draw,
        consents=Approvals(lambda: dict(settings().chat.tool_consents)),
        procedures=procedures,
        checks=checks,
    )
