"""Real tool servers, started as programs: what they offer, and everything that they do wrong."""

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from desktop.domain.events import StepFinished
from desktop.domain.messages import StepStatus
from desktop.domain.tools import ToolResult
from desktop.mcp import connection
from desktop.mcp import servers as servers_module
from desktop.mcp.connection import ServerAccess
from desktop.mcp.servers import Servers
from desktop.phrases import localize
from desktop.settings.model import McpServer
from tests.cases import cases
from tests.descendants import descendants, still_there

pytestmark = pytest.mark.anyio

SCRIPT = str(Path(__file__).with_name("stdio_server.py"))
LAB = McpServer("lab", "Lab", command=(sys.executable, "-I", "-S", SCRIPT))


@asynccontextmanager
async def lab(*servers, environment=None):
    async def access(_server):
        return ServerAccess(environment or {}, httpx2.AsyncClient)

    opened = Servers(lambda: servers or (LAB,), access)
    try:
        yield opened
    finally:
        await opened.aclose()


async def tool(servers, name):
    return next(tool for tool in await servers.tools() if tool.spec.name == f"lab__{name}")


async def call(servers, name, **arguments):
    return [event async for event in (await tool(servers, name)).run(arguments)]


async def test_the_tools_of_a_server_are_ours_under_names_that_models_take():
    async with lab() as servers:
        found = await servers.tools()
    assert [tool.spec.name for tool in found][-1] == "lab__read_resource"
    assert {tool.spec.name for tool in found} >= {"lab__echo", "lab__fail"}
    echo = next(tool for tool in found if tool.spec.name == "lab__echo")
    assert echo.server == "Lab"
    assert echo.spec.description == "Say it again."
    assert echo.spec.parameters["required"] == ["text"]
    assert echo.asks({"text": "x"})


async def test_a_call_brings_back_what_the_server_said_and_shows_it():
    async with lab() as servers:
        *steps, result = await call(servers, "echo", text="潮汐")
    assert result == ToolResult("潮汐")
    assert steps[-1].step.status is StepStatus.DONE
    assert "潮汐" in steps[-1].step.arguments
    assert steps[-1].step.result == "潮汐"


async def test_an_error_of_a_tool_is_a_result_that_the_model_reads():
    async with lab() as servers:
        *steps, result = await call(servers, "fail")
    assert result.is_error
    assert "out of order" in result.text
    assert steps[-1].step.status is StepStatus.FAILED


async def test_a_server_knows_no_more_of_the_environment_than_it_must(monkeypatch):
    monkeypatch.setenv("FOOTNOTE_CANARY", "sk-canary")
    async with lab(environment={"LAB_TOKEN": "given"}) as servers:
        *_, result = await call(servers, "environment")
    assert "LAB_TOKEN=given" in result.text
    assert "canary" not in result.text.lower()


async def test_a_server_that_dies_is_started_again_for_the_next_call():
    async with lab() as servers:
        *steps, result = await call(servers, "die")
        assert result.is_error
        assert isinstance(steps[-1], StepFinished)
        assert steps[-1].step.status is StepStatus.FAILED
        *_, result = await call(servers, "echo", text="again")
    assert result.text == "again"


async def test_a_server_that_was_killed_between_calls_is_said_to_be_gone_and_started_again():
    before = descendants()  # the web engine's among them, where its tests came first
    async with lab() as servers:
        echo = await tool(servers, "echo")
        for pid in descendants(others=before):
            os.kill(pid, signal.SIGKILL)
        *_, result = [event async for event in echo.run({"text": "lost"})]
        assert result.is_error
        assert "has stopped" in result.text
        *_, result = [event async for event in echo.run({"text": "again"})]
    assert result.text == "again"


async def test_complaints_do_not_hold_a_server_up():
    async with lab() as servers:
        *_, result = await call(servers, "flood")
    assert result.text == "done"


async def test_a_result_of_many_megabytes_arrives_within_its_bound():
    async with lab() as servers:
        *_, result = await call(servers, "big", megabytes=8)
    assert len(result.text) == 1_000_000


async def test_a_result_of_too_many_megabytes_is_refused_in_words_and_the_server_goes_on():
    async with lab() as servers:
        *_, result = await call(servers, "big", megabytes=50)
        assert result.is_error
        assert "larger than 32 MB" in result.text
        *_, result = await call(servers, "echo", text="next")
    assert result.text == "next"


async def test_what_is_no_json_is_passed_over():
    async with lab() as servers:
        *_, result = await call(servers, "babble")
    assert result.text == "done"


@cases("name", ["hang", "deaf"])
async def test_a_call_that_is_stopped_holds_nobody_up(name):
    async with lab() as servers:
        hang = await tool(servers, name)
        events = hang.run({})
        await anext(events)
        waiting = asyncio.create_task(anext(events))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(20):
                await waiting


async def test_a_call_that_is_stopped_leaves_the_server_to_the_next_one():
    async with lab() as servers:
        hanging = asyncio.create_task(call(servers, "hang"))
        *_, result = await call(servers, "echo", text="beside")
        hanging.cancel()
        await asyncio.wait({hanging})
        *_, result = await call(servers, "echo", text=f"{result.text} and next")
    assert result.text == "beside and next"


