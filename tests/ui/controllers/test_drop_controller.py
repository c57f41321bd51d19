"""Files dropped onto the list: a conversation takes them, a folder begins one, a button asks for the base."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from desktop.domain.messages import Folder
from desktop.ui.chat.session_manager import NEW
from desktop.ui.composer.attachments import FileChip
from desktop.ui.controllers.composer_controller import DropController
from desktop.ui.knowledge.import_bar import BaseChooser
from tests.dragging import dragged_files, dragged_over, dragged_words, drop
from tests.ui.parts import build_parts


@pytest.fixture
def core(engine, loop, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    core = build_parts(engine, loop, window)
    row = QHBoxLayout(window)
    row.addWidget(core.sidebar)
    row.addWidget(core.pane)
    core.library.listed.connect(core.sidebar.show_conversations)
    chooser = BaseChooser(core.knowledge_store, window)
    dropping = DropController(
        chooser, composer=core.composer, notices=core.notices, sessions=core.sessions, sidebar=core.sidebar
    )
    core.composer.left_out.connect(dropping.say_left_out)
    engine.put("Moon", texts=("a", "b"))
    with qtbot.wait_signal(core.library.listed):
        core.library.refresh()
    window.resize(900, 600)
    window.show()
    qtbot.wait_exposed(window)
    return core


@pytest.fixture
def files(tmp_path):
    paths = (tmp_path / "tides.pdf", tmp_path / "月亮.txt")
    for path in paths:
        path.write_bytes(b"x")
    return paths


def row_of(core, words: str) -> QPoint:
    """Return the middle of the row that says `words`, in the list."""
    model, view = core.sidebar.model, core.sidebar.view
    rows = (model.index(row) for row in range(model.rowCount()))
    return view.visualRect(next(row for row in rows if words in str(row.data()))).center()


def test_a_conversation_in_the_list_takes_files(core, files):
    assert drop(core.sidebar.view.viewport(), row_of(core, "Moon"), dragged_files(*files))
    assert core.sessions.current == "c1"
    assert core.composer.draft.files == files


def test_below_the_rows_files_begin_a_conversation(core, files):
    core.sessions.open("c1")
    viewport = core.sidebar.view.viewport()
    assert drop(viewport, viewport.rect().bottomLeft() + QPoint(5, -5), dragged_files(*files))
    assert core.sessions.current == NEW
    assert core.composer.draft.files == files


def test_a_folder_begins_one_in_it(core, files, engine, qtbot):
    folder = Folder("f1", "Trips")
    core.sidebar.model.show_folders((folder,))
    assert drop(core.sidebar.view.viewport(), row_of(core, "Trips"), dragged_files(files[0]))
    assert (core.sessions.current, core.sessions.folder) == (NEW, folder)
    assert core.composer.draft.files == files[:1]


def test_the_button_of_the_bases_asks_for_one(core, files, engine, qtbot):
    core.knowledge_store.bases = (engine.worker.put("Physics"),)
    new, knowledge = core.sidebar.drop_buttons
    place = knowledge.geometry().center()
    data = dragged_files(*files)
    with dragged_over(core.sidebar, place, data) as is_taken:
        assert is_taken
        assert (new.isDown(), knowledge.isDown()) == (False, True)
    assert drop(core.sidebar, place, data)
    assert not knowledge.isDown()
    menu = core.window.findChild(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    with qtbot.wait_signal(core.knowledge_store.added) as added:
        menu.actions()[0].trigger()
    assert added.args[0].base.name == "Physics"
    menu.close()
    qtbot.wait_until(lambda: not added.args[0].is_running)


def test_the_row_under_the_files_is_marked_until_they_leave(core, files):
    viewport, target = core.sidebar.view.viewport(), core.sidebar.view.itemDelegate()
    with dragged_over(viewport, row_of(core, "Moon"), dragged_files(*files)) as is_taken:
        assert is_taken
        assert target.target.data() == "Moon"
    assert not target.target.isValid()


def test_what_is_no_file_is_not_taken_by_the_list(core):
    with dragged_over(core.sidebar.view.viewport(), row_of(core, "Moon"), dragged_words("words")) as is_taken:
        assert not is_taken


def test_a_folder_of_files_is_offered_to_a_base_and_files_go_along(core, files, tmp_path):
    core.composer.attach_files((files[0], tmp_path))
    assert core.composer.draft.files == files[:1]
    assert "folder" in core.notices.text
    core.notices.dismiss()
    core.composer.attach_files((tmp_path / "gone.txt",))
    assert "gone.txt" in core.notices.text


def test_a_file_of_an_old_draft_that_is_gone_says_so(core, files):
    core.composer.files.replace((files[0], files[0].with_name("gone.txt")))
    there, gone = core.composer.files.findChildren(FileChip)
    assert "no longer exists" not in there.description
    assert "no longer exists" in gone.description
