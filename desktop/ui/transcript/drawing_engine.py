"""Draws the code of answers in a hidden web page: Mermaid, SVG and HTML become SVG, and SVG becomes PNG.

The page has a process of its own, without network, bridge or content of the conversation. It is created at the first job, ended
when there is none for a while, and killed when a job takes too long or is stopped.
"""

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, QUrl, Slot
from PySide6.QtWebEngineCore import QWebEnginePage

from desktop.ui.transcript.asset_scheme import DRAWING_PAGE
from desktop.ui.transcript.web_page import LockedDownWebPage, PrivateProfile

LIMIT_MS: Final = 20_000
"""A job that takes longer is stopped."""

IDLE_MS: Final = 30_000
"""The page is closed when there was nothing to draw for so long."""

MOST_CHARS: Final = 200_000
"""Longer code is not drawn."""

_MOST_RESULT_CHARS = 40_000_000

Result = Mapping[str, Any]
"""As `resources/page/draw.js` returns it: `problem`, or what was drawn."""


@dataclass(frozen=True)
class DrawingJob:
    """Something to draw, and the receiver of its result; without a result, it was stopped or the page ended."""

    order: Mapping[str, Any]
    then: Callable[[Result | None], object]


class DrawingEngine(QObject):
    """Does one job after the other."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: deque[DrawingJob] = deque()
        self._current: DrawingJob | None = None
        self._page: _HiddenPage | None = None
        self._number = 0
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.timeout.connect(self._on_limit)
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(IDLE_MS)
        self._idle.timeout.connect(self._close)

    @property
    def is_running(self) -> bool:
        """Whether the hidden page exists."""
        return self._page is not None

    def add(self, job: DrawingJob) -> None:
        """Do a job when those before it are done."""
        self._waiting.append(job)
        self._next()

    def stop(self, job: DrawingJob) -> None:
        """Stop a job; its receiver gets no result."""
        if job is self._current:
            self._end_page()
            self._finish(None)
        elif job in self._waiting:
            self._waiting.remove(job)
            job.then(None)

    def _next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        self._idle.stop()
        self._current = self._waiting.popleft()
        self._number += 1
        if self._page is None:
            self._page = _HiddenPage(self)
            self._page.loaded.connect(self._begin)
            self._page.told.connect(self._on_told)
            self._page.ended.connect(self._on_ended)
            self._page.load()
        elif self._page.is_loaded:
            self._begin()
        self._limit.start(LIMIT_MS)

    @Slot()
    def _begin(self) -> None:
        if self._current is not None and self._page is not None:
            order = {**self._current.order, "id": self._number}
            self._page.run(f"drawing.begin({json.dumps(order)}); 0")

    @Slot(str)
    def _on_told(self, title: str) -> None:
        if self._page is not None and title == str(self._number):
            self._page.ask("drawing.take()", partial(self._on_result, self._number))

    def _on_result(self, number: int, answer: object) -> None:
        """Take the result of a job; that of a page that has ended meanwhile is not the next job's."""
        if self._current is not None and number == self._number:
            self._finish(_parse_result(answer))

    @Slot()
    def _on_limit(self) -> None:
        self._end_page()
        self._finish({"problem": self.tr("It took more than %n second(s).", None, LIMIT_MS // 1000)})

    @Slot()
    def _on_ended(self) -> None:
        self._end_page()
        if self._current is not None:
            self._finish({"problem": self.tr("It needs too much memory.")})

    def _finish(self, result: Result | None) -> None:
        job, self._current = self._current, None
        self._limit.stop()
        self._idle.start()
        if job is not None:
            job.then(result)
        self._next()

    @Slot()
    def _close(self) -> None:
        self._end_page()

    def _end_page(self) -> None:
        page, self._page = self._page, None
        if page is not None:
            page.end()


class _HiddenPage(QObject):
    """A page and its profile, with the signals that the engine needs."""

    def __init__(self, parent: DrawingEngine) -> None:
        super().__init__(parent)
        holder = QObject(self)  # children are deleted in order of creation, and the page must go first
        self._profile = PrivateProfile(self)
        self._page = LockedDownWebPage(self._profile, holder, DRAWING_PAGE)
        self._page.setVisible(True)  # the timers of a hidden page are slow
        self.is_loaded = False
        self.loaded = self._page.loadFinished
        self.told = self._page.titleChanged
        self.ended = self._page.renderProcessTerminated
        self._page.loadFinished.connect(self._on_loaded)

    def load(self) -> None:
        """Load the document."""
        self._page.load(QUrl(DRAWING_PAGE))

    def run(self, script: str) -> None:
        """Run a script."""
        self._page.runJavaScript(script)

    def ask(self, script: str, then: Callable[[object], object]) -> None:
        """Run a script and pass its value on."""
        self._page.runJavaScript(script, then)

    def end(self) -> None:
        """Kill the process, which may be busy for ever, and delete the page."""
        pid = self._page.renderProcessPid()
        for told in (self._page.titleChanged, self._page.renderProcessTerminated, self._page.loadFinished):
            told.disconnect()
        if pid > 0:
            with suppress(ProcessLookupError, PermissionError):  # it has ended by itself
                os.kill(pid, signal.SIGTERM)
        self._page.triggerAction(QWebEnginePage.WebAction.Stop)
        self.deleteLater()

    @Slot(bool)
    def _on_loaded(self, is_there: bool) -> None:
        self.is_loaded = is_there


def _parse_result(answer: object) -> Result:
    """Return what the page told, as far as it is of the expected form."""
    if not isinstance(answer, str) or len(answer) > _MOST_RESULT_CHARS:
        return {"problem": ""}
    told = json.loads(answer)
    return told if isinstance(told, dict) else {"problem": ""}
