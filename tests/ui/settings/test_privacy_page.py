"""What leaves the machine, and what of the deleted is still there, as the settings say it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from desktop.domain.privacy import Channel, EgressEvent, EgressSummary, Recipient
from desktop.domain.search import WEB_OFF
from desktop.ui.settings.controls import FactList
from desktop.ui.settings.pages.privacy import PAGE, ErasePanel, channel_label, egress_facts, recipient_facts
from desktop.ui.settings.rows import HeadingRow
from tests.ui.fakes.scripts import record_calls

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_every_channel_has_its_words():
    assert len({channel_label(channel) for channel in Channel}) == len(Channel)


def test_who_is_told_something_comes_before_who_is_not():
    facts = recipient_facts(
        (
            Recipient(Channel.SEARCH, "Bing", "bing.com", is_barred=True),
            Recipient(Channel.EMBEDDING, "MiniLM", is_here=True),
            Recipient(Channel.MODEL, "OpenAI", "api.openai.com"),
        )
    )
    assert [fact.title for fact in facts] == ["OpenAI · api.openai.com", "MiniLM", "Bing · bing.com"]
    assert [fact.is_quiet for fact in facts] == [False, True, True]
    assert "stays on this computer" in facts[2].value


def test_what_left_is_counted():
    [fact] = egress_facts((EgressSummary("bing.com", Channel.SEARCH, 1_200, 4_096, NOON),))
    assert fact.title == "bing.com"
    assert " × · 4" in fact.value
    assert fact.detail.startswith("Search words · last ")


@pytest.fixture
def page(engine, context, qtbot):
    engine.put("Tides", texts=("q", "a"))
    engine.loop.call(engine.privacy._egress_log.note("c1", [EgressEvent("bing.com", Channel.SEARCH, 10)]))
    holder = QWidget()
    qtbot.add_widget(holder)

    def build(conversation):
        opened = replace(context, conversation=conversation)
        for row in PAGE.rows(opened):
            row.build(opened, holder)
        return list(holder.findChildren(FactList))

    return build


def test_the_open_conversation_and_all_of_them_are_told_apart(page, qtbot):
    recipients, this_one, everything = page("c2")
    qtbot.wait_until(lambda: bool(everything.facts))
    qtbot.wait_until(lambda: this_one.state.text() == "Nothing has been sent from this computer.")
    qtbot.wait_until(lambda: bool(recipients.facts))
    assert "Bing · www.bing.com" in [fact.title for fact in recipients.facts]


def test_without_a_search_and_a_provider_nothing_is_sent(page, context, qtbot):
    settings = context.store.settings
    context.store.apply(replace(settings, search=replace(settings.search, choice=WEB_OFF)))
    recipients, *_ = page("c2")
    qtbot.wait_until(lambda: "Nothing is sent" in recipients.state.text())


def test_without_an_open_conversation_there_is_no_part_for_it(context):
    texts = [row.text for row in PAGE.rows(context) if isinstance(row, HeadingRow)]
    assert not any("open" in text for text in texts)


@pytest.fixture
def panel(engine, context, qtbot):
    for title in ("Tides", "Moon"):
        engine.loop.call(engine.conversations.delete(engine.put(title, texts=("q", "a"))))
    panel = ErasePanel(context)
    qtbot.add_widget(panel)
    panel.show()
    qtbot.wait_until(panel.erase.isEnabled)
    return panel


@pytest.mark.usefixtures("in_english")
@pytest.mark.parametrize("with_copies", [True, False])
def test_deleting_for_good_asks_first(with_copies, panel, engine, qtbot):
    assert "2 chats" in panel.state.text()
    erased = record_calls(engine.privacy, "erase")
    panel.copies.setChecked(with_copies)
    panel.erase.click()
    question = panel.findChild(QMessageBox)
    assert ("All backups" in question.informativeText()) is with_copies
    [yes] = [each for each in question.findChildren(QPushButton) if each.text() == "Delete permanently"]
    yes.click()
    qtbot.wait_until(lambda: erased == [(with_copies,)])
    qtbot.wait_until(lambda: "0 chats" in panel.state.text())


@pytest.mark.usefixtures("in_english")
def test_what_was_deleted_is_brought_back(panel, engine, context, qtbot):
    memory = engine.loop.call(engine.memories.add("The light is red"))
    engine.loop.call(engine.memories.delete(memory.id))
    changed = []
    panel._context = replace(context, data_changed=lambda: changed.append(True))
    panel.restore.click()
    qtbot.wait_until(lambda: "0 chats, 0 memories" in panel.state.text())
    assert changed == [True]
    assert not panel.restore.isEnabled()
    assert {each.title for each in engine.loop.call(engine.conversations.recent())} >= {"Tides", "Moon"}
    assert [each.text for each in engine.loop.call(engine.memories.all())] == ["The light is red"]


def test_nothing_is_deleted_without_a_yes(panel, engine, qtbot):
    panel.erase.click()
    question = panel.findChild(QMessageBox)
    erased = record_calls(engine.privacy, "erase")
    with qtbot.wait_signal(question.destroyed):
        question.reject()
    assert erased == []
    assert panel.erase.isEnabled()
