"""The palette: what it finds while the user types, in which order, and what happens with what is chosen."""

import asyncio
import threading
from contextlib import suppress

import pytest
from PySide6.QtCore import Qt

from desktop.domain.knowledge import ItemInfo, ItemState, PassageInfo
from desktop.ui.controllers.palette_controller import MOST_SHOWN, CommandPalette
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.viewer.window import SourceViewer
from desktop.ui.widgets.choice_list import CompletionItem, best_matching
from tests.cases import cases
from tests.ui.fakes.scripts import script_result

TALK = ("When are the tides?", "At noon, says the almanac.")
TITLES = (
    "New chat",
    "Settings",
    "Compare models 比较模型",
    "Export chat",
    "Note: the harbour of Velmora",
    "Résumé for Zoë",
)


@cases(
    "query, found",
    [
        ("settings", ["Settings"]),
        ("setings", ["Settings"]),
        ("nc", ["New chat"]),
        ("chat ex", ["Export chat"]),
        ("模型", ["Compare models 比较模型"]),
        ("chat", ["New chat", "Export chat"]),
        ("harbur velm", ["Note: the harbour of Velmora"]),
        ("zebra", []),
        ("resume", ["Résumé for Zoë"]),
        ("zoë", ["Résumé for Zoë"]),
        ("tings", ["Settings"]),
        ("ttng", []),
    ],
)
def test_words_are_found_whole_with_letters_left_out_and_by_initials(query, found):
    items = [CompletionItem("", title, lambda: None) for title in TITLES]
    assert [item.title for group in best_matching(items, query, 9) for item in group.choices] == found


def test_the_group_with_the_best_item_comes_first_and_tells_how_many_there_are():
    items = [CompletionItem("A", f"an old lamp {number}", lambda: None) for number in range(9)]
    items.append(CompletionItem("B", "lamp", lambda: None))
    groups = best_matching(items, "lamp", 3)
    assert [(group.name, len(group.choices), group.count) for group in groups] == [("B", 1, 1), ("A", 3, 9)]


@pytest.fixture
def window(engine, open_window, qtbot, tmp_path):
    """A window with two chats and a file in a base."""
    engine.put("Sea", texts=TALK)
    engine.put("Lighthouses of the north", texts=("Which are there?", "Two."))
    path = tmp_path / "harbour.txt"
    path.write_text("The old harbour silted up in 1790.")
    item = ItemInfo("i1", "b1", "harbour.txt", str(path), ItemState.READY, "d" * 64, passages=1)
    engine.worker.put("Velmora", (item,))
    passage = PassageInfo(0, "The old harbour silted up in 1790.", None, "", 0, 34, is_embedded=True)
    script_result(engine.knowledge, "passages", (passage,))
    window = open_window()
    qtbot.wait_until(lambda: len(window.library.conversations) == 2 and bool(window.knowledge_store.bases))
    return window


def open_palette(window) -> CommandPalette:
    window.shortcuts["palette"].trigger()
    return window.findChild(CommandPalette)


def rows(palette) -> list[str]:
    indexes = (palette.model.index(row) for row in range(palette.model.rowCount()))
    return [index.data() for index in indexes]


def search(palette, qtbot, words: str, title: str) -> None:
    """Type words, wait for a row, and move to it."""
    qtbot.keyClicks(palette.field, words)
    qtbot.wait_until(lambda: any(title in row for row in rows(palette)))
    for _ in range(palette.model.rowCount()):
        if title in palette.current.title:
            return
        qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    raise AssertionError(rows(palette))


def test_an_empty_palette_offers_recent_chats_and_useful_actions(window, qtbot):
    palette = open_palette(window)
    assert palette.field.hasFocus()
    assert rows(palette)[0] == "Chats"
    assert {"Sea", "Lighthouses of the north", "New chat", "Settings"} <= set(rows(palette))
    assert "Export chat" not in rows(palette)  # there is nothing to export in a new chat
    assert len(rows(palette)) <= 2 * MOST_SHOWN + 4
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert palette.isHidden()
    assert window.composer.text.hasFocus()


