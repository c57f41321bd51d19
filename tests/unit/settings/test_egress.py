"""Nothing leaves for a conversation that stays here, whatever task does its work; what leaves for others is noted."""

import ast
import asyncio
from pathlib import Path

import pytest

from desktop.chat.emit import stream
from desktop.domain.privacy import Channel, EgressEvent
from desktop.errors import StaysHere
from desktop.settings import egress as border
from desktop.settings.egress import EgressContext
from tests.cases import cases
from tests.source_trees import parse_modules

pytestmark = pytest.mark.anyio

FAR = "https://api.example.com/v1"
HERE = (
    "http://127.0.0.1:11434/v1",
    "http://[::1]:8080",
    "http://localhost:1234",
    "http://[::ffff:127.0.0.1]/",
)
KEPT = EgressContext(stays_here=True)


@cases("address", HERE)
def test_this_machine_is_always_reached_and_is_no_departure(address):
    noted = []
    for egress_context in (KEPT, EgressContext(note=noted.append)):
        with border.on(egress_context):
            border.require_egress(address, Channel.MODEL)
            border.check_egress(address)
    assert noted == []


@cases(
    "address",
    [FAR, "http://192.168.1.5:8080/", "http://10.0.0.1", "http://printer.local/", "http://localhost.example.com/",
     "http://127.0.0.1.example.com", "http://127.0.0.1@example.com/", "no address", "http://[broken"],
)  # fmt: skip
def test_every_other_machine_is_out_of_reach_of_what_stays_here(address):
    with border.on(KEPT):
        with pytest.raises(StaysHere, match="stays on this computer"):
            border.require_egress(address, Channel.READING)
        with pytest.raises(StaysHere):
            border.check_egress(address)


def test_what_leaves_is_noted_and_a_look_is_not():
    noted = []
    with border.on(EgressContext(note=noted.append)):
        border.check_egress(FAR)
        border.require_egress(FAR, Channel.MODEL, 120)
        border.check_program("files")
    assert noted == [EgressEvent("api.example.com", Channel.MODEL, 120)]
    border.require_egress(FAR, Channel.MODEL)  # nobody's errand: allowed, and noted nowhere


def test_a_host_that_was_not_reached_is_not_among_those_of_an_answer():
    logged, sent = [], []
    with border.on(EgressContext(note=logged.append)), border.collect(sent):
        for _ in range(2):
            border.require_egress(FAR, Channel.SEARCH)
        border.withdraw_egress(FAR, Channel.SEARCH)
        assert sent == [EgressEvent("api.example.com", Channel.SEARCH)]
        border.withdraw_egress(FAR, Channel.SEARCH)
        border.withdraw_egress(FAR, Channel.SEARCH)
    assert sent == []
    assert len(logged) == 2


async def is_refused() -> bool:
    try:
        border.require_egress(FAR, Channel.SEARCH)
    except StaysHere:
        return True
    return False


async def test_tasks_take_their_errand_along_and_nobodys_do_not():
    with border.on(KEPT):
        own = asyncio.create_task(is_refused())
        shared = asyncio.create_task(is_refused(), context=border.make_detached_context())
        together = asyncio.gather(is_refused(), asyncio.to_thread(lambda: border.current().stays_here))
    assert (await own, await shared, await together) == (True, False, [True, True])
    assert not await is_refused()


async def test_events_are_made_on_an_errand_that_their_taker_never_has():
    closed = []

    async def run(emit):
        try:
            with border.on(KEPT):
                await emit(await is_refused())
                await emit(await asyncio.create_task(is_refused()))
        finally:
            closed.append(True)

    taken = [(each, border.current().stays_here) async for each in stream(run)]
    assert taken == [(True, False), (True, False)]
    left = stream(run)
    await anext(left)
    await left.aclose()
    assert closed == [True, True]


async def test_two_conversations_side_by_side_do_not_mix():
    async def many(egress_context):
        async def run(emit):
            with border.on(egress_context):
                for _ in range(20):
                    await asyncio.sleep(0)
                    await emit(await is_refused())

        return {each async for each in stream(run)}

    assert await asyncio.gather(many(KEPT), many(EgressContext())) == [{True}, {False}]


ROOT = Path(border.__file__).parents[1]
WAYS_OUT = {
    "httpx.AsyncClient", "httpx.Client", "httpx.get", "httpx2.AsyncClient", "httpx2.Client", "httpx2.get",
    "httpx.AsyncHTTPTransport", "httpcore.AsyncConnectionPool", "asyncio.open_connection", "socket.create_connection", "urllib.request.urlopen",
    "openai.AsyncOpenAI", "anthropic.AsyncAnthropic", "chromadb.HttpClient", "QNetworkAccessManager",
}  # fmt: skip
KNOWN = {
    "services/container.py": "ProxiedTransport asks",
    "services/data.py": "ProxiedTransport asks",
    "services/preferences.py": "ProxiedTransport asks",
    "services/updates.py": "ProxiedTransport asks",
    "search/fetcher.py": "ProxiedTransport asks",
    "search/transport.py": "ProxiedTransport asks; tunnels are below it and below the gate of the browser",
    "search/browser/proxy.py": "Browser.fetch asks before a page is opened",
    "providers/transport.py": "asks",
    "providers/presets.py": "asks this machine alone",
    "providers/local_servers.py": "asks this machine alone",
    "providers/openai_server.py": "over providers.transport",
    "providers/anthropic.py": "over providers.transport",
    "knowledge/embedding/remote.py": "asks",
    "knowledge/reranker_api.py": "asks",
    "knowledge/embedding/model_download_process.py": "fetches a model that the user chose, for no conversation",
    "knowledge/worker/connection.py": "connects to this machine alone, to the worker of another Footnote",
    "knowledge/chroma_index.py": "ChromaCollections.nearest asks; what is copied there is of no conversation",
}
"""Modules that connect to other machines, and why none of them connects without asking."""


def test_every_way_out_is_known():
    found = set()
    for path, tree in parse_modules(ROOT.rglob("*.py")).items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in WAYS_OUT:
                found.add(path.relative_to(ROOT).as_posix())
    assert found <= KNOWN.keys(), "ask desktop.settings.egress before anything is sent, then name it here"
