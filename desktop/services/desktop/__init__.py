"""Desktop integration: autostart, system-wide shortcuts, reduced motion."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator

from typing_extensions import override

from desktop.chat.api.system import DesktopIntegration, KeyNews
from desktop.errors import GlobalKeyUnavailable
from desktop.phrases import translatable
from desktop.services.desktop.autostart import AutostartEntry
from desktop.settings.folders import AppFolders

_NO_WAY = translatable("This desktop does not support shortcuts that work in other programs.")


class DesktopService(DesktopIntegration):
    """The desktop of this machine."""

    def __init__(self, folders: AppFolders) -> None:
        self._login = AutostartEntry(folders)

    @override
    async def starts_at_login(self) -> bool:
        return await asyncio.to_thread(self._login.is_there)

    @override
    async def start_at_login(self, is_wanted: bool) -> None:
        await asyncio.to_thread(self._login.put if is_wanted else self._login.remove)

    @override
    async def wants_less_motion(self) -> bool:
        from desktop.services.desktop.portal import wants_less_motion  # noqa: PLC0415 - not before it is asked

        return await wants_less_motion()

    @override
    def listen_to_key(self, keys: str) -> AsyncIterator[KeyNews]:
        return listen_to_key(keys)


def listen_to_key(keys: str) -> AsyncGenerator[KeyNews]:
    """Listen for a shortcut, through the portal of a Linux desktop."""
    if sys.platform != "linux":
        raise GlobalKeyUnavailable(keys=keys, detail=_NO_WAY)
    from desktop.services.desktop.portal import presses  # noqa: PLC0415 - most sessions have no shortcut

    return presses(keys)
