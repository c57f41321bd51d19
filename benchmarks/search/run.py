"""The web search against a web on loopback that fails: speed, survival, overhead, memory.

    python -m benchmarks.search.run [--queries N] [--survival N] [--memory N]

- speed: from query to ready passages, 30 % of all requests failing, beside a client that starts a browser
  for every query and one that waits for `networkidle`; the three are asked in turn in one run.
- survival: how many queries are answered although one engine of three always fails, and whether a
  blocked engine was ever said to have found nothing.
- overhead: how much longer than the servers take, with everything warm and nothing failing.
- memory (only with --memory): Chromium's memory over so many searches.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections import Counter
from pathlib import Path

from benchmarks.search.contestants import ColdBrowser, Footnote, NetworkIdle
from benchmarks.search.site import DELAY_S, ENGINE_FAULTS, Faults, fault, serving
from desktop.domain.search import SearchStatus

FAULTY = Faults(engines=(0.3, 0.3, 0.3), pages=0.3)
ONE_DOWN = Faults(engines=(1.0, 0.0, 0.0))


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


async def speed(count: int) -> None:
    with serving(FAULTY) as site:
        contestants = {
            "footnote": Footnote(site),
            "cold browser": ColdBrowser(site),
            "networkidle": NetworkIdle(site),
        }
        times: dict[str, list[float]] = {name: [] for name in contestants}
        found: Counter[str] = Counter()
        for contestant in contestants.values():
            await contestant.__aenter__()
        try:
            for n in range(-1, count):  # the first one warms up and does not count
                for name, contestant in contestants.items():
                    started = time.perf_counter()
                    sources = await contestant.ask(f"lantern moth {n}")
                    if n >= 0:
                        times[name].append(time.perf_counter() - started)
                        found[name] += sources
        finally:
            for contestant in contestants.values():
                await contestant.__aexit__(None, None, None)
    print(f"speed, {count} queries, 30 % of requests fail")
    own = times["footnote"]
    for name, taken in times.items():
        p50, p95 = percentile(taken, 0.5), percentile(taken, 0.95)
        ratios = f"{percentile(own, 0.5) / p50:.2f} {percentile(own, 0.95) / p95:.2f}"
        print(
            f"  {name:13} p50 {p50:6.2f} s  p95 {p95:6.2f} s  sources {found[name] / count:.1f}  ours/theirs {ratios}"
        )


async def survival(count: int) -> None:
    """All kinds of failures in turn; the engine that fails is the first of the order."""
    answered, lied, seen = 0, 0, Counter()
    with serving(ONE_DOWN) as site:
        async with Footnote(site, pace_s=0) as footnote:
            for n in range(count):
                query = f"river heron {n}"
                footnote.web.forgive("duckduckgo")  # else it would be left alone after its first failure
                answered += await footnote.search(query)
                first = next((o for o in footnote.outcomes if o.engine == "duckduckgo"), None)
                kind = fault(f"duckduckgo{query}", 1.0, ENGINE_FAULTS)
                if first is not None:
                    seen[kind, first.status.value] += 1
                lied += any(o.status is SearchStatus.NOTHING_FOUND for o in footnote.outcomes)
    print(f"survival, {count} queries, one engine of three always fails and is always asked first")
    print(f"  answered {answered / count:.1%}; blocked or failing told as “nothing found”: {lied}")
    for (kind, status), times in sorted(seen.items()):
        print(f"  {kind:8} was told as {status:15} {times}")


async def overhead(count: int) -> None:
    with serving(Faults()) as site:
        async with Footnote(site) as footnote:
            extra = []
            for n in range(-2, count):
                started = time.perf_counter()
                await footnote.ask(f"grey seal {n}")
                if n >= 0:
                    extra.append(time.perf_counter() - started - 2 * DELAY_S)
                await asyncio.sleep(1.0)  # nobody asks more often; the polite pace is not what is measured
    p50, p95 = percentile(extra, 0.5), percentile(extra, 0.95)
    print(
        f"overhead, {count} queries: p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms over the two servers waited for"
    )


async def memory(count: int) -> None:
    with serving(Faults()) as site:
        async with Footnote(site, pace_s=0) as footnote:
            sizes = []
            for n in range(count):
                await footnote.search(f"white stork {n}")
                if (n + 1) % 25 == 0:
                    sizes.append(chromium_mb())
                    print(
                        f"  {n + 1:5} searches: Chromium {sizes[-1]:.0f} MB, pages open {footnote.browser.open_pages}",
                        flush=True,
                    )
    early, late = statistics.mean(sizes[1:5]), statistics.mean(sizes[-4:])
    print(
        f"memory: {early:.0f} MB after 50 to 125 searches, {late:.0f} MB at the end ({late / early - 1:+.1%})"
    )


def chromium_mb() -> float:
    """Return the memory of all Chromium processes below this one; without what is only mapped from files and may be shared with other programs."""
    parents, names = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = entry.read_text().split(" ", 1)
        except OSError:
            continue
        name, fields = rest.rpartition(")")[0], rest.rpartition(")")[2].split()
        parents[int(pid)], names[int(pid)] = int(fields[1]), name.strip("(")
    total = 0
    for pid, name in names.items():
        if not name.startswith(("chrom", "headless")):
            continue
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            total += int(
                next(line for line in rollup.splitlines() if line.startswith("Pss_Anon:")).split()[1]
            )
    return total / 1024


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--survival", type=int, default=300)
    parser.add_argument("--memory", type=int, default=0, metavar="SEARCHES")
    arguments = parser.parse_args()
    if arguments.memory:
        await memory(arguments.memory)
        return
    if arguments.queries:
        await overhead(min(arguments.queries, 20))
        await speed(arguments.queries)
    if arguments.survival:
        await survival(arguments.survival)


if __name__ == "__main__":
    asyncio.run(main())
