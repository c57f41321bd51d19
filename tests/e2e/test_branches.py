"""A person who changes their mind, with real keys and a real mouse: edits, turns back, asks again, deletes, restarts."""

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from desktop.ui.page_view import PageView
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.window import running_window

SAID = (
    "[...document.querySelectorAll('.message')].map(e => e.querySelector('.bubble, .text').innerText.trim())"
)
PLACE = """(box => [box.left + box.width / 2, box.top + box.height / 2])(
    (e => (e.scrollIntoView({{block: 'center'}}), e))(document.querySelector({selector!r})).getBoundingClientRect())"""


@pytest.fixture
def server():
    with running_model_server() as running:
        yield running


@pytest.fixture
def data(tmp_path, server):
    folder = tmp_path / "data"
    folder.mkdir()
    settings = {
        "was_welcomed": True,
        "chat": {"model": "loopback/scripted"},
        "search": {"choice": "off"},
        "providers": [provider(server)],
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder


def said(driver, count):
    driver.wait_for_page(f"{SAID}.length === {count}")
    return driver.script(SAID)


def press(driver, selector):
    """Click on the page where something is to be seen."""
    driver.wait_for_page(f"!!document.querySelector({selector!r})")
    # Nothing moves any more.
    driver.wait_for(lambda: driver.window.stage.page.is_whole, "a page that shows all it was given")
    x, y = driver.script(PLACE.format(selector=selector))
    view = driver.window.stage.page.findChild(PageView)
    QTest.mouseClick(view.focusProxy(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))


def menu_of(driver):
    def shown():
        return [menu for menu in driver.window.stage.page.findChildren(QMenu) if menu.isVisible()]

    driver.wait_for(shown, "a menu")
    return shown()[0]


def ended(driver):
    driver.wait_for(lambda: driver.window.desk.is_running, "the turn has begun")
    driver.wait_for(lambda: not driver.window.desk.is_running, "the turn has ended")


def test_a_person_who_changes_their_mind_loses_nothing(qapp, data, server):
    with running_window(qapp, data) as driver:
        composer = driver.window.composer
        server.pieces = ("Jonas Brandt.",)
        driver.ask("Who was the first keeper?")
        first = ["Who was the first keeper?", "Jonas Brandt."]
        assert said(driver, 2) == first
        server.pieces = ("Ada Korsten.",)
        press(driver, ".person [data-action=edit]")
        driver.wait_for(lambda: composer.draft.text == first[0], "the question to edit")
        QTest.keyClick(composer.text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(composer.text, "Who was the second keeper?")
        QTest.keyClick(composer.text, Qt.Key.Key_Return)
        ended(driver)
        assert said(driver, 2) == ["Who was the second keeper?", "Ada Korsten."]
        server.pieces = ("It was Ada.",)
        press(driver, ".answer [data-action=retry]")
        ended(driver)
        second = ["Who was the second keeper?", "It was Ada."]
        driver.wait_for_page("document.querySelectorAll('.variants').length === 2")
        assert said(driver, 2) == second
    with running_window(qapp, data) as driver:
        driver.wait_for(lambda: driver.window.sidebar.model.ids, "the conversation is listed")
        driver.window.desk.open(next(iter(driver.window.sidebar.model.ids)))
        assert said(driver, 2) == second
        press(driver, ".person [data-action=earlier]")
        driver.wait_for_page(f"{SAID}[0] === {first[0]!r}")
        assert said(driver, 2) == first
        press(driver, ".answer [data-action=more]")
        menu = menu_of(driver)
        entry = next(entry for entry in menu.actions() if entry.objectName() == "delete")
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
        assert said(driver, 1) == first[:1]
        QTest.mouseClick(driver.window.notices.action, Qt.MouseButton.LeftButton)
        assert said(driver, 2) == first
    # What was asked and answered in one version was never told in another one.
    assert ["Jonas" in json.dumps(request["messages"]) for request in server.requests] == [False] * 3
