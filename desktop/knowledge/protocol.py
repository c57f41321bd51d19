"""The requests of the program, the replies of the worker, and the worker's settings and secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from desktop.domain.knowledge import BUILT_IN_MODEL, BaseOptions
from desktop.domain.privacy import EgressEvent
from desktop.settings.model import KnowledgeSettings, OwnEmbedder
from desktop.settings.proxies import ProxyChoice

NO_REQUEST = 0
"""The id of a failure that belongs to no request: the worker could not start."""


@dataclass(frozen=True)
class WorkerConfig:
    """The current settings and secrets.

    `secrets` are the ones that servers named in the settings need; they are never logged.
    """

    settings: KnowledgeSettings = field(default_factory=KnowledgeSettings)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    proxy: ProxyChoice = field(default_factory=ProxyChoice)

    def embedder(self, model_id: str) -> OwnEmbedder | None:
        """Return the embedding server with this id, or None if the id names a model."""
        return next((own for own in self.settings.own_embedders if own.id == model_id), None)

    def model_for(self, options: BaseOptions) -> str:
        """Return the id of the model for embedding a base with these options."""
        model = options.model or self.settings.embedding_model
        return BUILT_IN_MODEL if options.stays_here and self.embedder(model) else model

    def secret(self, name: str) -> str:
        """Return a secret, or an empty string if it is not set."""
        return self.secrets.get(name, "")


def secret_names(settings: KnowledgeSettings) -> list[str]:
    """Return the names of all secrets that servers in the settings may ask for."""
    return [
        *(f"embedding/{own.id}" for own in settings.own_embedders),
        *(f"rerank/{own.id}" for own in settings.own_rerankers),
        *(f"chroma/{server.id}" for server in settings.chroma_servers),
    ]


CANCEL = "cancel_call"
"""The only call that no handler answers: it ends another call, and is answered once that one has ended. Its
arguments are the number of that call, and the items to remove that are not searchable yet."""


class Request(msgspec.Struct, frozen=True):
    """A call with a number chosen by the caller; if it `stays_here`, its data must not leave the machine.

    `method` names a handler, a public method of `desktop.knowledge.worker.service.WorkerService`, and `arguments`
    are its arguments as an array.
    """

    id: int
    method: str
    arguments: msgspec.Raw
    stays_here: bool = False


class Status(msgspec.Struct, frozen=True):
    """The status of the worker."""

    pid: int
    waiting: int
    """Number of files that have not been read yet."""
    embedding: int
    """Number of passages that have no vector yet."""


class CallProgress(msgspec.Struct, frozen=True, tag="progress"):
    """What the handler of a call that is still running has yielded."""

    id: int
    step: msgspec.Raw


class Crossed(msgspec.Struct, frozen=True, tag="crossed"):
    """Reports that a call caused data to be sent to another machine."""

    id: int
    egress_event: EgressEvent


class ShowPicture(msgspec.Struct, frozen=True, tag="show"):
    """Asks the program to describe a picture: a JPEG with a number chosen by the worker."""

    id: int
    jpeg: bytes


class HidePicture(msgspec.Struct, frozen=True, tag="hide"):
    """Reports that the description of a picture is no longer needed."""

    id: int


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The result of a call."""

    id: int
    result: msgspec.Raw


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """A call failed with an error from `desktop.errors`."""

    id: int
    error: str
    fields: dict[str, str]


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    """A message for the user, as an error from `desktop.errors`; `id` is NO_REQUEST."""

    id: int
    error: str
    fields: dict[str, str]


Reply = CallProgress | Crossed | ShowPicture | HidePicture | Done | Failed | Noticed
