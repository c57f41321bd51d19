"""Tool servers that send without end, or far more than they say: bounded time and memory, and one clear error."""

import asyncio
import json
import resource
import sys
import zlib

import pytest

from desktop.services.tool_servers import ToolServerService
from desktop.settings.model import McpServer, Settings
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.unit.mcp.graphs import NoVault
from tests.unit.mcp.raw_server import JSON_HEAD, RESULTS, ending_at_once, repeating, sending, sound_except
from tests.unit.providers.wire import END, SSE_HEAD, chunk, serving

pytestmark = pytest.mark.anyio

NOTE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
COMMENTS = b": alive\n\n" * 5_000
NOTES = f"event: message\ndata: {json.dumps(NOTE)}\n\n".encode() * 500
STDIO_FLOOD = """
import json, sys
line = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
while True:
    sys.stdout.write((line + "\\n") * 1000)
"""


def bomb(megabytes):
    """Return an answer of some kilobytes that unpacks to so many megabytes."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = b"".join(pack.compress(b" " * 2**20) for _ in range(megabytes)) + pack.flush()
    return JSON_HEAD.format(length=len(body), more="Content-Encoding: gzip\r\n").encode() + body


async def state_of(script, timeout_s=30.0):
    async with serving(script) as wire:
        server = McpServer("raw", "Raw", url=f"http://127.0.0.1:{wire.port}/mcp", timeout_s=timeout_s)
        opened = ToolServerService(lambda: Settings(mcp_servers=(server,)), NoVault(), _direct)
        try:
            tools = {tool.spec.name: tool for tool in await opened.tools()}
            problems = opened.problems
            result = None
            if echo := tools.get("raw__echo"):
                *_, result = [event async for event in echo.run({})]
        finally:
            await opened.aclose()
        return problems, result, wire


async def _direct():
    return ProxyChoice()


async def test_a_sound_server_is_used():
    problems, result, _ = await state_of(sound_except("", ending_at_once))
    assert (problems, result.text, result.is_error) == ((), "done", False)


@cases("method", ["initialize", "tools/list", "tools/call"])
async def test_an_answer_that_unpacks_to_gigabytes_is_refused(method):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    problems, result, _ = await state_of(sound_except(method, sending(bomb(500))))
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert problems or result.is_error
    assert grown_mb < 250


@cases("method", ["initialize", "tools/list", "tools/call"])
@cases("piece", [COMMENTS, NOTES], ids=["comments", "notifications"])
async def test_a_stream_without_end_and_without_an_answer_is_ended(method, piece):
    problems, result, _ = await state_of(sound_except(method, repeating(piece)))
    assert problems or result.is_error


async def test_notifications_without_end_beside_the_answers_are_ended():
    problems, result, _ = await state_of(sound_except("GET", repeating(NOTES)))
    assert not problems
    assert result.text


async def test_a_server_that_ends_its_stream_is_not_asked_without_end():
    opened_streams = []

    async def end_at_once(connection):
        opened_streams.append(connection)
        has_begun.set()
        await ending_at_once(connection)

    has_begun, clock = asyncio.Event(), asyncio.get_running_loop().time
    async with serving(sound_except("GET", end_at_once)) as wire:
        server = McpServer("raw", "Raw", url=f"http://127.0.0.1:{wire.port}/mcp")
        opened = ToolServerService(lambda: Settings(mcp_servers=(server,)), NoVault(), _direct)
        assert await opened.tools()
        await has_begun.wait()
        begin = clock()
        await asyncio.sleep(2)  # nothing tells of a stream that is not opened
        count, seconds = len(opened_streams), clock() - begin
        await opened.aclose()
    assert count <= seconds + 1


async def test_a_program_that_talks_without_end_is_ended():
    server = McpServer("raw", "Raw", (sys.executable, "-I", "-S", "-c", STDIO_FLOOD))
    opened = ToolServerService(lambda: Settings(mcp_servers=(server,)), NoVault(), _direct)
    try:
        assert await opened.tools() == ()
        assert "nearly empty" in opened.problems[0]
    finally:
        await opened.aclose()


async def test_an_event_stream_that_is_cut_off_says_so():
    problems, _, _ = await state_of(sound_except("initialize", sending(SSE_HEAD, chunk(b": x\n\n"), END)))
    assert len(problems) == 1


async def test_tools_with_endless_descriptions_are_left_out_and_named(monkeypatch):
    huge = {"type": "object", "description": "x" * 200_000}
    tools = [{"name": "echo", "inputSchema": {"type": "object"}}, {"name": "huge", "inputSchema": huge}]
    monkeypatch.setitem(RESULTS, "tools/list", {"tools": tools})
    problems, result, _ = await state_of(sound_except("", ending_at_once))
    assert "huge" in problems[0]
    assert result.text == "done"


@cases("body", [b"{not json", b"", b"[1, 2]", b'{"jsonrpc": "2.0", "id": 0, "result": 5}', b"\xff\xfe"])
async def test_what_is_not_the_protocol_is_told_in_one_line(body):
    answer = JSON_HEAD.format(length=len(body), more="").encode() + body
    problems, _, _ = await state_of(sound_except("initialize", sending(answer)))
    assert problems[0].endswith("It does not use the protocol of tool servers (MCP).")
    assert "\n" not in problems[0]


async def test_of_a_traceback_of_a_program_its_last_line_is_told():
    server = McpServer("raw", "Raw", (sys.executable, "-I", "-S", "-c", "raise RuntimeError('no config')"))
    opened = ToolServerService(lambda: Settings(mcp_servers=(server,)), NoVault(), _direct)
    try:
        assert await opened.tools() == ()
        assert "RuntimeError: no config" in opened.problems[0]
        assert "Traceback" not in opened.problems[0]
    finally:
        await opened.aclose()
