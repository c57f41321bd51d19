"""What is done with conversations in the window: each of it reaches the disk, and each can be taken back."""

from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QLineEdit

from desktop.background import BackgroundLoop
from desktop.domain.messages import LabelColor, Placement, PlacementChange
from desktop.ui.chat.session_manager import NEW
from desktop.ui.sidebar.conversation_groups import GroupHeader
from desktop.ui.stores.conversations import ConversationListStore
from tests.ui.fakes.scripts import record_calls
from tests.ui.window.test_workspace import titles


@pytest.fixture
def listed(window, engine, qtbot):
    """The window with three conversations on disk."""
    for number in (1, 2, 3):
        engine.put(f"Title {number}", timedelta(hours=number), ("Q", "A"))
    window.library.refresh()
    qtbot.wait_until(lambda: len(titles(window)) == 3)
    return window


def choose(window, *ids):
    view = window.sidebar.view
    view.clearSelection()
    for each in ids:
        view.selectionModel().select(
            window.sidebar.model.row_of(each), QItemSelectionModel.SelectionFlag.Select
        )


def do(window, handler):
    window.sidebar.view.action_asked.emit(handler)


def places(engine):
    return {info.id: info.place for info in engine.loop.call(engine.conversations.recent())}


def folders(engine):
    return engine.loop.call(engine.filing.folders())


def wait_for_folder(window, engine, qtbot):
    """Wait for a folder in the list, and return its id."""
    qtbot.wait_until(lambda: len(folders(engine)) == 1)
    (folder,) = folders(engine)
    qtbot.wait_until(lambda: window.sidebar.model.row_of_folder(folder.id).isValid())
    return folder.id


def test_pinned_archived_and_deleted_conversations_come_back_step_by_step(listed, engine, qtbot):
    choose(listed, "c3")
    do(listed, "pin")
    qtbot.wait_until(lambda: titles(listed) == ["Title 3", "Title 1", "Title 2"])
    choose(listed, "c1", "c2")
    do(listed, "archive")
    qtbot.wait_until(lambda: titles(listed) == ["Title 3"])
    qtbot.wait_until(lambda: listed.notices.text == "2 chats archived")
    choose(listed, "c3")
    do(listed, "delete")
    qtbot.wait_until(lambda: titles(listed) == [])
    qtbot.wait_until(lambda: listed.notices.text == "Deleted")
    for expected in (["Title 3"], ["Title 3", "Title 1", "Title 2"], ["Title 1", "Title 2", "Title 3"]):
        listed.sidebar.view.undo_asked.emit()
        qtbot.wait_until(lambda expected=expected: titles(listed) == expected)
    assert listed.notices.text == ""
    assert set(places(engine).values()) == {Placement()}
    assert set(places(engine)) == {"c1", "c2", "c3"}


def test_a_notice_takes_back_its_own_step_also_when_others_followed(listed, engine, qtbot):
    listed.sessions.open("c2")
    choose(listed, "c1", "c2")
    do(listed, "delete")
    qtbot.wait_until(lambda: listed.notices.text == "2 chats deleted")
    assert listed.sessions.current == NEW
    listed.library.arrange(("c3",), PlacementChange(tint=LabelColor.RED))
    qtbot.wait_until(lambda: places(engine)["c3"].tint is LabelColor.RED)
    listed.notices.action.click()
    qtbot.wait_until(lambda: titles(listed) == ["Title 1", "Title 2", "Title 3"])
    assert places(engine)["c3"].tint is LabelColor.RED
    qtbot.wait_until(lambda: listed.sessions.current == "c2")
    do(listed, "delete")
    qtbot.wait_until(lambda: listed.sessions.current == NEW)
    qtbot.wait_until(lambda: listed.notices.text.endswith("eleted"))
    listed.composer.text.setPlainText("Something else")
    listed.library.undo()
    qtbot.wait_until(lambda: titles(listed) == ["Title 1", "Title 2", "Title 3"])
    assert listed.sessions.current == NEW


def write_name(window, qtbot, name):
    view = window.sidebar.view
    qtbot.wait_until(lambda: view.findChild(QLineEdit, "titleEditor") is not None)
    editor = view.findChild(QLineEdit, "titleEditor")
    editor.selectAll()
    qtbot.keyClicks(editor, name)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


