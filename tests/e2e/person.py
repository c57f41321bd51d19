"""A person at the whole program: nothing is done to it but by events of mouse and keyboard."""

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from desktop.ui.sidebar.conversation_model import HeadingRole
from desktop.ui.transcript.web_page import PageView
from tests.dragging import dragged_files, drop
from tests.e2e.window import Driver
from tests.ui.accessible import remove_access_key

_W = TypeVar("_W", bound=QWidget)

_LEFT = Qt.MouseButton.LeftButton
_NONE = Qt.KeyboardModifier.NoModifier
_TEXT = "document.querySelector('#conversation').innerText"
_CARD = "document.querySelector('#card').hidden ? '' : document.querySelector('#card').innerText"
_PLACE = """(box => [box.left + box.width / 2, box.top + box.height / 2])(
    (e => (e.scrollIntoView({{block: 'center'}}), e))([...document.querySelectorAll({selector!r})].at(-1))
    .getBoundingClientRect())"""


class Person:
    """Hands and eyes; the keyboard is where it would be."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.window = driver.window

    def come_back(self) -> None:
        """Turn to the window, and to where one writes."""
        text = self.window.composer.text
        self._bring_to_front()
        self.click(text.viewport())
        self.driver.wait_for(text.hasFocus, "the keyboard in the message")

    def _bring_to_front(self) -> None:
        """Do what every desktop does when another window closes; there is none here."""
        self.driver.frame.activateWindow()
        self.driver.wait_for(self.driver.frame.isActiveWindow, "the window in front")

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = _NONE) -> None:
        """Press a key, with others held."""
        QTest.keyClick(
            QApplication.focusWidget() or QApplication.activeModalWidget() or self.driver.frame,
            key,
            modifiers,
        )

    def write(self, text: str) -> None:
        """Type."""
        focused = QApplication.focusWidget()
        assert focused is not None, "the keyboard is nowhere"
        QTest.keyClicks(focused, text)

    def click(self, widget: QWidget, at: QPoint | None = None, keys: Qt.KeyboardModifier = _NONE) -> None:
        """Click on a widget that can be seen, or will be."""
        self.driver.wait_for(widget.isVisible, f"{widget} to click on")
        QTest.mouseClick(widget, _LEFT, keys, at or widget.rect().center())

    def drop(self, path: Path, target: QWidget) -> None:
        """Drop a file."""
        assert drop(target, QPoint(5, 5), dragged_files(path))

    def send(self) -> None:
        """Send what is written and wait for the answer."""
        self.key(Qt.Key.Key_Return)
        self.wait_for_answer()

    def ask(self, text: str) -> None:
        """Go to where one writes, type a question, send it, wait for the answer."""
        self.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
        self.write(text)
        self.send()

    def wait_for_answer(self) -> None:
        """Wait until what was asked for is answered, or has ended otherwise."""
        self.driver.wait_for(lambda: self.window.sessions.is_running, "the turn has begun")
        self.driver.wait_for(lambda: not self.window.sessions.is_running, "the turn has ended")

    # The page

    def sees(self, words: str, *, without: str = "") -> None:
        """Wait until words are on the page, and others that were there are not."""
        others = f" && !{_TEXT}.includes({without!r})" if without else ""
        try:
            self.driver.wait_for_page(f"{_TEXT}.includes({words!r}){others}")
        except AssertionError as error:
            error.add_note(f"What is on the page: {self.text}")
            raise

    @property
    def text(self) -> str:
        """What is on the page."""
        return str(self.driver.script(_TEXT))

    def press(self, selector: str) -> None:
        """Click on the last of its kind on the page."""
        at = self._place(selector)
        QTest.mouseClick(self._page, _LEFT, pos=at)

    def hover(self, selector: str) -> str:
        """Rest the pointer on the last of its kind and return what its card says."""
        at = self._place(selector)
        QTest.mouseMove(self._page, QPoint(2, 2))
        QTest.mouseMove(self._page, at)
        return str(self.driver.wait_for_page(_CARD))

    @property
    def _page(self) -> QWidget:
        page = self.window.transcripts.page
        assert page is not None
        return page.findChild(PageView).focusProxy()

    def _place(self, selector: str) -> QPoint:
        self.driver.wait_for_page(f"document.querySelector({selector!r}) !== null")
        page = self.window.transcripts.page
        assert page is not None
        self.driver.wait_for(lambda: page.is_whole, "a page on which nothing moves any more")
        x, y = self.driver.script(_PLACE.format(selector=selector))
        return QPoint(round(x), round(y))

    # The list

    @property
    def listed(self) -> list[str]:
        """What the list shows, headings with a # before them."""
        model = self.window.sidebar.model
        found = [model.index(row) for row in range(model.rowCount())]
        return [f"# {index.data()}" if index.data(HeadingRole) else index.data() for index in found]

    def choose(self, title: str, keys: Qt.KeyboardModifier = _NONE, *, at_dots: bool = False) -> None:
        """Click on a row of the list, or on the dots at its end."""
        self.driver.wait_for(lambda: title in self._titles, f"{title} in the list")
        view, model = self.window.sidebar.view, self.window.sidebar.model
        area = view.visualRect(model.index(self._titles.index(title)))
        at = QPoint(area.right() - 8, area.center().y()) if at_dots else area.center()
        self.click(view.viewport(), at, keys)

    @property
    def _titles(self) -> list[str]:
        return [text.removeprefix("# ") for text in self.listed]

    # What opens

    def opened(self, kind: type[_W]) -> _W:
        """Return the window of a kind that has just been opened, once it has the keyboard."""

        def shown() -> list[_W]:
            tops = QApplication.topLevelWidgets()
            return [top for top in tops if isinstance(top, kind) and top.isVisible()]

        self.driver.wait_for(shown, f"a {kind.__name__}")
        [window] = shown()
        self.driver.wait_for(window.isActiveWindow, f"the {kind.__name__} in front")
        return window

    def pick(self, words: str) -> None:
        """Click what the open menu offers, by its words or by the name of its action."""

        def entries() -> list[tuple[QMenu, QPoint]]:
            menus = [each for each in self.window.findChildren(QMenu) if each.isVisible()]
            return [
                (menu, menu.actionGeometry(action).center())
                for menu in menus
                for action in menu.actions()
                if words in {remove_access_key(action.text()), action.objectName()}
            ]

        self.driver.wait_for(entries, f"{words} in a menu")
        menu, at = entries()[0]
        self.click(menu, at)
        self._bring_to_front()
