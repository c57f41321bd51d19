"""The drawings of answers (Mermaid, SVG, HTML): found in their code, drawn in a hidden page, shown, copied and saved."""

import asyncio
import base64
import hashlib
import json
import os
import signal
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QMimeData, QObject, QPoint, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QGuiApplication, QImage, QPalette
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineUrlRequestJob
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.render.message import DrawingCode, drawing_codes
from desktop.ui.transcript.asset_scheme import DRAWING_PAGE, SCHEME, Asset, AssetHandler, reply
from desktop.ui.transcript.web_page import LockedDownWebPage, PrivateProfile
from desktop.ui.widgets.colors import DARK, LIGHT, is_dark, tint
from desktop.ui.widgets.layout import new_menu

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


HOST: Final = "drawings"
"""Host of the addresses of drawings; the path is the digest of code and colours."""

_WHITE: Final = "#ffffff"
"""What SVG and HTML stand on, in each theme."""

MOST_KEPT: Final = 60
_MOST_SVG_CHARS = 8_000_000
_MOST_PIXELS = 16_000
_TITLE_CHARS = 200


@dataclass(frozen=True)
class Drawing:
    """A drawing as SVG, with its size in pixels; `paper` is the colour that it was made for."""

    svg: str
    width: float
    height: float
    title: str
    paper: str


@dataclass(frozen=True)
class DrawingColors:
    """The colours of Mermaid's diagrams, by the names that `draw.js` uses."""

    isDark: bool  # noqa: N815 - a name of the script
    ink: str
    paper: str
    line: str
    wash: str
    accent: str
    accentWash: str  # noqa: N815 - same

    @classmethod
    def of(cls, palette: QPalette) -> "DrawingColors":
        """Return the colours that suit a palette."""
        theme = DARK if is_dark(palette) else LIGHT
        accent = palette.highlight().color().name()
        paper = palette.window().color().name()
        return cls(theme.is_dark, theme.text, paper, theme.muted, theme.hover, accent, tint(accent, paper))


