"""Screenshots of the real window for the documentation: python -m tests.e2e.screenshots FOLDER."""

import json
import os
import sys
import tempfile
from contextlib import aclosing
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QWidget

from desktop.app import make_application
from desktop.domain.knowledge import BaseInfo
from desktop.domain.procedures import DocumentTask
from desktop.ui.chat.welcome import Welcome
from desktop.ui.controllers.palette_controller import CommandPalette
from desktop.ui.dialogs.inspector_dialog import InspectorView
from desktop.ui.dialogs.topics_dialog import TopicsDialog
from desktop.ui.knowledge.base_panel import BaseView
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.pages.serving import ConfigurationPanel, OpenBases
from desktop.ui.viewer.bars import ChangesPane, CitedPageBar
from desktop.ui.viewer.window import SourcePanel
from tests.e2e.exported_answers import take_exports
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.site import ARTICLES, running_site
from tests.e2e.window import Driver, configure, running_window

FILES = {
    "harbour.md": "The old harbour of Velmora silted up in 1790.\n",
    "keepers.txt": "The first keeper of the lighthouse was Jonas Brandt.\n",
    "灯塔.md": "灯塔的光照距离为42公里。\n",
}
DISAGREEING = {
    f"/{page}": (title, [f"The lighthouse of Velmora was built in {year} by the engineer Ada Korsten{rest}."])
    for page, title, year, rest in (
        ("lighthouse", "The lighthouse of Velmora", 1873, ", who had already drained the harbour"),
        ("north", "Lighthouses of the north", 1874, ""),
        ("engineer", "Ada Korsten, engineer", 1873, " on the northern cliff"),
        ("walk", "A walk around Velmora", 1874, " above the harbour"),
        ("towers", "Towers and lamps", 1873, " for the fishermen"),
    )
}
CHECKED = """# Velmora in short

The lighthouse of Velmora was built in 1873 by the engineer Ada Korsten ([site]({site}/lighthouse)). \
Its lamp reaches 77 kilometres and has been electric since 1931 ([site]({site}/lighthouse)). \
Visitors climb 219 steps to the gallery ([site]({site}/lighthouse)).

The island has about 900 inhabitants who live from fishing and from the ferry ([site]({site}/island)). \
Penguins sing operas in the market hall of the town every evening ([site]({site}/island)). \
The harbour was closed in 1900 by the mayor ([site]({site}/gone)).
"""
DRAWN = """Footnote looks the question up before it answers:

```mermaid
graph LR
  Question --> Search{Search?}
  Search -- yes --> Pages[Read pages]
  Pages --> Answer
  Search -- no --> Answer
```

The lighthouse, seen from the sea:

```svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 120" width="360" height="120">\
<rect width="360" height="120" rx="6" fill="#dce9f6"/><path d="M160 92l8-62h24l8 62z" fill="#fff" stroke="#444"/>\
<path d="M163 70l2-15h30l2 15z" fill="#c0362c"/><path d="M170 18h20v12h-20z" fill="#f6d365" stroke="#444"/>\
<path d="M166 18l14-10 14 10z" fill="#c0362c"/><path d="M0 95q60-14 130-2t120 2 110-2v27H0z" fill="#4f7faa"/></svg>
```

```html
<table style="font: 14px sans-serif; border-spacing: 14px 8px"><tr><th>Keeper<th>From<th>To<tr><td>Jonas Brandt<td>1873<td>1901
<tr><td>Ida Korsten<td>1901<td>1919</table>
```
"""
KNOWLEDGE = {"en": "Knowledge", "zh_CN": "知识库"}
"""The button of the sidebar."""
MOST_ROWS = 4
Window = TypeVar("Window", bound=QWidget)
WATCHED = {
    "en": "How far does the lamp of the lighthouse of Velmora reach?",
    "zh_CN": "维尔莫拉灯塔的光照距离有多远？",
}
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
    application: QApplication,
    folder: Path,
    name: str,
    *,
    theme: str,
    language: str,
    size: tuple[int, int],
    text_size: float = 1.0,
) -> None:
    """Ask one question in a window and keep its picture."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": theme, "language": language, "text_size": text_size})
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(*size)
            driver.ask(QUESTIONS[language])
            hover_first_mark(driver)
            driver.wait_for(lambda: True, "a frame")
            for _ in range(20):
                application.processEvents()
                driver.script("1")
            driver.frame.grab().save(str(folder / f"{name}.png"))


def take_panel(application: QApplication, folder: Path) -> None:
    """Keep pictures of a wide window: a citation with its source beside it, and the palette."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": "light", "language": "en"})
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1600, 900)
            driver.ask(QUESTIONS["en"])
            driver.wait_for_page("document.querySelectorAll('a.citation').length > 0")
            driver.script("document.querySelector('.text a.citation').click()")
            driver.wait_for(lambda: driver.window.findChildren(SourcePanel), "the panel")
            settle(application, driver)
            driver.frame.grab().save(str(folder / "window-panel.png"))
            driver.window.shortcuts["inspect"].trigger()
            driver.wait_for(lambda: driver.window.findChildren(InspectorView), "the searches")
            settle(application, driver)
            driver.frame.grab().save(str(folder / "window-searches.png"))
            driver.frame.resize(1160, 720)
            driver.window.shortcuts["palette"].trigger()
            [palette] = driver.frame.findChildren(CommandPalette)
            palette.field.setText("model")
            driver.wait_for(lambda: palette.model.rowCount() > MOST_ROWS, "what is found")
            settle(application, driver)
            driver.frame.grab().save(str(folder / "palette.png"))


