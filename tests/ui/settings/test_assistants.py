"""The assistants' page of the settings: edited, copied, deleted, brought back, exported, imported."""

import json
from dataclasses import replace

import pytest
from PySide6.QtGui import QFont
from PySide6.QtTest import QAbstractItemModelTester

from desktop.chat.assistants import list_assistants, load_builtin_assistants, with_assistant
from desktop.chat.tools.toolset import REMEMBER, knowledge_search, read_page, web_search, wikipedia_search
from desktop.domain.assistants import Assistant, Parameters
from desktop.domain.knowledge import BaseInfo
from desktop.ui.settings.pages.assistant_editor import KnowledgeField, tool_names
from desktop.ui.settings.pages.assistants import AssistantModel, AssistantPanel, IdRole
from tests.cases import cases


@pytest.fixture
def context(context):
    context.knowledge_store.bases = (BaseInfo("b1", "Contracts", tags=("signed",)),)
    return context


@pytest.fixture
def panel(context, qtbot):
    panel = AssistantPanel(context)
    qtbot.add_widget(panel)
    panel.show()
    return panel


def all_of(context) -> list[Assistant]:
    return list(list_assistants(context.store.settings, "en"))


def names(context) -> list[str]:
    return [assistant.name for assistant in all_of(context)]


def one(context, assistant_id: str) -> Assistant:
    return next(assistant for assistant in all_of(context) if assistant.id == assistant_id)


def pick(panel, name: str) -> None:
    rows = [panel.model.index(row) for row in range(panel.model.rowCount())]
    panel.view.setCurrentIndex(next(row for row in rows if row.data().endswith(name)))


def check(button, text: str) -> None:
    button.choices.aboutToShow.emit()
    if isinstance(button, KnowledgeField) and button.tree.rows.findItems(text):
        button.tree.view.clicked.emit(button.tree.rows.findItems(text)[0].index())
        return
    next(action for action in button.choices.actions() if action.text() == text).trigger()


def test_rows_come_go_and_change_one_by_one(qapp):
    model = AssistantModel(QFont())
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    first, second, third = (Assistant(name.lower(), name) for name in ("A", "B", "C"))
    for rows in ((first, third), (first, second, third), (third, first), (), (second,)):
        model.show(rows)
        assert [model.index(row).data(IdRole) for row in range(model.rowCount())] == [row.id for row in rows]
    model.show((Assistant("b", "Better"),))
    assert model.index(0).data() == "Better"
    tester.deleteLater()


def test_every_field_is_kept_at_once(panel, context):
    pick(panel, "Coder")
    editor = panel.editor
    editor.name.setText("Engineer")
    editor.icon.setText("E")
    editor.prompt.setPlainText("Be exact.")
    editor.suggestions.setPlainText("Why?\n\n How? ")
    editor.keep()
    editor.model.setCurrentIndex(editor.model.findData("openai/gpt-5"))
    editor.model.activated.emit(editor.model.currentIndex())
    editor.web.setCurrentIndex(editor.web.findData("off"))
    editor.web.activated.emit(editor.web.currentIndex())
    check(editor.bases, "Contracts")
    check(editor.tools, "Wikipedia")
    check(editor.tools, "Read pages")
    check(editor.tools, "Wikipedia")
    editor.temperature.setValue(0.7)
    editor.context.setValue(100)
    editor.answer.setValue(3_000)
    editor.rounds.setValue(4)
    editor.top_p.setValue(0.85)
    editor.fields.edit.setPlainText('{"seed": 7}')
    editor.fields.edit.left.emit()
    assert one(context, "coder") == Assistant(
        "coder",
        "Engineer",
        "E",
        "Be exact.",
        model="openai/gpt-5",
        web="off",
        bases=("b1",),
        tools=("read_page",),
        parameters=Parameters(0.7, "", 256, 3_000, 4, 0.85, '{"seed": 7}'),
        suggestions=("Why?", "How?"),
    )
    check(editor.bases, "Default")
    editor.temperature.setValue(-0.1)
    editor.top_p.setValue(0)
    assert one(context, "coder").bases is None
    parameters = one(context, "coder").parameters
    assert (parameters.temperature, parameters.top_p) == (None, None)


