"""The asyncio thread and an engine in memory, for tests of the window."""

import pytest
from desktop.background import BackgroundLoop
from desktop.errors import AppError
from tests.ui.engine_fake import FakeEngine


@pytest.fixture
def loop(qapp):
    """A running loop; what nobody expected fails the test."""
    problems = []
    background = BackgroundLoop(problems.append, AppError)
    background.start()
    yield background
    assert background.stop()
    qapp.processEvents()
    assert problems == []


@pytest.fixture
def engine():
    """An engine without conversations."""
    return FakeEngine()
