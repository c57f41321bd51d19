"""Which browser is used: the configured one, Playwright's own, or one that is installed."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from desktop.errors import BrowserMissing

_COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
_MAC_APPS = ("Google Chrome", "Microsoft Edge", "Chromium")
_WINDOWS_PROGRAMS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
_WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")

_ADVICE = {
    "linux": "Install one (Debian, Ubuntu: sudo apt install chromium) or run: playwright install chromium",
    "darwin": "Install Google Chrome, or run: playwright install chromium",
    "win32": "Install Google Chrome or Microsoft Edge, or run: playwright install chromium",
}


def find_browser(configured: str, bundled: str = "") -> Path:
    """Return the browser to start.

    Args:
        configured: path or command from the settings; empty means: look for one.
        bundled: where Playwright would keep its own browser.

    Raises:
        BrowserMissing: there is none; a configured one that does not exist is not replaced.
    """
    if configured:
        found = shutil.which(Path(configured).expanduser())
        if found is None:
            raise BrowserMissing(advice=f"“{configured}” from the settings is not a program.")
        return Path(found)
    for candidate in (bundled, *_installed()):
        if candidate and Path(candidate).is_file():
            return Path(candidate)
    raise BrowserMissing(advice=_ADVICE.get(sys.platform, _ADVICE["linux"]))


def _installed() -> Iterator[str]:
    for command in _COMMANDS:
        yield shutil.which(command) or ""
    for app in _MAC_APPS:
        yield f"/Applications/{app}.app/Contents/MacOS/{app}"
    for variable in _WINDOWS_FOLDERS:
        folder = os.environ.get(variable)
        for program in _WINDOWS_PROGRAMS:
            yield str(Path(folder) / program) if folder else ""


def needs_no_sandbox() -> bool:
    """Say whether Chromium would refuse to start with its sandbox: it does for root on Linux."""
    return sys.platform == "linux" and os.geteuid() == 0
