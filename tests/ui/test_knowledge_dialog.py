from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QInputDialog, QMessageBox, QWidget

from desktop.domain.knowledge import ItemInfo, ItemProgress, ItemState
from desktop.errors import BaseExists
from desktop.ui.base_chooser import BaseChooser
from desktop.ui.drop_zone import DropZone
from desktop.ui.job_bar import JobBar
from desktop.ui.knowledge_dialog import KnowledgeDialog
from desktop.ui.knowledge_items import ItemModel
from desktop.ui.knowledge_shelf import KnowledgeShelf


@pytest.fixture
def shelf(engine, loop, qapp):
    engine.knowledge.put("Papers", [ItemInfo("i1", "b1", "a.pdf", "/x/a.pdf", ItemState.READY, passages=9)])
    engine.knowledge.put("法律")
    shelf = KnowledgeShelf(engine.port.knowledge, loop)
    yield shelf
    shelf.deleteLater()


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    window.resize(800, 600)
    window.show()
    return window


@pytest.fixture
def dialog(shelf, window, qtbot):
    dialog = KnowledgeDialog(shelf, BaseChooser(shelf, window), window)
    dialog.open()
    qtbot.wait_until(lambda: dialog.items.rowCount() == 1)
    return dialog


def cells(model: ItemModel) -> list[list[str]]:
    return [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]


def test_the_item_model_is_consistent_over_every_change(qapp):
    model = ItemModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    item = ItemInfo("i1", "b1", "a.pdf", "/x/a.pdf", ItemState.WAITING)
    model.update(ItemProgress(item))
    model.update(ItemProgress(ItemInfo("i1", "b1", "a.pdf", "/x/a.pdf", ItemState.READING), 2, 9))
    assert cells(model) == [["a.pdf", "Reading page 2 of 9", ""]]
    failed = ItemInfo("i2", "b1", "b.pdf", "/x/b.pdf", ItemState.FAILED, error="No text.")
    model.update(ItemProgress(failed))
    assert cells(model)[1] == ["b.pdf", "Failed: No text.", ""]
    assert model.index(1, 0).data(Qt.ItemDataRole.ForegroundRole) is not None
    assert model.index(0, 0).data(Qt.ItemDataRole.ForegroundRole) is None
    model.show((ItemInfo("i3", "b1", "c.md", "/x/c.md", ItemState.READY, passages=4),))
    assert cells(model) == [["c.md", "Ready", "4"]]
    model.show(())
    tester.deleteLater()


def test_bases_and_their_files_are_listed(dialog, qtbot):
    assert [dialog.bases.item(row).text() for row in range(2)] == ["Papers  (1)", "法律"]
    assert cells(dialog.items) == [["a.pdf", "Ready", "9"]]
    dialog.bases.setCurrentRow(1)
    qtbot.wait_until(lambda: dialog.items.rowCount() == 0)


def test_files_are_added_with_progress_and_a_failure_with_its_reason(dialog, shelf, tmp_path, qtbot):
    bar = JobBar(dialog)
    shelf.added.connect(bar.watch)
    shelf.add(dialog.base, (tmp_path / "good.md", tmp_path / "bad.pdf"))
    qtbot.wait_until(lambda: len(cells(dialog.items)) == 3)
    assert ["bad.pdf", "Failed: “bad.pdf” is damaged", "7"] in cells(dialog.items)
    qtbot.wait_until(lambda: "not added: 1" in bar.texts[0])
    assert bar.texts[0] == "Added to “Papers”: 1 · not added: 1\nbad.pdf: “bad.pdf” is damaged"


def test_an_addition_is_cancelled_and_its_row_closed(shelf, engine, window, tmp_path, qtbot):
    engine.knowledge.gate.clear()
    bar = JobBar(window)
    shelf.added.connect(bar.watch)
    with qtbot.wait_signal(shelf.bases_listed):
        shelf.refresh()
    addition = shelf.add(shelf.bases[0], (tmp_path / "good.md",))
    qtbot.wait_until(lambda: "Reading page 1 of 3" in bar.texts[0])
    with qtbot.wait_signal(addition.ended):
        bar._rows[0]._close.click()
    assert bar.texts[0].startswith("Added to “Papers”: 0")
    bar._rows[0]._close.click()
    assert bar.texts == ()
    assert not bar.isVisible()


