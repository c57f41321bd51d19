"""What program, worker and reader say to each other."""

from pathlib import Path

import msgspec

from desktop import errors
from desktop.domain.knowledge import ItemProgress
from desktop.errors import AppError, IndexUnavailable
from desktop.knowledge.reading import Reading
from desktop.phrases import phrase

NO_REQUEST = 0
"""Id of a failure that is nobody's: the worker could not start."""

_UNKNOWN = phrase("unknown error {name}")


class ListBases(msgspec.Struct, frozen=True, tag="bases"):
    """→ list[BaseInfo]."""


class CreateBase(msgspec.Struct, frozen=True, tag="create"):
    """→ BaseInfo."""

    name: str


class RenameBase(msgspec.Struct, frozen=True, tag="rename"):
    """→ None."""

    base_id: str
    name: str


class DeleteBase(msgspec.Struct, frozen=True, tag="delete"):
    """→ None."""

    base_id: str


class ListItems(msgspec.Struct, frozen=True, tag="items"):
    """→ list[ItemInfo]."""

    base_id: str


class AddFiles(msgspec.Struct, frozen=True, tag="add"):
    """→ None, after a `Progress` for every step of every file; the first ones name all files."""

    base_id: str
    paths: tuple[str, ...]


class WatchItems(msgspec.Struct, frozen=True, tag="watch"):
    """→ None, like `AddFiles` for files that are known already."""

    item_ids: tuple[str, ...]


class RemoveItem(msgspec.Struct, frozen=True, tag="remove"):
    """→ None."""

    item_id: str


class Retrieve(msgspec.Struct, frozen=True, tag="retrieve"):
    """→ Retrieval."""

    queries: tuple[str, ...]
    base_ids: tuple[str, ...]
    count: int


class ReadText(msgspec.Struct, frozen=True, tag="text"):
    """→ str: what was read of the file with this SHA-256, in whatever base; empty if it is in none."""

    sha256: str


class Compare(msgspec.Struct, frozen=True, tag="compare"):
    """→ list[float]: for each pair of texts by their places in `texts`, the cosine of their meanings."""

    texts: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]


class AskStatus(msgspec.Struct, frozen=True, tag="status"):
    """→ Status."""


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """→ None, once the request is over and those of its files that are not searchable yet are gone."""

    request: int
    item_ids: tuple[str, ...] = ()


Call = (
    ListBases
    | CreateBase
    | RenameBase
    | DeleteBase
    | ListItems
    | AddFiles
    | WatchItems
    | RemoveItem
    | Retrieve
    | ReadText
    | Compare
    | AskStatus
    | Cancel
)


class Request(msgspec.Struct, frozen=True):
    """A call under a number of the caller's choice."""

    id: int
    call: Call


class Status(msgspec.Struct, frozen=True):
    """How the worker is doing."""

    pid: int
    waiting: int
    """Files that were not read yet."""
    embedding: int
    """Passages that have no vector yet."""
    is_model_loaded: bool


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """A step of a call that is not over."""

    id: int
    step: ItemProgress


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The result of a call."""

    id: int
    result: msgspec.Raw


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """A call ended in an error of `desktop.errors`."""

    id: int
    error: str
    fields: dict[str, str]


Reply = Progress | Done | Failed


class PageDone(msgspec.Struct, frozen=True, tag="page"):
    """The reader got through `done` of `total` pages."""

    done: int
    total: int


class ReadOk(msgspec.Struct, frozen=True, tag="read"):
    """The reader is through with a file."""

    reading: Reading


class ReadFailed(msgspec.Struct, frozen=True, tag="unread"):
    """The reader could not read a file."""

    error: str
    fields: dict[str, str]


ReaderReply = PageDone | ReadOk | ReadFailed


def error_fields(error: AppError) -> dict[str, str]:
    """Return what an error has to say in a form that travels."""
    return {name: str(value) for name, value in error.fields.items()}


def error_of(name: str, fields: dict[str, str]) -> AppError:
    """Return the error that travelled as `name` and `fields`."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, AppError):
        return kind(**fields)
    return IndexUnavailable(detail=_UNKNOWN.format(name=name))


def path_text(path: Path) -> str:
    """Return a path as text that can be stored and sent.

    A name that is no text on this system is written with escapes: its file is then not found, and
    fails by itself under a name that the person recognises.
    """
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")
