"""The letters that choose an entry of a menu or press a button of a dialog."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFormLayout, QLineEdit, QMenu, QPushButton

from desktop.ui.widgets.access_keys import add_access_keys, choose_access_keys
from desktop.ui.widgets.dialog import ScreenFitDialog
from tests.cases import cases
from tests.ui.accessible import remove_access_key


@cases(
    "texts, expected",
    (
        (["Save", "Copy", "Cut"], ["&Save", "&Copy", "C&ut"]),
        (["Save", "Sa&ve"], ["&Save", "Sa&ve"]),
        (["Vary", "Sa&ve"], ["V&ary", "Sa&ve"]),
        (["R&&D", "R"], ["&R&&D", "R"]),
        (["保存…", "保存", "PDF 文件\tCtrl+P"], ["保存(&B)…", "保存(&C)", "PDF 文件(&P)\tCtrl+P"]),
        (["…", "", "€"], ["…", "", "€"]),
    ),
)
def test_each_text_has_a_letter_of_its_own(texts, expected):
    assert choose_access_keys(texts) == expected
    assert choose_access_keys(expected) == expected


@cases("text, expected", (("&Save", "Save"), ("&R&&D", "R&D"), ("保存(&B)…", "保存…"), ("a (b)", "a (b)")))
def test_a_mark_can_be_taken_away(text, expected):
    assert remove_access_key(text) == expected


def test_a_letter_chooses_in_an_open_menu_that_is_filled_late_and_no_text_keeps_it(qtbot):
    chosen, menu, more = [], QMenu(), QMenu("More")
    qtbot.add_widget(menu)
    qtbot.add_widget(more)
    add_access_keys(add_access_keys(menu))
    menu.addAction("Rename").triggered.connect(lambda: chosen.append("rename"))
    menu.aboutToShow.connect(lambda: menu.addMenu(more))
    more.addAction("Remove").triggered.connect(lambda: chosen.append("remove"))
    menu.popup(QPoint())
    assert [each.text() for each in menu.actions()] == ["&Rename", "&More"]
    qtbot.keyClick(menu, Qt.Key.Key_M)
    assert [each.text() for each in more.actions()] == ["&Remove"]
    qtbot.keyClick(more, Qt.Key.Key_R)
    assert chosen == ["remove"]
    assert [each.text() for each in (*menu.actions(), *more.actions())] == ["Rename", "More", "Remove"]


def test_a_button_of_a_dialog_has_a_letter_while_alt_is_held_also_when_its_text_changes(qtbot):
    dialog = ScreenFitDialog()
    qtbot.add_widget(dialog)
    box = QDialogButtonBox(dialog)
    buttons = [box.addButton(text, QDialogButtonBox.ButtonRole.ActionRole) for text in ("Save", "Skip")]
    dialog.show()
    qtbot.keyPress(buttons[0], Qt.Key.Key_Alt)
    assert [each.text() for each in buttons] == ["&Save", "S&kip"]
    buttons[0].setText("Keep all")
    qtbot.wait_until(lambda: buttons[0].text() == "Keep &all")
    qtbot.keyRelease(buttons[0], Qt.Key.Key_Alt)
    assert [each.text() for each in buttons] == ["Keep all", "Skip"]


@cases("text, shown", (("Name", "N&ame"), ("名称", "名称")))
def test_alt_and_a_letter_reach_a_field_and_press_a_button(text, shown, qtbot):
    dialog = ScreenFitDialog()
    qtbot.add_widget(dialog)
    field, switch, hidden = QLineEdit(), QCheckBox("Notify"), QPushButton("Never", dialog)
    form = QFormLayout(dialog)
    form.addRow(text, field)
    form.addRow(switch)
    hidden.hide()
    with qtbot.wait_active(dialog):
        dialog.show()
        dialog.activateWindow()
    switch.setFocus()
    name = form.labelForField(field)
    qtbot.keyPress(switch, Qt.Key.Key_Alt)
    assert [name.text(), switch.text(), hidden.text()] == [shown, "&Notify", "Never"]
    if shown != text:
        qtbot.keyClick(switch, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
        qtbot.wait_until(field.hasFocus)
        qtbot.keyClick(field, Qt.Key.Key_N, Qt.KeyboardModifier.AltModifier)
        qtbot.wait_until(switch.isChecked)
    qtbot.keyRelease(switch, Qt.Key.Key_Alt)
    assert [name.text(), switch.text()] == [text, "Notify"]
