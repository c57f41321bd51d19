"""Addresses of private networks in five hundred spellings: neither fetcher nor browser connects to one."""

import asyncio
import ipaddress
import random

import pytest

from desktop.search.fetcher import FetchFailed
from desktop.search.ssrf_guard import is_public
from tests.unit.search.private_addresses import FORMS, ask_browser_guard, connections, fetch

INSIDE = (
    "127.0.0.1", "10.1.2.3", "172.16.9.9", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "198.18.0.1", "192.0.0.192",
)  # fmt: skip
DOTS = (".", "。", "．", "｡", "%2e")
SCHEMES = (
    "http://",
    "https://",
    "HTTP://",
    "http:\\\\",
    "http:/",
    "http:",
    "http://user@",
    "http://a.example@",
    "http://a.example#@",
)
TAILS = ("/", "", ":80/", ":8080/admin", "/%2e%2e/", "?x=1", "#a", "\\@a.example/", "/.a.example")


def spelt(count: int, seed: int) -> list[str]:
    """Return the known forms, then others: octal, hexadecimal, short, mapped, with other dots and other users."""
    chance = random.Random(seed)
    forms = dict.fromkeys(FORMS)
    while len(forms) < count:
        address = ipaddress.IPv4Address(chance.choice(INSIDE))
        host = chance.choice((_parts, _short, _number, _mapped))(address, chance)
        forms[chance.choice(SCHEMES) + host + chance.choice(TAILS)] = None
    return list(forms)[:count]


def _parts(address: ipaddress.IPv4Address, chance: random.Random) -> str:
    parts = (
        chance.choice((f"{part}", f"0{part:o}", f"0x{part:x}", f"{part:03d}", f"0x{part:08X}"))
        for part in address.packed
    )
    return chance.choice(DOTS).join(parts)


def _short(address: ipaddress.IPv4Address, chance: random.Random) -> str:
    keep = chance.randint(1, 3)
    rest = int.from_bytes(address.packed[keep:])
    return ".".join([*map(str, address.packed[:keep]), chance.choice((str(rest), hex(rest), f"0{rest:o}"))])


def _number(address: ipaddress.IPv4Address, chance: random.Random) -> str:
    return chance.choice((str(int(address)), hex(int(address)), f"0{int(address):o}", f"{int(address)}."))


def _mapped(address: ipaddress.IPv4Address, chance: random.Random) -> str:
    high, low = int(address) >> 16, int(address) & 0xFFFF
    return chance.choice(
        (
            f"[::ffff:{address}]",
            f"[::ffff:{high:x}:{low:x}]",
            f"[64:ff9b::{high:x}:{low:x}]",
            f"[2002:{high:x}:{low:x}::1]",
            f"[::{address}]",
        )
    )


@pytest.fixture
def forms(times):
    return spelt(times(200, 500), 11)


def test_the_fetcher_connects_to_none(forms, told, monkeypatch):
    attempts = connections(monkeypatch)
    for form, answer in asyncio.run(fetch(forms)):
        assert isinstance(answer, FetchFailed), form
        assert answer.error
    assert all(is_public(ipaddress.ip_address(host)) for host in attempts)
    told("Spellings of private addresses, fetcher", len(forms), "0 connections")


def test_the_browsers_door_connects_to_none(forms, told, monkeypatch):
    attempts, refusals = asyncio.run(ask_browser_guard(forms, monkeypatch))
    assert refusals >= len(forms) // 2
    assert all(is_public(ipaddress.ip_address(host)) for host in attempts)
    told("Spellings of private addresses, browser", len(forms), "0 connections")
