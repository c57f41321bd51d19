"""Pages over TLS through proxies: whose fault it is where it fails, and whose certificates count."""

import asyncio
import ssl

import pytest

from desktop.domain.privacy import EgressEvent
from desktop.domain.search import PageStatus
from desktop.search.fetcher import FetchedResponse, Fetcher, FetchFailed
from desktop.search.ssrf_guard import SsrfGuard
from desktop.search.transport import tls_context
from desktop.settings import egress
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.unit.search.net.test_transport import choosing, nobody_knows
from tests.unit.search.net.tls_server import Authority, serving_tls
from tests.unit.search.proxy_server import ProxyServer

SCHEMES = ["http", "socks5"]


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def fetch(context: ssl.SSLContext | None, scheme: str) -> FetchedResponse | FetchFailed:
    async def run():
        async with (
            serving_tls(context) as port,
            ProxyServer({"far.example": port}, scheme=scheme) as proxy,
            Fetcher(
                SsrfGuard(resolve=nobody_knows), choose_proxy=choosing(ProxyChoice(proxy.address))
            ) as fetcher,
        ):
            return await fetcher.fetch("https://far.example/a")

    return asyncio.run(run())


@cases("scheme", SCHEMES)
def test_an_authority_of_the_network_counts_behind_a_proxy_too(authority, scheme, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    answer = fetch(authority.context("far.example"), scheme)
    assert isinstance(answer, FetchedResponse)
    assert b"hello" in answer.body


@cases("scheme", SCHEMES)
@cases("fault", ["unknown authority", "expired", "another host", "hangs up"])
def test_a_fault_of_the_sites_tls_is_not_blamed_on_the_proxy(authority, scheme, fault, monkeypatch):
    if fault != "unknown authority":
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    context = {
        "unknown authority": lambda: authority.context("far.example"),
        "expired": lambda: authority.context("far.example", days=-1),
        "another host": lambda: authority.context("near.example"),
        "hangs up": lambda: None,
    }[fault]()
    answer = fetch(context, scheme)
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.OFFLINE
    assert "proxy" not in answer.error.lower()
    assert ("site’s certificate isn’t trusted" in answer.error) == (fault != "hangs up")


def test_a_site_is_among_those_of_an_answer_once_it_was_connected_to(authority):
    async def here(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async def run():
        async with (
            serving_tls(authority.context("far.example")) as port,
            Fetcher(SsrfGuard(("127.0.0.0/8",), resolve=here)) as fetcher,
        ):
            failed = await fetcher.fetch(f"https://far.example:{port}/a")
            assert "site’s certificate isn’t trusted" in failed.error
            await fetcher.fetch("https://nothing-listens.example:9/a")

    sent: list[EgressEvent] = []
    with egress.collect(sent):
        asyncio.run(run())
    assert [each.host for each in sent] == ["far.example"]


def test_a_proxy_that_is_not_there_is_still_told_as_that():
    async def run():
        choose = choosing(ProxyChoice("http://127.0.0.1:9"))
        async with Fetcher(SsrfGuard(resolve=nobody_knows), choose_proxy=choose) as fetcher:
            return await fetcher.fetch("https://far.example/a")

    assert "127.0.0.1:9" in asyncio.run(run()).error


def test_certificates_are_loaded_once_and_anew_where_others_are_named(authority, monkeypatch):
    usual = tls_context()
    assert tls_context() is usual
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    assert tls_context() is not usual
