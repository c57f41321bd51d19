"""Fetching ends within its limits, whatever a server does, and never with an exception."""

import asyncio
import gzip
import time
import zlib

import pytest

from desktop.domain.search import PageStatus
from desktop.search.fetcher import FetchedResponse, Fetcher, FetchFailed, Limits, Validators
from desktop.search.ssrf_guard import SsrfGuard
from tests.cases import cases
from tests.unit.search.page_server import PageServer, send_head

LOOPBACK = SsrfGuard(("127.0.0.1",))
SMALL = Limits(max_bytes=100_000)


def fetch(prepare, guard=LOOPBACK, limits=SMALL, validators=None):
    """Return what fetching gives from a server that `prepare` set up, and the server."""

    async def run():
        async with PageServer() as server, Fetcher(guard, limits) as fetcher:
            url = prepare(server)
            return await fetcher.fetch(url, validators), server

    return asyncio.run(run())


def test_a_page_comes_with_its_labels():
    answer, server = fetch(
        lambda site: site.page(
            "/a", b"hello", Content_Type='text/html; charset="GBK"', ETag='"1"', Cache_Control="Max-Age=60"
        )
    )
    assert isinstance(answer, FetchedResponse)
    assert (answer.status, answer.body, answer.media_type, answer.charset) == (
        200,
        b"hello",
        "text/html",
        "GBK",
    )
    assert answer.validators.etag == '"1"'
    assert answer.headers["cache-control"] == "Max-Age=60"
    assert answer.url == server.url("/a")
    assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"


@cases("status", [200, 403, 404, 500])
def test_every_status_is_an_answer(status):
    answer, _ = fetch(lambda site: site.page("/a", b"words", status))
    assert isinstance(answer, FetchedResponse)
    assert (answer.status, answer.body) == (status, b"words")


def test_validators_are_sent():
    _, server = fetch(
        lambda site: site.page("/a", b"", 304), validators=Validators('"7"', "Sat, 01 Jan 2000 00:00:00 GMT")
    )
    assert server.requests[0].headers["if-none-match"] == '"7"'
    assert "2000" in server.requests[0].headers["if-modified-since"]


def raw_deflate(data):
    squeeze = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return squeeze.compress(data) + squeeze.flush()


