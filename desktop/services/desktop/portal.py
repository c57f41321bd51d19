"""System-wide shortcuts and reduced motion through the desktop portal; the desktop asks the user for a shortcut."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from typing import Any, Final
from uuid import uuid4

from desktop.chat.api.system import KeyNews
from desktop.errors import GlobalKeyUnavailable
from desktop.phrases import translatable
from desktop.services.desktop.dbus import BusError, BusInterface, SessionBus, session_bus

PORTAL: Final = "org.freedesktop.portal.Desktop"
PATH: Final = "/org/freedesktop/portal/desktop"
SHORTCUTS: Final = BusInterface(PORTAL, PATH, "org.freedesktop.portal.GlobalShortcuts")
REQUEST: Final = "org.freedesktop.portal.Request"

_SETTINGS: Final = BusInterface(PORTAL, PATH, "org.freedesktop.portal.Settings")
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

_ANSWER_S: Final = 300.0
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


async def presses(keys: str) -> AsyncGenerator[KeyNews]:
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
    path = f"{PATH}/request/{bus.name.lstrip(':').replace('.', '_')}/{token}"
    # Subscribed before the call: a portal may answer at once.
    async with bus.listen(BusInterface(PORTAL, path, REQUEST), answered):
        given = {**options, "handle_token": ("s", token)}
        await bus.call(SHORTCUTS, method, signature, *arguments, given)
        try:
            _member, (code, results) = await asyncio.wait_for(answered.get(), _ANSWER_S)
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
