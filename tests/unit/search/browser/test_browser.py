"""The browser with real Chromium against a site on loopback."""

import asyncio
import gc
import os
import re
import signal
import socket
import stat
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import psutil
import pytest

from desktop.domain.privacy import EgressEvent
from desktop.errors import BrowserMissing
from desktop.search.browser import browser as browser_module
from desktop.search.browser import page_loader
from desktop.search.browser import session as browser_session
from desktop.search.browser.browser import Browser, BrowserOptions, CookieJar, RenderStatus
from desktop.search.ssrf_guard import AddressRefused, HostUnknown
from desktop.settings import egress
from tests.cases import cases
from tests.conftest import WAIT_MS
from tests.descendants import descendants, parents, still_there
from tests.unit.search.serp_site import Answer, Site, serving

Work = Callable[[Browser], Awaitable[None]]

PLAIN = Answer("<html><head><title>T</title></head><body><p id=x>Hello</p></body></html>")
ERROR_PAGE = "#main-frame-error"
"""An element of the page with which Chromium itself says that another was not reached."""
HELD = Answer("<p id=x>At last</p>", is_held=True)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/": PLAIN, "/held": HELD}) as site:
        yield site


@pytest.fixture(scope="module")
def shared() -> Iterator[Callable[[Work], None]]:
    """Run pieces of work with one browser, which is started once."""
    with asyncio.Runner() as runner:
        browser = runner.run(make_browser())
        yield lambda work: runner.run(work(browser))
        runner.run(browser.close())


async def make_browser(**options: object) -> Browser:
    return Browser(BrowserOptions(**options))


class Gate:
    """Where a browser may go, as a test says; else everywhere on this machine."""

    allow: Callable[[str], bool]
    resolve: Callable[[str, int], tuple[str, ...]]
    run: Callable[[Work], None]

    def open(self) -> None:
        self.allow = lambda _url: True
        self.resolve = lambda _host, _port: ("127.0.0.1",)

    async def is_allowed(self, url: str) -> bool:
        return self.allow(url)

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        return self.resolve(host, port)


@pytest.fixture(scope="module")
def shared_gate() -> Iterator[Gate]:
    """Run pieces of work with one browser behind a gate, which is started once."""
    gate = Gate()
    with asyncio.Runner() as runner:
        browser = runner.run(make_browser(is_allowed=gate.is_allowed, addresses=gate.addresses))
        gate.run = lambda work: runner.run(work(browser))
        yield gate
        runner.run(browser.close())


@pytest.fixture
def gate(shared_gate) -> Gate:
    shared_gate.open()
    return shared_gate


def browse(work: Work, **options: object) -> None:
    """Run `work` with a browser of its own, and see to it that nothing of the browser is left."""
    complaints: list[dict[str, object]] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        async with Browser(BrowserOptions(**options)) as browser:
            await work(browser)
        assert not browser.is_running

    before = descendants()
    asyncio.run(run())
    assert still_there(descendants(others=before)) == set()
    gc.collect()  # asyncio complains of an error that nobody has read when its future is collected
    assert complaints == []


def chromium(pids: set[int]) -> int:
    """Return the process of Chromium itself, not one of its helpers nor the driver."""
    found = {pid for pid in pids if is_chromium(pid)}
    parent_of = parents()
    for pid in found:
        if parent_of.get(pid) not in found:  # a helper that has just begun still has the command of Chromium
            return pid
    pytest.fail("no Chromium is running")


