"""Selects the browser: the configured one, Playwright's own, or another installed one."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from desktop.errors import BrowserMissing
from desktop.installation import installation
from desktop.phrases import translatable

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

_NO_PROGRAM = translatable("“{name}” from the settings is not a program.")
_ADVICE = {
    "linux": translatable(
        "Install one (Debian, Ubuntu: sudo apt install chromium), or have one downloaded: {command}"
    ),
    "darwin": translatable("Install Google Chrome, or have a browser downloaded: {command}"),
    "win32": translatable("Install Google Chrome or Microsoft Edge, or have a browser downloaded: {command}"),
}

_MARKER = "INSTALLATION_COMPLETE"
"""The file that Playwright writes last into a browser's folder. Seen with release 1.65."""
_REVISION = re.compile(r"chromium-[0-9]+")


def find_browser(configured: str, bundled: str = "") -> Path:
    """Return the path of the browser to start.

    Args:
        configured: path or command from the settings; if empty, a browser is searched for.
        bundled: where Playwright would keep its own browser.

    Raises:
        BrowserMissing: there is none; no fallback is used for a configured one that does not exist.
    """
    if configured:
        found = shutil.which(Path(configured).expanduser())
        if found is None:
            raise BrowserMissing(advice=_NO_PROGRAM.format(name=configured))
        return Path(found)
    if bundled and (downloaded := _find_downloaded(Path(bundled))) is not None:
        return downloaded
    for candidate in _list_installed():
        if candidate and Path(candidate).is_file():
            return Path(candidate)
    advice = _ADVICE.get(sys.platform, _ADVICE["linux"])
    raise BrowserMissing(advice=advice.format(command=f"{installation().shown_command} browser install"))


def _find_downloaded(bundled: Path) -> Path | None:
    """Return the browser that Playwright downloaded: the one that it asks for, else the newest earlier one.

    Each version of Playwright asks for another one, in a folder such as `chromium-1200`, and an update of
    Footnote should not take the browser away that was downloaded before.
    """
    if bundled.is_file() and any(map(is_complete, bundled.parents)):
        return bundled
    named = next((each for each in bundled.parents if _REVISION.fullmatch(each.name)), None)
    if named is None or not named.parent.is_dir():
        return None
    inside = bundled.relative_to(named)
    others = [each for each in named.parent.iterdir() if _REVISION.fullmatch(each.name) and is_complete(each)]
    others.sort(key=lambda folder: int(folder.name.rpartition("-")[2]), reverse=True)
    return next((other / inside for other in others if (other / inside).is_file()), None)


def is_complete(folder: Path) -> bool:
    """Say whether Playwright finished unpacking a browser into `folder`; a crash leaves it incomplete."""
    return (folder / _MARKER).is_file()


def _list_installed() -> Iterator[str]:
    for command in _COMMANDS:
        yield shutil.which(command) or ""
    for app in _MAC_APPS:
        yield f"/Applications/{app}.app/Contents/MacOS/{app}"
    for variable in _WINDOWS_FOLDERS:
        folder = os.environ.get(variable)
        for program in _WINDOWS_PROGRAMS:
            yield str(Path(folder) / program) if folder else ""


def needs_no_sandbox() -> bool:
    """Say whether Chromium would refuse to start with its sandbox, as it does for root on Linux."""
    return sys.platform == "linux" and os.geteuid() == 0
