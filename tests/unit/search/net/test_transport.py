"""APIs, pages and the browser through proxies; what may not be read is not asked of a proxy either."""

import asyncio
import contextlib
import socket
from contextlib import aclosing

import httpx

from desktop.domain.search import PageStatus, SearchStatus
from desktop.search import transport as tunnel
from desktop.search.apis import APIS
from desktop.search.apis.client import ApiAccess, call_api
from desktop.search.browser.browser import Browser, BrowserOptions, CookieJar
from desktop.search.browser.proxy import BrowserProxy
from desktop.search.engines import ENGINES
from desktop.search.engines.model import SearchOptions
from desktop.search.fetcher import FetchedResponse, Fetcher, FetchFailed
from desktop.search.ssrf_guard import HostUnknown, SsrfGuard
from desktop.search.transport import ProxiedTransport
from desktop.search.web_search import search_page
from desktop.settings.model import NO_PROXY
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.serving import serve_connections
from tests.unit.search.page_server import PageServer
from tests.unit.search.proxy_server import ProxyServer

SCHEMES = ["http", "socks5"]


def choosing(choice: ProxyChoice):
    async def choose() -> ProxyChoice:
        return choice

    return choose


async def nobody_knows(_host: str, _port: int) -> list[str]:
    raise OSError("no such name")


async def private(_host: str, _port: int) -> list[str]:
    return ["10.0.0.1"]


def fetch(prepare, path="http://far.example/a", *, scheme="http", login="", resolve=nobody_knows, given=""):
    """Return what came of fetching `path` through a proxy that knows far.example, and what it was asked."""

    async def run():
        async with PageServer() as server:
            prepare(server)
            async with ProxyServer({"far.example": server.port}, login, scheme=scheme) as proxy:
                choose = choosing(ProxyChoice(proxy.address, given))
                async with Fetcher(SsrfGuard(resolve=resolve), choose_proxy=choose) as fetcher:
                    return await fetcher.fetch(path), proxy.asked

    return asyncio.run(run())


@cases("scheme", SCHEMES)
def test_a_name_that_only_the_proxy_knows_is_read(scheme):
    answer, asked = fetch(lambda site: site.page("/a", b"hello"), scheme=scheme)
    assert isinstance(answer, FetchedResponse)
    assert answer.body == b"hello"
    assert len(asked) == 1


@cases("scheme", SCHEMES)
def test_a_proxy_gets_its_name_and_password(scheme):
    answer, _ = fetch(
        lambda site: site.page("/a", b"hi"), scheme=scheme, login="me:secret", given="me:secret"
    )
    assert isinstance(answer, FetchedResponse)


@cases("scheme", SCHEMES)
def test_a_proxy_that_refuses_is_the_reason(scheme):
    answer, _ = fetch(lambda site: site.page("/a", b"hi"), scheme=scheme, login="me:secret", given="me:wrong")
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.OFFLINE
    assert "did not accept the user name and password" in answer.error
    assert "wrong" not in answer.error


@cases("scheme", SCHEMES)
@cases(
    "path", ["http://10.0.0.1/", "http://router.local/", "http://2130706433/", "http://[::ffff:10.0.0.1]/"]
)
def test_what_may_not_be_read_is_not_asked_of_the_proxy(scheme, path):
    answer, asked = fetch(lambda site: None, path, scheme=scheme)
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert asked == []


def test_a_name_known_here_to_be_private_is_not_asked_of_the_proxy():
    answer, asked = fetch(lambda site: site.page("/a", b"hi"), resolve=private)
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert asked == []


def test_a_redirect_into_the_own_network_is_refused_behind_a_proxy_too():
    answer, asked = fetch(lambda site: site.redirect("/a", "http://192.168.0.1/"))
    assert isinstance(answer, FetchFailed)
    assert answer.status is PageStatus.REFUSED
    assert len(asked) == 1


def search(choice: ProxyChoice, base: str):
    async def run():
        transport = ProxiedTransport(choosing(choice), httpx.AsyncHTTPTransport())
        async with httpx.AsyncClient(transport=transport) as client:
            return await call_api(APIS["serper"], "moth", SearchOptions(), ApiAccess(client, "k", base))

    return asyncio.run(run())


