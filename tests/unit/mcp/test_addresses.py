"""Tool servers at addresses: over HTTP as it is spoken, with a token, and with signing in."""

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import httpx
import pytest

from desktop.domain.tools import ToolResult
from desktop.errors import KeyringUnavailable
from desktop.errors.servers import McpError
from desktop.mcp import servers as servers_module
from desktop.mcp.oauth import TokenStore
from desktop.services.tool_servers import ToolServerService
from desktop.settings.mcp_servers import CLIENT, TOKENS, server_secret
from desktop.settings.model import McpServer, Settings
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.serving import serve_connections
from tests.unit.mcp.http_server import Doorkeeper, cloud

pytestmark = pytest.mark.anyio

CLOUD = McpServer("cloud", "Cloud", url="http://127.0.0.1:1/mcp", timeout_s=20.0)


class Vault:
    def __init__(self):
        self.secrets = {}

    async def secret(self, name):
        return self.secrets.get(name, "")

    async def set_secret(self, name, value):
        self.secrets[name] = value


@pytest.fixture
def vault():
    return Vault()


@pytest.fixture
def doorkeeper():
    return Doorkeeper()


@asynccontextmanager
async def servers(vault, server):
    async def no_proxy():
        return ProxyChoice()

    opened = ToolServerService(lambda: Settings(mcp_servers=(server,)), vault, no_proxy)
    try:
        yield opened
    finally:
        await opened.aclose()


async def call(opened, name, **arguments):
    (tool,) = [tool for tool in await opened.tools() if tool.spec.name == f"cloud__{name}"]
    *_, result = [event async for event in tool.run(arguments)]
    return result


async def echo(opened, text):
    return await call(opened, "echo", text=text)


async def come_back(page):
    """Do what a browser does with the page of a server that asks nothing."""
    async with httpx.AsyncClient(trust_env=False) as browser:
        at_server = await browser.get(page)
        return await browser.get(at_server.headers["location"])


async def sign_in(opened, server):
    async for page in opened.sign_in(server):
        answer = await come_back(page)
        assert answer.status_code == 200


@cases("json_response", [False, True])
async def test_both_ways_of_answering_are_understood(vault, json_response):
    with cloud(json_response=json_response) as origin:
        async with servers(vault, replace(CLOUD, url=f"{origin}/mcp")) as opened:
            assert await echo(opened, "潮汐") == ToolResult("潮汐")


@cases("json_response", [False, True])
async def test_a_result_of_too_many_megabytes_is_refused_and_the_next_call_works(vault, json_response):
    with cloud(json_response=json_response) as origin:
        async with servers(vault, replace(CLOUD, url=f"{origin}/mcp")) as opened:
            result = await call(opened, "big", megabytes=20)
            assert result.is_error
            assert (await echo(opened, "next")).text == "next"
    assert len(result.text) < 1_000


async def test_an_address_that_never_answers_holds_neither_question_nor_end_up(vault, monkeypatch):
    monkeypatch.setattr(servers_module, "PATIENCE_S", 0.1)
    asked = asyncio.Event()

    async def listen(reader, writer):
        asked.set()
        await reader.read()

    async with serve_connections(listen) as port:
        url = f"http://127.0.0.1:{port}/mcp"
        async with servers(vault, replace(CLOUD, url=url)) as opened:
            assert await opened.tools() == ()
            assert "still starting" in opened.problems[0]
            await asked.wait()
            async with asyncio.timeout(20):
                await opened.aclose()


async def test_a_keyring_that_cannot_be_asked_is_a_failure_of_that_server_alone(vault):
    async def locked(_name):
        raise KeyringUnavailable(detail="It is locked.")

    vault.secret = locked
    async with servers(vault, CLOUD) as opened:
        (state,) = await opened.states()
    assert "locked" in state.error


async def test_a_redirect_is_followed_within_the_site_alone(vault):
    with cloud() as origin:
        async with servers(vault, replace(CLOUD, url=f"{origin}/moved-here")) as opened:
            assert (await echo(opened, "here")).text == "here"
        vault.secrets[server_secret("cloud")] = "token-of-this-site"
        async with servers(vault, replace(CLOUD, url=f"{origin}/moved-away")) as opened:
            (state,) = await opened.states()
    assert state.tools == ()
    assert "Couldn’t connect" in state.error


