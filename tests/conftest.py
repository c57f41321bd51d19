"""What all tests share: no screen, no person's keyring, no person's data, sandbox off only for root."""

import gc
import os
import sys
from collections.abc import Generator
from functools import partialmethod

import pytest
from hypothesis import settings
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop.app.bootstrap import collect_if_due

# How long an example takes depends on what else the machine does: that is for benchmarks to say.
settings.register_profile("footnote", deadline=None)
settings.load_profile("footnote")

WAIT_MS = 30_000

LONG_TESTS = (
    "tests/e2e/",
    "tests/soak/",
    "tests/unit/cli/",
    "tests/unit/knowledge/worker/",
    "tests/unit/search/browser/",
    "tests/unit/search/intent/test_real_server.py",
    "tests/unit/services/test_local_models.py",
)
"""Start of the names of the files whose tests take seconds each."""

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
os.environ["HF_HUB_OFFLINE"] = "1"
# Or each of the many programs that the tests start compiles the modules of Footnote again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
for name in (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "TAVILY_API_KEY",
):
    os.environ.pop(name, None)
if hasattr(os, "geteuid") and os.geteuid() == 0:
    os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"  # Chromium refuses to run as root with its sandbox


@pytest.hookimpl(optionalhook=True)  # the hook is of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """Have one worker more than processors: many tests wait for programs that they have started."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep Python from collecting among the million objects of the imports, now and in each test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files whose tests start programs: a long one at the end would leave all other workers idle."""
    items.sort(
        key=lambda item: not item.nodeid.startswith(LONG_TESTS)
    )  # in either half the order stays random


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Footnote runs on asyncio alone."""
    return "asyncio"


class PatientBot(QtBot):
    """Waits for what will come as long as a busy machine may take for it."""

    waitActive = partialmethod(QtBot.waitActive, timeout=WAIT_MS)  # noqa: N815 - its name in pytest-qt
    waitExposed = partialmethod(QtBot.waitExposed, timeout=WAIT_MS)  # noqa: N815 - its name in pytest-qt
    waitSignal = partialmethod(QtBot.waitSignal, timeout=WAIT_MS)  # noqa: N815 - its name in pytest-qt
    waitSignals = partialmethod(QtBot.waitSignals, timeout=WAIT_MS)  # noqa: N815 - its name in pytest-qt
    waitUntil = partialmethod(QtBot.waitUntil, timeout=WAIT_MS)  # noqa: N815 - its name in pytest-qt


@pytest.fixture
def qtbot(qapp, request) -> PatientBot:
    """Take the place of the bot of pytest-qt, which waits for 5 s."""
    return PatientBot(request)


@pytest.fixture(autouse=True)
def no_collecting_among_widgets(request):
    """Keep Python from collecting while widgets go, as the program does: they may hang then."""
    if "qapp" in request.fixturenames:
        gc.disable()
        collect_if_due()
    else:
        gc.enable()


@pytest.fixture(autouse=True)
def own_data_dir(tmp_path, monkeypatch):
    """Keep every test away from the data of whoever runs it."""
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", str(tmp_path / "footnote-data"))


def pytest_sessionfinish() -> None:
    """Empty the clipboard: offscreen, what was copied from Python would be destroyed after Python itself."""
    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()
