"""Nothing private is ever connected to, however it is spelt and whatever a name resolves to."""

import asyncio
import ipaddress
import socket

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.search.ssrf_guard import AddressRefused, GuardedBackend, HostUnknown, SsrfGuard, is_public
from tests.cases import cases
from tests.unit.search.page_server import PageServer

PUBLIC = "93.184.216.34"

REFUSED_BY_THEIR_TEXT = """
http://127.0.0.1/
http://127.0.0.1:8080/admin
https://127.127.127.127/
http://127.1/
http://127.0.1/
http://0/
http://0.0.0.0/
http://00000000.0/
http://2130706433/
http://017700000001/
http://0177.0.0.1/
http://0x7f000001/
http://0x7f.0x0.0x0.0x1/
http://0x7f.1/
http://127.0.0.1./
http://127.0.0.0x1/
http://1.0x7f/
http://o177.0.0.1/
http://0o177.0.0.1/
http://q177.0.0.1/
http://10.0.0.1/
http://172.16.0.1/
http://172.31.255.255/
http://192.168.1.1/
http://3232235777/
http://169.254.169.254/latest/meta-data/
http://2852039166/
http://0xa9fea9fe/
http://100.64.0.1/
http://100.100.100.200/latest/meta-data/
http://168.63.129.16/
http://192.0.0.192/latest/
http://198.18.0.7/
http://224.0.0.1/
http://239.255.255.250:1900/
http://240.0.0.1/
http://255.255.255.255/
http://192.0.2.1/
http://[::1]/
http://[::]/
http://[0:0:0:0:0:0:0:1]/
http://[::ffff:127.0.0.1]/
http://[::ffff:7f00:1]/
http://[::ffff:10.1.2.3]/
http://[::127.0.0.1]/
http://[64:ff9b::127.0.0.1]/
http://[64:ff9b::a9fe:a9fe]/
http://[64:ff9b:1::a00:1]/
http://[2002:7f00:1::]/
http://[2002:c0a8:101::1]/
http://[2001:0:7f00:1::]/
http://[fe80::1]/
http://[fe80::1%25eth0]/
http://[fec0::1]/
http://[fc00::1]/
http://[fd00:ec2::254]/
http://[ff02::1]/
http://[2001:db8::1]/
http://[100::1]/
http://localhost/
http://LOCALHOST/
http://localhost./
http://foo.localhost/
http://localhost.localdomain/
http://ip6-localhost/
http://metadata/computeMetadata/v1/
http://metadata.google.internal/
http://printer.local/
http://router.lan/
http://intranet/
http://127。0。0。1/
http://127．0．0．1/
http://①②⑦.⓪.⓪.①/
http://①②⑦。⓪。⓪。①/
http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/
http://example.com@127.0.0.1/
http://127.0.0.1@example.com/
http://user:secret@example.com/
http://example.com#@127.0.0.1\\@x/
http://127.1.1.1:80\\@127.2.2.2:80/
http://127.1.1.1:80:\\@@127.2.2.2:80/
http:127.0.0.1/
http:/127.0.0.1/
http:///127.0.0.1/
//127.0.0.1/
file:///etc/passwd
ftp://example.com/
gopher://127.0.0.1:6379/_INFO
dict://127.0.0.1:11211/stats
jar:http://127.0.0.1!/
data:text/html,hello
javascript:alert(1)
ws://example.com/
http://
http://:80/
http://example.com:99999/
http://exa mple.com/
http://example.com/a b
http://127.0.0.1%00.example.com/
http://127.0.0.1%2eexample.com/
http://[::1
http://::1/
http://${HOST}/
http://-example.com/
http://a..b/
"""
DOUBTFUL_BREAKS = [
    "http://example.com/\r\nHost: 127.0.0.1",
    "http://exam\tple.com/",
    "\x00http://example.com/",
]


async def to_public(_host: str, _port: int) -> list[str]:
    return [PUBLIC]


@cases("url", [*filter(None, REFUSED_BY_THEIR_TEXT.split("\n")), *DOUBTFUL_BREAKS])
def test_what_looks_private_is_refused_without_asking_dns(url):
    asked = []

    async def noting(host, port):
        asked.append(host)
        return [PUBLIC]

    assert not asyncio.run(SsrfGuard(resolve=noting).may_request(url))
    assert not asked


@cases(
    "url",
    [
        "http://example.com",
        "https://EXAMPLE.com:8443/path?q=1#x",
        "https://例え.jp/ページ",
        "https://xn--fsqu00a.xn--0zwm56d/",
        "https://中文.com/文章?标题=北京",
        "http://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "https://a.b.c.example.co.uk./",
        "https://under_score.example.com/",
        "https://123.example.com/",
        "https://example.com/?url=http://127.0.0.1/",
        "https://example.com/@127.0.0.1",
    ],
)
def test_public_addresses_pass(url):
    assert asyncio.run(SsrfGuard(resolve=to_public).may_request(url))


