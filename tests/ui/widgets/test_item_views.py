"""How one list of rows becomes another."""

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from desktop.ui.widgets.item_views import MOST_RUNS, diff, paint_row_background
from tests.cases import cases

ROWS = st.lists(st.integers(0, 40), unique=True, max_size=40)


def same(row):
    return row


@given(ROWS, ROWS)
def test_following_the_changes_makes_the_new_list(old, new):
    todo = diff(old, new, same)
    rows = list(old)
    for first, last in todo.removed:
        del rows[first : last + 1]
    assert sorted(rows) == sorted(todo.staying)
    assert todo.is_sorted == (rows == list(todo.staying))
    rows = list(todo.staying)
    for first, last in todo.added:
        rows[first:first] = new[first : last + 1]
    assert rows == new


@given(ROWS)
def test_nothing_is_done_where_nothing_differs(rows):
    todo = diff(rows, rows, same)
    assert (todo.removed, todo.added, todo.is_sorted) == ((), (), True)


def test_stretches_are_counted_and_not_rows():
    assert not diff(range(10_000), range(5_000), same).are_many
    assert diff(range(4 * MOST_RUNS), range(0, 4 * MOST_RUNS, 2), same).are_many


State = QStyle.StateFlag
AREA = QRect(0, 0, 60, 40)
PAPER = QColor("#ffffff")
GROUNDS = {
    QPalette.ColorRole.Dark: QColor("#111111"),
    QPalette.ColorRole.Midlight: QColor("#dddddd"),
    QPalette.ColorRole.Highlight: QColor("#0000ff"),
}


@cases(
    "state, ground, edge",
    [
        (State.State_Enabled, "#ffffff", "#ffffff"),
        (State.State_HasFocus, "#ffffff", "#ffffff"),
        (State.State_MouseOver, "#dddddd", "#dddddd"),
        (State.State_Selected | State.State_MouseOver, "#111111", "#111111"),
        (State.State_Selected | State.State_HasFocus, "#111111", "#0000ff"),
    ],
)
def test_a_row_shows_whether_it_is_pointed_at_selected_and_where_the_keyboard_is(state, ground, edge, qapp):
    option = QStyleOptionViewItem()
    option.state = state
    for role, colour in GROUNDS.items():
        option.palette.setColor(role, colour)
    image = QImage(AREA.size(), QImage.Format.Format_RGB32)
    image.fill(PAPER)
    painter = QPainter(image)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    paint_row_background(painter, option, AREA, 8)
    painter.end()
    assert image.pixelColor(AREA.center()).name() == ground
    assert image.pixelColor(AREA.center().x(), 0).name() == edge
