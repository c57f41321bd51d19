"""Proxies part by part, and the lists of sites, as the user sets them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from desktop.search.fetcher import FetchedResponse
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.pages.privacy import ProxyField
from desktop.ui.settings.rows import LinesEdit
from tests.cases import cases


@pytest.fixture
def field(context, qtbot):
    field = ProxyField("search", "Search", context)
    qtbot.add_widget(field)
    field.show()
    return field


@pytest.fixture
def dialog(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("reading")
    return dialog


def choose(field: ProxyField, at: int) -> None:
    field.choice.setCurrentIndex(at)
    field.choice.activated.emit(at)


def type_address(field: ProxyField, qtbot, address: str) -> None:
    field.address.clear()
    qtbot.keyClicks(field.address, address)
    qtbot.keyClick(field.address, Qt.Key.Key_Return)


def test_a_part_goes_by_the_system_until_something_else_is_chosen(field, context):
    assert field.choice.currentText() == "Use system proxy"
    assert not field.address.isVisible()
    choose(field, 1)
    assert context.store.settings.network.search == "none"
    assert context.store.settings.network.models == "system"


def test_an_address_is_put_to_use_once_it_is_one(field, context, qtbot):
    choose(field, 2)
    assert field.address.isVisible()
    type_address(field, qtbot, "127.0.0.1:1080")
    assert "must begin with" in field.problem.text()
    assert context.store.settings.network.search == "system"
    type_address(field, qtbot, "socks5://127.0.0.1:1080")
    assert not field.problem.isVisible()
    assert context.store.settings.network.search == "socks5://127.0.0.1:1080"


def test_a_password_in_an_address_goes_to_the_keyring_alone(field, context, engine, qtbot):
    choose(field, 2)
    type_address(field, qtbot, "http://me:hunter22@proxy.example:8080")
    qtbot.wait_until(lambda: engine.preferences.secrets == {"proxy/search": "me:hunter22"})
    assert field.address.text() == "http://proxy.example:8080"
    assert "hunter22" not in str(context.store.settings)
    qtbot.wait_until(field.login.forget.isVisible)


def test_the_test_says_how_it_went(field, engine, qtbot, monkeypatch):
    async def answer(part):
        return f"{part} answered"

    with monkeypatch.context() as patch:
        patch.setattr(engine.preferences, "test_network", answer)
        field.test.button.click()
        qtbot.wait_until(lambda: field.test.result.text() == "search answered")
    choose(field, 2)
    type_address(field, qtbot, "socks5://127.0.0.1:1")
    field.test.button.click()
    qtbot.wait_until(lambda: "duckduckgo.com can’t be reached" in field.test.result.text())


def test_an_address_that_is_set_is_shown(context, qtbot):
    settings = context.store.settings
    field = ProxyField("models", "Models", context)
    qtbot.add_widget(field)
    choose(field, 2)
    type_address(field, qtbot, "http://proxy.example:3128")
    again = ProxyField("models", "Models", context)
    qtbot.add_widget(again)
    assert again.choice.currentText() == "Custom:"
    assert again.address.text() == "http://proxy.example:3128"
    assert settings.network.models == "system"


def test_sites_are_kept_one_a_line_when_the_field_is_left(dialog, context, engine, qtbot, monkeypatch):
    async def fetch(url, _known):
        return FetchedResponse(url, 200, b"||shop.example^", "text/plain")

    monkeypatch.setattr(engine.services, "_fetch_list", fetch)
    edits = {edit.accessibleName(): edit for edit in dialog.findChildren(LinesEdit)}
    edits["Blocked sites"].setPlainText("ads.example\n\n  *.shop.example \n")
    edits["Blocked sites"].left.emit()
    edits["Blocklist subscriptions"].setPlainText("https://a.example/list.txt")
    edits["Blocklist subscriptions"].left.emit()
    search = context.store.settings.search
    assert search.exclude_sites == ("ads.example", "*.shop.example")
    assert search.block_lists == ("https://a.example/list.txt",)
    qtbot.wait_until(lambda: context.preferences.settings == context.store.settings)
    button = next(each for each in dialog.findChildren(QPushButton) if each.text() == "Update lists now")
    button.click()
    qtbot.wait_until(lambda: "1 rule." in [label.text() for label in dialog.findChildren(QLabel)])


def test_what_is_taken_of_pages_and_who_helps_can_be_chosen(dialog, context):
    boxes = {box.accessibleName(): box for box in dialog.findChildren(QComboBox)}
    for name, at in (("Text sent from each page", 1), ("If a page can’t be read", 3)):
        boxes[name].setCurrentIndex(at)
        boxes[name].activated.emit(at)
    search = context.store.settings.search
    assert (search.page_mode, search.page_service) == ("cut", "off")


LINES = [
    (
        "Allowed private hosts and networks",
        "198.18.0.0/15\nwiki.local:8080",
        "http://wiki/x",
    ),
    ("Search engine addresses", "searxng http://127.0.0.1:8888", "searxng"),
]


@cases("name, right, wrong", LINES)
def test_own_hosts_and_engine_addresses_are_checked_and_kept(name, right, wrong, dialog, context):
    dialog.go_to("network")
    edit = next(each for each in dialog.findChildren(LinesEdit) if each.accessibleName() == name)
    before = context.store.settings.search
    edit.setPlainText(wrong)
    edit.left.emit()
    assert any(
        wrong in each.text() and each.isVisibleTo(edit.window())
        for each in edit.parent().findChildren(QLabel)
    )
    assert context.store.settings.search == before
    edit.setPlainText(right)
    edit.left.emit()
    kept = context.store.settings.search
    assert right.splitlines() in (list(kept.allowed_hosts), list(map(" ".join, kept.engine_addresses)))
