import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from desktop.ui.settings.dialog import PAGES, SettingsDialog, entries_of, search


@pytest.fixture
def dialog(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    return dialog


def titles(context, wanted):
    return [place.title for place in search(entries_of(PAGES, context), wanted)]


def marked(dialog, qtbot):
    qtbot.wait_until(lambda: any(body._marked is not None for body in dialog._built.values()))
    [body] = [body for body in dialog._built.values() if body._marked is not None]
    return body


def test_every_page_and_row_is_found_by_its_title(context):
    places = entries_of(PAGES, context)
    assert {place.page for place in places} == {page.id for page in PAGES}
    for place in places:
        assert place in search(places, place.title), place.title


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_words_of_both_languages_find_the_same_in_either(context, translations, language):
    translations.use(language)
    places = entries_of(PAGES, context)
    for english, chinese in (("theme", "主题"), ("language", "语言"), ("proxy", "代理")):
        found = search(places, english)
        assert found
        assert found[0] == search(places, chinese)[0]


def test_what_is_called_so_comes_before_what_mentions_it(context):
    assert titles(context, "theme")[0] == "Theme"
    assert titles(context, "shortcuts")[0] == "Shortcuts"
    assert titles(context, "  ") == []
    assert titles(context, "no such thing anywhere") == []


def test_typing_shows_the_row_and_return_goes_there(dialog, qtbot):
    qtbot.keyClicks(dialog.side.field, "density")
    row = marked(dialog, qtbot)._marked
    assert dialog.list.currentItem().text() == "Appearance"
    assert row.findChild(QComboBox).accessibleName() == "Density"
    dialog.activateWindow()
    qtbot.wait_until(dialog.isActiveWindow)
    qtbot.keyClick(dialog.side.field, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: row.findChild(QComboBox).hasFocus())


def test_arrow_keys_walk_through_what_was_found(dialog, qtbot):
    qtbot.keyClicks(dialog.side.field, "text size")
    first = marked(dialog, qtbot)._marked
    qtbot.keyClick(dialog.side.field, Qt.Key.Key_Down)
    qtbot.wait_until(lambda: marked(dialog, qtbot)._marked is not first)


def test_escape_ends_the_search_and_then_closes(dialog, qtbot):
    qtbot.keyClicks(dialog.side.field, "density")
    marked(dialog, qtbot)
    qtbot.keyClick(dialog.side.field, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.side.pages.isVisible()
    assert all(body._marked is None for body in dialog._built.values())
    qtbot.keyClick(dialog.side.field, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_nothing_found_is_said(dialog, qtbot):
    qtbot.keyClicks(dialog.side.field, "zzzz")
    assert dialog.side.nothing.isVisible()
    assert "zzzz" not in dialog.list.currentItem().text()
    dialog.side.field.clear()
    assert dialog.side.pages.isVisible()


def test_whatever_can_be_changed_can_be_found(context):
    silent = [page.id for page in PAGES for row in page.rows(context) if not any(row.words)]
    assert silent == ["appearance"]  # the preview


def test_names_that_pages_are_full_of_are_found(context):
    for name, page in (
        ("OpenAI", "models"),
        ("DuckDuckGo", "search"),
        ("WebDAV", "data"),
        ("CSS", "appearance"),
    ):
        assert search(entries_of(PAGES, context), name)[0].page == page
