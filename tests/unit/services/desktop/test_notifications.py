"""Notes of the desktop, on a bus of their own with a service that shows them."""

import asyncio
import os
import shutil
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager

import pytest

from desktop.chat.api.conversations import Notification, NotificationResult
from desktop.services.dbus import NOTIFICATIONS_NAME, NOTIFICATIONS_PATH, DesktopNotifications
from tests.cases import cases

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is how Linux desktops show notes"),
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="there is no dbus-daemon here"),
]


class Service:
    """Shows notes as a desktop does: `given` are the arguments of each, `closed` the numbers taken away."""

    def __init__(self, connection, abilities: list[str]) -> None:
        self._connection = connection
        self._abilities = abilities
        self.given: list[tuple[object, ...]] = []
        self.closed: list[int] = []
        self.shown = asyncio.Event()

    async def serve(self) -> None:
        from jeepney import HeaderFields, MessageType, new_method_return

        while True:
            call = await self._connection.receive()
            if call.header.message_type is not MessageType.method_call:
                continue
            match call.header.fields[HeaderFields.member]:
                case "GetCapabilities":
                    answer = new_method_return(call, "as", (self._abilities,))
                case "Notify":
                    self.given.append(call.body)
                    answer = new_method_return(call, "u", (len(self.given),))
                case "CloseNotification":
                    self.closed.append(call.body[0])
                    answer = new_method_return(call)
            await self._connection.send(answer)
            if self.given:
                self.shown.set()

    async def tell(self, member: str, signature: str, *body: object) -> None:
        from jeepney import DBusAddress, new_signal

        await self._connection.send(
            new_signal(DBusAddress(NOTIFICATIONS_PATH, interface=NOTIFICATIONS_NAME), member, signature, body)
        )


@contextmanager
def bus(tmp_path):
    """Run a bus that nobody else knows, and name it to this process."""
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"]
    address = f"--address=unix:path={tmp_path / 'bus'}"
    with subprocess.Popen([*command, address], stdout=subprocess.PIPE, text=True) as daemon:
        try:
            yield daemon.stdout.readline().strip()
        finally:
            daemon.terminate()


@pytest.fixture
def session(tmp_path, monkeypatch):
    with bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield


@asynccontextmanager
async def service(*abilities: str):
    from jeepney import message_bus
    from jeepney.io.asyncio import DBusRouter, Proxy, open_dbus_connection

    connection = await open_dbus_connection()
    async with DBusRouter(connection) as router:
        await Proxy(message_bus, router).RequestName(NOTIFICATIONS_NAME)
    showing = Service(connection, list(abilities))
    serving = asyncio.create_task(showing.serve())
    try:
        yield showing
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await connection.close()


async def test_a_click_on_a_note_is_heard_and_marks_are_letters(session):
    async with service("actions", "body-markup") as desktop:
        showing = asyncio.create_task(
            DesktopNotifications().show(Notification("<b>潮汐</b>", "<img src=x> & more"))
        )
        await desktop.shown.wait()
        await desktop.tell("ActionInvoked", "us", 99, "default")
        await desktop.tell("ActionInvoked", "us", 1, "default")
        assert await showing is NotificationResult.CLICKED
        name, replaced, _icon, title, text, actions, hints, timeout = desktop.given[0]
        assert (name, replaced, title, timeout) == ("Footnote", 0, "<b>潮汐</b>", -1)
        assert text == "&lt;img src=x&gt; &amp; more"
        assert actions == ["default", ""]
        assert hints["desktop-entry"] == ("s", "footnote")


async def test_a_note_that_is_put_away_ends_as_well(session):
    async with service() as desktop:
        showing = asyncio.create_task(DesktopNotifications().show(Notification("Done", "a < b")))
        await desktop.shown.wait()
        await desktop.tell("NotificationClosed", "uu", 1, 2)
        assert await showing is NotificationResult.CLOSED
        assert desktop.given[0][4] == "a < b"
        assert desktop.given[0][5] == []


async def test_cancelling_takes_the_note_away(session):
    async with service("actions") as desktop:
        showing = asyncio.create_task(DesktopNotifications().show(Notification("Done")))
        await desktop.shown.wait()
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)
        assert showing.cancelled()
        assert desktop.closed == [1]


async def test_a_bus_without_anybody_who_shows_notes_is_no_place(session):
    assert await DesktopNotifications().show(Notification("Done")) is NotificationResult.NO_PLACE


@cases("address", ["", "unix:path=/nowhere/at/all", "nonsense", "tcp:host=localhost"])
async def test_a_machine_without_a_bus_is_no_place(address, monkeypatch):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    assert await DesktopNotifications().show(Notification("Done")) is NotificationResult.NO_PLACE
    assert os.environ["DBUS_SESSION_BUS_ADDRESS"] == address


async def test_a_bus_that_ends_meanwhile_ends_the_note(tmp_path, monkeypatch):
    with bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        async with service("actions") as desktop:
            showing = asyncio.create_task(DesktopNotifications().show(Notification("Done")))
            await desktop.shown.wait()
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
    assert await DesktopNotifications().show(Notification("Done")) is NotificationResult.NO_PLACE
