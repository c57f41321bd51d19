"""Captchas in the hands of a person: real Chromium with a head, on a screen that nobody sees."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from desktop.domain.search import Obstacle, SearchStatus
from desktop.search.browser.browser import Browser, BrowserOptions
from desktop.search.web_search import WebSearch
from desktop.settings.model import SearchSettings
from tests.unit.search.serp_site import Answer, Site, serving

CORPUS = Path(__file__).parents[3] / "corpus" / "serp"
CAPTCHA = "<html><body><form class=g-recaptcha id=captcha-form><p>Prove that you are not a robot</p></form>"
SOLVED_BY_ITSELF = (
    CAPTCHA + "<script>setTimeout(() => {{ document.cookie = 'solved=yes; max-age=9999';"
    " location.href = '{target}' }}, 300)</script>"
)

needs_screen = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb")


@pytest.fixture
def screen(monkeypatch) -> Iterator[None]:
    """A screen that nobody sees."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x768x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        with os.fdopen(reading) as pipe:
            monkeypatch.setenv("DISPLAY", f":{pipe.readline().strip()}")
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        yield
        server.terminate()


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/html/": Answer(CAPTCHA)}) as site:
        yield site


def searching(site: Site, work, **options: object):
    """Run `work` with a searcher and its browser."""
    settings = SearchSettings(
        engine_order=("duckduckgo",), result_count=3, engine_addresses=(("duckduckgo", site.base),)
    )

    async def no_secret(_name: str) -> str:
        return ""

    async def run():
        async with Browser(BrowserOptions(**options)) as browser, httpx.AsyncClient() as client:
            web = WebSearch(settings, browser=browser, secret=no_secret, client=client, pace_s=0)
            return await work(web, browser)

    return asyncio.run(run())


@needs_screen
def test_a_captcha_is_solved_in_a_window_and_the_search_goes_on(site, screen, tmp_path):
    state = tmp_path / "cookies.json"

    async def work(web: WebSearch, _browser: Browser):
        (blocked,) = await web.search("lantern moth")
        assert (blocked.status, blocked.obstacle) == (SearchStatus.BLOCKED, Obstacle.CAPTCHA)
        assert blocked.can_be_shown
        site.pages["/html/"] = Answer(SOLVED_BY_ITSELF.format(target="/html/solved?q=1"))
        site.pages["/html/solved"] = Answer((CORPUS / "duckduckgo-results.html").read_bytes())
        site.requests.clear()
        shown = await web.show("duckduckgo")
        assert (shown.status, shown.query) == (SearchStatus.RESULTS, "lantern moth")
        assert len(shown.results) >= 3
        assert all("Headless" not in headers["User-Agent"] for _, headers in site.requests)
        site.pages["/html/"] = site.pages["/html/solved"]
        site.requests.clear()
        (again,) = await web.search("lantern moth")
        assert again.status is SearchStatus.RESULTS
        assert "solved=yes" in site.requests[0][1]["Cookie"]

    searching(site, work, state_file=state)
    assert "solved" in state.read_text("utf-8")


@needs_screen
def test_a_search_that_was_stopped_waits_while_the_person_helps(site, screen):
    async def work(web: WebSearch, _browser: Browser):
        blocked = await web.search("lantern moth")
        assert await web.after_help(blocked) == ()
        site.pages["/html/"] = Answer(SOLVED_BY_ITSELF.format(target="/html/solved?q=1"))
        site.pages["/html/solved"] = Answer((CORPUS / "duckduckgo-results.html").read_bytes())
        showing = asyncio.create_task(web.show("duckduckgo"))
        await asyncio.sleep(0)  # it begins
        (answer,) = await web.after_help(blocked)
        assert (answer, answer.status) == (await showing, SearchStatus.RESULTS)
        assert await web.after_help(blocked) == ()

    searching(site, work)


@needs_screen
def test_cancelling_closes_the_window(site, screen):
    async def work(web: WebSearch, browser: Browser):
        site.pages["/html/"] = Answer(CAPTCHA, is_held=True)
        task = asyncio.create_task(web.show("duckduckgo", "moth"))
        assert await asyncio.to_thread(site.arrived.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not browser.is_running

    searching(site, work)


@needs_screen
def test_a_window_that_ends_early_has_the_engine_asked_once_more(site, screen):
    async def work(web: WebSearch, _browser: Browser):
        site.pages["/html/"] = Answer(CAPTCHA, is_held=True)
        task = asyncio.create_task(web.show("duckduckgo", "lantern moth"))
        assert await asyncio.to_thread(site.arrived.wait, 60)
        site.pages["/html/"] = Answer((CORPUS / "duckduckgo-results.html").read_bytes())
        for pid in _headed_chromium():
            os.kill(pid, signal.SIGKILL)
        assert (await task).status is SearchStatus.RESULTS
        assert len(site.requests) == 2

    searching(site, work)


def test_without_a_screen_it_says_so(site, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    async def work(web: WebSearch, _browser: Browser):
        outcome = await web.show("duckduckgo", "moth")
        assert outcome.status is SearchStatus.BLOCKED
        assert "no screen" in outcome.error

    searching(site, work)


def _headed_chromium() -> list[int]:
    """Return the browser processes of this test that show a window."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
            environment = (entry.parent / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        is_ours = f"DISPLAY={os.environ['DISPLAY']}".encode() in environment
        if (
            is_ours
            and b"--window-size=1000,800" in words
            and not any(w.startswith(b"--type=") for w in words)
        ):
            found.append(int(entry.parent.name))
    return found
