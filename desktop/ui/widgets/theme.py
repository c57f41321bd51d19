"""The appearance of the window (palette, style sheet, fonts, spacing of custom-painted items), and of the page where its style sheet does not define it."""

import sys
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path
from string import Template

from PySide6.QtCore import QLocale, QObject, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontInfo, QPalette, QTextLayout
from PySide6.QtWidgets import QApplication

from desktop.resources import resources_dir
from desktop.settings.model import Density, WindowSettings
from desktop.ui.widgets.colors import DARK, LIGHT, ColorScheme, is_dark, tint, with_accent

_STYLE_SHEET = Path(__file__).with_name("theme.qss")

_COMPACT = "isCompact"
_SHARE = 0.65

_PADDING = {"comfortable": 6, "compact": 3}
"""Padding above and below the text of a control, in pixels."""


_CHINESE_FAMILY = {"darwin": "PingFang SC", "win32": "Microsoft YaHei UI"}.get(
    sys.platform, "Noto Sans CJK SC"
)


def font_families(family: str, locale: QLocale) -> list[str]:
    """Return `family` and the font for the Han characters that it lacks.

    Left alone, the system takes the Japanese forms of them where its locale is neither Chinese nor Japanese.
    """
    has_own_forms = locale.language() in {QLocale.Language.Japanese, QLocale.Language.Korean}
    is_traditional = locale.script() == QLocale.Script.TraditionalChineseScript
    return [family] if has_own_forms or is_traditional else [family, _CHINESE_FAMILY]


@cache
def can_draw(text: str, family: str) -> bool:
    """Return whether the installed fonts have glyphs for a text; some systems have no emoji font."""
    layout = QTextLayout(text, QFont(family))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    # Glyph index 0 is the box for missing glyphs.
    return all(index != 0 for run in layout.glyphRuns() for index in run.glyphIndexes())


def set_compact(app: QObject, is_compact: bool) -> None:
    """Switch between compact and normal spacing, from the next layout on."""
    app.setProperty(_COMPACT, is_compact)


def scale_spacing(pixels: int) -> int:
    """Return a spacing in pixels for the density that the user chose."""
    app = QApplication.instance()
    is_compact = app is not None and bool(app.property(_COMPACT))
    return round(pixels * _SHARE) if is_compact else pixels


def palette_of(colours: ColorScheme) -> QPalette:
    """Return the palette for `colours`; muted text is `PlaceholderText`, the accent is `Highlight`."""
    role = QPalette.ColorRole
    pairs = (
        (role.Window, colours.window),
        (role.Base, colours.raised),
        (role.AlternateBase, colours.sidebar),
        (role.Button, colours.raised),
        (role.Mid, colours.line),
        (role.Midlight, colours.hover),
        (role.Dark, colours.selected),
        (role.WindowText, colours.text),
        (role.Text, colours.text),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.on_accent),
        (role.Accent, colours.accent),
        (role.Link, colours.accent),
        (role.BrightText, colours.danger),
    )
    palette = QPalette()
    for which, colour in pairs:
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.disabled))
    # The arrow of the button that sends, on its pale disc while there is nothing to send.
    palette.setColor(QPalette.ColorGroup.Disabled, role.HighlightedText, QColor(colours.muted))
    return palette


def style_sheet(colours: ColorScheme, points: float, density: Density = "comfortable") -> str:
    """Return the style sheet for a font size of `points` points."""
    icons = resources_dir() / "icons"
    variant = "dark" if colours.is_dark else "light"
    padding = _PADDING[density]
    made = {
        "pad": f"{padding}px",
        # For use inside a wider border, or in a field, which is as high as a button with its frame.
        "pad_less": f"{padding - 1}px",
        "pad_least": f"{padding - 2}px",
        "small": f"{points * 0.9:.1f}pt",
        "large": f"{points * 1.25:.1f}pt",
        "huge": f"{points * 1.7:.1f}pt",
        # Qt style sheets load images from files only, which must already have the right colour.
        "chevron_field": (icons / f"chevron-field-{variant}.svg").as_posix(),
        "chevron": (icons / f"chevron-{variant}.svg").as_posix(),
        "tick": (icons / f"tick-{variant}.svg").as_posix(),
        "plus": (icons / f"plus-{variant}.svg").as_posix(),
        "minus": (icons / f"minus-{variant}.svg").as_posix(),
        "knob_off": (icons / "knob-off.svg").as_posix(),
        "knob_on": (icons / f"knob-on-{variant}.svg").as_posix(),
        "dash": (icons / f"dash-{variant}.svg").as_posix(),
    }
    return _template().substitute(asdict(colours), **made)


