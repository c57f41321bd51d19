"""The page of prompts: written, renamed, deleted with a way back."""

from dataclasses import replace

import pytest
from PySide6.QtTest import QAbstractItemModelTester

from desktop.domain.drafts import SavedPrompt, next_blank
from desktop.settings.model import LONGEST_NAME, Settings, new_prompt, put_back, with_prompt, without_prompt
from desktop.settings.store import SettingsFile
from desktop.ui.settings.pages.prompts import PromptModel, PromptsPanel
from tests.cases import cases

ONE, TWO = SavedPrompt("1", "One", "First {{blank}}"), SavedPrompt("2", "", "第二")


@pytest.fixture
def panel(context, qtbot):
    panel = PromptsPanel(context)
    qtbot.add_widget(panel)
    panel.show()
    return panel


def prompts(context) -> tuple[SavedPrompt, ...]:
    return context.store.settings.prompts


def test_an_empty_library_teaches_and_the_first_prompt_is_named_at_once(panel, context, qtbot):
    assert panel.empty.isVisible()
    assert not panel.editor.isVisible()
    panel.add.click()
    assert panel.name.selectedText() == "New prompt"
    panel.name.setText("Explain")
    panel.text.setPlainText("Explain {{topic}}")
    panel.name.editingFinished.emit()
    assert [(each.name, each.text) for each in prompts(context)] == [("Explain", "Explain {{topic}}")]
    assert not panel.empty.isVisible()


@pytest.mark.parametrize(("language", "name"), [("en", "Summary"), ("zh_CN", "摘要")])
def test_a_few_prompts_to_begin_with_are_the_persons_own(context, translations, qtbot, language, name):
    translations.use(language)
    panel = PromptsPanel(context)
    qtbot.add_widget(panel)
    panel.show()
    panel.begin.click()
    first, *others = prompts(context)
    assert first.name == name
    assert all(next_blank(each.text, 0) for each in (first, *others))
    assert not panel.begin.isVisible()
    panel.delete.click()
    assert prompts(context) == tuple(others)


def test_each_prompt_keeps_its_own_words(panel, context, qtbot):
    context.store.apply(replace(context.store.settings, prompts=(ONE, TWO)))
    panel.view.setCurrentIndex(panel.model.index(1))
    assert panel.text.toPlainText() == "第二"
    panel.text.setPlainText("changed")
    panel.text.left.emit()
    panel.view.setCurrentIndex(panel.model.index(0))
    assert panel.name.text() == "One"
    panel.text.left.emit()
    assert prompts(context) == (ONE, replace(TWO, text="changed"))
    assert panel.model.index(1).data() == "changed"


def test_a_deleted_prompt_comes_back_to_its_place(panel, context, qtbot):
    context.store.apply(replace(context.store.settings, prompts=(ONE, TWO)))
    panel.view.setCurrentIndex(panel.model.index(0))
    panel.delete.click()
    assert prompts(context) == (TWO,)
    assert panel.text.toPlainText() == "第二"
    panel.text.left.emit()
    panel.notices.undo()
    assert prompts(context) == (ONE, TWO)
    assert panel.name.text() == "One"


def test_the_model_is_sound(qapp):
    model = PromptModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for shown in ((ONE,), (ONE, TWO), (replace(ONE, name="Other"), TWO), (), (TWO, ONE)):
        model.show(shown)
        assert [model.record(model.index(row)) for row in range(model.rowCount())] == list(shown)
    assert model.row_of("1").row() == 1
    assert not model.row_of("gone").isValid()
    del tester


def test_prompts_are_on_disk_and_named_by_their_first_line(tmp_path):
    file = SettingsFile(tmp_path / "settings.json")
    long = new_prompt(f"  {'word ' * 40}\nsecond line")
    settings = with_prompt(with_prompt(Settings(), ONE), long)
    file.save(settings)
    assert SettingsFile(tmp_path / "settings.json").load().settings == settings
    assert len(long.name) <= LONGEST_NAME
    assert long.name.endswith("word…")
    assert put_back(without_prompt(settings, "1"), ONE, 0) == settings


@cases(
    "text, start, found",
    [
        ("a {{b}} c {{d}}", 0, (2, 7)),
        ("a {{b}} c {{d}}", 7, (10, 15)),
        ("a {{b}} c", 7, (2, 7)),
        ("{{}} {b} {{a{b}}", 0, None),
        ("", 0, None),
    ],
)
def test_blanks_are_found_in_turn(text, start, found):
    assert next_blank(text, start) == found
