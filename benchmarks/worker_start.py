"""How soon a new knowledge worker answers, and the memory that it takes.

    python -m benchmarks.worker_start [--rounds 5] [--documents 5]

Measured from the start of the process: `listed` until it has listed the bases, `by keyword` until it has answered
a question to a base whose vectors are still to come, `by meaning` until it has answered a question to a base that has
them, for which it loads the model and Chroma. `memory` is its resident set at rest after each of them. Each round starts a worker
of its own for each figure, and beside it `bare`, a Python that only imports numpy and onnxruntime: on a busy machine the ratio
counts. Figures are medians; the processor time is that of the worker with all of its threads.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from desktop.domain.knowledge import BaseInfo
from desktop.knowledge.worker.client import KnowledgeClient

_SUBJECTS = ("heron", "lighthouse", "copper", "glacier", "printing press", "orchard", "canal", "meteor")
_PARAGRAPH = (
    "The {subject} number {number} was described in {year}. "
    "It is known for a survey of {number} places by the {other} society."
)


@dataclass(frozen=True)
class Start:
    """Seconds by the clock, seconds of processor time, and the resident set in MB of one worker."""

    wall_s: float
    cpu_s: float
    memory_mb: float


def document(number: int) -> str:
    """Return a made-up document of some passages."""
    lines = (
        _PARAGRAPH.format(
            subject=_SUBJECTS[(number + line) % len(_SUBJECTS)],
            other=_SUBJECTS[(number * 3 + line) % len(_SUBJECTS)],
            number=number * 100 + line,
            year=1500 + (number * 7 + line) % 500,
        )
        for line in range(60)
    )
    return "\n\n".join(lines)


async def fill(data: Path, folder: Path, documents: int) -> None:
    """Make a base with vectors, and one that is paused before it gets any."""
    client = KnowledgeClient(data)
    ready = await client.create("ready")
    await add(client, ready, folder, documents)
    waiting = await client.create("waiting")
    await client.update(replace(waiting, is_paused=True))
    async for _ in client.put_note(waiting.id, "Herons", "The heron nests in high trees."):
        break
    await client.aclose()


async def add(client: KnowledgeClient, base: BaseInfo, folder: Path, documents: int) -> None:
    """Write files and read them into a base."""
    for number in range(documents):
        (folder / f"{number}.md").write_text(document(number), "utf-8")
    async with aclosing(client.add(base.id, [folder])) as steps:
        async for _ in steps:
            pass


async def start(data: Path, ask: Callable[[KnowledgeClient], Awaitable[object]]) -> Start:
    """Start a worker, ask it something, and measure it."""
    client = KnowledgeClient(data)
    begun = time.perf_counter()
    await ask(client)
    wall = time.perf_counter() - begun
    process = psutil.Process((await client.status()).pid)
    spent = process.cpu_times()
    await asyncio.sleep(2)  # what it does in the background
    memory = process.memory_info().rss / 2**20
    await client.aclose()
    return Start(wall, spent.user + spent.system, memory)


def bare() -> float:
    """Return how long a Python takes that only imports the libraries."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numpy, onnxruntime"], check=True)
    return time.perf_counter() - begun


async def measure(data: Path, rounds: int) -> None:
    """Print the figures."""
    asked: dict[str, Callable[[KnowledgeClient], Awaitable[object]]] = {
        "listed": lambda client: client.bases(),
        "by keyword": lambda client: client.retrieve(["Where does the heron nest?"], ["waiting"], 3),
        "by meaning": lambda client: client.retrieve(["Who surveyed the orchard?"], ["ready"], 3),
    }
    found: dict[str, list[Start]] = {name: [] for name in asked}
    alone: list[float] = []
    for _ in range(rounds):
        alone.append(bare())
        for name, ask in asked.items():
            found[name].append(await start(data, ask))
    beside = statistics.median(alone)
    print(f"bare        {beside:.2f} s")
    for name, starts in found.items():
        wall, cpu, memory = (
            statistics.median(values)
            for values in zip(*((each.wall_s, each.cpu_s, each.memory_mb) for each in starts), strict=True)
        )
        print(
            f"{name:11} {wall:.2f} s ({min(each.wall_s for each in starts):.2f} at best), {wall / beside:.1f} times bare; "
            f"processor {cpu:.2f} s; memory {memory:.0f} MB",
            flush=True,
        )


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        data, folder = Path(scratch, "data"), Path(scratch, "files")
        folder.mkdir()
        asyncio.run(fill(data, folder, arguments.documents))
        asyncio.run(measure(data, arguments.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
