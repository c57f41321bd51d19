"""What every model server is to the rest of Footnote."""

from collections.abc import AsyncGenerator
from typing import Protocol

from desktop.domain.models import ModelEvent, ModelInfo, ModelRequest
from desktop.settings.model import ProviderSettings


class Provider(Protocol):
    """A model server that was opened; also a `domain.models.Model`. Everything raises ProviderErrors only."""

    @property
    def settings(self) -> ProviderSettings:
        """What it was opened with."""
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the models that can chat: the server's, then those named by hand in the settings."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask a model; see `domain.models.Model.stream`."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...
