"""The search page of the settings: wishes, engines of one's own, how engines are doing, the browser."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtWidgets import QComboBox

from desktop.domain.search import (
    EngineHealth,
    InstallPhase,
    InstallProgress,
    Obstacle,
    SearchOutcome,
    SearchStatus,
)
from desktop.settings.model import OwnEngine
from desktop.ui.dialogs.browser_dialogs import BrowserDownloadDialog, CaptchaDialog
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.pages.search import BrowserStatus
from desktop.ui.settings.pages.search_engines import CustomEngineDialog, EngineOrder
from tests.cases import cases
from tests.ui.fakes.scripts import script_result, script_steps

LIBRARY = OwnEngine("Library", "https://lib.example/find?q=%s")
BLOCKED = EngineHealth(
    "bing",
    "Bing",
    SearchStatus.BLOCKED,
    "Bing requires human verification (captcha).",
    failures=1,
    paused_s=42.0,
    obstacle=Obstacle.CAPTCHA,
    query="tides",
)


@pytest.fixture
def order(context, qtbot):
    search = replace(context.store.settings.search, engine_order=("duckduckgo", "bing"))
    context.store.apply(replace(context.store.settings, search=search))
    order = EngineOrder(context)
    qtbot.add_widget(order)
    order.show()
    return order


def names(order: EngineOrder) -> list[str]:
    return [row.box.text() for row in order.rows]


def form(order: EngineOrder) -> CustomEngineDialog:
    return next(dialog for dialog in order.findChildren(CustomEngineDialog) if dialog.isVisible())


def test_wishes_are_kept(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.go_to("search")
    boxes = {box.accessibleName(): box for box in dialog.findChildren(QComboBox)}
    for name, text in (
        ("Result language", "简体中文"),
        ("Region", "Deutschland"),
        ("Result age", "Past month"),
        ("Safe search", "Strict"),
    ):
        at = boxes[name].findText(text)
        assert at > 0, name
        boxes[name].activated.emit(at)
    search = context.store.settings.search
    wishes = (search.language, search.region, search.time_range, search.safe_search)
    assert wishes == ("zh-CN", "DE", "month", "strict")


def test_an_engine_of_ones_own_is_added_changed_and_removed(order, context, qtbot):
    order.add.click()
    form(order).name.setText("Library")
    form(order).address.setText(f" {LIBRARY.address} ")
    form(order).keep.click()
    assert context.store.settings.search.own_engines == (LIBRARY,)
    assert context.store.settings.search.engine_order == ("duckduckgo", "bing", LIBRARY.address)
    qtbot.wait_until(lambda: names(order)[:3] == ["DuckDuckGo", "Bing", "Library"])
    assert [row for row in order.rows if not row.edit.isHidden()] == [order.rows[2]]
    order.move_up(LIBRARY.address)
    qtbot.wait_until(lambda: names(order)[:3] == ["DuckDuckGo", "Library", "Bing"])
    order.rows[1].edit.click()
    form(order).address.setText("https://lib.example/?s=%s")
    form(order).keep.click()
    assert context.store.settings.search.engine_order[1] == "https://lib.example/?s=%s"
    qtbot.wait_until(lambda: order.rows[1].engine.id == "https://lib.example/?s=%s")
    order.rows[1].edit.click()
    form(order).remove.click()
    assert context.store.settings.search.own_engines == ()
    assert context.store.settings.search.engine_order == ("duckduckgo", "bing")
    qtbot.wait_until(lambda: "Library" not in names(order))
    assert names(order)[:2] == ["DuckDuckGo", "Bing"]


def test_an_engine_that_is_left_out_can_be_taken_back(order, context, qtbot):
    search = replace(
        context.store.settings.search,
        own_engines=(LIBRARY,),
        engine_order=("duckduckgo", LIBRARY.address),
    )
    context.store.apply(replace(context.store.settings, search=search))
    order.use(LIBRARY.address, False)
    qtbot.wait_until(lambda: [row for row in order.rows if row.box.isChecked()] == order.rows[:1])
    assert "Library" in names(order)
    assert context.store.settings.search.own_engines == (LIBRARY,)


@cases(
    "name, address, words",
    [
        ("X", "", "starts with"),
        ("X", "find.example/%s", "starts with"),
        ("X", "javascript:alert('%s')", "starts with"),
        ("X", "https://[%s", "starts with"),
        ("X", "https://%s.example/", "the site name"),
        ("X", "https://find.example/", "where the search words go"),
        ("X", LIBRARY.address.upper().replace("%S", "%s"), "this address already"),
        ("library", "https://other.example/%s", "this name already"),
        ("Bing", "https://other.example/%s", "this name already"),
        ("bing", "https://other.example/%s", "this name already"),
    ],
)
def test_an_engine_that_cannot_work_is_not_kept(qtbot, name, address, words):
    dialog = CustomEngineDialog(None, ["bing", "Bing", LIBRARY.name, LIBRARY.address])
    qtbot.add_widget(dialog)
    dialog.open()
    dialog.name.setText(name)
    dialog.address.setText(address)
    with qtbot.assert_not_emitted(dialog.kept):
        dialog.keep.click()
    assert words in dialog.problem.text()
    assert dialog.isVisible()


def test_an_engine_without_a_name_is_called_after_its_site(qtbot):
    dialog = CustomEngineDialog(None, [])
    qtbot.add_widget(dialog)
    dialog.address.setText(LIBRARY.address)
    with qtbot.wait_signal(dialog.kept) as kept:
        dialog.keep.click()
    assert kept.args == [OwnEngine("lib.example", LIBRARY.address)]


def test_how_an_engine_is_doing_is_shown_and_followed(order, engine, qtbot):
    working = EngineHealth("duckduckgo", "DuckDuckGo", SearchStatus.RESULTS, typical_s=0.84)
    script_result(engine.searches(), "health", (working, BLOCKED))
    order.refresh()
    qtbot.wait_until(lambda: "captcha" in order.rows[1].doing.text())
    assert order.rows[0].doing.text() == "Working, usually answers in 0.8 s."
    assert "Paused for 42 s" in order.rows[1].doing.text()
    assert [row for row in order.rows if not row.show_page.isHidden()] == [order.rows[1]]
    script_result(engine.searches(), "health", ())
    qtbot.wait_until(order.rows[1].doing.isHidden)


def test_a_page_that_asks_for_a_person_is_shown(order, engine, qtbot):
    script_result(engine.searches(), "health", (BLOCKED,))
    gate, found = asyncio.Event(), SearchOutcome(SearchStatus.RESULTS, "bing", "tides")
    shown = script_result(
        engine.searches(), "show", gate, partial(script_result, engine.searches(), "health", ()), found
    )
    order.refresh()
    qtbot.wait_until(lambda: not order.rows[1].show_page.isHidden())
    order.rows[1].show_page.click()
    dialog = order.findChild(CaptchaDialog)
    qtbot.wait_until(lambda: shown == [("bing", "tides")])
    with qtbot.wait_signal(dialog.finished):
        engine.release(gate)
    qtbot.wait_until(order.rows[1].show_page.isHidden)


def test_tests_begin_at_one_edge(order):
    lefts = {row.test.mapTo(order, row.test.rect().topLeft()).x() for row in order.rows}
    assert len(lefts) == 1


def test_a_missing_browser_can_be_downloaded_from_here(context, engine, qtbot):
    script_result(engine.browser, "problem", "No browser was found.")
    found = partial(script_result, engine.browser, "problem", "")
    script_steps(engine.browser, "install", InstallProgress(InstallPhase.STARTING), found)
    state = BrowserStatus(context)
    qtbot.add_widget(state)
    state.show()
    qtbot.wait_until(lambda: state.words.text() == "No browser was found.")
    state.offer.click()
    offer = state.findChild(BrowserDownloadDialog)
    with qtbot.wait_signal(offer.installed):
        offer.accepting.click()
    qtbot.wait_until(lambda: state.words.text() == "Browser found")
    assert state.offer.isHidden()


def test_no_download_is_offered_for_a_program_that_is_named(context, engine, qtbot):
    search = replace(context.store.settings.search, browser_path="/no/such")
    context.store.apply(replace(context.store.settings, search=search))
    script_result(engine.browser, "problem", "“/no/such” from the settings is not a program.")
    state = BrowserStatus(context)
    qtbot.add_widget(state)
    state.show()
    qtbot.wait_until(lambda: "not a program" in state.words.text())
    assert state.offer.isHidden()