@cache
def _template() -> Template:
    return Template(_STYLE_SHEET.read_text(encoding="utf-8"))


class ThemeManager(QObject):
    """Applies palette, font and style sheet according to settings and system, and again when either changes."""

    def __init__(self, app: QApplication, settings: WindowSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._system_font = QFont(app.font())
        app.setStyle("Fusion")
        self._paint()
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    @property
    def colours(self) -> ColorScheme:
        """The colours in use."""
        return with_accent(DARK if self._is_dark else LIGHT, self._settings.accent)

    def apply(self, settings: WindowSettings) -> None:
        """Apply changed settings."""
        before, self._settings = self._settings, settings
        if _looks_of(before) != _looks_of(settings):
            self._paint()

    @property
    def _is_dark(self) -> bool:
        if self._settings.theme == "system":
            return self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._settings.theme == "dark"

    def _paint(self) -> None:
        schemes = {
            "light": Qt.ColorScheme.Light,
            "dark": Qt.ColorScheme.Dark,
            "system": Qt.ColorScheme.Unknown,
        }
        self._app.styleHints().setColorScheme(schemes[self._settings.theme])
        self._repaint()

    def _repaint(self) -> None:
        font = QFont(self._system_font)
        # The system may name an alias such as “Sans Serif”, which Qt does not find among the families.
        family = self._settings.font or QFontInfo(self._system_font).family()
        font.setFamilies(font_families(family, QLocale.system()))
        font.setPointSizeF(self._system_font.pointSizeF() * self._settings.text_size)
        if font != self._app.font():
            self._app.setFont(font)
        set_compact(self._app, self._settings.density == "compact")
        self._app.setPalette(palette_of(self.colours))
        self._app.setStyleSheet(style_sheet(self.colours, font.pointSizeF(), self._settings.density))

    @Slot()
    def _on_scheme_changed(self) -> None:
        self._repaint()


def _looks_of(settings: WindowSettings) -> tuple[object, ...]:
    return settings.theme, settings.accent, settings.font, settings.text_size, settings.density


@dataclass(frozen=True)
class PageAppearance:
    """The user's display options; theme and accent come from the palette."""

    font: str = ""
    density: Density = "comfortable"
    style: str = ""
    is_still: bool = False
    has_drawings: bool = True

    def to_script(self, palette: QPalette) -> dict[str, str]:
        """Return the appearance in the form that the page's `Looks.apply` expects."""
        paper = palette.window().color()
        accent = palette.highlight().color().name()
        return {
            "theme": "dark" if is_dark(palette) else "light",
            "density": self.density,
            "motion": "less" if self.is_still else "",
            "drawings": "on" if self.has_drawings else "off",
            "accent": accent,
            "wash": tint(accent, paper.name()),
            "font": self.font,
            "style": _harmless(self.style) if self.style else "",
        }


# Shared by the conversation and the preview; both read it again at every colour change, on the GUI thread.
@lru_cache(maxsize=2)
def _harmless(style: str) -> str:
    from desktop.render.page.custom_css import own_style  # noqa: PLC0415 - few have one, and it brings a parser

    return own_style(style).css


def build_page_appearance(window: WindowSettings) -> PageAppearance:
    """Return the appearance for the given settings."""
    return PageAppearance(window.font, window.density, window.page_style, has_drawings=window.has_drawings)