def test_a_folder_is_made_named_filled_coloured_closed_and_dissolved(listed, engine, qtbot):
    view = listed.sidebar.view
    choose(listed, "c1", "c3")
    view.move_menu.aboutToShow.emit()
    view.move_menu.actions()[0].trigger()
    write_name(listed, qtbot, "  Sea   and moon ")
    qtbot.wait_until(lambda: [each.name for each in folders(engine)] == ["Sea and moon"])
    made = wait_for_folder(listed, engine, qtbot)
    qtbot.wait_until(lambda: places(engine)["c3"] == Placement(folder=made) == places(engine)["c1"])
    qtbot.wait_until(lambda: titles(listed) == ["Title 1", "Title 3", "Title 2"])
    folder = listed.sidebar.model.row_of_folder(made)
    view.choose(folder)
    view.folder_tint_menu.aboutToShow.emit()
    next(each for each in view.folder_tint_menu.actions() if each.text() == "Teal").trigger()
    qtbot.wait_until(lambda: folders(engine)[0].tint is LabelColor.TEAL)
    listed.sidebar.model.fold(folder, False)
    qtbot.wait_until(lambda: titles(listed) == ["Title 2"])
    qtbot.wait_until(lambda: not folders(engine)[0].is_open)
    view.choose(listed.sidebar.model.row_of_folder(made))
    view.folder_action_asked.emit("dissolve")
    qtbot.wait_until(lambda: titles(listed) == ["Title 1", "Title 2", "Title 3"])
    listed.library.undo()
    qtbot.wait_until(lambda: titles(listed) == ["Title 2"])
    assert places(engine)["c1"].folder == made


def test_enter_ends_a_name_and_nothing_else_also_when_a_row_goes_meanwhile(listed, engine, qtbot):
    listed.library.make_folder("Sea")
    qtbot.wait_until(lambda: listed.sidebar.view.findChild(QLineEdit, "titleEditor") is not None)
    listed.library.delete(("c2",), "")
    qtbot.wait_until(lambda: titles(listed) == ["Title 1", "Title 3"])
    write_name(listed, qtbot, "Moon")
    qtbot.wait_until(lambda: [each.name for each in folders(engine)] == ["Moon"])
    qtbot.wait_until(lambda: listed.sidebar.view.findChild(QLineEdit, "titleEditor") is None)
    assert folders(engine)[0].is_open


def test_a_folder_goes_with_what_it_shows_and_comes_back_with_it(listed, engine, qtbot):
    listed.library.make_folder("Sea", ("c1", "c2"))
    made = wait_for_folder(listed, engine, qtbot)
    qtbot.wait_until(lambda: places(engine)["c2"].folder == made)
    listed.library.arrange(("c2",), PlacementChange(is_pinned=True))
    qtbot.wait_until(lambda: titles(listed) == ["Title 2", "Title 1", "Title 3"])
    listed.sidebar.view.choose(listed.sidebar.model.row_of_folder(made))
    listed.sidebar.view.folder_action_asked.emit("delete")
    qtbot.wait_until(lambda: titles(listed) == ["Title 2", "Title 3"])
    qtbot.wait_until(lambda: folders(engine) == ())
    listed.notices.action.click()
    qtbot.wait_until(lambda: titles(listed) == ["Title 2", "Title 1", "Title 3"])
    assert {places(engine)[each].folder for each in ("c1", "c2")} == {made}


def test_a_new_chat_begins_in_its_folder(listed, engine, qtbot):
    listed.library.make_folder("Sea")
    made = wait_for_folder(listed, engine, qtbot)
    listed.sidebar.view.choose(listed.sidebar.model.row_of_folder(made))
    listed.sidebar.view.folder_action_asked.emit("begin")
    listed.composer.text.setFocus()
    qtbot.keyClicks(listed.composer.text, "How do tides work?")
    qtbot.keyClick(listed.composer.text, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: titles(listed)[:1] == ["How do tides work?"])
    assert places(engine)[listed.sessions.current] == Placement(folder=made)
    listed.start_new()
    assert listed.sessions.folder is None


def test_what_is_dropped_is_moved(listed, engine, qtbot):
    listed.library.make_folder("Sea")
    made = wait_for_folder(listed, engine, qtbot)
    model = listed.sidebar.model
    data = model.mimeData([model.row_of("c1"), model.row_of("c2")])
    assert model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, model.row_of_folder(made))
    qtbot.wait_until(lambda: titles(listed) == ["Title 1", "Title 2", "Title 3"])
    qtbot.wait_until(lambda: places(engine)["c2"] == Placement(folder=made))


