"""The menu of models: many providers, hundreds of models, by keyboard alone, in both languages, and models that are gone."""

import pytest
from PySide6.QtCore import Qt

from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.ui.widgets.model_menu import ModelMenu

QUOTES = ModelInfo(QUOTES_MODEL, "Quotes", "Footnote")
PROVIDERS = ("OpenAI", "SiliconFlow 硅基流动", "OpenRouter", "Ollama", "Mistral")
MODELS = (
    QUOTES,
    *(
        ModelInfo(f"p{place}/model-{number}", f"Model {number} of {name.split()[0]}", name)
        for place, name in enumerate(PROVIDERS)
        for number in range(60)
    ),
)


@pytest.fixture
def menu(qtbot):
    menu = ModelMenu(None)
    qtbot.add_widget(menu)
    menu.list.show_models(MODELS, "p3/model-7")
    with qtbot.wait_exposed(menu):
        menu.popup(menu.pos())
    return menu


def rows(menu) -> list[str]:
    return [menu.list.rows.item(at).text() for at in range(menu.list.rows.rowCount())]


def test_the_model_in_use_is_selected_and_providers_head_their_models(menu):
    assert menu.list.view.currentIndex().data() == "Model 7 of Ollama  ✓"
    assert [row for row in rows(menu) if not row.startswith(("Model", "Quotes"))] == list(PROVIDERS)


def test_a_model_is_found_and_picked_with_the_keyboard_alone(menu, qtbot):
    qtbot.wait_until(menu.list.filter.hasFocus)
    menu.list.filter.insert("硅基 59")
    assert rows(menu) == ["SiliconFlow 硅基流动", "Model 59 of SiliconFlow"]
    menu.list.filter.clear()
    qtbot.keyClicks(menu.list.filter, "openai 1")
    qtbot.keyClick(menu.list.filter, Qt.Key.Key_Down)
    assert menu.list.view.currentIndex().data() == "Model 10 of OpenAI"
    qtbot.keyClicks(menu.list.view, "2")  # typing goes on in the filter
    assert menu.list.filter.text() == "openai 12"
    qtbot.keyClick(menu.list.filter, Qt.Key.Key_Down)
    qtbot.keyClick(menu.list.view, Qt.Key.Key_Up)
    assert menu.list.filter.hasFocus()
    with qtbot.wait_signal(menu.picked) as told:
        qtbot.keyClick(menu.list.filter, Qt.Key.Key_Return)
    assert told.args == ["p0/model-12"]
    assert not menu.isVisible()


def test_the_first_match_is_picked_and_not_the_model_in_use(menu, qtbot):
    qtbot.keyClicks(menu.list.filter, "model 7")
    assert menu.list.view.currentIndex().data() == "Model 7 of OpenAI"


def test_no_match_is_said_and_picks_nothing(menu, qtbot):
    qtbot.keyClicks(menu.list.filter, "zzz")
    assert rows(menu) == ["No model found"]
    with qtbot.assert_not_emitted(menu.picked):
        qtbot.keyClick(menu.list.filter, Qt.Key.Key_Return)
    assert menu.isVisible()


def test_a_model_that_is_gone_is_said_to_be_and_what_is_listed_while_it_is_open_appears(menu, qtbot):
    menu.list.show_models(MODELS, "old/gpt-3")
    assert rows(menu)[:2] == ["Not available now", "gpt-3  ✓"]
    qtbot.keyClicks(menu.list.filter, "new")
    assert rows(menu) == ["No model found"]
    menu.list.update_models((*MODELS, ModelInfo("p9/new", "A new one", "Late")))
    assert rows(menu) == ["Late", "A new one"]
    assert menu.list.filter.text() == "new"


def test_quotes_is_found_by_its_chinese_name(menu, translations, qtbot):
    translations.use("zh_CN")
    menu.list.show_models(MODELS, "")
    menu.list.filter.insert("摘录")
    assert rows(menu) == ["原文摘录"]
