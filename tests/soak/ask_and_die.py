"""Sends a question as the window does, in the first moments of a program, and is killed so many milliseconds later."""

import os
import signal
import sys
from pathlib import Path

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from PySide6.QtCore import QCoreApplication, QTimer

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Question
from desktop.services import composer
from desktop.services.container import ServiceContainer
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.ui.chat.session_manager import SessionManager


def main() -> None:
    """Send and die; `-1` is before the event loop has run at all."""
    data, text, delay_ms = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    composer.WAIT_S = 60  # the question is on the disk when `ask` returns, however slow that is
    application = QCoreApplication(sys.argv[:1])
    loop = BackgroundLoop(lambda _error: None)
    loop.start()
    services = ServiceContainer(folders_for(data), recovers_questions=True)
    sessions = SessionManager(window_services(services), loop)
    sessions.ask(Question(text, "", web="off"))
    if delay_ms < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    QTimer.singleShot(delay_ms, lambda: os.kill(os.getpid(), signal.SIGKILL))
    application.exec()


if __name__ == "__main__":
    main()
