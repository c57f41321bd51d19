"""A real window on a small web, for tests and screenshots: waits for what it wants to see, never sleeps."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import shiboken6
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.app import Launcher
from desktop.app.application import Application
from desktop.settings.folders import AppFolders
from tests.e2e.site import Site

LIMIT_MS = 200_000


def configure(data: Path, site: Site, **sections: dict) -> None:
    """Write settings that keep everything on loopback."""
    host = site.origin.partition("//")[2]
    search = {
        "engine_order": ["duckduckgo"],
        "engine_addresses": [["duckduckgo", site.origin], ["tavily", site.origin]],
        "allowed_hosts": [host],
    }
    settings = {"search": search, "was_welcomed": True}
    for name, values in sections.items():
        settings[name] = settings.get(name, {}) | values if isinstance(values, dict) else values
    data.mkdir(parents=True, exist_ok=True)
    (data / "settings.json").write_text(json.dumps(settings))


def wait_for(condition: Callable[[], object], what: str) -> None:
    """Let the event loop run until `condition` has held once: a page that is written anew takes back what it showed."""
    loop, watch, limit = QEventLoop(), QTimer(), QTimer()
    is_met = is_looking = False

    def look() -> None:
        nonlocal is_met, is_looking
        if is_met or is_looking:  # to look may take a loop of its own, in which this is called as well
            return
        is_looking = True
        try:
            is_met = bool(condition())
        finally:
            is_looking = False
        if is_met:
            loop.quit()

    watch.timeout.connect(look)
    limit.setSingleShot(True)
    limit.timeout.connect(loop.quit)
    watch.start(15)
    limit.start(LIMIT_MS)
    try:
        look()
        while not is_met and limit.isActive():
            loop.exec()  # a window that is closed, the last for now, ends all loops of Qt: that is not waited for
    finally:  # whoever keeps the traceback of a failure keeps the timers
        watch.stop()
        limit.stop()
    assert is_met, f"never seen: {what}"


class Driver:
    """What a person does at the window, and what they see there."""

    def __init__(self, program: Application) -> None:
        self.program = program
        self.window = program.window
        self.frame = program.frame
        self.wait_for = wait_for

    def script(self, code: str) -> object:
        """Return what a JavaScript expression gives on the page."""
        results: list[object] = []
        self.window.transcripts.page.web_page.runJavaScript(f"JSON.stringify({code})", 0, results.append)
        self.wait_for(lambda: results, f"result of {code}")
        return json.loads(results[0]) if isinstance(results[0], str) and results[0] else None

    def wait_for_page(self, expression: str) -> object:
        """Wait until an expression on the page is true and return it."""
        seen: list[object] = []

        def look() -> bool:
            seen[:] = [self.script(expression)]
            return bool(seen[0])

        self.wait_for(look, expression)
        return seen[0]

    def type_question(self, text: str) -> None:
        """Type into the composer and send."""
        composer = self.window.composer
        composer.text.setFocus()
        composer.text.insertPlainText(text)
        QTest.keyClick(composer.text, Qt.Key.Key_Return)

    def ask(self, text: str) -> None:
        """Send a question and wait until its answer is complete."""
        self.type_question(text)
        self.wait_for(lambda: self.window.sessions.is_running, "the turn has begun")
        self.wait_for(lambda: not self.window.sessions.is_running, "the turn has ended")


@contextmanager
def running_window(application: QApplication, data: Path) -> Iterator[Driver]:
    """Open the program on `data` until the block ends."""
    start = Launcher(application, AppFolders(data, data / "cache", data / "logs"))
    try:
        wait_for(lambda: start.program is not None, "the program")
        assert start.program is not None
        driver = Driver(start.program)
        wait_for(lambda: driver.window.transcripts.page is not None, "the page")
        yield driver
    finally:
        start.frame.close()
        start.close()
        shiboken6.delete(start.frame)  # its page must not outlive the loop that writes for it
