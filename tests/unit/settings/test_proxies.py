"""Which proxy a connection takes."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import ProxyUnusable
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM
from desktop.settings.proxies import Proxy, ProxyChoice, is_loopback, parse_proxy, split_login
from tests.cases import cases

FAR = "https://api.example.com/v1"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("http", "https", "all", "no", "socks"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_PROXY".upper(), raising=False)


@cases(
    "address, proxy",
    [
        ("http://127.0.0.1:7890", Proxy("http", "127.0.0.1", 7890)),
        (" socks5://proxy.example ", Proxy("socks5", "proxy.example", 1080)),
        ("socks5h://[::1]:9050/", Proxy("socks5h", "::1", 9050)),
        ("https://proxy.example:443", Proxy("https", "proxy.example", 443)),
        ("http://me:p%40ss@proxy.example:80", Proxy("http", "proxy.example", 80, "me", "p@ss")),
    ],
)
def test_addresses_are_read(address, proxy):
    assert parse_proxy(address) == proxy


@cases(
    "address",
    ["", "proxy.example:80", "gopher://x", "http://", "http://:80", "http://x:0", "http://x:99999", "http://[::1",
     "socks4://x:1"],
)  # fmt: skip
def test_what_is_no_proxy_is_refused(address):
    with pytest.raises(ProxyUnusable):
        parse_proxy(address)


@given(st.text(max_size=60))
def test_any_text_is_a_proxy_or_an_error(text):
    with contextlib.suppress(ProxyUnusable):
        assert parse_proxy(text).host


def test_a_password_is_never_shown():
    proxy = parse_proxy("socks5://me:hunter22@proxy.example:1")
    assert "hunter22" not in repr(proxy) + proxy.address
    assert "hunter22" in proxy.url
    with pytest.raises(ProxyUnusable) as caught:
        parse_proxy("ftp://me:hunter22@proxy.example")
    assert "hunter22" not in str(caught.value)


def test_a_login_comes_from_the_keyring():
    assert parse_proxy("http://p.example:1", "me:a:b").url == "http://me:a%3Ab@p.example:1"
    assert "secret" not in repr(ProxyChoice("http://p.example:1", "me:secret"))


def test_a_login_typed_into_the_address_is_taken_out_of_it():
    assert split_login("http://me:p%40ss@p.example:1") == ("http://p.example:1", "me:p@ss")
    assert split_login("http://p.example:1") == ("http://p.example:1", "")


@cases(
    "url",
    ["http://localhost:8080", "http://127.0.0.1", "http://127.8.9.1:1", "http://[::1]/", "http://0.0.0.0",
     "http://a.localhost", "http://[::ffff:127.0.0.1]/", "http://LOCALHOST./"],
)  # fmt: skip
def test_this_machine_is_never_reached_through_a_proxy(url, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy.example:1")
    assert is_loopback(url)
    assert ProxyChoice("socks5://proxy.example:1").proxy_for(url) is None
    assert ProxyChoice(PROXY_OF_SYSTEM).proxy_for(url) is None


def test_none_is_none_whatever_the_system_says(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy.example:1")
    assert ProxyChoice(NO_PROXY).proxy_for(FAR) is None


@cases(
    "variables, address",
    [
        ({}, None),
        ({"https_proxy": "http://p.example:8"}, "http://p.example:8"),
        ({"http_proxy": "http://p.example:8"}, None),
        ({"all_proxy": "socks5://p.example"}, "socks5://p.example:1080"),
        ({"all_proxy": "socks://p.example:9"}, "socks5://p.example:9"),
        ({"https_proxy": "p.example:8"}, "http://p.example:8"),
        ({"https_proxy": "http://p.example:8", "no_proxy": "example.com"}, None),
        ({"https_proxy": "http://p.example:8", "no_proxy": "other.org"}, "http://p.example:8"),
    ],
)
def test_the_system_is_asked_with_its_exceptions(variables, address, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    proxy = ProxyChoice().proxy_for(FAR)
    assert (proxy and proxy.address) == address
