"""Where the time of the page goes while an answer streams, traced by Chromium.

    python benchmarks/streaming/trace.py [--size 20] [--delta 4] [--only footnote streaming-markdown "text only"]

Runs what `run.py` runs, with Chromium's trace switched on, and prints for each kind of work its own processor time
per delta (without that of the work inside it) and how often it happens. What the trace does not name is script. Tracing
itself slows the page down to half of its speed: trust the shares.
"""

import argparse
import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from answers import answer, pieces
from playwright.sync_api import sync_playwright
from run import FASTEST, MEASURE, NAMES, OURS, bundle, open_page, render

CATEGORIES = ["blink.user_timing", "blink", "devtools.timeline", "v8"]
MOST_KINDS = 14


def main() -> None:
    """Trace and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=20, help="thousands of characters")
    parser.add_argument("--delta", type=int, default=4, help="characters")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=[OURS, FASTEST, "text only"])
    options = parser.parse_args()
    bundle()
    cut = pieces(answer(options.size * 1000), options.delta)
    counts = [piece.counts for piece in cut]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium)
        for name in options.only:
            texts = render(cut)[0] if name == OURS else [piece.text for piece in cut]
            with open_page(browser) as page:
                browser.start_tracing(page=page, categories=CATEGORIES)
                page.evaluate(MEASURE, [name, texts, counts, True])
                trace = json.loads(browser.stop_tracing())["traceEvents"]
            print(f"{name}, {options.size} thousand characters in deltas of {options.delta}")
            _report(trace, sum(counts))
        browser.close()


def _report(trace: list[dict[str, Any]], count: int) -> None:
    marks = sorted(
        (event["ts"], event["tts"], event["pid"], event["tid"])
        for event in trace
        if event.get("cat") == "blink.user_timing" and event["name"] in {"begin", "end"}
    )
    begins, ends = marks[::2], marks[1::2]
    starts = [mark[0] for mark in begins]
    thread = begins[0][2:]

    def is_counted(event: dict[str, Any]) -> bool:
        at = bisect_right(starts, event["ts"]) - 1
        return (
            event["ph"] == "X"
            and (event["pid"], event["tid"]) == thread
            and at >= 0
            and event["ts"] <= ends[at][0]
        )

    own, times = _own_times(sorted(filter(is_counted, trace), key=lambda event: (event["ts"], -event["dur"])))
    whole = sum(end[1] - begin[1] for begin, end in zip(begins, ends, strict=True))
    print(f"  {'all':<44}{whole / count / 1000:>8.4f} ms")
    print(
        f"  {'script, and what the trace does not name':<44}{(whole - own.total()) / count / 1000:>8.4f} ms"
    )
    for kind, spent in own.most_common(MOST_KINDS):
        print(f"  {kind:<44}{spent / count / 1000:>8.4f} ms  {times[kind] / count:>6.2f} times")


def _own_times(events: Iterable[dict[str, Any]]) -> tuple[Counter[str], dict[str, int]]:
    """Return the processor time of each kind of work without that of the work inside it, and how often it was done."""
    own: Counter[str] = Counter()
    times: dict[str, int] = defaultdict(int)
    around: list[dict[str, Any]] = []
    for event in events:
        while around and around[-1]["ts"] + around[-1]["dur"] <= event["ts"]:
            around.pop()
        if around:
            own[around[-1]["name"]] -= event.get("tdur", 0)
        own[event["name"]] += event.get("tdur", 0)
        times[event["name"]] += 1
        around.append(event)
    return own, times


if __name__ == "__main__":
    main()
