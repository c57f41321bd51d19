"""The two sets of colours that everything is painted with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Colours:
    """What every surface and every word is painted with. Text on its surface has a contrast of AA or more."""

    window: str
    sidebar: str
    raised: str
    line: str
    hover: str
    selected: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    danger: str


LIGHT = Colours(
    window="#ffffff",
    sidebar="#f6f5f2",
    raised="#ffffff",
    line="#e4e2dc",
    hover="#eceae5",
    selected="#e2e0da",
    text="#1d1d1b",
    muted="#68665f",
    disabled="#b3b1ab",
    accent="#2f5bd0",
    accent_hover="#274db3",
    on_accent="#ffffff",
    danger="#b3261e",
)
DARK = Colours(
    window="#1c1d1f",
    sidebar="#161718",
    raised="#26272a",
    line="#34363a",
    hover="#25272a",
    selected="#303236",
    text="#ececea",
    muted="#a2a3a6",
    disabled="#5c5e62",
    accent="#8aa8ff",
    accent_hover="#a3bbff",
    on_accent="#10131c",
    danger="#ff8a80",
)
