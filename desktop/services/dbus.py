"""The session bus of a Linux desktop: its notifications, and the portal for system-wide shortcuts and reduced motion.

Over jeepney, the only D-Bus library here: QtDBus delivers to Qt's event loops, and the asyncio thread has none.
"""

import asyncio
import html
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final
from uuid import uuid4

from typing_extensions import override

from desktop.chat.api.conversations import Notes, Notification, NotificationResult
from desktop.chat.api.system import KeyNews
from desktop.errors import GlobalKeyUnavailable, plain_reason
from desktop.phrases import translatable

_ANSWER_S: Final = 5.0


class BusError(Exception):
    """The bus is missing, closed or silent, or the service refuses or is missing."""


@dataclass(frozen=True)
class BusInterface:
    """An interface of an object of a service."""

    service: str
    path: str
    name: str


class SessionBus:
    """A connection to the bus. A variant is a tuple of its signature and its value."""

    def __init__(self, router: Any) -> None:
        """`router` is jeepney's; jeepney is installed on Linux only and has no types, so it is imported by name."""
        self._router = router

    @property
    def name(self) -> str:
        """The unique name of this connection."""
        return str(self._router.unique_name)

    async def call(
        self, interface: BusInterface, member: str, signature: str | None = None, *arguments: object
    ) -> tuple[Any, ...]:
        """Call a method and return its results."""
        jeepney = import_module("jeepney")
        address = jeepney.DBusAddress(interface.path, bus_name=interface.service, interface=interface.name)
        return await self._send(jeepney.new_method_call(address, member, signature, arguments))

    @asynccontextmanager
    async def listen(self, interface: BusInterface, signals: asyncio.Queue[Any]) -> AsyncIterator[None]:
        """Put the signals of an interface into a queue: pairs of a name and arguments."""
        jeepney = import_module("jeepney")
        rule = jeepney.MatchRule(type="signal", interface=interface.name, path=interface.path)
        member = jeepney.HeaderFields.member
        with self._router.filter(rule, queue=_Signals(member, signals)):
            await self._send(jeepney.message_bus.AddMatch(rule))
            yield

    async def _send(self, message: object) -> tuple[Any, ...]:
        with _foreign_errors():
            async with asyncio.timeout(_ANSWER_S):
                answer = await self._router.send_and_get_reply(message)
            results: tuple[Any, ...] = import_module("jeepney.wrappers").unwrap_msg(answer)
        return results


@dataclass(frozen=True)
class _Signals:
    """Receives jeepney's messages in place of a queue."""

    member: Any
    signals: asyncio.Queue[Any]

    def put_nowait(self, message: Any) -> None:
        self.signals.put_nowait((message.header.fields[self.member], message.body))


@asynccontextmanager
async def session_bus() -> AsyncIterator[SessionBus]:
    """Connect to the bus; raises BusError."""
    with _foreign_errors():
        opening = import_module("jeepney.io.asyncio").open_dbus_router()
        async with asyncio.timeout(_ANSWER_S):
            router = await opening.__aenter__()
        try:
            yield SessionBus(router)
        finally:
            await opening.__aexit__(None, None, None)


@contextmanager
def _foreign_errors() -> Iterator[None]:
    """Convert errors: no address, no socket, access denied, disconnected, silent, no such service, a refusal."""
    wrappers, auth = import_module("jeepney.wrappers"), import_module("jeepney.auth")
    closed = import_module("jeepney.io.common").RouterClosed
    refused = (wrappers.DBusErrorResponse, auth.AuthenticationError, closed)
    try:
        yield
    # A response that arrives after its request was abandoned makes jeepney raise InvalidStateError.
    except (
        OSError,
        EOFError,
        LookupError,
        ValueError,
        RuntimeError,
        asyncio.InvalidStateError,
        *refused,
    ) as error:
        raise BusError(plain_reason(error)) from error


NOTIFICATIONS_NAME: Final = "org.freedesktop.Notifications"
NOTIFICATIONS_PATH: Final = "/org/freedesktop/Notifications"
_SERVER: Final = BusInterface(NOTIFICATIONS_NAME, NOTIFICATIONS_PATH, NOTIFICATIONS_NAME)

_OPEN: Final = "default"
"""The action for a click on the notification itself."""

_ENDS = {"ActionInvoked": NotificationResult.CLICKED, "NotificationClosed": NotificationResult.CLOSED}

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


PORTAL: Final = "org.freedesktop.portal.Desktop"
PORTAL_PATH: Final = "/org/freedesktop/portal/desktop"
SHORTCUTS: Final = BusInterface(PORTAL, PORTAL_PATH, "org.freedesktop.portal.GlobalShortcuts")
REQUEST: Final = "org.freedesktop.portal.Request"

_SETTINGS: Final = BusInterface(PORTAL, PORTAL_PATH, "org.freedesktop.portal.Settings")
_ID: Final = "quick"
_DESCRIPTION: Final = "Footnote: quick question"
"""The description that the desktop shows; it is in English like all text for other programs."""

