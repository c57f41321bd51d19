import re

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QColor, QFontDatabase, QPalette, QTextLayout
from PySide6.QtWidgets import QApplication

from desktop.resources import resource_text, resources_dir
from desktop.settings.model import WindowSettings
from desktop.ui.widgets.icons import IconButton, pixmap
from desktop.ui.widgets.theme import DARK, LIGHT, ThemeManager, font_families, palette_of, style_sheet
from tests.cases import cases

CHINESE = font_families("", QLocale("zh_CN"))[1]


def luminance(colour: str) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue, _alpha = QColor(colour).getRgbF()
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@cases("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read_on_every_surface(colours):
    for surface in (colours.window, colours.sidebar, colours.raised, colours.hover, colours.selected):
        for words in (colours.text, colours.muted, colours.danger, colours.success, colours.accent):
            assert contrast(words, surface) >= 4.5, (words, surface)
    for surface in (colours.window, colours.sidebar, colours.raised):
        assert contrast(colours.edge, surface) >= 3, surface
    arrow = palette_of(colours).color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.HighlightedText)
    assert contrast(arrow.name(), colours.selected) >= 4.5  # of the button that sends, without a message
    assert contrast(colours.on_accent, colours.accent) >= 4.5
    assert contrast(colours.on_accent, colours.accent_hover) >= 4.5


def page_colours(is_dark: bool, sheet: str = "chat") -> dict[str, str]:
    """Return the colours of a style sheet of the page by the names of their variables."""
    css = resource_text(f"page/{sheet}.css")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", css)
    return {name: dark if is_dark else light for name, light, dark in pairs}


@cases("is_dark", [False, True], ids=["light", "dark"])
def test_words_and_edges_can_be_seen_on_the_page(is_dark):
    colours = page_colours(is_dark)
    for surface in ("paper", "raised", "wash", "wash-deep", "accent-wash", "danger-wash"):
        for words in ("ink", "ink-soft", "muted", "accent", "danger", "warn"):
            assert contrast(colours[words], colours[surface]) >= 4.5, (words, surface)
        # Borders of fields, the thumb of the scrollbar, and the ring of the focus.
        for shape in ("edge", "accent"):
            assert contrast(colours[shape], colours[surface]) >= 3, (shape, surface)
    for words, surface in [("ink", "mark"), ("on-accent", "accent")]:
        assert contrast(colours[words], colours[surface]) >= 4.5, (words, surface)
    for name, words in page_colours(is_dark, "code").items():
        for surface in ("paper", "raised", "wash"):
            assert contrast(words, colours[surface]) >= 4.5, (name, surface)
    # What was found may be a muted word or a link: on yellow it is written in the colour of text.
    for name in ("found", "claim"):
        rule = re.search(rf"::highlight\({name}\) \{{([^}}]*)\}}", resource_text("page/chat.css"))
        assert rule is not None
        assert "color: var(--ink)" in rule[1]


@cases("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_ring_of_the_focus_is_seen_and_is_not_the_ring_of_what_is_on(colours):
    rules = dict(re.findall(r"^(QToolButton\[pill=\S+) \{([^}]*)\}", style_sheet(colours, 10), re.MULTILINE))
    on, focus = (rules[f'QToolButton[pill="true"][active="true"]{state}'] for state in ("", ":focus"))
    assert f"border-color: {colours.accent}" in on
    assert f"border: 2px solid {colours.text}" in focus
    for surface in (colours.window, colours.raised, colours.sidebar):
        assert contrast(colours.text, surface) >= 3
        assert contrast(colours.accent, surface) >= 3
    # Between two states of one border the difference has to be seen, too.
    assert contrast(colours.text, colours.accent) >= 1.5


@cases("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_style_sheet_has_no_gaps(colours):
    sheet = style_sheet(colours, 10)
    assert "$" not in sheet
    assert colours.accent in sheet


def test_the_theme_changes_while_the_program_runs(qapp, qtbot):
    appearance = ThemeManager(qapp, WindowSettings(theme="light"))
    button = IconButton("plus")
    qtbot.add_widget(button)
    light = button.icon().pixmap(18).toImage()
    assert QApplication.palette().window().color() == QColor(LIGHT.window)
    appearance.apply(WindowSettings(theme="dark"))
    assert QApplication.palette().window().color() == QColor(DARK.window)
    qtbot.wait_until(lambda: button.icon().pixmap(18).toImage() != light)
    appearance.apply(WindowSettings(theme="light"))
    appearance.deleteLater()


@cases(
    "locale, families",
    [
        ("en_US", ["Sans", CHINESE]),
        ("zh_CN", ["Sans", CHINESE]),
        ("zh_TW", ["Sans"]),
        ("ja_JP", ["Sans"]),
        ("ko_KR", ["Sans"]),
    ],
)
def test_han_characters_have_chinese_forms_unless_the_system_has_its_own(locale, families):
    assert font_families("Sans", QLocale(locale)) == families


def families_drawing(text):
    layout = QTextLayout(text, QApplication.font())
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return {run.rawFont().familyName() for run in layout.glyphRuns()}


def test_the_window_draws_chinese_in_chinese_forms(qapp):
    if not QFontDatabase.hasFamily(CHINESE):
        pytest.skip("the font is not installed")
    appearance = ThemeManager(qapp, WindowSettings())
    assert families_drawing("骨直门") == {CHINESE}
    assert CHINESE not in families_drawing("Words")
    appearance.deleteLater()


@cases("path", sorted((resources_dir() / "icons").glob("*.svg")), ids=lambda path: path.stem)
def test_every_icon_draws_something_at_every_scale(path, qapp):
    for scale in (1, 2, 3):
        image = pixmap(path.stem, QColor("#ff0000"), 18, scale).toImage()
        pixels = [image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height())]
        assert any(pixels)
        assert image.width() == 18 * scale


def test_styles_of_the_page_do_not_look_into_what_streams():
    # They would be computed anew with every word of an answer.
    for name in ("chat.css", "research.css", "shared.css", "code.css"):
        assert ":has(" not in resource_text(f"page/{name}"), name
