"""What is imported beside the start of the web engine, in a fresh process as it is there."""

import subprocess
import sys

_IMPORTED = """
import linecache, sys
from PySide6.QtCore import QCoreApplication
from desktop.app.ahead import Import
application = QCoreApplication([])
importing = Import(application)
importing.finished.connect(application.quit)
importing.start()
application.exec()
importing.wait()
"""


def after_import(question: str) -> str:
    """Return what `question` prints once the program is imported."""
    command = [sys.executable, "-c", f"{_IMPORTED}\nprint({question})"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout.strip()


def test_the_program_is_imported():
    assert (
        after_import("'desktop.app.program' in sys.modules and 'desktop.ui.chat_page' in sys.modules")
        == "True"
    )


def test_no_source_is_read_and_kept():
    file = "sys.modules['desktop.ui.chat_page'].__file__"
    assert after_import(f"linecache.cache.get({file})") == "None"


def test_what_reads_the_web_is_not_imported():
    heavy = (
        "httpx",
        "httpx2",
        "openai",
        "anthropic",
        "playwright",
        "chromadb",
        "torch",
        "bs4",
        "lxml",
        "keyring",
    )
    assert after_import(f"[name for name in {heavy} if name in sys.modules]") == "[]"
