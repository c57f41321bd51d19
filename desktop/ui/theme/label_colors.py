"""The colours that a user may give folders and conversations."""

from typing import Final

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap

from desktop.domain.messages import LabelColor
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.theme.colors import is_dark

_SWATCH: Final = 12
_COLOURS: Final = {
    LabelColor.RED: ("#c8372d", "#ff8a80"),
    LabelColor.ORANGE: ("#c25e00", "#ffab5e"),
    LabelColor.YELLOW: ("#977300", "#f2cf4a"),
    LabelColor.GREEN: ("#2e7d32", "#7fce84"),
    LabelColor.TEAL: ("#00798c", "#5fcadb"),
    LabelColor.BLUE: ("#2f5bd0", "#8aa8ff"),
    LabelColor.PURPLE: ("#8440b8", "#c99bf0"),
}
"""Colours for the light and the dark theme; on the sidebar, each has the 3:1 contrast of non-text elements."""
_NAMES: Final = {
    LabelColor.NONE: QT_TRANSLATE_NOOP("tints", "No color"),
    LabelColor.RED: QT_TRANSLATE_NOOP("tints", "Red"),
    LabelColor.ORANGE: QT_TRANSLATE_NOOP("tints", "Orange"),
    LabelColor.YELLOW: QT_TRANSLATE_NOOP("tints", "Yellow"),
    LabelColor.GREEN: QT_TRANSLATE_NOOP("tints", "Green"),
    LabelColor.TEAL: QT_TRANSLATE_NOOP("tints", "Teal"),
    LabelColor.BLUE: QT_TRANSLATE_NOOP("tints", "Blue"),
    LabelColor.PURPLE: QT_TRANSLATE_NOOP("tints", "Purple"),
}


def label_color_name(tint: LabelColor) -> str:
    """Return the name of a colour in the current language."""
    return QCoreApplication.translate("tints", _NAMES[tint])


def label_color(tint: LabelColor, palette: QPalette) -> QColor:
    """Return a label's colour in the theme of `palette`; no colour gives that of muted text."""
    if tint is LabelColor.NONE:
        return palette.color(QPalette.ColorRole.PlaceholderText)
    return QColor(_COLOURS[tint][is_dark(palette)])


def swatch(tint: LabelColor, palette: QPalette, scale: float = 1) -> QIcon:
    """Return an icon with a dot in a colour, or a ring for no colour."""
    image = QPixmap(round(_SWATCH * scale), round(_SWATCH * scale))
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(label_color(tint, palette))
        if tint is not LabelColor.NONE:
            painter.setBrush(label_color(tint, palette))
        painter.drawEllipse(1, 1, _SWATCH - 2, _SWATCH - 2)
    return QIcon(image)
