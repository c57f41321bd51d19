"""Desktop integration: autostart, system-wide shortcuts, reduced motion."""

import asyncio
import plistlib
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import platformdirs
from typing_extensions import override

from desktop.chat.api.system import DesktopIntegration, KeyNews
from desktop.errors import GlobalKeyUnavailable, LoginStartFailed, plain_reason
from desktop.installation import installation
from desktop.phrases import translatable
from desktop.settings.atomic_files import write_whole
from desktop.settings.folders import AppFolders, is_found_without_options

_NAME = "footnote"
_LABEL = "app.footnote"
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"

_DESKTOP_ENTRY = """[Desktop Entry]
Type=Application
Name=Footnote
Exec={command}
X-GNOME-Autostart-enabled=true
"""


class AutostartEntry:
    """The autostart entry of the session; it is always rewritten, as the program may have moved."""

    def __init__(self, folders: AppFolders) -> None:
        own = [] if is_found_without_options(folders) else ["--data-dir", str(folders.data)]
        self._command = [*installation().command, *own, "--hidden"]

    def is_there(self) -> bool:
        """Say whether the session starts Footnote."""
        if sys.platform == "win32":
            return _read_registered() is not None
        return _file().exists()

    def put(self) -> None:
        """Make the session start Footnote at login.

        Raises:
            LoginStartFailed: the system refused.
        """
        try:
            if sys.platform == "win32":
                _register(subprocess.list2cmdline(self._command))
            else:
                path = _file()
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, self._content())
        except OSError as error:
            raise LoginStartFailed(detail=plain_reason(error)) from error

    def remove(self) -> None:
        """Stop the session from starting Footnote at login.

        Raises:
            LoginStartFailed: the system refused.
        """
        try:
            if sys.platform == "win32":
                _register(None)
            else:
                _file().unlink(missing_ok=True)
        except OSError as error:
            raise LoginStartFailed(detail=plain_reason(error)) from error

    def _content(self) -> bytes:
        if sys.platform == "darwin":
            return plistlib.dumps({"Label": _LABEL, "ProgramArguments": self._command, "RunAtLoad": True})
        return _DESKTOP_ENTRY.format(command=" ".join(map(quote_argument, self._command))).encode()


def quote_argument(argument: str) -> str:
    """Return an argument quoted for the Exec line of a desktop entry.

    See the Desktop Entry Specification, "The Exec key".
    """
    for plain, written in (("\\", "\\\\\\\\"), ('"', '\\\\"'), ("`", "\\\\`"), ("$", "\\\\$"), ("%", "%%")):
        argument = argument.replace(plain, written)
    return f'"{argument}"'


def _file() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    return platformdirs.user_config_path() / "autostart" / f"{_NAME}.desktop"


if sys.platform == "win32":
    import winreg

    def _read_registered() -> str | None:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
            try:
                return str(winreg.QueryValueEx(key, _NAME)[0])
            except FileNotFoundError:
                return None

    def _register(command: str | None) -> None:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY, access=winreg.KEY_WRITE) as key:
            if command is not None:
                winreg.SetValueEx(key, _NAME, 0, winreg.REG_SZ, command)
            elif _read_registered() is not None:
                winreg.DeleteValue(key, _NAME)


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
        from desktop.services.dbus import wants_less_motion  # noqa: PLC0415 - not before it is asked

        return await wants_less_motion()

    @override
    def listen_to_key(self, keys: str) -> AsyncIterator[KeyNews]:
        return listen_to_key(keys)


def listen_to_key(keys: str) -> AsyncGenerator[KeyNews]:
    """Listen for a shortcut, through the portal of a Linux desktop."""
    if sys.platform != "linux":
        raise GlobalKeyUnavailable(keys=keys, detail=_NO_WAY)
    from desktop.services.dbus import watch_shortcut  # noqa: PLC0415 - most sessions have no shortcut

    return watch_shortcut(keys)
