"""Shows a page in another process, without any of our walls: what can run there does, what can leave does.

Run as a program it shows what comes in on stdin and prints how often something ran.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineScript
from PySide6.QtWidgets import QApplication

LIMIT_MS = 60_000
MOST_BYTES = 500_000
"""Of a page that is set as a whole: Chromium takes 2 MB, percent-encoded. Longer ones are opened as a file."""
HITS = """
window.hits = [];
window.hit = () => hits.push("hit");
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => hits.push(name);
"""


def count_hits_elsewhere(html: str, flags: str = "") -> int:
    """Return how often something ran in a page, opened with these flags for Chromium."""
    run = subprocess.run(
        [sys.executable, __file__],
        input=html.encode(errors="replace"),
        capture_output=True,
        env=os.environ | {"QTWEBENGINE_CHROMIUM_FLAGS": flags},
        timeout=100,
        check=True,
    )
    return int(run.stdout)


def main() -> None:
    """Show the page until all that it asked for has come or failed."""
    application = QApplication([])
    profile = QWebEngineProfile()
    script = QWebEngineScript()
    script.setSourceCode(HITS)
    script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
    script.setWorldId(QWebEngineScript.ScriptWorldId.MainWorld)
    profile.scripts().insert(script)
    page = QWebEnginePage(profile, profile)

    def report(hits: float) -> None:
        print(int(hits))
        application.quit()

    page.loadFinished.connect(lambda _: page.runJavaScript("hits.length", report))
    QTimer.singleShot(LIMIT_MS, application.quit)
    shown = sys.stdin.buffer.read()
    with tempfile.TemporaryDirectory() as folder:
        if len(shown) < MOST_BYTES:
            page.setHtml(shown.decode(), QUrl("http://localhost/"))
        else:
            place = Path(folder, "page.html")
            place.write_bytes(b'<meta charset="utf-8">' + shown)
            page.load(QUrl.fromLocalFile(str(place)))
        application.exec()


if __name__ == "__main__":
    main()
