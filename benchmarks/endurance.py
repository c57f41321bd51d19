"""How a window bears many long answers: delays while one streams and a person works, and memory after all.

    python -m benchmarks.endurance [--answers 200] [--deltas 500] [--chars 92] [--each 10] [--rest 60]

A server in a process of its own streams answers of `--deltas` pieces of `--chars` characters as fast as they are
taken, `--each` of them to a conversation. While the first comes, slowed to 100 pieces a second, keys are typed,
the pointer moves over the page and its wheel is turned; a timer of the window ticks every 5 ms. Reported are the
delays of its ticks (at rest and then), the memory of the program with all its processes (PSS) at rest, after each
twentieth of the answers and `--rest` seconds after all of them, the ratio of the last to the first, and of the
last answer to the first one; also what of the first and the last is in no file, which other programs that run do
not change. Linux only. On a screen or with QT_QPA_PLATFORM=offscreen.
"""

import argparse
import json
import multiprocessing
import os
import random
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, Slot
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from benchmarks.memory import megabytes
from benchmarks.window_while_indexing import Probe, figures, rest
from desktop.app import make_application
from tests.e2e.site import running_site
from tests.e2e.window import Driver, configure, running_window

PACE_S = 0.01
SLOW_PIECES = 1_500
GOAL_MS = 16.0
GOAL_RATIO = 1.1
REST_S = 10.0
ACT_MS = 40
_BLOCKS = (
    "Heat pumps keep working at **minus fifteen degrees**, says the institute; see [the report](https://example.org/r).\n\n",
    "- The refrigerant boils at −40 °C, the compressor `raises` its pressure.\n- 热泵在零下的天气里照样工作,费用由房东承担。\n\n",
    "```python\ndef cop(heat: float, work: float) -> float:\n    return heat / work\n```\n\n",
    "| outside | coefficient |\n| - | - |\n| 7 °C | 4.1 |\n| −15 °C | 2.0 |\n\n",
)


@dataclass(frozen=True)
class Answer:
    """What the server is to stream next: how many pieces of how many characters, and how long to wait between them."""

    pieces: int
    chars: int
    pace_s: float


def _serve(connection: Connection) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    connection.send(listener.getsockname()[1])
    chance = random.Random(7)
    while True:
        client, _ = listener.accept()
        with client:
            head = client.recv(1 << 20)
            if head.startswith(b"GET"):
                body = b'{"object": "list", "data": [{"id": "scripted", "object": "model"}]}'
                client.sendall(_head("application/json") + body)
                continue
            answer = connection.recv()
            client.sendall(_head("text/event-stream"))
            text = ""
            for _ in range(answer.pieces):
                while len(text) < answer.chars:
                    text += chance.choice(_BLOCKS)
                client.sendall(_frame({"content": text[: answer.chars]}))
                text = text[answer.chars :]
                time.sleep(answer.pace_s)
            client.sendall(_frame({}, "stop") + b"data: [DONE]\n\n")
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):  # closing before it was read would take the rest of the answer back
                pass


