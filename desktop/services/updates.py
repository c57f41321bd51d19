"""Newer versions: a daily question to the project's page, what the changelog says, and the unpacked copy of an AppImage."""

import asyncio
import logging
import os
import re
import shutil
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec
from typing_extensions import override

from desktop import __version__
from desktop.chat.api.system import Updates
from desktop.domain.privacy import Channel
from desktop.domain.program import InstalledProgram, Release, UpdateStatus, VersionNews
from desktop.errors import UpdateUnknown, plain_reason
from desktop.installation import PROGRAM, Installation, InstallForm, installation
from desktop.phrases import translatable
from desktop.resources import changelog_text
from desktop.settings.atomic_files import write_whole
from desktop.settings.folders import AppFolders
from desktop.settings.model import ProgramSettings
from desktop.settings.proxies import is_loopback
from desktop.text.message_codec import decode_json, encode_json

if TYPE_CHECKING:
    from desktop.search.transport import ChooseProxy

FOLDER: Final = Path("footnote", "appimage")
"""The place of the copies in the cache folder of the user; `AppRun` looks there."""

BUILD_FILE: Final = "BUILD"
"""A file of the AppImage whose one line is different in each build."""

COMPLETE: Final = "UNPACKED"
"""A file that is added to a copy when nothing of it is missing."""

_SPARE_BYTES = 2 * 1024**3
"""Space on the disk that has to be left when the copy is there."""

_log = logging.getLogger(__name__)


class _Stopped(Exception):
    """The copying was stopped."""


def copies_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the copies, as `AppRun` computes it."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / FOLDER


def keep_copy(tree: Path, folder: Path, *, is_wanted: bool, is_stopped: Callable[[], bool]) -> None:
    """Make the copy of the AppImage whose files are in `tree`, and remove those of other builds; takes a minute or more.

    If none is wanted, all are removed; one that is in use only with the next start.

    Raises:
        OSError: it could not be written; what was written is removed with the next start.
    """
    copy = folder / (tree / BUILD_FILE).read_text("utf-8").strip()
    if not is_wanted:
        (copy / COMPLETE).unlink(missing_ok=True)
    for other in folder.iterdir() if folder.is_dir() else ():
        is_kept = other == copy and is_wanted and (copy / COMPLETE).exists()
        if not is_kept and not _is_running(other):
            shutil.rmtree(other)
    if not is_wanted or (copy / COMPLETE).exists():
        return
    if shutil.disk_usage(_first_existing(folder)).free < _size_of(tree) + _SPARE_BYTES:
        _log.info("The disk has no space for an unpacked copy of the AppImage")
        return
    with suppress(_Stopped):
        _copy(tree, copy, is_stopped)


def _copy(tree: Path, copy: Path, is_stopped: Callable[[], bool]) -> None:
    def copy_file(source: str, target: str) -> str:
        if is_stopped():
            raise _Stopped
        return str(shutil.copy2(source, target))

    part = copy.with_name(f"{copy.name}.part")
    for old in (part, copy):  # left behind by a start that ended early
        if old.exists():
            shutil.rmtree(old)
    part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(tree, part, symlinks=True, copy_function=copy_file)
    (part / COMPLETE).touch()
    part.replace(copy)


def _is_running(folder: Path) -> bool:
    """Say whether a process runs a program of `folder`; processes of other users are not seen."""
    for link in Path("/proc").glob("[0-9]*/exe"):
        try:
            program = link.readlink()
        except OSError:  # it has ended, or is another user's
            continue
        if program.is_relative_to(folder):
            return True
    return False


def _size_of(tree: Path) -> int:
    return sum((Path(root) / name).lstat().st_size for root, _, names in os.walk(tree) for name in names)


def _first_existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.is_dir())


FORM_NAMES: Final[Mapping[InstallForm, str]] = {
    InstallForm.SOURCE: translatable("run from source"),
    InstallForm.PIP: translatable("installed with pip"),
    InstallForm.UV: translatable("installed with uv pip"),
    InstallForm.UV_TOOL: translatable("installed with uv tool"),
    InstallForm.PIPX: translatable("installed with pipx"),
    InstallForm.DEB: translatable("installed as a Debian package"),
    InstallForm.APPIMAGE: translatable("run as an AppImage"),
    InstallForm.WINDOWS: translatable("installed with the installer for Windows"),
    InstallForm.MACOS: translatable("installed as an application of macOS"),
    InstallForm.FLATPAK: translatable("installed as a Flatpak"),
    InstallForm.FOLDER: translatable("run from an unpacked folder"),
}

