"""Every window told to a screen reader, gone through by Tab, and seen where the keyboard is."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QDialog, QWidget

from desktop.settings.model import OwnEngine
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.settings.dialog import PAGES, SettingsDialog
from desktop.ui.window.quick_window import QuickWindowController
from tests.cases import cases
from tests.ui.accessible import ROLE, found_in, nameless, out_of_reach, tab_stops, unseen_stops
from tests.ui.on_page import wait_for_text


@pytest.fixture
def talked(open_window, engine, qtbot):
    """A window with conversations, one of them open."""
    engine.put("Tides", texts=("How?", "Tides follow the moon [1]."))
    engine.worker.put("Papers")
    window = open_window()
    qtbot.wait_until(lambda: window.sidebar.model.rowCount() > 0)
    window.sessions.open("c1")
    wait_for_text(window, qtbot, "Tides follow the moon")
    return window


def assert_accessible(window: QWidget) -> None:
    assert nameless(window) == []
    assert out_of_reach(window) == []
    assert tab_stops(window)


def test_the_main_window(talked, qtbot):
    assert_accessible(talked)
    told = {(each.role, each.name) for each in found_in(talked)}
    assert (ROLE.ListItem, "Tides") in told
    assert any(role is ROLE.EditableText and name for role, name in told)


def test_the_first_start(engine, open_window, qtbot):
    engine.preferences.settings = replace(engine.preferences.settings, was_welcomed=False)
    window = open_window()
    assert window.transcripts.first_start is not None
    assert_accessible(window)


def test_the_quick_window(window, qtbot):
    window.quick_asked.emit()
    assert_accessible(window.findChild(QuickWindowController).window)


@cases("page", [page.id for page in PAGES])
def test_a_page_of_the_settings(page, context, engine, qtbot):
    settings = context.store.settings
    own = (OwnEngine("Mine", "https://example.org/?q=%s"),)
    context.store.apply(replace(settings, search=replace(settings.search, own_engines=own)))
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.go_to(page)
    with qtbot.wait_exposed(dialog):
        dialog.show()
    assert_accessible(dialog)
    dialog.close()


@cases("action", ["knowledge", "help", "compare"])
def test_a_window_beside_the_main_one(action, talked, qtbot):
    talked.shortcuts[action].trigger()
    shown = [
        each
        for kind in (QDialog, KnowledgeManager)
        for each in talked.findChildren(kind)
        if each.isVisible() and each.isWindow()
    ]
    assert shown
    assert_accessible(shown[0])
    with qtbot.wait_active(shown[0]):
        shown[0].activateWindow()
    assert unseen_stops(shown[0]) == []
    shown[0].close()


@cases("theme", ["light", "dark"])
def test_the_keyboards_place_can_be_seen(theme, talked, qtbot):
    settings = talked.store.settings
    talked.store.apply(replace(settings, window=replace(settings.window, theme=theme)))
    with qtbot.wait_active(talked):
        talked.activateWindow()
    assert unseen_stops(talked, leave_out=talked.transcripts.page) == []


@cases("page", [page.id for page in PAGES])
def test_the_keyboards_place_can_be_seen_in_the_settings(page, window, qtbot):
    window.opener.to_settings(page)()
    dialog = next(each for each in window.findChildren(SettingsDialog) if each.isVisible())
    with qtbot.wait_active(dialog):
        dialog.activateWindow()
    assert unseen_stops(dialog) == []
    dialog.close()
