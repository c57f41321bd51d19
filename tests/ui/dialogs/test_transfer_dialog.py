"""The dialogs that show a copy or a file, and take in what is ticked."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch
from zipfile import is_zipfile

import pytest
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from desktop.domain.backups import (
    HERE,
    BackupCopy,
    CopyContents,
    CopyKind,
    Difference,
    FileContents,
    ForeignConversation,
    Imported,
    ImportSource,
    Restoration,
    TransferProgress,
)
from desktop.errors import NotExported, NotImported
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.controllers.export_controller import ConversationExport
from desktop.ui.dialogs.conversation_table import ConversationTableModel, ForeignColumn, FoundForeign
from desktop.ui.dialogs.transfer_dialog import ImportDialog, RestoreDialog
from desktop.ui.settings.controls import FactLine
from desktop.ui.settings.pages.data import BackupList, TransferPanel
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.widgets.labels import error_message
from tests.ui.fakes.scripts import script_result, script_steps

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def conversations():
    return tuple(
        ForeignConversation(f"c{number}", title, NOON - timedelta(days=number), 3 + number, difference)
        for number, (title, difference) in enumerate(
            (
                ("Tides in Brest", Difference.MISSING),
                ("潮汐表", Difference.MISSING),
                ("Lighthouses", Difference.SAME),
                ("", Difference.OLDER),
                ("A <b>bold</b> title", Difference.NEWER),
            )
        )
    )


@pytest.fixture
def restore(engine, loop, qtbot):
    copy = BackupCopy(HERE, "a.db", NOON)
    script_result(engine.backups, "preview", CopyContents(copy, conversations(), only_here=4, memories=2))
    dialog = RestoreDialog(copy, engine.backups, loop)
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.show()
    qtbot.waitUntil(dialog.list.isEnabled)
    return dialog


def import_dialog(engine, loop, qtbot, contents):
    path = Path("export.zip")
    if contents is not None:
        script_result(engine.transfers, "examine", contents)
    dialog = ImportDialog(path, engine.transfers, loop)
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.show()
    qtbot.waitUntil(dialog.bar.isHidden)
    return dialog


def test_the_models_keep_the_rules_of_item_models(qtbot):
    model = ConversationTableModel()
    found = FoundForeign()
    found.setSourceModel(model)
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    testers = [QAbstractItemModelTester(one, fatal) for one in (model, found)]
    model.show(conversations())
    found.find("tid")
    assert found.rowCount() == 1
    found.find("")
    model.tick([model.index(row, 0) for row in range(model.rowCount())], is_on=True)
    assert model.chosen == {"c0", "c1", "c3", "c4"}
    model.show(())
    assert model.chosen == frozenset()
    assert model.data(QModelIndex()) is None
    assert testers


def test_what_is_missing_is_ticked_and_what_is_here_cannot_be(qtbot):
    model = ConversationTableModel()
    model.show(conversations())
    assert model.chosen == {"c0", "c1"}
    same, older = model.index(2, ForeignColumn.TITLE), model.index(3, ForeignColumn.TITLE)
    on, off = Qt.CheckState.Checked, Qt.CheckState.Unchecked
    assert not model.setData(same, on, Qt.ItemDataRole.CheckStateRole)
    assert not model.flags(same) & Qt.ItemFlag.ItemIsEnabled
    assert model.setData(older, on, Qt.ItemDataRole.CheckStateRole)
    assert model.setData(model.index(0, 0), off, Qt.ItemDataRole.CheckStateRole)
    assert model.chosen == {"c1", "c3"}
    assert not model.setData(model.index(0, 1), on, Qt.ItemDataRole.CheckStateRole)
    assert not model.setData(older, "x", Qt.ItemDataRole.EditRole)


def test_a_copy_is_merged_and_that_is_taken_back(restore, engine, qtbot):
    merged = script_result(engine.backups, "merge", Restoration(("c0", "c1")))
    undone = script_result(engine.backups, "undo", None)
    assert "5" in restore.about.text()
    assert restore.accept_button.isEnabled()
    with qtbot.waitSignal(restore.changed):
        qtbot.mouseClick(restore.accept_button, Qt.MouseButton.LeftButton)
    [(_, chosen)] = merged
    assert chosen == {"c0", "c1"}
    assert restore.accept_button.isHidden()
    with qtbot.waitSignal(restore.changed):
        qtbot.mouseClick(restore.undo_button, Qt.MouseButton.LeftButton)
    assert undone == [(Restoration(("c0", "c1")),)]
    assert restore.undo_button.isHidden()


@pytest.mark.usefixtures("in_english")
def test_replacing_says_what_goes(restore, engine, qtbot):
    before = BackupCopy(HERE, "before", NOON, CopyKind.BEFORE_RESTORE)
    replaced = script_result(engine.backups, "replace_all", Restoration(before=before))
    assert "will be removed" not in restore.about.text()
    restore.replace.setChecked(True)
    assert "4 chats not in this backup will be removed." in restore.about.text()
    assert not restore.list.isEnabled()
    with qtbot.waitSignal(restore.changed):
        qtbot.mouseClick(restore.accept_button, Qt.MouseButton.LeftButton)
    assert len(replaced) == 1


def test_without_a_tick_there_is_nothing_to_bring_back(restore, qtbot):
    qtbot.mouseClick(restore.list.none, Qt.MouseButton.LeftButton)
    assert not restore.accept_button.isEnabled()
    restore.list.filter.setText("潮")
    qtbot.mouseClick(restore.list.all, Qt.MouseButton.LeftButton)
    assert restore.list.chosen == {"c1"}
    assert restore.accept_button.isEnabled()


def test_a_file_comes_in_and_goes_again(engine, loop, qtbot):
    contents = FileContents(ImportSource.CHATGPT, conversations(), problems=("“X” can’t be read.",) * 5)
    dialog = import_dialog(engine, loop, qtbot, contents)
    done = Imported(("c0", "c1"))
    imported = script_steps(engine.transfers, "import_from", TransferProgress(1, 1), done)
    undone = script_result(engine.transfers, "undo", None)
    assert "ChatGPT" in dialog.about.text()
    assert "And 2 more" in dialog.status.text()
    with qtbot.waitSignal(dialog.changed):
        qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
    assert imported == [(Path("export.zip"), frozenset({"c0", "c1"}), False, True)]
    assert "2" in dialog.status.text()
    with qtbot.waitSignal(dialog.changed):
        qtbot.mouseClick(dialog.undo_button, Qt.MouseButton.LeftButton)
    assert undone == [(done,)]


def test_a_profile_offers_its_settings_and_bases(engine, loop, qtbot):
    contents = FileContents(ImportSource.PROFILE, (), memories=3, bases=("a", "b"), has_settings=True)
    dialog = import_dialog(engine, loop, qtbot, contents)
    imported = script_steps(engine.transfers, "import_from", Imported(()))
    assert dialog.settings.isVisible()
    assert "2" in dialog.bases.text()
    assert not dialog.settings.isChecked()
    dialog.settings.setChecked(True)
    dialog.bases.setChecked(False)
    with qtbot.waitSignal(dialog.changed):
        qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
    assert imported[0][2:] == (True, False)


def test_without_a_tick_there_is_nothing_to_import(engine, loop, qtbot):
    contents = FileContents(ImportSource.PROFILE, (), bases=("a",), has_settings=True)
    dialog = import_dialog(engine, loop, qtbot, contents)
    dialog.bases.setChecked(False)
    assert not dialog.accept_button.isEnabled()
    dialog.settings.setChecked(True)
    assert dialog.accept_button.isEnabled()


def test_a_file_that_cannot_be_read_says_why(engine, loop, qtbot):
    with patch.object(
        engine.transfers, "examine", side_effect=NotImported(name="x.zip", detail="It contains no JSON.")
    ):
        dialog = import_dialog(engine, loop, qtbot, None)
    assert "It contains no JSON." in dialog.status.text()
    assert not dialog.accept_button.isEnabled()


def test_the_dialogs_follow_the_language(restore, translations, qtbot):
    translations.use("zh_CN")
    QApplication.sendPostedEvents(None, QEvent.Type.LanguageChange)
    assert "备份" in restore.windowTitle()
    assert restore.undo_button.text() == "撤销"
    assert restore.list.model.headerData(0, Qt.Orientation.Horizontal) == "对话"


@pytest.fixture
def transfers(context, qtbot):
    panel = TransferPanel(context)
    qtbot.addWidget(panel)
    return panel


def test_everything_is_exported_from_the_settings(transfers, engine, qtbot, tmp_path):
    transfers.export_to(tmp_path / "all.footnote-profile")
    qtbot.waitUntil(lambda: "all.footnote-profile" in transfers.work.state.text())
    assert is_zipfile(tmp_path / "all.footnote-profile")
    assert transfers.work.bar.isHidden()


def test_an_export_that_fails_says_why(transfers, engine, qtbot, tmp_path):
    error = NotExported(name="all", detail="No room.")
    script_steps(engine.transfers, "export_profile", error)
    transfers.export_to(tmp_path / "all")
    qtbot.waitUntil(lambda: transfers.work.state.text() == error_message(error))
    assert transfers.work.button.text() == "Export all data…"


def test_an_import_tells_the_window_that_there_is_other_data(context, engine, qtbot):
    told = []
    script_result(engine.transfers, "examine", FileContents(ImportSource.CLAUDE, conversations()))
    script_steps(engine.transfers, "import_from", Imported(("c0", "c1")))
    panel = TransferPanel(replace(context, data_changed=lambda: told.append(1)))
    qtbot.addWidget(panel)
    panel.import_from(Path("a.zip"))
    dialog = panel.findChild(ImportDialog)
    qtbot.waitUntil(dialog.accept_button.isEnabled)
    with qtbot.waitSignal(dialog.changed):
        dialog.accept_button.click()
    assert told == [1]
    dialog.reject()


def test_a_copy_is_opened_from_the_list_of_copies(context, engine, qtbot):
    copy = BackupCopy(HERE, "a.db", NOON, size_bytes=9)
    script_result(engine.backups, "copies", (copy,))
    script_result(engine.backups, "preview", CopyContents(copy, conversations()))
    panel = BackupList(context)
    qtbot.addWidget(panel)
    panel.copies.refresh()
    qtbot.waitUntil(lambda: panel.findChildren(FactLine) != [])
    panel.findChildren(FactLine)[0].button.click()
    dialog = panel.findChild(RestoreDialog)
    qtbot.waitUntil(dialog.accept_button.isEnabled)
    dialog.reject()


def test_a_conversation_is_saved_for_another_footnote(engine, loop, qtbot, tmp_path):
    window = QWidget()
    qtbot.addWidget(window)
    sessions = SessionManager(engine.port, loop, window)
    saving = ConversationExport(engine.transfers, loop, sessions, ConversationModel(), window)
    path = tmp_path / "Tides.footnote.json"
    engine.put("Tides", texts=("q", "a"))
    with qtbot.waitSignal(saving.noticed) as told:
        saving.save("c1", path)
    assert "Tides" in path.read_text()
    assert path.name in told.args[0].text
    saving.ask("c1", "Tides/\u202e<b>")
    [dialog] = window.findChildren(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("Tides b.footnote.json")
    dialog.reject()


def test_settings_that_an_import_put_to_use_are_those_of_the_window(context, engine):
    told = []
    context.store.changed.connect(told.append)
    settings = engine.preferences.settings
    engine.preferences.settings = replace(settings, window=replace(settings.window, zoom=1.5))
    context.store.reread()
    assert context.store.settings.window.zoom == 1.5
    context.store.reread()
    assert told == [engine.preferences.settings]


def test_the_settings_of_a_copy_are_used_when_they_are_wanted(engine, loop, qtbot):
    copy = BackupCopy("x", "a.json", NOON)
    script_result(engine.backups, "preview", CopyContents(copy, (), has_settings=True))
    script_result(engine.backups, "merge", Restoration())
    used = script_result(engine.backups, "use_settings", ("These would start programs.",))
    dialog = RestoreDialog(copy, engine.backups, loop)
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.show()
    qtbot.waitUntil(dialog.settings.isVisible)
    assert not dialog.accept_button.isEnabled()
    dialog.settings.setChecked(True)
    with qtbot.waitSignal(dialog.changed):
        dialog.accept_button.click()
    assert used == [(copy,)]
    assert "These would start programs." in dialog.status.text()
