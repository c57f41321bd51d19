"""How soon a dropped file is found by keyword: the worker runs already, files are dropped one at a time.

    python -m benchmarks.drop [--rounds 10]

A note of 2 KB, a page of 40 KB, a sheet of 200 KB and a text of 1 MB, each in `--rounds` versions, are dropped in turn into a
base of their own. Printed are, for each kind, the time from the drop until the file is found by keyword, and the
processor time of the worker and its readers until then. Each file is removed before the next is dropped, so that no vectors
are made beside it.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import aclosing, suppress
from pathlib import Path

import psutil

from benchmarks.large_base import SYLLABLES
from desktop.domain.knowledge import ItemState
from desktop.knowledge.worker.client import KnowledgeClient

GOAL_S = 1.0
_FOUND = {ItemState.KEYWORD_READY, ItemState.READY}
_KINDS = {"note.md": 2_000, "page.html": 40_000, "sheet.csv": 200_000, "text.txt": 1_000_000}


def write(folder: Path, kind: str, number: int) -> Path:
    """Write one file."""
    chance = random.Random(f"{kind}{number}")
    vocabulary = ["".join(chance.choices(SYLLABLES, k=3)) for _ in range(2_000)]
    rows = []
    length = 0
    while length < _KINDS[kind]:
        row = " ".join(chance.choices(vocabulary, k=14)) + "."
        rows.append(
            row.replace(" ", ",") if kind.endswith("csv") else f"<p>{row}</p>" if "html" in kind else row
        )
        length += len(row)
    path = folder / f"{number}-{kind}"
    path.write_text("\n".join(rows), "utf-8")
    return path


def processor_s() -> float:
    """Return the processor time of all processes that this one has started."""
    spent = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            spent += sum(process.cpu_times()[:2])
    return spent


async def dropped(client: KnowledgeClient, base_id: str, path: Path) -> tuple[float, float]:
    """Return the seconds until a file is found by keyword, and those of the processor; then it is removed."""
    spent, started = processor_s(), time.perf_counter()
    async with aclosing(client.add(base_id, [path])) as steps:
        async for step in steps:
            if step.item.state is ItemState.FAILED:
                raise RuntimeError(step.item.error)
            if step.item.state in _FOUND:
                found = time.perf_counter() - started, processor_s() - spent
                await client.remove([step.item.id])
                return found
    raise RuntimeError(path.name)


async def main() -> int:
    """Print the times; return 1 if the slowest kind misses the goal at the median."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        client = KnowledgeClient(Path(folder) / "data")
        try:
            base = await client.create("drop")
            for number in range(-1, rounds):  # the first one starts the readers and does not count
                for kind in _KINDS:
                    path = write(Path(folder), kind, number)
                    figures = await dropped(client, base.id, path)
                    if number >= 0:
                        times[kind].append(figures)
        finally:
            await client.aclose()
    for kind, each in times.items():
        clock, spent = ([one[at] for one in each] for at in (0, 1))
        print(
            f"{kind:10} found after median {statistics.median(clock):.2f} s, longest {max(clock):.2f} s; "
            f"processor {statistics.median(spent):.2f} s"
        )
    return int(max(statistics.median(one[0] for one in each) for each in times.values()) > GOAL_S)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
