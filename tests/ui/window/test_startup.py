"""What is made before the rest of the window: the page is drawn by then, and the window goes on with it."""

import json
from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton

from desktop.settings.model import WindowSettings
from desktop.ui.settings.pages.appearance import AccentChoice, AppearancePreview, StyleEditor
from desktop.ui.transcript.start_page import FILE, StartPage, describe_look, read_display_settings
from desktop.ui.transcript.web_page import PreloadedPage
from desktop.ui.widgets.colors import DARK, LIGHT, READABLE, contrast, with_accent
from desktop.ui.widgets.theme import PageAppearance, ThemeManager, scale_spacing
from desktop.ui.window.main_window import MainWindow, WindowPlace
from desktop.ui.window.startup import StartupPage
from desktop.ui.window.workspace import Workspace
from tests.cases import cases
from tests.ui.transcript.test_transcript_view import driver, page_loop, shown_page


@pytest.fixture
def frame(qtbot):
    frame = QMainWindow()
    frame.resize(1000, 700)
    frame.show()
    yield frame
    shiboken6.delete(frame)


def test_what_is_typed_before_there_is_a_field_is_kept(qtbot, tmp_path):
    frame = MainWindow(tmp_path)
    qtbot.add_widget(frame)
    with qtbot.wait_active(frame):
        frame.show()
        frame.activateWindow()
    bare = PreloadedPage(frame)
    frame.show_bare(bare)
    for key in (*"Why x", Qt.Key.Key_Backspace, *"do tides?"):
        QTest.keyClick(frame.windowHandle(), key)
    QTest.keyClick(frame.windowHandle(), Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert frame.take_typed() == "Why do tides?"
    assert frame.take_typed() == ""


@pytest.mark.parametrize("is_drawn", [True, False])
def test_a_window_goes_on_with_the_page_made_ahead(engine, loop, qtbot, frame, is_drawn):
    application = QApplication.instance()
    front = StartupPage(engine.port.preferences, loop, application, frame)
    page = front.draw(PreloadedPage(frame))
    if is_drawn:
        qtbot.wait_until(lambda: page.is_drawn)
    window = Workspace(engine.port, loop, application, frame, front)
    assert not window.has_begun
    with qtbot.wait_signal(window.began):
        frame.setCentralWidget(window)
    assert window.transcripts.page is page
    assert window.store is front.store
    qtbot.wait_until(lambda: page.is_drawn and page.isVisible())
    window.cancel_all()
    window.looks.translations.use("en")


def test_a_click_on_the_page_is_kept_until_the_window_can_answer_it(engine, loop, qtbot, frame, tmp_path):
    left = engine.put("Tides", texts=("How?", "So."))
    application = QApplication.instance()
    front = StartupPage(engine.port.preferences, loop, application, frame)
    bare = PreloadedPage(frame)
    bare.view.setGeometry(frame.rect())
    page = front.draw(bare)
    qtbot.wait_until(lambda: page.is_drawn)
    for _ in range(2):
        qtbot.mouseClick(
            page.tab_stops[-1], Qt.MouseButton.LeftButton, pos=place_of(page, "button.example", qtbot)
        )
    qtbot.wait_until(lambda: front._asked is not None)
    window = Workspace(engine.port, loop, application, frame, front)
    place = WindowPlace(tmp_path / "window.ini")
    place.keep_text("conversation", left)
    window.keep_state(place)
    with qtbot.wait_signal(window.library.listed):
        frame.setCentralWidget(window)
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    [question] = engine.turns.questions
    assert question.text == page._labels.examples[0]
    assert question.conversation_id != left
    qtbot.wait_until(lambda: not window.sessions.is_running)
    assert window.sessions.current == question.conversation_id
    assert len(engine.turns.questions) == 1
    window.cancel_all()


def place_of(page, selector, qtbot):
    """Return the middle of something on a page."""
    found = []
    code = f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
    code += " return `${box.left + box.width / 2} ${box.top + box.height / 2}`; })()"
    page.web_page.runJavaScript(code, found.append)
    qtbot.wait_until(lambda: len(found) == 1)
    return QPoint(*(round(float(each)) for each in found[0].split()))


def test_the_page_speaks_the_language_of_the_settings_from_the_first(engine, loop, qtbot, qapp, frame):
    front = StartupPage(engine.port.preferences, loop, qapp, frame)
    front.looks.translations.use("zh_CN")
    page = front.draw(PreloadedPage(frame))
    with qtbot.wait_signal(page.ready):
        pass
    found = []
    page.web_page.runJavaScript("document.documentElement.lang", found.append)
    qtbot.wait_until(lambda: found == ["zh-CN"])
    front.looks.translations.use("en")


def test_the_next_start_shows_the_welcome_before_anything_can_draw_it(engine, loop, qtbot, frame, tmp_path):
    front = StartupPage(engine.port.preferences, loop, QApplication.instance(), frame)
    front.looks.translations.use("zh_CN")
    front.start_page("these settings").write(tmp_path)
    bare = PreloadedPage(frame, StartPage.read(tmp_path, "these settings"))
    qtbot.wait_until(lambda: bare.is_loaded)
    root = "document.documentElement"
    seen = f"JSON.stringify([{root}.lang, {root}.dataset.theme, window.conversation.innerText])"
    found = []
    bare.web_page.runJavaScript(seen, found.append)
    bare.web_page.runJavaScript("document.querySelectorAll('.example')[1].click()")
    qtbot.wait_until(lambda: len(found) == 1)
    page = front.draw(bare)
    qtbot.wait_until(lambda: page.is_drawn and front._asked is not None)
    assert front._asked.text == page._labels.examples[1]
    page.web_page.runJavaScript(seen, found.append)
    qtbot.wait_until(lambda: len(found) == 2)
    assert found[0] == found[1]
    language, theme, content = json.loads(found[0])
    assert (language, theme) == ("zh-CN", "light")
    assert page._labels.welcome in content
    front.looks.translations.use("en")


def test_a_welcome_for_other_settings_or_a_damaged_one_is_not_shown(tmp_path):
    StartPage("light", "en", {"theme": "light"}, 1.0, "<p>").write(tmp_path)
    assert StartPage.read(tmp_path, "light") is not None
    assert StartPage.read(tmp_path, "dark") is None
    for damage in ("", "[]", '{"made_for": "light"}'):
        (tmp_path / FILE).write_text(damage)
        assert StartPage.read(tmp_path, "light") is None


def test_everything_that_changes_the_welcome_is_told_apart(tmp_path):
    looks = [
        ({}, False),
        ({}, True),
        ({"theme": "dark"}, True),
        ({"language": "zh_CN"}, False),
        ({"zoom": 2}, False),
    ]
    assert len({describe_look(window, is_dark=is_dark) for window, is_dark in looks}) == len(looks)
    (tmp_path / "settings.json").write_text('{"window": {"zoom": 2}}')
    assert read_display_settings(tmp_path / "settings.json") == {"zoom": 2}
    assert read_display_settings(tmp_path / "none.json") == {}


__all__ = ["driver", "page_loop", "shown_page"]


@cases("colours", [LIGHT, DARK], ids=["light", "dark"])
@cases("accent", ["#ffff00", "#000000", "#ffffff", "#0000ff", "#ff00ff", "#00ff80", "#777777"])
def test_any_accent_can_be_read(colours, accent):
    found = with_accent(colours, accent)
    for surface in (found.window, found.raised, found.sidebar, found.hover, found.on_accent):
        assert contrast(found.accent, surface) >= READABLE
    assert contrast(found.on_accent, found.accent_hover) >= READABLE


@cases("nonsense", ["", "red", "#12345", "#12345g", "url(x)", "#1234567"])
def test_what_is_no_colour_is_the_usual_one(nonsense):
    assert with_accent(LIGHT, nonsense) is LIGHT


@pytest.fixture
def appearance(qapp):
    appearance = ThemeManager(qapp, WindowSettings(theme="light"))
    yield appearance
    appearance.apply(WindowSettings(theme="light"))
    appearance.deleteLater()


def test_size_font_and_density_apply_at_once_and_can_be_taken_back(appearance, qapp, qtbot):
    button = QPushButton("Words")
    qtbot.add_widget(button)
    button.show()
    before, height = QFont(qapp.font()), button.sizeHint().height()
    appearance.apply(WindowSettings(theme="light", text_size=1.5, font="Monospace"))
    assert qapp.font().pointSizeF() == before.pointSizeF() * 1.5
    assert qapp.font().family() == "Monospace"
    qtbot.wait_until(lambda: button.sizeHint().height() > height)
    assert scale_spacing(10) == 10
    appearance.apply(WindowSettings(theme="light", density="compact"))
    assert scale_spacing(10) < 10
    assert (
        button.fontMetrics().height() + 2 * scale_spacing(10) - 2 >= 24
    )  # what a finger or an unsteady hand needs
    assert qapp.font() == before
    qtbot.wait_until(lambda: button.sizeHint().height() < height)


def test_a_style_sheet_of_ones_own_dresses_the_page_and_loads_nothing(driver):
    css = ".bubble, #conversation { color: rgb(1, 2, 3) }\n#conversation { background: url(footnote-page://page/x) }"
    driver.page.set_appearance(PageAppearance(font='No"such', density="compact", style=css))
    colour = "getComputedStyle(document.querySelector('#conversation'))"
    driver.until(f"{colour}.color === 'rgb(1, 2, 3)'")
    assert driver.js(f"{colour}.backgroundImage") == "none"
    assert driver.js("document.documentElement.dataset.density") == "compact"
    assert driver.js("getComputedStyle(document.documentElement).fontFamily").startswith('"No\\"such"')
    driver.page.set_appearance(PageAppearance())
    driver.until(f"{colour}.color !== 'rgb(1, 2, 3)'")


def test_the_editor_uses_what_is_typed_and_says_what_it_left_out(context, qtbot):
    editor = StyleEditor(context)
    qtbot.add_widget(editor)
    editor.show()
    editor.edit.setPlainText("p { color: red }\n@import 'x';\nb { background: url(x) }")
    qtbot.wait_until(lambda: "@import" in context.store.settings.window.page_style)
    assert "Line 2" in editor.problem.text()
    assert "Line 3" in editor.problem.text()
    editor.edit.setPlainText("p { color: red }")
    editor.hide()
    assert context.store.settings.window.page_style == "p { color: red }"
    assert editor.problem.text() == ""


def test_the_preview_wears_what_is_chosen(context, qtbot):
    preview = AppearancePreview(context)
    qtbot.add_widget(preview)
    preview.show()
    qtbot.wait_until(lambda: preview.page is not None)
    answers = []

    def colour_is(wanted):
        code = "getComputedStyle(document.querySelector('.bubble') ?? document.body).color"
        preview.page.web_page.runJavaScript(code, answers.append)
        return wanted in answers[-1:]

    looks = replace(context.store.settings.window, page_style=".bubble { color: rgb(1, 2, 3) }")
    context.store.apply(replace(context.store.settings, window=looks))
    qtbot.wait_until(lambda: colour_is("rgb(1, 2, 3)"))
    with qtbot.wait_signal(preview.destroyed):
        preview.deleteLater()


def test_an_accent_is_one_click(qtbot):
    choice = AccentChoice("#123456")
    qtbot.add_widget(choice)
    choice.show()
    assert choice.own.isChecked()
    with qtbot.wait_signal(choice.chosen) as chosen:
        choice.swatches[2].click()
    assert chosen.args == [choice.swatches[2].accent]
    assert [swatch.isChecked() for swatch in (choice.own, choice.swatches[2])] == [False, True]