_BY_COMMAND = translatable("Update it in a terminal.")
_BY_APT = translatable(
    "Update it in a terminal. If you installed a downloaded file, download the new one from its page."
)
_BY_ZSYNC = translatable(
    "Download the new AppImage from its page and replace the old one. AppImageUpdate downloads "
    "only the changes."
)
_BY_INSTALLER = translatable("Download the new installer from its page and run it; your data stays.")
_BY_FOLDER = translatable("Download the new archive from its page and replace this folder with its contents.")
_ADVICE: Final = {
    InstallForm.DEB: _BY_APT,
    InstallForm.APPIMAGE: _BY_ZSYNC,
    InstallForm.WINDOWS: _BY_INSTALLER,
    InstallForm.MACOS: _BY_INSTALLER,
    InstallForm.FOLDER: _BY_FOLDER,
}

_NO_ADDRESS = translatable("No update address is set, so Footnote doesn’t check for updates.")
_NOT_SECURE = translatable("The address must begin with https://.")
_NO_CONNECTION = translatable("{host} can’t be reached.")
_SLOW = translatable("{host} took too long to respond.")
_STATUS = translatable("{host} returned HTTP {code}.")
_TOO_LONG = translatable("{host} sent more data than a version description.")
_NO_RELEASE = translatable("{host} did not send a version description.")
_NOT_KEPT = translatable("Footnote did not check, because it couldn’t save the time of the check ({detail}).")

STATE_FILE: Final = "updates.json"
_PAGE_LABELS = ("updates", "homepage", "documentation")
_RELEASE_FILE = "latest.json"
_EVERY = timedelta(days=1)
_LOOK_S = 1_800.0
_LIMIT_S = 20.0
_UNPACK_AFTER_S = 30.0
"""The start itself reads from the AppImage, too."""
_MOST_BYTES = 64 * 1024
_MOST_CHARS = 4_000
_MOST_NOTES = 20
_VERSION = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){1,3}")
_HEADING = re.compile(r"^## +\[?([0-9][0-9.]*)\]?.*$", re.MULTILINE)


@dataclass(frozen=True)
class _Announcement:
    """The document as it is sent."""

    version: str
    date: str
    address: str
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _State:
    """What is kept in the data folder from one start to the next.

    `asked_at` is the time of the last request, or of the first start. `told` is the version that the user has
    been told about, `ran` the one that ran last, and `since` the one that ran before it.
    """

    asked_at: datetime | None = None
    has_asked: bool = False
    problem: str = ""
    release: Release | None = None
    told: str = ""
    ran: str = ""
    since: str = ""
    is_news_told: bool = True


def default_address() -> str:
    """Return where the project announces its versions, by the addresses in its metadata; empty if it names none."""
    try:
        entries: list[str] = metadata(PROGRAM).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    pages = {
        label.strip().casefold(): address.strip() for label, _, address in (e.partition(",") for e in entries)
    }
    if address := pages.get(_PAGE_LABELS[0], ""):
        return address
    page = next((pages[label] for label in _PAGE_LABELS if pages.get(label)), "")
    return f"{page.rstrip('/')}/{_RELEASE_FILE}" if page else ""


def version_key(version: str) -> tuple[int, ...]:
    """Return a version as numbers that can be compared, without zeros at its end.

    Raises:
        ValueError: it is not made of numbers.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(version)
    numbers = [int(part) for part in version.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def parse_release(data: bytes) -> Release:
    """Return the announced version.

    Raises:
        ValueError: the document is not one.
    """
    found = msgspec.json.decode(data, type=_Announcement)
    version_key(found.version)
    date.fromisoformat(found.date)
    if not _is_acceptable(found.address):
        raise ValueError(found.address)
    notes = [(name, text[:_MOST_CHARS]) for name, text in found.notes.items()][:_MOST_NOTES]
    return Release(found.version, found.date, found.address, tuple(notes))


def _is_acceptable(address: str) -> bool:
    """Say whether an address is protected against changes on the way, or on this machine."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(address))
    )


