from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu

from desktop.domain.messages import ConversationInfo
from desktop.ui.sidebar.conversation_model import ConversationModel, HeadingRole, IdRole, RunningRole
from desktop.ui.sidebar.sidebar import Sidebar
from tests.ui.accessible import remove_access_key

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def info(number: int, title: str, days: float = 0) -> ConversationInfo:
    moment = NOW - timedelta(days=days)
    return ConversationInfo(f"c{number}", title, moment, moment)


INFOS = (
    info(1, "Tides", 0),
    info(2, "量子计算", 0.1),
    info(3, "Lisbon", 1),
    info(4, "Caching", 4),
    info(5, "Kant", 60),
)


@pytest.fixture
def model(qapp):
    model = ConversationModel(now=lambda: NOW)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield model
    tester.deleteLater()


def texts(model: ConversationModel) -> list[str]:
    rows = [model.index(row) for row in range(model.rowCount())]
    return [f"# {index.data()}" if index.data(HeadingRole) else index.data() for index in rows]


def test_conversations_stand_under_the_heading_of_their_date(model):
    model.show(reversed(INFOS))
    assert texts(model) == [
        "# Today",
        "Tides",
        "量子计算",
        "# Yesterday",
        "Lisbon",
        "# Previous 7 days",
        "Caching",
        "# January",
        "Kant",
    ]
    assert model.ids == ("c1", "c2", "c3", "c4", "c5")


def test_filter_ignores_case_and_drops_empty_headings(model):
    model.show(INFOS)
    model.set_filter("kAN")
    assert texts(model) == ["# January", "Kant"]
    model.set_filter("量子")
    assert texts(model) == ["# Today", "量子计算"]
    model.set_filter("nothing like it")
    assert model.rowCount() == 0
    model.set_filter("")
    assert model.rowCount() == 9


def test_every_change_keeps_the_model_consistent(model):
    model.show(INFOS)
    model.show((INFOS[4], *INFOS[:3]))
    model.show((info(5, "Kant", -0.01), *INFOS[:4]))
    assert texts(model)[:2] == ["# Today", "Kant"]
    model.show(())
    model.show(INFOS)
    model.set_running(frozenset({"c2"}))
    assert model.row_of("c2").data(RunningRole)
    assert not model.row_of("c1").data(RunningRole)


def test_a_change_elsewhere_leaves_other_rows_where_they_are(model, qtbot):
    model.show(INFOS)
    kept = model.row_of("c4")
    removed = []
    model.rowsRemoved.connect(lambda _parent, first, last: removed.append((first, last)))
    model.show([entry for entry in INFOS if entry.id != "c2"])
    assert removed == [(2, 2)]
    assert model.row_of("c4").row() == kept.row() - 1


def test_headings_cannot_be_picked_and_untitled_conversations_have_a_name(model):
    model.show((info(1, ""),))
    assert model.flags(model.index(0)) == Qt.ItemFlag.ItemIsDropEnabled
    assert model.index(1).data() == "New chat"
    assert model.index(1).data(Qt.ItemDataRole.EditRole) == ""
    assert model.title_of("c1") == "New chat"


def test_a_new_title_is_asked_for_and_not_taken_for_granted(model, qtbot):
    model.show(INFOS)
    index = model.row_of("c1")
    with qtbot.wait_signal(model.renamed) as renamed:
        assert model.setData(index, "  Tides and moon ")
    assert renamed.args == ["c1", "Tides and moon"]
    assert index.data() == "Tides"
    assert not model.setData(index, "   ")
    assert not model.setData(index, "Tides")
    assert not model.setData(model.index(0), "heading")


def test_dates_move_on_at_midnight(qapp):
    now = [NOW]
    model = ConversationModel(now=lambda: now[0])
    model.show(INFOS[:1])
    now[0] = NOW + timedelta(days=1)
    model.refresh_dates()
    assert texts(model) == ["# Yesterday", "Tides"]


@pytest.fixture
def sidebar(qtbot):
    sidebar = Sidebar()
    qtbot.add_widget(sidebar)
    sidebar.resize(250, 600)
    sidebar.show()
    today = datetime.now(UTC)
    sidebar.show_conversations(
        tuple(
            ConversationInfo(f"c{n}", f"Title {n}", today, today - timedelta(seconds=n)) for n in range(1, 6)
        )
    )
    return sidebar


def click(qtbot, sidebar, conversation_id, at=None):
    area = sidebar.view.visualRect(sidebar.model.row_of(conversation_id))
    point = at(area) if at else area.center()
    qtbot.mouseClick(sidebar.view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def test_click_and_enter_open_a_conversation(sidebar, qtbot):
    with qtbot.wait_signal(sidebar.view.chosen) as chosen:
        click(qtbot, sidebar, "c2")
    assert chosen.args == ["c2"]
    sidebar.view.setCurrentIndex(sidebar.model.row_of("c4"))
    with qtbot.wait_signal(sidebar.view.chosen) as chosen:
        qtbot.keyClick(sidebar.view, Qt.Key.Key_Return)
    assert chosen.args == ["c4"]


def test_arrow_keys_jump_over_headings(sidebar, qtbot):
    sidebar.view.setCurrentIndex(QModelIndex())
    qtbot.keyClick(sidebar.view, Qt.Key.Key_Down)
    assert sidebar.view.currentIndex().data(IdRole) == "c1"


def test_a_title_is_typed_in_place(sidebar, qtbot):
    sidebar.view.rename(sidebar.model.row_of("c2"))
    editor = sidebar.view.findChild(type(sidebar.filter), "titleEditor")
    assert editor.text() == "Title 2"
    renamed = []
    sidebar.model.renamed.connect(lambda *args: renamed.append(args))
    editor.setText("Renamed")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: renamed == [("c2", "Renamed")])


def test_the_dots_open_the_menu_and_not_the_conversation(sidebar, qtbot):
    chosen = []
    sidebar.view.chosen.connect(chosen.append)
    click(qtbot, sidebar, "c2", at=lambda area: QPoint(area.right() - 8, area.center().y()))
    (menu,) = [menu for menu in sidebar.view.findChildren(QMenu) if menu.isVisible()]
    assert "Rename" in [remove_access_key(action.text()) for action in menu.actions()]
    assert chosen == []
    menu.close()


def test_the_filter_opens_the_first_match_and_says_when_there_is_none(sidebar, qtbot):
    sidebar.filter.setText("title 3")
    with qtbot.wait_signal(sidebar.view.chosen) as chosen:
        qtbot.keyClick(sidebar.filter, Qt.Key.Key_Return)
    assert chosen.args == ["c3"]
    sidebar.filter.setText("no such title")
    assert not sidebar.view.isVisible()


def test_selection_survives_a_new_order(sidebar):
    sidebar.select("c5")
    today = datetime.now(UTC)
    infos = [
        ConversationInfo(f"c{n}", f"Title {n}", today, today - timedelta(seconds=n)) for n in range(1, 5)
    ]
    sidebar.show_conversations((ConversationInfo("c5", "Title 5", today, today), *infos))
    assert sidebar.view.currentIndex().data(IdRole) == "c5"
    sidebar.select("")
    assert not sidebar.view.currentIndex().isValid()


def test_neighbours_go_round(sidebar):
    sidebar.select("c5")
    assert sidebar.neighbour(1) == "c1"
    sidebar.select("c1")
    assert sidebar.neighbour(-1) == "c5"
    sidebar.select("")
    assert sidebar.neighbour(1) == "c1"