def take_drawings(application: QApplication, folder: Path) -> None:
    """Keep a picture of an answer with a diagram, an image and a page."""
    with tempfile.TemporaryDirectory() as data, running_site() as site, running_model_server() as server:
        server.pieces = (DRAWN,)
        looks = {"theme": "light", "language": "en"}
        chat = {"model": "loopback/scripted"}
        configure(Path(data), site, window=looks, chat=chat, providers=[provider(server)])
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1200, 1060)
            driver.ask("How does Footnote answer?")
            driver.wait_for_page(
                "[...document.querySelectorAll('.drawing img')].filter(each => each.naturalWidth).length === 3"
            )
            driver.script("document.querySelector('.answer').previousElementSibling.scrollIntoView()")
            settle(application, driver)
            driver.frame.grab().save(str(folder / "drawings.png"))


def take_cited_page(application: QApplication, folder: Path, name: str, *, theme: str, language: str) -> None:
    """Keep a picture of a cited page that was read again and has changed."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": theme, "language": language})
        address = "/lighthouse" if language == "en" else "/dengta"
        title, paragraphs = ARTICLES[address]
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1400, 820)
            driver.ask(QUESTIONS[language])
            driver.wait_for_page("document.querySelectorAll('a.citation').length > 0")
            driver.script("document.querySelector('.text a.citation').click()")
            driver.wait_for(lambda: driver.window.findChildren(CitedPageBar), "the kept page")
            [bar] = driver.window.findChildren(CitedPageBar)
            changed = [text.replace("1873", "1874") for text in paragraphs]
            with patch.dict(ARTICLES, {address: (title, changed)}):
                bar.check.click()
                driver.wait_for(bar.changes.isVisible, "the changes")
            bar.changes.click()
            driver.wait_for(lambda: driver.window.findChildren(ChangesPane), "the list of changes")
            driver.script("document.querySelector('.source-list').open = true")
            settle(application, driver)
            driver.frame.grab().save(str(folder / f"{name}.png"))


def take_into_base(application: QApplication, folder: Path, name: str, *, theme: str, language: str) -> None:
    """Keep a picture of a cited page that was added to a base: the notice with *Undo*, and the card that names the base."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": theme, "language": language})
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1400, 820)
            driver.program.loop.call(driver.program.services.knowledge.create("Velmora"), 90)
            driver.ask(QUESTIONS[language])
            driver.wait_for_page("document.querySelectorAll('a.citation').length > 0")
            driver.script("document.querySelector('.text a.citation').click()")
            driver.wait_for(lambda: driver.window.findChildren(CitedPageBar), "the kept page")
            driver.script("document.querySelector('.source-list').open = true")
            [panel] = driver.window.findChildren(SourcePanel)
            driver.wait_for(lambda: panel.viewer is not None and panel.viewer.pane is not None, "the page")
            panel.viewer.add.click()
            driver.wait_for(application.activePopupWidget, "the menu")
            menu = application.activePopupWidget()
            menu.actions()[0].menu().actions()[0].trigger()
            menu.close()
            driver.wait_for(lambda: "Velmora" in driver.window.notices.text, "what was added")
            driver.wait_for(lambda: driver.window.notices.text.endswith((".", "。")), "the end")
            hover_first_mark(driver)
            settle(application, driver)
            driver.frame.grab().save(str(folder / f"{name}.png"))


