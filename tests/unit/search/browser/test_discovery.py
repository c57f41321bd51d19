"""Which browser is found, and the download of one from a server of our own by Playwright's driver."""

import asyncio
import contextlib
import gc
import io
import os
import threading
import zipfile
from collections.abc import Iterator
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from desktop.domain.search import InstallObstacle, InstallPhase, InstallProgress
from desktop.errors import BrowserMissing
from desktop.installation import Installation, InstallForm
from desktop.search.browser import discovery
from desktop.search.browser.browser import Browser, RenderStatus
from desktop.search.browser.discovery import find_browser, is_complete
from desktop.search.browser.download import install_browser, playwright_browser_path
from tests.cases import cases
from tests.serving import serve_requests

MIB = 2**20


class DownloadSite(ThreadingHTTPServer):
    """Serves one archive under every path, its second half only once `gate` is set."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Download)
        self.archive = b""
        self.status = 200
        self.gate = threading.Event()
        self.gate.set()

    def serve(self, members: dict[str, bytes]) -> None:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            for name, content in members.items():
                file.writestr(name, content)
        self.archive = archive.getvalue()


class _Download(BaseHTTPRequestHandler):
    server: DownloadSite

    def do_GET(self) -> None:
        site, half = self.server, len(self.server.archive) // 2
        self.send_response(site.status)
        self.send_header("Content-Length", str(len(site.archive)))
        self.end_headers()
        try:
            self.wfile.write(site.archive[:half])
            self.wfile.flush()
            site.gate.wait()
            self.wfile.write(site.archive[half:])
        except OSError:
            pass  # the driver was ended in the middle, as some tests want

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[DownloadSite]:
    with DownloadSite() as server, serve_requests(server):
        yield server
        server.gate.set()


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """Where the driver puts its browser, from the folder of all browsers; it is asked once."""
    folder = tmp_path_factory.mktemp("browsers")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PLAYWRIGHT_BROWSERS_PATH", str(folder))
        return Path(asyncio.run(playwright_browser_path())).relative_to(folder)


@pytest.fixture
def bundled(site, place, tmp_path, monkeypatch) -> Path:
    """Where the driver will put the browser that the site serves."""
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", f"http://127.0.0.1:{site.server_port}")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    path = tmp_path / "browsers" / place
    inside = place.relative_to(place.parts[0]).as_posix()
    # The driver's tool for videos is asked for under another name, and found in the same archive.
    site.serve(
        {
            inside: b"#!/bin/sh\n",
            "ffmpeg-linux": b"",
            "ffmpeg-mac": b"",
            "ffmpeg-win64.exe": b"",
            "ballast": os.urandom(MIB),
        }
    )
    return path


async def steps() -> list[InstallProgress]:
    return [progress async for progress in install_browser()]


def test_a_download_is_told_of_found_and_not_loaded_again(bundled, site):
    seen = asyncio.run(steps())
    assert seen[0] == InstallProgress(InstallPhase.STARTING)
    loading = [step for step in seen if step.phase is InstallPhase.DOWNLOADING]
    assert loading
    done = [step.done_bytes for step in loading]
    assert done == sorted(done)
    assert max(step.total_bytes for step in seen) == pytest.approx(MIB, rel=0.06)
    assert seen[-1].phase is InstallPhase.UNPACKING
    assert find_browser("", str(bundled)) == bundled
    assert os.access(bundled, os.X_OK)
    site.status = 503
    assert asyncio.run(steps())[-1].phase is InstallPhase.STARTING


def test_a_running_program_uses_what_was_downloaded(bundled, site, monkeypatch):
    # Chromium makes a socket in TMPDIR, and its path may have no more than 107 characters.
    variables = f'PATH="{os.environ["PATH"]}"\nexport TMPDIR=/tmp'
    script = f'#!/bin/sh\n{variables}\nexec "{find_browser("")}" "$@"\n'
    site.serve({bundled.relative_to(bundled.parents[1]).as_posix(): script.encode()})
    monkeypatch.setenv("PATH", "")

    async def work() -> None:
        async with Browser() as browser:
            with pytest.raises(BrowserMissing):
                await browser.fetch("about:blank")
            await steps()
            assert (await browser.fetch("about:blank")).status is not RenderStatus.FAILED

    asyncio.run(work())


def test_a_tool_that_is_not_needed_may_fail(bundled, site):
    site.serve({bundled.relative_to(bundled.parents[1]).as_posix(): b"#!/bin/sh\n"})
    asyncio.run(steps())
    assert is_complete(bundled.parents[1])


def test_a_server_that_refuses_is_named(bundled, site, tmp_path):
    site.status = 503
    site.archive = b"busy"
    assert failure().fields["obstacle"] is InstallObstacle.SERVER
    assert not bundled.exists()
    assert list(tmp_path.glob("footnote-browser-*")) == []


def test_a_damaged_archive_is_no_browser(bundled, site):
    site.archive = b"not an archive"
    assert failure().fields["obstacle"] is InstallObstacle.SERVER
    assert not bundled.exists()


def test_no_connection_is_told(bundled, monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", "http://127.0.0.1:9")
    error = failure()
    assert error.fields["obstacle"] is InstallObstacle.OFFLINE
    assert "connection" in str(error)


def test_a_cancelled_download_leaves_no_process_and_no_browser(bundled, site, tmp_path):
    site.gate.clear()

    async def begin_and_leave() -> None:
        async with aclosing(install_browser()) as progress:
            async for step in progress:
                if step.done_bytes > 0:
                    assert running(tmp_path)
                    return

    asyncio.run(begin_and_leave())
    assert not running(tmp_path)
    assert not bundled.parents[1].exists()
    assert list(tmp_path.glob("footnote-browser-*")) == []
    site.gate.set()
    asyncio.run(steps())
    assert find_browser("", str(bundled)) == bundled


def test_a_cancelled_task_ends_the_driver_too(bundled, site, tmp_path):
    site.gate.clear()

    async def begin_and_cancel() -> None:
        has_begun = asyncio.Event()

        async def follow() -> None:
            async with aclosing(install_browser()) as progress:
                async for step in progress:
                    if step.done_bytes > 0:
                        has_begun.set()

        task = asyncio.create_task(follow())
        await has_begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(begin_and_cancel())
    assert not running(tmp_path)
    assert not bundled.exists()


def test_the_driver_is_told_no_secret(bundled, site, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-to-be-seen")
    site.gate.clear()

    async def look() -> list[bytes]:
        async with aclosing(install_browser()) as progress:
            async for step in progress:
                if step.done_bytes > 0:
                    return [environment(process) for process in running(tmp_path)]
        return []

    seen = asyncio.run(look())
    assert seen
    assert not any(b"sk-never-to-be-seen" in variables for variables in seen)


def test_half_a_browser_is_none(tmp_path):
    program = tmp_path / "chromium-1" / "chrome-linux" / "chrome"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    assert not is_complete(tmp_path / "chromium-1")
    with contextlib.suppress(BrowserMissing):  # where nothing is installed on this machine either
        assert find_browser("", str(program)) != program
    (tmp_path / "chromium-1" / "INSTALLATION_COMPLETE").touch()
    assert find_browser("", str(program)) == program


# Playwright leaves the pipes of a driver open that ended at once.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@cases("program", ["/bin/false", "/nonexistent/node"])
def test_a_driver_that_cannot_start_is_an_error_with_words(monkeypatch, program):
    async def start() -> None:
        with pytest.raises(BrowserMissing):
            await playwright_browser_path()
        # Playwright still waits for the driver's end. A process left running would warn in a later test.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", program)
    asyncio.run(start())
    gc.collect()


def test_a_browser_of_an_earlier_version_is_used_until_there_is_a_newer_one(tmp_path):
    wanted = tmp_path / "chromium-1200" / "chrome-linux" / "chrome"
    for number, is_whole in ((900, True), (1100, True), (1150, False)):
        program = tmp_path / f"chromium-{number}" / "chrome-linux" / "chrome"
        program.parent.mkdir(parents=True)
        program.touch()
        if is_whole:
            (tmp_path / f"chromium-{number}" / "INSTALLATION_COMPLETE").touch()
    assert find_browser("", str(wanted)) == tmp_path / "chromium-1100" / "chrome-linux" / "chrome"


def test_the_advice_names_a_command_of_footnote(monkeypatch, tmp_path):
    program = tmp_path / "Footnote.AppImage"
    installed = Installation(InstallForm.APPIMAGE, (str(program),), program)
    monkeypatch.setattr(discovery, "installation", lambda: installed)
    monkeypatch.setattr(discovery, "_list_installed", lambda: iter(()))
    with pytest.raises(BrowserMissing) as caught:
        find_browser("")
    assert f"{program} browser install" in str(caught.value)
    assert "python" not in str(caught.value)


def failure() -> BrowserMissing:
    with pytest.raises(BrowserMissing) as caught:
        asyncio.run(steps())
    return caught.value


def running(folder: Path) -> list[Path]:
    """Return the processes whose environment names `folder`, apart from this one."""
    wanted = f"PLAYWRIGHT_BROWSERS_PATH={folder}".encode()
    others = (path for path in Path("/proc").glob("[0-9]*") if path.name != str(os.getpid()))
    return [path for path in others if wanted in environment(path)]


def environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""  # it has ended meanwhile
