"""What the window pays for conversations, measured through TranscriptView in QtWebEngine.

    QT_QPA_PLATFORM=offscreen python benchmarks/streaming/window.py [--only-stream]

Prints, one a line: the GUI thread's processor time per delta, with and without what the web engine draws there; beside it
that of the same frames when the page draws them by itself, and when this thread only sends them; and the long tasks of the page while an answer streams (by the clock: on a busy machine also those that
waited); how long a conversation of 2,000 messages takes to open beside one of 20; the time between frames
while it is scrolled; and, for hostile text, the total time and the longest time in which the window could
not react. As root, set QTWEBENGINE_DISABLE_SANDBOX=1.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import Any

from answers import answer
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from desktop.background import BackgroundLoop
from desktop.domain.events import TurnEvent, TurnFinished, TurnStarted
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.models import TextDelta
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.render.labels import labels_of
from desktop.render.page.operations import Operation, write_script
from desktop.render.page.page_model import PageModel
from desktop.ui.transcript.transcript_view import TranscriptView

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TICK_MS = 16
DELTA_CHARS = 12
PLAY = (
    "(frames => {{ const timer = setInterval(() => frames.length ? frames.shift()()"
    " : clearInterval(timer), 33) }})([{frames}]); 0"
)
"""A script with which the page draws frames in its own time."""

WATCH_MS = 5
LIMIT_S = 120

HOSTILE = {
    "10 MB in one line": "word " * 2_000_000,
    "10 MB without a space": "x" * 10_000_000,
    "10,000 quotes in each other": ">" * 10_000 + "a",
    "10,000 brackets in each other": "[" * 10_000 + "a" + "]" * 10_000,
    "100,000 citations": "Fact [1]. " * 100_000,
    "a table of 3,000 columns": "".join(f"|{cell * 3_000}\n" for cell in ("a|", "-|", "x|", "y|")),
    "NUL and lone surrogates": "\0a\ud800" * 20_000,
}


class Bench:
    """Drives a page from the event loop, as the window does."""

    def __init__(self, page: TranscriptView) -> None:
        self.page = page
        self.shown = NOTHING_SHOWN

    def open(self, messages: Sequence[Message] = ()) -> None:
        """Show a conversation."""
        self.shown = Transcript.of(messages)
        self.page.show_transcript(self.shown)

    def apply(self, event: TurnEvent) -> None:
        """Take an event as the chat session does, and show it."""
        self.shown = self.shown.after(event)
        self.page.apply(event, self.shown)

    def js(self, code: str) -> Any:
        """Return what a script in the page gives."""
        answers: list[Any] = []
        loop = QEventLoop()

        def take(value: object) -> None:
            answers.append(value)
            loop.quit()

        self.page.web_page.runJavaScript(code, take)
        loop.exec()
        return answers[0]

    def until(self, code: str) -> None:
        """Wait for the page."""
        end = time.monotonic() + LIMIT_S
        while not self.js(code):
            if time.monotonic() > end:
                raise TimeoutError(code)

    def begin(self) -> Message:
        """Start an answer in an empty conversation."""
        self.open()
        self.until("!!document.querySelector('.welcome')")
        shown = message("a", Speaker.MODEL, "", MessageStatus.STREAMING)
        self.apply(TurnStarted(message("q", Speaker.USER, "How?"), shown))
        self.until("!!document.querySelector('.streaming')")
        return shown

    def feed(self, deltas: Sequence[str], interval_ms: int) -> list[float]:
        """Apply a delta per tick; return the GUI thread's own milliseconds between the ticks."""
        return self.tick([partial(self.apply, TextDelta(delta)) for delta in deltas], interval_ms)

    def tick(self, actions: Sequence[Callable[[], object]], interval_ms: int) -> list[float]:
        """Do something per tick; return the GUI thread's own milliseconds between the ticks."""
        loop, timer, rest, marks = QEventLoop(), QTimer(), iter(actions), [time.thread_time()]
        timer.setTimerType(Qt.TimerType.PreciseTimer)

        def tick() -> None:
            marks.append(time.thread_time())
            action = next(rest, None)
            if action is None:
                timer.stop()
                loop.quit()
            else:
                action()

        timer.timeout.connect(tick)
        timer.start(interval_ms)
        loop.exec()
        return [(after - before) * 1000 for before, after in pairwise(marks[1:])]


def message(
    name: str, speaker: Speaker, text: str, status: MessageStatus = MessageStatus.COMPLETE
) -> Message:
    """Return a message of the one conversation."""
    return Message(name, "c", speaker, text, NOW, status=status)