@cases("flags", [(), ("--stubborn",)])
async def test_nothing_is_left_behind(flags):
    before = descendants()
    async with lab(replace(LAB, command=(*LAB.command, *flags))) as servers:
        *_, result = await call(servers, "child")
        started = descendants(others=before)
        assert int(result.text) in started
    assert await asyncio.to_thread(still_there, started) == set()


@cases("flag, protocol", [("--old", "2025-11-25"), ("--new", "2026-07-28")])
async def test_old_and_new_revisions_of_the_protocol_are_spoken(flag, protocol):
    async with lab(replace(LAB, command=(*LAB.command, flag))) as servers:
        (state,) = await servers.states()
        *_, result = await call(servers, "echo", text="so be it")
    assert (state.protocol, result.text) == (protocol, "so be it")


async def test_what_a_server_promises_and_does_not_have_is_no_failure():
    async with lab(replace(LAB, command=(*LAB.command, "--no-templates"))) as servers:
        (state,) = await servers.states()
    assert state.error == ""
    assert [resource.uri for resource in state.resources] == ["lab://tides"]


async def test_tools_that_come_later_are_offered():
    async with lab() as servers:
        assert "lab__grown" not in {tool.spec.name for tool in await servers.tools()}
        await call(servers, "grow")
        assert "lab__grown" in {tool.spec.name for tool in await servers.tools()}


async def test_resources_are_read_through_a_tool_that_asks():
    async with lab() as servers:
        (state,) = await servers.states()
        reading = await tool(servers, "read_resource")
        *_, result = await call(servers, "read_resource", uri="lab://tides")
    assert [resource.uri for resource in state.resources] == ["lab://tides", "lab://{place}"]
    assert "lab://tides (Tides)" in reading.spec.description
    assert reading.asks({"uri": "lab://tides"})
    assert result.text == "read lab://tides\n\n(image/png: lab://picture)"


async def test_prompts_are_listed_and_filled_in():
    async with lab() as servers:
        (state,) = await servers.states()
        (prompt,) = state.prompts
        words = await servers.fill_prompt(LAB, prompt.name, {"place": "Brest"})
    assert (prompt.server, prompt.name, prompt.arguments[0].name) == ("Lab", "forecast", "place")
    assert words == "What about Brest?"


async def test_a_question_does_not_wait_for_a_server_that_starts_slowly(monkeypatch):
    monkeypatch.setattr(servers_module, "PATIENCE_S", 0.2)
    async with lab(replace(LAB, command=(*LAB.command, "--silent"))) as servers:
        assert await servers.tools() == ()
        (problem,) = servers.problems
    assert "still starting" in problem


async def test_a_server_that_did_not_start_is_left_alone_for_a_while(monkeypatch, tmp_path):
    log = tmp_path / "starts"
    code = f"open({str(log)!r}, 'a').write('x')"
    async with lab(replace(LAB, command=(sys.executable, "-I", "-S", "-c", code))) as servers:
        await servers.tools()
        await servers.tools()
        assert log.read_text() == "x"
        monkeypatch.setattr(servers_module, "RETRY_AFTER_S", 0.0)
        await servers.tools()
        assert log.read_text() == "xx"
        assert "couldn’t be started" in servers.problems[0]


@cases(
    "command, words",
    [
        (("no-such-program-anywhere",), "couldn’t be started"),
        ((sys.executable, "-c", "import sys; sys.exit('I have no licence')"), "I have no licence"),
        ((sys.executable, "-c", "print('hello, not JSON')"), "couldn’t be started"),
    ],
)
async def test_a_server_that_does_not_start_says_why(command, words):
    async with lab(replace(LAB, command=command)) as servers:
        (state,) = await servers.states()
    assert state.tools == ()
    assert words in state.error
    if command[0] == "no-such-program-anywhere":
        assert "找不到程序“no-such-program-anywhere”。" in localize(state.error, "zh_CN")


async def test_a_server_that_does_not_greet_is_given_up(monkeypatch):
    monkeypatch.setattr(connection, "START_LIMIT_S", 0.5)
    async with lab(replace(LAB, command=(*LAB.command, "--silent"))) as servers:
        (state,) = await servers.states()
    assert "did not respond" in state.error


async def test_a_server_that_was_switched_off_is_ended():
    servers_now = [LAB]
    before = descendants()

    async def access(_server):
        return ServerAccess({}, httpx2.AsyncClient)

    servers = Servers(lambda: tuple(servers_now), access)
    assert await servers.tools()
    started = descendants(others=before)
    servers_now[0] = replace(LAB, is_enabled=False)
    assert await servers.tools() == ()
    assert started
    assert await asyncio.to_thread(still_there, started) == set()
    await servers.aclose()


@cases("servers_then", [(), (replace(LAB, timeout_s=30.0),)], ids=["removed", "changed"])
async def test_an_end_in_the_middle_of_a_change_of_servers_leaves_nothing(servers_then):
    servers_now = [LAB]

    async def access(_server):
        return ServerAccess({}, httpx2.AsyncClient)

    servers = Servers(lambda: tuple(servers_now), access)
    *_, result = await call(servers, "child")
    servers_now[:] = servers_then
    asking = asyncio.create_task(servers.tools())
    for _ in range(20):  # until the old server is being ended, which its child does not make easy
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    await servers.aclose()
    assert await asyncio.to_thread(still_there, {int(result.text)}) == set()
