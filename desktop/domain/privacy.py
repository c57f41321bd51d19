"""Records of data that leaves the machine, and of its recipients."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import chain


class Channel(StrEnum):
    """A part of the program that sends data; it also implies what kind of data is sent."""

    MODEL = "model"
    """Question, conversation, sources, pictures: everything that a prompt contains."""
    SEARCH = "search"
    """The search terms."""
    READING = "reading"
    """The address of a page or picture that is fetched."""
    TOOLS = "tools"
    """The arguments that a model passes to a tool of a server."""
    EMBEDDING = "embedding"
    """Passages of files, and queries for them."""
    RERANKING = "reranking"
    """Queries for files, and the passages found."""
    INDEX = "index"
    """Vectors of passages, in a database on another machine."""
    BACKUP = "backup"
    """Conversations, memories and settings, in backups on another machine."""
    UPDATE = "update"
    """The question for the newest version, which holds nothing of the user."""


@dataclass(frozen=True)
class EgressEvent:
    """One request to a host, with the number of bytes it carried beside its address, if any."""

    host: str
    channel: Channel
    sent_bytes: int = 0


def merge_events(*groups: Iterable[EgressEvent]) -> tuple[EgressEvent, ...]:
    """Return one event for each host and channel, with the bytes of all of them, in the order of the first ones."""
    total: dict[tuple[str, Channel], int] = {}
    for each in chain.from_iterable(groups):
        total[each.host, each.channel] = total.get((each.host, each.channel), 0) + each.sent_bytes
    return tuple(EgressEvent(host, channel, count) for (host, channel), count in total.items())


@dataclass(frozen=True)
class EgressSummary:
    """The total of what a conversation sent to one host through one channel."""

    host: str
    channel: Channel
    requests: int
    sent_bytes: int
    last_at: datetime


@dataclass(frozen=True)
class Recipient:
    """A recipient of data under the current settings.

    `host` is empty for a program on this machine; what that sends on is unknown. With `is_here` the data stays
    on this machine. With `is_barred` the recipient would be used if the conversation were not kept on this
    machine.
    """

    channel: Channel
    name: str
    host: str = ""
    is_here: bool = False
    is_barred: bool = False


@dataclass(frozen=True)
class DeletedData:
    """Deleted data that is still on the disk: how many conversations and memories can be restored."""

    conversations: int = 0
    memories: int = 0
    copies: int = 0
    """Backups, each of which contains the data of the time when it was made."""
