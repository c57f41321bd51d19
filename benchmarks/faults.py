"""Faults of model streams, many times over all three protocols: is the text kept, is the next answer whole?

    python benchmarks/faults.py [--runs 1000] [--side 8] [--seed 1]

Every run takes one kind of fault, in turn, against a loopback server and through the real SDKs: text that
arrived has to be kept, exactly one error of ours says what happened, and the same provider answers the next
question. Exits with 1 where a run failed.
"""

import argparse
import asyncio
import itertools
import sys
import time
from collections import Counter

from tests.unit.providers.faults import KINDS, faults, tried


async def run(runs: int, side: int, seed: int) -> Counter[str]:
    """Return how often what went wrong."""
    every = [(kind, name, fault) for kind in KINDS for name, fault in faults(kind).items()]
    gate = asyncio.Semaphore(side)
    failures: Counter[str] = Counter()

    async def one(number: int) -> None:
        kind, name, fault = every[number % len(every)]
        async with gate:
            if problem := await tried(kind, fault, seed=seed + number):
                failures[f"{kind}, {name}: {problem}"] += 1

    await asyncio.gather(*map(one, itertools.islice(itertools.count(), runs)))
    return failures


def main() -> int:
    """Run, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--side", type=int, default=8, help="runs side by side")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds = {kind: len(faults(kind)) for kind in KINDS}
    started = time.monotonic()
    failures = asyncio.run(run(options.runs, options.side, options.seed))
    held = options.runs - failures.total()
    sys.stdout.write(f"kinds of fault: {kinds}\n")
    sys.stdout.write(f"held in {held} of {options.runs} runs, {time.monotonic() - started:.0f} s\n")
    for problem, count in failures.most_common():
        sys.stdout.write(f"{count} × {problem}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
