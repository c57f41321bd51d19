"""Random graphs of tool calls over real programs, stopped at random: how fast it is over, and what is left.

    python benchmarks/tools.py [--runs 200]

Every run starts up to three servers, some of which ignore the end of their input and SIGTERM or never
greet, lets them answer, hang, go deaf, die, flood, start children that do not want to end or send 40 MB,
and stops after 0 to 0.8 s. Reported are the times from Stop to the end of the turn and from there to the
end of all servers, and the processes and open files (pipes and sockets among them) that were left.
"""

import argparse
import asyncio
import statistics
import sys

from tests.unit.mcp.graphs import Outcome, run_graph

STOP_LIMIT_S = 0.5
END_LIMIT_S = 2.0


def _line(name: str, times: list[float]) -> str:
    median, worst = statistics.median(times), max(times)
    p99 = sorted(times)[int(len(times) * 0.99)]
    return f"{name}: median {median * 1000:.0f} ms, 99 % {p99 * 1000:.0f} ms, worst {worst * 1000:.0f} ms"


def main() -> int:
    """Run the graphs; the status is 1 if a limit was broken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    outcomes: list[Outcome] = [asyncio.run(run_graph(seed)) for seed in range(parser.parse_args().runs)]
    print(_line("Stop", [outcome.stop_s for outcome in outcomes]))
    print(_line("end of servers", [outcome.end_s for outcome in outcomes]))
    processes = sum(outcome.processes for outcome in outcomes)
    files = sum(outcome.files for outcome in outcomes)
    print(f"runs {len(outcomes)}, processes left {processes}, files left {files}")
    late = sum(outcome.stop_s > STOP_LIMIT_S or outcome.end_s > END_LIMIT_S for outcome in outcomes)
    print(f"runs over {STOP_LIMIT_S} s to stop or {END_LIMIT_S} s to end: {late}")
    return 1 if processes or files or late else 0


if __name__ == "__main__":
    sys.exit(main())