def test_everything_is_found_and_opened(window, qtbot):
    palette = open_palette(window)
    search(palette, qtbot, "north", "Lighthouses")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: window.sessions.current != "")
    assert window.sidebar.model.title_of(window.sessions.current) == "Lighthouses of the north"

    palette = open_palette(window)
    search(palette, qtbot, "almanac", "says the almanac")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: window.sidebar.model.title_of(window.sessions.current) == "Sea")
    qtbot.wait_until(lambda: len(window.sessions.shown.messages) == 2)

    search(open_palette(window), qtbot, "mini", "gpt-5-mini")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.composer.model.choice == "openai/gpt-5-mini"

    search(open_palette(window), qtbot, "harbour", "harbour.txt")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: window.findChild(SourceViewer) is not None)

    search(open_palette(window), qtbot, "theme", "Theme")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    dialog = window.findChild(SettingsDialog)
    assert [row.property("found") for row in dialog._shown.rows].count("true") == 1
    qtbot.wait_until(lambda: dialog.focusWidget().accessibleName() == "Theme")
    dialog.close()

    search(open_palette(window), qtbot, "zzzzqq", "Search all messages for “zzzzqq”")
    qtbot.wait_until(lambda: palette.state.text() == "No results. Try another word.")
    assert palette.state.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)

    open_palette(window).field.setText("新对话")  # its Chinese name, in an English window
    assert palette.current.title == "New chat"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.sessions.current == ""


def test_what_the_user_moved_to_stays_chosen_while_more_is_found(window, engine, qtbot):
    for number in range(3):
        engine.put(f"Tides {number}", texts=TALK)
    window.library.refresh()
    qtbot.wait_until(lambda: len(window.library.conversations) == 5)
    palette = open_palette(window)
    qtbot.keyClicks(palette.field, "tides")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    chosen = palette.current.title
    qtbot.wait_until(lambda: "When are the tides?" in rows(palette))
    assert palette.current.title == chosen


def test_messages_found_for_other_words_are_not_shown(window, engine, monkeypatch, qtbot):
    searched, search_at_once, released = [], engine.history.search, threading.Event()

    async def search(query, rest=None):
        searched.append(query)
        page = await search_at_once(query, rest)
        if query.words == "almanac":
            with suppress(asyncio.CancelledError):
                await asyncio.to_thread(released.wait)
        return page

    monkeypatch.setattr(engine.history, "search", search)
    palette = open_palette(window)
    palette.field.setText("almanac")
    qtbot.wait_until(lambda: bool(searched))
    palette.field.setText("tides")
    released.set()
    qtbot.wait_until(lambda: "When are the tides?" in rows(palette))
    assert not any("says the almanac" in row for row in rows(palette))


def test_actions_depend_on_what_is_open_and_show_their_keys(window, qtbot):
    window.sessions.open(next(info.id for info in window.library.conversations if info.title == "Sea"))
    qtbot.wait_until(lambda: len(window.sessions.shown.messages) == 2)
    palette = open_palette(window)
    qtbot.keyClicks(palette.field, "export chat")
    assert palette.current.title == "Export chat"
    assert palette.current.detail == "Ctrl+Shift+S"
    palette.field.clear()
    qtbot.keyClicks(palette.field, "pin")
    assert any(row == "Pin" for row in rows(palette))
    assert "Unpin" not in rows(palette)
    palette.leave()


def test_a_click_elsewhere_closes_it_and_a_narrow_window_holds_it(window, qtbot):
    window.resize(560, 420)
    palette = open_palette(window)
    assert window.rect().contains(palette.geometry())
    window.composer.text.setFocus()
    assert palette.isHidden()
    assert window.composer.text.hasFocus()
