"""Models that llama.cpp runs on this computer, in a process of our own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOCAL_PROVIDER: Final = "local"
"""Id of their provider: `local/qwen3-4b` is a model of it."""


@dataclass(frozen=True)
class LocalModel:
    """A model that is offered for download, or a file of the user's own.

    `memory_bytes` is about what it takes while it runs, 0 if that is unknown. `received_bytes` are those of a
    download that was paused. With an `error`, in words, the model cannot be used; with a `warning` perhaps not now.
    """

    id: str
    name: str
    size_bytes: int = 0
    memory_bytes: int = 0
    licence: str = ""
    description: str = ""
    source: str = ""
    """The repository on the hub."""
    path: Path | None = None
    """The file, if it is here."""
    is_own: bool = False
    received_bytes: int = 0
    error: str = ""
    warning: str = ""

    @property
    def is_here(self) -> bool:
        """Whether it can be asked."""
        return self.path is not None and not self.error
