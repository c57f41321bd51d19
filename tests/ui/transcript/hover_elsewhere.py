"""Rests the pointer on marks of a page in another process, at a scale that only a new process takes.

Run as a program it prints, for each height in the page at which a mark stands, what is seen then.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

import shiboken6
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from desktop.app import make_application
from desktop.background import BackgroundLoop
from desktop.domain.messages import Message, Speaker
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.errors import AppError
from desktop.ui.transcript.transcript_view import TranscriptView
from desktop.ui.transcript.web_page import PageView
from tests.e2e.window import wait_for
from tests.stopping import has_stopped
from tests.ui.transcript.view_under_test import ViewUnderTest

SIZE = (640, 440)
"""About the page in a window of 900 × 600: in its middle a card has room neither above its mark nor below."""

_SAID = " ".join(f"The lamp of lighthouse {number} was lit in {1800 + number}." for number in range(60))
_FILLER = "\n\n".join(["Nothing of this is said anywhere."] * 12)
_SEEN = """(() => {
  const box = (element) => (({left, top, right, bottom}) => ({left, top, right, bottom}))(element.getBoundingClientRect());
  const card = document.getElementById("card");
  return {
    ratio: devicePixelRatio, mark: box(document.querySelector("a.citation")), card: box(card),
    passage: box(card.querySelector(".passage")), words: box(card.querySelector("mark")),
    told: card.querySelector("mark").innerText,
    end: Math.max(...[...card.children].map((child) => child.getBoundingClientRect().bottom)),
  };
})()"""


@dataclass(frozen=True)
class Box:
    """A part of the page, in its own pixels."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Seen:
    """The mark under the pointer and its card, with the words that are marked in it and where its parts end."""

    ratio: float
    mark: Box
    card: Box
    passage: Box
    words: Box
    told: str
    end: float


def hover_elsewhere(scale: str) -> dict[str, Seen]:
    """Return what is seen of a mark near the top, in the middle and near the bottom of the page."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.ui.transcript.hover_elsewhere"],
        capture_output=True,
        env=os.environ | {"QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"},
        timeout=110,
        check=True,
    )
    return {
        place: Seen(**{name: Box(**it) if isinstance(it, dict) else it for name, it in seen.items()})
        for place, seen in json.loads(run.stdout.splitlines()[-1]).items()
    }


class _Pointer:
    def __init__(self, page: TranscriptView) -> None:
        self._page = page

    def ask(self, code: str) -> object:
        answers: list[str] = []
        self._page.web_page.runJavaScript(f"JSON.stringify({code})", 0, answers.append)
        wait_for(lambda: answers, code)
        return json.loads(answers[0]) if answers[0] else None

    def move(self, at: QPoint) -> None:
        # By way of the window: moving the cursor of the offscreen platform leads nowhere beyond its small screen.
        view = self._page.findChild(PageView).focusProxy()
        QTest.mouseMove(self._page.windowHandle(), view.mapTo(self._page, at))

    def look(self, block: str) -> object:
        """Rest on the mark, scrolled to a place, and return what is seen."""
        self.move(QPoint(2, 2))
        wait_for(lambda: self.ask("document.getElementById('card').hidden"), "no card")
        self.ask(f"document.querySelector('a.citation').scrollIntoView({{block: '{block}'}})")
        x, y = self.ask(
            "(b => [b.left + b.width / 2, b.top + b.height / 2])"
            "(document.querySelector('a.citation').getBoundingClientRect())"
        )
        self.move(QPoint(round(x), round(y)))
        wait_for(lambda: self.ask("!document.getElementById('card').hidden"), "the card")
        return self.ask(_SEEN)


def main() -> None:
    """Print what is seen."""
    application = make_application()
    failures: list[object] = []
    loop = BackgroundLoop(failures.append, AppError)
    loop.start()
    ledger = Ledger()
    ledger.register((Passage(SourceKind.WEB, "Lighthouses", _SAID, "https://example.org/"),))
    now = datetime.now(UTC)
    text = f"{_FILLER}\n\nThe lamp of lighthouse 40 was lit in 1840 [1].\n\n{_FILLER}"
    page = ViewUnderTest(loop)
    page.resize(*SIZE)
    page.show()
    asked = Message("q", "c", Speaker.USER, "When?", now)
    page.open_conversation((asked, Message("a", "c", Speaker.MODEL, text, now, offered=(1,))), ledger.sources)
    page.write_all()
    wait_for(lambda: page.is_whole, "the page")
    pointer = _Pointer(page)
    print(json.dumps({block: pointer.look(block) for block in ("start", "center", "end")}))
    shiboken6.delete(page)  # its page must not outlive the loop that writes for it, nor the application
    assert has_stopped(loop)
    application.processEvents()
    assert not failures


if __name__ == "__main__":
    main()
