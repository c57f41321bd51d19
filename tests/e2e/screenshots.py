"""Screenshots of the real window for the documentation: python -m tests.e2e.screenshots FOLDER."""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from desktop.app import make_application
from tests.e2e.site import running_site
from tests.e2e.window import Driver, configure, running_window

QUESTIONS = {
    "en": "In which year was the lighthouse of Velmora built, and how far does its lamp reach?",
    "zh_CN": "维尔莫拉灯塔是哪一年建成的？光照距离有多远？",
}


def hover_first_mark(driver: Driver) -> None:
    """Show the card of the first mark, as a mouse would."""
    driver.wait_for_page("document.querySelectorAll('a.citation').length > 0")
    driver.script("document.querySelector('.answer').previousElementSibling.scrollIntoView()")
    driver.wait_for_page("document.querySelector('a.citation').getBoundingClientRect().top > 0")
    driver.script(
        "document.querySelector('a.citation').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    driver.wait_for_page("!document.querySelector('#card').hidden")


def take(
    application: QApplication, folder: Path, name: str, *, theme: str, language: str, size: tuple[int, int]
) -> None:
    """Ask one question in a window and keep its picture."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": theme, "language": language})
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(*size)
            driver.ask(QUESTIONS[language])
            hover_first_mark(driver)
            driver.wait_for(lambda: True, "a frame")
            for _ in range(20):
                application.processEvents()
                driver.script("1")
            driver.frame.grab().save(str(folder / f"{name}.png"))


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    folder.mkdir(parents=True, exist_ok=True)
    application = make_application()
    take(application, folder, "window-light", theme="light", language="en", size=(1200, 800))
    take(application, folder, "window-dark", theme="dark", language="en", size=(1200, 800))
    take(application, folder, "window-chinese", theme="light", language="zh_CN", size=(1200, 800))
    take(application, folder, "window-narrow", theme="dark", language="zh_CN", size=(620, 760))


if __name__ == "__main__":
    main()
