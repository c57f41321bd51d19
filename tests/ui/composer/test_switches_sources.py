"""What of the knowledge bases is asked: picked below the message, kept, told, and gone with what it names."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt

from desktop.domain.assistants import Assistant
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, ItemState
from desktop.settings.model import Settings
from desktop.ui.chat.composer_state import AvailableChoices, start_of
from desktop.ui.composer.switches import KnowledgeSwitch
from desktop.ui.widgets.scope_tree import choice_lines, keep_existing, toggle_key

PHYSICS = BaseInfo("b1", "Physics", items=3, icon="🔭", tags=("exam", "考试"))
LAW = BaseInfo("b2", "法律", items=1)


def item(item_id: str, name: str, base_id: str = "b1", kind: ItemKind = ItemKind.FILE) -> ItemInfo:
    return ItemInfo(item_id, base_id, name, f"/shelf/{name}", ItemState.READY, kind=kind)


ITEMS = (item("i1", "tides.pdf"), item("i2", "潮汐.docx"), item("i3", "Moon", kind=ItemKind.NOTE))


@pytest.fixture
def switch(qtbot):
    switch = KnowledgeSwitch(None)
    qtbot.add_widget(switch)
    switch.set_bases((PHYSICS, LAW))
    switch.items_asked.connect(lambda base_id: switch.set_items(base_id, ITEMS if base_id == "b1" else ()))
    switch.show()
    return switch


def opened(switch):
    switch.menu().popup(QPoint(10, 10))
    return switch.menu().tree


def texts(tree) -> dict[str, list[str]]:
    rows = [tree.rows.item(row) for row in range(tree.rows.rowCount())]
    return {row.text(): [row.child(at).text() for at in range(row.rowCount())] for row in rows}


def index(tree, text: str):
    flags = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
    return tree.rows.findItems(text, flags)[0].index()


def test_a_whole_base_and_its_parts_take_each_others_place():
    keys = toggle_key(toggle_key(("b2",), "b1/i1"), "b1#exam")
    assert keys == ("b2", "b1/i1", "b1#exam")
    assert toggle_key(keys, "b1") == ("b2", "b1")
    assert toggle_key(("b2", "b1"), "b1/i2") == ("b2", "b1/i2")
    assert toggle_key(keys, "b1#exam") == ("b2", "b1/i1")


def test_what_is_gone_is_not_asked_and_what_is_not_listed_yet_is():
    keys = ("b2", "b1/i9", "b1/i1", "b1#exam", "b1#gone", "b9")
    assert keep_existing(keys, (PHYSICS, LAW), {}) == ("b1/i9", "b1/i1", "b1#exam", "b2")
    assert keep_existing(keys, (PHYSICS, LAW), {"b1": ITEMS}) == ("b1/i1", "b1#exam", "b2")


def test_a_choice_reads_base_by_base(qapp):
    keys = ("b1/i1", "b1#exam", "b2")
    assert choice_lines(keys, (PHYSICS, LAW), {}) == ["🔭 Physics · #exam, 1 file", "法律"]
    assert choice_lines(keys, (PHYSICS,), {"b1": ITEMS}) == ["🔭 Physics · #exam, tides.pdf"]
    assert choice_lines(("b1/i1", "b1/i2"), (PHYSICS,), {}) == ["🔭 Physics · 2 files"]
    long = item("i1", "a very long name of a file whose end counts as well.pdf")
    assert choice_lines(("b1/i1",), (PHYSICS,), {"b1": [long]}) == [
        "🔭 Physics · a very long name …s well.pdf"
    ]


def test_bases_are_checked_by_keyboard_without_closing_the_menu(switch, qtbot):
    tree = opened(switch)
    assert tree.filter.hasFocus()
    qtbot.keyClick(tree.filter, Qt.Key.Key_Down)
    assert tree.view.hasFocus()
    qtbot.keyClick(tree.view, Qt.Key.Key_Down)
    with qtbot.wait_signal(switch.picked) as picked:
        qtbot.keyClick(tree.view, Qt.Key.Key_Space)
    assert picked.args == [("b2",)]
    assert switch.menu().isVisible()
    assert switch.text() == "法律"
    qtbot.keyClick(tree.view, Qt.Key.Key_Up)
    qtbot.keyClick(tree.view, Qt.Key.Key_Return)
    assert switch.chosen == ("b1", "b2")
    assert (switch.text(), switch.toolTip()) == ("2 knowledge bases", "Knowledge bases\n🔭 Physics\n法律")
    qtbot.keyClick(tree.view, Qt.Key.Key_Up)
    assert tree.filter.hasFocus()
    switch.menu().clear_choice.trigger()
    assert (switch.chosen, switch.text()) == ((), "Knowledge")


def test_files_and_tags_of_a_base_are_checked_one_by_one(switch, qtbot):
    tree = opened(switch)
    assert texts(tree) == {"🔭 Physics": ["#exam", "#考试", "Please wait…"], "法律": ["Please wait…"]}
    tree.view.expand(index(tree, "🔭 Physics"))
    assert texts(tree)["🔭 Physics"] == ["#exam", "#考试", "tides.pdf", "潮汐.docx", "Moon"]
    for text in ("潮汐.docx", "#exam"):
        place = tree.view.visualRect(index(tree, text)).center()
        qtbot.mouseClick(tree.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert switch.chosen == ("b1/i2", "b1#exam")
    assert switch.text() == "🔭 Physics · #exam, 潮汐.docx"
    assert (
        index(tree, "🔭 Physics").data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.PartiallyChecked.value
    )
    switch.menu().close()
    tree = opened(switch)
    assert tree.view.isExpanded(index(tree, "🔭 Physics"))
    assert index(tree, "#exam").data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked.value
    switch.set_items("b1", ITEMS[:1])
    assert switch.chosen == ("b1#exam",)


def test_the_filter_finds_files_of_bases_that_are_closed(switch, qtbot):
    tree = opened(switch)
    qtbot.keyClicks(tree.filter, "TIDES")
    assert texts(tree) == {"🔭 Physics": ["tides.pdf"]}
    qtbot.keyClick(tree.filter, Qt.Key.Key_Return)
    assert switch.chosen == ("b1/i1",)
    tree.filter.setText("潮")
    assert texts(tree) == {"🔭 Physics": ["潮汐.docx"]}
    tree.filter.setText("physics")
    assert texts(tree)["🔭 Physics"] == ["#exam", "#考试", "tides.pdf", "潮汐.docx", "Moon"]
    tree.filter.setText("nothing at all")
    assert texts(tree) == {}
    tree.filter.clear()
    tree.view.setFocus()
    qtbot.keyClicks(tree.view, "l")
    assert (tree.filter.text(), tree.filter.hasFocus()) == ("l", True)


def test_a_base_of_very_many_files_shows_as_many_as_can_be_looked_through(switch):
    tree = opened(switch)
    switch.set_items("b1", tuple(item(f"n{n}", f"{n:04}.txt") for n in range(5_000)))
    shown = texts(tree)["🔭 Physics"]
    assert shown[-1] == "4800 more. Type to search."
    tree.filter.setText("4999")
    assert texts(tree)["🔭 Physics"] == ["4999.txt"]


def test_without_any_base_the_menu_says_so(qtbot):
    switch = KnowledgeSwitch(None)
    qtbot.add_widget(switch)
    switch.menu().aboutToShow.emit()
    assert switch.menu().none_yet.isVisible()
    assert switch.menu().tree.isHidden()  # there is nothing to find
    with qtbot.wait_signal(switch.manage_asked):
        switch.menu().manage.trigger()


def test_an_assistant_starts_from_parts_of_bases_by_name_or_id(qapp):
    assistant = Assistant("own", "Tutor", bases=("Physics#exam", "b2/i4", "Gone#x"))
    start = start_of(assistant, Settings(), AvailableChoices(bases=(PHYSICS, LAW)))
    assert start.bases == ("b1#exam", "b2/i4")
    assert start.problems == ("A knowledge base of “Tutor” no longer exists.",)
    unknown = start_of(replace(assistant, bases=("b1#exam",)), Settings(), AvailableChoices())
    assert unknown.bases == ("b1#exam",)


def test_bases_that_are_on_count_before_the_bases_are_listed(qtbot):
    switch = KnowledgeSwitch(None)
    qtbot.add_widget(switch)
    switch.set_chosen(("b1#exam", "b2", "gone"))
    assert switch.chosen == ("b1#exam", "b2", "gone")
    assert switch.text() == "Knowledge"
    assert switch.is_active
    switch.set_bases((PHYSICS, LAW))
    assert switch.chosen == ("b1#exam", "b2")
    switch.set_bases(())
    assert switch.chosen == ()
    assert not switch.is_active
