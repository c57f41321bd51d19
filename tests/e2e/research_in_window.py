"""Begins a research in a window, says when its sources are on disk, and waits to be killed."""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from desktop.app import make_application
from tests.e2e.window import running_window


def main() -> None:
    """Ask, report, stay."""
    application = make_application()
    with running_window(application, Path(sys.argv[1])) as driver:
        driver.type_question(sys.argv[2])
        driver.wait_for_page("document.querySelector('.piece.round a.citation') !== null")
        print("on disk", flush=True)  # what the page shows of a research was saved before
        application.exec()


if __name__ == "__main__":
    main()