class Drawings(QObject):
    """The drawings of one conversation page.

    Signals:
        save_asked: id of a message, title of the drawing, suffix of the file, and its content (bytes).
        failed: the message for the user that a drawing could not be copied or saved.
    """

    save_asked = Signal(str, str, str, object)
    failed = Signal(str)

    def __init__(
        self,
        page: QWebEnginePage,
        assets: AssetHandler,
        loop: BackgroundLoop,
        find_text: Callable[[str], str],
        owner: QWidget,
    ) -> None:
        """`find_text` returns the text of a message by its id; menus open over `owner`."""
        super().__init__(owner)
        self._page = page
        self._loop = loop
        self._find_text = find_text
        self._owner = owner
        self.engine = DrawingEngine(self)
        self._colors = DrawingColors.of(owner.palette())
        self._kept: OrderedDict[str, Drawing] = OrderedDict()
        self._shown: dict[tuple[str, int], str] = {}
        self._wanted: set[tuple[str, int]] = set()
        """What is drawn, or whose code is being found."""
        self._jobs: dict[tuple[str, int], DrawingJob] = {}
        assets.serve(HOST, self._answer)

    def set_palette(self, palette: QPalette) -> None:
        """Use these colours for what is drawn from now on."""
        self._colors = DrawingColors.of(palette)

    @Slot(str, int)
    def draw(self, message_id: str, index: int) -> None:
        """Draw the `index`th drawing of an answer, and show it."""
        self._wanted.add((message_id, index))
        work = partial(asyncio.to_thread, drawing_codes, self._find_text(message_id))
        self._loop.run(self, work, partial(self._on_code_found, (message_id, index)))

    @Slot(str, int)
    def stop(self, message_id: str, index: int) -> None:
        """Stop drawing it."""
        place = (message_id, index)
        if job := self._jobs.get(place):
            self.engine.stop(job)
        else:  # its code is being found, or too many were asked for at once
            self._tell(place, problem=self.tr("It was stopped."))

    def show_menu(self, message_id: str, index: int, place: QPoint) -> None:
        """Offer to copy and save a drawing."""
        drawing = self._kept.get(self._shown.get((message_id, index), ""))
        if drawing is None:
            return
        menu = new_menu(self._owner)
        copy = menu.addAction(self.tr("Copy drawing"))
        as_png = menu.addAction(self.tr("Save as PNG…"))
        as_svg = menu.addAction(self.tr("Save as SVG…"))
        with_png = partial(self._with_png, drawing)
        copy.triggered.connect(
            partial(_call, partial(with_png, partial(self._copy, message_id, index, drawing)))
        )
        save_png = partial(self.save_asked.emit, message_id, drawing.title, "png")
        as_png.triggered.connect(partial(_call, partial(with_png, save_png)))
        save_svg = partial(self.save_asked.emit, message_id, drawing.title, "svg", drawing.svg.encode())
        as_svg.triggered.connect(partial(_call, save_svg))
        menu.popup(place)
        menu.setActiveAction(copy)

    def _on_code_found(self, place: tuple[str, int], codes: list[DrawingCode]) -> None:
        index = place[1]
        if place not in self._wanted:
            return
        if index >= len(codes):
            self._tell(place, problem=self.tr("It is not valid."))
            return
        self._draw_code(place, codes[index])

    def _draw_code(self, place: tuple[str, int], code: DrawingCode) -> None:
        if len(code.text) > MOST_CHARS:
            self._tell(place, problem=self.tr("It is too long."))
            return
        key = self._digest(code)
        if key in self._kept:
            self._kept.move_to_end(key)
            self._tell(place, key)
            return
        if place in self._jobs:
            return
        order = {"kind": code.language, "code": _printable(code.text), "colors": asdict(self._colors)}
        paper = self._colors.paper if code.language == "mermaid" else _WHITE
        job = DrawingJob(order, partial(self._on_drawn, place, code, key, paper))
        self._jobs[place] = job
        self.engine.add(job)

    def _on_drawn(
        self, place: tuple[str, int], code: DrawingCode, key: str, paper: str, result: Result | None
    ) -> None:
        self._jobs.pop(place, None)
        if result is not None and self._digest(code) != key:  # the colours have changed meanwhile
            self._draw_code(place, code)
        elif result is None:
            self._tell(place, problem=self.tr("It was stopped."))
        elif drawing := _drawing_of(result, paper):
            self._kept[key] = drawing
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            self._tell(place, key)
        else:
            words = result.get("problem")
            self._tell(
                place, problem=words if isinstance(words, str) and words else self.tr("It is not valid.")
            )

    def _tell(self, place: tuple[str, int], key: str = "", problem: str = "") -> None:
        """Tell the page the outcome."""
        message_id, index = place
        self._wanted.discard(place)
        told: dict[str, object] = {"problem": problem}
        if key:
            drawing = self._kept[key]
            self._shown[place] = key
            address = f"{SCHEME.decode()}://{HOST}/{key}"
            told = {
                "address": address,
                "width": drawing.width,
                "height": drawing.height,
                "title": drawing.title,
            }
        self._page.runJavaScript(
            f"footnote.showDrawing({json.dumps(message_id)}, {index}, {json.dumps(told)})"
        )

    def _digest(self, code: DrawingCode) -> str:
        colors = asdict(self._colors) if code.language == "mermaid" else {}
        parts = json.dumps([code.language, code.text, colors])
        return hashlib.sha256(parts.encode()).hexdigest()

    def _answer(self, job: QWebEngineUrlRequestJob, path: str) -> None:
        drawing = self._kept.get(path)
        reply(job, Asset(b"image/svg+xml", drawing.svg.encode()) if drawing is not None else None)

    # Copying and saving

    def _with_png(self, drawing: Drawing, then: Callable[[bytes], object]) -> None:
        order = {
            "kind": "png",
            "code": drawing.svg,
            "width": drawing.width,
            "height": drawing.height,
            "paper": drawing.paper,
        }
        self.engine.add(DrawingJob(order, partial(self._on_png_made, then)))

    def _on_png_made(self, then: Callable[[bytes], object], result: Result | None) -> None:
        encoded = (result or {}).get("png")
        if isinstance(encoded, str) and (png := base64.b64decode(encoded)):
            then(png)
        else:
            problem = (result or {}).get("problem")
            is_told = isinstance(problem, str) and bool(problem)
            words = self.tr("The drawing couldn’t be copied or saved. {problem}")
            self.failed.emit(words.format(problem=problem if is_told else self.tr("It was stopped.")))

    def _copy(self, message_id: str, index: int, drawing: Drawing, png: bytes) -> None:
        data = QMimeData()
        data.setImageData(QImage.fromData(png))
        data.setData("image/svg+xml", drawing.svg.encode())
        QGuiApplication.clipboard().setMimeData(data)
        self._page.runJavaScript(f"footnote.drawingCopied({json.dumps(message_id)}, {index})")


def _drawing_of(result: Result, paper: str) -> Drawing | None:
    """Return what was drawn if it is of the expected form: the hidden page has read hostile text."""
    svg, width, height, title = (result.get(name) for name in ("svg", "width", "height", "title"))
    is_sized = all(isinstance(side, int | float) and 1 <= side <= _MOST_PIXELS for side in (width, height))
    is_svg = isinstance(svg, str) and svg.startswith("<svg") and len(svg) <= _MOST_SVG_CHARS
    if not is_svg or not is_sized or not isinstance(title, str):
        return None
    return Drawing(str(svg), float(width or 0), float(height or 0), title[:_TITLE_CHARS], paper)


def _printable(code: str) -> str:
    """Return code without characters that XML cannot contain."""
    return (
        "".join(char for char in code if char in "\t\n" or char >= " ")
        .replace("\ufffe", "")
        .replace("\uffff", "")
    )


def _call(work: Callable[[], object], _checked: bool = False) -> None:
    work()
