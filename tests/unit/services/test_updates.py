"""A newer version is found on a server of this machine, at most daily, and nothing of the user is told it."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from desktop.domain.program import Release
from desktop.errors import UpdateUnknown
from desktop.installation import Installation, InstallForm
from desktop.resources import changelog_text
from desktop.search.transport import system_proxy
from desktop.services import updates as subject
from desktop.services.updates import (
    FORM_NAMES,
    STATE_FILE,
    UpdateService,
    default_address,
    fetch_release,
    parse_release,
    read_news,
)
from desktop.settings.folders import AppFolders
from desktop.settings.model import ProgramSettings
from tests.cases import cases
from tests.serving import serve_requests

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEWER = {
    "version": "0.3.0",
    "date": "2026-12-24",
    "address": "https://footnote.example/0.3.0",
    "notes": {"en": "Faster.", "zh_CN": "更快。"},
}


class AnnouncementSite(ThreadingHTTPServer):
    """Serves `body` with `status` under every path, and keeps the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Announce)
        self.body = json.dumps(NEWER).encode()
        self.status = 200
        self.headers: list[tuple[str, str]] = []
        self.asked: list[tuple[str, dict[str, str]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/latest.json"


class _Announce(BaseHTTPRequestHandler):
    server: AnnouncementSite

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        self.send_response(self.server.status)
        for header in self.server.headers:
            self.send_header(*header)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[AnnouncementSite]:
    with AnnouncementSite() as server, serve_requests(server):
        yield server


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def start(tmp_path, site, clock):
    """Return a function that begins a run of a version."""

    def begin(version="0.2.0", **program):
        settings = ProgramSettings(**({"update_address": site.address} | program))
        return UpdateService(
            AppFolders(tmp_path, tmp_path, tmp_path),
            lambda: settings,
            system_proxy,
            now=clock,
            pause=end_looking,
            installed=Installation(InstallForm.PIPX, ("python", "-m", "desktop")),
            version=version,
        )

    return begin


async def first(service: UpdateService) -> Release:
    async with aclosing(service.watch()) as found:
        return await anext(found)


class NothingFound(Exception):
    """A program has looked once and goes on later."""


async def end_looking() -> None:
    raise NothingFound


async def looked(service: UpdateService) -> None:
    """Let a program look once, and find nothing that the user was not told about."""
    with pytest.raises(NothingFound):
        await first(service)


def test_a_newer_version_is_told_of_once(site, start, clock):
    asyncio.run(looked(start()))
    assert site.asked == [], "nobody is asked on the first day"
    clock.now += timedelta(days=1)
    service = start()
    found = asyncio.run(first(service))
    assert (found.version, found.day, found.notes_in("zh_CN")) == ("0.3.0", "2026-12-24", "更快。")
    assert found.notes_in("de") == "Faster."
    asyncio.run(service.note_told("0.3.0"))
    clock.now += timedelta(days=1)
    asyncio.run(looked(start()))
    assert len(site.asked) == 2
    assert asyncio.run(start().status()).release == found
    assert asyncio.run(start("0.3.0").status()).release is None, "this one is as new"


def test_it_asks_once_a_day_whatever_happens(site, start, clock):
    site.status = 500
    asyncio.run(looked(start()))
    clock.now += timedelta(days=1)
    for _ in range(3):
        asyncio.run(looked(start()))
    assert len(site.asked) == 1
    status = asyncio.run(start().status())
    assert (status.problem, status.asked_at) == ("127.0.0.1 returned HTTP 500.", clock.now)
    clock.now -= timedelta(days=400)  # the clock was wrong
    asyncio.run(looked(start()))
    assert len(site.asked) == 2


def test_the_request_holds_nothing_of_the_user(site, start):
    site.headers = [("Set-Cookie", "id=1; Path=/")]
    asyncio.run(start().check())
    asyncio.run(start().check())
    assert {path for path, _headers in site.asked} == {"/latest.json"}
    for _path, headers in site.asked:
        headers.pop("Host")
        assert headers == {
            "User-Agent": "Footnote",
            "Accept": "application/json",
            "Accept-Encoding": headers["Accept-Encoding"],
            "Connection": "keep-alive",
        }


def test_it_is_off_where_it_is_turned_off_or_no_address_is_known(site, start, clock, monkeypatch):
    monkeypatch.setattr(subject, "default_address", lambda: "")
    asyncio.run(start().status())
    clock.now += timedelta(days=2)
    asyncio.run(looked(start(checks_updates=False)))
    asyncio.run(looked(start(update_address="")))
    status = asyncio.run(start(update_address="").check())
    assert site.asked == []
    assert (status.address, status.problem) == (
        "",
        "No update address is set, so Footnote doesn’t check for updates.",
    )
    assert asyncio.run(start(checks_updates=False).check()).release is not None, "who asks is answered"


@cases(
    "status, body, problem",
    [
        (302, b"", "returned HTTP 302."),
        (200, b"<html>", "did not send a version description."),
        (200, json.dumps(NEWER | {"version": "next"}).encode(), "did not send a version description"),
        (200, json.dumps(NEWER | {"date": "soon"}).encode(), "did not send a version description"),
        (
            200,
            json.dumps(NEWER | {"address": "file:///etc/passwd"}).encode(),
            "did not send a version description",
        ),
        (
            200,
            json.dumps(NEWER | {"address": "http://footnote.example"}).encode(),
            "did not send a version description",
        ),
        (200, b" " * 70_000, "sent more data than a version description."),
    ],
)
def test_a_useless_answer_is_no_version(site, status, body, problem):
    site.status, site.body = status, body
    with pytest.raises(UpdateUnknown, match=problem):
        asyncio.run(fetch_release(site.address, system_proxy))


@cases(
    "address, problem",
    [
        ("http://footnote.example/latest.json", "begin with https://"),
        ("ftp://127.0.0.1/", "begin with https://"),
        ("nonsense", "begin with https://"),
        ("http://127.0.0.1:1/latest.json", "can’t be reached"),
    ],
)
def test_only_protected_addresses_are_asked(address, problem):
    with pytest.raises(UpdateUnknown, match=problem):
        asyncio.run(fetch_release(address, system_proxy))


def test_long_notes_are_cut():
    release = parse_release(json.dumps(NEWER | {"notes": {"en": "x" * 9_000}}).encode())
    assert len(release.notes_in("en")) == 4_000


def test_nobody_is_asked_where_the_time_cannot_be_noted(site, start, tmp_path):
    (tmp_path / STATE_FILE).mkdir()
    status = asyncio.run(start().check())
    assert site.asked == []
    assert "Footnote did not check" in status.problem


def test_an_update_is_told_of_once(start):
    assert asyncio.run(start("0.1.0").pending_news()) == ""
    assert asyncio.run(start("0.1.0").pending_news()) == "", "a new user has nothing to compare with"
    updated = start("0.2.0")
    assert asyncio.run(updated.pending_news()) == "0.1.0"
    assert asyncio.run(start("0.2.0").pending_news()) == "0.1.0"
    asyncio.run(updated.note_told("0.2.0"))
    assert asyncio.run(start("0.2.0").pending_news()) == ""


@pytest.mark.parametrize("content", [b"", b"{", b'{"ran": "x"}', b'{"asked_at": "2026-01-01T00:00:00"}'])
def test_a_damaged_note_is_as_good_as_none(start, tmp_path, content):
    (tmp_path / STATE_FILE).write_bytes(content)
    assert asyncio.run(start().status()).asked_at is None


CHANGELOG = """# Changelog

## Unreleased

- Later.

## 0.3.0 - 2026-12-24

### Chat

- Third.

## 0.2.1 - 2026-12-01

- Second and a half.

## 0.2.0 - 2026-11-30

- Second.
"""


@cases(
    "version, since, language, found",
    [
        ("0.3.0", "", "en_GB", ["Third."]),
        ("0.3.0", "0.2.0", "en_GB", ["Third.", "Second and a half."]),
        ("0.3.0", "0.1", "zh_CN", ["第三。", "Second and a half.", "Second."]),
        ("0.2", "0.1.0", "en", ["Second."]),
        ("9.0.0", "", "en", []),
    ],
)
def test_news_are_what_came_between_two_versions(monkeypatch, version, since, language, found):
    chinese = "## 0.3.0 - 2026-12-24\n\n- 第三。\n"
    monkeypatch.setattr(
        subject, "changelog_text", lambda language: chinese if language.startswith("zh") else CHANGELOG
    )
    text = read_news(version, since, language).text
    assert [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")] == found


def test_the_changelog_comes_with_the_program_in_both_languages():
    assert "## 0.1.0" in changelog_text("en")
    assert changelog_text("zh_CN").startswith("# ")


@cases(
    "entries, address",
    [
        ([], ""),
        (["Homepage, https://footnote.example/"], "https://footnote.example/latest.json"),
        (["Homepage, https://a.example/x"], "https://a.example/x/latest.json"),
        (["Homepage, https://a.example", "Updates, https://b.example/v.json"], "https://b.example/v.json"),
    ],
)
def test_the_project_names_where_it_announces_its_versions(monkeypatch, entries, address):
    class Metadata:
        def get_all(self, name):
            return entries or None

    monkeypatch.setattr(subject, "metadata", lambda _name: Metadata())
    assert default_address() == address


def test_every_form_has_its_words(tmp_path):
    assert FORM_NAMES.keys() == set(InstallForm)
