"""The interface of models that run on this computer, for the window; implemented in `desktop.services`."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from desktop.domain.knowledge import Download
from desktop.domain.models import LocalModel


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
