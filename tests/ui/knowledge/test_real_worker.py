"""The knowledge manager over the real engine: its worker process, SQLite, and the files of a person."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit

from desktop.domain.knowledge import ItemKind, ItemState
from desktop.domain.sources import document_of
from desktop.services.container import ServiceContainer
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.ui.knowledge.item_model import ItemColumn
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from tests.dragging import dragged_files, drop

WORDS = "The lighthouse of Velmora was built in 1873. 维尔莫拉灯塔建于1873年。"
LONG_MS = 60_000


@pytest.fixture
def manager(tmp_path, loop, qtbot):
    rooms = ServiceContainer(folders_for(tmp_path / "data"))
    engine = window_services(rooms)
    knowledge_store = KnowledgeStore(engine.knowledge, loop)
    store = SettingsStore(engine.preferences, loop)
    manager = KnowledgeManager(
        ManagerContext(knowledge_store, engine.knowledge, engine.embedders, store, loop)
    )
    qtbot.addWidget(manager)
    manager.show()
    yield manager
    manager.close()
    knowledge_store.deleteLater()
    loop.call(rooms.aclose(), 30)


def base_names(manager):
    model = manager.controller.bases
    return [model.index(row).data() for row in range(model.rowCount())]


def test_a_base_from_a_dropped_folder_to_its_deletion_and_back(manager, tmp_path, qtbot):
    folder = tmp_path / "Lighthouses"
    folder.mkdir()
    (folder / "velmora.md").write_text(f"# History\n\n{WORDS}\n", encoding="utf-8")
    (folder / "broken.docx").write_bytes(b"no zip at all")
    rows = manager.controller.items.rows

    def until(condition):
        qtbot.waitUntil(condition, timeout=LONG_MS)

    assert drop(manager, QPoint(700, 400), dragged_files(folder))
    until(lambda: base_names(manager) == ["Lighthouses"])
    until(lambda: rows.states[ItemState.READY] == 1 and rows.states[ItemState.FAILED] == 1)
    failed = next(row.item for row in rows.all() if row.item.state is ItemState.FAILED)
    assert "broken.docx" in failed.error
    assert manager.items.summary.failed.text() == "1 failed"
    until(lambda: manager.controller.bases.share(manager.panel.view.base.id) is None)

    ready = next(row.item for row in rows.all() if row.item.state is ItemState.READY)
    manager.item_actions.do("passages", (ready,))
    until(lambda: manager.passages.model.rowCount() > 0)
    assert "1873" in manager.passages.text.toPlainText()
    with qtbot.waitSignal(manager.place_asked, timeout=LONG_MS) as asked:
        manager.passages.open.click()
    assert document_of(asked.args[0]) == ready.document

    manager.base_actions.do("trial")
    manager.trial.query.setText("灯塔")
    manager.trial.ask.click()
    until(lambda: manager.trial.model.rowCount() > 0)
    assert "Velmora" in manager.trial.text.toPlainText()

    manager.controller.put_note("Ideas", "Start with the storm of 1902.")
    until(
        lambda: [row.item.kind for row in rows.all() if row.item.state is ItemState.READY].count(
            ItemKind.NOTE
        )
    )
    manager.controller.tag((ready,), frozenset({"history"}), frozenset())
    until(lambda: manager.panel.view.base.tags == ("history",))
    tagged = manager.controller.items
    until(lambda: tagged.index(tagged.index_of(ready.id).row(), ItemColumn.TAGS).data() == "history")

    manager.panel.view.setFocus()
    manager.panel.view.rename()
    editor = manager.panel.view.viewport().findChild(QLineEdit)
    editor.setText("灯塔")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    until(lambda: base_names(manager) == ["灯塔"])

    manager.base_actions.do("delete")
    until(lambda: base_names(manager) == [])
    assert manager.pages.currentWidget() is manager.empty
    until(manager.notices.action.isVisible)
    manager.notices.action.click()
    until(lambda: base_names(manager) == ["灯塔"])
    until(lambda: rows.total == 3)
