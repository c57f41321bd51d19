"""The cost of a streamed answer: Footnote, Python and page together, beside renderers from npm.

    python benchmarks/streaming/run.py [--rounds 3] [--sizes 20 40 120] [--deltas 4 12] [--chromium PATH]
        [--only NAME ...] [--processor]

Needs Node with npm, and a Chromium. The rivals are installed at the versions of `package.json` into
`node_modules` beside this file, which git ignores, and bundled with esbuild.

All run in one Chromium, in turn, each in a fresh copy of Footnote's own page with its style, get the same
text in the same deltas, and after each go to the end of the page, which forces the layout; work that React
puts off is counted. For Footnote the time of `StreamRenderer` and of encoding its patches is added, delta
by delta. "Memo blocks" and "per block" are what one can build around a parser by hand; "text only" parses
nothing and is the floor. Code is highlighted by nobody. Every text begins with a part that warms up; then
twenty windows, evenly spread, are timed. Of each delta
the best round counts, since the others measure what else the machine does; then the mean is taken. The median of
the rounds' own ratios to streaming-markdown stands beside it. Trust the ratios, not the milliseconds. On a busy
machine, `--processor` counts the processor time of Python's and of the page's thread, read from a trace, in place of
the clock's; what React puts off is then not counted. `trace.py` says where the page's time goes.

First, it is counted how many CommonMark 0.31.2 examples without raw HTML each gets right, boxes and classes
aside. (Footnote's number is from `RenderTarget.SPEC`, because its page draws lists and pictures its own way.)
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from answers import Piece, answer, pieces
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page, Route, sync_playwright

from desktop.render import render_message
from desktop.render.labels import labels_of
from desktop.render.page.operations import PatchText, write_script
from desktop.render.page.page_model import PageModel
from desktop.render.stream import StreamRenderer
from desktop.resources import resources_dir

HERE = Path(__file__).parent
BUNDLE = HERE / "node_modules" / "contestants.bundle.js"
ORIGIN = "http://localhost"
OURS = "footnote"
FASTEST = "streaming-markdown"
NAMES = (
    OURS,
    "text only",
    FASTEST,
    "streamdown",
    "react-markdown",
    "marked",
    "markdown-it",
    "react-markdown, memo blocks",
    "marked, per block",
)
SOURCES = {number: f"Source {number}" for number in range(1, 10)}
LEAST_LETTERS = 0.98
"""A rival that shows fewer of the letters than this has not done the work."""

_CHANNEL = "window.qt = {}; window.QWebChannel = function (_, then) { then({ objects: { bridge: { page_ready() {}, drawn() {}, messages_wanted() {}, card_shown() {} } } }) }"
_FILES = {"qwebchannel.js", *(path.name for path in (resources_dir() / "page").iterdir())}
_SYNCHRONOUS = "window.requestAnimationFrame = (then) => (then(), 0)"
_ARTICLE = '<article class="message answer streaming" id="message-m"><div class="text"></div></article>'

MEASURE = "([name, texts, counts, isTraced]) => measure(name, texts, counts, isTraced)"

Cost = tuple[float, float]
"""Mean and 95th percentile of the milliseconds per delta."""


class Case(NamedTuple):
    """A length of text in thousands of characters, and a length of deltas."""

    size: int
    delta: int


def main() -> None:
    """Measure and print."""
    options = _options()
    bundle()
    found: dict[tuple[Case, str], list[Sequence[float]]] = defaultdict(list)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium)
        _report_scores(browser)
        for round_number in range(options.rounds):
            for case in (Case(size, delta) for size in options.sizes for delta in options.deltas):
                _measure_all(browser, case, round_number, found, options)
        print(f"Chromium {browser.version}, {options.rounds} rounds\n")
        browser.close()
    _report({key: _cost(_best(rounds)) for key, rounds in found.items()})
    _report_medians(found)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 40, 120], help="thousands of characters")
    parser.add_argument("--deltas", type=int, nargs="+", default=[4, 12], help="characters")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="the renderers to measure")
    parser.add_argument("--processor", action="store_true", help="processor time in place of the clock's")
    return parser.parse_args()


def bundle() -> None:
    """Install the rivals and build what the page loads."""
    if not (HERE / "node_modules" / "commonmark-spec").is_dir():
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"], cwd=HERE, check=True
        )
    esbuild = HERE / "node_modules" / ".bin" / "esbuild"
    flags = ["--bundle", "--minify", '--define:process.env.NODE_ENV="production"', "--log-level=error"]
    subprocess.run([esbuild, HERE / "contestants.js", *flags, f"--outfile={BUNDLE}"], cwd=HERE, check=True)


def _report_scores(browser: Browser) -> None:
    """Print how many of the specification's examples come out right."""
    script = "console.log(JSON.stringify(require('commonmark-spec').tests))"
    printed = subprocess.run(["node", "-e", script], cwd=HERE, check=True, capture_output=True).stdout
    # The specification writes tabs as arrows.
    tests = json.loads(printed.decode().replace("\N{RIGHTWARDS ARROW}", "\\t"))
    examples = [test for test in tests if not _holds_html(test["markdown"])]
    print(f"CommonMark examples without raw HTML that come out right, of {len(examples)}")
    for test in examples:
        test["ours"] = render_message(test["markdown"], SOURCES).html
    for name in (OURS, *NAMES[2:]):
        with open_page(browser) as page:
            right = page.evaluate("([name, examples]) => score(name, examples)", [name, examples])
        print(f"  {name:<30}{right:>5}")
    print(flush=True)


