"""A long conversation beside a short one, in the real window: opening, scrolling, searching; and a huge answer.

    QT_QPA_PLATFORM=offscreen python benchmarks/conversation.py [--rounds N] [--messages N]

Conversations of 20 and of 2,000 messages of 2 KB lie in a fresh data folder and are opened in turn, as
a click in the sidebar opens them: from the disk to the newest message in the page's layout. Frames are
those of the web engine while the page is scrolled; where it renders in software, the short conversation
shows what a frame costs at least. As root the web engine runs without its sandbox.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer

from desktop.app import Launcher, make_application
from desktop.domain.events import TextDelta, TurnEvent, TurnFinished, TurnStarted
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.transcript import NOTHING_SHOWN
from desktop.services.container import ServiceContainer
from desktop.settings.folders import folders_for

SHORT = 20
CHARS = 2_000
FRAMES = 300
STEP_PX = 120
HUGE_CHARS = 5_000_000
LIMIT_S = 60
WATCH_MS = 2

NOW = datetime(2026, 1, 2, tzinfo=UTC)
QUESTION = "What does the institute say about heat pumps in the cold, and what follows for our house? "
ANSWER = """Heat pumps keep working at **minus fifteen degrees**, says the institute; their
coefficient of performance falls from about 4 to about 2, see [the report](https://example.org/report).

- The refrigerant boils at −40 °C, the compressor `raises` its pressure.
- 热泵在零下的天气里照样工作,费用由房东承担。

> A quote of *two* lines,
> which is the second one.

"""


class Window:
    """The program, driven from its own event loop."""

    def __init__(self, start: Launcher) -> None:
        assert start.program is not None
        self.workspace = start.program.window
        self.loop = start.program.loop
        self.store = start.program.services.store
        _wait(lambda: self.workspace.transcripts.page is not None)
        assert self.workspace.transcripts.page is not None
        self.page = self.workspace.transcripts.page
        self._shown = NOTHING_SHOWN
        self.until("typeof footnote === 'object' && !!document.querySelector('.welcome')")

    def js(self, code: str) -> Any:
        """Return what a script gives."""
        answers: list[Any] = []
        inner = QEventLoop()

        def take(value: object) -> None:
            answers.append(value)
            inner.quit()

        self.page.web_page.runJavaScript(code, take)
        inner.exec()
        return answers[0]

    def until(self, code: str) -> None:
        """Wait for the page."""
        _wait(lambda: bool(self.js(code)))

    def add_conversation(self, count: int) -> list[str]:
        """Put a conversation on disk; return its id and that of its last message."""
        conversation = self.loop.call(self.store.create())
        self.loop.call(self._add(conversation.id, count))
        return [conversation.id, f"{conversation.id}-{count - 1}"]

    async def _add(self, conversation_id: str, count: int) -> None:
        for number in range(count):
            is_question = number % 2 == 0
            text = (QUESTION if is_question else ANSWER) * (CHARS // 100)
            speaker = Speaker.USER if is_question else Speaker.MODEL
            said = Message(f"{conversation_id}-{number}", conversation_id, speaker, text[:CHARS], NOW)
            await self.store.add_message(replace(said, created_at=NOW + timedelta(seconds=number)))

    def open(self, conversation: list[str]) -> float:
        """Open a conversation as a click does; return the seconds until its end is laid out."""
        self.workspace.start_new()
        self.until("!!document.querySelector('.welcome')")
        _wait(lambda: self.page.is_whole)
        began = time.perf_counter()
        self.workspace.sessions.open(conversation[0])
        last = f"document.getElementById('message-{conversation[1]}')"
        self.until(f"{last} && {last}.getBoundingClientRect().bottom <= innerHeight")
        return time.perf_counter() - began

    def scroll(self) -> list[float]:
        """Scroll up from the end; return the milliseconds of each frame."""
        self.js(
            "window.frames_ms = []; (() => { let last = performance.now();"
            f" const step = now => {{ frames_ms.push(now - last); last = now; scrollBy(0, -{STEP_PX});"
            f" if (frames_ms.length <= {FRAMES}) requestAnimationFrame(step) }};"
            " requestAnimationFrame(step) })(); 0"
        )
        self.until(f"frames_ms.length > {FRAMES}")
        return [float(part) for part in self.js("frames_ms.slice(1).join(' ')").split()]

    def search(self, words: str) -> tuple[float, float]:
        """Search; return the seconds until something was found and until all was."""
        first: list[float] = []
        done: list[float] = []
        began = time.perf_counter()

        def note(found: Any) -> None:
            if found.needle == words:
                (done if found.is_complete else first).append(time.perf_counter() - began)

        self.page.found.connect(note)
        self.page.search(words)
        _wait(lambda: bool(done))
        self.page.found.disconnect(note)
        self.page.search("")
        return min(first + done), done[-1]

    def _apply(self, event: TurnEvent) -> None:
        self._shown = self._shown.after(event)
        self.page.apply(event, self._shown)

    def stop_huge_answer(self) -> tuple[float, float, float]:
        """Let an answer come as fast as the page takes it and stop it.

        Returns the seconds until the stop was seen, the longest time in which the window was deaf and
        the longest task of the page, in milliseconds.
        """
        self.workspace.start_new()
        self.until("!!document.querySelector('.welcome')")
        self.js(
            "window.tasks = [0]; new PerformanceObserver(list => list.getEntries()"
            ".forEach(e => tasks.push(e.duration))).observe({type: 'longtask'}); 0"
        )
        text = ANSWER * (HUGE_CHARS // len(ANSWER))
        running = Message("a", "c", Speaker.MODEL, "", NOW, MessageStatus.STREAMING)
        self._apply(TurnStarted(Message("q", "c", Speaker.USER, "How?", NOW), running))
        is_behind: list[bool] = [False]
        self.page.behind_changed.connect(is_behind.append)
        gaps = _Gaps()
        said = 0
        end = time.perf_counter() + 3
        while time.perf_counter() < end and said < len(text):
            if not is_behind[-1]:
                self._apply(TextDelta(text[said : said + 1000]))
                said += 1000
            _pause(0)
        began = time.perf_counter()
        self._apply(TurnFinished(replace(running, text=text[:said], status=MessageStatus.STOPPED)))
        self.until("!!document.querySelector('.notice.stopped')")
        seen = time.perf_counter() - began
        self.page.behind_changed.disconnect(is_behind.append)
        print(f"  ({said / 1e6:.1f} million characters were taken in 3 s)")
        return seen, gaps.stop(), float(self.js("Math.max(...tasks)"))


class _Gaps:
    """How long the event loop did not come round."""

    def __init__(self) -> None:
        self._timer = QTimer()
        self._last = time.perf_counter()
        self._longest = 0.0
        self._timer.timeout.connect(self._look)
        self._timer.start(WATCH_MS)

    def _look(self) -> None:
        now = time.perf_counter()
        self._longest = max(self._longest, (now - self._last) * 1000)
        self._last = now

    def stop(self) -> float:
        """Return the longest gap in milliseconds."""
        self._timer.stop()
        return self._longest


def _wait(is_there: Any) -> None:
    end = time.monotonic() + LIMIT_S
    while not is_there():
        if time.monotonic() > end:
            raise TimeoutError
        _pause(1)


def _pause(milliseconds: int) -> None:
    inner = QEventLoop()
    QTimer.singleShot(milliseconds, inner.quit)
    inner.exec()


def _p95(values: Iterable[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def _report(window: Window, rounds: int, messages: int) -> None:
    counts = (SHORT, messages)
    conversations = {count: window.add_conversation(count) for count in counts}
    opening: dict[int, list[float]] = {count: [] for count in counts}
    frames: dict[int, list[float]] = {count: [] for count in counts}
    for number in range(rounds + 1):
        for count in counts:
            seconds = window.open(conversations[count])
            scrolled = window.scroll()
            if number:  # the first round warms up
                opening[count].append(seconds)
                frames[count] += scrolled
    for count in counts:
        print(
            f"{count:5} messages: opened in {statistics.median(opening[count]) * 1000:.0f} ms; frames while"
            f" scrolling: median {statistics.median(frames[count]):.1f} ms, p95 {_p95(frames[count]):.1f} ms"
        )
    ratio = statistics.median(opening[messages]) / statistics.median(opening[SHORT])
    print(
        f"opening: {ratio:.2f} times; p95 of frames: {_p95(frames[messages]) / _p95(frames[SHORT]):.2f} times"
    )
    for words in ("minus fifteen", "热泵", "nowhere to be found"):
        first, whole = window.search(words)
        print(f"search for “{words}”: first after {first * 1000:.0f} ms, all after {whole * 1000:.0f} ms")
    seen, deaf, task = window.stop_huge_answer()
    print(f"stop of a huge answer: seen after {seen * 1000:.0f} ms; window deaf for {deaf:.0f} ms at most,")
    print(f"  longest task of the page {task:.0f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folders = folders_for(Path(folder))
        folders.create()
        _skip_welcome(ServiceContainer(folders))
        application = make_application()
        start = Launcher(application, folders)
        _wait(lambda: start.program is not None)
        _report(Window(start), options.rounds, options.messages)
        start.close()
        start.frame.close()


def _skip_welcome(services: ServiceContainer) -> None:
    settings = services.preferences.settings
    asyncio.run(services.preferences.save(replace(settings, was_welcomed=True)))


if __name__ == "__main__":
    main()