@cases(
    "address, words",
    [
        ("http://127.0.0.1:1", "http://127.0.0.1:1 can’t be used"),
        ("socks5://127.0.0.1:1", "socks5://127.0.0.1:1 can’t be used"),
        ("gopher://x", "must begin with"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named(address, words):
    outcome = search(ProxyChoice(address), "http://far.example")
    assert outcome.status is SearchStatus.OFFLINE
    assert words in outcome.error


@cases("choice", [ProxyChoice(NO_PROXY), ProxyChoice("socks5://127.0.0.1:1")])
def test_a_service_on_this_machine_is_asked_directly(choice):
    async def run():
        async with PageServer() as server:
            server.page("/search", '{"organic": [{"title": "T", "link": "https://a.example/"}]}')
            return await asyncio.to_thread(search, choice, server.url(""))

    assert asyncio.run(run()).status is SearchStatus.RESULTS


@cases("scheme", SCHEMES)
@cases("method", ["GET", "CONNECT"])
def test_the_browsers_door_goes_through_the_proxy(scheme, method):
    async def run():
        async with PageServer() as server:
            server.page("/a", b"hello")
            async with ProxyServer({"far.example": server.port}, "me:pw", scheme=scheme) as proxy:
                choose = choosing(ProxyChoice(proxy.address, "me:pw"))
                return await through_gate(choose, method), proxy.asked

    (answer, gate), asked = asyncio.run(run())
    assert answer.endswith(b"hello")
    assert len(asked) == 1
    assert gate.proxy_problem == ""


@cases("address, words", [("http://127.0.0.1:1", "can’t be reached"), ("socks5://127.0.0.1:1", "reached")])
def test_the_browsers_door_says_what_is_wrong_with_the_proxy(address, words):
    answer, gate = asyncio.run(through_gate(choosing(ProxyChoice(address)), "CONNECT"))
    assert answer.startswith(b"HTTP/1.1 502")
    assert words in gate.proxy_problem


@cases("scheme", SCHEMES)
@cases(
    "login, method, words",
    [
        ("me:pw", "CONNECT", "the user name"),
        ("me:pw", "GET", "the user name"),
        ("", "CONNECT", "did not connect"),
    ],
)
def test_the_browsers_door_repeats_what_the_proxy_says(scheme, login, method, words):
    async def run():
        async with ProxyServer({}, login, scheme=scheme) as proxy:
            return await through_gate(choosing(ProxyChoice(proxy.address, "me:wrong")), method)

    _, gate = asyncio.run(run())
    assert words in gate.proxy_problem


@cases("scheme", SCHEMES)
@cases("words", [b"SSH-2.0-something\r\n\r\n", b""])
def test_something_that_is_no_proxy_is_called_so(scheme, words):
    async def answer(reader, writer):
        writer.write(words)
        await writer.drain()
        await reader.read(100)

    async def run():
        async with serve_connections(answer) as port:
            address = f"{scheme}://127.0.0.1:{port}"
            return await through_gate(choosing(ProxyChoice(address)), "CONNECT")

    _, gate = asyncio.run(run())
    assert "not a proxy of this type" in gate.proxy_problem


@cases("scheme", SCHEMES)
def test_a_proxy_that_says_nothing_is_given_up(scheme, monkeypatch):
    monkeypatch.setattr(tunnel, "TIMEOUT_S", 0.2)

    async def silent(reader, writer):
        await reader.read()

    async def run():
        async with serve_connections(silent) as port:
            address = f"{scheme}://127.0.0.1:{port}"
            return await through_gate(choosing(ProxyChoice(address)), "CONNECT")

    _, gate = asyncio.run(run())
    assert "did not respond in time" in gate.proxy_problem


@cases("steps", range(6))
def test_a_connection_that_has_just_come_ends_with_the_browsers_door(steps):
    async def run():
        gate = await BrowserProxy.start(nobody_knows)
        with socket.create_connection(("127.0.0.1", int(gate.address.rpartition(":")[2]))) as browser:
            browser.setblocking(False)
            for _ in range(steps):  # until it is accepted, and until its task begins
                await asyncio.sleep(0)
            await gate.close()
            with contextlib.suppress(ConnectionResetError):
                async with asyncio.timeout(5):
                    assert await asyncio.get_running_loop().sock_recv(browser, 1) == b""

    asyncio.run(run())


def test_a_search_names_the_proxy_that_does_not_connect():
    async def unknown(_host: str, _port: int) -> tuple[str, ...]:
        raise HostUnknown

    async def no_proxy(_purpose: CookieJar) -> ProxyChoice:
        return ProxyChoice("http://127.0.0.1:1")

    async def run():
        options = BrowserOptions(addresses=unknown, choose_proxy=no_proxy)
        async with Browser(options) as browser, httpx.AsyncClient() as client:
            engine, base = ENGINES["duckduckgo"], "http://far.example"
            return await search_page(
                engine, "moth", SearchOptions(), browser=browser, client=client, base=base
            )

    outcome = asyncio.run(run())
    assert outcome.status is SearchStatus.OFFLINE
    assert "The proxy http://127.0.0.1:1 can’t be reached." in outcome.error


async def through_gate(choose, method: str) -> tuple[bytes, BrowserProxy]:
    """Ask the gate for http://far.example/a as a browser does."""

    async def unknown(_host: str, _port: int) -> tuple[str, ...]:
        raise HostUnknown

    gate = await BrowserProxy.start(unknown, choose)
    async with aclosing(_Closing(gate)):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(gate.address.rpartition(":")[2]))
        request = b"GET %s HTTP/1.1\r\nHost: far.example\r\nConnection: close\r\n\r\n"
        if method == "CONNECT":
            writer.write(b"CONNECT far.example:80 HTTP/1.1\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head:
                writer.close()
                return head, gate
            writer.write(request % b"/a")
        else:
            writer.write(request % b"http://far.example/a")
        answer = await reader.read()
        writer.close()
        return answer, gate


class _Closing:
    def __init__(self, gate: BrowserProxy) -> None:
        self._gate = gate

    async def aclose(self) -> None:
        await self._gate.close()