def _holds_html(markdown: str) -> bool:
    return any(
        token.type == "html_block" or any(child.type == "html_inline" for child in token.children or ())
        for token in MarkdownIt("commonmark").parse(markdown)
    )


def _measure_all(
    browser: Browser,
    case: Case,
    round_number: int,
    found: dict[tuple[Case, str], list[Sequence[float]]],
    options: argparse.Namespace,
) -> None:
    cut = pieces(answer(case.size * 1000), case.delta)
    first = round_number % len(NAMES)
    letters: dict[str, int] = {}
    for name in NAMES[first:] + NAMES[:first]:
        if name not in options.only:
            continue
        texts: Sequence[str] = [piece.text for piece in cut]
        python_ms: list[float] = []
        if name == OURS:
            texts, python_ms = render(cut, is_processor_time=options.processor)
        counts = [piece.counts for piece in cut]
        page_ms, letters[name] = _shown(browser, name, texts, counts, is_traced=options.processor)
        times = [sum(pair) for pair in zip(python_ms or [0.0] * len(page_ms), page_ms, strict=True)]
        if name == OURS:
            found[case, "  its Python"].append(python_ms)
            found[case, "  its page"].append(page_ms)
        found[case, name].append(times)
        print(f"round {round_number + 1}  {case}  {name}: {_cost(times)[0]:.3f} ms", file=sys.stderr)
    for name, count in letters.items():
        if count < LEAST_LETTERS * letters[OURS]:
            raise SystemExit(f"{name} shows {count} letters, Footnote {letters[OURS]}")


def render(cut: Sequence[Piece], *, is_processor_time: bool = False) -> tuple[list[str], list[float]]:
    """Return the script for the page for each piece, and the milliseconds for those that count."""
    clock = time.thread_time if is_processor_time else time.perf_counter
    renderer = StreamRenderer(SOURCES)
    scripts: list[str] = []
    times: list[float] = []
    for piece in cut:
        start = clock()
        patches = renderer.feed(piece.text)
        scripts.append(write_script([PatchText("m", patches)] if patches else []))
        if piece.counts:
            times.append((clock() - start) * 1000)
    return scripts, times


def _shown(
    browser: Browser, name: str, texts: Sequence[str], counts: Sequence[bool], *, is_traced: bool
) -> tuple[list[float], int]:
    with open_page(browser) as page:
        if is_traced:
            browser.start_tracing(page=page, categories=["blink.user_timing"])
        result: dict[str, Any] = page.evaluate(MEASURE, [name, list(texts), list(counts), is_traced])
        times = _processor_ms(browser.stop_tracing()) if is_traced else result["times"]
    return times, result["letters"]


