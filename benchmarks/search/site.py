"""A small web on loopback, in a process of its own: three search engines and the pages that they lead to.

Every document takes 300 ms, what belongs to a page 30 ms. What fails is decided by the address alone, so
that all contestants meet the same failures: captcha, rate limit, error, broken connection, a page that
is no longer what it was, and a server that does not answer.
"""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from urllib.parse import parse_qs, quote, urlsplit
from zlib import crc32

DELAY_S = 0.3
PART_DELAY_S = 0.03
STALL_S = 60.0
PAGES = 5
HOSTS = tuple(f"127.0.0.{n}" for n in range(2, 2 + PAGES))
"""One for each page of a result list, since no client asks one host for everything at once."""

ENGINE_FAULTS = ("captcha", "limit", "error", "reset", "changed", "stall")
PAGE_FAULTS = ("error", "missing", "reset", "captcha", "empty", "stall")

RESULT_LISTS = {
    "duckduckgo": (
        '<div id="links">{}</div>',
        '<div class="result"><h2><a class="result__a" href="{}">{}</a></h2><a class="result__snippet">{}</a></div>',
    ),
    "bing": (
        '<ol id="b_results">{}</ol>',
        '<li class="b_algo"><h2><a href="{}">{}</a></h2><div class="b_caption"><p>{}</p></div></li>',
    ),
    "mojeek": (
        '<ul class="results-standard">{}</ul>',
        '<li><h2><a class="title" href="{}">{}</a></h2><p class="s">{}</p></li>',
    ),
}
CAPTCHA = "<form id=captcha-form class=g-recaptcha><p>Our systems have detected unusual traffic. Prove that you are human.</p></form>"
FACT = "The {query} of region {n} was measured at {value} units in the survey of 2024. "
FILLER = "Observers note that weather, light and the season change what is seen there from year to year. "


@dataclass(frozen=True)
class Faults:
    """Shares of requests that fail, engine by engine, and of pages."""

    engines: tuple[float, float, float] = (0.0, 0.0, 0.0)
    pages: float = 0.0


@dataclass(frozen=True)
class Site:
    """Where everything is."""

    engines: dict[str, str]


def fault(address: str, share: float, kinds: tuple[str, ...]) -> str:
    lot = crc32(address.encode()) / 2**32
    return kinds[crc32(address[::-1].encode()) % len(kinds)] if lot < share else ""


def result_list(engine: str, query: str, port: int) -> str:
    around, each = RESULT_LISTS[engine]
    rows = [
        each.format(
            f"http://{host}:{port}/page/{quote(query)}/{n}",
            f"{query} in region {n}",
            f"What is known of {query} in region {n}, and who measured it.",
        )
        for n, host in enumerate(HOSTS)
    ]
    return f"<html><head><title>{query}</title></head><body>{around.format(''.join(rows))}</body></html>"


def page(query: str, n: str) -> str:
    paragraphs = "".join(
        f"<p>{FACT.format(query=query, n=n, value=crc32(f'{query}{n}{at}'.encode()) % 1000) if at % 7 == 0 else ''}{FILLER * 4}</p>"
        for at in range(40)
    )
    return (
        f"<html><head><title>{query} in region {n}</title><link rel=stylesheet href=/part/style.css></head><body>"
        f"<nav><a href=/>Home</a></nav><article><h1>{query} in region {n}</h1><img src=/part/a.png>{paragraphs}"
        "<img src=/part/b.png></article><footer>Imprint</footer>"
        "<script>addEventListener('load', () => setTimeout(() => fetch('/part/seen'), 300))</script></body></html>"
    )


def serve(faults: Faults, ready: Connection) -> None:
    asyncio.run(_serve(faults, ready))


async def _serve(faults: Faults, ready: Connection) -> None:
    servers = {}
    pages = await asyncio.start_server(lambda r, w: _page(r, w, faults), "0.0.0.0", 0)
    port = pages.sockets[0].getsockname()[1]
    for engine, share in zip(RESULT_LISTS, faults.engines, strict=True):

        async def answer(reader, writer, engine=engine, share=share):
            await _engine(reader, writer, engine, share, port)

        servers[engine] = await asyncio.start_server(answer, "127.0.0.1", 0)
    ready.send(
        {name: f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}" for name, server in servers.items()}
    )
    await asyncio.Event().wait()


async def _target(reader: asyncio.StreamReader) -> str:
    head = await reader.readuntil(b"\r\n\r\n")
    target = head.split(b" ", 2)[1].decode()
    return urlsplit(target)._replace(scheme="", netloc="").geturl()


async def _engine(reader, writer, engine: str, share: float, port: int) -> None:
    try:
        target = await _target(reader)
        values = parse_qs(urlsplit(target).query)
        query = next((values[name][0] for name in ("q", "p", "text") if name in values), "")
        if not query:
            await _send(writer, 404, "")
            return
        kind = fault(f"{engine}{query}", share, ENGINE_FAULTS)
        await asyncio.sleep(STALL_S if kind == "stall" else DELAY_S)
        if kind == "reset":
            writer.transport.abort()
            return
        code, body = {
            "": (200, result_list(engine, query, port)),
            "captcha": (200, f"<html><body>{CAPTCHA}</body></html>"),
            "limit": (429, "<h1>Too many requests</h1>"),
            "error": (500, "<h1>Oops</h1>"),
            "changed": (
                200,
                f"<html><body><h1>{engine}</h1><p>{FILLER * 80}</p><a href=/about>About</a></body></html>",
            ),
            "stall": (504, ""),
        }[kind]
        await _send(writer, code, body)
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


async def _page(reader, writer, faults: Faults) -> None:
    try:
        target = await _target(reader)
        if not target.startswith("/page/"):
            await asyncio.sleep(PART_DELAY_S)
            await _send(writer, 200, "")
            return
        query, n = target.removeprefix("/page/").split("/")
        kind = fault(target, faults.pages, PAGE_FAULTS)
        await asyncio.sleep(STALL_S if kind == "stall" else DELAY_S)
        if kind == "reset":
            writer.transport.abort()
            return
        code, body = {
            "": (200, page(query, n)),
            "error": (503, "<h1>Oops</h1>"),
            "missing": (404, "<h1>Gone</h1>"),
            "captcha": (403, f"<html><body>{CAPTCHA}</body></html>"),
            "empty": (200, "<html><body></body></html>"),
            "stall": (504, ""),
        }[kind]
        await _send(writer, code, body)
    except (OSError, asyncio.IncompleteReadError, ValueError):
        writer.close()


async def _send(writer, code: int, body: str) -> None:
    data = body.encode()
    head = f"HTTP/1.1 {code} X\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()
    writer.close()


@contextmanager
def serving(faults: Faults) -> Iterator[Site]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(faults, there), daemon=True)
    process.start()
    try:
        yield Site(here.recv())
    finally:
        process.terminate()
        process.join()