def take_disagreements(application: QApplication, folder: Path) -> None:
    """Keep a picture of an answer whose sources disagree: the line below it, and the card with both passages."""
    pages = patch.dict(ARTICLES, DISAGREEING, clear=True)
    with tempfile.TemporaryDirectory() as data, pages, running_site() as site:
        configure(Path(data), site, window={"theme": "light", "language": "en"})
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1100, 860)
            driver.ask("In which year was the lighthouse of Velmora built?")
            driver.wait_for_page("document.querySelectorAll('a.disputed').length > 0")
            hover_first_mark(driver)
            settle(application, driver)
            driver.frame.grab().save(str(folder / "disagreements.png"))


def take_watching(application: QApplication, folder: Path, name: str, *, theme: str, language: str) -> None:
    """Keep a picture of a watched topic: looked up, looked up again in vain, and once more after the page changed."""
    address = "/lighthouse" if language == "en" else "/dengta"
    title, paragraphs = ARTICLES[address]
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": theme, "language": language})
        with running_window(application, Path(data)) as driver:
            driver.window.shortcuts["topics"].trigger()
            driver.wait_for(lambda: driver.frame.findChildren(TopicsDialog), "the topics")
            [dialog] = driver.frame.findChildren(TopicsDialog)
            dialog.question.setText(WATCHED[language])
            dialog.watch.click()
            for runs, old, new in ((1, "42", "42"), (2, "42", "42"), (3, "42", "55")):
                changed = [text.replace(old, new) for text in paragraphs]
                with patch.dict(ARTICLES, {address: (title, changed)}):
                    if runs > 1:
                        dialog.run.click()
                    driver.wait_for(lambda: dialog.selected and len(dialog.selected.runs) == runs, "a run")  # noqa: B023 - at once
            settle(application, driver)
            dialog.grab().save(str(folder / f"{name}.png"))
            dialog.close()


def take_check(application: QApplication, folder: Path) -> None:
    """Keep pictures of a checked text and its claims, of the way to a sentence, and of exports."""
    english = {path: ARTICLES[path] for path in ("/lighthouse", "/island")}
    pages = patch.dict(ARTICLES, english, clear=True)
    with tempfile.TemporaryDirectory() as data, pages, running_site() as site:
        configure(Path(data), site, window={"theme": "light", "language": "en"})
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1400, 900)
            driver.window.composer.research.set_task(DocumentTask.CHECK)
            driver.ask(CHECKED.format(site=site.origin))
            driver.wait_for_page("document.querySelectorAll('.text a.citation').length > 0")
            driver.script("document.querySelector('.answer').scrollIntoView()")
            settle(application, driver)
            driver.frame.grab().save(str(folder / "check.png"))
            driver.script("document.querySelectorAll('.find-claim')[2].click()")
            hover = "new PointerEvent('pointerover', {bubbles: true})"
            driver.script(f"document.activeElement.dispatchEvent({hover})")
            driver.wait_for_page("!document.querySelector('#card').hidden")
            settle(application, driver)
            driver.frame.grab().save(str(folder / "check-jump.png"))
            take_exports(application, driver, folder)


def settle(application: QApplication, driver: Driver) -> None:
    """Wait until everything is drawn."""
    for _ in range(40):
        application.processEvents()
        driver.script("1")


def open_window_of(driver: Driver, button: str, kind: type[Window]) -> Window:
    """Press a button of the sidebar and return the window that it opens."""
    buttons = driver.window.sidebar.findChildren(QAbstractButton)
    next(each for each in buttons if each.text() == button and each.isVisible()).click()
    driver.wait_for(lambda: [each for each in driver.frame.findChildren(kind) if each.isVisible()], button)
    return next(each for each in driver.frame.findChildren(kind) if each.isVisible())


def take_welcome(application: QApplication, folder: Path, name: str, *, language: str) -> None:
    """Keep a picture of the first start."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": "light", "language": language}, was_welcomed=False)
        with running_window(application, Path(data)) as driver:
            driver.frame.resize(1100, 720)
            found = driver.frame.findChildren(Welcome)
            driver.wait_for(lambda: found and found[0].local.again.isVisible(), "the search for servers")
            driver.wait_for(lambda: found[0].local.download.row is not None, "the models of this computer")
            settle(application, driver)
            driver.frame.grab().save(str(folder / f"{name}.png"))


def take_knowledge(application: QApplication, folder: Path, name: str, *, language: str) -> None:
    """Keep a picture of a base with three files."""
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as own, running_site() as site:
        configure(Path(data), site, window={"theme": "light", "language": language})
        for file, text in FILES.items():
            Path(own, file).write_text(text * 40, encoding="utf-8")
        with running_window(application, Path(data)) as driver:
            base = driver.program.loop.call(add_base(driver, sorted(Path(own).iterdir())), 90)
            manager = open_window_of(driver, KNOWLEDGE[language], KnowledgeManager)
            manager.resize(1000, 620)
            manager.findChild(BaseView).choose(base.id)
            model = manager.controller.items
            driver.wait_for(lambda: model.rowCount() == len(FILES), "the files")
            application.processEvents()
            manager.grab().save(str(folder / f"{name}.png"))
            manager.close()


async def add_base(driver: Driver, files: list[Path]) -> BaseInfo:
    """Make a base and read files into it."""
    knowledge = driver.program.services.knowledge
    base = await knowledge.create("Velmora")
    async with aclosing(knowledge.add(base.id, files)) as steps:
        async for _step in steps:
            pass
    return base


def take_privacy(application: QApplication, folder: Path) -> None:
    """Keep a picture of the page that lists what was sent to which host."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": "light", "language": "en"})
        with running_window(application, Path(data)) as driver:
            driver.ask(QUESTIONS["en"])
            dialog = open_window_of(driver, "Settings", SettingsDialog)
            dialog.go_to("privacy")
            dialog.resize(1000, 620)
            for _ in range(20):
                application.processEvents()
                driver.script("1")
            dialog.grab().save(str(folder / "privacy.png"))
            dialog.close()