def test_a_file_is_removed_by_the_delete_key(dialog, engine, qtbot):
    dialog.files.selectAll()
    qtbot.keyClick(dialog.files, Qt.Key.Key_Delete)
    qtbot.wait_until(lambda: dialog.items.rowCount() == 0)
    assert engine.knowledge.items_of["b1"] == []


def test_a_base_is_deleted_only_after_a_yes(dialog, engine, qtbot):
    dialog.delete.click()
    question = dialog.findChild(QMessageBox)
    assert "Papers" in question.text()
    question.button(QMessageBox.StandardButton.Cancel).click()
    assert "Papers" in engine.knowledge.by_name
    dialog.delete.click()
    question = dialog.findChildren(QMessageBox)[-1]
    next(button for button in question.buttons() if button.text() == "Delete").click()
    qtbot.wait_until(lambda: "Papers" not in engine.knowledge.by_name)
    qtbot.wait_until(lambda: dialog.bases.count() == 1)
    assert dialog.base.name == "法律"


def test_a_new_base_is_made_and_shown(dialog, engine, window, qtbot):
    dialog.new.click()
    asked = dialog.findChild(QInputDialog)
    asked.setTextValue("Notes")
    asked.accept()
    qtbot.wait_until(lambda: dialog.base is not None and dialog.base.name == "Notes")


def test_a_name_that_is_taken_is_said(shelf, qtbot):
    with qtbot.wait_signal(shelf.failed) as failed:
        shelf.create("Papers")
    assert isinstance(failed.args[0], BaseExists)


def test_files_dropped_on_the_dialog_go_into_the_base(dialog, engine, tmp_path, qtbot):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "dropped.md"))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, buttons, keys)
    QGuiApplication.sendEvent(dialog, enter)
    drop = QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys)
    QGuiApplication.sendEvent(dialog, drop)
    qtbot.wait_until(lambda: len(engine.knowledge.items_of["b1"]) == 2)


def test_the_chooser_offers_the_bases_and_a_new_one(shelf, engine, window, tmp_path, qtbot):
    chooser = BaseChooser(shelf, window)
    with qtbot.wait_signal(shelf.bases_listed):
        shelf.refresh()
    menu = chooser.menu_for((tmp_path / "a.md",))
    assert [action.text() for action in menu.actions()] == ["Papers", "法律", "", "New knowledge base…"]
    with qtbot.wait_signal(shelf.added) as added:
        menu.actions()[1].trigger()
    assert added.args[0].base.name == "法律"
    qtbot.wait_until(lambda: not added.args[0].is_running)


def test_the_first_base_is_named_after_a_dropped_folder(engine, loop, window, tmp_path, qtbot):
    shelf = KnowledgeShelf(engine.port.knowledge, loop, window)
    folder = tmp_path / "thesis"
    folder.mkdir()
    BaseChooser(shelf, window).choose((folder,))
    asked = window.findChild(QInputDialog)
    assert asked.textValue() == "thesis"
    with qtbot.wait_signal(shelf.added) as added:
        asked.accept()
    qtbot.wait_until(lambda: not added.args[0].is_running)
    assert list(engine.knowledge.by_name) == ["thesis"]


@pytest.mark.parametrize("place", ["attach", "keep"])
def test_the_two_places_of_the_drop_zone(place, window, tmp_path, qtbot):
    zone = DropZone(window)
    zone.appear()
    assert zone.isVisible()
    target = getattr(zone, place)
    signal = zone.attached if place == "attach" else zone.kept
    path = tmp_path / "a.md"
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, buttons, keys)
    QGuiApplication.sendEvent(target, enter)
    assert enter.isAccepted()
    with qtbot.wait_signal(signal) as dropped:
        drop = QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys)
        QGuiApplication.sendEvent(target, drop)
    assert dropped.args == [(Path(path),)]
    assert not zone.isVisible()
