"""A person puts a list in order by mouse and keys, closes the program, and finds it so again."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from desktop.domain.messages import Message, Speaker
from desktop.storage.conversations import ConversationStore
from desktop.ui.conversation_model import HeadingRole
from tests.e2e.site import running_site
from tests.e2e.window import Driver, configure, running_window
from tests.unit.storage.samples import NOW


async def write(data: Path, count: int) -> None:
    store = await ConversationStore.open(data)
    for number in range(1, count + 1):
        info = await store.create()
        await store.add_message(Message(f"q{number}", info.id, Speaker.PERSON, "Why?", NOW))
        await store.add_message(Message(f"a{number}", info.id, Speaker.MODEL, f"Because of {number}.", NOW))
        await store.rename(info.id, f"Title {number}")
    await store.close()


def shown(driver: Driver) -> list[str]:
    model = driver.window.sidebar.model
    found = [model.index(row) for row in range(model.rowCount())]
    return [f"# {index.data()}" if index.data(HeadingRole) else index.data() for index in found]


def rows(driver: Driver) -> list[str]:
    """Return what is shown but the dates: it may be midnight."""
    return [text for text in shown(driver) if text not in {"# Today", "# Yesterday"}]


def click(driver: Driver, title: str, *, at_dots: bool = False, keys=Qt.KeyboardModifier.NoModifier) -> None:
    view, model = driver.window.sidebar.view, driver.window.sidebar.model
    row = next(row for row, text in enumerate(shown(driver)) if text.removeprefix("# ") == title)
    area = view.visualRect(model.index(row))
    at = QPoint(area.right() - 8, area.center().y()) if at_dots else area.center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, keys, at)


def pick(driver: Driver, text: str) -> None:
    """Click what the open menu offers."""
    view = driver.window.sidebar.view
    driver.wait_for(lambda: any(menu.isVisible() for menu in view.findChildren(QMenu)), "a menu")
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    action = next(action for action in menu.actions() if action.text() == text)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def sees(driver: Driver, *expected: str) -> None:
    driver.wait_for(lambda: rows(driver) == list(expected), f"{expected} instead of {rows(driver)}")


@pytest.mark.timeout(180)
def test_a_list_is_put_in_order_and_stays_so(qapp, tmp_path):
    data = tmp_path / "data"
    with running_site() as site:
        configure(data, site, window={"language": "en"})
        asyncio.run(write(data, 5))
        with running_window(qapp, data) as driver:
            view = driver.window.sidebar.view
            sees(driver, *(f"Title {number}" for number in (5, 4, 3, 2, 1)))
            click(driver, "Title 2", at_dots=True)
            pick(driver, "Pin")
            sees(driver, "# Pinned", "Title 2", "Title 5", "Title 4", "Title 3", "Title 1")
            driver.window.shortcuts["new_folder"].trigger()
            driver.wait_for(lambda: view.findChild(QLineEdit, "titleEditor"), "a name to write")
            editor = view.findChild(QLineEdit, "titleEditor")
            QTest.keyClicks(editor, "Moon")
            QTest.keyClick(editor, Qt.Key.Key_Return)
            driver.wait_for(lambda: "# Moon" in rows(driver), "the folder by its name")
            click(driver, "Title 5")
            click(driver, "Title 3", keys=Qt.KeyboardModifier.ShiftModifier)
            assert [info.title for info in view.infos] == ["Title 5", "Title 4", "Title 3"]
            model = driver.window.sidebar.model
            dragged = model.mimeData(view.selectedIndexes())
            folder = model.row_of_folder(model.folders[0].id)
            assert model.dropMimeData(dragged, Qt.DropAction.MoveAction, -1, -1, folder)
            moon = ("# Moon", "Title 5", "Title 4", "Title 3")
            sees(driver, "# Pinned", "Title 2", *moon, "Title 1")
            click(driver, "Title 1", at_dots=True)
            pick(driver, "Delete")
            sees(driver, "# Pinned", "Title 2", *moon)
            driver.wait_for(driver.window.notices.action.isVisible, "the way back")
            QTest.mouseClick(driver.window.notices.action, Qt.MouseButton.LeftButton)
            sees(driver, "# Pinned", "Title 2", *moon, "Title 1")
            click(driver, "Title 1", at_dots=True)
            pick(driver, "Archive")
            sees(driver, "# Pinned", "Title 2", *moon, "# Archive")
            click(driver, "Moon")
            sees(driver, "# Pinned", "Title 2", "# Moon", "# Archive")
        with running_window(qapp, data) as driver:
            sees(driver, "# Pinned", "Title 2", "# Moon", "# Archive")
            driver.window.sidebar.filter.setText("title 1")
            sees(driver, "# Archive", "Title 1")
            click(driver, "Title 1")
            driver.wait_for_page("document.body.innerText.includes('Because of 1.')")
