"""Cycles are collected in the thread of the window, whoever makes the objects."""

import gc
import threading

import pytest
from PySide6.QtCore import QObject

from desktop.app.garbage import Collector


class Knot:
    """Refers to itself, and notes in which thread it went."""

    def __init__(self, seen: list[threading.Thread]) -> None:
        self._self = self
        self._seen = seen

    def __del__(self) -> None:
        self._seen.append(threading.current_thread())


def tie(seen: list[threading.Thread], count: int) -> None:
    """Make far more objects than Python would leave uncollected."""
    for _ in range(count):
        Knot(seen)


@pytest.fixture
def owner(qapp):
    gc.collect()
    owner = QObject()
    collector = Collector(owner)
    yield owner
    collector.close()
    assert gc.isenabled()
    owner.deleteLater()


def test_what_another_thread_leaves_goes_in_the_thread_of_the_window(owner, qtbot):
    seen: list[threading.Thread] = []
    thread = threading.Thread(target=tie, args=(seen, 5_000))
    thread.start()
    thread.join()
    assert seen == []
    qtbot.wait_until(lambda: len(seen) == 5_000)
    assert set(seen) == {threading.main_thread()}


def test_old_generations_are_collected_as_well(owner, qtbot):
    seen: list[threading.Thread] = []
    knot = Knot(seen)
    gc.collect(0)
    gc.collect(1)  # it is old now
    del knot
    look = owner.findChild(Collector).look
    for _ in range(300):
        tie([], 1_000)
        look()
    assert len(seen) == 1
