"""Knowledge bases, their items, and results of a retrieval."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Protocol

from desktop.domain.sources import Passage
from desktop.domain.trace import SourceUse

BUILT_IN_MODEL: Final = "multilingual-e5-small"
"""Id of the default embedding model, which comes with the program."""
MINILM_MODEL: Final = "minilm"
"""Id of the default embedding model until version 0.1; it comes with the program as well."""


@dataclass(frozen=True)
class BaseOptions:
    """Options of a single base; an empty value means “as in the settings”.

    `model` is the id of an embedding model, `passage_tokens` the length of a passage in tokens of that model,
    `passage_count` the number of passages given for a question, `threshold` the minimum score of a reranked
    passage. `floor` is the minimum score of any other passage, as a share of the best score; with 0 every match
    is given, even where the files do not seem to answer the question. `place` is the id of a Chroma server in
    the settings; empty means this machine. With `stays_here` the base is embedded on this machine, whatever
    other settings say, and its pictures are not described.
    """

    model: str = ""
    passage_tokens: int = 0
    passage_count: int = 0
    threshold: float | None = None
    floor: float | None = None
    place: str = ""
    stays_here: bool = False


ATTACHMENTS: Final = "\x01"
"""The name of a base for the files of a conversation begins with it: a user cannot type it, and `strip` keeps it."""


@dataclass(frozen=True)
class BaseInfo:
    """A knowledge base; `name` is unique among the bases that are not deleted.

    `icon` is one emoji or empty. `model` is the embedding model whose vectors are searched now; it becomes the
    one in the options once everything has been embedded with that; until then `embedded_anew` counts the passages
    that are. `tags` are the tags of its items.
    """

    id: str
    name: str
    items: int = 0
    passages: int = 0
    icon: str = ""
    options: BaseOptions = BaseOptions()
    is_paused: bool = False
    model: str = BUILT_IN_MODEL
    tags: tuple[str, ...] = ()
    embedded_anew: int = 0

    @property
    def owner(self) -> str | None:
        """The id of the conversation whose files the base holds; None for a base in the user's list."""
        return self.name.removeprefix(ATTACHMENTS) if self.name.startswith(ATTACHMENTS) else None


class ItemState(StrEnum):
    """The state of an item on its way into a base."""

    WAITING = "waiting"
    READING = "reading"
    KEYWORD_READY = "keyword_ready"
    READY = "ready"
    FAILED = "failed"

    @property
    def has_ended(self) -> bool:
        """Return whether the state will not change any more by itself."""
        return self in (ItemState.READY, ItemState.FAILED)


class ItemKind(StrEnum):
    """The kind of an item."""

    FILE = "file"
    LINK = "link"
    NOTE = "note"


@dataclass(frozen=True)
class ItemInfo:
    """A file, link or note of a base. `document` is the SHA-256 of its content.

    `path` is the address of a link and empty for a note. `error` says why it failed or, if it is still
    searchable, why its text is outdated or incomplete. `scanned` pages were read by OCR. `read_at` is in
    seconds since 1970. An item that `is_cut` was too long, and only its beginning was read.
    """

    id: str
    base_id: str
    name: str
    path: str
    state: ItemState
    document: str = ""
    pages: int | None = None
    passages: int = 0
    error: str = ""
    kind: ItemKind = ItemKind.FILE
    tags: tuple[str, ...] = ()
    scanned: int = 0
    read_at: float | None = None
    is_cut: bool = False


@dataclass(frozen=True)
class PutPage:
    """A page that was put into a base, or the item that has its address or its content there already."""

    item: ItemInfo
    is_new: bool


class AdditionOutcome(StrEnum):
    """What became of a source that should be added to a base."""

    ADDED = "added"
    KNOWN = "known"
    """The base has the same address or the same content already."""
    REFUSED = "refused"


@dataclass(frozen=True)
class SourceAddition:
    """The outcome for one document of an answer; `numbers` are its sources, `done` of `total` documents are over.

    `detail` says in words why it was not added.
    """

    numbers: tuple[int, ...]
    title: str
    outcome: AdditionOutcome
    done: int
    total: int
    item: ItemInfo | None = None
    detail: str = ""


@dataclass(frozen=True)
class ItemProgress:
    """Progress of one item: `done` of `total`, pages while reading, passages while embedding.

    An item that `is_removed` has left its base and sends no further progress. One that `is_skipped` was not
    added: a link in an added folder that points outside of it.
    """

    item: ItemInfo
    done: int = 0
    total: int = 0
    is_removed: bool = False
    is_skipped: bool = False


