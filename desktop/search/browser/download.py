"""Playwright's own browser: its location, and its download by Playwright's driver.

The driver is a separate program. It knows the right build for this system and where to download it. It receives
only the environment variables that a download needs, and a temporary folder that is deleted afterwards.
Progress is measured by the size of the archive in that folder, which is finer than the ten progress lines of
the driver.
"""

import asyncio
import contextlib
import os
import re
import shutil
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright._impl._driver import compute_driver_executable
from playwright.async_api import Error as PlaywrightError

from desktop.domain.search import InstallObstacle, InstallPhase, InstallProgress
from desktop.errors import BrowserMissing, plain_reason
from desktop.phrases import sentences, translatable
from desktop.search.browser.discovery import is_complete
from desktop.search.browser.session import start_playwright
from desktop.text.child_processes import read_output, running_installer

_INSTALL = ("install", "--no-shell", "chromium")
_TICK_S = 0.25
_LONGEST_DETAIL_CHARS = 200

_KEPT_VARIABLES = frozenset(
    {"PATH", "HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "SYSTEMROOT", "WINDIR", "COMSPEC"}
    | {"XDG_CACHE_HOME", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"}
)
_KEPT_PREFIX = "PLAYWRIGHT_"
_TEMPORARY_FOLDER = ("TMPDIR", "TEMP", "TMP")

# Output of the driver, seen with Playwright 1.65 and Node.js 24.
_LOCATION = re.compile(r"Install location:\s+(.+)")
_BEGINS = re.compile(r"Downloading .+ from ")
_PROGRESS = re.compile(r"(\d+)% of ([\d.]+) MiB")
_ENDS = re.compile(r" downloaded to ")
_ERROR = re.compile(r"Error: (?!Failed to download|Download failure, code)(.+)")
_SIGNS = (
    (InstallObstacle.SERVER, re.compile(r"server returned code \d+|End of central directory")),
    (InstallObstacle.DISK_FULL, re.compile(r"\b(?:ENOSPC|EDQUOT)\b")),
    (InstallObstacle.FORBIDDEN, re.compile(r"\b(?:EACCES|EPERM|EROFS)\b")),
    (InstallObstacle.BUSY, re.compile(r"An active lockfile is found")),
    (
        InstallObstacle.OFFLINE,
        re.compile(
            r"\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)\b"
            r"|server closed connection|socket hang up|size mismatch|timed out"
        ),
    ),
)
_ADVICE = {
    InstallObstacle.OFFLINE: translatable(
        "The download was interrupted. Check your connection and try again."
    ),
    InstallObstacle.SERVER: translatable(
        "The server did not send it. Try again later, or install Google Chrome."
    ),
    InstallObstacle.DISK_FULL: translatable("There is not enough disk space. Free about 1 GB and try again."),
    InstallObstacle.FORBIDDEN: translatable(
        "Its folder is read-only. Set PLAYWRIGHT_BROWSERS_PATH to another one."
    ),
    InstallObstacle.BUSY: translatable("Another program is downloading it. Try again when it is finished."),
    InstallObstacle.OTHER: translatable("Its download failed. Try again, or install Google Chrome."),
}


async def playwright_browser_path() -> str:
    """Return where Playwright keeps its own browser, whether or not it is installed.

    Raises:
        BrowserMissing: Playwright itself cannot be started.
    """
    try:
        playwright = await start_playwright()
        try:
            return playwright.chromium.executable_path
        finally:
            await playwright.stop()
    except PlaywrightError as error:
        raise _failure(InstallObstacle.OTHER, plain_reason(error)) from error


async def install_browser() -> AsyncGenerator[InstallProgress, None]:
    """Download Playwright's browser if it is missing. Closing the iterator removes all partial files.

    Raises:
        BrowserMissing: it could not be downloaded; its field `obstacle` is an `InstallObstacle`.
    """
    yield InstallProgress(InstallPhase.STARTING)
    folders = await _folders()
    with TemporaryDirectory(prefix="footnote-browser-", ignore_cleanup_errors=True) as temporary:
        report = _DownloadReport(Path(temporary))
        latest: InstallProgress | None = None
        try:
            async with (
                _driver(*_INSTALL, temporary=temporary) as process,
                aclosing(read_output(process, _TICK_S)) as heard,
            ):
                async for lines in heard:
                    # The driver may report a small download in one go; without new lines the archive has grown.
                    for line in lines or ("",):
                        report.take(line)
                        if (progress := report.progress()) != latest:
                            latest = progress
                            yield progress
        finally:
            if report.has_begun:
                await asyncio.to_thread(_remove_parts, folders)
    # The driver may fail afterwards at its video tool, which Footnote does not use.
    if not is_complete(folders[0]):
        raise _failure(report.obstacle, report.detail)


async def _folders() -> tuple[Path, ...]:
    """Return the folders into which the driver would unpack, the browser's first."""
    output = bytearray()
    async with _driver(*_INSTALL, "--dry-run") as process:
        assert process.stdout is not None
        output += await process.stdout.read()
    words = output.decode("utf-8", "replace")
    folders = tuple(Path(match[1].strip()) for match in _LOCATION.finditer(words))
    if not folders:
        raise _failure(InstallObstacle.OTHER, words)
    return folders


class _DownloadReport:
    """The driver's output so far; `temporary` is the folder in which the archive grows."""

    def __init__(self, temporary: Path) -> None:
        self._temporary = temporary
        self._phase = InstallPhase.STARTING
        self._done_bytes = 0
        self._total_bytes = 0
        self._is_browser_there = False
        self.has_begun = False
        self.obstacle = InstallObstacle.OTHER
        self.detail = ""

    def take(self, line: str) -> None:
        """Process one more line."""
        if _BEGINS.match(line):
            self.has_begun = True
            if not self._is_browser_there:  # the tool that follows is too small to report
                self._phase = InstallPhase.DOWNLOADING
                self._done_bytes = self._total_bytes = 0
        elif _ENDS.search(line):
            self._is_browser_there = True
        elif self._phase is InstallPhase.DOWNLOADING and (match := _PROGRESS.search(line)):
            self._total_bytes = round(float(match[2]) * 2**20)
            self._done_bytes = self._total_bytes * int(match[1]) // 100
            if self._done_bytes == self._total_bytes:
                self._phase = InstallPhase.UNPACKING
        self._take_failure(line)

    def _take_failure(self, line: str) -> None:
        if match := _ERROR.match(line):
            self.detail = match[1]
        for obstacle, sign in _SIGNS:
            if sign.search(line):
                self.obstacle = obstacle

    def progress(self) -> InstallProgress:
        """Return the current progress."""
        if self._phase is not InstallPhase.DOWNLOADING:
            return InstallProgress(self._phase)
        done = max(self._done_bytes, _size_bytes(self._temporary))
        # The driver has rounded the total.
        return InstallProgress(
            self._phase, min(done, self._total_bytes) if self._total_bytes else done, self._total_bytes
        )


def _size_bytes(folder: Path) -> int:
    """Return the size of the archives in `folder`; the driver may delete them at any time."""
    size = 0
    with contextlib.suppress(OSError):
        for path in folder.glob("*/*.zip"):
            size += path.stat().st_size
    return size


@asynccontextmanager
async def _driver(*arguments: str, temporary: str = "") -> AsyncIterator[Process]:
    """Run the driver while the block lasts."""
    async with AsyncExitStack() as stack:
        try:
            command = (*compute_driver_executable(), *arguments)
            running = running_installer(*command, environment=_environment(temporary))
            process = await stack.enter_async_context(running)
        except (PlaywrightError, OSError) as error:
            raise _failure(InstallObstacle.OTHER, plain_reason(error)) from error
        yield process


def _remove_parts(folders: tuple[Path, ...]) -> None:
    """Remove incompletely unpacked files and the driver's lock on them."""
    for folder in folders:
        if not is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(folders[0].parent / "__dirlock", ignore_errors=True)


def _environment(temporary: str) -> dict[str, str]:
    """Return the environment variables for the driver, which include no keys."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _KEPT_VARIABLES or name.startswith(_KEPT_PREFIX)
    }
    return kept | (dict.fromkeys(_TEMPORARY_FOLDER, temporary) if temporary else {})


def _failure(obstacle: InstallObstacle, detail: str) -> BrowserMissing:
    brief = " ".join(detail.split())[:_LONGEST_DETAIL_CHARS]
    advice = sentences((_ADVICE[obstacle], f"({brief})" if brief else ""))
    return BrowserMissing(advice=advice, obstacle=obstacle, detail=brief)
