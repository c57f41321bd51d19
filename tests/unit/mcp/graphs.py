"""Random graphs of tool calls over real servers, stopped at a random moment; what is left is counted."""

import asyncio
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from desktop.chat.step_log import StepLog
from desktop.chat.tools.executor import Approvals, ToolExecutor
from desktop.domain.models import ToolCall
from desktop.domain.tools import Consent, tool_key
from desktop.services.tool_servers import ToolServerService
from desktop.settings.model import McpServer, Settings
from desktop.settings.proxies import ProxyChoice
from tests.descendants import descendants, still_there
from tests.turns import discard

SCRIPT = str(Path(__file__).with_name("stdio_server.py"))
CALLS = (
    ("echo", '{"text": "x"}'),
    ("hang", "{}"),
    ("deaf", "{}"),
    ("die", "{}"),
    ("fail", "{}"),
    ("flood", "{}"),
    ("child", "{}"),
    ("babble", "{}"),
    ("big", '{"megabytes": 4}'),
    ("big", '{"megabytes": 40}'),
    ("no_such", "{}"),
    ("echo", "{not JSON"),
)
_MOST_SERVERS, _MOST_ROUNDS, _MOST_CALLS = 3, 4, 5
_LATEST_STOP_S = 0.8
_PIPES_LIMIT_S = 20.0


class NoVault:
    async def secret(self, _name):
        return ""

    async def set_secret(self, _name, _value):
        """Keep nothing."""


@dataclass(frozen=True)
class Outcome:
    """How long Stop and the end of all servers took, and what they left."""

    stop_s: float
    end_s: float
    processes: int
    files: int


async def run_graph(seed):
    """Run one graph; servers that are stubborn or daft are among them."""
    chance = random.Random(seed)
    flags = [chance.choice(((), (), ("--stubborn",), ("--silent",))) for _ in range(_MOST_SERVERS)]
    servers = tuple(
        McpServer(f"lab{n}", f"Lab {n}", (sys.executable, "-I", "-S", SCRIPT, *each))
        for n, each in enumerate(flags[: chance.randint(1, _MOST_SERVERS)])
    )
    us = psutil.Process()
    before, files = descendants(), us.num_fds()
    opened = ToolServerService(lambda: Settings(mcp_servers=servers), NoVault(), _direct)
    turn = asyncio.create_task(_turn(opened, servers, chance))
    await asyncio.wait({turn}, timeout=chance.uniform(0, _LATEST_STOP_S))
    stopping = time.monotonic()
    turn.cancel()
    await asyncio.wait({turn})
    ending = time.monotonic()
    if not turn.cancelled() and turn.exception() is not None:
        raise turn.exception()
    started = descendants(others=before)
    await opened.aclose()
    ended = time.monotonic()
    left = await asyncio.to_thread(still_there, started)
    while us.num_fds() > files and time.monotonic() - ending < _PIPES_LIMIT_S:  # noqa: ASYNC110 (nothing tells of it)
        await asyncio.sleep(0.01)  # the threads that read complaints see the end of their pipes
    return Outcome(ending - stopping, ended - ending, len(left), max(0, us.num_fds() - files))


async def _turn(opened, servers, chance):
    tools = await opened.tools()
    allowed = {tool_key(tool.server, tool.spec.name): Consent.ALWAYS for tool in tools}
    runner = ToolExecutor(tools, StepLog(), Approvals(lambda: allowed))
    for number in range(chance.randint(1, _MOST_ROUNDS)):
        calls = [_call(f"{number}-{n}", servers, chance) for n in range(chance.randint(1, _MOST_CALLS))]
        await runner.run(calls, discard)


def _call(call_id, servers, chance):
    name, arguments = chance.choice(CALLS)
    return ToolCall(call_id, f"{chance.choice(servers).id}__{name}", arguments)


async def _direct():
    return ProxyChoice()
