"""The services that a window uses, as it sees them."""

from functools import partial
from typing import TYPE_CHECKING

from desktop.services.container import PASTED_FOLDER, PICTURES_FOLDER, ServiceContainer

# Imported with the window's services, after its first paint.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from desktop.chat.api.engine import Services


def window_services(services: ServiceContainer) -> "Services":
    """Return the services for a window; they are created now, and do nothing until they are asked."""
    from desktop.chat.api.engine import Services
    from desktop.services.composer import PastedTexts
    from desktop.services.dbus import DesktopNotifications
    from desktop.services.desktop import DesktopService
    from desktop.services.diagnostics.service import DiagnosticsService
    from desktop.services.example import make_example
    from desktop.services.titles import TitleService
    from desktop.services.turns import TurnService
    from desktop.services.web.pictures import PictureService
    from desktop.storage.branch_operations import BranchOperations
    from desktop.storage.folders import FolderStore

    data, egress_context = services.folders.data, services.egress_log.egress_context
    return Services(
        conversations=services.store,
        make_example=partial(make_example, services.store),
        turns=TurnService(lambda: services.turns, egress_context, services.question_journal.forget),
        question_journal=services.question_journal,
        catalogue=services.models,
        knowledge=services.knowledge,
        preferences=services.preferences,
        browser=services.browser_setup,
        searches=lambda: services.web_services.web,
        icons=services.icon_store,
        pictures=PictureService(
            lambda: services.web_services.pictures, data / PICTURES_FOLDER, egress_context
        ),
        memories=services.memories,
        tool_servers=services.tool_servers,
        embedders=services.embedders,
        drafts=services.drafts,
        pasted=PastedTexts(data / PASTED_FOLDER),
        notes=DesktopNotifications(),
        filing=FolderStore(services.store.database),
        titles=TitleService(
            services.store, lambda: services.models, lambda: services.preferences.settings, egress_context
        ),
        branches=BranchOperations(services.store),
        history=services.history,
        backups=services.keeping.backups,
        transfers=services.keeping.transfers,
        diagnostics=DiagnosticsService(services),
        privacy=services.privacy,
        surroundings=DesktopService(services.folders),
        updates=services.updates,
        local_models=services.local_models,
        serving=services.serving,
        page_archive=services.page_archive,
        topics=services.topics,
    )
