"""`footnote mcp` as other programs meet it: a real process beside a window that is open on the same data folder."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextResourceContents

from desktop.domain.knowledge import ItemState
from desktop.domain.serving import ServedTool
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import SETTINGS_FILE, folders_for

pytestmark = pytest.mark.anyio

HIDDEN = "Nobody but the keeper knows the word of Velmora: quillfeather."
BELL = "The bell of Velmora was cast in 1712 by monks, and it hangs in the tower beside the old harbour."
_STARTED_WITHIN_S = 100
"""A server that has not said its address, or not ended, by then never does; a start takes seconds."""


@asynccontextmanager
async def silent_site() -> AsyncIterator[tuple[int, asyncio.Event, asyncio.Event]]:
    """Run a site that never answers; yields its port, and events for a request and for the end of its connection."""
    asked, left = asyncio.Event(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            asked.set()
            await reader.read()
        left.set()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], asked, left


@asynccontextmanager
async def site_with_engine() -> AsyncIterator[str]:
    """Run a SearXNG that finds the one page of its own site; yields its host and port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            asked = await reader.readuntil(b"\r\n\r\n")
            found = {"title": "The bell", "url": f"http://{host}/bell", "content": "A bell of Velmora."}
            kind, body = "text/html", f"<title>The bell</title><article><p>{BELL}</p></article>"
            if asked.startswith(b"GET /search?"):
                kind, body = "application/json", json.dumps({"results": [found]})
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n{body}".encode())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield host


@asynccontextmanager
async def window(tmp_path, **settings) -> AsyncIterator[ServiceContainer]:
    """Keep the services of a window open, with an open base and one that stays private."""
    data, papers = tmp_path / "data", tmp_path / "papers"
    papers.mkdir()
    (papers / "tides.md").write_text("# Tides\n\nThe harbour of Velmora has a tidal range of 4.2 metres.")
    data.mkdir()
    (data / SETTINGS_FILE).write_text(json.dumps(settings))
    async with running_services(folders_for(data)) as services:
        for name in ("sea", "diary"):
            base = await services.knowledge.create(name)
            added = services.knowledge.add(base.id, [papers / "tides.md"])
            if name == "diary":
                added = services.knowledge.put_note(base.id, "Secret", HIDDEN)
            async for step in added:
                if step.item.state in {ItemState.KEYWORD_READY, ItemState.READY}:
                    break
            await added.aclose()
        yield services


def arguments(tmp_path, *more: str) -> list[str]:
    return ["-m", "desktop", "mcp", "--data-dir", str(tmp_path / "data"), *more]


@asynccontextmanager
async def client(tmp_path, *more: str) -> AsyncIterator[Client]:
    started = StdioServerParameters(command=sys.executable, args=arguments(tmp_path, *more), cwd=Path.cwd())
    async with Client(stdio_client(started)) as connected:
        yield connected


