"""Knowledge bases, their items, and what a retrieval gives back."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from desktop.domain.sources import Passage


@dataclass(frozen=True)
class BaseInfo:
    """A knowledge base; `name` is unique."""

    id: str
    name: str
    items: int = 0
    passages: int = 0


class ItemState(StrEnum):
    """Where a file stands on its way into a base."""

    WAITING = "waiting"
    READING = "reading"
    KEYWORD_READY = "keyword_ready"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class ItemInfo:
    """One file of a base. `error` says why it failed; `document` is the SHA-256 of its bytes."""

    id: str
    base_id: str
    name: str
    path: str
    state: ItemState
    document: str = ""
    pages: int | None = None
    passages: int = 0
    error: str = ""


@dataclass(frozen=True)
class ItemProgress:
    """A step of one file: `done` of `total` pages while reading, of passages while embedding."""

    item: ItemInfo
    done: int = 0
    total: int = 0


class OriginalState(StrEnum):
    """What became of a file since it was read."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Retrieval:
    """Passages, best first. `notes` name every degradation, such as an embedder that failed."""

    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


class Meanings(Protocol):
    """Compares texts by what they mean."""

    @property
    def is_warm(self) -> bool:
        """Whether an answer needs no process to be started first."""
        ...

    async def compare(self, texts: Sequence[str], pairs: Sequence[tuple[int, int]]) -> tuple[float, ...]:
        """Return the cosine of each pair of texts, given by their places in `texts`.

        Raises:
            KnowledgeError: they cannot be compared.
        """
        ...


class Retriever(Protocol):
    """Looks queries up in a person's own files or memories; several queries are one request."""

    async def retrieve(self, queries: Sequence[str], scope: Sequence[str], count: int) -> Retrieval:
        """Return at most `count` passages out of the bases named in `scope`.

        Raises:
            KnowledgeError: the index cannot be asked at all.
        """
        ...