@cases("path, words", [("http://127.0.0.1:1/mcp", "Couldn’t connect"), ("/nothing", "returned 404")])
async def test_an_address_without_a_server_says_so(vault, path, words):
    with cloud() as origin:
        url = path if "//" in path else f"{origin}{path}"
        async with servers(vault, replace(CLOUD, url=url)) as opened:
            (state,) = await opened.states()
    assert words in state.error
    assert not state.wants_sign_in


async def test_the_person_signs_in_once_and_tokens_are_renewed(vault, doorkeeper):
    with cloud(doorkeeper) as origin:
        server = replace(CLOUD, url=f"{origin}/mcp")
        async with servers(vault, server) as opened:
            (state,) = await opened.states()
            assert state.wants_sign_in
            assert "sign in" in state.error
            await sign_in(opened, server)
            assert (await echo(opened, "in")).text == "in"
        assert len(doorkeeper.clients) == 1
        async with servers(vault, server) as opened:  # after a restart
            assert (await echo(opened, "still in")).text == "still in"
        doorkeeper.tokens.clear()
        async with servers(vault, server) as opened:
            (state,) = await opened.states()
            assert state.wants_sign_in
        assert len(doorkeeper.clients) == 1


async def test_a_token_that_runs_out_is_renewed_without_asking(vault, doorkeeper):
    doorkeeper.lasts_s = -1
    with cloud(doorkeeper) as origin:
        server = replace(CLOUD, url=f"{origin}/mcp")
        async with servers(vault, server) as opened:
            await sign_in(opened, server)
            doorkeeper.lasts_s = 3_600
            assert (await echo(opened, "renewed")).text == "renewed"
    assert doorkeeper.refreshed >= 1


async def test_a_refusal_is_told(vault, doorkeeper):
    doorkeeper.refusal = "access_denied"
    with cloud(doorkeeper) as origin:
        server = replace(CLOUD, url=f"{origin}/mcp")
        async with servers(vault, server) as opened:
            with pytest.raises(McpError, match="access_denied"):
                await sign_in(opened, server)
    assert vault.secrets[server_secret("cloud", TOKENS)] == ""


async def test_whoever_gives_up_leaves_nothing_open(vault, doorkeeper):
    with cloud(doorkeeper) as origin:
        server = replace(CLOUD, url=f"{origin}/mcp")
        async with servers(vault, server) as opened:
            pages = opened.sign_in(server)
            page = await anext(pages)
            landing = httpx.URL(page).params["redirect_uri"]
            async with httpx.AsyncClient(trust_env=False) as stranger:
                assert (await stranger.get(httpx.URL(landing).join("/other"))).status_code == 404
            await pages.aclose()
            async with httpx.AsyncClient(trust_env=False) as browser:
                with pytest.raises(httpx.ConnectError):
                    await browser.get(landing)


async def test_another_state_than_ours_is_refused(vault, doorkeeper):
    with cloud(doorkeeper) as origin:
        server = replace(CLOUD, url=f"{origin}/mcp")
        async with servers(vault, server) as opened:
            pages = opened.sign_in(server)
            landing = httpx.URL(await anext(pages)).params["redirect_uri"]
            async with httpx.AsyncClient(trust_env=False) as attacker:
                await attacker.get(landing, params={"code": "stolen", "state": "guessed"})
            with pytest.raises(McpError, match="State"):
                await anext(pages)


async def test_what_cannot_be_read_in_the_keyring_counts_as_nothing(vault):
    vault.secrets = {server_secret("cloud", TOKENS): "{", server_secret("cloud", CLIENT): "[]"}
    kept = TokenStore("cloud", vault)
    assert await kept.get_tokens() is None
    assert await kept.get_client_info() is None


async def test_a_token_of_the_person_is_sent(vault):
    seen = []

    async def serve(reader, writer):
        with suppress(asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            seen.append(b"authorization: bearer abc" in head.lower())
            writer.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    async with serve_connections(serve) as port:
        url = f"http://127.0.0.1:{port}/mcp"
        vault.secrets[server_secret("cloud")] = "abc"
        async with servers(vault, replace(CLOUD, url=url)) as opened:
            (state,) = await opened.states()
    assert seen
    assert all(seen)
    assert state.wants_sign_in
