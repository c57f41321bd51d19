"""Conversations, messages, drafts, history, transfers and watched topics for the window; see `desktop.chat.api.engine`."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from desktop.domain.backups import FileContents, Imported, TransferProgress
from desktop.domain.drafts import Draft
from desktop.domain.history import HistoryPage, HistoryQuery, PastAnswer
from desktop.domain.messages import (
    Conversation,
    ConversationInfo,
    Folder,
    LabelColor,
    Placement,
    PlacementChange,
)
from desktop.domain.topics import Interval, Topic, TopicRun
from desktop.domain.trace import Trace
from desktop.errors import AppError


class Branches(Protocol):
    """The variants of messages, each with everything that followed it.

    All methods raise `UnknownConversation` for a missing message or conversation.
    """

    async def show(self, message_id: str) -> None:
        """Show the branch that contains a message from now on."""
        ...

    async def delete(self, message_id: str, *, with_rest: bool = False) -> tuple[str, ...]:
        """Delete an answer, or a question with its answers, or either with everything after it; return their ids."""
        ...

    async def restore(self, message_ids: Iterable[str]) -> None:
        """Undo `delete`."""
        ...

    async def branch_off(self, conversation_id: str, message_id: str, title: str) -> ConversationInfo:
        """Create a conversation with everything that led to a message; its sources keep their numbers."""
        ...


class Conversations(Protocol):
    """The conversations on disk."""

    def troubles(self) -> AsyncIterator[AppError]:
        """Yield storage errors that the user should know about, as they occur; never ends by itself."""
        ...

    async def recent(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations, the most recently used first."""
        ...

    async def info(self, conversation_id: str) -> ConversationInfo:
        """Return what the list shows of a conversation.

        Raises:
            UnknownConversation: it was deleted, or has no message yet.
        """
        ...

    async def create(self, assistant: str = "", folder: str = "") -> ConversationInfo:
        """Create an empty conversation with an assistant; it is written to disk with its first message."""
        ...

    async def load(self, conversation_id: str) -> Conversation:
        """Return a conversation; answers cut off by a crash are returned as INTERRUPTED."""
        ...

    async def trace(self, message_id: str) -> Trace | None:
        """Return how an answer got its sources; None until that is recorded."""
        ...

    async def pin(self, conversation_id: str, number: int, is_pinned: bool) -> None:
        """Set whether a source is given to the model with every further question."""
        ...

    async def assign(self, conversation_id: str, assistant: str) -> None:
        """Assign a conversation to another assistant, by id."""
        ...

    async def choose(self, message_id: str) -> None:
        """Continue the conversation with one of several answers to a question."""
        ...

    async def rename(self, conversation_id: str, title: str) -> None:
        """Set a title, which is never replaced automatically."""
        ...

    async def delete(self, *conversation_ids: str) -> None:
        """Remove conversations from the list; `restore` brings them back."""
        ...

    async def restore(self, *conversation_ids: str) -> None:
        """Undo `delete`."""
        ...


class Filing(Protocol):
    """Folders and the order of conversations. Missing folders and conversations are ignored."""

    async def folders(self) -> tuple[Folder, ...]:
        """Return all folders, in no particular order."""
        ...

    async def create_folder(self, name: str, tint: LabelColor = LabelColor.NONE) -> Folder:
        """Create an empty folder."""
        ...

    async def change_folder(self, folder: Folder) -> None:
        """Change the name, colour or open state of the folder with this id."""
        ...

    async def place_folders(self, positions: Mapping[str, int]) -> None:
        """Set the positions of folders, by id."""
        ...

    async def delete_folder(self, folder_id: str) -> tuple[str, ...]:
        """Move the conversations out of a folder and delete it; return their ids."""
        ...

    async def restore_folder(self, folder: Folder, conversation_ids: Iterable[str]) -> None:
        """Undo `delete_folder`."""
        ...

    async def arrange(
        self, conversation_ids: Iterable[str], change: PlacementChange
    ) -> Mapping[str, Placement]:
        """Move conversations; return their old places for `put_back`."""
        ...

    async def put_back(self, places: Mapping[str, Placement]) -> None:
        """Move conversations back to their old places."""
        ...


class Titles(Protocol):
    """Titles that a model writes. They use the same requests as answers, with the same errors."""

    async def suggest(self, conversation_id: str) -> str:
        """Return a title for a conversation; if no model can write one, its first line."""
        ...

    async def make(self, conversation_id: str) -> bool:
        """Give a conversation a title from a model, unless the user set one; return whether it has a title."""
        ...


