"""The small parts that panels are made of."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import (
    MAX_NAME_CHARS,
    MAX_TIP_CHARS,
    ElidedLabel,
    WrappingRow,
    plain_tip,
    show_progress,
    vbox,
)
from desktop.ui.window.chat_parts import ChatPane
from tests.cases import cases

LONG = "How the tides of the bay were reckoned before anybody had a table of them " * 20


@pytest.fixture
def line(qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    line = ElidedLabel(window)
    line.resize(200, 30)
    window.show()
    yield line
    window.close()


@cases("words", [LONG, "潮" * 500, "مرحبا بالعالم " * 50, "🌊" * 200])
def test_what_has_no_room_is_cut_and_told_whole(line, words):
    line.show_words(words)
    assert line.text().endswith("…")
    assert line.fontMetrics().horizontalAdvance(line.text()) <= 200
    assert (line.toolTip(), line.accessibleName()) == (words, words)


def test_what_has_room_again_is_shown_whole(line):
    line.show_words("How the tides of the bay were reckoned")
    line.resize(40, 30)
    assert line.text().endswith("…")
    line.resize(2_000, 30)
    assert line.text() == "How the tides of the bay were reckoned"
    assert line.toolTip() == ""


def test_a_long_title_does_not_widen_the_window(qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    pane = ChatPane(window)
    pane.header.show_title("Tides")
    narrow = pane.minimumSizeHint().width()
    pane.header.show_title(LONG)
    assert pane.minimumSizeHint().width() == narrow


def test_a_name_of_a_megabyte_is_cut_before_it_is_laid_out(qtbot):
    line = ElidedLabel(None)
    qtbot.addWidget(line)
    line.show_words("x" * 1_000_000)
    assert len(line.words) == MAX_NAME_CHARS
    assert len(plain_tip("<b>" + "x" * 1_000_000)) < 2 * MAX_TIP_CHARS


@cases(
    "done, total, shown",
    [(0, 0, (0, -1)), (0, 4, (1_000, 0)), (1, 4, (1_000, 250)), (3 * 2**30, 3 * 2**31, (1_000, 500))],
)
def test_a_bar_shows_how_far_it_is_however_many_bytes_there_are(qtbot, done, total, shown):
    bar = QProgressBar()
    qtbot.add_widget(bar)
    show_progress(bar, 0, 0)
    show_progress(bar, done, total)
    assert (bar.maximum(), bar.value()) == shown


def test_a_row_whose_widgets_are_being_deleted_still_has_a_size(qtbot):
    holder = QWidget()
    qtbot.add_widget(holder)
    column = vbox(holder)
    row = WrappingRow()
    row.addWidget(QLabel("One", holder))
    row.addWidget(QLabel("Two", holder))
    column.addLayout(row)
    wide = row.sizeHint().width()
    shiboken6.invalidate(row.itemAt(1))  # as when Python collects a window before Qt has deleted it
    holder.show()
    assert row.count() == 1
    assert row.itemAt(1) is None
    assert row.minimumSize().width() <= row.sizeHint().width() < wide


@cases("has_text", [True, False])
def test_an_icon_beside_text_grows_with_the_text(qtbot, has_text):
    button = IconButton("plus")
    qtbot.add_widget(button)
    button.setText("New chat")
    if has_text:
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    before, font = button.iconSize().height(), button.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    button.setFont(font)
    assert (button.iconSize().height() > before * 1.5) == has_text
