"""What was begun and not sent is there after the program was killed, and after it was closed in mid-word."""

import os
import signal
import subprocess
import sys

from PySide6.QtTest import QTest

from desktop.domain.drafts import Draft
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window

TEXT = "half a thought about tides"


def test_a_draft_outlives_a_kill_and_an_end_in_mid_word(qapp, tmp_path):
    data, file = tmp_path / "data", tmp_path / "tides.md"
    file.write_text("# Tides\n")
    with running_site() as site:
        configure(data, site)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.write_in_window", str(data), TEXT, str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        )
        with process:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "on disk"
            process.send_signal(signal.SIGKILL)
        with running_window(qapp, data) as driver:
            composer = driver.window.composer
            driver.wait_for(lambda: composer.draft == Draft(TEXT, (file,)), "the draft")
            composer.text.setFocus()
            QTest.keyClicks(composer.text, " and")
        with running_window(qapp, data) as driver:
            composer = driver.window.composer
            driver.wait_for(lambda: composer.draft == Draft(f"{TEXT} and", (file,)), "the last word")