@cases(
    "answers",
    [
        ["127.0.0.1"], ["10.0.0.7"], ["169.254.169.254"], ["::1"], ["fe80::1%eth0"], ["::ffff:192.168.0.1"],
        ["64:ff9b::7f00:1"], [PUBLIC, "127.0.0.1"], ["::1", PUBLIC], ["198.18.3.4"], ["0.0.0.0"], ["fd12::1"],
    ],
)  # fmt: skip
def test_a_name_is_refused_if_any_of_its_addresses_is_private(answers):
    async def resolve(_host, _port):
        return answers

    async def check():
        await SsrfGuard(resolve=resolve).addresses("example.com", 80)

    with pytest.raises(AddressRefused, match="private network"):
        asyncio.run(check())


@cases("error", [socket.gaierror(-2, "unknown"), UnicodeError("label too long"), None])
def test_a_name_that_does_not_resolve_is_unknown(error):
    async def resolve(_host, _port):
        if error is not None:
            raise error
        return []

    with pytest.raises(HostUnknown, match=r"example\.com"):
        asyncio.run(SsrfGuard(resolve=resolve).addresses("example.com", 80))


@cases(
    "allowed, url",
    [
        ("localhost", "http://localhost:8080/"),
        ("127.0.0.1", "http://127.0.0.1:9/"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("Wiki.Intern:443", "https://wiki.intern/"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("::1", "http://[::1]/"),
        ("nas", "http://nas/"),
    ],
)
def test_hosts_that_the_person_named_are_allowed(allowed, url):
    async def private(_host, _port):
        return ["192.168.7.7"]

    assert asyncio.run(SsrfGuard((allowed,), private).may_request(url))
    assert not asyncio.run(SsrfGuard((), private).may_request(url))


@cases(
    "allowed, url",
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8081/"),
        ("intern.example", "http://evil.intern.example/"),
        ("nas", "http://nas.example.com/"),
        ("localhost", "http://127.0.0.1/"),
        ("127.0.0.1", "http://0x7f000001/"),
    ],
)
def test_naming_a_host_allows_no_other(allowed, url):
    async def private(_host, _port):
        return ["192.168.7.7"]

    assert not asyncio.run(SsrfGuard((allowed,), private).may_request(url))


def test_fake_ip_ranges_count_only_when_named():
    async def fake(_host, _port):
        return ["198.18.0.99"]

    assert not asyncio.run(SsrfGuard((), fake).may_request("https://example.com/"))
    assert asyncio.run(SsrfGuard(("198.18.0.0/15",), fake).may_request("https://example.com/"))
    assert not asyncio.run(SsrfGuard(("198.18.0.0/15",), fake).may_request("https://localhost/"))


def test_addresses_come_once_and_ipv4_first():
    async def resolve(_host, _port):
        return ["2606:4700::1111", PUBLIC, PUBLIC]

    found = asyncio.run(SsrfGuard(resolve=resolve).addresses("example.com", 443))
    assert found == (PUBLIC, "2606:4700::1111")


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_is_no_more_public_inside_an_ipv6_one(number):
    plain = ipaddress.IPv4Address(number)
    mapped = ipaddress.IPv6Address(0xFFFF_0000_0000 + number)
    translated = ipaddress.IPv6Address((0x64_FF9B << 96) + number)
    assert is_public(mapped) == is_public(translated) == is_public(plain)


@given(st.text(max_size=60))
def test_any_text_is_judged_without_an_error(text):
    async def judge():
        guard = SsrfGuard(resolve=to_public)
        return [await guard.may_request(text), await guard.may_request(f"http://{text}/")]

    assert all(isinstance(verdict, bool) for verdict in asyncio.run(judge()))


def test_the_address_that_was_judged_is_the_one_connected_to():
    """DNS rebinding: the second answer would be private, and is never asked for."""
    answers = [["127.0.0.1"], ["10.6.6.6"]]

    async def rebinding(_host, _port):
        return answers.pop(0)

    async def connect():
        async with PageServer() as server:
            backend = GuardedBackend(SsrfGuard(("127.0.0.0/8",), rebinding))
            stream = await backend.connect_tcp("rebind.example.com", server.port, 5.0)
            peer = stream.get_extra_info("server_addr")
            await stream.aclose()
            return peer

    assert asyncio.run(connect())[0] == "127.0.0.1"
    assert answers == [["10.6.6.6"]]


def test_the_next_address_is_tried_when_one_does_not_answer():
    async def two(_host, _port):
        return ["127.0.0.2", "127.0.0.1"]  # the server listens on the second only

    async def connect():
        async with PageServer() as server:
            backend = GuardedBackend(SsrfGuard(("127.0.0.0/8",), two))
            stream = await backend.connect_tcp("two.example.com", server.port, 5.0)
            peer = stream.get_extra_info("server_addr")
            await stream.aclose()
            return peer

    assert asyncio.run(connect())[0] == "127.0.0.1"


def test_when_no_address_answers_the_last_error_is_raised():
    async def closed(_host, _port):
        return ["127.0.0.1"]

    async def connect():
        async with PageServer() as server:
            port = server.port
        await GuardedBackend(SsrfGuard(("127.0.0.0/8",), closed)).connect_tcp("down.example.com", port, 5.0)

    with pytest.raises(httpcore.ConnectError):
        asyncio.run(connect())