_MODIFIERS: Final = {"Ctrl": "CTRL", "Alt": "ALT", "Shift": "SHIFT", "Meta": "LOGO"}
_NAMES: Final = {
    "Space": "space",
    "Esc": "Escape",
    "Ins": "Insert",
    "Del": "Delete",
    "PgUp": "Prior",
    "PgDown": "Next",
    "Backspace": "BackSpace",
    "Print": "Print",
    ",": "comma",
    ".": "period",
    "/": "slash",
    ";": "semicolon",
    "'": "apostrophe",
    "`": "grave",
    "-": "minus",
    "=": "equal",
    "+": "plus",
    "\\": "backslash",
    "[": "bracketleft",
    "]": "bracketright",
}
"""The names of keys where the portal's differ from Qt's."""

_USER_ANSWERS_S: Final = 300.0
"""Timeout in seconds: the desktop may show a dialog, and the user may be away."""

_NO_PORTAL: Final = translatable("This desktop has no portal for global shortcuts.")
_REFUSED: Final = translatable("The desktop rejected it.")

_WISHES: Final = (
    ("org.freedesktop.appearance", "reduced-motion", 1),
    ("org.gnome.desktop.interface", "enable-animations", False),
)
"""The settings that stand for reduced motion, and their values."""


def trigger_of(keys: str) -> str:
    """Return a shortcut of Qt's as the portal writes it, such as `CTRL+ALT+space`.

    It is empty for a key without Ctrl, Alt or Meta, which other programs need: the desktop then asks for another.
    """
    before, plus, key = keys.rpartition("+")
    if not key and before.endswith("+"):  # Ctrl++
        before, key = before[:-1], plus
    modifiers = before.split("+") if before else []
    if not key or not set(modifiers) <= set(_MODIFIERS) or not set(modifiers) - {"Shift"}:
        return ""
    symbol = _NAMES.get(key, key.lower() if len(key) == 1 else key)
    return "+".join([*(_MODIFIERS[modifier] for modifier in modifiers), symbol])


async def watch_shortcut(keys: str) -> AsyncGenerator[KeyNews]:
    """Yield events of the shortcut `keys` until this is closed; the desktop may assign another key."""
    heard: asyncio.Queue[Any] = asyncio.Queue()
    try:
        async with session_bus() as bus, bus.listen(SHORTCUTS, heard):
            session = await _open_session(bus)
            about = {"description": ("s", _DESCRIPTION), "preferred_trigger": ("s", trigger_of(keys))}
            await _ask(bus, "BindShortcuts", "oa(sa{sv})sa{sv}", session, [(_ID, about)], "")
            yield KeyNews.HELD
            while True:
                member, arguments = await heard.get()
                if member == "Activated" and arguments[:2] == (session, _ID):
                    yield KeyNews.PRESSED
    except BusError as problem:
        raise GlobalKeyUnavailable(keys=keys, detail=_NO_PORTAL) from problem
    except _Refused as problem:
        raise GlobalKeyUnavailable(keys=keys, detail=_REFUSED) from problem


class _Refused(Exception):
    """The user, or the desktop for them, did not allow what was requested, or did not answer."""


async def _open_session(bus: SessionBus) -> str:
    """Return the path of a new session."""
    answer = await _ask(bus, "CreateSession", "a{sv}", session_handle_token=("s", _token()))
    return str(answer["session_handle"][1])


async def _ask(
    bus: SessionBus, method: str, signature: str, *arguments: object, **options: tuple[str, str]
) -> dict[str, Any]:
    """Call a method that asks the user; its answer is a signal of a request of its own."""
    token = _token()
    answered: asyncio.Queue[Any] = asyncio.Queue()
    path = f"{PORTAL_PATH}/request/{bus.name.lstrip(':').replace('.', '_')}/{token}"
    # Subscribed before the call: a portal may answer at once.
    async with bus.listen(BusInterface(PORTAL, path, REQUEST), answered):
        given = {**options, "handle_token": ("s", token)}
        await bus.call(SHORTCUTS, method, signature, *arguments, given)
        try:
            _member, (code, results) = await asyncio.wait_for(answered.get(), _USER_ANSWERS_S)
        except TimeoutError as problem:
            raise _Refused from problem
    if code != 0:
        raise _Refused
    return dict(results)


def _token() -> str:
    return f"footnote_{uuid4().hex}"


async def wants_less_motion() -> bool:
    """Ask the portal; on systems other than Linux the web engine asks the system itself."""
    if not sys.platform.startswith("linux") or not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return False
    try:
        async with session_bus() as bus:
            for namespace, key, wish in _WISHES:
                if await _setting(bus, namespace, key) == wish:
                    return True
    except BusError:  # no bus or no portal: the preference is not set
        pass
    return False


async def _setting(bus: SessionBus, namespace: str, key: str) -> object:
    """Return a setting of the desktop; None if it has no such one."""
    try:
        ((_signature, value),) = await bus.call(_SETTINGS, "ReadOne", "ss", namespace, key)
    except BusError:
        return None
    return value
