"""The processes that a test has started, apart from those of others that run beside it in the same program."""

import os
import time
from collections.abc import Collection

import psutil

from tests.conftest import WAIT_MS

_LOOK_EVERY_S = 0.01


def parents() -> dict[int, int]:
    """Return the parents of all processes that have not ended."""
    return {
        process.pid: process.info["ppid"]
        for process in psutil.process_iter(["ppid", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE
    }


def descendants(others: Collection[int] = ()) -> set[int]:
    """Return the processes that this one has started, and theirs, without `others` and what they have started.

    A browser that other tests share starts helpers at any time.
    """
    parent_of = parents()
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parent_of.items() if parent in found and pid not in others} - found
        grown, found = bool(more), found | more
    return found - {os.getpid()}


def still_there(pids: set[int]) -> set[int]:
    """Return those that do not end: one that was killed does a moment later, and a helper after its program."""
    until = time.monotonic() + WAIT_MS / 1000
    while (left := pids & parents().keys()) and time.monotonic() < until:
        time.sleep(_LOOK_EVERY_S)
    return left
