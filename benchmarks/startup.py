"""Time from starting the interpreter to a painted window: Footnote beside a bare QMainWindow, in one run.

    python benchmarks/startup.py [ROUNDS]

The two are started in turn, each in a fresh process with an empty data folder; the first round warms
the disk cache and does not count. Also lists the heavy packages that were imported before the paint.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

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

_REPORT_PAINT = """
import json, sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
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
        application.quit()
"""

_BARE = """
application = QApplication([])
window = QMainWindow()
watch = PaintWatch()
window.installEventFilter(watch)
window.resize(1100, 720)
window.show()
application.exec()
"""

_FOOTNOTE = """
from pathlib import Path
from desktop.app import Start, make_application
from desktop.settings.folders import folders_for
application = make_application()
start = Start(application, folders_for(Path(DATA)))
watch = PaintWatch()
start.frame.installEventFilter(watch)
application.exec()
start.close()
"""


def milliseconds_to_paint(body: str) -> tuple[float, list[str]]:
    """Start a fresh process and return the time to its first paint, and what it had imported by then."""
    with tempfile.TemporaryDirectory() as data:
        code = f"HEAVY = {HEAVY!r}\nDATA = {data!r}\n{_REPORT_PAINT}\n{body}"
        began = time.time()
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
    report = json.loads(done.stdout.splitlines()[0])
    return (report["painted"] - began) * 1000, report["heavy"]


def main() -> None:
    """Print medians, spread and ratio."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    bare, ours = [], []
    heavy: list[str] = []
    for _ in range(rounds + 1):
        bare.append(milliseconds_to_paint(_BARE)[0])
        time_ms, heavy = milliseconds_to_paint(_FOOTNOTE)
        ours.append(time_ms)
    del bare[0], ours[0]
    for name, times in (("bare QMainWindow", bare), ("Footnote", ours)):
        print(
            f"{name:18} median {statistics.median(times):6.0f} ms   {min(times):.0f} to {max(times):.0f} ms"
        )
    print(f"ratio of medians   {statistics.median(ours) / statistics.median(bare):.2f}")
    print(f"heavy imports before the paint: {', '.join(heavy) or 'none'}")


if __name__ == "__main__":
    main()
