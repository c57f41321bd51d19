"""However an address of a private network is spelt, neither the fetcher nor the browser's door connects to it.

Here names resolve as their owner's hostile server wants: to this machine, or now to one address and now
to another.
"""

import asyncio
import ipaddress
import itertools
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import httpcore
import pytest

from desktop.domain.search import PageStatus
from desktop.search import browser_gate
from desktop.search.browser_gate import BrowserGate
from desktop.search.fetch import Fetcher, FetchFailed
from desktop.search.guard import Guard, is_public
from tests.unit.search.page_server import PageServer
from tests.unit.search.test_guard import DOUBTFUL_BREAKS, REFUSED_BY_THEIR_TEXT

OWN_NAMES = [
    f"http://{name}/"
    for name in (
        "rebind.example",
        "127.0.0.1.nip.example",
        "localtest.example",
        "www.example.com",
        "a.b.c.example",
    )
]
SHARED = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere")) / "xss" / "ssrf_urls.txt"
WITH_HOST = re.compile(r"\w+://[^/:]")
"""What has none leads back to the server that redirects."""
FORMS = [*REFUSED_BY_THEIR_TEXT.split("\n")[1:-1], *DOUBTFUL_BREAKS, *OWN_NAMES]
if SHARED.is_file():
    FORMS += SHARED.read_text("utf-8", "replace").splitlines()


async def to_this_machine(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.fixture
def connected(monkeypatch):
    """Return what is connected to; nothing really is."""
    attempts: list[str] = []

    async def connect_tcp(_self, host, *_args, **_options):
        attempts.append(host)
        raise httpcore.ConnectError

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect_tcp)
    return attempts


def test_there_are_enough_forms():
    assert len(set(FORMS)) >= 60


def test_the_fetcher_connects_to_none_of_them(connected):
    async def run():
        async with Fetcher(Guard(resolve=to_this_machine)) as fetcher:
            return [(form, await fetcher.fetch(form)) for form in FORMS]

    for form, answer in asyncio.run(run()):
        assert isinstance(answer, FetchFailed), form
        assert answer.error
    assert all(is_public(ipaddress.ip_address(host)) for host in connected)


def test_no_redirect_leads_to_one_of_them():
    """A server that may be connected to redirects to every form; it is the only one that is asked."""

    async def run():
        async with PageServer() as server:
            allowed = (f"127.0.0.1:{server.port}",)
            async with Fetcher(Guard(allowed, resolve=to_this_machine)) as fetcher:
                forms = [
                    form for form in FORMS if form.isascii() and form.isprintable() and WITH_HOST.match(form)
                ]
                answers = []
                for number, form in enumerate(forms):
                    answers.append(
                        (form, await fetcher.fetch(server.redirect(f"/r{number}", form, Connection="close")))
                    )
            return answers

    for form, answer in asyncio.run(run()):
        assert isinstance(answer, FetchFailed), form
        assert answer.status in {PageStatus.REFUSED, PageStatus.OFFLINE}, form


def test_the_browsers_door_connects_to_none_of_them(monkeypatch):
    attempts: list[str] = []

    async def run():
        gate = await BrowserGate.start(Guard(resolve=to_this_machine).addresses)
        port = int(gate.address.rpartition(":")[2])
        really_open = asyncio.open_connection

        async def open_connection(host, port, **options):
            attempts.append(host)
            raise ConnectionRefusedError

        monkeypatch.setattr(browser_gate.asyncio, "open_connection", open_connection)
        try:
            for form in FORMS:
                for request in requests_for(form):
                    reader, writer = await really_open("127.0.0.1", port)
                    writer.write(request)
                    answer = await reader.read()
                    assert not answer.startswith(b"HTTP/1.1 2"), form
                    writer.close()
        finally:
            await gate.close()
        return gate

    gate = asyncio.run(run())
    assert gate.refusals >= 60
    assert all(is_public(ipaddress.ip_address(host)) for host in attempts)


def requests_for(form: str) -> list[bytes]:
    """Return what a browser could be made to send for an address, as a request and as a tunnel."""
    line = " ".join(form.split())
    requests = [f"GET {line} HTTP/1.1\r\n\r\n".encode("utf-8", "replace")]
    try:
        place = urlsplit(form).netloc.rpartition("@")[2]
    except ValueError:
        return requests
    with_port = place if ":" in place.rpartition("]")[2] else f"{place}:443"
    return [*requests, f"CONNECT {with_port} HTTP/1.1\r\n\r\n".encode("utf-8", "replace")]


def test_a_name_that_changes_its_mind_is_connected_to_where_it_was_judged(connected):
    """The first answer is public, every later one is this machine: only the first is ever used."""
    answers = itertools.chain(["93.184.216.34"], itertools.repeat("127.0.0.1"))

    async def resolve(_host: str, _port: int) -> list[str]:
        return [next(answers)]

    async def run():
        async with Fetcher(Guard(resolve=resolve)) as fetcher:
            return [await fetcher.fetch("http://rebind.example/") for _ in range(3)]

    first, *later = asyncio.run(run())
    assert connected == ["93.184.216.34"]
    assert first.status is PageStatus.OFFLINE
    assert {answer.status for answer in later} == {PageStatus.REFUSED}
