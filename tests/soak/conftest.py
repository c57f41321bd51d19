"""How often a promise is tried, and the table of how that went."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import pytest

IS_LONG = bool(os.environ.get("FOOTNOTE_SOAK"))


@dataclass(frozen=True)
class Figure:
    """What was tried how often, and what came of it in words."""

    promise: str
    tried: int
    outcome: str


_figures: list[Figure] = []


@pytest.fixture
def times() -> Callable[[int, int], int]:
    """Choose between how often in every run and how often in a long one."""
    return lambda often, long: long if IS_LONG else often


@pytest.fixture
def told() -> Callable[[str, int, str], None]:
    """Note how a promise was kept, for the table at the end."""
    return lambda promise, tried, outcome: _figures.append(Figure(promise, tried, outcome))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give long runs the time that they take."""
    if IS_LONG:
        for item in items:
            if "soak" in item.path.parts:
                item.add_marker(pytest.mark.timeout(6 * 3600))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table that docs/reliability.md holds."""
    if not IS_LONG:
        return
    terminalreporter.section("kept")
    for figure in _figures:
        terminalreporter.write_line(f"| {figure.promise} | {figure.tried:,} | {figure.outcome} |")
