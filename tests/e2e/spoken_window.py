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


def read(reader: Reader) -> dict:
    """Return the tree of the program, the names of all programs on the bus, and what was announced."""
    tree = asdict(reader.tree("Footnote"))
    return {"tree": tree, "programs": reader.programs(), "announced": reader.announced()}


def main() -> None:
    """Ask, wait for the answer, write."""
    data, question, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    application = make_application()
    with (
        closing(Reader()) as reader,
        running_window(application, data) as driver,
        ThreadPoolExecutor(1) as thread,  # in a thread: the window has to answer meanwhile
    ):
        driver.frame.resize(1200, 800)
        listening = thread.submit(reader.listen)
        driver.wait_for(listening.done, "the reader listens")
        listening.result()
        driver.ask(question)
        driver.wait_for_page("!!document.querySelector('.answer .support')?.textContent")
        reading = thread.submit(read, reader)
        driver.wait_for(reading.done, "the tree")
        out.write_text(json.dumps(reading.result()))


if __name__ == "__main__":
    main()
