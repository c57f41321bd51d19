"""Servers that drip, never end, unpack to much or lead around in circles: each page ends within its limits."""

import asyncio
import gzip
import zlib
from functools import cache

import psutil
import pytest

from desktop.search.fetcher import FetchedResponse, Fetcher, FetchFailed, Limits
from desktop.search.ssrf_guard import SsrfGuard
from tests.unit.search.page_server import PageServer, send_head

pytestmark = pytest.mark.anyio

LIMITS = Limits(connect_s=1.0, idle_s=0.4, total_s=1.0)
"""The bytes are those of the program; the seconds are shorter, so that many can be tried."""
MEGABYTE = 1024 * 1024
MOST_GROWTH_BYTES = 100 * MEGABYTE


async def drip(_request, writer):
    send_head(writer, 200, {"Content-Length": "5000"})
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.1)


async def fall_silent(_request, writer):
    send_head(writer, 200, {"Content-Length": "5000"})
    writer.write(b"x" * 100)
    await writer.drain()
    await asyncio.Event().wait()


async def never_answer(_request, _writer):
    await asyncio.Event().wait()


async def never_end(_request, writer):
    send_head(writer, 200, {"Content-Type": "text/html"})
    while True:
        writer.write(b"more " * 20_000)
        await writer.drain()


async def drip_headers(_request, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-Slow: 1\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)


async def flood_headers(_request, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-Flood: " + b"y" * 4_000 + b"\r\n")
        await writer.drain()


async def send_bomb(_request, writer):
    """Send gzip that unpacks to about a thousand times as much, without an end."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(b"x") + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    send_head(writer, 200, {"Content-Type": "text/html", "Content-Encoding": "gzip"})
    writer.write(head)
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)


HANDLERS = (drip, fall_silent, never_answer, never_end, drip_headers, flood_headers, send_bomb)
KINDS = [handler.__name__ for handler in HANDLERS] + ["nested bomb", "loop", "100 redirects", "br", "zstd"]


@cache
def nested_bomb():
    """Return gzip in gzip, of which the inner one unpacks to 1 GB."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    inner = b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(1_000)) + packer.flush()
    return gzip.compress(inner, 9)


def prepare(server, kind, number):
    """Return the address of a page that behaves as `kind` says."""
    path = f"/{number}"
    match kind:
        case "nested bomb":
            return server.page(path, nested_bomb(), Content_Type="text/html", Content_Encoding="gzip")
        case "loop":
            server.redirect(f"{path}-there", path)
            return server.redirect(path, f"{path}-there")
        case "100 redirects":
            for hop in range(100):
                server.redirect(f"{path}-{hop}", f"{path}-{hop + 1}")
            return server.url(f"{path}-0")
        case "br" | "zstd":
            return server.page(path, b"\x00" * 50_000, Content_Encoding=kind)
    return server.on(path, dict(zip(KINDS, HANDLERS, strict=False))[kind])


async def test_no_server_holds_a_page_up_or_fills_the_memory(times, told):
    count = times(len(KINDS), 10 * len(KINDS))
    process, ends, most = psutil.Process(), {"cut": 0, "given up": 0}, 0
    loop = asyncio.get_running_loop()
    slowest_s = 0.0
    async with PageServer() as server, Fetcher(SsrfGuard(("127.0.0.1",)), LIMITS) as fetcher:
        bombs = prepare(server, "nested bomb", "warm")
        await fetcher.fetch(bombs)
        before = process.memory_info().rss
        for number in range(count):
            url = prepare(server, KINDS[number % len(KINDS)], number)
            started = loop.time()
            answer = await fetcher.fetch(url)
            slowest_s = max(slowest_s, loop.time() - started)
            assert isinstance(answer, FetchedResponse | FetchFailed)
            assert not isinstance(answer, FetchedResponse) or len(answer.body) <= LIMITS.max_bytes
            ends["cut" if isinstance(answer, FetchedResponse) else "given up"] += 1
            most = max(most, process.memory_info().rss - before)
            del answer
    assert most <= MOST_GROWTH_BYTES
    told(
        f"Pages of {len(KINDS)} kinds of servers that drip, flood, unpack without end or lead in circles",
        count,
        f"{ends['given up']} given up, {ends['cut']} cut at 10 MB; {slowest_s:.1f} s at most with a limit of 1 s;"
        f" memory at most {most // MEGABYTE} MB more",
    )