def _processor_ms(trace: bytes) -> list[float]:
    """Return the processor time between the marks of each delta."""
    marks = sorted(
        (event["ts"], event["tts"])
        for event in json.loads(trace)["traceEvents"]
        if event.get("cat") == "blink.user_timing" and event["name"] in {"begin", "end"}
    )
    spent = [spent for _, spent in marks]
    return [(end - begin) / 1000 for begin, end in zip(spent[::2], spent[1::2], strict=True)]


@contextmanager
def open_page(browser: Browser) -> Iterator[Page]:
    """Open a fresh page of Footnote's with an empty answer and the contestants."""
    context = browser.new_context(viewport={"width": 1000, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.route("**/*", _serve)
    page.add_init_script(_SYNCHRONOUS)
    page.goto(f"{ORIGIN}/chat.html")
    page.add_script_tag(path=BUNDLE)
    page.evaluate(write_script(PageModel(labels_of("en")).show_again()))
    page.evaluate("html => { document.getElementById('conversation').innerHTML = html }", _ARTICLE)
    yield page
    context.close()


def _serve(route: Route) -> None:
    """Serve Footnote's page by HTTP, isolated so that its clock is exact."""
    name = route.request.url.removeprefix(f"{ORIGIN}/")
    if name not in _FILES:  # what the examples name as pictures, and the page's icon
        route.abort()
        return
    body = _CHANNEL if name == "qwebchannel.js" else _resource(name)
    kinds = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
    headers = {
        "Content-Type": kinds.get(name.rsplit(".", maxsplit=1)[-1], "text/plain"),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
    }
    route.fulfill(body=body, headers=headers)


def _resource(name: str) -> str:
    text = (resources_dir() / "page" / name).read_text("utf-8")
    return text.replace("footnote-page://page/", f"{ORIGIN}/")


def _cost(times: Sequence[float]) -> Cost:
    return statistics.fmean(times), statistics.quantiles(times, n=20)[-1]


def _best(rounds: Sequence[Sequence[float]]) -> Sequence[float]:
    """Return each delta's time from the round in which other work disturbed it least."""
    return [min(times) for times in zip(*rounds, strict=True)]


def _report(costs: dict[tuple[Case, str], Cost]) -> None:
    for case in dict.fromkeys(case for case, _ in costs):
        print(f"{case.size} thousand characters in deltas of {case.delta}")
        print(f"  {'':<30}{'ms/delta':>9}{'p95':>9}{'x ours':>9}")
        ours = costs[case, OURS][0]
        names = (OURS, "  its Python", "  its page", *NAMES[1:])
        for name in (name for name in names if (case, name) in costs):
            mean, high = costs[case, name]
            print(f"  {name:<30}{mean:>9.3f}{high:>9.3f}{mean / ours:>9.2f}")
        print()
    for delta in dict.fromkeys(case.delta for case, _ in costs):
        sizes = sorted(case.size for case, name in costs if case.delta == delta and name == OURS)
        ends = [costs[Case(size, delta), OURS][0] for size in (sizes[0], sizes[-1])]
        print(
            f"Growth, deltas of {delta}: {sizes[-1]}k costs {ends[1] / ends[0]:.2f} times {sizes[0]}k per delta"
        )


def _report_medians(found: dict[tuple[Case, str], list[Sequence[float]]]) -> None:
    for (case, name), theirs in found.items():
        if name == FASTEST and (case, OURS) in found:
            rounds = zip(found[case, OURS], theirs, strict=True)
            ratios = [statistics.fmean(ours) / statistics.fmean(other) for ours, other in rounds]
            print(f"{case}: {statistics.median(ratios):.2f} times {FASTEST}, median of {len(ratios)} rounds")


if __name__ == "__main__":
    main()
