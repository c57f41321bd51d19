from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QWidget

from desktop.settings.model import Settings, WindowSettings
from desktop.ui.actions import ACTIONS, GROUPS, ShortcutBinding, WindowActions, bindings, is_usable, with_keys
from desktop.ui.dialogs.shortcut_sheet import ShortcutSheet
from desktop.ui.settings.pages.program import SHORTCUTS_PAGE, ShortcutRow
from tests.cases import cases


def looks(**shortcuts):
    return WindowSettings(shortcuts=tuple(shortcuts.items()))


def test_no_two_actions_come_with_the_same_keys_and_all_keys_are_known():
    for spec in ACTIONS:
        assert all(QKeySequence(key).toString() for key in spec.keys), spec.id
    assert all(not binding.lost for binding in bindings(WindowSettings()).values())
    assert {spec.group for spec in ACTIONS} == {group for group, _title in GROUPS}


def test_keys_that_the_person_gave_are_taken_from_the_action_that_came_with_them():
    found = bindings(looks(settings=("Ctrl+N",)))
    assert found["settings"] == ShortcutBinding(("Ctrl+N",))
    assert found["new_chat"] == ShortcutBinding((), (("Ctrl+N", "settings"),))


def test_a_file_cannot_give_away_the_keys_that_type():
    found = bindings(looks(quit=("A", "Return", "F8"), stop=("Esc",)))
    assert found["quit"].keys == ("F8",)
    assert found["stop"].keys == ("Esc",)


def test_of_two_that_were_given_the_same_keys_one_has_them():
    found = bindings(looks(knowledge=("Ctrl+Alt+X",), sidebar=("Ctrl+Alt+X",), nonsense=("Ctrl+B",)))
    assert found["knowledge"].keys == ("Ctrl+Alt+X",)
    assert found["sidebar"] == ShortcutBinding((), (("Ctrl+Alt+X", "knowledge"),))


def test_whoever_was_given_keys_last_has_them():
    settings = with_keys(Settings(), "knowledge", ["Ctrl+Alt+X"])
    settings = with_keys(settings, "sidebar", ["ctrl+alt+x"])
    found = bindings(settings.window)
    assert found["sidebar"].keys == ("Ctrl+Alt+X",)
    assert found["knowledge"].keys == ()


def test_keys_as_they_came_leave_nothing_in_the_settings():
    settings = with_keys(Settings(), "new_chat", ["Ctrl+Alt+N"])
    assert settings != Settings()
    assert with_keys(settings, "new_chat", ["Ctrl+N"]) == Settings()


@cases(
    "keys, may_have",
    [
        ("Ctrl+K", True),
        ("F5", True),
        ("Shift+F5", True),
        ("Alt+Left", True),
        ("Ctrl+Shift+Del", True),
        ("K", False),
        ("Shift+K", False),
        ("é", False),
        ("F2", False),
        ("Del", False),
        ("Return", False),
        ("Down", False),
        ("", False),
    ],
)
def test_no_action_takes_the_keys_that_type(keys, may_have):
    assert is_usable(QKeySequence(keys)) is may_have


def test_actions_follow_the_settings_at_once(context, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    actions = WindowActions(window, context.store)
    told = []
    actions.connect({"knowledge": lambda: told.append("knowledge")})
    context.store.apply(with_keys(context.store.settings, "knowledge", ["Ctrl+Alt+K"]))
    assert actions["knowledge"].shortcut() == QKeySequence("Ctrl+Alt+K")
    assert "Alt" in actions.tip("knowledge")
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(
        window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    assert told == ["knowledge"]


@pytest.fixture
def page(context, qtbot):
    holder = QWidget()
    qtbot.add_widget(holder)
    for row in SHORTCUTS_PAGE.rows(context):
        row.build(context, holder)
    holder.show()
    yield {row._spec.id: row for row in holder.findChildren(ShortcutRow)}
    holder.hide()


def press(qtbot, row, key, modifiers=Qt.KeyboardModifier.NoModifier):
    with qtbot.wait_signal(row.fields[0].pressed):
        qtbot.keyClick(row.fields[0], key, modifiers)


def test_pressed_keys_are_used_and_whom_they_belonged_to_is_said(page, context, qtbot):
    control = Qt.KeyboardModifier.ControlModifier
    press(qtbot, page["sidebar"], Qt.Key.Key_N, control)
    assert dict(context.store.settings.window.shortcuts) == {"sidebar": ("Ctrl+N",)}
    assert page["new_chat"].fields[0].keySequence().isEmpty()
    assert "Show or hide sidebar" in page["new_chat"].problem.text()
    assert page["sidebar"].reset.isVisibleTo(page["sidebar"])
    page["sidebar"].reset.click()
    assert context.store.settings.window.shortcuts == ()
    assert page["new_chat"].problem.text() == ""
    assert page["new_chat"].fields[0].keySequence() == QKeySequence("Ctrl+N")


def test_keys_that_type_are_refused_in_words(page, context, qtbot):
    press(qtbot, page["sidebar"], Qt.Key.Key_G)
    assert context.store.settings.window.shortcuts == ()
    assert "typing" in page["sidebar"].problem.text()
    assert page["sidebar"].fields[0].keySequence() == QKeySequence("Ctrl+B")


def test_keys_can_be_taken_away(page, context, qtbot):
    press(qtbot, page["sidebar"], Qt.Key.Key_Backspace)
    assert bindings(context.store.settings.window)["sidebar"].keys == ()


def test_the_sheet_shows_every_action_with_the_keys_of_now(qtbot):
    sheet = ShortcutSheet(replace(looks(knowledge=("Ctrl+Alt+K",)), sends_on_enter=False))
    qtbot.add_widget(sheet)
    texts = [label.text() for label in sheet.findChildren(QLabel)]
    assert {spec.text for spec in ACTIONS} <= set(texts)
    assert "Ctrl+Alt+K" in texts
    assert "Ctrl+Return" in texts
    with qtbot.wait_signal(sheet.change_asked):
        sheet.change.click()
