"""Pins, folders and the archive in the list of conversations: rows, keys, mouse, and what is dragged."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLineEdit, QMenu

from desktop.domain.messages import OUTSIDE, ConversationInfo, Folder, LabelColor, Placement, PlacementChange
from desktop.ui.sidebar.conversation_groups import ARCHIVED, MANY_ROWS, PINNED, GroupKind, folder_positions
from desktop.ui.sidebar.conversation_model import MIME, ConversationModel, HeadingRole, OpenRole
from desktop.ui.sidebar.sidebar import Sidebar
from tests.cases import cases
from tests.ui.accessible import remove_access_key

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
WORK, PLAY = Folder("w", "Work"), Folder("p", "play 2", LabelColor.RED)


def info(number: int, days: float = 0, place: Placement = OUTSIDE, title: str = "") -> ConversationInfo:
    moment = NOW - timedelta(days=days)
    return ConversationInfo(f"c{number}", title or f"Title {number}", moment, moment, place=place)


INFOS = (
    info(1),
    info(2, 1, Placement(folder="w")),
    info(3, 2, Placement(is_pinned=True, folder="w")),
    info(4, 3, Placement(folder="p")),
    info(5, 400, Placement(folder="gone")),
    info(6, 5, Placement(is_archived=True, folder="w")),
)


@pytest.fixture
def model(qapp, translations):
    translations.use("en")
    model = ConversationModel(now=lambda: NOW)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield model
    tester.deleteLater()


def texts(model):
    rows = [model.index(row) for row in range(model.rowCount())]
    return [f"# {index.data()}" if index.data(HeadingRole) else index.data() for index in rows]


def fill(model):
    model.show_folders((WORK, PLAY))
    model.show(INFOS)
    return model


def test_pins_folders_dates_and_the_archive_follow_each_other(model):
    fill(model)
    assert texts(model) == [
        "# Pinned",
        "Title 3",
        "# play 2",
        "Title 4",
        "# Work",
        "Title 2",
        "# Today",
        "Title 1",
        "# February 2025",
        "Title 5",
        "# Archive",
    ]


def test_a_closed_folder_hides_what_it_has_until_something_is_looked_for(model):
    fill(model)
    model.show_folders((replace(WORK, is_open=False), PLAY))
    assert not model.row_of("c2").isValid()
    model.set_filter("title 2")
    assert texts(model) == ["# Work", "Title 2"]
    model.set_filter("title 6")
    assert texts(model) == ["# Archive", "Title 6"]
    model.set_filter("")
    assert not model.row_of("c2").isValid()


def test_folders_are_sorted_as_people_do(model):
    names = ("Plan 10", "plan 9", "Über", "Ubu", "论文")
    model.show_folders([Folder(str(number), name) for number, name in enumerate(names)])
    assert texts(model) == ["# plan 9", "# Plan 10", "# Über", "# Ubu", "# 论文"]


def test_the_archive_is_opened_here_and_a_folder_by_whoever_keeps_it(model, qtbot):
    fill(model)
    archive = model.index(model.rowCount() - 1)
    assert model.fold(archive, True)
    assert texts(model)[-2:] == ["# Archive", "Title 6"]
    assert not model.fold(model.index(0), False)
    with qtbot.wait_signal(model.folded) as folded:
        assert model.fold(model.row_of_folder("w"), False)
    assert folded.args == [WORK, False]


PLACES = st.builds(
    Placement, st.booleans(), st.sampled_from(["", "w", "p"]), st.just(LabelColor.NONE), st.booleans()
)
LISTS = st.lists(
    st.tuples(st.integers(1, 12), st.integers(0, 90), PLACES), max_size=12, unique_by=lambda each: each[0]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(LISTS, st.sampled_from(["", "1", "2"]), st.booleans()), max_size=5))
def test_any_list_becomes_any_other_and_what_is_chosen_stays_chosen(qapp, states):
    model = ConversationModel(now=lambda: NOW)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    chosen = QItemSelectionModel(model)
    for listed, needle, is_open in states:
        before = {index.data() for index in chosen.selectedIndexes()}
        model.show_folders((replace(WORK, is_open=is_open), PLAY))
        model.set_filter(needle)
        model.show([info(number, days, place) for number, days, place in listed])
        plain = ConversationModel(now=lambda: NOW)
        plain.show_folders((replace(WORK, is_open=is_open), PLAY))
        plain.set_filter(needle)
        plain.show([info(number, days, place) for number, days, place in listed])
        assert texts(model) == texts(plain)
        assert {index.data() for index in chosen.selectedIndexes()} <= before
        for number, _days, _place in listed[:3]:
            flag = QItemSelectionModel.SelectionFlag.Select
            chosen.select(model.row_of(f"c{number}"), flag)
    tester.deleteLater()


def test_what_is_chosen_and_current_stays_so_when_the_list_is_sorted_anew(model):
    fill(model)
    chosen = QItemSelectionModel(model)
    chosen.setCurrentIndex(model.row_of("c4"), QItemSelectionModel.SelectionFlag.Select)
    chosen.select(model.row_of("c1"), QItemSelectionModel.SelectionFlag.Select)
    resets = []
    model.modelReset.connect(lambda: resets.append(1))
    model.show((*INFOS[1:], info(7, -0.1), replace(INFOS[0], updated_at=NOW - timedelta(days=3))))
    assert {index.data() for index in chosen.selectedIndexes()} == {"Title 4", "Title 1"}
    assert chosen.currentIndex().data() == "Title 4"
    assert resets == []


def drop_rows(model, ids, onto, qtbot):
    data = model.mimeData([model.row_of(each) for each in ids])
    asked = []
    model.dropped.connect(lambda *args: asked.append(args))
    assert model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, onto) == bool(asked)
    assert model.canDropMimeData(data, Qt.DropAction.MoveAction, -1, -1, onto) == bool(asked)
    return asked[0] if asked else None


def test_what_is_dropped_stands_where_the_row_stands(model, qtbot):
    fill(model)
    inside_work = PlacementChange(is_pinned=False, folder="w", is_archived=False)
    outside = PlacementChange(is_pinned=False, folder="", is_archived=False)
    assert drop_rows(model, ("c1", "c4"), model.row_of_folder("w"), qtbot) == (("c1", "c4"), inside_work)
    assert drop_rows(model, ("c1", "c2"), model.row_of("c2"), qtbot) == (("c1",), inside_work)
    assert drop_rows(model, ("c2", "c3"), model.row_of("c5"), qtbot) == (("c2", "c3"), outside)
    assert drop_rows(model, ("c2",), model.index(0), qtbot) == (("c2",), PINNED)
    assert drop_rows(model, ("c2",), model.index(model.rowCount() - 1), qtbot) == (("c2",), ARCHIVED)
    assert drop_rows(model, ("c4",), model.index(-1), qtbot) == (("c4",), outside)
    assert drop_rows(model, ("c2",), model.row_of_folder("w"), qtbot) is None


@pytest.fixture
def sidebar(qtbot, translations):
    translations.use("en")
    sidebar = Sidebar()
    qtbot.add_widget(sidebar)
    sidebar.resize(260, 700)
    sidebar.show()
    sidebar.model.show_folders((WORK, PLAY))
    sidebar.show_conversations(INFOS)
    with qtbot.waitActive(sidebar):
        sidebar.activateWindow()
    sidebar.view.setFocus()
    qtbot.wait_until(sidebar.view.hasFocus)
    return sidebar


def click(qtbot, sidebar, index, modifier=Qt.KeyboardModifier.NoModifier):
    at = sidebar.view.visualRect(index).center()
    qtbot.mouseClick(sidebar.view.viewport(), Qt.MouseButton.LeftButton, modifier, at)


def chosen(sidebar):
    return [each.id for each in sidebar.view.infos]


def test_clicks_with_keys_choose_and_open_nothing(sidebar, qtbot):
    opened = []
    sidebar.view.chosen.connect(opened.append)
    click(qtbot, sidebar, sidebar.model.row_of("c3"))
    click(qtbot, sidebar, sidebar.model.row_of("c1"), Qt.KeyboardModifier.ControlModifier)
    assert (opened, chosen(sidebar)) == (["c3"], ["c3", "c1"])
    click(qtbot, sidebar, sidebar.model.row_of("c3"))
    click(qtbot, sidebar, sidebar.model.row_of("c2"), Qt.KeyboardModifier.ShiftModifier)
    assert (opened, chosen(sidebar)) == (["c3", "c3"], ["c3", "c4", "c2"])
    qtbot.keyClick(sidebar.view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert chosen(sidebar) == ["c3", "c4", "c2", "c1", "c5"]


@cases(
    "keys, ids, expected",
    [
        ("Del", ("c1", "c4"), "delete"),
        ("F2", ("c1",), "rename"),
        ("Ctrl+D", ("c1", "c3"), "pin"),
        ("Ctrl+D", ("c3",), "unpin"),
        ("Ctrl+E", ("c1", "c3"), "archive"),
    ],
)
def test_each_action_has_its_keys(sidebar, qtbot, keys, ids, expected):
    sidebar.view.clearSelection()
    for each in ids:
        flag = QItemSelectionModel.SelectionFlag.Select
        sidebar.view.selectionModel().select(sidebar.model.row_of(each), flag)
    with qtbot.wait_signal(sidebar.view.action_asked) as asked:
        qtbot.keySequence(sidebar.view, keys)
    assert asked.args == [expected]


def test_keys_of_a_folder_are_for_the_folder(sidebar, qtbot):
    sidebar.view.choose(sidebar.model.row_of_folder("w"))
    assert sidebar.view.folder == WORK
    for key, spec in ((Qt.Key.Key_Delete, "dissolve"), (Qt.Key.Key_F2, "rename")):
        with qtbot.wait_signal(sidebar.view.folder_action_asked) as asked:
            qtbot.keyClick(sidebar.view, key)
        assert asked.args == [spec]


def test_arrows_enter_and_clicks_open_and_close_groups(sidebar, qtbot):
    view, model = sidebar.view, sidebar.model
    folded = []
    model.folded.connect(lambda folder, is_open: folded.append((folder.id, is_open)))
    view.choose(model.row_of("c2"))
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.currentIndex() == model.row_of_folder("w")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.currentIndex() == model.row_of("c2")
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    view.choose(model.row_of_folder("p"))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    click(qtbot, sidebar, model.row_of_folder("w"))
    assert folded == [("w", False), ("p", False), ("w", False)]


def names(menu):
    return [remove_access_key(action.text()) for action in menu.actions() if action.text()]


def test_the_menu_offers_what_fits(sidebar, qtbot):
    view, model = sidebar.view, sidebar.model
    one = ["Rename", "Suggest a title", "Pin", "Move to folder", "Color", "Archive", "Delete"]
    assert names(view.menu_for(model.row_of("c1"))) == one
    assert names(view.menu_for(model.row_of("c3")))[2] == "Unpin"
    view.selectAll()
    assert names(view.menu_for(model.row_of("c1"))) == one[1:]
    assert len(chosen(sidebar)) == 5
    assert names(view.menu_for(model.row_of_folder("p"))) == names(view.menu_for(model.row_of("c1")))
    view.clearSelection()
    assert names(view.menu_for(model.row_of_folder("p"))) == [
        "New chat in this folder",
        "Rename",
        "Color",
        "Move up",
        "Move down",
        "Delete folder only",
        "Delete folder and chats",
    ]
    assert names(view.menu_for(model.index(0))) == ["New folder"]
    for menu in view.findChildren(QMenu):
        menu.close()


def test_a_title_that_is_being_written_outlasts_every_change_of_the_list(sidebar, qtbot):
    sidebar.view.rename(sidebar.model.row_of("c1"))
    editor = sidebar.view.findChild(QLineEdit, "titleEditor")
    editor.selectAll()
    qtbot.keyClicks(editor, "My own")
    sidebar.show_conversations((info(8, -1), *INFOS[1:], replace(INFOS[0], title="Made by the program")))
    sidebar.model.retranslate()
    assert editor.text() == "My own"
    with qtbot.wait_signal(sidebar.model.renamed) as renamed:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert renamed.args == ["c1", "My own"]


def drag(sidebar, data, index, kind):
    at = QPointF(sidebar.view.visualRect(index).center())
    buttons, keys, action = (
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.DropAction.MoveAction,
    )
    if kind is QDropEvent:
        event = QDropEvent(at, action, data, buttons, keys)
        sidebar.view.dropEvent(event)
    else:
        event = kind(at.toPoint(), action, data, buttons, keys)
        (sidebar.view.dragEnterEvent if kind is QDragEnterEvent else sidebar.view.dragMoveEvent)(event)
    return event.isAccepted()


def test_dragged_conversations_are_taken_where_they_would_stand_elsewhere(sidebar, qtbot):
    model = sidebar.model
    data = model.mimeData([model.row_of("c2")])
    assert data.hasFormat(MIME)
    assert drag(sidebar, data, model.row_of("c2"), QDragEnterEvent)
    assert not drag(sidebar, data, model.row_of_folder("w"), QDragMoveEvent)
    assert drag(sidebar, data, model.row_of_folder("p"), QDragMoveEvent)
    with qtbot.wait_signal(model.dropped) as asked:
        assert drag(sidebar, data, model.row_of_folder("p"), QDropEvent)
    assert asked.args == [("c2",), PlacementChange(is_pinned=False, folder="p", is_archived=False)]


def test_the_open_conversation_is_marked_whatever_is_chosen(sidebar, qtbot):
    sidebar.select("c1")
    sidebar.view.choose(sidebar.model.row_of("c4"))
    assert sidebar.model.row_of("c1").data(OpenRole)
    sidebar.show_conversations((info(9, -1), *INFOS))
    assert chosen(sidebar) == ["c4"]
    sidebar.select("c2")
    assert chosen(sidebar) == ["c2"]
    assert not sidebar.model.row_of("c1").data(OpenRole)


def test_all_of_a_row_is_told_to_the_ear(model):
    model.show_folders((WORK,))
    model.show(
        (info(1, 0, Placement(is_pinned=True, tint=LabelColor.BLUE)), info(2, 1, Placement(folder="w")))
    )
    model.set_waiting(frozenset({"c1"}))
    spoken = [model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert spoken == [
        "Pinned",
        "Title 1, pinned, Blue, waiting for you",
        "Work, folder with 1, expanded",
        "Title 2",
    ]


def test_dots_offer_the_menu_of_a_folder_without_folding_it(sidebar, qtbot):
    folded = []
    sidebar.model.folded.connect(lambda *args: folded.append(args))
    area = sidebar.view.visualRect(sidebar.model.row_of_folder("w"))
    at = QPoint(area.right() - 8, area.center().y())
    qtbot.mouseClick(sidebar.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    (menu,) = [menu for menu in sidebar.view.findChildren(QMenu) if menu.isVisible()]
    assert names(menu)[0] == "New chat in this folder"
    assert folded == []
    menu.close()


def test_months_below_very_many_rows_are_closed_until_somebody_opens_them(model):
    infos = [info(number, 40 + number / 10) for number in range(MANY_ROWS + 300)]
    model.show((info(9_999, 0, title="Of today"), *infos))
    groups = [
        each for each in map(model.row_at, map(model.index, range(model.rowCount()))) if hasattr(each, "key")
    ]
    assert [group.is_open for group in groups][:2] == [True, True]
    closed = groups[-1]
    assert (closed.is_open, closed.kind) == (False, GroupKind.MONTH)
    assert model.rowCount() <= MANY_ROWS + len(groups)
    assert sum(group.count for group in groups) == len(infos) + 1
    last = model.index(model.rowCount() - 1)
    assert str(closed.count) in last.data(Qt.ItemDataRole.AccessibleTextRole)
    assert model.fold(last, True)
    assert model.row_of(infos[-1].id).isValid()
    assert model.group_of(model.row_of(infos[-1].id)) == last
    assert model.fold(last, False)
    assert not model.row_of(infos[-1].id).isValid()


def test_all_that_is_chosen_is_dragged(sidebar, qtbot, monkeypatch):
    dragged = []
    monkeypatch.setattr(
        QDrag,
        "exec",
        lambda self, action: dragged.append((self.mimeData().data(MIME).data(), self.pixmap().isNull())),
    )
    sidebar.view.selectAll()
    sidebar.view.startDrag(Qt.DropAction.MoveAction)
    assert dragged == [(b'["c3", "c4", "c2", "c1", "c5"]', False)]
    sidebar.view.choose(sidebar.model.row_of_folder("w"))
    sidebar.view.startDrag(Qt.DropAction.MoveAction)
    assert dragged[1:] == [(b"", False)]  # a folder, and none of its conversations
    sidebar.view.choose(sidebar.model.index(sidebar.model.rowCount() - 1))
    sidebar.view.startDrag(Qt.DropAction.MoveAction)
    assert len(dragged) == 2  # the archive stays where it is


def test_what_was_found_is_shown_whatever_was_closed_before(model):
    fill(model)
    archive = model.index(model.rowCount() - 1)
    model.fold(archive, True)
    model.fold(model.index(model.rowCount() - 2), False)
    model.set_filter("title 6")
    assert texts(model) == ["# Archive", "Title 6"]
    model.fold(model.index(0), False)
    assert texts(model) == ["# Archive"]
    model.set_filter("")
    assert texts(model)[-1] == "# Archive"


def test_the_down_key_goes_from_the_words_to_what_was_found(sidebar, qtbot):
    sidebar.focus_filter()
    qtbot.wait_until(sidebar.filter.hasFocus)
    qtbot.keyClicks(sidebar.filter, "title")
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Down)
    assert sidebar.view.hasFocus()
    assert chosen(sidebar) == ["c3"]
    qtbot.keyClicks(sidebar.filter, " nowhere")
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Down)
    assert chosen(sidebar) == []


def test_a_model_names_few_at_a_time(sidebar):
    sidebar.show_conversations([info(number) for number in range(11)])
    sidebar.view.selectAll()
    offered = names(sidebar.view.menu_for(sidebar.model.row_of("c3")))
    assert "Pin" in offered
    assert "Suggest a title" not in offered
    sidebar.view.choose(sidebar.model.row_of("c3"))
    assert "Suggest a title" in names(sidebar.view.menu_for(sidebar.model.row_of("c3")))


def test_folders_stand_as_they_were_put_and_new_ones_before_them_by_name(model):
    names = ("Zoo", "ant", "Bee", "cat")
    placed = [Folder(name, name, position=number) for number, name in enumerate(names[:2], 1)]
    model.show_folders((*placed, Folder("cat", "cat"), Folder("Bee", "Bee")))
    assert texts(model) == ["# Bee", "# cat", "# Zoo", "# ant"]


@given(st.permutations("abcdef"), st.data())
def test_a_folder_that_is_moved_stands_where_it_was_wanted_and_all_others_keep_their_order(names, data):
    folders = [Folder(name, name, position=number) for number, name in enumerate(names, 1)]
    moved, number = data.draw(st.sampled_from(names)), data.draw(st.integers(0, len(names) - 1))
    found = folder_positions(folders, moved, number)
    order = sorted(found, key=found.__getitem__)
    assert order[number] == moved
    assert [name for name in order if name != moved] == [name for name in names if name != moved]
    assert sorted(found.values()) == list(range(1, len(names) + 1))


def test_a_dragged_folder_is_dropped_on_folders_alone(sidebar, qtbot):
    model = sidebar.model
    data = model.mimeData([model.row_of_folder("w")])
    assert not data.hasFormat(MIME)
    assert drag(sidebar, data, model.row_of_folder("w"), QDragEnterEvent)
    for index in (model.row_of_folder("w"), model.row_of("c2"), model.index(0)):
        assert not drag(sidebar, data, index, QDragMoveEvent)
    assert drag(sidebar, data, model.row_of_folder("p"), QDragMoveEvent)
    with qtbot.wait_signal(model.folder_dropped) as asked:
        assert drag(sidebar, data, model.row_of_folder("p"), QDropEvent)
    assert asked.args == ["w", "p"]
    gone = model.mimeData([model.row_of_folder("w")])
    model.show_folders((PLAY,))
    assert not drag(sidebar, gone, model.row_of_folder("p"), QDragMoveEvent)  # deleted while it was dragged
