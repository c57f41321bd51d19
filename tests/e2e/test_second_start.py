"""A second start brings what it was for to the window that is open, and ends."""

import subprocess
import sys

from desktop.app.lock import take_lock
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window


def test_files_and_a_question_reach_the_window_that_runs(qapp, tmp_path):
    data = tmp_path / "data"
    page = tmp_path / "tides.md"
    page.write_text("# Tides\n\nThe moon pulls the sea.\n")
    with running_site() as site, take_lock(data):
        configure(data, site)
        with running_window(qapp, data) as driver:
            driver.frame.showMinimized()
            command = [sys.executable, "-m", "desktop", "--data-dir", str(data)]
            arguments = ["open", str(page), "--question", "What pulls the sea?"]
            with subprocess.Popen([*command, *arguments]) as second:
                composer = driver.window.composer
                driver.wait_for(lambda: composer.draft.text == "What pulls the sea?", "the question")
                assert second.wait(60) == 0
            assert composer.draft.files == (page,)
            assert not driver.frame.isMinimized()
            assert not driver.window.desk.is_running  # the person looks it over first
