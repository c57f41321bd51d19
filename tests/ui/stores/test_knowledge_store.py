"""What the window itself shows of knowledge bases: where dropped files go, how far they are, what failed."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QWidget

from desktop.errors import BaseExists, IndexUnavailable
from desktop.ui.composer.drop_zone import DropZone
from desktop.ui.knowledge.import_bar import MOST_ROWS, BaseChooser, ImportBar
from desktop.ui.stores.knowledge_store import KnowledgeStore
from tests.dragging import dragged_files, dragged_over, drop
from tests.ui.fakes.scripts import script_steps


@pytest.fixture
def knowledge_store(engine, loop, qtbot):
    engine.worker.put("Papers")
    engine.worker.put("法律")
    knowledge_store = KnowledgeStore(engine.port.knowledge, loop)
    with qtbot.waitSignal(knowledge_store.bases_listed):
        knowledge_store.refresh()
    yield knowledge_store
    knowledge_store.deleteLater()


def write(folder, *names):
    """Write files, of which those named “bad” cannot be read; returns their paths."""
    paths = tuple(folder / name for name in names)
    for path in paths:
        path.write_text("%PDF-" if "bad" in path.name else f"About {path.name}.")
    return paths


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    window.show()
    return window


@pytest.mark.usefixtures("in_english")
def test_files_are_added_with_progress_and_a_failure_with_its_reason(
    knowledge_store, window, tmp_path, qtbot
):
    bar = ImportBar(window)
    knowledge_store.added.connect(bar.watch)
    knowledge_store.add(knowledge_store.bases[0], write(tmp_path, "good.md", "bad.pdf"))
    qtbot.waitUntil(lambda: "1 not added" in bar.texts[0])
    reason = "“bad.pdf” is damaged or protected: it is not a readable PDF."
    assert bar.texts[0] == f"1 item added to “Papers” · 1 not added\nbad.pdf: {reason}"


@pytest.mark.usefixtures("in_english")
def test_an_addition_is_cancelled_and_its_row_closed(knowledge_store, engine, window, tmp_path, qtbot):
    engine.worker.reader.gate.clear()
    bar = ImportBar(window)
    knowledge_store.added.connect(bar.watch)
    addition = knowledge_store.add(knowledge_store.bases[0], write(tmp_path, "good.md"))
    qtbot.waitUntil(lambda: "Reading page 1 of 3" in bar.texts[0])
    with qtbot.waitSignal(addition.ended):
        bar._rows[0]._close.click()
    assert bar.texts[0].startswith("0 items added to “Papers”")
    bar._rows[0]._close.click()
    assert bar.texts == ()
    assert not bar.isVisible()


def test_many_additions_leave_room_for_the_conversation(knowledge_store, engine, window, tmp_path, qtbot):
    engine.worker.reader.gate.clear()
    bar = ImportBar(window)
    knowledge_store.added.connect(bar.watch)
    additions = [
        knowledge_store.add(knowledge_store.bases[0], write(tmp_path, f"{count}.md")) for count in range(5)
    ]
    assert [row.isVisibleTo(bar) for row in bar._rows] == [True] * MOST_ROWS + [False] * 2
    assert bar.more == "and 2 more"
    for addition in additions[:2]:
        with qtbot.waitSignal(addition.ended):
            addition.cancel()
    for row in bar._rows[:2]:
        row._close.click()
    assert bar.more == ""
    assert all(row.isVisibleTo(bar) for row in bar._rows)
    knowledge_store.cancel_all()
    qtbot.waitUntil(lambda: not any(addition.is_running for addition in additions))


def test_what_went_well_leaves_by_itself(knowledge_store, window, tmp_path, qtbot, monkeypatch):
    monkeypatch.setattr("desktop.ui.knowledge.import_bar.DONE_SHOWN_MS", 0)
    bar = ImportBar(window)
    knowledge_store.added.connect(bar.watch)
    knowledge_store.add(knowledge_store.bases[0], write(tmp_path, "good.md"))
    knowledge_store.add(knowledge_store.bases[0], write(tmp_path, "bad.pdf"))
    qtbot.waitUntil(lambda: len(bar.texts) == 1)
    assert "bad.pdf" in bar.texts[0]


def test_notes_and_second_readings_do_not_trouble_the_window(knowledge_store, engine, window, qtbot):
    bar = ImportBar(window)
    knowledge_store.added.connect(bar.watch)
    note = knowledge_store.put_note(knowledge_store.bases[0], "Ideas", "A storm.")
    qtbot.waitUntil(lambda: not note.is_running)
    again = knowledge_store.read_again(
        knowledge_store.bases[0], [item.id for item in engine.loop.call(engine.knowledge.items("b1"))]
    )
    qtbot.waitUntil(lambda: not again.is_running)
    assert again.done == 1
    assert bar.texts == ()


def test_what_kept_files_from_being_added_is_told(knowledge_store, engine, tmp_path, qtbot):
    script_steps(engine.knowledge, "add", IndexUnavailable(detail="The disk is full."))
    with qtbot.waitSignal(knowledge_store.failed) as failed:
        addition = knowledge_store.add(knowledge_store.bases[0], write(tmp_path, "good.md"))
    assert isinstance(failed.args[0], IndexUnavailable)
    assert not addition.is_running


def test_a_name_that_is_taken_is_said(knowledge_store, qtbot):
    with qtbot.waitSignal(knowledge_store.failed) as failed:
        knowledge_store.create("Papers")
    assert isinstance(failed.args[0], BaseExists)


def test_items_of_a_base_that_is_gone_are_no_failure(knowledge_store, engine, qtbot):
    failures = []
    knowledge_store.failed.connect(failures.append)
    with qtbot.waitSignal(knowledge_store.deleted):
        knowledge_store.delete(knowledge_store.bases[0])
    knowledge_store.list_items("b1")
    with qtbot.waitSignal(knowledge_store.items_listed):
        knowledge_store.list_items("b2")
    assert failures == []


def test_the_chooser_offers_the_bases_and_a_new_one(knowledge_store, window, tmp_path, qtbot):
    menu = BaseChooser(knowledge_store, window).menu_for((tmp_path / "a.md",))
    assert [action.text() for action in menu.actions()] == ["Papers", "法律", "", "New knowledge base…"]
    with qtbot.waitSignal(knowledge_store.added) as added:
        menu.actions()[1].trigger()
    assert added.args[0].base.name == "法律"
    qtbot.waitUntil(lambda: not added.args[0].is_running)


def test_the_first_base_is_named_after_a_dropped_folder(engine, loop, window, tmp_path, qtbot):
    knowledge_store = KnowledgeStore(engine.port.knowledge, loop, window)
    folder = tmp_path / "thesis"
    folder.mkdir()
    BaseChooser(knowledge_store, window).choose((folder,))
    asked = window.findChild(QInputDialog)
    assert asked.textValue() == "thesis"
    with qtbot.waitSignal(knowledge_store.added) as added:
        asked.accept()
    qtbot.waitUntil(lambda: not added.args[0].is_running)
    assert engine.worker.base("thesis") is not None


def test_names_of_bases_are_shown_letter_by_letter(window, knowledge_store, engine, qtbot):
    engine.worker.put("R&D")
    with qtbot.waitSignal(knowledge_store.bases_listed):
        knowledge_store.refresh()
    menu = BaseChooser(knowledge_store, window).menu_for((Path("/x/a.md"),))
    assert "R&&D" in [action.text() for action in menu.actions()]


@pytest.mark.parametrize("place", ["attach", "keep"])
def test_the_two_places_of_the_drop_zone(place, window, tmp_path, qtbot):
    zone = DropZone(window)
    zone.appear((tmp_path / "a.md",))
    assert zone.isVisible()
    assert "a.md" in [each.text() for each in zone.findChildren(QLabel)]
    target = getattr(zone, place)
    signal = zone.attached if place == "attach" else zone.kept
    path = tmp_path / "a.md"
    with qtbot.waitSignal(signal) as dropped:
        assert drop(target, QPoint(9, 9), dragged_files(path))
    assert dropped.args == [(Path(path),)]
    assert not zone.isVisible()


def test_the_drop_zone_goes_with_the_files_from_wherever_they_leave(window, tmp_path, qtbot):
    zone = DropZone(window)
    path = tmp_path / "a.md"
    zone.appear((path, path))
    with dragged_over(zone, QPoint(9, 9), dragged_files(path)):
        pass
    with dragged_over(zone.keep, QPoint(9, 9), dragged_files(path)):
        QApplication.processEvents()
        assert (
            zone.isVisible()
        )  # they only moved onto one of its places; then Escape, or out of the window in one go
    qtbot.waitUntil(lambda: not zone.isVisible())
