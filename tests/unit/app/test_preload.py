"""What is imported beside the start of the web engine, in a fresh process as it is there."""

import subprocess
import sys

_IMPORTED = """
import linecache, sys
from PySide6.QtCore import QCoreApplication
from desktop.app.preload import AFTER_PAGE, BEFORE_PAGE, ModulePreloader
application = QCoreApplication([])
importing = ModulePreloader({modules}, application)
importing.finished.connect(application.quit)
importing.start()
application.exec()
importing.wait()
"""


def after_import(question: str, modules: str = "(*BEFORE_PAGE, *AFTER_PAGE)", more: str = "") -> str:
    """Return what `question` prints once the program, or so much of it, is imported."""
    command = [sys.executable, "-c", f"{_IMPORTED.format(modules=modules)}{more}\nprint({question})"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout.strip()


def test_the_program_is_imported():
    assert (
        after_import(
            "'desktop.app.application' in sys.modules and 'desktop.ui.transcript.transcript_view' in sys.modules"
        )
        == "True"
    )


def test_no_source_is_read_and_kept():
    file = "sys.modules['desktop.ui.transcript.transcript_view'].__file__"
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


def test_the_page_is_drawn_with_little():
    much = (
        "desktop.ui.window.workspace",
        "desktop.chat.api.engine",
        "desktop.storage",
        "desktop.search",
        "desktop.providers",
        "desktop.text.terms",
    )
    found = after_import(f"[name for name in {much} if name in sys.modules]", "BEFORE_PAGE")
    assert found == "[]"


def test_nothing_is_left_to_import_when_the_engine_is_put_together(tmp_path):
    made = f"""
from desktop.services.container import ServiceContainer
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from pathlib import Path
before = set(sys.modules)
window_services(ServiceContainer(folders_for(Path({str(tmp_path)!r}))))
"""
    assert after_import("sorted(set(sys.modules) - before)", more=made) == "[]"


def imported_by(statement):
    """Return the modules of ours, and the heavy ones of others, that a fresh process imports."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100
    )
    heavy = {"asyncio", "importlib.metadata", "msgspec", "ssl", "tomllib", "urllib.request"}
    return {name for name in found.stdout.split() if name.startswith("desktop") or name in heavy}


def test_the_first_paint_needs_no_more_than_this():
    assert imported_by("import desktop.app") == {
        "desktop", "desktop.app", "desktop.app.import_sources", "desktop.app.launcher", "desktop.app.preload",
        "desktop.app.process", "desktop.errors", "desktop.installation", "desktop.phrases", "desktop.resources",
        "desktop.settings", "desktop.settings.folders", "desktop.ui", "desktop.ui.widgets.colors",
        "desktop.ui.transcript", "desktop.ui.transcript.start_page", "desktop.ui.widgets", "desktop.ui.widgets.dialog",
        "desktop.ui.window", "desktop.ui.window.main_window",
    }  # fmt: skip


def test_the_page_of_the_last_session_is_shown_with_two_modules_more():
    more = imported_by("import desktop.app, desktop.ui.transcript.web_page") - imported_by(
        "import desktop.app"
    )
    assert more == {"desktop.ui.transcript.asset_scheme", "desktop.ui.transcript.web_page"}


def test_the_http_client_comes_without_its_command_line():
    code = "import sys, desktop, httpx\nprint(sorted({'click', 'pygments', 'rich'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
