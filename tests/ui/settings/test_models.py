"""What can be said of single models in the settings, and where it is seen."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from desktop.domain.models import NO_FACTS, Ability, ModelFacts, ModelInfo, Price
from desktop.settings.model import OwnFacts
from desktop.ui.settings.pages.provider_models import ModelEditor, ModelPanel
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.widgets.item_views import TAGS_ROLE
from desktop.ui.widgets.labels import format_price, money, short_count, tags_of
from desktop.ui.widgets.model_menu import ModelList
from tests.ui.fakes.services import OPENAI

FOUND = ModelFacts(128_000, 16_000, Price(3.0, 15.0), (Ability.IMAGES,), (Ability.TOOLS,))
MODELS = (
    ModelInfo("openai/seeing", "Seeing", "OpenAI", FOUND),
    ModelInfo("openai/plain", "Plain", "OpenAI"),
    ModelInfo("other/else", "Else", "Other"),
)


@pytest.fixture
def editor(qtbot):
    editor = ModelEditor()
    qtbot.add_widget(editor)
    return editor


def test_facts_are_told_in_few_words():
    assert tags_of(FOUND) == ("128k", "Images")
    assert format_price(Price(0.15, 0.6)) == "$0.15 input, $0.6 output per million tokens"
    assert [short_count(count) for count in (900, 8_192, 1_000_000, 1_048_576)] == ["900", "8k", "1M", "1M"]
    assert [money(0.00123, "EUR"), money(12.5, "SEK")] == ["€0.0012", "12.5 SEK"]
    assert [money(0.0000123, "USD"), money(0.0, "USD")] == ["$0.000012", "$0"]


def test_what_is_changed_is_the_persons_own_and_nothing_else(editor, qtbot):
    editor.show_facts(FOUND, NO_FACTS)
    assert editor.abilities[Ability.IMAGES].isChecked()
    with qtbot.wait_signal(editor.changed) as told:
        editor.abilities[Ability.TOOLS].click()
    assert told.args == [ModelFacts(has=(Ability.TOOLS,))]
    editor.context.setValue(32_000)
    with qtbot.wait_signal(editor.changed) as told:
        editor.context.editingFinished.emit()
    assert told.args == [ModelFacts(context_tokens=32_000, has=(Ability.TOOLS,))]


def test_what_is_being_typed_stays_when_the_same_facts_are_told_again(editor, qtbot):
    editor.show_facts(FOUND, NO_FACTS)
    editor.price_in.lineEdit().setText("4")
    editor.show_facts(FOUND, NO_FACTS)
    with qtbot.wait_signal(editor.changed) as told:
        editor.price_in.interpretText()
        editor.price_in.editingFinished.emit()
    assert told.args == [ModelFacts(price=Price(4.0, 15.0))]


def test_a_price_can_be_set_in_another_currency(editor, qtbot):
    editor.show_facts(NO_FACTS, NO_FACTS)
    editor.price_in.setValue(2)
    editor.price_out.setValue(8)
    editor.currency.setCurrentText("CNY")
    with qtbot.wait_signal(editor.changed) as told:
        editor.price_out.editingFinished.emit()
    assert told.args == [ModelFacts(price=Price(2.0, 8.0, "CNY"))]


def test_looking_changes_nothing_and_own_facts_can_be_given_up(editor, qtbot):
    editor.show_facts(FOUND, NO_FACTS)
    with qtbot.assert_not_emitted(editor.changed):
        editor.price_in.editingFinished.emit()
        editor.context.editingFinished.emit()
    assert editor.reset.isHidden()
    editor.show_facts(FOUND, ModelFacts(context_tokens=128_000))
    assert not editor.reset.isHidden()
    with qtbot.wait_signal(editor.changed) as told:
        editor.reset.click()
    assert told.args == [NO_FACTS]


@pytest.fixture
def panel(loop, engine, qtbot):
    catalogue = CatalogueStore(engine.port.catalogue, loop)
    panel = ModelPanel(replace(OPENAI, id="openai"), catalogue)
    qtbot.add_widget(panel)
    catalogue.models_listed.emit(MODELS)
    yield panel
    catalogue.deleteLater()


def test_a_panel_has_the_models_of_its_provider_and_keeps_what_is_said_by_name(panel, qtbot):
    assert [panel.choice.itemText(at) for at in range(panel.choice.count())] == ["Seeing", "Plain"]
    assert "128k · Images · $3 in" in panel.summary.text()
    panel.choice.setCurrentIndex(1)
    with qtbot.wait_signal(panel.changed) as told:
        panel.editor.abilities[Ability.IMAGES].click()
    assert told.args == [(OwnFacts("plain", ModelFacts(has=(Ability.IMAGES,))),)]
    with qtbot.wait_signal(panel.changed) as told:
        panel.editor.reset.click()
    assert told.args == [()]


def test_the_picker_shows_tags_behind_the_names(qtbot):
    models = ModelList()
    qtbot.add_widget(models)
    models.show_models(MODELS, "openai/plain")
    rows = [models.rows.item(at) for at in range(models.rows.rowCount())]
    tags = {item.text(): item.data(TAGS_ROLE) for item in rows if item.data(Qt.ItemDataRole.UserRole)}
    assert tags == {"Seeing": "128k · Images", "Plain  ✓": "", "Else": ""}
    models.filter.setText("images")
    assert [models.rows.item(at).text() for at in range(models.rows.rowCount())] == ["OpenAI", "Seeing"]
    models.show()
    assert not models.grab().isNull()
