"""The parser of result pages under a coverage-guided fuzzer: no page may raise, hang, or lie about what it holds.

    python -m benchmarks.search.fuzz_pages INPUTS [-max_total_time=600] [-max_len=20000]

INPUTS is a folder: the pages of tests/corpus/serp are written into it, and what the fuzzer adds to them. Needs `atheris` (Apache 2.0), which is no dependency of Footnote: install it into an environment of its own. The first
byte of an input chooses the engine, the rest is the page. What is found stands as `crash-…` in the working directory;
the last lines say how many inputs were tried.
"""

import sys
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["desktop.search.engines", "desktop.domain.sources"]):
    from desktop.domain.search import SearchOutcome, SearchStatus
    from desktop.search.engines import ENGINES
    from desktop.search.engines.parse import parse_results

CORPUS = Path(__file__).parents[2] / "tests" / "corpus" / "serp"
LONGEST_S = 1.0
"""Processor time for one page of at most `-max_len` bytes."""

NAMES = (*ENGINES, "nobody", "https://own.example/find?q=%s")


def write_seeds(folder: Path) -> None:
    """Write every page of the corpus as an input for its own engine."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in CORPUS.glob("*.html"):
        engine = next((name for name in NAMES if page.name.startswith(f"{name}-")), "nobody")
        (folder / page.stem).write_bytes(bytes([NAMES.index(engine)]) + page.read_bytes())


def try_page(data: bytes) -> None:
    """Read one page. Raises where the outcome contradicts itself, or takes too long."""
    engine = NAMES[data[0] % len(NAMES)] if data else NAMES[0]
    started = time.process_time()
    outcome = parse_results(engine, data[1:], "https://engine.example/search?q=moth", "moth")
    took_s = time.process_time() - started
    if took_s > LONGEST_S:
        raise RuntimeError(f"{took_s:.1f} s for {len(data)} bytes")
    _check(outcome)


def _check(outcome: SearchOutcome) -> None:
    if bool(outcome.results) != (outcome.status is SearchStatus.RESULTS):
        raise RuntimeError(f"{outcome.status} with {len(outcome.results)} results")
    if bool(outcome.error) == (outcome.status is SearchStatus.RESULTS):
        raise RuntimeError(f"{outcome.status} says {outcome.error!r}")
    if (outcome.obstacle is not None) != (outcome.status is SearchStatus.BLOCKED):
        raise RuntimeError(f"{outcome.status} by {outcome.obstacle}")
    for result in outcome.results:
        if not result.title or not result.url.lower().startswith(("http://", "https://")):
            raise RuntimeError(f"no result: {result!r}")


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]))
    atheris.Setup(sys.argv, try_page)
    atheris.Fuzz()
