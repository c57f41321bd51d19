"""However an address of a private network is spelt, neither the fetcher nor the browser's door connects to it.

Here names resolve as their owner's hostile server wants: to this machine, or now to one address and now
to another.
"""

import asyncio
import ipaddress
import itertools
import re

import pytest

from desktop.domain.search import PageStatus
from desktop.search.fetcher import Fetcher, FetchFailed
from desktop.search.ssrf_guard import SsrfGuard, is_public
from tests.unit.search.page_server import PageServer
from tests.unit.search.private_addresses import (
    FORMS,
    ask_browser_guard,
    connections,
    fetch,
    to_this_machine,
)

WITH_HOST = re.compile(r"\w+://[^/:]")
"""What has none leads back to the server that redirects."""


@pytest.fixture
def connected(monkeypatch):
    """Return what is connected to; nothing really is."""
    return connections(monkeypatch)


def test_there_are_enough_forms():
    assert len(set(FORMS)) >= 60


def test_the_fetcher_connects_to_none_of_them(connected):
    for form, answer in asyncio.run(fetch(FORMS)):
        assert isinstance(answer, FetchFailed), form
        assert answer.error
    assert all(is_public(ipaddress.ip_address(host)) for host in connected)


def test_no_redirect_leads_to_one_of_them():
    """A server that may be connected to redirects to every form; it is the only one that is asked."""

    async def run():
        async with PageServer() as server:
            allowed = (f"127.0.0.1:{server.port}",)
            async with Fetcher(SsrfGuard(allowed, resolve=to_this_machine)) as fetcher:
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
    attempts, refusals = asyncio.run(ask_browser_guard(FORMS, monkeypatch))
    assert refusals >= 60
    assert all(is_public(ipaddress.ip_address(host)) for host in attempts)


def test_a_name_that_changes_its_mind_is_connected_to_where_it_was_judged(connected):
    """The first answer is public, every later one is this machine: only the first is ever used."""
    answers = itertools.chain(["93.184.216.34"], itertools.repeat("127.0.0.1"))

    async def resolve(_host: str, _port: int) -> list[str]:
        return [next(answers)]

    async def run():
        async with Fetcher(SsrfGuard(resolve=resolve)) as fetcher:
            return [await fetcher.fetch("http://rebind.example/") for _ in range(3)]

    first, *later = asyncio.run(run())
    assert connected == ["93.184.216.34"]
    assert first.status is PageStatus.OFFLINE
    assert {answer.status for answer in later} == {PageStatus.REFUSED}
