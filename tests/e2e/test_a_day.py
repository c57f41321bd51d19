"""Ten things that people do every day, one after another in one window, with real keys and a real mouse."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget
from reportlab.pdfgen.canvas import Canvas

from desktop.ui.composer_popup import ChoicePopup
from desktop.ui.history_dialog import HistoryDialog
from desktop.ui.page_view import PageView
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.viewer import Viewer
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.site import running_site
from tests.e2e.window import Driver, configure, running_window

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
TEXT = "document.querySelector('#conversation').innerText"
CARD = "document.querySelector('#card').hidden ? '' : document.querySelector('#card').innerText"
PLACE = """(box => [box.left + box.width / 2, box.top + box.height / 2])(
    (e => (e.scrollIntoView({{block: 'center'}}), e))([...document.querySelectorAll({selector!r})].at(-1))
    .getBoundingClientRect())"""


class Person:
    """What one can do with two hands."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.window = driver.window
        self.composer = driver.window.composer

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click on a widget that can be seen."""
        assert widget.isVisible()
        QTest.mouseClick(widget, LEFT, pos=at or widget.rect().center())

    def place(self, selector: str) -> QPoint:
        """Return where the last of its kind is on the page."""
        self.driver.wait_for_page(f"document.querySelector({selector!r}) !== null")
        x, y = self.driver.script(PLACE.format(selector=selector))
        return QPoint(round(x), round(y))

    @property
    def page(self) -> QWidget:
        """What takes the mouse on the page."""
        return self.window.stage.page.findChild(PageView).focusProxy()

    def press(self, selector: str) -> None:
        """Click on the page."""
        QTest.mouseClick(self.page, LEFT, pos=self.place(selector))

    def hover(self, selector: str) -> str:
        """Rest the pointer on something and return what its card says."""
        QTest.mouseMove(self.page, QPoint(2, 2))
        QTest.mouseMove(self.page, self.place(selector))
        return str(self.driver.wait_for_page(CARD))

    def keys(self, text: str, widget: QWidget | None = None) -> None:
        """Type."""
        QTest.keyClicks(widget or self.composer.text, text)

    def key(
        self,
        key: Qt.Key,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
        widget: QWidget | None = None,
    ) -> None:
        """Press a key, with others held."""
        QTest.keyClick(widget or self.composer.text, key, modifiers)

    def ask(self, text: str) -> None:
        """Type a question, send it, wait for the answer."""
        self.keys(text)
        self.key(Qt.Key.Key_Return)
        self.driver.wait_for(lambda: self.window.desk.is_running, "the turn has begun")
        self.driver.wait_for(lambda: not self.window.desk.is_running, "the turn has ended")

    def come_back(self) -> None:
        """Turn to the window again, and to where one writes."""
        self.driver.frame.activateWindow()
        self.driver.wait_for(self.driver.frame.isActiveWindow, "the window in front")
        self.click(self.composer.text.viewport())
        assert self.composer.text.hasFocus()

    def drop(self, path: Path, target: QWidget) -> None:
        """Drop a file."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path))])
        where, copy, none = QPoint(5, 5), Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(target, QDragEnterEvent(where, copy, mime, LEFT, none))
        QApplication.sendEvent(target, QDropEvent(QPointF(where), copy, mime, LEFT, none))

    def opened(self, kind: type[QWidget]) -> QWidget:
        """Return the window of a kind that has just been opened."""

        def shown() -> list[QWidget]:
            return [
                top for top in QApplication.topLevelWidgets() if isinstance(top, kind) and top.isVisible()
            ]

        self.driver.wait_for(shown, f"a {kind.__name__}")
        return shown()[0]


@pytest.fixture
def site():
    with running_site() as running:
        yield running


@pytest.fixture
def server():
    with running_model_server() as running:
        yield running


@pytest.fixture
def keepers(tmp_path) -> Path:
    path = tmp_path / "keepers.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, "The first keeper of the Velmora lighthouse was Jonas Brandt.")
    canvas.showPage()
    canvas.save()
    return path


def test_ten_things_that_people_do_every_day(qapp, tmp_path, site, server, keepers):
    data = tmp_path / "data"
    configure(data, site, providers=[provider(server)], was_welcomed=False)
    with running_window(qapp, data) as driver:
        driver.frame.resize(1200, 860)
        person = Person(driver)
        begin(person)
        ask_the_web(person)
        hover_and_follow(person)
        copy_the_answer(person)
        ask_a_file(person, keepers)
        stop_an_answer(person, server)
        change_a_question(person, server)
        keep_the_list_tidy(person)
        find_what_was_said(person)
        change_the_language(person)


def begin(person: Person) -> None:
    """One: start, with neither key nor model."""
    person.driver.wait_for(lambda: person.window.stage.first_start, "the first start")
    person.click(person.window.stage.first_start.quotes.begin)
    person.driver.wait_for(lambda: person.window.stage.first_start is None, "an empty conversation")


def ask_the_web(person: Person) -> None:
    """Two: ask, and get an answer with sources."""
    person.ask("In which year was the lighthouse of Velmora built?")
    person.driver.wait_for_page(f"{TEXT}.includes('1873')")