async def fetch_release(address: str, choose_proxy: "ChooseProxy") -> Release:
    """Ask an address for the newest version. Redirections are not followed.

    Raises:
        UpdateUnknown: there was no usable answer.
    """
    import httpx  # noqa: PLC0415 - asked at most once a day

    from desktop.search.transport import ProxiedTransport, tls_context  # noqa: PLC0415 - same

    if not _is_acceptable(address):
        raise UpdateUnknown(detail=_NOT_SECURE)
    host = urlsplit(address).hostname
    transport = ProxiedTransport(
        choose_proxy, httpx.AsyncHTTPTransport(verify=tls_context()), channel=Channel.UPDATE
    )
    headers = {"User-Agent": "Footnote", "Accept": "application/json"}
    try:
        async with (
            asyncio.timeout(_LIMIT_S),
            httpx.AsyncClient(transport=transport, headers=headers, timeout=_LIMIT_S) as client,
            client.stream("GET", address) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise UpdateUnknown(detail=_STATUS.format(host=host, code=response.status_code))
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > _MOST_BYTES:
                    raise UpdateUnknown(detail=_TOO_LONG.format(host=host))
    except httpx.ProxyError as error:
        raise UpdateUnknown(detail=plain_reason(error)) from error
    except (TimeoutError, httpx.TimeoutException) as error:
        raise UpdateUnknown(detail=_SLOW.format(host=host)) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UpdateUnknown(detail=_NO_CONNECTION.format(host=host)) from error
    try:
        return parse_release(bytes(data))
    except (ValueError, msgspec.MsgspecError) as error:
        raise UpdateUnknown(detail=_NO_RELEASE.format(host=host)) from error


def read_news(version: str, since: str, language: str) -> VersionNews:
    """Return the changelog of the versions after `since` up to `version`; of versions without one nothing.

    Versions that the changelog of the language does not have are taken from the English one.
    """
    english = _sections(changelog_text("en"))
    translated = _sections(changelog_text(language))
    newest = version_key(version)
    least = version_key(since) if since else None
    wanted = [
        each
        for each in english
        if (each == version if least is None else least < version_key(each) <= newest)
    ]
    texts = [translated.get(each, english[each]) for each in wanted]
    return VersionNews(version, since, "\n\n".join(texts))


def _sections(changelog: str) -> dict[str, str]:
    """Return the sections of a changelog, headings included, by their versions."""
    headings = [match for match in _HEADING.finditer(changelog) if _VERSION.fullmatch(match[1])]
    ends = [*(match.start() for match in headings[1:]), len(changelog)]
    return {
        match[1]: changelog[match.start() : end].strip() for match, end in zip(headings, ends, strict=True)
    }


class UpdateService(Updates):
    """Looks for newer versions. Tests pass their own clock, and `pause` between two looks at it."""

    def __init__(
        self,
        folders: AppFolders,
        settings: Callable[[], ProgramSettings],
        choose_proxy: "ChooseProxy",
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        pause: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(_LOOK_S),
        installed: Installation | None = None,
        version: str = __version__,
    ) -> None:
        self._folders = folders
        self._file = folders.data / STATE_FILE
        self._settings = settings
        self._choose_proxy = choose_proxy
        self._now = now
        self._pause = pause
        self._installed = installed or installation()
        self._version = version
        self._state: _State | None = None
        self._asking = asyncio.Lock()

    @property
    @override
    def program(self) -> InstalledProgram:
        found = self._installed
        return InstalledProgram(
            self._version,
            found,
            FORM_NAMES[found.form],
            _ADVICE.get(found.form, _BY_COMMAND),
            found.update_command,
            self._folders.data,
            self._folders.is_portable,
        )

    @property
    @override
    def address(self) -> str:
        """What is asked; empty if no address is known."""
        return self._settings().update_address or default_address()

    @override
    async def status(self) -> UpdateStatus:
        state = await self._read_state()
        release = state.release
        if release is not None and version_key(release.version) <= version_key(self._version):
            release = None
        problem = state.problem if self.address else _NO_ADDRESS
        asked_at = state.asked_at if state.has_asked else None
        return UpdateStatus(self.address, self._settings().checks_updates, asked_at, problem, release)

    @override
    async def check(self) -> UpdateStatus:
        """Ask now, and return what is known; failures are in `problem`."""
        async with self._asking:
            await self._ask()
        return await self.status()

    @override
    async def watch(self) -> AsyncGenerator[Release]:
        """Yield each newer version that the user was not told about; ask daily. Never ends by itself."""
        shown = ""
        while True:
            async with self._asking:
                if await self._is_due():
                    await self._ask()
            status, state = await self.status(), await self._read_state()
            release = status.release
            if release and status.is_on and release.version not in {state.told, shown}:
                shown = release.version
                yield release
            await self._pause()

    @override
    async def unpack_image(self) -> None:
        """Keep an unpacked copy of an AppImage, or remove it, as the settings say; elsewhere do nothing."""
        tree = self._installed.tree
        if tree is None or self._folders.is_portable:
            return
        await asyncio.sleep(_UNPACK_AFTER_S)
        stopped = threading.Event()
        work = partial(
            keep_copy,
            tree,
            copies_folder(),
            is_wanted=self._settings().unpacks_image,
            is_stopped=stopped.is_set,
        )
        try:
            await asyncio.to_thread(work)
        except OSError as error:
            _log.warning("The AppImage could not be unpacked: %s", error)
        finally:
            stopped.set()

    @override
    async def note_told(self, version: str) -> None:
        state = await self._read_state()
        if version == self._version:
            await self._keep(replace(state, is_news_told=True))
        else:
            await self._keep(replace(state, told=version))

    @override
    async def pending_news(self) -> str:
        """Return the version that ran before this one if the user was not told about the update; else nothing."""
        state = await self._read_state()
        return "" if state.is_news_told else state.since

    @override
    async def news(self, language: str) -> VersionNews:
        state = await self._read_state()
        since = state.since
        is_later = bool(since) and version_key(since) < version_key(self._version)
        return await asyncio.to_thread(read_news, self._version, since if is_later else "", language)

    async def _is_due(self) -> bool:
        state = await self._read_state()
        if not (self._settings().checks_updates and self.address):
            return False
        now = self._now()
        # A time in the future was noted with a wrong clock.
        return state.asked_at is None or not now - _EVERY < state.asked_at <= now

    async def _ask(self) -> None:
        if not self.address:
            return
        state = await self._read_state()
        try:
            # Noted first: whatever happens to the program, it asks no more than once a day.
            await self._keep(replace(state, asked_at=self._now(), has_asked=True, problem=""), is_needed=True)
        except OSError as error:
            self._state = replace(state, problem=_NOT_KEPT.format(detail=plain_reason(error)))
            return
        try:
            release = await fetch_release(self.address, self._choose_proxy)
        except UpdateUnknown as error:
            _log.info("No newer version is known: %s", error)
            await self._keep(replace(await self._read_state(), problem=str(error)))
            return
        await self._keep(replace(await self._read_state(), release=release))

    async def _read_state(self) -> _State:
        """Return the state; the first start of a version is noted with its first use."""
        if self._state is None:
            state = await asyncio.to_thread(_load, self._file)
            self._state = self._note_start(state)
            if self._state != state:
                await self._keep(self._state)
        return self._state

    def _note_start(self, state: _State) -> _State:
        if state.asked_at is None:  # no request on the first day, when this may still be turned off
            state = replace(state, asked_at=self._now())
        if state.ran == self._version:
            return state
        return replace(state, ran=self._version, since=state.ran, is_news_told=not state.ran)

    async def _keep(self, state: _State, *, is_needed: bool = False) -> None:
        """Save the state; raises OSError only if it `is_needed`, else it applies until the program ends."""
        if not is_needed:
            self._state = state
        try:
            await asyncio.to_thread(write_whole, self._file, encode_json(state))
        except OSError as error:
            if is_needed:
                raise
            _log.warning("%s could not be written: %s", self._file, error)
        self._state = state


def _load(file: Path) -> _State:
    try:
        state = decode_json(file.read_bytes(), _State)
        for version in (state.ran, state.since):
            if version:
                version_key(version)
    except FileNotFoundError:
        return _State()
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        _log.warning("%s could not be read: %s", file, error)
        return _State()
    return state if state.asked_at is None or state.asked_at.tzinfo else replace(state, asked_at=None)
