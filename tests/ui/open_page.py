"""Shows a page in another process, without any of our walls: what can run there does, what can leave does.

Run as a program it shows what comes in on stdin and prints how often something ran.
"""

import os
import subprocess
import sys

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineScript
from PySide6.QtWidgets import QApplication

LIMIT_MS = 60_000
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
    page.setHtml(sys.stdin.buffer.read().decode(), QUrl("http://localhost/"))
    application.exec()


if __name__ == "__main__":
    main()