@cases(
    "typed, said",
    [("{", "JSON object"), ("[7]", "JSON object"), ('{"model": "x", "seed": 1}', "sets model itself.")],
)
def test_fields_that_cannot_be_sent_are_not_kept_and_it_is_said_at_once(panel, context, typed, said):
    pick(panel, "Coder")
    fields = panel.editor.fields
    fields.edit.setPlainText('{"seed": 7}')
    fields.edit.left.emit()
    fields.edit.setPlainText(typed)
    assert said in fields.problem.text()
    assert not fields.problem.isHidden()
    fields.edit.left.emit()
    assert one(context, "coder").parameters.fields == '{"seed": 7}'
    fields.edit.setPlainText("")
    assert fields.problem.isHidden()
    fields.edit.left.emit()
    assert one(context, "coder").parameters == load_builtin_assistants("en")[4].parameters


def test_a_number_finer_than_a_step_stays_as_it_is(panel, context):
    exact = replace(one(context, "coder"), parameters=Parameters(temperature=0.25, top_p=0.01))
    context.store.apply(with_assistant(context.store.settings, exact))
    pick(panel, "Coder")
    panel.editor.name.setText("Engineer")
    panel.editor.keep()
    assert one(context, "coder").parameters == exact.parameters


def test_the_editor_offers_the_tools_that_there_are():
    def look_up(_intent, _where, _emit):
        raise AssertionError("nothing is looked up here")

    def gives_away(_queries):
        raise AssertionError("nothing is asked here")

    ours = (
        web_search(look_up, "auto", gives_away),
        wikipedia_search(look_up, gives_away),
        read_page(look_up, lambda _address: True),
        knowledge_search(look_up),
    )
    assert [name for name, _text in tool_names()] == [*(tool.spec.name for tool in ours), REMEMBER]


def test_what_is_typed_is_kept_when_another_one_is_picked(panel, context):
    pick(panel, "Writer")
    panel.editor.prompt.setPlainText("Rhyme.")
    pick(panel, "Coder")
    assert one(context, "writer").prompt == "Rhyme."


def test_a_changed_one_is_reset_and_the_reset_undone(panel, context):
    pick(panel, "Writer")
    assert not panel.reset.isEnabled()
    panel.editor.prompt.setPlainText("Rhyme.")
    panel.editor.keep()
    panel.reset.click()
    assert one(context, "writer") == load_builtin_assistants("en")[2]
    assert panel.editor.prompt.toPlainText() == load_builtin_assistants("en")[2].prompt
    panel.notices.action.click()
    assert one(context, "writer").prompt == panel.editor.prompt.toPlainText() == "Rhyme."
    assert not panel.notices.isVisible()


def test_one_is_deleted_and_brought_back(panel, context):
    pick(panel, "Reader")
    panel.editor.prompt.setPlainText("Whisper.")
    panel.delete.click()
    assert "Reader" not in names(context)
    assert panel.current.name != "Reader"
    panel.notices.action.click()
    assert one(context, "reader").prompt == "Whisper."
    assert panel.current.id == "reader"
    panel.delete.click()
    panel.restore.trigger()
    assert one(context, "reader").prompt == "Whisper."


def test_new_ones_and_copies_stand_at_the_end(panel, context):
    panel.add.click()
    assert panel.current.name == "New assistant"
    pick(panel, "Translator")
    panel.duplicate.click()
    assert names(context)[5:] == ["New assistant", "Translator (copy)"]
    assert panel.current.prompt == load_builtin_assistants("en")[3].prompt
    panel.delete.click()
    assert names(context)[5:] == ["New assistant"]


def test_assistants_travel_in_a_file(panel, context, qtbot, tmp_path):
    path = tmp_path / "team.json"
    pick(panel, "Coder")
    check(panel.editor.bases, "Contracts")
    panel.export_file(tuple(all_of(context)), path)
    qtbot.wait_until(path.exists)
    qtbot.wait_until(lambda: "team.json" in panel.notices.text)
    assert json.loads(path.read_bytes())["assistants"][4]["bases"] == ["Contracts"]
    panel.import_file(path)
    qtbot.wait_until(lambda: len(names(context)) == 10)
    assert names(context)[5:] == names(context)[:5]
    assert panel.current.name == "Researcher"
    assert "Imported" in panel.notices.text


def test_a_file_that_holds_none_says_so(panel, context, qtbot, tmp_path):
    path = tmp_path / "picture.json"
    path.write_bytes(b"\xff\xd8")
    panel.import_file(path)
    qtbot.wait_until(lambda: "picture.json" in panel.notices.text)
    assert names(context) == [assistant.name for assistant in load_builtin_assistants("en")]
