"""Asks a question in a window with a screen reader's bus, and writes what it exposes there as JSON into a file."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from desktop.app import make_application
from tests.e2e.atspi import Reader
from tests.e2e.window import running_window


def read() -> dict:
    """Return the tree of the program and the names of all programs on the bus."""
    with closing(Reader()) as reader:
        return {"tree": asdict(reader.tree("Footnote")), "programs": reader.programs()}


def main() -> None:
    """Ask, wait for the answer, write."""
    data, question, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    application = make_application()
    with running_window(application, data) as driver, ThreadPoolExecutor(1) as thread:
        driver.frame.resize(1200, 800)
        driver.ask(question)
        driver.wait_for_page("!!document.querySelector('.answer .support')?.textContent")
        reading = thread.submit(read)  # in a thread: the window has to answer meanwhile
        driver.wait_for(reading.done, "the tree")
        out.write_text(json.dumps(reading.result()))


if __name__ == "__main__":
    main()