def compress(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # the current time would give each process other names for its tests


@cases(
    "encoding, squeezed",
    [
        ("gzip", compress(b"some text " * 50)),
        ("gzip", compress(b"some text " * 20) + compress(b"some text " * 30)),
        ("gzip", compress(b"some text " * 50) + b"\0\0\0"),
        ("x-gzip", compress(b"some text " * 50)),
        ("deflate", zlib.compress(b"some text " * 50)),
        ("deflate", raw_deflate(b"some text " * 50)),
        ("identity", b"some text " * 50),
    ],
)
def test_bodies_are_decompressed(encoding, squeezed):
    answer, _ = fetch(lambda site: site.page("/a", squeezed, Content_Encoding=encoding))
    assert isinstance(answer, FetchedResponse)
    assert answer.body == b"some text " * 50
    assert not answer.is_truncated


def test_a_long_page_is_cut_and_says_so():
    answer, _ = fetch(lambda site: site.page("/a", b"x" * 250_000))
    assert isinstance(answer, FetchedResponse)
    assert len(answer.body) == 100_000
    assert answer.is_truncated


def test_an_endless_body_is_cut():
    async def endless(_, writer):
        send_head(writer, 200, {"Content-Type": "text/html"})
        while True:
            writer.write(b"more and more " * 1000)
            await writer.drain()

    answer, _ = fetch(lambda site: site.on("/a", endless))
    assert isinstance(answer, FetchedResponse)
    assert answer.is_truncated
    assert len(answer.body) == 100_000


def test_a_bomb_is_given_up_before_it_fills_the_memory():
    bomb = gzip.compress(bytes(60_000_000), 9)
    answer, _ = fetch(
        lambda site: site.page("/a", bomb, Content_Encoding="gzip"), limits=Limits(max_bytes=50_000_000)
    )
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert "suspiciously large" in answer.error


def test_a_bomb_beyond_the_size_limit_is_only_a_long_page():
    answer, _ = fetch(
        lambda site: site.page("/a", gzip.compress(bytes(60_000_000), 9), Content_Encoding="gzip")
    )
    assert isinstance(answer, FetchedResponse)
    assert len(answer.body) == 100_000


@cases("encoding", ["gzip", "deflate"])
def test_what_is_not_compressed_as_it_says_is_reported(encoding):
    answer, _ = fetch(lambda site: site.page("/a", b"plain text here", Content_Encoding=encoding))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.FAILED
    assert "decompress" in answer.error


def test_a_compression_that_was_not_asked_for_is_reported():
    answer, _ = fetch(lambda site: site.page("/a", b"\x1b\x00", Content_Encoding="br"))
    assert answer == FetchFailed(answer.url, PageStatus.UNSUPPORTED, answer.error)
    assert "br" in answer.error


@cases("interval_s", [0.02, 60.0])
def test_a_body_that_drips_or_stalls_ends_in_time(interval_s):
    async def dripping(_, writer):
        send_head(writer, 200, {"Content-Length": "5000"})
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(interval_s)

    started = time.monotonic()
    answer, _ = fetch(
        lambda site: site.on("/a", dripping), limits=Limits(idle_s=0.3, total_s=0.6, connect_s=1.0)
    )
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.TIMED_OUT
    assert time.monotonic() - started < 30


def test_silence_ends_in_time():
    async def silent(_, writer):
        await asyncio.sleep(60)

    answer, _ = fetch(lambda site: site.on("/a", silent), limits=Limits(idle_s=0.2))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.TIMED_OUT


@cases(
    "reply",
    [
        b"",
        b"\xff\xfe\x00garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Flood: 1234567890\r\n" * 20_000 + b"\r\n",
        b"HTTP/1.1 999999 ?\r\n\r\n",
    ],
)
def test_broken_http_is_a_failure(reply):
    async def broken(_, writer):
        writer.write(reply)

    answer, _ = fetch(lambda site: site.on("/a", broken))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.FAILED
    assert answer.error


@cases("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(status):
    def prepare(site):
        site.page("/dir/end", b"here")
        return site.redirect("/dir/start", "end?x=1#part", status)

    answer, server = fetch(prepare)
    assert isinstance(answer, FetchedResponse)
    assert answer.body == b"here"
    assert answer.url.startswith(server.url("/dir/end?x=1"))


def test_a_redirect_loop_ends():
    def prepare(site):
        site.redirect("/b", "/a")
        return site.redirect("/a", "/b")

    answer, server = fetch(prepare)
    assert isinstance(answer, FetchFailed)
    assert "redirects too often" in answer.error
    assert len(server.requests) == Limits().max_redirects + 1


def test_a_cookie_set_on_the_way_is_sent_back_and_forgotten_afterwards():
    async def counting(request, writer):
        if "seen=yes" in request.headers.get("cookie", ""):
            send_head(writer, 200, {"Content-Length": "2"})
            writer.write(b"in")
        else:
            send_head(writer, 302, {"Location": "/a", "Set-Cookie": "seen=yes", "Content-Length": "0"})

    async def run():
        async with PageServer() as server, Fetcher(LOOPBACK, SMALL) as fetcher:
            url = server.on("/a", counting)
            answers = [await fetcher.fetch(url), await fetcher.fetch(url)]
            return answers, ["cookie" in request.headers for request in server.requests]

    answers, sent = asyncio.run(run())
    assert [answer.body for answer in answers] == [b"in", b"in"]
    assert sent == [False, True, False, True]


@cases(
    "location",
    [
        "http://127.0.0.2/", "http://localhost/", "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd",
        "//10.0.0.1/x", "http://0x7f000001/", "http://[::1]/", "javascript:alert(1)", "http://a@b@c/", "http://[",
    ],
)  # fmt: skip
def test_a_redirect_into_the_own_network_is_refused(location):
    answer, server = fetch(lambda site: site.redirect("/a", location))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert server.connections == 1


def test_a_redirect_to_a_name_that_resolves_privately_is_refused():
    async def resolve(_host, _port):
        return ["192.168.0.9"]

    answer, server = fetch(
        lambda site: site.redirect("/a", f"http://inside.example.com:{site.port}/secret"),
        guard=SsrfGuard(("127.0.0.1",), resolve),
    )
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert server.connections == 1


def test_a_name_that_changes_its_address_between_hops_is_judged_again():
    answers = [["127.0.0.1"], ["10.0.0.5"]]

    async def rebinding(_host, _port):
        return answers.pop(0)

    def prepare(site):
        site.redirect("/a", "/b")
        site.page("/b", b"secret")
        return site.url("/a", "rebind.example.com")

    answer, server = fetch(prepare, guard=SsrfGuard(("127.0.0.0/8",), rebinding))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert [request.path for request in server.requests] == ["/a"]


def test_a_name_keeps_its_host_header_while_its_address_is_pinned():
    async def resolve(_host, _port):
        return ["127.0.0.1"]

    def prepare(site):
        site.page("/a", b"x")
        return site.url("/a", "news.example.com")

    _, server = fetch(prepare, guard=SsrfGuard(("127.0.0.0/8",), resolve))
    assert server.requests[0].headers["host"] == f"news.example.com:{server.port}"


@cases("url", ["http://127.0.0.9/", "ftp://example.com/", "", "no address", "http://\udc80/"])
def test_what_may_not_be_fetched_is_refused(url):
    answer, server = fetch(lambda _: url)
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert answer.error
    assert not server.connections


def test_an_unknown_host_and_a_closed_port_are_offline():
    async def unknown(_host, _port):
        raise OSError

    answer, _ = fetch(lambda _: "http://nowhere.example.com/", guard=SsrfGuard(resolve=unknown))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.OFFLINE

    async def closed():
        async with PageServer() as server:
            url = server.url("/")
        async with Fetcher(LOOPBACK, SMALL) as fetcher:
            return await fetcher.fetch(url)

    answer = asyncio.run(closed())
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.OFFLINE


def test_one_host_is_asked_by_few_at_a_time_and_all_hosts_by_not_too_many():
    async def run():
        arrived = asyncio.Event()
        async with PageServer() as one, PageServer() as other:
            both = [one, other]

            async def slow(_, writer):
                if one.open_now + other.open_now >= 3:
                    arrived.set()
                await arrived.wait()
                send_head(writer, 200, {"Content-Length": "0"})

            urls = [server.on(f"/{number}", slow) for server in both for number in range(5)]
            limits = Limits(per_host=2, overall=3)

            async def resolve(_host, _port):
                return ["127.0.0.1"]

            guard = SsrfGuard(("127.0.0.0/8",), resolve)
            names = {one.port: "one.example.com", other.port: "other.example.com"}
            urls = [url.replace("127.0.0.1", names[int(url.split(":")[2].split("/")[0])]) for url in urls]
            async with Fetcher(guard, limits) as fetcher:
                answers = await asyncio.gather(*(fetcher.fetch(url) for url in urls))
            return answers, one.most_open, other.most_open

    answers, one, other = asyncio.run(run())
    assert all(isinstance(answer, FetchedResponse) for answer in answers)
    assert max(one, other) <= 2


def test_waiting_in_line_is_not_counted_as_the_page_being_slow():
    async def run():
        loop = asyncio.get_running_loop()
        clock = loop.time
        async with (
            PageServer() as server,
            Fetcher(LOOPBACK, Limits(per_host=1, total_s=60.0)) as fetcher,
        ):
            url = server.page("/a", "x")
            async with fetcher.host_slots(url):
                waiting = asyncio.create_task(fetcher.fetch(url))
                await asyncio.sleep(0)
                loop.time = lambda: clock() + 3_600.0  # an hour goes by
                await asyncio.sleep(0)
            return await waiting

    assert isinstance(asyncio.run(run()), FetchedResponse)


def test_cancelling_closes_the_connection():
    async def run():
        async with PageServer() as server, Fetcher(LOOPBACK, Limits()) as fetcher:
            begun, gone = asyncio.Event(), asyncio.Event()

            async def endless(_, writer):
                begun.set()
                send_head(writer, 200, {"Content-Type": "text/html"})
                try:
                    while True:
                        writer.write(b"x")
                        await writer.drain()
                        await asyncio.sleep(0.005)
                except ConnectionError:
                    gone.set()
                    raise

            task = asyncio.create_task(fetcher.fetch(server.on("/a", endless)))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(gone.wait(), 30)

    asyncio.run(run())


@cases("location", ["http://xn--.com/", "http://xn--a/", "http://[::1/", "http://a..b/"])
def test_a_redirect_to_what_is_no_address_is_an_outcome(location):
    answer, _ = fetch(lambda site: site.redirect("/a", location))
    assert isinstance(answer, FetchFailed)
    assert answer.error
