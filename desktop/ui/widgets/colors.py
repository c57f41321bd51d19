"""The colour schemes of the light and the dark theme. Imported before the first paint: Qt's modules only."""

import re
from colorsys import hls_to_rgb, rgb_to_hls
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtGui import QPalette

READABLE: Final = 4.5
"""Minimum contrast between text and its background in WCAG 2.2 (1.4.3, AA)."""

_BYTE = 255
_MIDDLE = 128
_LINEAR = 0.04045
"""Below this value, sRGB is linear; IEC 61966-2-1."""

_STEPS = 100
_HOVER_STEP = 0.07
_WASH = 0.1


@dataclass(frozen=True)
class ColorScheme:
    """The colours of all surfaces and texts.

    The contrast of text on its surface meets at least WCAG AA, and that of `edge`, the border of fields, the 3:1 of
    non-text elements (1.4.11). `line` separates what is told apart without it.
    """

    window: str
    sidebar: str
    raised: str
    line: str
    edge: str
    hover: str
    selected: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    danger: str
    success: str
    is_dark: bool = False


LIGHT = ColorScheme(
    window="#ffffff",
    sidebar="#f6f5f2",
    raised="#ffffff",
    line="#e4e2dc",
    edge="#85837c",
    hover="#eceae5",
    selected="#e2e0da",
    text="#1d1d1b",
    muted="#63615a",
    disabled="#b3b1ab",
    accent="#2f5bd0",
    accent_hover="#274db3",
    on_accent="#ffffff",
    danger="#b3261e",
    success="#1a6b34",
)
DARK = ColorScheme(
    window="#1c1d1f",
    sidebar="#161718",
    raised="#26272a",
    line="#34363a",
    edge="#7a7d83",
    hover="#2b2c30",
    selected="#303236",
    text="#ececea",
    muted="#a2a3a6",
    disabled="#5c5e62",
    accent="#8aa8ff",
    accent_hover="#a3bbff",
    on_accent="#10131c",
    danger="#ff8a80",
    success="#6ccf8c",
    is_dark=True,
)


def is_dark(palette: QPalette) -> bool:
    """Return whether a palette belongs to the dark theme."""
    return palette.window().color().lightness() < _MIDDLE


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours such as #2f5bd0, from 1 to 21; see WCAG 2.2."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def with_accent(colours: ColorScheme, accent: str) -> ColorScheme:
    """Return `colours` with an accent in the hue of `accent`, made light or dark enough to be readable."""
    if not is_colour(accent):
        return colours
    hue, lightness, saturation = rgb_to_hls(*_channels(accent))
    towards = 1.0 if colours.is_dark else 0.0
    for step in range(_STEPS + 1):
        tried = lightness + (towards - lightness) * step / _STEPS
        found = _hex(hue, tried, saturation)
        surfaces = (colours.window, colours.raised, colours.sidebar, colours.hover, colours.on_accent)
        if all(contrast(found, surface) >= READABLE for surface in (*surfaces, tint(found, colours.window))):
            hover = min(1.0, max(0.0, tried + (_HOVER_STEP if colours.is_dark else -_HOVER_STEP)))
            return replace(colours, accent=found, accent_hover=_hex(hue, hover, saturation))
    return colours


def tint(accent: str, surface: str) -> str:
    """Return `surface` mixed with a little of `accent`, as the background of text in the accent colour."""
    pairs = zip(_channels(accent), _channels(surface), strict=True)
    return "#" + "".join(
        f"{round((above * _WASH + below * (1 - _WASH)) * _BYTE):02x}" for above, below in pairs
    )


def is_colour(text: str) -> bool:
    """Return whether `text` is a colour in the format of the settings: # and six hexadecimal digits."""
    return re.fullmatch("#[0-9a-fA-F]{6}", text) is not None


def _channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / _BYTE for at in (1, 3, 5))
    return red, green, blue


def _hex(hue: float, lightness: float, saturation: float) -> str:
    return "#" + "".join(f"{round(part * _BYTE):02x}" for part in hls_to_rgb(hue, lightness, saturation))


def _luminance(colour: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= _LINEAR else ((part + 0.055) / 1.055) ** 2.4 for part in _channels(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