def hover_and_follow(person: Person) -> None:
    """Three: look at what stands behind a number, and go there."""
    assert "It was built in 1873" in person.hover("a.citation")
    followed: list = []
    person.window.stage.page.source_followed.connect(followed.append)
    person.press("a.citation")
    person.driver.wait_for(lambda: followed, "the source was followed")
    assert followed[0].title == "The lighthouse of Velmora"


def copy_the_answer(person: Person) -> None:
    """Four: take an answer along, with its sources."""
    QGuiApplication.clipboard().clear()
    person.press(".answer [data-action=copy]")
    person.driver.wait_for(
        lambda: "1873" in QGuiApplication.clipboard().text(), "the answer in the clipboard"
    )
    assert "[^1]: [The lighthouse of Velmora]" in QGuiApplication.clipboard().text()


def ask_a_file(person: Person, keepers: Path) -> None:
    """Five: drop a file, ask about it, read the passage where it stands."""
    person.key(Qt.Key.Key_N, CTRL)
    person.drop(keepers, person.composer.text.viewport())
    assert person.composer.draft.files == (keepers,)
    person.ask("Who was the first keeper of the lighthouse?")
    person.driver.wait_for_page(f"{TEXT}.includes('Jonas Brandt')")
    assert "keepers.pdf" in person.hover("a.citation")
    person.press("a.citation")
    viewer = person.opened(Viewer)
    viewer.close()
    person.come_back()


def stop_an_answer(person: Person, server) -> None:
    """Six: pick a model by typing its name, and stop what it says."""
    server.pieces, server.hold_at = ("Half an answer", " and the rest"), 1
    person.key(Qt.Key.Key_N, CTRL)
    person.keys("@scri")
    popup = person.window.findChild(ChoicePopup)
    person.driver.wait_for(popup.isVisible, "the models to choose from")
    person.key(Qt.Key.Key_Return)
    person.driver.wait_for(lambda: person.composer.model.choice == "loopback/scripted", "the model is chosen")
    person.keys("Tell me")
    person.key(Qt.Key.Key_Return)
    person.driver.wait_for_page(f"{TEXT}.includes('Half an answer')")
    person.key(Qt.Key.Key_Escape)
    person.driver.wait_for(lambda: not person.window.desk.is_running, "the turn has stopped")
    assert "and the rest" not in person.driver.script(TEXT)


def change_a_question(person: Person, server) -> None:
    """Seven: say it better, and turn back to what was said before."""
    server.pieces, server.hold_at = ("A better answer.",), None
    person.press(".person [data-action=edit]")
    person.driver.wait_for(lambda: person.composer.draft.text == "Tell me", "the question to edit")
    person.key(Qt.Key.Key_End)
    person.ask(" more about keepers")
    person.driver.wait_for_page(f"{TEXT}.includes('A better answer.')")
    person.press(".person [data-action=earlier]")
    person.driver.wait_for_page(f"{TEXT}.includes('Half an answer')")


def keep_the_list_tidy(person: Person) -> None:
    """Eight: give a conversation a name, delete one, and bring it back."""
    sidebar, driver = person.window.sidebar, person.driver
    driver.wait_for(lambda: len(sidebar.model.ids) == 3, "three conversations")
    row = sidebar.view.visualRect(sidebar.view.currentIndex()).center()
    person.click(sidebar.view.viewport(), row)
    person.key(Qt.Key.Key_F2, widget=sidebar.view)
    driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QLineEdit), "the name to edit")
    person.keys("Keepers", QApplication.focusWidget())
    person.key(Qt.Key.Key_Return, widget=QApplication.focusWidget())
    driver.wait_for(lambda: "Keepers" in driver.frame.windowTitle(), "the new name")
    person.key(Qt.Key.Key_Delete, widget=sidebar.view)
    driver.wait_for(lambda: len(sidebar.model.ids) == 2, "one less")
    person.click(person.window.notices.action)
    driver.wait_for(lambda: len(sidebar.model.ids) == 3, "all of them")


def find_what_was_said(person: Person) -> None:
    """Nine: search all that was ever said, and go there."""
    person.key(Qt.Key.Key_F, CTRL | SHIFT)
    dialog = person.opened(HistoryDialog)
    person.keys("1873 engineer", dialog.words)
    person.driver.wait_for(lambda: dialog.model.rowCount() > 0, "hits")
    person.key(Qt.Key.Key_Return, widget=dialog.words)
    person.driver.wait_for_page(f"{TEXT}.includes('In which year')")


def change_the_language(person: Person) -> None:
    """Ten: set something, found by its name; it is so at once."""
    person.come_back()
    person.key(Qt.Key.Key_Comma, CTRL)
    dialog = person.opened(SettingsDialog)
    person.keys("language", dialog.side.field)
    person.driver.wait_for(dialog.side.hits.count, "what is called so")
    person.key(Qt.Key.Key_Return, widget=dialog.side.field)
    person.driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QComboBox), "the choice")
    person.key(Qt.Key.Key_End, widget=QApplication.focusWidget())
    person.driver.wait_for(lambda: dialog.windowTitle() == "设置", "the window in Chinese")
    assert person.composer.text.placeholderText().startswith("想问什么")
    dialog.close()
    # The language is the application's: whoever comes next in this process speaks English.
    settings = person.window.store.settings
    person.window.store.apply(replace(settings, window=replace(settings.window, language="en")))
    person.driver.wait_for(
        lambda: person.composer.text.placeholderText().startswith("Ask anything"), "the window in English"
    )