class Drafts(Protocol):
    """Unsent text: one draft per conversation; a new conversation has the empty id."""

    async def all(self) -> Mapping[str, Draft]:
        """Return the drafts by conversation id."""
        ...

    async def keep(self, drafts: Mapping[str, Draft]) -> None:
        """Store drafts on disk; an empty one is deleted."""
        ...


class Pasted(Protocol):
    """Long texts that the user pastes."""

    async def keep(self, text: str, name: str) -> Path:
        """Store a text on disk as a file called `name` and return its path.

        Raises:
            StorageUnavailable: writing to disk failed.
        """
        ...


@dataclass(frozen=True)
class Notification:
    """A `title`, and a line or two of `text`; both are shown as plain text."""

    title: str
    text: str = ""


class NotificationResult(StrEnum):
    """How a notification ended: clicked, dismissed, or not supported by the system."""

    CLICKED = "clicked"
    CLOSED = "closed"
    NO_PLACE = "no place"


class Notes(Protocol):
    """Desktop notifications, for a user who is looking at another window."""

    async def show(self, note: Notification) -> NotificationResult:
        """Show a notification and return how it ended; cancelling removes it."""
        ...


class History(Protocol):
    """Search in the messages of all conversations, without deleted ones."""

    async def search(self, query: HistoryQuery, rest: int | None = None) -> HistoryPage:
        """Return the newest messages that contain all words of a query; the last word may be incomplete.

        `rest` is the value from the previous page. A page can have few hits and a `rest` if the search time was
        used up.
        """
        ...

    async def find_similar(self, query: HistoryQuery) -> HistoryPage:
        """Return the messages closest in meaning to a query, the closest first.

        `reach` says how many messages have an embedding; `note` is a message for the user.

        Raises:
            KnowledgeError: meanings cannot be compared now.
        """
        ...

    def keep_up(self) -> AsyncIterator[float]:
        """Index new messages and yield the indexed share, from 0 to 1; never ends by itself."""
        ...

    async def answer(self, message_id: str) -> PastAnswer:
        """Return an answer as the subject of a new question.

        Raises:
            UnknownConversation: it no longer exists.
        """
        ...


class Transfers(Protocol):
    """Import and export of conversations, memories, settings and bases; also imports from other programs."""

    def export_profile(self, path: Path, *, has_bases: bool = True) -> AsyncIterator[TransferProgress]:
        """Write everything except keys into one file; closing the iterator leaves no file.

        Raises:
            NotExported: the file cannot be written.
        """
        ...

    async def export_conversation(self, conversation_id: str, path: Path) -> None:
        """Write one conversation to a file from which it can be restored exactly.

        Raises:
            NotExported: the file cannot be written.
        """
        ...

    async def examine(self, path: Path) -> FileContents:
        """Return the contents of a file from Footnote, ChatGPT, Claude, Cherry Studio, Chatbox or Open WebUI.

        Raises:
            NotImported: the format is unknown, or the file is damaged or malicious.
        """
        ...

    def import_from(
        self,
        path: Path,
        conversations: Collection[str] | None = None,
        *,
        has_settings: bool = False,
        has_bases: bool = True,
    ) -> AsyncIterator[TransferProgress | Imported]:
        """Import a file and yield its progress in conversations; the last step is an `Imported`.

        `conversations` are ids from `examine`; without them, all missing ones are imported. A conversation that
        exists here with other content is imported as a second one. Settings that start programs or name a
        destination for data wait until the user confirms them, and are reported among the problems. Closing the
        iterator undoes the import.
        """
        ...

    async def undo(self, imported: Imported) -> None:
        """Undo an import; settings are not reverted."""
        ...


class Topics(Protocol):
    """Questions that are looked up on a schedule."""

    async def all(self) -> tuple[Topic, ...]:
        """Return all topics, the oldest first."""
        ...

    async def add(self, topic: Topic) -> Topic:
        """Watch a topic from now on, and return it with its id; its first run is due at once."""
        ...

    async def pause(self, topic_id: str, is_paused: bool) -> Topic | None:
        """Pause a topic, or go on with it; return it as it is now, or None if it has been removed."""
        ...

    async def change(self, topic_id: str, interval: Interval, budget_tokens: int) -> Topic | None:
        """Change how often a topic is looked up, and its tokens for a month (0: any number); returns as `pause`."""
        ...

    async def restore(self, topic: Topic) -> None:
        """Bring a removed topic back."""
        ...

    async def remove(self, topic_id: str) -> None:
        """Watch a topic no more; conversations of its runs stay."""
        ...

    async def run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        """Look up a topic now, and return it with its run; cancelling leaves nothing behind.

        Raises:
            TopicsInUse: another program on this data folder looks up topics.
        """
        ...

    async def run_due(self) -> tuple[tuple[Topic, TopicRun], ...]:
        """Run all topics that are due, each once; raises as `run`."""
        ...