def take_settings(application: QApplication, folder: Path, name: str, *, theme: str, language: str) -> None:
    """Keep a picture of the settings of the models."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        configure(Path(data), site, window={"theme": theme, "language": language})
        with running_window(application, Path(data)) as driver:
            driver.window.opener.to_settings("models")()
            driver.wait_for(lambda: driver.frame.findChildren(SettingsDialog), "the settings")
            [dialog] = driver.frame.findChildren(SettingsDialog)
            dialog.resize(920, 1000)
            settle(application, driver)
            dialog.grab().save(str(folder / f"{name}.png"))
            dialog.close()


def take_other_programs(application: QApplication, folder: Path) -> None:
    """Keep a picture of the page on other programs, with a base and a tool that are open."""
    with tempfile.TemporaryDirectory() as data, running_site() as site:
        serving = {"tools": ["list_bases", "search_base", "ask"]}
        configure(Path(data), site, window={"theme": "light", "language": "en"}, serving=serving)
        with running_window(application, Path(data)) as driver:
            knowledge = driver.program.services.knowledge
            driver.program.loop.call(knowledge.create("Velmora"), 90)
            dialog = open_window_of(driver, "Settings", SettingsDialog)
            dialog.go_to("serving")
            dialog.resize(1000, 1180)
            found = dialog.findChild(OpenBases)
            driver.wait_for(lambda: found and found.findChildren(QCheckBox), "the bases")
            found.findChildren(QCheckBox)[0].setChecked(True)
            shown = json.dumps(
                {"mcpServers": {"footnote": {"command": "/usr/bin/footnote", "args": ["mcp"]}}}, indent=2
            )
            dialog.findChild(ConfigurationPanel).text.setPlainText(
                shown
            )  # without the folders of this machine
            for _ in range(20):
                application.processEvents()
                driver.script("1")
            dialog.grab().save(str(folder / "mcp-server.png"))
            dialog.close()


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    folder.mkdir(parents=True, exist_ok=True)
    application = make_application()
    take(application, folder, "window-light", theme="light", language="en", size=(1200, 800))
    take(application, folder, "window-dark", theme="dark", language="en", size=(1200, 800))
    take(application, folder, "window-chinese", theme="light", language="zh_CN", size=(1200, 800))
    take(application, folder, "window-narrow", theme="dark", language="zh_CN", size=(620, 760))
    take(application, folder, "window-700", theme="light", language="en", size=(700, 760))
    take_panel(application, folder)
    take_drawings(application, folder)
    take_cited_page(application, folder, "cited-page", theme="light", language="en")
    take_into_base(application, folder, "into-base", theme="light", language="en")
    take_disagreements(application, folder)
    take_check(application, folder)
    take_watching(application, folder, "watching", theme="light", language="en")
    take_welcome(application, folder, "welcome", language="en")
    take_welcome(application, folder, "welcome-chinese", language="zh_CN")
    take_knowledge(application, folder, "knowledge", language="en")
    take_knowledge(application, folder, "knowledge-chinese", language="zh_CN")
    take_privacy(application, folder)
    take_other_programs(application, folder)
    take_settings(application, folder, "settings", theme="light", language="en")
    take_settings(application, folder, "settings-chinese", theme="dark", language="zh_CN")
    # Last: windows that follow in this process would keep the size.
    take(
        application,
        folder,
        "window-150-percent",
        theme="light",
        language="en",
        size=(1200, 800),
        text_size=1.5,
    )


if __name__ == "__main__":
    main()
