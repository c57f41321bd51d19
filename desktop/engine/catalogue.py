"""What can be picked in the menus."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.domain.models import ModelInfo
from desktop.domain.search import EngineInfo

if TYPE_CHECKING:  # they bring SDKs and parsers with them
    from desktop.engine.models import Models
    from desktop.search.web import WebSearch


class DeferredCatalogue:
    """See `desktop.chat.ports.Catalogue`."""

    def __init__(self, models: Callable[[], "Models"], web: Callable[[], "WebSearch"]) -> None:
        self._models = models
        self._web = web

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return Quotes and the models of every provider that answers."""
        return await self._models().list()

    async def engines(self) -> tuple[EngineInfo, ...]:
        """Return the search engines, those without a key first."""
        return await self._web().engines()
