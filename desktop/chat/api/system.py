"""The desktop environment and the diagnostics for the window; see `desktop.chat.api.engine`."""

from collections.abc import AsyncIterator, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from desktop.domain.diagnostics import Check
from desktop.domain.serving import Client, ServedRequest
from desktop.domain.updates import InstalledProgram, Release, UpdateStatus, VersionNews


class KeyNews(Enum):
    """Events of a system-wide shortcut."""

    HELD = auto()
    """The shortcut is registered; its presses arrive here from now on."""
    PRESSED = auto()


class DesktopIntegration(Protocol):
    """The user's desktop session."""

    async def starts_at_login(self) -> bool:
        """Say whether Footnote starts when the user logs in."""
        ...

    async def start_at_login(self, is_wanted: bool) -> None:
        """Turn starting at login on or off.

        Raises:
            LoginStartFailed: the system refused the change.
        """
        ...

    async def wants_less_motion(self) -> bool:
        """Say whether the user has asked the system for reduced motion."""
        ...

    def listen_to_key(self, keys: str) -> AsyncIterator[KeyNews]:
        """Listen to a shortcut such as Ctrl+Alt+Space until the iterator is closed.

        Raises:
            GlobalKeyUnavailable: this desktop offers no global shortcuts, or another program uses this one.
        """
        ...


class Updates(Protocol):
    """This installation, newer versions of it, and what is new."""

    @property
    def program(self) -> InstalledProgram:
        """This installation."""
        ...

    @property
    def address(self) -> str:
        """What is asked for newer versions; empty if no address is known."""
        ...

    async def status(self) -> UpdateStatus:
        """Return what is known about newer versions, without a request."""
        ...

    async def check(self) -> UpdateStatus:
        """Ask now, and return what is known; a failure is in `problem`."""
        ...

    def watch(self) -> AsyncIterator[Release]:
        """Yield each newer version that the user was not told about; never ends by itself."""
        ...

    async def unpack_image(self) -> None:
        """Keep an unpacked copy of an AppImage, or remove it, as the settings say; elsewhere do nothing."""
        ...

    async def note_told(self, version: str) -> None:
        """Note that the user was told about a newer version, or about the update to this one."""
        ...

    async def pending_news(self) -> str:
        """Return the version before this one if the user was not told about the update; else an empty text."""
        ...

    async def news(self, language: str) -> VersionNews:
        """Return what is new in this version, in a language such as zh_CN."""
        ...


class Serving(Protocol):
    """Footnote as a tool server for other programs (`footnote mcp`)."""

    @property
    def address(self) -> str:
        """The address of the server on loopback."""
        ...

    async def requests(self) -> tuple[ServedRequest, ...]:
        """Return the last requests of other programs, the newest first."""
        ...

    async def clear(self) -> None:
        """Delete the log of requests."""
        ...

    async def token(self, *, is_new: bool = False) -> str:
        """Return the token of the server on loopback; it is made when it is first needed, or anew."""
        ...

    def configuration(self, client: Client) -> str:
        """Return the JSON with which a program starts Footnote as its tool server."""
        ...


class Diagnostics(Protocol):
    """The diagnostic checks and the log."""

    @property
    def log_folder(self) -> Path:
        """The folder of the log files."""
        ...

    def examine(self) -> AsyncIterator[Check]:
        """Yield one finding after another; takes some seconds."""
        ...

    async def report(self, checks: Sequence[Check], window: str) -> str:
        """Return a Markdown report for support: findings, settings, and warnings from the log.

        Secrets and the name of the user's folder are removed; `window` describes the platform of the window.
        """
        ...
