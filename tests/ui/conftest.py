"""The asyncio thread and an engine in memory, for tests of the window."""

import pytest
from PySide6.QtCore import QCoreApplication, Qt

from desktop.background import BackgroundLoop
from desktop.errors import AppError
from tests.ui.engine_fake import FakeEngine

# QtWebEngine wants this said before there is an application.
QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)


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
