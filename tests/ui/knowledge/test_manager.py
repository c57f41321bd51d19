"""The knowledge manager over bases whose worker runs in the process of the tests."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit

from desktop.background import Job
from desktop.domain.knowledge import (
    BaseInfo,
    ItemInfo,
    ItemKind,
    ItemProgress,
    ItemState,
    PassageInfo,
    SearchTrial,
    Transfer,
    TrialRow,
)
from desktop.domain.sources import Locator, Passage, SourceKind
from desktop.errors import IndexUnavailable
from desktop.ui.knowledge.base_panel import BaseModel, ShareRole, WordsRole
from desktop.ui.knowledge.item_model import ItemColumn
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.menus import read_drop, web_link
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from tests.cases import cases
from tests.conftest import WAIT_MS
from tests.dragging import dragged_files, dragged_links, drop
from tests.ui.fakes.scripts import script_result, script_steps

SHAS = [f"{number:064}" for number in range(6)]
ITEMS = (
    ItemInfo("i1", "b1", "a.pdf", "/x/a.pdf", ItemState.READY, SHAS[1], pages=3, passages=9, tags=("law",)),
    ItemInfo("i2", "b1", "b.docx", "/x/b.docx", ItemState.FAILED, error="No text."),
    ItemInfo("i3", "b1", "Ideas", "", ItemState.READY, SHAS[3], passages=1, kind=ItemKind.NOTE),
    ItemInfo(
        "i4",
        "b1",
        "Tides",
        "https://example.org/tides",
        ItemState.READY,
        SHAS[4],
        passages=1,
        kind=ItemKind.LINK,
    ),
    ItemInfo("i5", "b1", "z.md", "/x/z.md", ItemState.WAITING),
)


FOUND = Passage(SourceKind.FILE, "a.pdf", "The moon pulls the sea.", "file:///x/a.pdf", SHAS[1], Locator(3))


@pytest.fixture
def knowledge_store(engine, loop, qtbot):
    engine.worker.reads = False
    engine.worker.put("Papers", ITEMS)
    engine.worker.put("法律")
    knowledge_store = KnowledgeStore(engine.port.knowledge, loop)
    with qtbot.waitSignal(knowledge_store.bases_listed):
        knowledge_store.refresh()
    yield knowledge_store
    knowledge_store.deleteLater()


@pytest.fixture
def manager(knowledge_store, engine, loop, qtbot):
    manager = opened(knowledge_store, engine, loop)
    qtbot.addWidget(manager)
    until(qtbot, lambda: manager.controller.items.rows.total == len(ITEMS))
    return manager


def opened(knowledge_store, engine, loop):
    port = engine.port
    store = SettingsStore(port.preferences, loop)
    manager = KnowledgeManager(ManagerContext(knowledge_store, port.knowledge, port.embedders, store, loop))
    manager.show()
    return manager


def until(qtbot, condition):
    qtbot.waitUntil(condition)


def base_names(manager):
    model = manager.controller.bases
    return [model.index(row).data() for row in range(model.rowCount())]


def item_names(manager):
    model = manager.controller.items
    return [model.index(row, ItemColumn.NAME).data() for row in range(model.rowCount())]


def press(manager, key):
    manager.items.view.setFocus()
    until_shortcuts_work(manager)
    QTest.keyClick(manager.items.view, key)


def until_shortcuts_work(manager):
    manager.activateWindow()
    assert QTest.qWaitForWindowActive(manager, WAIT_MS)


def write_note(engine, loop, text):
    """Have a text in the note “i3”, without having it read."""

    async def write():
        async with aclosing(engine.knowledge.put_note("b1", "Ideas", text, "i3")) as steps:
            await anext(steps)

    loop.call(write())


def type_name(manager, name):
    editor = manager.panel.view.viewport().findChild(QLineEdit)
    editor.setText(name)
    return editor


def test_bases_are_listed_with_what_is_in_them(manager):
    assert base_names(manager) == ["Papers", "法律"]
    heard = [manager.controller.bases.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(2)]
    assert heard == ["Papers, Reading, 0%", "法律, Empty"]
    assert manager.panel.view.base.name == "Papers"
    assert item_names(manager) == ["a.pdf", "b.docx", "Ideas", "Tides", "z.md"]


def test_a_base_says_how_much_of_it_is_embedded_with_its_next_model():
    bases = BaseModel()
    base = BaseInfo("1", "Papers", items=2, passages=200)
    said = []
    for shown in (
        base,
        replace(base, embedded_anew=50),
        replace(base, embedded_anew=300),  # a file was removed meanwhile
        replace(base, embedded_anew=50, is_paused=True),
    ):
        bases.show((shown,))
        said.append((bases.index(0).data(WordsRole), bases.index(0).data(ShareRole)))
    assert said == [
        ("2 items · 200 passages", None),
        ("Indexing again, 25%", 0.25),
        ("Indexing again, 100%", 1.0),
        ("Paused · 2 items", 0.25),
    ]


def test_what_a_watched_folder_brings_is_counted(manager, engine, loop, qtbot):
    new = ItemInfo("n1", "b1", "n.md", "/x/n.md", ItemState.READY, SHAS[5], passages=1)
    engine.worker.tell(ItemProgress(new))
    until(qtbot, lambda: manager.panel.view.base.items == len(ITEMS) + 1)


def test_an_item_that_its_folder_lost_leaves_the_list(manager, engine, loop, qtbot):
    gone = replace(ITEMS[0], state=ItemState.FAILED, error="It was removed.")
    engine.worker.tell(ItemProgress(gone, is_removed=True))
    until(qtbot, lambda: item_names(manager) == ["b.docx", "Ideas", "Tides", "z.md"])
    assert manager.controller.items.rows.total == len(ITEMS) - 1
    manager.items.filter.show_failed()
    engine.worker.tell(ItemProgress(ITEMS[2], is_removed=True))
    until(qtbot, lambda: manager.controller.items.rows.total == len(ITEMS) - 2)
    assert item_names(manager) == ["b.docx"]


@pytest.mark.parametrize("page", ["filter", "trial", "note"])
def test_return_in_a_field_makes_no_base(manager, knowledge_store, page, qtbot):
    if page == "trial":
        manager.base_actions.do("trial")
        field = manager.trial.query
    elif page == "note":
        manager.adding.actions["note"].trigger()
        field = manager.note.findChild(QLineEdit)
    else:
        field = manager.items.filter.words
    until_shortcuts_work(manager)
    field.setFocus()
    qtbot.keyClicks(field, "tides")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    with qtbot.waitSignal(knowledge_store.bases_listed):
        knowledge_store.refresh()
    assert base_names(manager) == ["Papers", "法律"]
    assert manager.isVisible()


def test_a_new_base_is_made_and_named_in_place(manager, engine, qtbot):
    manager.panel.new.click()
    until(qtbot, lambda: manager.panel.view.base.name == "New knowledge base")
    qtbot.keyClick(type_name(manager, "Notes"), Qt.Key.Key_Return)
    until(qtbot, lambda: base_names(manager) == ["Notes", "Papers", "法律"])
    assert manager.panel.view.base.name == "Notes"
    manager.panel.new.click()
    until(qtbot, lambda: manager.panel.view.base.name == "New knowledge base")
    assert engine.worker.base("New knowledge base") is not None


def test_a_name_that_is_taken_is_said_and_the_old_one_stays(manager, qtbot):
    manager.panel.view.rename()
    qtbot.keyClick(type_name(manager, "法律"), Qt.Key.Key_Return)
    until(qtbot, lambda: "法律" in manager.notices.text and base_names(manager) == ["Papers", "法律"])


def test_a_deleted_base_comes_back_with_undo(manager, engine, qtbot):
    qtbot.keyClick(manager.panel.view, Qt.Key.Key_Delete)
    until(qtbot, lambda: base_names(manager) == ["法律"])
    until(qtbot, lambda: manager.panel.view.base.name == "法律")
    assert "Papers" in manager.notices.text
    manager.notices.action.click()
    until(qtbot, lambda: base_names(manager) == ["Papers", "法律"])
    assert engine.worker.base("Papers").items == len(ITEMS)


def test_a_base_is_paused_and_gets_an_icon(manager, engine, qtbot):
    manager.base_actions.do("pause")
    until(qtbot, lambda: engine.worker.base("Papers").is_paused)
    until(qtbot, lambda: manager.panel.view.base.is_paused)
    assert not manager.panel.base_actions.actions["pause"].isEnabled()
    assert manager.panel.base_actions.actions["resume"].isEnabled()
    manager.base_actions._on_icon_picked(manager.panel.view.base, "★")
    until(qtbot, lambda: engine.worker.base("Papers").icon == "★")


def test_the_ring_shows_how_much_is_done(manager, engine, loop, qtbot):
    steps = (ItemState.WAITING, ItemState.READING, ItemState.KEYWORD_READY, ItemState.READY)
    shares = []
    for state in steps:
        engine.worker.tell(ItemProgress(ItemInfo("n1", "b2", "n.md", "/x/n.md", state)))
        until(
            qtbot,
            lambda state=state: (
                manager.controller.bases.share("b2")
                == {"waiting": 0, "reading": 0, "keyword_ready": 0.5}.get(state.value)
            ),
        )
        shares.append(manager.controller.bases.share("b2"))
    assert shares == [0, 0, 0.5, None]


def test_steps_that_nobody_here_began_are_shown(manager, engine, loop, qtbot):
    engine.worker.tell(ItemProgress(replace(ITEMS[4], state=ItemState.READING), 3, 7))
    model = manager.controller.items
    until(qtbot, lambda: model.index(4, ItemColumn.STATE).data() == "Reading page 3 of 7")
    assert manager.items.summary.text.text() == "3 of 5 read, 1 waiting"


def test_what_failed_is_shown_and_tried_again(manager, qtbot):
    assert manager.items.summary.failed.text() == "1 failed"
    manager.items.summary.failed.click()
    assert item_names(manager) == ["b.docx"]
    manager.items.summary.again.click()
    until(qtbot, lambda: manager.controller.items.rows.states[ItemState.FAILED] == 0)
    manager.items.show_all.click()
    until(qtbot, lambda: manager.controller.items.rowCount() == 5)


def test_items_are_found_by_words_and_tags(manager, qtbot):
    manager.items.filter.words.setText("TIDES")
    assert item_names(manager) == ["Tides"]
    manager.items.filter.words.setText("nothing like it")
    assert manager.items._pane.currentWidget() is manager.items.nothing_found
    manager.items.show_all.click()
    manager.items.filter.tag.setCurrentIndex(1)
    assert item_names(manager) == ["a.pdf"]


def test_removed_items_can_be_taken_back(manager, engine, qtbot):
    manager.items.view.selectAll()
    press(manager, Qt.Key.Key_Delete)
    assert manager.controller.items.rows.total == 0
    assert len(engine.loop.call(engine.knowledge.items("b1"))) == 5
    manager.notices.action.click()
    assert manager.controller.items.rows.total == 5
    manager.items.view.pick("i1")
    press(manager, Qt.Key.Key_Delete)
    manager.close()
    until(qtbot, lambda: len(engine.loop.call(engine.knowledge.items("b1"))) == 4)


def test_what_cannot_be_taken_back_is_not_offered(manager, qtbot):
    manager.items.view.pick("i1")
    press(manager, Qt.Key.Key_Delete)
    assert manager.notices.text.startswith("1 removed")
    manager.panel.view.setCurrentIndex(manager.controller.bases.index(1))
    until(qtbot, lambda: manager.notices.text == "")


def test_tags_are_ticked_for_all_picked_items_and_typed(manager, engine, qtbot):
    def tags():
        return [each.tags for each in engine.loop.call(engine.knowledge.items("b1"))[:2]]

    menu = manager.item_actions.tags.menu_for(ITEMS[:2], ("law",))
    assert menu.actions()[0].text() == "law"
    assert not menu.actions()[0].isChecked()
    menu.actions()[0].trigger()
    until(qtbot, lambda: tags() == [("law",), ("law",)])
    menu.actions()[-1].trigger()
    asked = manager.findChild(QInputDialog)
    asked.setTextValue("draft， 重要 ,")
    asked.accept()
    until(qtbot, lambda: tags()[1] in {("draft", "重要"), ("draft", "law", "重要")})
    until(qtbot, lambda: "重要" in manager.panel.view.base.tags)


def test_a_waiting_item_is_taken_off_the_list(manager, qtbot):
    manager.items.view.pick("i5")
    assert manager.items.item_actions.actions["cancel"].isEnabled()
    assert not manager.items.item_actions.actions["again"].isEnabled()
    manager.items.item_actions.actions["cancel"].trigger()
    until(qtbot, lambda: "z.md" not in item_names(manager))


def test_files_links_and_notes_are_opened_each_in_its_way(manager, engine, loop, monkeypatch, qtbot):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)
    manager.items.view.pick("i4")
    press(manager, Qt.Key.Key_Return)
    assert opened == ["https://example.org/tides"]
    manager.items.view.pick("i1")
    manager.items.item_actions.actions["open"].trigger()
    assert "/x" in manager.notices.text
    write_note(engine, loop, "Start with the lighthouse.")
    manager.items.view.pick("i3")
    manager.items.item_actions.actions["open"].trigger()
    until(qtbot, lambda: manager.note.text.toPlainText() == "Start with the lighthouse.")


def test_a_note_that_was_only_looked_at_is_not_saved(manager, engine, loop, qtbot):
    text = "Wide\u00a0blank\r\nand another line."
    write_note(engine, loop, text)
    manager.items.view.pick("i3")
    manager.items.item_actions.actions["open"].trigger()
    until(qtbot, lambda: manager.note.text.toPlainText().endswith("and another line."))
    assert manager.note.unsaved is None
    assert not manager.note.save.isEnabled()
    qtbot.keyClick(manager.note.text, Qt.Key.Key_Escape)
    assert manager.pages.currentWidget() is manager.items
    assert not manager.notices.isVisible()
    assert loop.call(engine.knowledge.note("i3")) == text


def test_why_a_note_cannot_be_read_is_not_said_on_another_one(manager, engine, loop, qtbot):
    manager.items.view.pick("i3")
    gate, gone = asyncio.Event(), IndexUnavailable(detail="The disk is gone.")
    script_result(engine.knowledge, "note", gone)
    manager.items.item_actions.actions["open"].trigger()
    until(qtbot, lambda: "The disk is gone." in manager.note.hint.text())
    script_result(engine.knowledge, "note", gate, gone)
    manager.items.item_actions.actions["open"].trigger()
    manager.adding.actions["note"].trigger()
    engine.release(gate)
    behind = Job(gate.wait, loop, manager)
    with qtbot.waitSignal(behind.succeeded):
        behind.start()
    assert manager.note.hint.text() == ""


def test_a_note_is_written_changed_and_not_lost(manager, engine, loop, qtbot):
    manager.adding.actions["note"].trigger()
    assert not manager.note.save.isEnabled()
    manager.note.text.setPlainText("# Lighthouse\nIt was built in 1873.")
    qtbot.keyClick(manager.note.text, Qt.Key.Key_Escape)
    assert manager.pages.currentWidget() is manager.items
    manager.notices.action.click()
    assert "1873" in manager.note.text.toPlainText()
    manager.note.save.click()
    until(qtbot, lambda: "Lighthouse" in item_names(manager))
    (note,) = (item for item in engine.loop.call(engine.knowledge.items("b1")) if item.name == "Lighthouse")
    assert loop.call(engine.knowledge.note(note.id)) == "# Lighthouse\nIt was built in 1873."


def test_a_note_is_kept_when_its_writer_goes_elsewhere(manager, engine, qtbot):
    manager.adding.actions["note"].trigger()
    manager.note.text.setPlainText("The storm of 1902.")
    manager.panel.view.setCurrentIndex(manager.controller.bases.index(1))
    until(qtbot, lambda: engine.loop.call(engine.knowledge.items("b1"))[-1].name == "The storm of 1902.")
    assert engine.loop.call(engine.knowledge.items("b2")) == ()
    manager.adding.actions["note"].trigger()
    manager.note.name.setText("Ideas")
    manager.note.text.setPlainText("A lamp.")
    manager.close()
    until(qtbot, lambda: [each.name for each in engine.loop.call(engine.knowledge.items("b2"))] == ["Ideas"])


def test_a_note_is_kept_when_another_is_begun(manager, engine, qtbot):
    manager.adding.actions["note"].trigger()
    manager.note.text.setPlainText("The storm of 1902.")
    manager.adding.actions["note"].trigger()
    assert manager.note.text.toPlainText() == ""
    until(qtbot, lambda: engine.loop.call(engine.knowledge.items("b1"))[-1].name == "The storm of 1902.")


def test_a_note_that_was_left_goes_on_in_its_own_base(manager, engine, qtbot):
    manager.adding.actions["note"].trigger()
    manager.note.text.setPlainText("The storm of 1902.")
    qtbot.keyClick(manager.note.text, Qt.Key.Key_Escape)
    manager.panel.view.setCurrentIndex(manager.controller.bases.index(1))
    manager.notices.action.click()
    manager.note.save.click()
    until(qtbot, lambda: engine.loop.call(engine.knowledge.items("b1"))[-1].name == "The storm of 1902.")
    assert engine.loop.call(engine.knowledge.items("b2")) == ()


def test_escape_shows_everything_before_it_closes(manager, qtbot):
    manager.items.filter.words.setText("tides")
    qtbot.keyClick(manager.items.filter.words, Qt.Key.Key_Escape)
    assert len(item_names(manager)) == 5
    assert manager.isVisible()
    qtbot.keyClick(manager.items.filter.words, Qt.Key.Key_Escape)
    assert not manager.isVisible()


def test_a_link_is_checked_before_it_is_added(manager, engine, qtbot):
    manager.adding._on_link_typed("no address at all")
    assert "no address at all" in manager.notices.text
    manager.adding._on_link_typed("example.org/moon")
    until(qtbot, lambda: "moon" in item_names(manager))
    assert engine.loop.call(engine.knowledge.items("b1"))[-1].path == "https://example.org/moon"


@cases(
    "text, link",
    [
        ("https://example.org/a?b=c", "https://example.org/a?b=c"),
        ("example.org", "https://example.org"),
        (" http://example.org ", "http://example.org"),
        ("ftp://example.org", ""),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("two words", ""),
        ("https://name:secret@example.org", ""),
        ("", ""),
    ],
)
def test_only_addresses_of_pages_are_links(text, link):
    assert web_link(text) == link


def test_a_browser_gives_its_link_once():
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/a")])
    data.setText("https://example.org/a")
    assert read_drop(data).links == ("https://example.org/a",)
    words = QMimeData()
    words.setText("just words")
    assert not read_drop(words)


def test_drops_go_to_the_base_below_them_or_to_the_chosen_one(manager, engine, tmp_path, qtbot):
    assert drop(manager, QPoint(700, 400), dragged_files(tmp_path / "dropped.md"))
    until(qtbot, lambda: "dropped.md" in item_names(manager))
    row = manager.panel.view.visualRect(manager.controller.bases.index(1)).center()
    place = manager.panel.view.viewport().mapTo(manager, row)
    assert drop(manager, place, dragged_links("https://example.org/moon"))
    until(
        qtbot,
        lambda: [each.kind for each in engine.loop.call(engine.knowledge.items("b2"))] == [ItemKind.LINK],
    )
    assert manager.panel.view.base.name == "法律"


def test_a_drop_on_an_empty_window_makes_a_base(engine, loop, tmp_path, qtbot):
    port = engine.port
    knowledge_store = KnowledgeStore(port.knowledge, loop)
    store = SettingsStore(port.preferences, loop)
    manager = KnowledgeManager(ManagerContext(knowledge_store, port.knowledge, port.embedders, store, loop))
    qtbot.addWidget(manager)
    manager.show()
    assert manager.pages.currentWidget() is manager.empty
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "tides.md").write_text("The moon pulls the sea.")
    assert drop(manager, QPoint(700, 300), dragged_files(folder))
    until(qtbot, lambda: base_names(manager) == ["thesis"])
    until(qtbot, lambda: item_names(manager) == ["tides.md"])
    assert manager.pages.currentWidget() is manager.items


def test_passages_are_looked_through_and_opened_in_their_place(manager, engine, qtbot):
    passages = (
        PassageInfo(0, "The moon pulls the sea.", 1, "Tides", 0, 23, True),
        PassageInfo(1, "潮汐随月亮而来。", 2, "", 23, 31, False),
    )
    script_result(engine.knowledge, "passages", passages)
    manager.items.view.pick("i1")
    press(manager, Qt.Key.Key_Space)
    until(qtbot, lambda: manager.passages.model.rowCount() == 2)
    assert manager.passages.text.toPlainText() == "The moon pulls the sea."
    manager.passages.words.setText("月亮")
    assert manager.passages.model.rowCount() == 1
    with qtbot.waitSignal(manager.place_asked) as asked:
        manager.passages.open.click()
    (source,) = asked.args
    assert source.kind is SourceKind.FILE
    assert source.url == "file:///x/a.pdf"
    assert source.locator == Locator(2, "", 23, 31)
    qtbot.keyClick(manager.passages.view, Qt.Key.Key_Escape)
    assert manager.pages.currentWidget() is manager.items
    assert manager.isVisible()


def test_a_search_is_tested_stage_by_stage(manager, engine, qtbot):
    trial = SearchTrial((TrialRow(FOUND, 7.25, None, 0.5, 0.91, "given"),), ("The reranker was slow.",))
    script_result(engine.knowledge, "try_search", trial)
    qtbot.keyClick(manager.panel.view, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert manager.pages.currentWidget() is manager.trial
    manager.trial.query.setText("moon")
    qtbot.keyClick(manager.trial.query, Qt.Key.Key_Return)
    until(qtbot, lambda: manager.trial.model.rowCount() == 1)
    row = [manager.trial.model.index(0, column).data() for column in range(6)]
    assert row == ["The moon pulls the sea.", "7.250", "–", "0.500", "0.910", "given"]
    assert manager.trial.hint.text() == "The reranker was slow."
    assert manager.trial.found_in.text() == "a.pdf · page 3 · given"
    script_result(engine.knowledge, "try_search", SearchTrial())
    manager.trial.query.setText("nothing")
    manager.trial.ask.click()
    until(qtbot, lambda: manager.trial.empty.title.text() == "No results")


def test_what_was_found_in_another_base_is_not_shown(manager, engine, loop, qtbot):
    asked, answers = [], asyncio.Event()

    async def slowly(base_id, query):
        asked.append(base_id)
        await answers.wait()
        return SearchTrial((TrialRow(FOUND, 1.0, None, 1.0, None, "given"),))

    engine.knowledge.try_search = slowly
    manager.base_actions.do("trial")
    manager.trial.query.setText("moon")
    manager.trial.ask.click()
    until(qtbot, lambda: asked == ["b1"])
    manager.panel.view.setCurrentIndex(manager.controller.bases.index(1))
    manager.base_actions.do("trial")
    assert manager.trial.ask.isEnabled()  # nobody waits for the answer any more
    for _ in range(5):
        engine.release(answers)  # it would be there by now
    QApplication.processEvents()
    assert manager.trial.model.rowCount() == 0
    manager.trial.query.setText("sun")
    manager.trial.ask.click()
    until(qtbot, lambda: manager.trial.model.rowCount() == 1)
    assert asked == ["b1", "b2"]


def test_options_of_a_base_are_put_to_use_at_once(manager, engine, qtbot):
    manager.base_actions.do("options")
    page = manager.options
    until(qtbot, lambda: page.model.count() == 3)
    page.tokens.setValue(256)
    until(qtbot, lambda: engine.worker.base("Papers").options.passage_tokens == 256)
    page.threshold.setValue(0.5)
    until(qtbot, lambda: engine.worker.base("Papers").options.threshold == 0.5)
    page.threshold.setValue(page.threshold.minimum())
    until(qtbot, lambda: engine.worker.base("Papers").options.threshold is None)
    page.floor.setValue(0.0)
    until(qtbot, lambda: engine.worker.base("Papers").options.floor == 0.0)
    assert engine.worker.base("Papers").options.passage_tokens == 256


def test_a_model_that_is_still_reading_is_named(manager, engine, qtbot):
    base = engine.worker.base("Papers")
    moving = replace(base, options=replace(base.options, model="BAAI/bge-m3"), passages=9)
    manager.base_actions.do("options")
    until(qtbot, lambda: manager.options.model.count() == 3)
    manager.options.follow(moving)
    assert (
        manager.options.moving.text()
        == "Indexing with “BGE-M3”. “Multilingual E5 small” is used until it is finished."
    )
    assert not manager.options.moving.isHidden()


def test_folders_are_watched_and_say_what_is_wrong(manager, engine, loop, tmp_path, qtbot):
    def folders():
        return loop.call(engine.knowledge.folders("b1"))

    gone, here = tmp_path / "gone", tmp_path / "here"
    gone.mkdir()
    here.mkdir()
    loop.call(engine.knowledge.watch_folder("b1", gone))
    gone.rmdir()
    engine.loop.call(engine.knowledge.reconfigure())
    until(qtbot, lambda: folders()[0].error != "")
    manager.base_actions.do("folders")
    until(qtbot, lambda: manager.folders.list.count() == 1)
    assert folders()[0].error in manager.folders.list.item(0).text()
    manager.adding.watch_chosen.emit(here)
    until(qtbot, lambda: manager.folders.list.count() == 2)
    manager.folders.list.setCurrentRow(0)
    manager.folders.remove.click()
    until(qtbot, lambda: manager.folders.list.count() == 1)
    assert [folder.path for folder in folders()] == [str(here)]


def test_a_base_is_exported_and_imported(manager, engine, tmp_path, qtbot):
    path = tmp_path / "Papers.footnote-base"
    manager.transfers.export(manager.panel.view.base, path)
    until(qtbot, lambda: "Papers.footnote-base" in manager.notices.text)
    manager.transfers.import_from(path)
    until(qtbot, lambda: "Papers 2" in base_names(manager))
    assert engine.worker.base("Papers 2").items == len(ITEMS)
    assert not manager.transfers.isVisible()


def test_a_transfer_is_cancelled_and_a_failure_said(manager, engine, tmp_path, qtbot):
    export = script_steps(engine.knowledge, "export", Transfer(0, 3), asyncio.Event())
    manager.transfers.export(manager.panel.view.base, tmp_path / "x")
    until(qtbot, lambda: manager.transfers.bar.maximum() > 0)
    manager.base_actions.do("export")
    assert manager.notices.text.startswith("Wait for the current import or export")
    manager.transfers.stop.click()
    until(qtbot, lambda: not manager.transfers.is_busy)
    assert export.cancelled == 1
    script_steps(engine.knowledge, "import_", IndexUnavailable(detail="The disk is full."))
    manager.transfers.import_from(tmp_path / "x")
    until(qtbot, lambda: "The disk is full." in manager.notices.text)


def test_a_transfer_goes_on_when_its_window_is_closed(knowledge_store, engine, loop, tmp_path, qtbot):
    gate = asyncio.Event()
    export = script_steps(engine.knowledge, "export", Transfer(0, 3), gate, Transfer(3, 3))
    manager = opened(knowledge_store, engine, loop)
    manager.transfers.export(manager.panel.view.base, tmp_path / "x")
    until(qtbot, lambda: manager.transfers.bar.maximum() > 0)
    manager.close()
    assert not manager.isVisible()
    with qtbot.waitSignal(manager.destroyed):
        engine.release(gate)
    assert (export, export.cancelled) == ([("b1", tmp_path / "x")], 0)


@cases("size", [(900, 600), (1180, 740)])
def test_everything_has_a_name_and_fits(manager, size, qtbot):
    manager.resize(*size)
    nameless = [
        part
        for part in manager.findChildren(QLineEdit)
        if part.isVisible() and not (part.accessibleName() or part.placeholderText())
    ]
    assert nameless == []
    assert manager.minimumSizeHint().width() <= 900
    assert manager.minimumSizeHint().height() <= 600
    for view in (manager.panel.view, manager.items.view):
        assert view.accessibleName()


def test_the_store_of_the_window_shows_where_files_go(manager, knowledge_store, engine, tmp_path, qtbot):
    engine.loop.call(engine.knowledge.reconfigure())
    with qtbot.waitSignal(knowledge_store.added) as added:
        manager.adding.chosen.emit((Path(tmp_path / "good.md"),))
    until(qtbot, lambda: not added.args[0].is_running)
    until(qtbot, lambda: "good.md" in item_names(manager))


def test_the_whole_reason_stands_below_the_table_with_the_way_out(manager, engine, tmp_path, qtbot):
    manager.items.view.pick("i2")
    assert manager.items.reason.text.text() == "b.docx: No text."
    manager.items.view.pick("i1")
    assert manager.items.reason.isHidden()
    path = tmp_path / "c.md"
    path.write_text("The moon pulls the sea.")
    engine.worker.tell(
        ItemProgress(ItemInfo("i6", "b1", "c.md", str(path), ItemState.FAILED, error="No text."))
    )
    until(qtbot, lambda: "c.md" in item_names(manager))
    manager.items.view.pick("i6")
    manager.items.reason.again.click()
    engine.loop.call(engine.knowledge.reconfigure())
    until(qtbot, lambda: manager.controller.items.rows.find_progress("i6").item.state is ItemState.READY)
    until(qtbot, manager.items.reason.isHidden)


def test_one_item_is_picked_whatever_key_is_held(manager, qtbot):
    manager.items.view.pick("i2")
    QTest.keyPress(manager.items.view, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    try:
        manager.items.view.pick("i1")
        assert [item.id for item in manager.items.view.items] == ["i1"]
    finally:
        QTest.keyRelease(manager.items.view, Qt.Key.Key_Control)


def test_tags_have_a_column_where_there_are_tags(manager, qtbot):
    manager.resize(1180, 740)
    assert not manager.items.view.isColumnHidden(ItemColumn.TAGS)
    manager.panel.view.setCurrentIndex(manager.controller.bases.index(1))
    assert manager.items.view.isColumnHidden(ItemColumn.TAGS)


def test_a_paused_base_says_so_and_goes_on(manager, engine, qtbot):
    manager.base_actions.do("pause")
    until(qtbot, lambda: manager.items.summary.text.text().startswith("Paused"))
    assert manager.items.summary.bar.isHidden()
    manager.items.summary.resume.click()
    until(qtbot, lambda: not engine.worker.base("Papers").is_paused)


def shut_gate(engine):
    engine.worker.gate.clear()


def open_gate(engine):
    engine.release(engine.worker.gate)


def test_a_pause_and_a_name_show_before_a_busy_worker_knows_of_them(manager, engine, loop, qtbot):
    shut_gate(engine)
    manager.base_actions.do("pause")
    assert manager.items.summary.text.text().startswith("Paused")
    open_gate(engine)
    until(qtbot, lambda: engine.worker.base("Papers").is_paused)
    manager.panel.view.rename()
    QTest.keyClick(type_name(manager, "法律"), Qt.Key.Key_Return)  # another base has it
    until(qtbot, lambda: "already" in manager.notices.text)
    until(qtbot, lambda: base_names(manager) == ["Papers", "法律"])


@pytest.mark.parametrize("page", ["passages", "trial", "folders"])
def test_what_takes_a_while_says_that_it_is_on_its_way(manager, engine, loop, qtbot, page):
    script_result(engine.knowledge, "try_search", engine.worker.gate, SearchTrial())
    shut_gate(engine)
    if page == "passages":
        manager.item_actions.do(page, (ITEMS[0],))
    else:
        manager.base_actions.do(page)
        manager.trial.query.setText("tides")
        manager.trial.ask.click()
    shown = {"passages": manager.passages, "trial": manager.trial, "folders": manager.folders}[page]
    until(qtbot, shown.waiting.isVisible)
    assert shown.waiting.text.text().endswith("…")
    assert manager.passages.count.text() == ""
    open_gate(engine)
    until(qtbot, shown.waiting.isHidden)


def test_a_page_shows_nothing_of_another_base(manager, engine, loop, tmp_path, qtbot):
    loop.call(engine.knowledge.watch_folder("b1", tmp_path))
    found = SearchTrial((TrialRow(FOUND, 1.0, 1.0, 1.0, None, ""),))
    script_result(engine.knowledge, "try_search", engine.worker.gate, found)
    manager.base_actions.do("folders")
    until(qtbot, lambda: manager.folders.list.count() == 1)
    shut_gate(engine)
    manager.base_actions.do("trial")
    manager.trial.query.setText("tides")
    manager.trial.ask.click()
    manager.panel.view.choose("b2")
    manager.base_actions.do("folders")
    assert manager.folders.list.count() == 0
    manager.base_actions.do("trial")
    assert manager.trial.ask.isEnabled()
    open_gate(engine)
    until(qtbot, manager.folders.waiting.isHidden)
    assert manager.folders.list.count() == 0
    assert manager.trial.model.rowCount() == 0


def test_a_file_of_which_only_the_beginning_was_read_says_so_above_its_passages(manager, engine, qtbot):
    manager.item_actions.do("passages", (replace(ITEMS[0], is_cut=True),))
    assert "Only the beginning" in manager.passages.hint.text()
    manager.item_actions.do("passages", (ITEMS[2],))
    assert "Only the beginning" not in manager.passages.hint.text()


def test_the_key_for_undo_brings_a_base_and_items_back(manager, qtbot):
    until_shortcuts_work(manager)
    manager.panel.view.setFocus()
    QTest.keyClick(manager.panel.view, Qt.Key.Key_Delete)
    until(qtbot, lambda: base_names(manager) == ["法律"])
    until(qtbot, manager.notices.action.isVisible)
    QTest.keyClick(manager, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    until(qtbot, lambda: base_names(manager) == ["Papers", "法律"])
    manager.panel.view.choose("b1")
    until(qtbot, lambda: len(item_names(manager)) == len(ITEMS))
    manager.items.view.pick("i3")
    press(manager, Qt.Key.Key_Delete)
    assert "Ideas" not in item_names(manager)
    QTest.keyClick(manager, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "Ideas" in item_names(manager)
    QTest.keyClick(manager, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(item_names(manager)) == len(ITEMS)


def test_a_base_that_is_looked_at_again_says_how_far_its_items_are(manager, engine, loop, qtbot):
    reading = replace(ITEMS[4], state=ItemState.READING)
    engine.worker.tell(ItemProgress(reading, 12, 80))
    model = manager.controller.items
    until(qtbot, lambda: model.index(4, ItemColumn.STATE).data() == "Reading page 12 of 80")
    manager.panel.view.choose("b2")
    manager.panel.view.choose("b1")
    until(qtbot, lambda: model.index(4, ItemColumn.STATE).data() == "Reading page 12 of 80")


def test_the_search_is_tested_by_its_key_from_the_table_too(manager):
    manager.items.view.setFocus()
    until_shortcuts_work(manager)
    QTest.keyClick(manager.items.view, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert manager.pages.currentWidget() is manager.trial


def test_keys_find_and_paste(manager, engine, qtbot):
    QGuiApplication.clipboard().setText("https://example.org/pasted")
    manager.items.view.setFocus()
    until_shortcuts_work(manager)
    QTest.keyClick(manager.items.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    until(qtbot, lambda: "pasted" in item_names(manager))
    QTest.keyClick(manager.items.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert manager.items.filter.words.hasFocus()


def test_everything_is_read_again(manager, engine, loop, qtbot):
    write_note(engine, loop, "Start with the lighthouse.")
    manager.base_actions.do("again")
    until(qtbot, lambda: manager.controller.items.rows.states[ItemState.WAITING] == len(ITEMS))
    engine.loop.call(engine.knowledge.reconfigure())
    until(qtbot, lambda: manager.controller.items.rows.states[ItemState.WAITING] == 0)
    states = manager.controller.items.rows.states
    # The note, the page, and the file that is gone, whose text stays; the other files had none.
    until(qtbot, lambda: (states[ItemState.READY], states[ItemState.FAILED]) == (3, 2))


def test_every_page_follows_the_language_while_it_is_open(manager, translations, qtbot):
    translations.use("zh_CN")
    until(qtbot, lambda: manager.windowTitle() == "知识库")
    assert manager.items.add.text() == "添加"
    assert manager.items.item_actions.actions["remove"].text() == "从知识库移除"
    assert manager.options.model.parentWidget() is not None
    manager.base_actions.do("options")
    until(qtbot, lambda: manager.options.place.currentText() == "本机")
    assert "条" in manager.items.summary.text.text() or "等待" in manager.items.summary.text.text()
    translations.use("en")
    until(qtbot, lambda: manager.windowTitle() == "Knowledge")
