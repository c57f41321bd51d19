"""Settings, browser, desktop environment, updates and diagnostics for the window; see `desktop.chat.api.engine`."""

from collections.abc import AsyncIterator, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from desktop.domain.models import ProviderTrial
from desktop.domain.program import Check, InstalledProgram, Release, UpdateStatus, VersionNews
from desktop.domain.search import InstallProgress
from desktop.domain.serving import Client, ServedRequest
from desktop.settings.model import ProviderSettings, Settings


class KeyNews(Enum):
    """Events of a system-wide shortcut."""

    HELD = auto()
    """The shortcut is registered; its presses arrive here from now on."""
    PRESSED = auto()


class Preferences(Protocol):
    """Settings and secrets. `presets` are known providers that can be added with one click."""

    @property
    def settings(self) -> Settings:
        """The current settings."""
        ...

    @property
    def presets(self) -> tuple[ProviderSettings, ...]:
        """Known providers that need only a key, or no key at all."""
        ...

    def key_page(self, provider: ProviderSettings) -> str:
        """Return the web page where the user creates a key for a provider; empty if it is not known."""
        ...

    @property
    def keyring_problem(self) -> str:
        """Why keys cannot be stored beyond this run; empty if they can."""
        ...

    async def probe_keyring(self) -> str:
        """Look for the keyring now and return `keyring_problem`."""
        ...

    async def save(self, settings: Settings) -> None:
        """Apply `settings` and save them to disk."""
        ...

    async def set_secret(self, name: str, value: str) -> None:
        """Store a secret, such as `provider/openai`; an empty value deletes it."""
        ...

    async def has_secret(self, name: str) -> bool:
        """Say whether a secret is stored, without revealing it."""
        ...

    async def test_provider(self, provider: ProviderSettings, key: str | None) -> tuple[str, ...]:
        """Return the names by which a provider is asked for its models; if `key` is None, the stored key is used."""
        ...

    def try_provider(self, provider: ProviderSettings, key: str) -> AsyncIterator[ProviderTrial]:
        """List the models of a provider, then ask the best of them for a word, and others if it refuses; the last step has the answer.

        A list alone does not tell whether the account has credit, and some servers give it to anyone.

        Raises:
            ProviderError: there is no list, it is empty, or no model has answered.
        """
        ...

    async def test_engine(self, engine: str) -> str:
        """Run a test search with an engine and return a message about the result."""
        ...

    async def test_network(self, part: str) -> str:
        """Connect as `models`, `search`, `reading` or `mcp` does and return a message about the result.

        Raises:
            SettingsError: the connection failed.
        """
        ...

    async def fetch_block_lists(self) -> str:
        """Fetch the block lists of sites again and return a message about the result."""
        ...

    async def local_providers(self) -> tuple[ProviderSettings, ...]:
        """Return the model servers found running on this machine."""
        ...


class BrowserSetup(Protocol):
    """The browser that loads result pages."""

    async def problem(self) -> str:
        """Return why no browser can be started; empty if one is found."""
        ...

    def install(self) -> AsyncIterator[InstallProgress]:
        """Download a browser, which is used from the next page on. Closing the iterator undoes the installation.

        The field `obstacle` of a raised `BrowserMissing` says what prevented it. Has no effect while the
        settings name a browser of the user's own: that one is never replaced.
        """
        ...


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
