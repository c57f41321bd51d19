"""From starting the interpreter to a window, and what it weighs: Footnote beside bare Qt, in one run. Linux only.

    python -m benchmarks.startup [ROUNDS] [--conversations 10000] [--bases 50]

Each is started in turn in a fresh process; the first round warms the disk cache, compiles the modules, as those of
an installed program are, and does not count. Painted: the first frame, beside a bare QMainWindow. Ready: the page
of the conversation is loaded with its first content in it, beside a bare QWebEngineView that has loaded an empty page.
Linked: what draws the page has drawn it again and answers it. Whole:
everything else is in the window as well, and it begins to read the disk. All are from the start of the interpreter.
Spent: the processor time of the process itself until it was ready, which says more where a machine is busy; drawing and
linking are in it for all threads.
Memory is the PSS of the process and all its children some seconds after that. With `--conversations` the data
folder holds so many, of four messages each, all in the index of the search; with `--bases` so many knowledge bases of one note each. Also lists the heavy packages
that were imported before the paint.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.domain.knowledge import ItemState
from desktop.domain.messages import Message, Speaker
from desktop.services.container import ServiceContainer
from desktop.settings.folders import folders_for

REST_S = 6.0
MESSAGES = 4

HEAVY = (
    "torch",
    "sentence_transformers",
    "chromadb",
    "playwright",
    "openai",
    "anthropic",
    "httpx",
    "trafilatura",
    "rjieba",
    "pygments",
    "markdown_it",
    "PySide6.QtWebEngineCore",
)

_REPORT = """
import json, os, sys, time
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

class PaintWatch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow):
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.report)
        return False

    def report(self):
        heavy = [name for name in HEAVY if name in sys.modules]
        print(json.dumps({"painted": time.time(), "heavy": heavy}), flush=True)

def report_ready(*_):
    if not is_ready:
        is_ready.append(True)
        print(json.dumps({"ready": time.time(), "spent": time.process_time()}), flush=True)
        QTimer.singleShot(int(REST_S * 1000), report_memory)

def report_linked():
    print(json.dumps({"linked": time.time(), "spent_linked": time.process_time(), "modules": len(sys.modules)}), flush=True)

def report_whole():
    print(json.dumps({"whole": time.time()}), flush=True)

def report_memory():
    from benchmarks.memory import megabytes
    print(json.dumps({"megabytes": megabytes(os.getpid())}), flush=True)
    application.quit()

is_ready = []
"""

_BARE_WINDOW = """
application = QApplication([])
window = QMainWindow()
watch = PaintWatch()
window.installEventFilter(watch)
window.resize(1100, 720)
window.show()
QTimer.singleShot(0, report_ready)
application.exec()
"""

_BARE_VIEW = """
from PySide6.QtWebEngineWidgets import QWebEngineView
QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
application = QApplication([])
window = QMainWindow()
watch = PaintWatch()
window.installEventFilter(watch)
view = QWebEngineView(window)
view.loadFinished.connect(report_ready)
view.setHtml("<!doctype html><title>bare</title><p>bare")
window.setCentralWidget(view)
window.resize(1100, 720)
window.show()
application.exec()
del view, window
"""

_FOOTNOTE = """
from pathlib import Path
from desktop.app import Launcher, make_application
from desktop.settings.folders import folders_for
application = make_application()
start = Launcher(application, folders_for(Path(DATA)))
watch = PaintWatch()
start.frame.installEventFilter(watch)
look = QTimer()
def find():
    # Nothing may be imported for the sake of looking at it.
    kind = getattr(sys.modules.get("desktop.ui.transcript.transcript_view"), "TranscriptView", None)
    page = kind and start.frame.findChild(kind)
    bare = start._bare
    if bare and bare.has_start and bare not in seen:
        seen.append(bare)
        report_ready() if bare.is_loaded else bare.loaded.connect(report_ready)
    if page and page not in seen:
        seen.append(page)
        report_linked() if page.is_drawn else page.ready.connect(report_linked)
        report_ready() if page.is_drawn else page.ready.connect(report_ready)
    if start.program:
        look.stop()
        window = start.program.window
        report_whole() if window.has_begun else window.began.connect(report_whole)
