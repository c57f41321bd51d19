"""Desktop notifications through the D-Bus interface shared by Linux desktops.

The specification is https://specifications.freedesktop.org/notification-spec/1.2/. On other systems the tray
icon, which belongs to the window, shows notifications.
"""

import asyncio
import html
import os
import sys
from typing import Any, Final

from typing_extensions import override

from desktop.chat.api.conversations import Notes, Notification, NotificationResult
from desktop.services.desktop.dbus import BusError, BusInterface, SessionBus, session_bus

NAME: Final = "org.freedesktop.Notifications"
PATH: Final = "/org/freedesktop/Notifications"
_SERVER: Final = BusInterface(NAME, PATH, NAME)

_OPEN: Final = "default"
"""The action for a click on the notification itself."""

_ENDS = {"ActionInvoked": NotificationResult.CLICKED, "NotificationClosed": NotificationResult.CLOSED}

_ANSWER_S = 5.0
_CLOSE_S = 1.0


class DesktopNotifications(Notes):
    """Each notification has its own connection while it is shown."""

    @override
    async def show(self, note: Notification) -> NotificationResult:
        """Show a notification until it ends; cancelling removes it."""
        if sys.platform != "linux" or not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
            return NotificationResult.NO_PLACE
        told: asyncio.Queue[Any] = asyncio.Queue()
        showing = asyncio.create_task(_showing(note, told))
        try:
            # Requests to the bus are not cancelled: each response has to be read by the request that it belongs to.
            return await asyncio.shield(showing)
        except asyncio.CancelledError:
            told.put_nowait(None)
            await asyncio.wait({showing}, timeout=_ANSWER_S)
            raise


async def _showing(note: Notification, told: asyncio.Queue[Any]) -> NotificationResult:
    """Show a notification until `told` delivers how it ended, or None."""
    try:
        async with session_bus() as bus, bus.listen(_SERVER, told):
            number = await _notify(bus, note)
            while (signal := await told.get()) is not None:
                member, arguments = signal
                if member in _ENDS and arguments[0] == number:
                    return _ENDS[member]
            async with asyncio.timeout(_CLOSE_S):
                await bus.call(_SERVER, "CloseNotification", "u", number)
            return NotificationResult.CLOSED
    except BusError:
        return NotificationResult.NO_PLACE


async def _notify(bus: SessionBus, note: Notification) -> int:
    """Send a notification and return its id."""
    (abilities,) = await bus.call(_SERVER, "GetCapabilities")
    # Titles and names are written by others: where the server interprets markup, they are escaped.
    text = html.escape(note.text, quote=False) if "body-markup" in abilities else note.text
    actions = [_OPEN, ""] if "actions" in abilities else []
    hints = {"desktop-entry": ("s", "footnote")}
    body = ("Footnote", 0, "footnote", note.title, text, actions, hints, -1)
    (number,) = await bus.call(_SERVER, "Notify", "susssasa{sv}i", *body)
    return int(number)
