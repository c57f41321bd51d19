"""What the portal of a real bus says of movement."""

import asyncio
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from desktop.services.dbus import wants_less_motion
from tests.unit.services.desktop.test_portal import PORTAL, bus, pytestmark

__all__ = ["bus", "pytestmark"]


def portal_with(settings: dict[tuple[str, str], Variant]) -> Any:
    def handle(message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.member != "ReadOne":
            return None
        value = settings.get((message.body[0], message.body[1]))
        if value is None:
            return Message.new_error(message, "org.freedesktop.portal.Error.NotFound", "no such setting")
        return Message.new_method_return(message, "v", [value])

    return handle


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, False),
        ({("org.freedesktop.appearance", "reduced-motion"): Variant("u", 1)}, True),
        ({("org.freedesktop.appearance", "reduced-motion"): Variant("u", 0)}, False),
        ({("org.gnome.desktop.interface", "enable-animations"): Variant("b", False)}, True),
        ({("org.gnome.desktop.interface", "enable-animations"): Variant("b", True)}, False),
    ],
)
def test_the_portals_word_counts(settings, wanted, bus):
    async def run() -> bool:
        portal = await MessageBus().connect()
        await portal.request_name(PORTAL)
        portal.add_message_handler(portal_with(settings))
        try:
            return await wants_less_motion()
        finally:
            portal.disconnect()
            await portal.wait_for_disconnect()

    assert asyncio.run(run()) is wanted


def test_without_portal_or_bus_nobody_has_said_anything(bus, monkeypatch, tmp_path):
    assert asyncio.run(wants_less_motion()) is False
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    assert asyncio.run(wants_less_motion()) is False
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    assert asyncio.run(wants_less_motion()) is False