async def test_a_client_searches_asks_and_checks_what_is_open_and_nothing_else(tmp_path):
    async with silent_site() as (port, asked, left):
        search = {"allowed_hosts": [f"127.0.0.1:{port}"]}
        async with (
            window(tmp_path, search=search) as services,
            client(tmp_path, "--allow", "sea", "--tool", "read_page") as other,
        ):
            assert [tool.name for tool in (await other.list_tools()).tools] == list(ServedTool)
            listed = (await other.call_tool("list_bases", {})).structured_content
            assert listed == {"bases": [{"name": "sea", "items": 1, "passages": 1, "tags": []}]}

            found = await other.call_tool("search_base", {"base": "sea", "query": "tidal range of Velmora"})
            (source,) = found.structured_content["sources"]
            assert (source["number"], source["title"]) == (1, "tides.md")
            assert "4.2 metres" in source["passage"]
            assert source["address"] in found.content[0].text
            assert str(tmp_path) not in found.content[0].text
            read = (await other.read_resource(source["address"])).contents[0]
            assert isinstance(read, TextResourceContents)
            assert "4.2 metres" in read.text
            assert [str(each.uri) for each in (await other.list_resources()).resources] == [source["address"]]

            steps: list[str] = []

            async def note(_done: float, _total: float | None, message: str | None) -> None:
                steps.append(message or "")

            asking = {"question": "What is the tidal range of Velmora?"}
            answer = (await other.call_tool("ask", asking, progress_callback=note)).structured_content
            assert "4.2 metres. [1]" in answer["answer"]
            assert [each["is_cited"] for each in answer["sources"]] == [True]
            assert [each["verdict"] for each in answer["citations"]] == ["supported"]
            assert any("Searching your files" in step for step in steps)

            text = "The harbour of Velmora has a tidal range of 4.2 metres. Its lighthouse was painted green in 1911."
            checked = (await other.call_tool("check_text", {"text": text})).structured_content
            assert [claim["verdict"] for claim in checked["claims"]] == ["supported", "not_found"]

            for tool, call in (
                ("search_base", {"base": "diary", "query": "quillfeather"}),
                ("search_base", {"base": "nothing like it", "query": "quillfeather"}),
                ("ask", {"question": "What is the word of Velmora?", "bases": ["diary"]}),
                ("ask", {"question": "What is the tide?", "web": True}),
                ("check_text", {"text": HIDDEN, "bases": ["diary"]}),
                ("search_web", {"query": "tides"}),
                ("read_page", {"address": "http://127.0.0.1:9/"}),
                ("read_page", {"address": "http://169.254.169.254/latest/meta-data"}),
                ("read_page", {"address": "http://[::ffff:127.0.0.1]/"}),
                ("read_page", {"address": "file:///etc/passwd"}),
                ("no_such_tool", {}),
            ):
                refused = await other.call_tool(tool, call)
                assert refused.is_error, call
                assert "quillfeather" not in refused.content[0].text.replace("\u201cquillfeather", "")
            (note_item,) = await services.knowledge.items(
                next(base.id for base in await services.knowledge.bases() if base.name == "diary")
            )
            with pytest.raises(MCPError, match="open to other programs"):
                await other.read_resource(f"footnote://file/{note_item.document}")

            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(other.call_tool, "read_page", {"address": f"http://127.0.0.1:{port}/"})
                    await asked.wait()
                    scope.cancel()
            await left.wait()  # the page is not waited for any more
            assert not (await other.call_tool("list_bases", {})).is_error
        log = await services.serving.requests()
        assert {each.tool for each in log} >= {"ask", "search_base", "read_resource", "read_page"}
        assert {each.client.partition(" ")[0] for each in log} == {"mcp"}
        by_about = {each.about: each for each in log}
        assert by_about[f"http://127.0.0.1:{port}/"].problem == "cancelled"
        assert by_about["What is the tidal range of Velmora?"].problem == ""
        assert "not open" in by_about["tides"].problem
    assert not (tmp_path / "data" / "conversations.db").exists()


def line(method: str, number: int, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


HELLO = line(
    "initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "raw", "version": "1"}
)


def test_bad_lines_floods_and_huge_arguments_are_answered_and_survived(tmp_path):
    (tmp_path / "data").mkdir()
    call = {"name": "list_bases", "arguments": {}}
    sent = [
        HELLO,
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        b"{nonsense\n",
        b"[" * 100_000 + b"\n",
        b"\xff\xfe\x00\n",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}\n',
        line("tools/call", 2, name="check_text", arguments={"text": "x" * 900_000}),
        line("tools/call", 3, name="check_text", arguments={"text": "x" * 3_000_000}),
        *(line("tools/call", 100 + number, **call) for number in range(1_000)),
        line("no/such/method", 4),
        line("tools/call", 6, name="search_base", arguments={"base": "a\ud800b", "query": "x"}),
        line("tools/call", 5, **call),
    ]
    ended = subprocess.run(
        [sys.executable, *arguments(tmp_path, "--tool", "all")],
        input=b"".join(sent),
        capture_output=True,
        check=False,
        timeout=100,
    )
    answers = [json.loads(each) for each in ended.stdout.splitlines()]  # nothing but the protocol
    by_id = {answer.get("id"): answer for answer in answers}
    assert by_id[0]["result"]["serverInfo"]["name"] == "footnote"
    assert sum(answer.get("id") is None and answer["error"]["code"] == -32700 for answer in answers) == 3
    assert (by_id[1]["error"]["code"], by_id[6]["error"]["code"]) == (-32602, -32700)
    assert by_id[2]["result"]["isError"]
    assert "1048576 bytes" in by_id[3]["error"]["message"]
    assert ended.returncode == 0


