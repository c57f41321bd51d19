"""The bar for finding words, and its keys; what is found is the page's business."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from desktop.render.page.find import FindState
from desktop.ui.transcript.find_bar import FindBar
from tests.cases import cases


@pytest.fixture
def bar(qtbot):
    window = QWidget()
    qtbot.window = window  # kept: the bar goes with its window
    window.resize(500, 60)
    bar = FindBar(window)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    bar.begin()
    qtbot.waitUntil(bar.words.hasFocus)
    return bar


@cases(
    "found, text, can_step",
    [
        (FindState("", 0, 0, is_complete=True), "", False),
        (FindState("tide", 3, 17, is_complete=True), "3 of 17", True),
        (FindState("tide", 1, 5, is_complete=False), "1 of 5…", True),
        (FindState("tide", 0, 0, is_complete=True), "Not found", False),
    ],
)
def test_it_says_how_far_the_search_has_come(bar, found, text, can_step):
    bar.show_found(found)
    assert bar.count.text() == text
    assert bar.words.accessibleDescription() == text
    assert bar.next.isEnabled() is bar.previous.isEnabled() is can_step


def test_what_is_typed_is_searched_and_enter_goes_on_and_back(bar, qtbot):
    with qtbot.waitSignal(bar.changed) as changed:
        bar.words.insert("潮")
    assert changed.args == ["潮"]
    for modifier, step in ((Qt.KeyboardModifier.NoModifier, 1), (Qt.KeyboardModifier.ShiftModifier, -1)):
        with qtbot.waitSignal(bar.step_asked) as asked:
            qtbot.keyClick(bar.words, Qt.Key.Key_Return, modifier)
        assert asked.args == [step]


def test_escape_ends_the_search_and_not_what_the_window_does(bar, qtbot):
    stopped = []
    shortcut = QShortcut(QKeySequence("Esc"), bar.window())
    shortcut.activated.connect(lambda: stopped.append(1))
    bar.words.setText("tide")
    with qtbot.waitSignals([bar.changed, bar.closed]):
        qtbot.keyClick(bar.words, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert not stopped


def test_it_begins_again_with_the_words_of_the_last_time(bar, qtbot):
    bar.words.setText("tide")
    bar.finish()
    with qtbot.waitSignal(bar.changed) as changed:
        bar.begin()
    assert changed.args == ["tide"]
    assert bar.words.selectedText() == "tide"