class OriginalState(StrEnum):
    """What happened to a file since it was read."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Scope:
    """The part of a base that is searched: all of it, one item, or the items with a tag.

    Its `key` is used wherever ids of bases are stored or passed; a plain id means the whole base.
    """

    base_id: str
    item_id: str = ""
    tag: str = ""

    @property
    def key(self) -> str:
        """The scope as text: `base`, `base/item` or `base#tag`."""
        if self.item_id:
            return f"{self.base_id}/{self.item_id}"
        return f"{self.base_id}#{self.tag}" if self.tag else self.base_id


def scope_of(key: str) -> Scope:
    """Return the scope for a key. Ids contain neither `/` nor `#`; a tag may contain both."""
    base_id, *rest = re.split("([/#])", key, maxsplit=1)
    match rest:
        case ["/", item_id]:
            return Scope(base_id, item_id=item_id)
        case ["#", tag]:
            return Scope(base_id, tag=tag)
        case _:
            return Scope(base_id)


@dataclass(frozen=True)
class PassageInfo:
    """A passage of an item; `start` and `end` are offsets into the text of its document."""

    ordinal: int
    text: str
    page: int | None
    section: str
    start: int
    end: int
    is_embedded: bool


@dataclass(frozen=True)
class PagePicture:
    """A page that was read as a picture, as JPEG data; empty for a page with its own text.

    `problem` says in words why a page that was read as a picture cannot be shown.
    """

    jpeg: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class Description:
    """What `model` sees in a picture; `problem` says in words why there is no description."""

    text: str = ""
    model: str = ""
    problem: str = ""


@dataclass(frozen=True)
class FolderInfo:
    """A folder that a base watches; `error` says why it cannot be read now."""

    id: str
    base_id: str
    path: str
    error: str = ""


@dataclass(frozen=True)
class Transfer:
    """Progress of an export or import, in passages; the last event names the base."""

    done: int
    total: int
    base: BaseInfo | None = None


@dataclass(frozen=True)
class EmbeddingModel:
    """A model that turns texts into vectors. Without `languages` it supports many.

    `dimensions`, `max_tokens` and `size_bytes` are 0 while they are unknown. `is_here` means that it can be
    used without a download. `licence` is empty if unknown. `error` says why it cannot be used although it is
    here.
    """

    id: str
    name: str
    languages: tuple[str, ...] = ()
    dimensions: int = 0
    max_tokens: int = 0
    size_bytes: int = 0
    is_here: bool = True
    kind: Literal["built-in", "local", "api"] = "local"
    error: str = ""
    licence: str = ""


@dataclass(frozen=True)
class Download:
    """Progress of a model download; `total_bytes` is 0 while it is unknown."""

    done_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True)
class ModelLibrary:
    """The packages that run models of the user's choice on this machine.

    `command` installs them, and `can_install` says whether Footnote itself can run it; else it has to be
    typed in a terminal, and installs Footnote another time.
    """

    is_here: bool
    can_install: bool
    command: str


@dataclass(frozen=True)
class LeftOut:
    """A passage that was found but not given, and the reason in words."""

    passage: Passage
    reason: str
    source_use: SourceUse = SourceUse.NOT_NEEDED


@dataclass(frozen=True)
class Retrieval:
    """Passages, best first. `notes` name every degradation, such as a failed embedder.

    With `is_unanswered` the files do not seem to answer the queries: there are no passages, and the nearest
    ones are in `left_out`.
    """

    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    is_unanswered: bool = False


@dataclass(frozen=True)
class TrialRow:
    """A passage with its score at each stage, None where it did not reach that stage; `source_use` is in words."""

    passage: Passage
    keyword: float | None
    vector: float | None
    fused: float
    reranked: float | None
    source_use: str


@dataclass(frozen=True)
class SearchTrial:
    """The results of a query in a base and their use, best first; `is_unanswered` as in `Retrieval`."""

    rows: tuple[TrialRow, ...] = ()
    notes: tuple[str, ...] = ()
    is_unanswered: bool = False


class TextSimilarity(Protocol):
    """Compares texts by their meaning."""

    @property
    def is_warm(self) -> bool:
        """Return whether it can answer without starting a process."""
        ...

    async def compare(self, texts: Sequence[str], pairs: Sequence[tuple[int, int]]) -> tuple[float, ...]:
        """Return the cosine similarity of each pair of texts, given as indexes into `texts`.

        Raises:
            KnowledgeError: they cannot be compared.
        """
        ...


class Retriever(Protocol):
    """Searches the user's files or memories; several queries are one request."""

    async def retrieve(self, queries: Sequence[str], scope: Sequence[str], count: int) -> Retrieval:
        """Return at most `count` passages from the scopes whose keys are in `scope` (see `Scope`).

        Raises:
            KnowledgeError: the index is not available.
        """
        ...


def parse_scope(text: str, bases: Sequence[BaseInfo]) -> Scope | None:
    """Return the scope that `text` names among `bases`; None if there is no such base.

    It is the name or id of a base, alone or followed by `#tag` or `/item`. A name may itself contain `#` and
    `/`, so the longest matching name wins.
    """
    keys = {base.name: base.id for base in bases} | {base.id: base.id for base in bases}
    fitting = [key for key in keys if text == key or text.startswith((f"{key}#", f"{key}/"))]
    if not fitting:
        return None
    longest = max(fitting, key=len)
    return scope_of(keys[longest] + text[len(longest) :])
