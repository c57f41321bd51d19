"""A person at the whole program for the first time, with mouse and keys alone: what people do every day, end to end."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QWidget

from desktop.ui.history_dialog import HistoryDialog
from desktop.ui.settings.dialog import SettingsDialog
from tests.e2e.site import running_site
from tests.e2e.test_filing import click, shown
from tests.e2e.window import Driver, configure, running_window

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CARD = "document.querySelector('#card').hidden ? '' : document.querySelector('#card').innerText"
TEXT = "document.querySelector('#conversation').innerText"


class Person:
    """Hands and eyes: nothing is done to the program but by events of mouse and keyboard."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.window = driver.window

    def press(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key wherever the keyboard is."""
        target = QApplication.activeModalWidget() or self.driver.frame
        QTest.keyClick(QApplication.focusWidget() or target, key, keys)

    def type(self, text: str) -> None:
        """Type wherever the keyboard is."""
        focused = QApplication.focusWidget()
        assert focused is not None, "the keyboard is nowhere"
        QTest.keyClicks(focused, text)

    def ask(self, text: str) -> None:
        """Type a question and send it with Enter."""
        self.press(Qt.Key.Key_L, CTRL)
        self.type(text)
        self.press(Qt.Key.Key_Return)
        self.driver.wait_for(lambda: self.window.desk.is_running, "the turn has begun")
        self.driver.wait_for(lambda: not self.window.desk.is_running, "the turn has ended")

    def point_at(self, element: str, *, clicks: bool = False) -> None:
        """Move the mouse over something on the page, and click it."""
        self.driver.wait_for_page(f"!!{element}")
        self.driver.script(f"{element}.scrollIntoView({{block: 'center'}})")
        box = self.driver.script(
            f"(b => [b.left + b.width / 2, b.top + b.height / 2])({element}.getBoundingClientRect())"
        )
        view = self.window.stage.page.tab_stops[-1]
        assert isinstance(view, QWidget)
        at = QPoint(round(box[0]), round(box[1]))
        QTest.mouseMove(view, at + QPoint(40, 60))
        QTest.mouseMove(view, at)
        if clicks:
            QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)

    def sees(self, words: str) -> None:
        """Wait until words are on the page."""
        self.driver.wait_for_page(f"{TEXT}.includes({words!r})")


def dialog_of(driver: Driver, kind: type[QDialog]) -> QDialog:
    driver.wait_for(lambda: any(each.isVisible() for each in driver.frame.findChildren(kind)), kind.__name__)
    return next(each for each in driver.frame.findChildren(kind) if each.isVisible())


def test_ten_things_that_people_do(qapp, tmp_path):
    with running_site() as site:
        configure(tmp_path / "data", site)
        with running_window(qapp, tmp_path / "data") as driver:
            driver.frame.activateWindow()
            driver.wait_for(driver.frame.isActiveWindow, "the window is active")
            person = Person(driver)

            # 1 ask, and 2 look at what a number stands for
            person.ask("In which year was the lighthouse of Velmora built?")
            person.sees("1873")
            person.point_at("document.querySelector('a.citation')")
            assert "The lighthouse of Velmora" in str(driver.wait_for_page(CARD))

            # 3 copy the answer with its sources
            person.press(Qt.Key.Key_C, CTRL | SHIFT)
            driver.wait_for(
                lambda: "1873" in QGuiApplication.clipboard().text(), "the answer on the clipboard"
            )
            assert site.origin.rpartition(":")[2] in QGuiApplication.clipboard().text()

            # 4 put the question in other words
            person.point_at("document.querySelector('[data-action=edit]')", clicks=True)
            driver.wait_for(lambda: person.window.composer.draft.text.startswith("In which"), "the question")
            driver.wait_for(person.window.composer.text.hasFocus, "the keyboard in the message")
            person.press(Qt.Key.Key_A, CTRL)
            person.type("Who built the lighthouse of Velmora?")
            person.press(Qt.Key.Key_Return)
            # The answer to the question before names her as well: it is still to be seen at first.
            driver.wait_for(lambda: person.window.desk.is_running, "the turn has begun")
            driver.wait_for(lambda: not person.window.desk.is_running, "the turn has ended")
            person.sees("Ada Korsten")

            # 5 find words in the conversation
            person.press(Qt.Key.Key_F, CTRL)
            bar = person.window.stage.page.find_bar
            driver.wait_for(bar.words.hasFocus, "the keyboard in the bar")
            person.type("Korsten")
            driver.wait_for(lambda: bar.count.text().startswith("1 of"), "the words are found")
            person.press(Qt.Key.Key_Escape)

            # 6 begin another conversation, 7 rename it, and 8 go back to the first
            person.press(Qt.Key.Key_N, CTRL)
            person.ask("What is a tombolo?")
            driver.wait_for(lambda: "What is a tombolo?" in shown(driver), "it is in the list")
            click(driver, "What is a tombolo?")
            person.press(Qt.Key.Key_F2)
            driver.wait_for(
                lambda: isinstance(QApplication.focusWidget(), QLineEdit), "the field for the name"
            )
            person.press(Qt.Key.Key_A, CTRL)
            person.type("Sandbars")
            person.press(Qt.Key.Key_Return)
            driver.wait_for(lambda: "Sandbars" in shown(driver), "the new name")
            first = next(title for title in shown(driver) if "lighthouse" in title)
            click(driver, first)
            person.sees("Ada Korsten")

            # 9 delete one, and take it back
            click(driver, "Sandbars")
            person.press(Qt.Key.Key_Delete)
            driver.wait_for(lambda: "Sandbars" not in shown(driver), "it is gone")
            driver.wait_for(person.window.notices.action.isVisible, "the way back")
            QTest.mouseClick(person.window.notices.action, Qt.MouseButton.LeftButton)
            driver.wait_for(lambda: "Sandbars" in shown(driver), "it is back")

            # 10 change how it looks
            person.press(Qt.Key.Key_Comma, CTRL)
            settings = dialog_of(driver, SettingsDialog)
            driver.wait_for(settings.isActiveWindow, "the settings")
            before = driver.frame.grab().toImage().pixelColor(5, 5)
            person.press(Qt.Key.Key_F, CTRL)
            person.type("theme")
            person.press(Qt.Key.Key_Return)
            for _ in range(2):
                person.press(Qt.Key.Key_Down)
            driver.wait_for(
                lambda: driver.frame.grab().toImage().pixelColor(5, 5) != before, "another look of the window"
            )
            person.press(Qt.Key.Key_Escape)
            driver.wait_for(lambda: not settings.isVisible(), "the settings are closed")
            driver.frame.activateWindow()  # as every desktop does; there is none here
            driver.wait_for(driver.frame.isActiveWindow, "the window is active again")

            # and find again what was said long ago
            person.press(Qt.Key.Key_F, CTRL | SHIFT)
            history = dialog_of(driver, HistoryDialog)
            driver.wait_for(history.words.hasFocus, "the keyboard in the search")
            person.type("Korsten")
            driver.wait_for(lambda: history.model.rowCount() > 0, "hits")
            person.press(Qt.Key.Key_Return)
            driver.wait_for(lambda: person.window.desk.current != "", "the conversation of the hit")
            person.sees("Ada Korsten")
