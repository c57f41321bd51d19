"""Writes a message and sends it not, says when it is on disk, and waits to be killed."""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from PySide6.QtTest import QTest

from desktop.app import make_application
from tests.e2e.window import running_window


def main() -> None:
    """Write, report, stay."""
    application = make_application()
    data, text, file = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    with running_window(application, data) as driver:
        composer, services = driver.window.composer, driver.program.services
        composer.text.setFocus()
        QTest.keyClicks(composer.text, text)
        composer.attach_files((file,))

        def is_on_disk() -> bool:
            drafts = driver.program.loop.call(services.drafts.all(), 60)
            return bool(drafts) and drafts[""].text == text and drafts[""].files == (file,)

        driver.wait_for(is_on_disk, "the draft on disk")
        print("on disk", flush=True)
        application.exec()


if __name__ == "__main__":
    main()
