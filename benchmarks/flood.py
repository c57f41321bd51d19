"""How a window bears a model that floods it: stalls of the GUI thread, Stop, and what is kept.

    python benchmarks/flood.py [NAME ...]

A server in a process of its own sends each kind of flood as fast as it is taken, without end. Once the
page shows some of it, Stop is pressed. Reported are the gaps between ticks of a timer in the window
(median, 99th percentile, longest), the time from Stop to the window being free again, from there to the
page showing the end, and whether what is stored is what the page was given. `full` is not stopped: it
runs into the limit of an answer. On a screen or with QT_QPA_PLATFORM=offscreen.
"""

import itertools
import json
import multiprocessing
import socket
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication

from desktop.domain.models import TextDelta
from tests.e2e.site import running_site
from tests.e2e.window import Driver, configure, running_window

TICK_MS = 5
SEEN_CHARS = 20_000

FLOODS: dict[str, tuple[str, ...]] = {
    "letters": tuple("A heat pump moves heat. It does not make it.\n\n"),
    "paragraphs": ("A heat pump *moves* heat; it does not make it [1].\n\n" * 200,),
    "full": ("A heat pump *moves* heat; it does not make it [1].\n\n" * 200,),
    "one line": ("word " * 2000,),
    "one word": ("x" * 10_000,),
    "quotes": ("> " * 10_000 + "x\n\n",),
    "brackets": ("[" * 10_000 + "x" + "]" * 10_000 + "\n\n",),
    "emphasis": ("**a_b " * 2000,),
    "citations": ("[1]" * 3000,),
    "code": ("```python\n", *("x = [1, 2, 3]  # words\n" * 100 for _ in range(50))),
    "table": ("| a | b |\n| - | - |\n", *("| one | two |\n" * 100 for _ in range(50))),
    "surrogates": ("\ud800\x00\udfff" * 3000,),
}


def _serve(connection: Connection) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    connection.send(listener.getsockname()[1])
    while True:
        client, _ = listener.accept()
        head = client.recv(1 << 20)
        if head.startswith(b"GET"):
            body = b'{"object": "list", "data": [{"id": "scripted", "object": "model"}]}'
            client.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + body
            )
            client.close()
            continue
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        try:
            for piece in itertools.cycle(connection.recv()):
                client.sendall(b"data: " + json.dumps(_chunk(piece)).encode() + b"\n\n")
        except OSError:
            client.close()


def _chunk(piece: str) -> dict[str, object]:
    choice = {"index": 0, "delta": {"content": piece}}
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [choice],
    }


class _Ticks:
    """Notes when a timer of the window is late."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self.gaps: list[float] = []
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start(TICK_MS)

    def _on_tick(self) -> None:
        now = time.monotonic()
        self.gaps.append(1000 * (now - self._last))
        self._last = now

    def stop(self) -> str:
        self._timer.stop()
        gaps = sorted(self.gaps)
        late = gaps[int(0.99 * (len(gaps) - 1))]
        return f"{statistics.median(gaps):5.0f} {late:5.0f} {gaps[-1]:5.0f}"


def _stored(driver: Driver) -> str:
    async def load() -> str:
        store = driver.program.services.store
        return (await store.load((await store.recent())[0].id)).messages[-1].text

    return driver.program.loop.call(load(), 20)


def _measure(driver: Driver, name: str) -> str:
    sessions = driver.window.sessions
    given: list[str] = []

    def note(event: object) -> None:
        given.append(event.text if isinstance(event, TextDelta) else "")

    sessions.event_arrived.connect(note)
    ticks = _Ticks()
    begun = time.monotonic()
    driver.type_question(f"Flood: {name}")
    if name != "full":
        driver.wait_for(lambda: sum(map(len, given)) > SEEN_CHARS, "a flood")
        flow_s = time.monotonic() - begun
        begun = time.monotonic()
        sessions.stop()
    else:
        driver.wait_for(lambda: sessions.is_running, "the turn")
        flow_s = 0.0
    driver.wait_for(lambda: not sessions.is_running, "the end")
    free_s = time.monotonic() - begun
    begun = time.monotonic()
    driver.wait_for_page(
        "!!document.querySelector('.answer') && !document.querySelector('.answer.streaming')"
    )
    shown_s = time.monotonic() - begun
    gaps = ticks.stop()
    sessions.event_arrived.disconnect(note)
    stored, shown = _stored(driver), "".join(given)
    return (
        f"{name:12} {gaps}   {flow_s:6.2f} {1000 * free_s:6.0f} {1000 * shown_s:6.0f}   {len(stored):8,}"
        f"  {'same' if stored == shown else f'DIFFERENT {len(shown):,}'}"
    )


def main(names: list[str]) -> None:
    """Measure the floods named, or all."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    application = QApplication([])
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    server.start()
    address = f"http://127.0.0.1:{here.recv()}/v1"
    names_of = {"id": "loopback", "name": "Loopback", "kind": "openai"}
    sections: dict[str, Any] = {
        "chat": {"model": "loopback/scripted"},
        "search": {"choice": "off"},
        "providers": [names_of | {"base_url": address, "needs_key": False}],
    }
    print(f"{'':12}   gaps in ms        flow s   stop    end ms     stored")
    print(f"{'':12}   p50   p99   max")
    with running_site() as site, tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        configure(data, site, **sections)
        with running_window(application, data) as driver:
            for name in names or FLOODS:
                here.send(FLOODS[name])
                print(_measure(driver, name), flush=True)
    server.terminate()
    server.join()


if __name__ == "__main__":
    main(sys.argv[1:])
