"""What is remembered: typed, picked on the page, kept on its settings page, and left out of a conversation."""

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit

from desktop.domain.memory import Memory, MemoryOrigin
from desktop.errors import StorageFull
from desktop.ui.chat.question_controller import remember_command_in
from desktop.ui.chat.tool_approvals import parse_proposed_fact
from desktop.ui.settings.pages.memory import WORDS_ROLE, FoundMemories, MemoryModel, MemoryPanel
from tests.cases import cases

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@cases(
    "text, fact",
    [
        ("/remember I am allergic to peanuts", "I am allergic to peanuts"),
        ("/Remember: tea, no milk", "tea, no milk"),
        ("/记住 我对虾过敏", "我对虾过敏"),
        ("/remember", ""),
        ("Remember that I live in Oslo.", "I live in Oslo."),
        ("please remember my dog is called Bruno", "my dog is called Bruno"),
        ("remember: the wifi is slow", "the wifi is slow"),
        ("记住我对虾过敏", "我对虾过敏"),
        ("请帮我记住：我们家有三只猫", "我们家有三只猫"),
        ("记住，报销走飞书", "报销走飞书"),
        ("/remembering things", None),
        ("Remember that I asked about tides?", None),
        ("Remember the Titans", None),
        ("Remember that song by Queen", None),
        ("记住单词的方法有哪些", None),
        ("记住我的生日了吗？", None),
        ("How do I remember names?", None),
        ("", None),
    ],
)
def test_what_a_message_wants_remembered(text, fact):
    assert remember_command_in(text) == fact


@cases(
    "arguments, shown",
    [
        ('{"fact": "I live\\n in Oslo."}', "I live in Oslo."),
        ('{"fact": "pay\\u202egnp.exe"}', "paygnp.exe"),
        ('{"fact": "我对虾过敏。"}', "我对虾过敏。"),
        ('{"fact": 3}', '{\n  "fact": 3\n}'),
        ('{"fact": "x", "more": "y"}', '{\n  "fact": "x",\n  "more": "y"\n}'),
        ("[]", "[]"),
    ],
)
def test_a_proposal_is_shown_as_it_would_be_kept(arguments, shown):
    assert parse_proposed_fact(arguments) == shown


def test_the_model_and_its_filter_are_sound(qtbot):
    model = MemoryModel()
    found = FoundMemories()
    found.setSourceModel(model)
    for each in (model, found):
        QAbstractItemModelTester(each, QAbstractItemModelTester.FailureReportingMode.Fatal, each)
    own = Memory("k1", "I live in Oslo.", MemoryOrigin.SAID, NOON, NOON, "cook")
    other = Memory("k2", "我对虾过敏。", MemoryOrigin.CONFIRMED, NOON + timedelta(days=1), NOON)
    model.show_named((own, other), {"cook": "Chef"})
    assert [found.index(row, 0).data() for row in range(found.rowCount())] == [
        "我对虾过敏。",
        "I live in Oslo.",
    ]
    assert "confirmed by you" in found.index(0, 0).data(WORDS_ROLE)
    assert found.index(1, 0).data(WORDS_ROLE).endswith("Chef only")
    found.filter_by("oslo LIVE")
    assert found.rowCount() == 1
    found.filter_by("过敏")
    assert found.index(0, 0).data() == "我对虾过敏。"
    edits = []
    model.edited.connect(lambda memory, text: edits.append((memory.id, text)))
    assert model.setData(model.index(0), " 我对花生过敏。 ")
    assert model.setData(model.index(0), "  ")
    assert edits == [("k2", "我对花生过敏。")]
    assert model.index(0).data() == "我对虾过敏。"  # until it is kept
    model.show_named((), {})
    assert found.rowCount() == 0


def test_a_memory_that_has_lost_its_words_says_so_and_is_edited_from_nothing():
    model = MemoryModel()
    model.show_named((Memory("k1", "", MemoryOrigin.SAID, NOON, NOON, is_damaged=True),), {})
    assert model.index(0).data() == "This message is damaged and isn’t in any backup."
    assert model.index(0).data(Qt.ItemDataRole.EditRole) == ""
    edits = []
    model.edited.connect(lambda _memory, text: edits.append(text))
    assert model.setData(model.index(0), model.index(0).data(Qt.ItemDataRole.EditRole))
    assert edits == []


