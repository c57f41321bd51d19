"""Spellings of addresses of private networks, and whoever could be made to connect to them."""

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

import httpcore

from desktop.search.browser import proxy as browser_gate
from desktop.search.browser.proxy import BrowserProxy
from desktop.search.fetcher import Fetcher
from desktop.search.ssrf_guard import SsrfGuard
from tests.unit.search.net.test_ssrf_guard import DOUBTFUL_BREAKS, REFUSED_BY_THEIR_TEXT

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
FORMS = [*REFUSED_BY_THEIR_TEXT.split("\n")[1:-1], *DOUBTFUL_BREAKS, *OWN_NAMES]
if SHARED.is_file():
    FORMS += SHARED.read_text("utf-8", "replace").splitlines()


async def to_this_machine(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


def connections(monkeypatch) -> list[str]:
    """Return what the fetcher connects to from now on; nothing really is."""
    attempts: list[str] = []

    async def connect_tcp(_self, host, *_args, **_options):
        attempts.append(host)
        raise httpcore.ConnectError

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect_tcp)
    return attempts


async def fetch(forms):
    """Return each form with what the fetcher has to say of it."""
    async with Fetcher(SsrfGuard(resolve=to_this_machine)) as fetcher:
        return [(form, await fetcher.fetch(form)) for form in forms]


async def ask_browser_guard(forms, monkeypatch) -> tuple[list[str], int]:
    """Ask the browser's door for each form; return what it connected to, and how often it refused."""
    attempts: list[str] = []
    gate = await BrowserProxy.start(SsrfGuard(resolve=to_this_machine).addresses)
    port = int(gate.address.rpartition(":")[2])
    really_open = asyncio.open_connection

    async def open_connection(host, port, **_options):
        attempts.append(host)
        raise ConnectionRefusedError

    monkeypatch.setattr(browser_gate.asyncio, "open_connection", open_connection)
    try:
        for form in forms:
            for request in requests_for(form):
                reader, writer = await really_open("127.0.0.1", port)
                writer.write(request)
                answer = await reader.read()
                assert not answer.startswith(b"HTTP/1.1 2"), form
                writer.close()
                await writer.wait_closed()
    finally:
        await gate.close()
    return attempts, gate.refusals


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
