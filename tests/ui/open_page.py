"""Shows the page that comes in on stdin, without any wall, until it is titled `done`; prints how often it was hit."""

import sys

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile
from PySide6.QtWidgets import QApplication

LIMIT_MS = 60_000


def main() -> None:
    """Run until the page is done."""
    application = QApplication([])
    profile = QWebEngineProfile()
    page = QWebEnginePage(profile, profile)
    page.titleChanged.connect(
        lambda title: page.runJavaScript("hits.length", report) if title == "done" else None
    )
    page.setHtml(sys.stdin.read(), QUrl("http://localhost/"))
    QTimer.singleShot(LIMIT_MS, application.quit)

    def report(hits: float) -> None:
        print(int(hits))
        application.quit()

    application.exec()


if __name__ == "__main__":
    main()
