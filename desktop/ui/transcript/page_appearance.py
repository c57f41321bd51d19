"""The appearance of the conversation page that the style sheet of the page does not define."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QPalette

from desktop.settings.model import Density, WindowSettings
from desktop.ui.theme.colors import is_dark, tint


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