def is_chromium(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text().split("\x00")
    except OSError:
        return False  # it has ended meanwhile
    return "--remote-debugging-pipe" in command and not any(part.startswith("--type=") for part in command)


def wait_long_for_elements(monkeypatch) -> None:
    """Give a page the time that a busy machine needs to show what its scripts lead to, less than for the whole page."""
    monkeypatch.setattr(page_loader, "_GRACE_S", 10.0)


async def arrival(site: Site) -> None:
    """Wait until the held page has been asked for."""
    assert await asyncio.to_thread(site.arrived.wait, 30)


def test_nothing_starts_before_the_first_page(site):
    async def work(browser: Browser) -> None:
        assert not browser.is_running
        rendered = await browser.fetch(f"{site.base}/")
        assert browser.is_running
        assert (rendered.status, rendered.http_status, rendered.url) == (
            RenderStatus.LOADED,
            200,
            f"{site.base}/",
        )
        assert '<p id="x">Hello</p>' in rendered.html

    browse(work)


def test_pages_are_used_again_and_bounded(site):
    async def work(browser: Browser) -> None:
        await asyncio.gather(*(browser.fetch(f"{site.base}/?{n}") for n in range(6)))
        assert browser.open_pages == 2
        await browser.fetch(f"{site.base}/")
        assert browser.open_pages == 2

    browse(work, concurrency=2)


def test_the_browser_says_what_it_is_and_nothing_about_its_head(site):
    async def work(browser: Browser) -> None:
        for purpose in CookieJar:
            await browser.fetch(f"{site.base}/", purpose=purpose)
        for _, headers in site.requests:
            agent, hints = headers["User-Agent"], headers["sec-ch-ua"]
            assert "Headless" not in agent + hints
            major = re.search(r"Chrome/(\d+)\.", agent)[1]
            assert f'"{major}"' in hints
            assert headers["Accept-Language"].startswith("zh-CN")

    browse(work, locale="zh-CN")


def test_pictures_fonts_and_films_are_not_loaded(site, shared):
    site.pages["/rich"] = Answer(
        "<style>@font-face{font-family:f;src:url(/font.woff2)}p{font-family:f}</style>"
        "<p id=x>x<img src=/picture.png><video src=/film.mp4 autoplay></video><script src=/code.js></script>"
    )

    async def work(browser: Browser) -> None:
        await browser.fetch(f"{site.base}/rich", wait_for=["#never"])
        assert set(site.paths) == {"/rich", "/code.js"}

    shared(work)


def test_what_scripts_add_is_waited_for(site, shared):
    site.pages["/late"] = Answer(
        "<div id=app></div><script>onload = () => setTimeout("
        "() => { app.innerHTML = '<p class=hit>Now</p>' }, 300)</script>"
    )

    async def work(browser: Browser) -> None:
        rendered = await browser.fetch(f"{site.base}/late", wait_for=[".hit", ".nothing"])
        assert "Now" in rendered.html

    shared(work)


def test_a_page_that_is_enough_as_served_is_not_waited_for(site, shared):
    site.pages["/blocked"] = Answer("<script src=/held></script><p class=hit>served</p>")

    async def work(browser: Browser) -> None:
        rendered = await browser.fetch(
            f"{site.base}/blocked", wait_for=[".hit"], is_enough=lambda html: "served" in html, timeout_s=20
        )
        assert rendered.status is RenderStatus.LOADED
        assert "served" in rendered.html

    shared(work)


def test_a_page_without_end_is_enough_only_in_an_encoding_that_is_certain(site, shared):
    body = f"<p class=hit>潮汐</p>{' ' * 8_000}"
    judged: list[str] = []

    def is_enough(html: str) -> bool:
        judged.append(html)
        return "class=hit" in html

    async def work(browser: Browser) -> None:
        for encoding, status, timeout_s in (
            ("utf-8", RenderStatus.LOADED, WAIT_MS / 1000),
            ("gb18030", RenderStatus.TIMED_OUT, 2),
        ):
            content_type = f"text/html; charset={encoding}"
            site.pages["/page"] = Answer(body.encode(encoding), content_type=content_type, is_endless=True)
            page = await browser.fetch(f"{site.base}/page", is_enough=is_enough, timeout_s=timeout_s)
            assert (page.status, "潮汐" in page.html) == (status, encoding == "utf-8")
        assert all("潮汐" in html for html in judged if html)

    shared(work)


@cases("is_enough, title", [(True, "served"), (False, "rendered")])
def test_a_page_is_rendered_only_if_it_is_not_enough_as_served(site, shared, is_enough, title):
    site.requests.clear()
    site.pages["/way"] = Answer(code=302, location="/page")
    body = "<title>served</title><p id=x>é</p><script src=/code.js></script>"
    site.pages["/page"] = Answer(body + "<p>more</p>" * 9_000)
    site.pages["/code.js"] = Answer("document.title = 'rendered'", content_type="text/javascript")

    async def work(browser: Browser) -> None:
        page = await browser.fetch(f"{site.base}/way", wait_for=["#x"], is_enough=lambda _html: is_enough)
        assert (page.status, page.http_status) == (RenderStatus.LOADED, 200)
        assert page.url == f"{site.base}/page"
        assert f"<title>{title}</title>" in page.html
        assert '<p id="x">é' in page.html.replace("=x>", '="x">')
        assert page.html.count("more") == 9_000
        assert ("/code.js" in site.paths) is not is_enough
        assert site.paths.count("/page") == 1

    shared(work)


def test_a_button_can_be_clicked_on_the_way(site, shared):
    site.pages["/consent"] = Answer("<form action=/><button id=reject>No</button></form>")

    async def work(browser: Browser) -> None:
        rendered = await browser.fetch(f"{site.base}/consent", click=["#nothing", "#reject"], wait_for=["#x"])
        assert "Hello" in rendered.html

    shared(work)


def test_time_runs_out_for_a_page_but_not_for_the_browser(site, shared):
    site.pages["/half"] = Answer("<p>The first half</p><script src=/held></script><p>The second</p>")

    async def work(browser: Browser) -> None:
        late = await browser.fetch(f"{site.base}/held", timeout_s=0.3)
        assert (late.status, late.html) == (RenderStatus.TIMED_OUT, "")
        assert late.error
        for timeout_s in (1, 5, WAIT_MS / 1000):  # a busy machine may need longer for the first half
            half = await browser.fetch(f"{site.base}/half", timeout_s=timeout_s)
            assert half.status is RenderStatus.TIMED_OUT
            if "The first half" in half.html:
                break
        else:
            pytest.fail("the first half was not given")
        assert (await browser.fetch(f"{site.base}/")).status is RenderStatus.LOADED

    shared(work)


def test_cancelling_leaves_no_page_open(site):
    async def work(browser: Browser) -> None:
        task = asyncio.create_task(browser.fetch(f"{site.base}/held"))
        await arrival(site)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert browser.open_pages == 0

    browse(work)


def test_a_start_or_an_end_that_is_cancelled_leaves_no_process():
    async def run() -> None:
        before = descendants()
        browser = Browser()
        starting = asyncio.create_task(browser.start())
        while not descendants(others=before):  # noqa: ASYNC110 - no event says that a process starts
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert await asyncio.to_thread(still_there, descendants(others=before)) == set()
        await browser.start()
        begun = descendants(others=before)
        closing = asyncio.create_task(browser.close())
        for _ in range(4):
            await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert await asyncio.to_thread(still_there, begun) == set()

    asyncio.run(run())


def test_a_driver_that_does_not_start_holds_up_no_cancellation(monkeypatch):
    begun = asyncio.Event()

    class Driver:
        async def start(self) -> None:
            begun.set()
            await asyncio.Event().wait()

    async def run() -> None:
        starting = asyncio.create_task(browser_session.start_playwright())
        await begun.wait()
        starting.cancel()
        async with asyncio.timeout(60):
            await asyncio.wait({starting})
        assert starting.cancelled()

    monkeypatch.setattr(browser_session, "async_playwright", Driver)
    monkeypatch.setattr(browser_session, "_CLOSING_S", 0.0)
    asyncio.run(run())


@pytest.mark.parametrize("whom", ["chromium", "driver"])
def test_a_killed_browser_is_replaced_in_the_middle_of_a_page(site, whom):
    async def work(browser: Browser) -> None:
        before = descendants()
        await browser.start()
        task = asyncio.create_task(browser.fetch(f"{site.base}/held", wait_for=["#x"]))
        await arrival(site)
        started, parent_of = descendants(others=before), parents()
        victims = (
            [chromium(started)]
            if whom == "chromium"
            else [pid for pid in started if parent_of.get(pid) == os.getpid()]
        )
        assert victims
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        site.released.set()
        rendered = await task
        assert (rendered.status, "At last" in rendered.html) == (RenderStatus.LOADED, True)

    browse(work)


def test_a_browser_that_dies_again_is_an_outcome(site):
    async def work(browser: Browser) -> None:
        before = descendants()
        task = asyncio.create_task(browser.fetch(f"{site.base}/held"))
        for _ in range(2):
            await arrival(site)
            site.arrived.clear()
            os.kill(chromium(descendants(others=before)), signal.SIGKILL)
        rendered = await task
        assert rendered.status is RenderStatus.FAILED
        assert "stopped twice" in rendered.error

    browse(work)


@cases("has_loaded", [False, True])
def test_a_browser_that_hangs_is_replaced(site, monkeypatch, has_loaded):
    def is_enough(_html: str) -> bool:
        return False

    async def work(browser: Browser) -> None:
        before = descendants()
        await browser.start()
        if has_loaded:  # by now the second page is blank and waits to be used again
            await asyncio.gather(*(browser.fetch(f"{site.base}/", is_enough=is_enough) for _ in range(2)))
            await browser.fetch(f"{site.base}/", is_enough=is_enough)
        first = descendants(others=before)
        hanging = psutil.Process(chromium(first))
        hanging.suspend()
        monkeypatch.setattr(browser_session, "_LENDING_S", 1.0)  # not before: a busy machine may need longer
        monkeypatch.setattr(browser_session, "_CLOSING_S", 0.5)
        fetching = asyncio.create_task(browser.fetch(f"{site.base}/", wait_for=["#x"], is_enough=is_enough))
        await asyncio.to_thread(hanging.wait, 60)
        monkeypatch.setattr(browser_session, "_LENDING_S", 60.0)  # the next one only starts slowly
        monkeypatch.setattr(browser_session, "_CLOSING_S", 5.0)  # and is given the time to end
        rendered = await fetching
        assert (rendered.status, "Hello" in rendered.html) == (RenderStatus.LOADED, True)
        assert await asyncio.to_thread(still_there, first) == set()

    browse(work)


def test_closing_and_starting_again(site):
    async def work(browser: Browser) -> None:
        for _ in range(2):
            assert (await browser.fetch(f"{site.base}/")).status is RenderStatus.LOADED
            await browser.close()
            assert not browser.is_running

    browse(work)


def test_network_failures_are_outcomes_with_words(shared):
    with serving() as gone:
        pass

    async def work(browser: Browser) -> None:
        for url, status in (
            (f"{gone.base}/", RenderStatus.OFFLINE),
            ("http://no-such-host.invalid/", RenderStatus.OFFLINE),
            ("not an address", RenderStatus.FAILED),
        ):
            sent: list[EgressEvent] = []
            with egress.collect(sent):
                rendered = await browser.fetch(url)
            assert rendered.status is status
            assert rendered.error
            assert rendered.html == ""
            assert [each.host for each in sent if each.host.endswith("invalid")] == []

    shared(work)


def test_downloads_and_permissions_are_denied(site, shared):
    site.pages["/file"] = Answer(b"\x00" * 10, content_type="application/octet-stream")
    site.pages["/asking"] = Answer(
        "<body><script>navigator.geolocation.getCurrentPosition("
        "() => document.body.className = 'given', e => document.body.className = 'denied' + e.code);"
        "document.title = window.Notification ? Notification.permission : 'denied'</script>"
    )

    async def work(browser: Browser) -> None:
        assert (await browser.fetch(f"{site.base}/file")).status is RenderStatus.FAILED
        asked = await browser.fetch(f"{site.base}/asking", wait_for=["body[class^=denied]"])
        assert 'class="denied1"' in asked.html
        assert "<title>denied</title>" in asked.html
        assert browser.open_pages <= 1

    shared(work)


def test_the_hook_is_asked_for_every_request(site, gate):
    site.pages["/page"] = Answer(
        "<p id=x>x<script src=/forbidden.js></script><link rel=stylesheet href=/style.css>"
    )
    asked: list[str] = []

    def allow(url: str) -> bool:
        asked.append(url)
        return "forbidden" not in url

    async def work(browser: Browser) -> None:
        assert (await browser.fetch(f"{site.base}/page", wait_for=["#never"])).status is RenderStatus.LOADED
        assert (await browser.fetch(f"{site.base}/forbidden")).status is RenderStatus.REFUSED
        assert {f"{site.base}/{name}" for name in ("page", "forbidden.js", "style.css", "forbidden")} <= set(
            asked
        )
        assert not any("forbidden" in path for path in site.paths)

    gate.allow = allow
    gate.run(work)


def test_nothing_is_connected_to_but_what_the_gate_was_given(site, gate, monkeypatch):
    with serving({"/redirected": PLAIN}) as private:
        inside = private.base
        site.pages["/redirect"] = Answer(code=302, location=f"{inside}/redirected")
        site.pages["/page"] = Answer(
            f"<p id=x>x<iframe src=/redirect></iframe><script src=/redirect></script>"
            f"<link rel=stylesheet href={inside}/css><script>fetch('/redirect', {{mode: 'no-cors'}}).catch(() => 0);"
            f"new WebSocket('{inside.replace('http', 'ws')}/socket'); navigator.sendBeacon('{inside}/beacon');"
            f"new Worker(URL.createObjectURL(new Blob([`fetch('{inside}/worker')`])))</script>"
        )
        site.pages["/lead"] = Answer(f"<p id=x>x<script>location.href = '{inside}/led'</script>")
        private_port = int(inside.rpartition(":")[2])

        def resolve(host: str, port: int) -> tuple[str, ...]:
            if port == private_port:
                raise AddressRefused(host)
            if host != "127.0.0.1":
                raise HostUnknown(host)
            return ("127.0.0.1",)

        async def work(browser: Browser) -> None:
            page = await browser.fetch(f"{site.base}/page", wait_for=["#never"])
            assert (page.status, page.http_status) == (RenderStatus.LOADED, 200)
            redirected = await browser.fetch(f"{site.base}/redirect")
            assert (redirected.status, redirected.html) == (RenderStatus.REFUSED, "")
            wait_long_for_elements(monkeypatch)
            led = await browser.fetch(f"{site.base}/lead", wait_for=[ERROR_PAGE])
            assert (led.status, led.html) == (RenderStatus.REFUSED, "")
            assert (await browser.fetch("http://unknown.example/")).status is not RenderStatus.LOADED
            assert (await browser.fetch(f"{site.base}/")).status is RenderStatus.LOADED

        gate.resolve = resolve
        gate.run(work)
        assert private.requests == []


def test_calls_between_pages_do_not_pass_the_gate_by(site, gate):
    """WebRTC sends UDP to any address that a page names, past every proxy."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as private:
        private.bind(("127.0.0.1", 0))
        private.setblocking(False)
        site.pages["/call"] = Answer(
            f"""<script>
            const call = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{private.getsockname()[1]}'}}]}});
            call.onicegatheringstatechange = () => {{
                if (call.iceGatheringState === 'complete') document.body.append(document.createElement('aside'));
            }};
            call.createDataChannel('x');
            call.createOffer().then(offer => call.setLocalDescription(offer));
            </script><p>x"""
        )

        async def work(browser: Browser) -> None:
            page = await browser.fetch(f"{site.base}/call", wait_for=["aside"])
            assert page.status is RenderStatus.LOADED
            with pytest.raises(BlockingIOError):
                private.recv(2_000)

        gate.run(work)


def test_an_error_page_of_the_browser_is_no_page(site, gate, monkeypatch):
    site.pages["/lead"] = Answer("<p id=x>x<script>location.href = 'http://127.0.0.1:1/'</script>")

    async def work(browser: Browser) -> None:
        wait_long_for_elements(monkeypatch)
        led = await browser.fetch(f"{site.base}/lead", wait_for=[ERROR_PAGE])
        assert (led.status, led.html) == (RenderStatus.REFUSED, "")

    gate.allow = lambda url: not url.endswith(":1/")
    gate.run(work)


def test_a_host_that_led_to_one_that_was_not_reached_is_among_those_of_the_answer(site, gate, monkeypatch):
    far = "https://no-such-host.invalid/"
    site.pages["/lead"] = Answer(f"<p id=x>x<script>location.href = '{far}'</script>")

    def resolve(host: str, _port: int) -> tuple[str, ...]:
        if host != "far.example":
            raise HostUnknown(host)
        return ("127.0.0.1",)

    async def work(browser: Browser) -> None:
        wait_long_for_elements(monkeypatch)
        near = site.base.replace("127.0.0.1", "far.example")
        for url in (f"{near}/lead", far):
            sent: list[EgressEvent] = []
            with egress.collect(sent):
                rendered = await browser.fetch(url, wait_for=[ERROR_PAGE])
            assert rendered.status is RenderStatus.OFFLINE
            assert [each.host for each in sent] == ([] if url == far else ["far.example"])

    gate.resolve = resolve
    gate.run(work)


def test_cookies_of_searches_are_kept_and_those_of_reading_are_not(site, tmp_path):
    site.pages["/set"] = Answer("<p id=x>x<script>document.cookie = 'refused=yes; max-age=9999'</script>")
    state = tmp_path / "state" / "cookies.json"

    async def visit(browser: Browser) -> None:
        for purpose in CookieJar:
            await browser.fetch(f"{site.base}/set", purpose=purpose, wait_for=["#x"])

    async def look(browser: Browser) -> None:
        site.requests.clear()
        for purpose in (CookieJar.SEARCH, CookieJar.READING):
            await browser.fetch(f"{site.base}/", purpose=purpose)
        assert [headers.get("Cookie", "") for _, headers in site.requests] == ["refused=yes", ""]

    browse(visit, state_file=state)
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    browse(look, state_file=state)
    for damaged in ("{ cut off", "[]", '{"cookies": 1}'):
        state.write_text(damaged)
        assert browser_session.read_state(state) is None
    browse(visit, state_file=state)
    assert browser_session.read_state(state) is not None


def test_after_many_pages_another_process_takes_over_and_the_last_page_is_still_read(site, monkeypatch):
    site.pages["/set"] = Answer("<p id=x>x<script>document.cookie = 'refused=yes; max-age=9999'</script>")
    monkeypatch.setattr(browser_module, "RENEWAL_QUIET_S", 0.0)

    async def work(browser: Browser) -> None:
        others = descendants()
        await browser.fetch(f"{site.base}/set", purpose=CookieJar.SEARCH, wait_for=["#x"])
        first, old = browser._session, descendants(others)
        last = asyncio.create_task(browser.fetch(f"{site.base}/held", wait_for=["#x"]))
        await arrival(site)
        await browser.fetch(f"{site.base}/", purpose=CookieJar.SEARCH)
        await browser._renewal
        assert browser._session is not first
        assert first.is_alive
        site.requests.clear()
        await browser.fetch(f"{site.base}/", purpose=CookieJar.SEARCH)
        assert [headers.get("Cookie") for _, headers in site.requests] == ["refused=yes"]
        site.released.set()
        assert "At last" in (await last).html
        assert not first.is_alive
        assert await asyncio.to_thread(still_there, old) == set()

    browse(work, renew_after=2)


def test_remembering_asks_a_site_for_nothing(site, tmp_path):
    site.pages["/set"] = Answer(
        "<p id=x>x<script>localStorage.a = 1; document.cookie = 'a=1; max-age=9999'</script>"
    )

    async def work(browser: Browser) -> None:
        await browser.fetch(f"{site.base}/set", purpose=CookieJar.SEARCH, wait_for=["#x"])
        for _ in range(6):  # of six tabs opened to look into what is stored, one or two asked for an icon
            state = await browser._session.state()
            assert [cookie["name"] for cookie in state["cookies"]] == ["a"]

    browse(work, state_file=tmp_path / "cookies.json")
    assert [path for path, _ in site.requests] == ["/set"]


def test_a_configured_browser_that_is_not_there_is_not_replaced(tmp_path):
    async def work(browser: Browser) -> None:
        with pytest.raises(BrowserMissing, match="no-browser"):
            await browser.fetch("http://127.0.0.1/")

    browse(work, executable=str(tmp_path / "no-browser"))


def test_a_program_that_is_no_browser_is_an_outcome(tmp_path):
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)

    async def work(browser: Browser) -> None:
        rendered = await browser.fetch("http://127.0.0.1/")
        assert rendered.status is RenderStatus.FAILED
        assert "couldn’t be started" in rendered.error

    browse(work, executable=str(program))