seen = []
look.timeout.connect(find)
look.start(1)
application.exec()
start.close()
"""


def measured(body: str, data: str, compiled: str) -> dict[str, float | list[str]]:
    """Start a fresh process; return milliseconds to its paint and readiness, megabytes, and what it had imported."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    code = f"HEAVY = {HEAVY!r}\nDATA = {data!r}\nREST_S = {REST_S!r}\n{_REPORT}\n{body}"
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    found: dict = {}
    for line in done.stdout.splitlines():
        found |= json.loads(line) if line.startswith("{") else {}
    if "megabytes" not in found:
        raise RuntimeError(done.stderr)
    return {
        # A view that fills its window leaves nothing of the window to be painted.
        "painted": (found.get("painted", found["ready"]) - began) * 1000,
        "ready": (found["ready"] - began) * 1000,
        "spent": found["spent"] * 1000,
        "linked": (found.get("linked", found["ready"]) - began) * 1000,
        "spent_linked": found.get("spent_linked", found["spent"]) * 1000,
        "whole": (found.get("whole", found["ready"]) - began) * 1000,
        "megabytes": found["megabytes"],
        "heavy": found.get("heavy", []),
    }


async def _fill(folder: Path, count: int, bases: int) -> None:
    services = ServiceContainer(folders_for(folder))
    store = services.store
    now = datetime(2026, 1, 2, tzinfo=UTC)
    try:
        for number in range(count):
            conversation = (await store.create()).id
            for place in range(MESSAGES):
                speaker = Speaker.MODEL if place % 2 else Speaker.USER
                text = (
                    f"Number {number}: how do heat pumps keep working in the cold? 热泵在零下的天气里照样工作。"
                    * 3
                )
                at = now + timedelta(minutes=number, seconds=place)
                await store.add_message(Message(f"{conversation}-{place}", conversation, speaker, text, at))
        for number in range(bases):
            base = await services.knowledge.create(f"Base {number}")
            async with aclosing(
                services.knowledge.put_note(base.id, f"Note {number}", "Heat pumps work.")
            ) as steps:
                async for step in steps:
                    if step.item.state is ItemState.READY:  # a base at rest: nothing is left to be embedded
                        break
        async with aclosing(services.history.keep_up()) as shares:
            async for share in shares:
                if share >= 1:
                    break
    finally:
        await services.aclose()


def main() -> None:
    """Print medians, spread and ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", nargs="?", type=int, default=10)
    parser.add_argument("--conversations", type=int, default=0)
    parser.add_argument("--bases", type=int, default=0)
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    bodies = {"bare QMainWindow": _BARE_WINDOW, "bare QWebEngineView": _BARE_VIEW, "Footnote": _FOOTNOTE}
    runs: dict[str, list[dict]] = {name: [] for name in bodies}
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as compiled:
        asyncio.run(_fill(Path(data), arguments.conversations, arguments.bases))
        for _ in range(arguments.rounds + 1):
            for name, body in bodies.items():
                runs[name].append(measured(body, data, compiled))
    medians = {}
    for name, each in runs.items():
        for what in ("painted", "ready", "spent", "linked", "spent_linked", "whole", "megabytes"):
            figures = [run[what] for run in each[1:]]
            medians[name, what] = statistics.median(figures)
            spread = f"{min(figures):.0f} to {max(figures):.0f}"
            print(f"{name:20} {what:10} median {medians[name, what]:6.0f}   {spread}")
    for what, beside in (
        ("painted", "bare QMainWindow"),
        ("ready", "bare QWebEngineView"),
        ("spent", "bare QWebEngineView"),
        ("linked", "bare QWebEngineView"),
        ("spent_linked", "bare QWebEngineView"),
        ("megabytes", "bare QWebEngineView"),
    ):
        print(f"{what} beside a {beside}: {medians['Footnote', what] / medians[beside, what]:.2f}")
    print(f"heavy imports before the paint: {', '.join(runs['Footnote'][-1]['heavy']) or 'none'}")


if __name__ == "__main__":
    main()
