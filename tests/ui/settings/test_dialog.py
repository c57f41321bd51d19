import asyncio
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStyle,
    QStyleOptionSpinBox,
    QWidget,
)

from desktop.domain.models import QUOTES_MODEL
from desktop.ui.settings.controls import SecretField
from desktop.ui.settings.dialog import GROUPS, PAGES, SettingsDialog
from desktop.ui.settings.pages.providers import ProviderList
from desktop.ui.settings.pages.search_engines import EngineOrder
from desktop.ui.settings.rows import Choice, Number, Percentage, Text, TextList, Toggle, bind
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.item_views import TAGS_ROLE
from tests.ui.fakes.scripts import record_calls, script_result
from tests.ui.fakes.services import OLLAMA, OPENAI


@pytest.fixture
def dialog(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    return dialog


def control(dialog, kind, name):
    found = [widget for widget in dialog.findChildren(kind) if widget.accessibleName() == name]
    assert len(found) == 1, name
    return found[0]


def pick(box: QComboBox, text: str) -> None:
    at = box.findText(text)
    assert at >= 0
    box.setCurrentIndex(at)
    box.activated.emit(at)


def test_every_page_can_be_seen(dialog):
    for page in PAGES:
        dialog.go_to(page.id)
        titles = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
        assert page.title() in titles


def test_the_keys_of_the_list_of_pages_pass_over_the_headings_of_the_groups(dialog, qtbot):
    seen = [dialog.list.currentItem().text()]
    for _page in PAGES[1:]:
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
        seen.append(dialog.list.currentItem().text())
    assert seen == [page.title() for page in PAGES]
    texts = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    assert [text for text in texts if text not in seen] == [group.title() for group in GROUPS]


def test_a_number_and_a_switch_are_set_with_the_mouse(dialog, context, qtbot):
    dialog.go_to("search")
    number = control(dialog, QSpinBox, "Pages read per question")
    option = QStyleOptionSpinBox()
    number.initStyleOption(option)
    parts = QStyle.SubControl
    for part, count in ((parts.SC_SpinBoxUp, 6), (parts.SC_SpinBoxDown, 5)):
        place = number.style().subControlRect(QStyle.ComplexControl.CC_SpinBox, option, part, number)
        qtbot.mouseClick(number, Qt.MouseButton.LeftButton, pos=place.center())
        assert context.store.settings.search.result_count == count
    switch = control(dialog, QCheckBox, "Add results from other engines")
    was_on = switch.isChecked()
    qtbot.mouseClick(switch.parentWidget().parentWidget(), Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert switch.isChecked() is not was_on


def test_scrolling_a_page_changes_nothing_on_it(context, qtbot):
    context.store.apply(replace(context.store.settings, providers=(OPENAI,)))
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    before, fields = context.store.settings, []
    for page in PAGES:
        dialog.go_to(page.id)
        shown = [each for each in dialog.findChildren(QWidget) if each.isVisible()]
        fields += [each for each in shown if isinstance(each, QComboBox | QAbstractSpinBox)]
        for field in fields:
            field.setFocus()
            for angle in (-120, 120, 120):
                QApplication.sendEvent(field, wheel(field, angle))
    assert len(fields) > 10
    assert context.store.settings == before


def wheel(widget, angle):
    place = QPoint(5, 5)
    return QWheelEvent(
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        QPoint(),
        QPoint(0, angle),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )


def test_return_in_a_field_presses_no_button(dialog, qtbot):
    dialog.go_to("models")
    fields = [each for each in dialog.findChildren(QLineEdit) if each.isVisible() and each.isEnabled()]
    pressed = []
    for button in dialog.findChildren(QPushButton):
        button.clicked.connect(lambda _checked, button=button: pressed.append(button.text()))
    for field in fields:
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert fields
    assert pressed == []
    assert dialog.isVisible()


def test_appearance_applies_at_once_and_reaches_the_disk(dialog, context, engine, qtbot):
    dialog.go_to("appearance")
    pick(control(dialog, QComboBox, "Theme"), "Dark")
    assert context.store.settings.window.theme == "dark"
    pick(control(dialog, QComboBox, "Chat text size"), "125%")
    dialog.go_to("prompts")
    pick(control(dialog, QComboBox, "Send with"), "Ctrl+Enter")
    window = context.store.settings.window
    assert (window.zoom, window.sends_on_enter) == (1.25, False)
    qtbot.wait_until(lambda: engine.preferences.settings == context.store.settings)


def test_search_page_writes_choice_count_and_browser(dialog, context, qtbot):
    dialog.go_to("search")
    pick(control(dialog, QComboBox, "Search the web"), "Bing")
    control(dialog, QSpinBox, "Pages read per question").setValue(9)
    browser = control(dialog, QLineEdit, "Program")
    qtbot.keyClicks(browser, "/usr/bin/chromium ")
    qtbot.keyClick(browser, Qt.Key.Key_Return)
    search = context.store.settings.search
    assert (search.choice, search.result_count, search.browser_path) == ("bing", 9, "/usr/bin/chromium")


def test_engines_can_be_left_out_and_moved(context, qtbot):
    order = EngineOrder(context)
    qtbot.add_widget(order)
    order.move_up("bing")
    assert context.store.settings.search.engine_order[:2] == ("bing", "duckduckgo")
    qtbot.wait_until(lambda: [row.box.text() for row in order.rows][:2] == ["Bing", "DuckDuckGo"])
    boxes = {box.text(): box for box in order.findChildren(QCheckBox)}
    boxes["Bing"].setChecked(False)
    assert context.store.settings.search.engine_order == ("duckduckgo", "wikipedia")


def test_an_engine_is_tested_in_words(dialog, engine, qtbot, monkeypatch):
    async def search_once(name):
        return f"5 results from {name}"

    monkeypatch.setattr(engine.preferences, "test_engine", search_once)
    dialog.go_to("search")
    dialog.findChild(EngineOrder).rows[0].test.button.click()
    qtbot.wait_until(
        lambda: "5 results from duckduckgo" in [label.text() for label in dialog.findChildren(QLabel)]
    )


def test_a_key_is_kept_and_never_shown(engine, context, qtbot):
    field = SecretField("search/tavily", context)
    qtbot.add_widget(field)
    field.show()
    assert not field.forget.isVisible()
    qtbot.keyClicks(field.edit, "tvly-secret")
    assert field.unsaved == "tvly-secret"
    with qtbot.wait_signal(context.store.secrets_kept):
        qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert engine.preferences.secrets == {"search/tavily": "tvly-secret"}
    assert field.edit.text() == ""
    assert field.unsaved is None
    qtbot.wait_until(field.forget.isVisible)
    assert "Saved" in field.edit.placeholderText()
    with qtbot.wait_signal(context.store.secrets_kept):
        field.forget.click()
    assert engine.preferences.secrets == {}
    qtbot.wait_until(lambda: not field.forget.isVisible())


@pytest.fixture
def providers(context, engine, qtbot):
    script_result(engine.preferences, "local_providers", (OLLAMA,))
    widget = ProviderList(context)
    qtbot.add_widget(widget)
    widget.show()
    return widget


def test_a_preset_is_added_tested_and_removed(providers, context, engine, qtbot):
    providers.add.menu().aboutToShow.emit()
    entry = next(action for action in providers.add.menu().actions() if action.text() == "OpenAI")
    entry.trigger()
    assert context.store.settings.providers == (OPENAI,)
    card = providers.cards[0]
    qtbot.keyClicks(card.key.edit, "bad")
    card.test.button.click()
    qtbot.wait_until(lambda: "did not accept the API key. Check it." in card.test.result.text())
    card.key.edit.setText("good")
    card.test.button.click()
    qtbot.wait_until(lambda: card.test.result.text() == "Connected. small, large")
    assert "Choose a model below the message" in providers.notices.text
    card.removed.emit(card.provider.id)
    qtbot.wait_until(lambda: providers.cards == [])
    assert context.store.settings.providers == ()
    assert providers.empty.isVisible()
    providers.notices.action.click()
    qtbot.wait_until(lambda: len(providers.cards) == 1)
    assert context.store.settings.providers == (OPENAI,)
    qtbot.wait_until(lambda: engine.preferences.secrets.get("provider/openai") == "good")


def test_the_page_where_a_provider_gives_keys_opens_in_the_browser(providers, qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)
    providers.add_provider(OPENAI)
    card = providers.cards[0]
    assert card.key_page.toolTip() == "https://platform.openai.com/api-keys"
    card.key_page.click()
    assert opened == ["https://platform.openai.com/api-keys"]
    card.address.setText("https://other.example/v1")
    card.address.editingFinished.emit()
    assert not card.key_page.isVisible()


def test_a_test_that_takes_long_can_be_stopped(providers, engine, qtbot):
    async def wait(provider, key):
        await asyncio.Event().wait()

    engine.preferences.test_provider = wait
    providers.add_provider(OLLAMA)
    test = providers.cards[0].test
    test.button.click()
    assert (test.button.text(), test.result.isHidden()) == ("Stop", False)
    test.button.click()
    assert (test.button.text(), test.result.isHidden()) == ("Test", True)


def test_the_list_of_providers_says_which_work_and_shows_the_selected_one(providers, context, qtbot):
    def told():
        items = [providers.list.item(row) for row in range(providers.list.count())]
        return {item.text(): item.data(TAGS_ROLE) for item in items}

    providers.resize(800, 600)
    unlisted = replace(OPENAI, id="mine", name="Mine", base_url="https://mine.example/v1")
    for provider in (OPENAI, unlisted, OLLAMA):
        providers.add_provider(provider)
    assert told() == {"OpenAI": "Works", "Mine": "Not tested", "Ollama": "Works"}
    assert [card.isVisible() for card in providers.cards] == [False, False, True]
    providers.cards[2].enabled.setChecked(False)
    providers.list.setCurrentRow(1)
    assert [card.isVisible() for card in providers.cards] == [False, True, False]
    providers.cards[1].key.edit.setText("bad")
    providers.cards[1].test.button.click()
    qtbot.wait_until(lambda: told() == {"OpenAI": "Works", "Mine": "Doesn’t work", "Ollama": "Off"})
    providers.cards[1].address.setText("https://other.example/v1")
    providers.cards[1].address.editingFinished.emit()
    assert told()["Mine"] == "Not tested"
    providers.cards[1].test.button.click()
    qtbot.wait_until(lambda: told()["Mine"] == "Doesn’t work")
    providers.cards[1].key.edit.setText("another")
    qtbot.keyClick(providers.cards[1].key.edit, Qt.Key.Key_Return)
    assert (told()["Mine"], providers.cards[1].test.result.text()) == ("Not tested", "")
    providers.resize(400, 600)
    qtbot.wait_until(lambda: providers.list.geometry().bottom() < providers.cards[1].geometry().top())


def test_the_only_model_of_a_server_answers_where_there_was_none(providers, context, engine, qtbot):
    async def list_one(provider, key):
        return ("llama3.1",)

    engine.preferences.test_provider = list_one
    providers.add_provider(OLLAMA)
    providers.cards[0].test.button.click()
    qtbot.wait_until(lambda: context.store.settings.chat.model == "ollama/llama3.1")
    assert "“llama3.1”" in providers.notices.text
    providers.notices.action.click()
    assert context.store.settings.chat.model == QUOTES_MODEL
    providers.cards[0].test.button.click()
    qtbot.wait_until(lambda: context.store.settings.chat.model == "ollama/llama3.1")
    providers._choose("ollama/another")
    providers.notices.action.click()
    assert context.store.settings.chat.model == "ollama/another"


def test_a_second_provider_of_a_kind_gets_an_id_of_its_own(providers, context):
    providers.add_provider(OPENAI)
    providers.add_provider(OPENAI)
    assert [provider.id for provider in context.store.settings.providers] == ["openai", "openai-2"]


def test_another_server_is_not_sent_the_key_of_one_that_was_removed(providers, context, engine, qtbot):
    own = replace(OPENAI, id="custom", base_url="https://mine.example/v1")
    providers.add_provider(own)
    key = providers.cards[0].key
    qtbot.keyClicks(key.edit, "secret")
    key.edit.editingFinished.emit()
    qtbot.wait_until(lambda: engine.preferences.secrets == {"provider/custom": "secret"})
    providers.cards[0].removed.emit("custom")
    providers.add_provider(replace(own, base_url="https://theirs.example/v1"))
    assert context.store.settings.providers[0].id == "custom"
    qtbot.wait_until(lambda: engine.preferences.secrets == {})


def test_a_provider_is_edited_in_place(providers, context, qtbot):
    providers.add_provider(OLLAMA)
    card = providers.cards[0]
    card.address.setText("http://10.0.0.2:11434/v1")
    card.models.setText("qwen3:8b,  llama4 ,")
    card.models.editingFinished.emit()
    card.enabled.setChecked(False)
    provider = context.store.settings.providers[0]
    assert provider.base_url == "http://10.0.0.2:11434/v1"
    assert provider.models == ("qwen3:8b", "llama4")
    assert not provider.is_enabled


def test_a_server_found_on_this_machine_is_one_click_away(providers, context, qtbot):
    def offers():
        return [button for button in providers.findChildren(QPushButton) if button.text() == "Use Ollama"]

    qtbot.wait_until(lambda: len(offers()) == 1)
    offers()[0].click()
    assert context.store.settings.providers == (OLLAMA,)
    qtbot.wait_until(lambda: offers() == [])


def test_a_missing_keyring_is_said_in_the_language_of_now_and_without_what_only_programmers_know(
    engine, context, translations, qtbot
):
    engine.preferences.keyring_problem = "This system offers no keyring (RuntimeError: no D-Bus)."
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.go_to("models")

    def warnings():
        return [label.text() for label in dialog.findChildren(QLabel) if label.property("danger")]

    assert any("won’t be saved" in text for text in warnings())
    translations.use("zh_CN")
    qtbot.wait_until(lambda: any("密钥不会被保存" in text for text in warnings()))
    assert not any("RuntimeError" in text for text in warnings())


def test_changes_in_quick_succession_end_with_the_last(context, engine, qtbot):
    store, saved = context.store, record_calls(engine.preferences, "save")
    for count in range(1, 20):
        store.apply(replace(store.settings, search=replace(store.settings.search, result_count=count)))
    qtbot.wait_until(lambda: engine.preferences.settings.search.result_count == 19)
    assert len(saved) < 19


def test_a_save_that_fails_is_reported(context, engine, qtbot, monkeypatch):
    from desktop.errors import StorageFull

    async def full(_settings):
        raise StorageFull(detail="")

    monkeypatch.setattr(engine.preferences, "save", full)
    store = SettingsStore(engine.port.preferences, context.loop)
    with qtbot.wait_signal(store.failed) as failed:
        store.apply(replace(store.settings, was_welcomed=False))
    assert isinstance(failed.args[0], StorageFull)


@pytest.mark.parametrize("has_entered", [True, False])
def test_a_key_is_kept_though_the_dialog_is_closed_before_the_keyring_has_answered(
    has_entered, context, engine, qtbot
):
    context.store.apply(replace(context.store.settings, providers=(OPENAI,)))
    dialog = SettingsDialog(context)
    dialog.go_to("models")
    dialog.show()
    begun, unlocked = threading.Event(), asyncio.Event()
    keep = engine.preferences.set_secret

    async def slowly(name, value):
        begun.set()
        await unlocked.wait()
        await keep(name, value)

    engine.preferences.set_secret = slowly
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    [field] = (each for each in dialog.findChildren(SecretField) if each.isVisible())
    dialog.activateWindow()
    field.edit.setFocus()
    qtbot.wait_until(field.edit.hasFocus)
    qtbot.keyClicks(field.edit, "sk-1")
    if has_entered:
        qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    with qtbot.wait_signal(dialog.destroyed):
        dialog.close()
    qtbot.wait_until(begun.is_set)
    with qtbot.wait_signal(context.store.secrets_kept):
        context.loop.submit(_set(unlocked))
    assert engine.preferences.secrets == {"provider/openai": "sk-1"}


async def _set(event):
    event.set()


def test_what_is_set_right_before_the_end_is_kept(context, engine, monkeypatch):
    begun, gate = threading.Event(), asyncio.Event()
    save = engine.preferences.save

    async def slowly(settings):
        begun.set()
        await gate.wait()
        await save(settings)

    monkeypatch.setattr(engine.preferences, "save", slowly)
    store = context.store
    for count in (7, 8):
        store.apply(replace(store.settings, search=replace(store.settings.search, result_count=count)))
    assert begun.wait(20)
    store.keep_secrets([("provider/openai", "sk-1")])

    async def settle():
        gate.set()
        await store.settle()

    context.loop.call(settle(), 20)
    assert engine.preferences.settings.search.result_count == 8
    assert engine.preferences.secrets == {"provider/openai": "sk-1"}


def test_what_a_row_writes_is_what_it_reads(context):
    kinds = {Toggle: bool, Number: int, Percentage: float, Text: str, TextList: tuple}
    rows = [row for page in PAGES for row in page.rows(context) if isinstance(row, (*kinds, Choice))]
    assert len(rows) > 40
    for row in rows:
        place, before = bind(row.value), context.store.settings
        value = place.read(before)
        written = row.options[-1][0] if isinstance(row, Choice) else kinds[type(row)]()
        assert isinstance(value, type(written)), row.label
        assert place.read(place.write(before, written)) == written, row.label
        assert place.write(before, value) == before, row.label