def test_one_answer_reads_one_conversation_and_not_the_whole_list(engine, loop: BackgroundLoop, qtbot):
    library = ConversationListStore(engine.conversations, engine.filing, loop)
    one, other = (
        engine.put("One", texts=("Q",)),
        engine.put("Other", texts=("Q",)),
    )
    with qtbot.wait_signal(library.listed):
        library.refresh()
    loop.call(engine.conversations.delete(other))
    with qtbot.wait_signal(library.listed) as listed:
        library.refresh_one(one)
    assert {info.id for info in listed.args[0]} == {one, other}
    loop.call(engine.conversations.delete(one))
    with qtbot.wait_signal(library.listed) as listed:
        library.refresh_one(one)
    assert {info.id for info in listed.args[0]} == {other}
    library.deleteLater()


def test_a_model_names_new_conversations_if_that_is_wanted_and_any_that_is_asked_for(listed, engine, qtbot):
    def ask(text):
        listed.start_new()
        listed.composer.text.setFocus()
        qtbot.keyClicks(listed.composer.text, text)
        qtbot.keyClick(listed.composer.text, Qt.Key.Key_Return)
        qtbot.wait_until(lambda: titles(listed)[0] == text)
        qtbot.wait_until(lambda: not listed.sessions.is_running)

    made = record_calls(engine.titles, "make")
    ask("First line")
    assert made == []
    store = listed.store
    chat = replace(store.settings.chat, names_with_model=True, small_model="openai/gpt-5-mini")
    store.apply(replace(store.settings, chat=chat))
    listed.start_new()
    listed.composer.text.setFocus()
    qtbot.keyClicks(listed.composer.text, "Another line")
    qtbot.keyClick(listed.composer.text, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: titles(listed)[0] == "Made by a model")
    assert made == [(listed.sessions.current,)]
    choose(listed, "c1", "c2")
    do(listed, "title")
    qtbot.wait_until(lambda: titles(listed).count("Made by a model") == 3)
    assert len(made) == 1
    listed.library.undo()
    qtbot.wait_until(lambda: titles(listed).count("Made by a model") == 2)


def test_a_new_folder_is_shown_and_named_whatever_was_looked_for(listed, engine, qtbot):
    listed.sidebar.filter.setText("title 2")
    listed.sidebar.assistants.choose("")
    listed.shortcuts["new_folder"].trigger()
    write_name(listed, qtbot, "Sea")
    qtbot.wait_until(lambda: [each.name for each in folders(engine)] == ["Sea"])
    assert listed.sidebar.assistants.choice is None
    assert len(titles(listed)) == 3


def positions(engine):
    return {folder.name: folder.position for folder in folders(engine)}


def folders_shown(window) -> list[str]:
    model = window.sidebar.model
    rows = [model.row_at(model.index(number)) for number in range(model.rowCount())]
    return [row.name for row in rows if isinstance(row, GroupHeader) and row.folder is not None]


def test_folders_are_moved_by_keys_and_by_dropping_and_back(listed, engine, qtbot):
    for name in ("ant", "bee", "cat"):
        listed.library.make_folder(name)
    qtbot.wait_until(lambda: folders_shown(listed) == ["ant", "bee", "cat"])
    view, model = listed.sidebar.view, listed.sidebar.model
    cat = next(folder for folder in model.folders if folder.name == "cat")
    bee = next(folder for folder in model.folders if folder.name == "bee")
    keys = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
    view.setFocus()
    view.choose(model.row_of_folder(cat.id))
    for expected in (["ant", "cat", "bee"], ["cat", "ant", "bee"], ["cat", "ant", "bee"]):  # no further
        view.fit()
        qtbot.keyClick(view, Qt.Key.Key_Up, keys)
        assert folders_shown(listed) == expected
        assert view.folder is not None
        assert view.folder.id == cat.id  # it stays chosen
    model.folder_dropped.emit(cat.id, bee.id)
    assert folders_shown(listed) == ["ant", "bee", "cat"]
    qtbot.wait_until(lambda: positions(engine) == {"ant": 1, "bee": 2, "cat": 3})
    for expected in (["cat", "ant", "bee"], ["ant", "cat", "bee"], ["ant", "bee", "cat"]):
        view.undo_asked.emit()
        assert folders_shown(listed) == expected
    qtbot.wait_until(lambda: set(positions(engine).values()) == {0})
