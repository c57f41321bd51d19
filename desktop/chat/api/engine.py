"""What a window can ask of the engine: protocols, implemented by `desktop.services` and its parts.

All methods run on the asyncio thread. They raise only `AppError`s; any other exception is a bug.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from desktop.chat.api.conversations import (
    Branches,
    Conversations,
    Drafts,
    Filing,
    History,
    Notes,
    Pasted,
    Titles,
    Topics,
    Transfers,
)
from desktop.chat.api.data import Backups, PageArchive, Privacy
from desktop.chat.api.knowledge import Embedders, Knowledge
from desktop.chat.api.system import (
    BrowserSetup,
    DesktopIntegration,
    Diagnostics,
    Preferences,
    Serving,
    Updates,
)
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import CheckEvent, TurnEvent
from desktop.domain.history import PastAnswer
from desktop.domain.knowledge import Download
from desktop.domain.memory import Memory
from desktop.domain.messages import ConversationInfo
from desktop.domain.models import QUOTES_MODEL, LocalModel, ModelInfo
from desktop.domain.pictures import Picture
from desktop.domain.procedures import AnswerMode, ProcedureCommand, StartOutline
from desktop.domain.search import WEB_AUTO, EngineHealth, EngineInfo, SearchOutcome
from desktop.domain.tools import Consent, ServerState
from desktop.settings.model import McpServer

MOST_MODELS: Final = 4
"""How many models can answer a question side by side."""


@dataclass(frozen=True)
class Question:
    """What the composer sends.

    `web` is off, auto or an engine's id; `bases` are keys of `Scope`s. `queries` are used as they are; if there
    are none, the engine decides what to search for. `without` holds the keys of sources that this turn must not
    use. With a `procedure`, the answer is the result of that procedure, and with `confirms_plan` the user
    confirms its plan first. The `assistant` sets the style of the answer; its model, web and bases are only the
    defaults for a new question, and the ones given here apply. Memories, general ones and those of the
    assistant, are used only if the question `uses_memory`.
    """

    text: str
    conversation_id: str
    model: str = QUOTES_MODEL
    web: str = WEB_AUTO
    bases: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    queries: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    procedure: AnswerMode | None = None
    confirms_plan: bool = False
    is_wish: bool = False
    """The text only states a task, such as reading a document, and asks no question of its own."""
    assistant: Assistant = GENERAL
    also: tuple[str, ...] = ()
    """Further models that answer side by side, from the same sources; not for a procedure."""
    uses_memory: bool = True
    past: tuple[PastAnswer, ...] = ()
    """Answers from other conversations that the question is about; they become sources of this conversation."""
    edits: str = ""
    """Id of the question that this one replaces; the earlier one is kept with everything that followed it."""
    repeats: str = ""
    """Id of the question with the same text that is answered again; everything that followed it is kept."""
    stays_here: bool = False
    """No data of the conversation may leave this machine, starting with this question."""
    message_id: str = field(default="", compare=False)
    """Id of the message that the question becomes; if empty, an id is created when the turn begins."""


class Turns(Protocol):
    """Questions and their answers. Closing an iterator stops the turn and keeps its text."""

    def ask(self, question: Question) -> AsyncIterator[TurnEvent]:
        """Answer a question; the last event is `TurnFinished` or `TurnFailed`."""
        ...

    def go_on(
        self,
        conversation_id: str,
        message_id: str,
        model: str,
        assistant: Assistant = GENERAL,
        outline: StartOutline | None = None,
    ) -> AsyncIterator[TurnEvent]:
        """Continue an interrupted, stopped or failed answer where it broke off.

        With an `outline`, the answer is a written text, complete or not: its chapters are put into the order of
        the outline, and chapters without text are written.
        """
        ...

    def check(
        self, conversation_id: str, message_id: str, *, by_words: bool = False
    ) -> AsyncIterator[CheckEvent]:
        """Compare the citations of an answer with their sources; the last event is `CitationsChecked`.

        With `by_words` no model is asked, and the result is the only event; there is none without citations.
        """
        ...

    def answer_with_models(
        self, conversation_id: str, message_id: str, models: tuple[str, ...], assistant: Assistant = GENERAL
    ) -> AsyncIterator[TurnEvent]:
        """Let further models answer the question of a message, side by side and from the same sources."""
        ...

    async def stop_one(self, message_id: str) -> None:
        """Stop one of several answers that are written side by side; the others continue."""
        ...

    async def skip_wait(self, message_id: str) -> None:
        """End the wait before a retry and send the request for an answer again at once."""
        ...

    async def decide(self, question_id: str, consent: Consent) -> None:
        """Answer a tool that asks for permission before it runs; the question is `ToolAsks.id`."""
        ...

    async def steer(self, message_id: str, wish: ProcedureCommand) -> None:
        """Start, pause, resume or end the procedure for an answer, or add a remark to it."""
        ...


class QuestionJournal(Protocol):
    """Questions that were sent, kept on disk until their turn has begun. Its methods are for the GUI thread."""

    def keep(self, question: Question, folder: str = "") -> None:
        """Write a question, which has a `message_id`, to disk before it is processed.

        `folder` is the folder of its conversation if it begins a new one. If no turn took up the question, the
        next start of the program adds it to its conversation. Takes a tenth of a second at most, and does not
        report a failed write.
        """
        ...

    def forget(self, message_id: str) -> None:
        """Delete a question that is stored elsewhere: it has become a message, or a draft again."""
        ...


class Catalogue(Protocol):
    """The models and search engines that the user can choose from."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return Quotes and the models of every enabled provider; unreachable providers are skipped."""
        ...

    async def engines(self) -> tuple[EngineInfo, ...]:
        """Return the search engines, those without a key first."""
        ...


