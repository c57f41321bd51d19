"""The portal's conversation on a real bus, with a portal that answers as the specification has it."""

import asyncio
import shutil
import subprocess
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from desktop.chat.api.system import KeyNews
from desktop.errors import GlobalKeyUnavailable
from desktop.services.dbus import PORTAL, PORTAL_PATH, REQUEST, SHORTCUTS, trigger_of
from desktop.services.desktop import listen_to_key
from tests.cases import cases

KEYS = "Ctrl+Alt+Space"
SESSION = f"{PORTAL_PATH}/session/1_1/one"

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="no bus to try it on")


@pytest.fixture
def bus(monkeypatch):
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        address = daemon.stdout.readline().strip()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address
        daemon.terminate()
        daemon.wait(30)


class Portal:
    """Answers requests; `code` is how the user decides: 0 is yes."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.bound: list[Any] = []

    async def __aenter__(self) -> "Portal":
        self.bus = await MessageBus().connect()
        await self.bus.request_name(PORTAL)
        self.bus.add_message_handler(self._handle)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.bus.disconnect()
        await self.bus.wait_for_disconnect()

    async def press(self, name: str = "quick", session: str = SESSION) -> None:
        body = [session, name, 0, {}]
        await self.bus.send(Message.new_signal(PORTAL_PATH, SHORTCUTS.name, "Activated", "osta{sv}", body))

    def _handle(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != SHORTCUTS.name:
            return None
        sender = (message.sender or "").lstrip(":").replace(".", "_")
        path = f"{PORTAL_PATH}/request/{sender}/{message.body[-1]['handle_token'].value}"
        results = {"session_handle": Variant("s", SESSION)} if message.member == "CreateSession" else {}
        if message.member == "BindShortcuts":
            self.bound = message.body[1]
        answer = Message.new_signal(path, REQUEST, "Response", "ua{sv}", [self.code, results])
        asyncio.get_running_loop().call_soon(lambda: self.bus.send(answer))
        return Message.new_method_return(message, "o", [path])


def test_the_key_is_asked_for_and_its_presses_are_heard_alone(bus):
    async def run() -> None:
        async with Portal() as portal:
            heard = listen_to_key(KEYS)
            assert await asyncio.wait_for(anext(heard), 30) is KeyNews.HELD
            [[name, about]] = portal.bound
            assert (name, about["preferred_trigger"].value) == ("quick", "CTRL+ALT+space")
            await portal.press("another")
            await portal.press(session=f"{PORTAL_PATH}/session/1_1/two")
            await portal.press()
            assert await asyncio.wait_for(anext(heard), 30) is KeyNews.PRESSED
            await heard.aclose()

    asyncio.run(run())


def test_a_person_may_refuse(bus):
    async def run() -> None:
        async with Portal(code=1):
            with pytest.raises(GlobalKeyUnavailable, match=r"rejected.*footnote --quick"):
                await asyncio.wait_for(anext(listen_to_key(KEYS)), 30)

    asyncio.run(run())


def test_a_desktop_without_portal_says_so(bus):
    async def run() -> None:
        with pytest.raises(GlobalKeyUnavailable, match="no portal"):
            await asyncio.wait_for(anext(listen_to_key(KEYS)), 30)

    asyncio.run(run())


def test_a_session_without_bus_says_so(bus, monkeypatch, tmp_path):
    async def run() -> None:
        with pytest.raises(GlobalKeyUnavailable, match="no portal"):
            await anext(listen_to_key(KEYS))

    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    asyncio.run(run())
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    asyncio.run(run())


@cases(
    "keys, trigger",
    [
        ("Ctrl+Alt+Space", "CTRL+ALT+space"),
        ("Meta+F", "LOGO+f"),
        ("Ctrl+Shift+F12", "CTRL+SHIFT+F12"),
        ("Ctrl++", "CTRL+plus"),
        ("Alt+,", "ALT+comma"),
        ("F", ""),
        ("Shift+F", ""),
        ("Hyper+F", ""),
        ("Ctrl+", ""),
        ("", ""),
    ],
)
def test_keys_are_written_as_the_portal_writes_them(keys, trigger):
    assert trigger_of(keys) == trigger