@pytest.fixture
def panel(context, qtbot):
    panel = MemoryPanel(context)
    qtbot.add_widget(panel)
    panel.resize(640, 500)
    panel.show()
    qtbot.wait_until(panel.isVisible)
    return panel


def shown(panel):
    return [panel.found.index(row, 0).data() for row in range(panel.found.rowCount())]


def wait_for(qtbot, panel, texts):
    qtbot.wait_until(lambda: shown(panel) == texts)


def test_an_empty_page_teaches(panel, qtbot):
    assert panel.empty.isVisible()
    assert "/\u2060remember" in panel.empty.text()  # which does not break behind the slash
    assert not panel.filter.isVisible()
    assert not panel.write.isEnabled()


def test_facts_are_added_changed_and_forgotten_by_keyboard(panel, engine, qtbot):
    QTest.keyClicks(panel.fact, "I live in Oslo.")
    QTest.keyClick(panel.fact, Qt.Key.Key_Return)
    wait_for(qtbot, panel, ["I live in Oslo."])
    assert panel.fact.text() == ""
    assert panel.chosen.text == "I live in Oslo."
    QTest.keyClick(panel.view, Qt.Key.Key_Return)
    editor = panel.view.viewport().findChild(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "I live in Bergen.")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_for(qtbot, panel, ["I live in Bergen."])
    assert panel.chosen.text == "I live in Bergen."
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    wait_for(qtbot, panel, [])
    qtbot.wait_until(panel.notices.action.isVisible)
    QTest.mouseClick(panel.notices.action, Qt.MouseButton.LeftButton)
    wait_for(qtbot, panel, ["I live in Bergen."])


def test_a_fact_can_be_for_one_assistant_only(panel, engine, loop, qtbot):
    loop.call(engine.memories.add("I live in Oslo."))
    panel.memory_store.refresh()
    wait_for(qtbot, panel, ["I live in Oslo."])
    panel.view.setCurrentIndex(panel.found.index(0, 0))
    panel.scope.menu().aboutToShow.emit()
    everyone, first = panel.scope.menu().actions()[:2]
    assert everyone.isChecked()
    first.trigger()
    qtbot.wait_until(lambda: first.text() in panel.found.index(0, 0).data(WORDS_ROLE))
    (memory,) = loop.call(engine.memories.all())
    assert memory.assistant


def test_words_are_looked_for_and_nothing_found_is_said(panel, engine, loop, qtbot):
    loop.call(engine.memories.add("I live in Oslo."))
    loop.call(engine.memories.add("我对虾过敏。"))
    panel.memory_store.refresh()
    wait_for(qtbot, panel, ["我对虾过敏。", "I live in Oslo."])
    panel.filter.setText("虾")
    assert shown(panel) == ["我对虾过敏。"]
    panel.filter.setText("nowhere")
    assert panel.empty.isVisible()
    assert panel.empty.text() == "No matching memories"


def test_a_memory_that_is_wanted_is_chosen_whatever_is_looked_for(panel, engine, loop, qtbot):
    wanted = loop.call(engine.memories.add("I live in Oslo.")).id
    loop.call(engine.memories.add("我对虾过敏。"))
    panel.filter.setText("虾")
    panel.memory_store.ask_to_show(wanted)
    panel.memory_store.refresh()
    qtbot.wait_until(lambda: panel.chosen is not None and panel.chosen.id == wanted)
    assert panel.filter.text() == ""


@pytest.mark.usefixtures("in_english")
def test_memories_go_to_a_file_and_come_from_one(panel, engine, loop, qtbot, tmp_path):
    loop.call(engine.memories.add("I live in Oslo."))
    with qtbot.wait_signal(panel.memory_store.exported):
        panel.memory_store.export_to(tmp_path / "m.jsonl")
    assert panel.notices.text == "1 memory exported"
    with qtbot.wait_signal(panel.memory_store.imported):
        panel.memory_store.import_from(tmp_path / "m.jsonl")
    assert panel.notices.text == "0 memories added or updated"


def test_what_goes_wrong_is_said_on_the_page(panel, engine, qtbot):
    panel.fact.setText("I live in Oslo.")
    full = StorageFull(detail="")
    with patch.object(engine.memories, "add", side_effect=full), qtbot.wait_signal(panel.memory_store.failed):
        QTest.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    assert "disk is full" in panel.notices.text
    assert panel.fact.text() == "I live in Oslo."