def measure_stream(bench: Bench) -> None:
    """Measure a stream of 60 deltas a second."""
    text = answer(20_000)
    bench.begin()
    bench.js(
        "window.tasks = []; new PerformanceObserver(list => list.getEntries().forEach(e => tasks.push(e.duration)))"
        ".observe({type: 'longtask'}); 0"
    )
    deltas = [text[at : at + DELTA_CHARS] for at in range(0, len(text), DELTA_CHARS)]
    found = {"the whole way": bench.feed(deltas, TICK_MS)}
    tasks = bench.js("JSON.stringify(tasks)")
    frames = frames_of(text)
    nothing: list[Callable[[], object]] = [list] * len(deltas)
    bench.begin()
    bench.js(PLAY.format(frames=",".join(f"() => {write_script(frame)}" for frame in frames)))
    found["frames that the page draws by itself"] = bench.tick(nothing, TICK_MS)
    bench.begin()
    send = [partial(bench.page.web_page.runJavaScript, write_script(frame)) for frame in frames]
    alternating = [action for each in send for action in (each, list)]
    found["frames that this thread sends ready-made"] = bench.tick(alternating, TICK_MS)
    bench.begin()
    bench.page.hide()
    found["the whole way, the page hidden"] = bench.feed(deltas, TICK_MS)
    bench.page.show()
    for what, spent in found.items():
        print(
            f"GUI thread per delta, {what}: median {statistics.median(spent):.2f} ms, p95 {_p95(spent):.2f} ms"
        )
    print(f"tasks of the page over 50 ms while {len(text)} characters streamed: {tasks}")


def frames_of(text: str) -> list[list[Operation]]:
    """Return the operations of each frame of an answer, with two deltas a frame."""
    shown = Transcript().after(
        TurnStarted(message("q", Speaker.USER, "How?"), message("a", Speaker.MODEL, ""))
    )
    model = PageModel(labels_of("en"))
    model.show(shown)
    frames = []
    for at in range(0, len(text), 2 * DELTA_CHARS):
        shown = shown.after(TextDelta(text[at : at + 2 * DELTA_CHARS]))
        frames.append(model.apply((), shown))
    return frames


def measure_opening(bench: Bench) -> None:
    """Measure how long conversations take to appear, and to be there as a whole."""
    text = answer(2_000)
    found: dict[int, list[tuple[float, float]]] = {20: [], 2_000: []}
    for _ in range(3):
        for count, times in found.items():
            bench.open()
            bench.until("!!document.querySelector('.welcome')")
            speakers = (Speaker.USER, Speaker.MODEL)
            messages = [message(f"{count}-{index}", speakers[index % 2], text) for index in range(count)]
            start = time.perf_counter()
            bench.open(messages)
            bench.until(f"!!document.getElementById('message-{messages[-1].id}')")
            seen = time.perf_counter() - start
            bench.until(f"document.querySelectorAll('.message').length === {count}")
            times.append((seen, time.perf_counter() - start))
    for count, times in found.items():
        seen, whole = (statistics.median(part) for part in zip(*times, strict=True))
        print(
            f"{count} messages: end shown after {seen * 1000:.0f} ms, all there after {whole * 1000:.0f} ms"
        )


def measure_scrolling(bench: Bench) -> None:
    """Measure the time between frames while what was opened last is scrolled."""
    bench.js(
        "window.frames_ms = []; (() => { let last = performance.now(), left = 300; const step = now => {"
        " frames_ms.push(now - last); last = now; document.scrollingElement.scrollTop -= 120;"
        " if (left--) requestAnimationFrame(step) }; requestAnimationFrame(step) })(); 0"
    )
    bench.until("frames_ms.length > 300")
    frames = [float(part) for part in bench.js("frames_ms.slice(1).join(' ')").split()]
    print(f"frames while scrolling: median {statistics.median(frames):.1f} ms, p95 {_p95(frames):.1f} ms")


def measure_hostile(bench: Bench, name: str, text: str) -> None:
    """Measure how long the window is deaf while hostile text streams in."""
    shown = bench.begin()
    step = max(2_000, len(text) // 200)
    gaps: list[float] = []
    watch, last = QTimer(), [time.perf_counter()]
    watch.setTimerType(Qt.TimerType.PreciseTimer)

    def look() -> None:
        now = time.perf_counter()
        gaps.append((now - last[0]) * 1000)
        last[0] = now

    watch.timeout.connect(look)
    watch.start(WATCH_MS)
    start = time.perf_counter()
    bench.feed([text[at : at + step] for at in range(0, len(text), step)], TICK_MS)
    bench.apply(TurnFinished(message(shown.id, Speaker.MODEL, text)))
    bench.until("!document.querySelector('.streaming')")
    watch.stop()
    print(
        f"{name}: {time.perf_counter() - start:.1f} s, window deaf for {max(gaps):.0f} ms at most", flush=True
    )


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def main() -> None:
    """Measure everything, one after the other."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    _application = QApplication([])
    loop = BackgroundLoop(print)
    loop.start()
    page = TranscriptView(loop)
    page.resize(1000, 800)
    page.show()
    bench = Bench(page)
    waiting = QEventLoop()
    page.ready.connect(waiting.quit)
    waiting.exec()
    measurements: list[Callable[[Bench], None]] = [measure_stream, measure_opening, measure_scrolling]
    measurements += [partial(measure_hostile, name=name, text=text) for name, text in HOSTILE.items()]
    if "--only-stream" in sys.argv:
        measurements = [measure_stream]
    try:
        for measure in measurements:
            measure(bench)
    finally:
        page.hide()
        page.deleteLater()
        QCoreApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)
        loop.stop()


if __name__ == "__main__":
    main()
