"""The models and engines offered in menus."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.engine import Catalogue
from desktop.domain.models import ModelInfo
from desktop.domain.search import EngineInfo
from desktop.services.preferences import PreferencesService

if TYPE_CHECKING:  # it imports SDKs
    from desktop.services.models import Models


class DeferredCatalogue(Catalogue):
    """Imports the SDKs of the models at the first call."""

    def __init__(self, models: Callable[[], "Models"], preferences: PreferencesService) -> None:
        self._models = models
        self._preferences = preferences

    @override
    async def models(self) -> tuple[ModelInfo, ...]:
        return await self._models().list()

    @override
    async def engines(self) -> tuple[EngineInfo, ...]:
        from desktop.search.engine_status import available_engines  # noqa: PLC0415 - not before the first paint

        return await available_engines(self._preferences.settings.search, self._preferences.secret)
