"""What a turn adds to the waiting: from a tool's result to the next request, from the first token to the page.

    QT_QPA_PLATFORM=offscreen python -m benchmarks.turn_latency [--rounds 40]

The first figure runs `answer_with_tools` over the real SDK against a loopback server: from the moment a tool
has returned 200 KB until the server has read the whole next request. The second runs the whole window: from the
moment before the server writes the first token until the page has it, and until the frame after that. As root,
set QTWEBENGINE_DISABLE_SANDBOX=1.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from desktop.app import make_application
from desktop.chat.source_lookup import SelectedModel
from desktop.chat.step_log import StepLog
from desktop.chat.tools.executor import Approvals, as_step
from desktop.chat.tools.loop import ToolLoopContext, answer_with_tools
from desktop.domain.events import TurnEvent
from desktop.domain.messages import StepKind
from desktop.domain.models import ModelRequest, PromptMessage, ToolSpec
from desktop.domain.sources import Ledger, Source
from desktop.domain.tools import Arguments, Tool, ToolEvents, ToolResult
from tests.e2e.model_server import running_model_server
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window
from tests.unit.providers.requests import opened
from tests.unit.providers.wire import Connection, Script, serving, sse, streaming

RESULT_CHARS = 200_000
NEXT_REQUEST_MS = 20.0
FIRST_TOKEN_MS = 50.0
READING_S = 0.3
"""After that the first token is written: a model reads before it answers."""

_CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
_CALLING = sse(
    {"choices": [{"index": 0, "delta": {"tool_calls": [_CALL]}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
)
_ANSWERING = sse({"choices": [{"index": 0, "delta": {"content": "So."}, "finish_reason": "stop"}]})

_WATCH = """(() => {
  window.seen = {};
  new MutationObserver((_, observer) => {
    const text = [...document.querySelectorAll('.answer .text')].pop();
    if (!text || !text.textContent.trim()) return;
    observer.disconnect();
    window.seen.dom = Date.now();
    requestAnimationFrame(() => requestAnimationFrame(() => { window.seen.frame = Date.now(); }));
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
  return true;
})()"""


async def next_request_ms(rounds: int) -> list[float]:
    """Return the milliseconds from a tool's result to the next request, once per round."""
    return [await _one_request() for _ in range(rounds)]


async def _one_request() -> float:
    marks: list[float] = []

    async def work() -> ToolResult:
        marks.append(time.perf_counter())
        return ToolResult("word " * (RESULT_CHARS // 5))

    def run(_arguments: Arguments) -> ToolEvents:
        return as_step(StepKind.TOOL, "look", work)

    def marked(script: Script) -> Script:
        async def marking(connection: Connection) -> None:
            marks.append(time.perf_counter())
            await script(connection)

        return marking

    async def keep(_sources: Sequence[Source]) -> None:
        """Nothing is found."""

    async def discard(_event: TurnEvent) -> None:
        """No event is shown."""

    tool = Tool(ToolSpec("look", "Looks.", {"type": "object"}), run)
    bench = ToolLoopContext(
        (tool,), Ledger(), StepLog(), Approvals(dict), keep, discard, context_tokens=1_000_000
    )
    bench_request = ModelRequest("m", (PromptMessage("user", "Look."),))
    async with (
        serving(streaming(_CALLING), marked(streaming(_ANSWERING))) as wire,
        opened(wire.base_url) as provider,
    ):
        await answer_with_tools(SelectedModel(provider, "p/m", "m"), bench_request, bench)
    returned, requested = marks
    return (requested - returned) * 1_000


def first_token_ms(rounds: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds until the page has the first token, and until the frame after it."""
    in_page, in_frame = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        running_model_server() as server,
        running_site() as site,
    ):
        server.pieces, server.hold_at = ("Hello", " there", "."), 0
        provider = {"id": "own", "name": "Own", "kind": "openai", "base_url": f"{server.origin}/v1"}
        chat = {"model": "own/scripted", "uses_tools": False}
        configure(Path(folder), site, providers=[provider | {"needs_key": False}], chat=chat)
        with running_window(make_application(), Path(folder)) as driver:
            driver.window.composer.web.picked.emit("off")
            for _ in range(rounds):
                driver.window.start_new()
                driver.wait_for_page("!!document.querySelector('.welcome')")
                driver.script(_WATCH)
                server.written_at.clear()
                server.go_on.clear()
                threading.Timer(READING_S, server.go_on.set).start()
                driver.ask("Say hello.")
                driver.wait_for_page("window.seen.frame > 0")
                seen = driver.script("window.seen")
                assert isinstance(seen, dict)
                in_page.append(seen["dom"] - server.written_at[0] * 1_000)
                in_frame.append(seen["frame"] - server.written_at[0] * 1_000)
    return in_page, in_frame


def _line(name: str, times: list[float], limit: float) -> str:
    median, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return (
        f"{name}: median {median:.1f} ms, p95 {p95:.1f} ms, worst {max(times):.1f} ms (goal {limit:.0f} ms)\n"
    )


def main() -> int:
    """Measure both; the status is 1 where a median misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    requests = asyncio.run(next_request_ms(rounds))
    sys.stdout.write(_line("tool result to next request", requests, NEXT_REQUEST_MS))
    in_page, in_frame = first_token_ms(rounds)
    sys.stdout.write(_line("first token to page", in_page, FIRST_TOKEN_MS))
    sys.stdout.write(_line("first token to frame", in_frame, FIRST_TOKEN_MS))
    missed = statistics.median(requests) > NEXT_REQUEST_MS or statistics.median(in_page) > FIRST_TOKEN_MS
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
