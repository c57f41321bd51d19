"""Where the data lies, its copies, and the places beside this computer."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from PySide6.QtWidgets import QMessageBox, QWidget

from desktop.background import Job
from desktop.domain.backups import DataPart
from desktop.errors import StorageFull
from desktop.settings.model import BackupDestination, BackupSettings
from desktop.storage.cited_pages import ReadCitedPage
from desktop.ui.settings.controls import Fact, FactLine, FactList
from desktop.ui.settings.pages.data import PAGE, BackupList, CitedPagesPanel, backup_places
from desktop.ui.settings.record_cards import FieldSpec, RecordCards, RecordKind
from desktop.ui.settings.rows import Panel
from desktop.ui.widgets.labels import error_message
from tests.ui.fakes.scripts import script_result, script_steps

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def lines(widget):
    return [each.accessibleName() for each in widget.findChildren(FactLine) if not each.isHidden()]


def test_every_part_is_told_with_its_size_and_place(engine, context, qtbot):
    parts = (
        DataPart("conversations", Path("/data/c.db"), 4_096),
        DataPart("icons", Path("/data/icons"), 0),
        DataPart("unheard-of", Path("/data/x"), 10),
    )
    script_result(engine.backups, "parts", parts)
    holder = QWidget()
    qtbot.add_widget(holder)
    parts = next(row for row in PAGE.rows(context) if isinstance(row, Panel)).build(context, holder)
    with qtbot.wait_signal(parts.looked):
        parts.refresh()
    assert [fact.title for fact in parts.facts] == ["Chats and memories", "unheard-of"]
    assert parts.facts[0].detail == str(Path("/data/c.db"))
    assert parts.facts[0].value.startswith("4")


def test_saved_pages_are_counted_and_deleted_only_after_a_confirmation(engine, context, qtbot, in_english):
    chat = engine.put("Tides", texts=("q", "a"))
    page = ReadCitedPage((1,), "https://a.example/", "https://a.example/", "A", NOON, "words " * 500)
    engine.loop.call(engine.page_archive._pages.keep(chat, [page]))
    panel = CitedPagesPanel(context)
    qtbot.add_widget(panel)
    panel.show()
    qtbot.wait_until(panel.clear.isEnabled)
    assert panel.state.text().startswith("1 saved page · ")
    panel.clear.click()
    (question,) = panel.findChildren(QMessageBox)
    assert question.defaultButton() is question.button(QMessageBox.StandardButton.Cancel)
    (yes,) = [each for each in question.buttons() if each.text() == "Delete pages"]
    yes.click()
    qtbot.wait_until(lambda: panel.state.text() == "No pages are saved.")
    assert not panel.clear.isEnabled()


@pytest.fixture
def panel(engine, context, qtbot, tmp_path):
    engine.put("Tides", texts=("q", "a"))
    engine.backups._local.take_before_restore(NOON)
    (tmp_path / "nas").mkdir()
    nas = BackupDestination("nas", "NAS", "folder", str(tmp_path / "nas"))
    context.store.apply(replace(context.store.settings, backup=BackupSettings((nas,))))
    panel = BackupList(context)
    qtbot.add_widget(panel)
    panel.show()
    qtbot.wait_until(lambda: len(lines(panel)) == 1)
    return panel


def test_copies_are_listed_and_made_at_once(panel, qtbot):
    assert "Before restoring a backup" in lines(panel)[0]
    panel.work.button.click()
    qtbot.wait_until(lambda: len(lines(panel)) == 2)
    assert panel.work.state.text() == "Backup finished."
    assert panel.work.bar.isHidden()
    assert panel.work.button.text() == "Back up now"


def test_each_place_has_its_own_copies_and_its_own_trouble(panel, engine, qtbot):
    engine.backups._note("nas", problem="The server does not respond.")
    panel.place.setCurrentIndex(1)
    panel.place.activated.emit(1)
    qtbot.wait_until(lambda: panel.work.state.text() == "The server does not respond.")
    qtbot.wait_until(lambda: lines(panel) == [])
    panel.work.button.click()
    qtbot.wait_until(lambda: len(lines(panel)) == 1)


def test_a_place_that_is_gone_is_shown_no_longer(panel, context, qtbot):
    panel.place.setCurrentIndex(1)
    context.store.apply(replace(context.store.settings, backup=BackupSettings()))
    assert panel.place.currentText() == "This computer"
    assert panel.place.isHidden()


def test_a_copy_that_fails_says_why(panel, engine, qtbot):
    error = StorageFull(detail="")
    script_steps(engine.backups, "back_up", error)
    with patch.object(engine.backups, "copies", side_effect=error):
        panel.work.button.click()
        qtbot.wait_until(lambda: panel.work.state.text() == error_message(error))
        assert panel.work.button.text() == "Back up now"
        qtbot.wait_until(lambda: panel.copies.state.text() == error_message(error))


def test_places_are_added_edited_tested_and_removed(context, engine, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    holder = backup_places(context, window)
    folder, webdav, s3 = holder.findChildren(RecordCards)
    webdav.add.click()
    [card] = webdav.cards
    assert (folder.cards, s3.cards) == ([], [])
    card.edits["address"].setText("https://nas.example/dav/")
    card.edits["every_hours"].setText("12")
    card.keep()
    [destination] = context.store.settings.backup.destinations
    assert (destination.kind, destination.address, destination.every_hours) == (
        "webdav",
        "https://nas.example/dav/",
        12,
    )
    for nonsense in ("0", "many", "721"):
        card.edits["every_hours"].setText(nonsense)
        card.keep()
        assert card.problem.text()
    card.edits["every_hours"].setText("")
    tested = script_result(engine.backups, "test", "A test file was written there, read and deleted.")
    card.test.button.click()
    qtbot.wait_until(lambda: "read and deleted" in card.test.result.text())
    assert tested[0][0].every_hours == 12
    folder.add.click()
    assert [each.kind for each in context.store.settings.backup.destinations] == ["webdav", "folder"]
    card.remove.click()
    qtbot.wait_until(lambda: webdav.cards == [])
    assert [each.kind for each in context.store.settings.backup.destinations] == ["folder"]


def test_a_list_of_servers_is_one_entry(context, qtbot):
    kind = RecordKind(
        "destinations",
        "backup",
        "Key",
        "Add bucket…",
        lambda key: BackupDestination(key, "Bucket", "s3", ""),
        (FieldSpec("name", "Name"), FieldSpec("address", "Address", is_address=True)),
        None,
        lambda _context, _server: "",
        space="backup",
    )
    cards = RecordCards(kind, context)
    qtbot.add_widget(cards)
    cards.add.click()
    [card] = cards.cards
    card.edits["address"].setText("https://s3.example")
    card.keep()
    assert [each.address for each in context.store.settings.backup.destinations] == ["https://s3.example"]
    card.remove.click()
    qtbot.wait_until(lambda: cards.cards == [])
    assert context.store.settings.backup.destinations == ()
    cards.undo_removal()
    assert [each.name for each in context.store.settings.backup.destinations] == ["Bucket"]


def test_a_password_in_the_address_of_a_place_goes_to_the_keyring(context, engine, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    _, webdav, _ = backup_places(context, window).findChildren(RecordCards)
    webdav.add.click()
    [card] = webdav.cards
    card.edits["address"].setText("https://me:hunter22@nas.example/dav/")
    card.keep()
    [place] = context.store.settings.backup.destinations
    assert (place.address, place.user) == ("https://nas.example/dav/", "me")
    assert card.edits["address"].text() == "https://nas.example/dav/"
    qtbot.wait_until(lambda: engine.preferences.secrets.get(f"backup/{place.id}") == "hunter22")


def test_a_look_that_fails_when_there_is_a_newer_one_says_nothing(context, qtbot):
    gate = asyncio.Event()
    looks = iter((True, False))

    async def look():
        if next(looks):
            await gate.wait()
            raise StorageFull(detail="")
        return ("new",)

    async def let_the_first_fail():
        gate.set()
        await asyncio.sleep(0)

    facts = FactList(look, lambda found: [Fact(each) for each in found], "", context.loop)
    qtbot.add_widget(facts)
    facts.show()
    with qtbot.wait_signal(facts.looked):
        facts.refresh()
    after = Job(let_the_first_fail, context.loop, facts)
    with qtbot.wait_signal(after.succeeded):
        after.start()
    assert lines(facts) == ["new"]
    assert not facts.state.isVisible()


def test_long_lists_show_the_first_and_all_on_request(context, qtbot):
    async def look():
        return tuple(range(20))

    facts = FactList(look, lambda found: [Fact(str(each)) for each in found], "", context.loop)
    qtbot.add_widget(facts)
    facts.show()
    with qtbot.wait_signal(facts.looked):
        facts.refresh()
    qtbot.wait_until(lambda: len(lines(facts)) == 8)
    facts.more.click()
    qtbot.wait_until(lambda: len(lines(facts)) == 20)
    assert facts.more.isHidden()
