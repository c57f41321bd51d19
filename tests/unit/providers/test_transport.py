"""The HTTP client under the SDKs."""

import gc

import httpx2
import pytest

from desktop.domain.privacy import EgressEvent
from desktop.errors.servers import ModelNotFound
from desktop.providers.transport import PATIENCE, new_client
from desktop.settings import egress
from desktop.settings.proxies import ProxyChoice, is_loopback
from tests.cases import cases
from tests.unit.providers.openai.test_server import ANSWER
from tests.unit.providers.requests import ask, opened
from tests.unit.providers.wire import serving, streaming
from tests.unit.search.net.tls_server import serving_tls
from tests.unit.search.proxy_server import ProxyServer

pytestmark = pytest.mark.anyio


@cases(
    "url, is_near",
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://127.8.8.8", True),
        ("http://localhost:1234/v1", True),
        ("http://LOCALHOST/", True),
        ("http://ollama.localhost/", True),
        ("http://[::1]:8080/v1", True),
        ("http://0.0.0.0:8080/v1", True),
        ("http://192.168.1.2/v1", False),
        ("https://api.openai.com/v1", False),
        ("https://localhost.example.com/v1", False),
        ("https://127.0.0.1.example.com/v1", False),
        ("nonsense", False),
        ("", False),
    ],
)
def test_this_machine_is_known_by_its_names(url, is_near):
    assert is_loopback(url) is is_near


async def test_this_machine_is_never_asked_through_a_proxy(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)

    assert (answer.text, answer.error) == ("你好，world 🌍.", None)


async def test_other_machines_are_asked_through_the_proxy_of_the_system(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    async with serving(streaming(ANSWER)) as wire:
        proxy = wire.base_url.removesuffix("/v1")
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy)
        async with opened("http://models.invalid/v1") as provider:
            answer = await ask(provider)

    assert (answer.text, answer.error) == ("你好，world 🌍.", None)
    assert wire.requests[0].path == "http://models.invalid/v1/chat/completions"


@cases("scheme", ["http", "socks5"])
async def test_a_server_is_among_those_of_an_answer_once_it_or_the_proxy_to_it_was_connected_to(scheme):
    sent: list[EgressEvent] = []
    async with serving_tls(None) as port, ProxyServer({"models.invalid": port}, scheme=scheme) as proxy:
        for choice in (ProxyChoice(proxy.address), ProxyChoice(f"{scheme}://127.0.0.1:9")):
            client = new_client("https://models.invalid/v1", PATIENCE, choice)
            with egress.collect(sent), pytest.raises(httpx2.ConnectError):
                await client.get("https://models.invalid/v1")
            await client.aclose()
        assert len(proxy.asked) == 1
    assert [each.host for each in sent] == ["models.invalid"]


async def test_a_connection_through_a_proxy_that_refuses_is_closed():
    """One that is left open would warn when it is collected."""
    async with ProxyServer(scheme="socks5") as proxy:
        client = new_client("https://models.invalid/v1", PATIENCE, ProxyChoice(proxy.address))
        with pytest.raises(httpx2.ProxyError):
            await client.get("https://models.invalid/v1")
        await client.aclose()
    assert proxy.asked == ["SOCKS models.invalid"]
    gc.collect()


async def test_redirects_are_not_followed():
    client = new_client("https://api.example.com/v1", PATIENCE)

    assert client.follow_redirects is False
    await client.aclose()


@cases("kind", ["openai", "anthropic"])
@cases("address", ["http://[::1", "http://\x00/"])
async def test_an_address_that_is_none_is_refused_when_opened(kind, address):
    with pytest.raises(ModelNotFound):
        async with opened(address, kind):
            pass


async def test_a_proxy_that_cannot_be_used_is_named(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "gopher://127.0.0.1")

    with pytest.raises(ModelNotFound, match="gopher"):
        async with opened("http://models.invalid/v1"):
            pass