class LocalModels(Protocol):
    """Models that llama.cpp runs in a process of our own. Files of the user's own are named in the settings."""

    async def models(self) -> tuple[LocalModel, ...]:
        """Return the models that are offered for download, then the user's own files."""
        ...

    async def problem(self) -> str:
        """Return why no model can run here, and what to do about it; empty if they can."""
        ...

    def download(self, model_id: str) -> AsyncIterator[Download]:
        """Download an offered model and check its hash; its last step has all bytes.

        Closing the iterator pauses it: what has arrived is kept, and the next download continues from there.

        Raises:
            ModelNotDownloaded: it could not be downloaded.
        """
        ...

    async def delete(self, model_id: str) -> None:
        """Delete the file of an offered model, or what has arrived of it, and end its process.

        Raises:
            LocalModelNotDeleted: the system refuses.
        """
        ...

    async def inspect(self, path: Path) -> LocalModel:
        """Return the model in a file of the user's own; raises LocalModelUnusable."""
        ...


class Searches(Protocol):
    """The search engines: their health, and the obstacles that only the user can remove."""

    async def health(self) -> tuple[EngineHealth, ...]:
        """Return the health of every engine that can be used, in the order in which they are asked."""
        ...

    async def show(self, engine: str, query: str) -> SearchOutcome:
        """Show an engine's page in a browser window until it gives results for `query`.

        It waits as long as the user needs; cancelling closes the window. Without a `query`, the last query for
        which the engine was blocked is used. Afterwards searches use the engine again.
        """
        ...


class Icons(Protocol):
    """The icons of visited sites, stored on this machine."""

    async def find(self, icon_id: str) -> Picture | None:
        """Return the icon with an id made by `desktop.domain.pictures.icon_id`, or None."""
        ...

    async def clear(self) -> None:
        """Delete all icons, and with them the record of which sites were read."""
        ...


class Pictures(Protocol):
    """Pictures from the web, each fetched only at the user's request, and pictures that the user pastes."""

    async def fetch(self, address: str, conversation_id: str = "") -> Picture:
        """Return the picture at an http or https address, for an answer of a conversation.

        Raises:
            PictureUnavailable: it cannot be fetched, or the conversation must stay on this machine.
        """
        ...

    async def keep(self, data: bytes, name: str) -> Path:
        """Store a picture of the user's on disk and return its path; identical pictures are stored once.

        Raises:
            StorageUnavailable: writing to disk failed.
        """
        ...


class Memories(Protocol):
    """Facts that the user wants remembered across conversations."""

    async def all(self) -> tuple[Memory, ...]:
        """Return all memories, the oldest first."""
        ...

    async def add(self, text: str, assistant: str | None = None) -> Memory:
        """Store a fact that the user stated, for one assistant or for all; a known fact is returned unchanged.

        Raises:
            NotRemembered: the text is empty or too long.
        """
        ...

    async def change(self, memory_id: str, text: str, assistant: str | None = None) -> Memory:
        """Change the text of a memory, or move it to another assistant."""
        ...

    async def delete(self, memory_id: str) -> None:
        """Delete a memory; `restore` brings it back."""
        ...

    async def restore(self, memory_id: str) -> None:
        """Undo `delete`."""
        ...

    async def is_used_in(self, conversation_id: str) -> bool:
        """Say whether a conversation may use memories; the default is yes."""
        ...

    async def use_in(self, conversation_id: str, is_used: bool) -> None:
        """Set whether a conversation may use memories."""
        ...

    async def export_to(self, path: Path) -> int:
        """Write all memories to a file as JSON lines; return how many."""
        ...

    async def import_from(self, path: Path) -> int:
        """Import the memories of such a file; return how many were new or newer."""
        ...


class ToolServers(Protocol):
    """The user's MCP servers. A server passed here need not be in the settings."""

    async def states(self) -> tuple[ServerState, ...]:
        """Return the state of every enabled server, starting those that are not running."""
        ...

    async def test(self, server: McpServer) -> ServerState:
        """Connect to a server again and return its state."""
        ...

    async def forget(self, server_id: str) -> None:
        """Stop a server whose secrets have changed; it is connected again when needed."""
        ...

    def sign_in(self, server: McpServer) -> AsyncIterator[str]:
        """Yield the address of the sign-in page; ends when the user has signed in. Closing it cancels the sign-in."""
        ...

    async def fill_prompt(self, server_id: str, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt (`ServerState.prompts`) for the user to send."""
        ...


@dataclass(frozen=True)
class Services:
    """All services that a window uses."""

    conversations: Conversations
    make_example: Callable[[str], Awaitable[ConversationInfo]]
    """Creates the example conversation in a language, such as `zh_CN`."""
    turns: Turns
    question_journal: QuestionJournal
    catalogue: Catalogue
    knowledge: Knowledge
    preferences: Preferences
    browser: BrowserSetup
    searches: Callable[[], Searches]
    """Returns the engines for the current settings; for the asyncio thread."""
    icons: Icons
    pictures: Pictures
    memories: Memories
    tool_servers: ToolServers
    embedders: Embedders
    drafts: Drafts
    pasted: Pasted
    notes: Notes
    filing: Filing
    titles: Titles
    branches: Branches
    history: History
    backups: Backups
    transfers: Transfers
    diagnostics: Diagnostics
    privacy: Privacy
    surroundings: DesktopIntegration
    updates: Updates
    local_models: LocalModels
    serving: Serving
    topics: Topics
    page_archive: PageArchive
