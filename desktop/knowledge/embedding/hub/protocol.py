"""Messages between the program and the download process."""

import msgspec

from desktop.knowledge.embedding.hub.files import HubFile

REQUEST_LIMIT_S = 24 * 3600.0


class Fetch(msgspec.Struct, frozen=True):
    """→ Arrived, repeatedly; then `ModelDownloaded` or `NotFetched`.

    `endpoint` is the address of the hub or a mirror; `proxy` may contain a password, so it is sent as a message
    rather than as an argument. `only` names one file of the commit `revision` to download, instead of the files of
    an embedding model; its size and hash are those that it must have.
    """

    model: str
    folder: str
    endpoint: str
    proxy: str = ""
    only: HubFile | None = None
    revision: str = ""

    def __repr__(self) -> str:
        """Return a representation that is safe to log."""
        return f"Fetch({self.model!r}, {self.folder!r}, {self.endpoint!r})"


class Arrived(msgspec.Struct, frozen=True, tag="arrived"):
    """The number of bytes downloaded so far."""

    done_bytes: int
    total_bytes: int


class ModelDownloaded(msgspec.Struct, frozen=True, tag="fetched"):
    """The model is complete."""


class NotFetched(msgspec.Struct, frozen=True, tag="failed"):
    """The download failed; `detail` is a sentence for the user."""

    detail: str


HubReply = Arrived | ModelDownloaded | NotFetched