def test_a_client_that_waits_can_be_left_and_a_signal_ends_the_server(tmp_path):
    (tmp_path / "data").mkdir()
    with subprocess.Popen(
        [sys.executable, *arguments(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        server.stdin.write(HELLO)
        server.stdin.flush()
        assert b"protocolVersion" in server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 128 + signal.SIGTERM
        assert server.stderr.read() == b""


async def end(server: asyncio.subprocess.Process) -> None:
    """End a server that a failed test left behind."""
    if server.returncode is None:
        server.kill()
        await server.wait()


async def test_over_http_the_token_and_the_host_are_checked_and_the_web_is_searched_and_read(tmp_path):
    async with AsyncExitStack() as ended, site_with_engine() as site:
        search = {
            "engine_order": ["searxng"],
            "engine_addresses": [["searxng", f"http://{site}"]],
            "allowed_hosts": [site],
            "browser_path": "/nowhere/chromium",
        }
        await ended.enter_async_context(window(tmp_path, search=search))
        server = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments(tmp_path, "--http", "--port", "0", "--allow", "sea"),
            *("--tool", "search_web", "--tool", "read_page"),
            stderr=asyncio.subprocess.PIPE,
        )
        ended.push_async_callback(end, server)
        with anyio.fail_after(_STARTED_WITHIN_S):
            told = [(await server.stderr.readline()).decode() for _ in range(2)]
        assert "http://" in told[0], told
        address, token = re.search(r"http://\S+", told[0])[0], told[1].split()[-1]
        ours, accepted = (
            {"Authorization": f"Bearer {token}"},
            {"accept": "application/json, text/event-stream"},
        )
        async with httpx2.AsyncClient(headers=accepted, timeout=None) as http:
            for headers, body, status in (
                ({}, b"{}", 401),
                ({"Authorization": "Bearer guessed"}, b"{}", 401),
                ({"Authorization": "Bearer guessed"}, b"x" * 2_000_000, 401),
                (ours | {"Host": "evil.example"}, b"{}", 421),
                (ours | {"Host": "evil.example:80"}, b"{}", 421),
                (ours | {"Origin": "http://evil.example"}, b"{}", 403),
                (ours, b"x" * 2_000_000, 413),
                (ours, b"{nonsense", 400),
            ):
                sent = headers | {"content-type": "application/json"}
                answer = await http.post(address, content=body, headers=sent)
                assert answer.status_code == status, (headers, answer.text)
        async with (
            httpx2.AsyncClient(headers=ours, timeout=None) as http,
            Client(streamable_http_client(address, http_client=http)) as other,
        ):
            results = await asyncio.gather(*(other.call_tool("list_bases", {}) for _ in range(100)))
            assert {each.structured_content["bases"][0]["name"] for each in results} == {"sea"}
            found = await other.call_tool("search_web", {"query": "bell of Velmora"})
            assert not found.is_error, found.content
            (source,) = found.structured_content["sources"]
            assert (source["title"], source["address"]) == ("The bell", f"http://{site}/bell")
            assert BELL in source["passage"]
            read = await other.call_tool("read_page", {"address": source["address"]})
            assert not read.is_error, read.content
            assert BELL in read.structured_content["passage"]
        server.terminate()
        with anyio.fail_after(_STARTED_WITHIN_S):
            assert await server.wait() == 0
        assert await server.stderr.read() == b""
