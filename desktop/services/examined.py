"""The services that the doctor examines."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # they import SDKs and parsers
    from desktop.services.knowledge.service import EmbedderService, KnowledgeService
    from desktop.services.local_models import LocalModelService
    from desktop.services.models import Models
    from desktop.services.preferences import PreferencesService
    from desktop.services.updates import UpdateService
    from desktop.services.web.browser_setup import BrowserSetupService
    from desktop.services.web.container import WebServices
    from desktop.settings.folders import AppFolders


class Examined(Protocol):
    """A subset of `desktop.services.container.ServiceContainer`."""

    @property
    def folders(self) -> "AppFolders":
        """The folders of the program."""
        ...

    @property
    def preferences(self) -> "PreferencesService":
        """Settings and secrets."""
        ...

    @property
    def browser_setup(self) -> "BrowserSetupService":
        """The setup of the browser that reads result pages."""
        ...

    @property
    def updates(self) -> "UpdateService":
        """This installation, and newer versions of it."""
        ...

    @property
    def web_services(self) -> "WebServices":
        """The web services."""
        ...

    @property
    def models(self) -> "Models":
        """The language models."""
        ...

    @property
    def local_models(self) -> "LocalModelService":
        """The language models that run on this computer."""
        ...

    @property
    def knowledge(self) -> "KnowledgeService":
        """The knowledge bases."""
        ...

    @property
    def embedders(self) -> "EmbedderService":
        """The embedding models."""
        ...