def _head(kind: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode()


def _frame(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    fields = {"object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}
    return b"data: " + json.dumps({"id": "1"} | fields).encode() + b"\n\n"


class Hands(QObject):
    """Types, moves the pointer over the page and turns its wheel, a little at a time."""

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self._driver = driver
        self._count = 0
        self._timer = QTimer(self)
        self._timer.setInterval(ACT_MS)
        self._timer.timeout.connect(self._act)

    def start(self) -> None:
        """Begin."""
        self._timer.start()

    def stop(self) -> None:
        """End, and leave the field empty."""
        self._timer.stop()
        self._driver.window.composer.text.clear()

    @Slot()
    def _act(self) -> None:
        self._count += 1
        QTest.keyClick(self._driver.window.composer.text, Qt.Key(Qt.Key.Key_A + self._count % 26))
        page = self._driver.window.transcripts.page
        assert page is not None
        for child in page.findChildren(QWidget):
            if child.inherits("QtWebEngineCore::RenderWidgetHostViewQtDelegateWidget") or child.isVisible():
                self._move_over(child)

    def _move_over(self, widget: QWidget) -> None:
        place = QPointF(40 + self._count * 7 % 400, 40 + self._count * 11 % 300)
        wide = QPointF(widget.mapToGlobal(place.toPoint()))
        none = Qt.KeyboardModifier.NoModifier
        nothing = Qt.MouseButton.NoButton
        move = QMouseEvent(QEvent.Type.MouseMove, place, wide, nothing, nothing, none)
        QApplication.sendEvent(widget, move)
        turn = QPoint(0, 120 if self._count % 3 else -120)
        phase = Qt.ScrollPhase.NoScrollPhase
        QApplication.sendEvent(widget, QWheelEvent(place, wide, QPoint(), turn, nothing, none, phase, False))


def _ask(driver: Driver, question: str) -> None:
    driver.type_question(question)
    driver.wait_for(lambda: driver.window.sessions.is_running, "the turn has begun")
    while driver.window.sessions.is_running:  # it takes what it takes
        rest(0.05)


def main() -> int:
    """Measure once and print one line of JSON; 1 where a goal is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--deltas", type=int, default=500)
    parser.add_argument("--chars", type=int, default=92, help="characters of a delta")
    parser.add_argument("--each", type=int, default=10, help="answers in a conversation")
    parser.add_argument("--rest", type=float, default=REST_S, help="seconds left alone before the last look")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = make_application()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    server.start()
    assert server.pid is not None
    address = f"http://127.0.0.1:{here.recv()}/v1"
    named = {"id": "loopback", "name": "Loopback", "kind": "openai", "base_url": address, "needs_key": False}
    sections: dict[str, object] = {
        "chat": {"model": "loopback/scripted"},
        "search": {"choice": "off"},
        "providers": [named],
    }
    with running_site() as site, tempfile.TemporaryDirectory() as folder:
        configure(Path(folder), site, **sections)
        with running_window(application, Path(folder)) as driver:
            result = _measure(driver, here, server.pid, arguments)
    server.terminate()
    server.join()
    print(json.dumps(result, indent=1))
    is_good = result["streaming"]["p99_ms"] <= GOAL_MS and result["memory_ratio"] <= GOAL_RATIO
    return 0 if is_good else 1


def _look(without: frozenset[int]) -> tuple[float, float]:
    """Return the memory of all processes, and the part of it that is in no file."""
    here = os.getpid()
    return megabytes(here, without), megabytes(here, without, "Pss_Anon")


def _measure(driver: Driver, server: Connection, server_pid: int, wanted: argparse.Namespace) -> dict:
    without = frozenset((server_pid,))
    driver.frame.resize(1200, 800)
    rest(REST_S)
    idle, idle_private = _look(without)
    probe, hands = Probe(), Hands(driver)
    probe.start()
    rest(REST_S)
    at_rest = figures(probe.stop())
    server.send(Answer(SLOW_PIECES, wanted.chars, PACE_S))
    probe.start()
    hands.start()
    _ask(driver, "How is it in the cold?")
    hands.stop()
    streaming = figures(probe.stop())
    memory = []
    for number in range(wanted.answers):
        if number % wanted.each == 0:
            driver.window.start_new()
        server.send(Answer(wanted.deltas, wanted.chars, 0.0))
        _ask(driver, f"Question {number}: how is it in the cold?")
        if (number + 1) % max(wanted.answers // 20, 1) == 0:
            rest(2.0)
            memory.append(round(megabytes(os.getpid(), without)))
    driver.window.start_new()
    rest(wanted.rest)
    after, after_private = _look(without)
    return {
        "at_rest": at_rest,
        "streaming": streaming,
        "idle_mb": round(idle),
        "on_the_way_mb": memory,
        "growth": round(memory[-1] / memory[0], 3),
        "after_mb": round(after),
        "memory_ratio": round(after / idle, 2),
        "private_mb": [round(idle_private, 1), round(after_private, 1)],
    }


if __name__ == "__main__":
    sys.exit(main())
