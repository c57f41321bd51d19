"""Desktop integration: autostart, system-wide shortcuts, reduced motion."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator

from desktop.chat.api.system import KeyNews
from desktop.errors import GlobalKeyUnavailable
from desktop.phrases import translatable
from desktop.services.desktop.autostart import AutostartEntry
from desktop.settings.folders import AppFolders

_NO_WAY = translatable("This desktop does not support shortcuts that work in other programs.")


class DesktopService:
    """The desktop of this machine."""

    def __init__(self, folders: AppFolders) -> None:
        self._login = AutostartEntry(folders)

    async def starts_at_login(self) -> bool:
        """See `DesktopIntegration`."""
        return await asyncio.to_thread(self._login.is_there)

    async def start_at_login(self, is_wanted: bool) -> None:
        """See `DesktopIntegration`."""
        await asyncio.to_thread(self._login.put if is_wanted else self._login.remove)

    async def wants_less_motion(self) -> bool:
        """See `DesktopIntegration`."""
        from desktop.services.desktop.portal import wants_less_motion  # noqa: PLC0415 - not before it is asked

        return await wants_less_motion()

    def listen_to_key(self, keys: str) -> AsyncIterator[KeyNews]:
        """See `DesktopIntegration`."""
        return listen_to_key(keys)


def listen_to_key(keys: str) -> AsyncGenerator[KeyNews]:
    """Listen for a shortcut, through the portal of a Linux desktop."""
    if sys.platform != "linux":
        raise GlobalKeyUnavailable(keys=keys, detail=_NO_WAY)
    from desktop.services.desktop.portal import presses  # noqa: PLC0415 - most sessions have no shortcut

    return presses(keys)
