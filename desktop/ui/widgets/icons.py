"""The icons of the program, drawn in a colour of the palette."""

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontInfo, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.resources import resource_text
from desktop.ui.widgets.layout import plain_tip

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object

ICON_SIZE = 18
_APP_SIZES = (16, 22, 24, 32, 48, 64, 128, 256)
_DRAWN_IN = "#000"
_PER_TEXT = 1.4
"""The height of an icon in pixels for each pixel of the size of the text beside it."""
_AROUND = 6
_BEFORE_TEXT = 4
"""Pixels after an icon beside text, in addition to the 4 that Qt leaves."""


def pixmap(name: str, colour: QColor, size: int = ICON_SIZE, scale: float = 1, after: int = 0) -> QPixmap:
    """Return the icon `name` in one colour, with `after` empty pixels at its right; all in device-independent pixels."""
    drawing = resource_text(f"icons/{name}.svg").replace(_DRAWN_IN, colour.name())
    image = QPixmap(QSize(round((size + after) * scale), round(size * scale)))
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(drawing.encode())).render(
        painter, QRectF(0, 0, round(size * scale), image.height())
    )
    painter.end()
    image.setDevicePixelRatio(scale)
    return image


def icon(
    name: str,
    palette: QPalette,
    role: QPalette.ColorRole = QPalette.ColorRole.ButtonText,
    after: int = 0,
    size: int = ICON_SIZE,
) -> QIcon:
    """Return the icon `name` in a colour of `palette`, with `after` empty pixels at its right; the disabled icon is paler."""
    scales = frozenset(screen.devicePixelRatio() for screen in QGuiApplication.screens())
    groups = (QPalette.ColorGroup.Active, QPalette.ColorGroup.Disabled)
    return _draw(name, *(palette.color(group, role).name() for group in groups), scales, (size, after))


@cache
def _draw(
    name: str, colour: str, disabled: str, scales: frozenset[float], size_and_after: tuple[int, int]
) -> QIcon:
    result, (size, after) = QIcon(), size_and_after
    for scale in scales:
        result.addPixmap(pixmap(name, QColor(colour), size, scale, after), QIcon.Mode.Normal)
        result.addPixmap(pixmap(name, QColor(disabled), size, scale, after), QIcon.Mode.Disabled)
    return result


def app_icon() -> QIcon:
    """Return the program icon in the sizes that operating systems use."""
    result = QIcon()
    for size in _APP_SIZES:
        result.addPixmap(pixmap("footnote", QColor(), size))
    return result


class Recolored(_Widget):
    """Makes what a widget has drawn follow the colours of the theme. It is the first base of the widget."""

    def changeEvent(self, event: QEvent) -> None:
        """Draw again when the palette changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolor()

    def _recolor(self) -> None:
        raise NotImplementedError


class IconButton(Recolored, QToolButton):
    """A flat button whose icon follows the theme."""

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        role: QPalette.ColorRole = QPalette.ColorRole.ButtonText,
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._role = role
        self._size = ICON_SIZE
        # Wider than the icon, so that a button with an icon alone is not narrow.
        self.setIconSize(QSize(ICON_SIZE + _AROUND, ICON_SIZE))
        self.setAutoRaise(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._recolor()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the height of an icon beside text in proportion to the text."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange} and self._has_text_beside:
            self.scale_icon()

    def set_icon_name(self, name: str) -> None:
        """Set the icon."""
        self._name = name
        self._recolor()

    def setToolButtonStyle(self, style: Qt.ToolButtonStyle) -> None:
        """Set what is shown; between an icon and text there is more space."""
        super().setToolButtonStyle(style)
        self._fit_icon()

    def scale_icon(self) -> None:
        """Make the icon larger where the text of the window is."""
        size = max(ICON_SIZE, round(QFontInfo(self.font()).pixelSize() * _PER_TEXT))
        if size != self._size:
            self._size = size
            self._fit_icon()

    def _fit_icon(self) -> None:
        width = self._size + (_BEFORE_TEXT if self._has_text_beside else _AROUND)
        self.setIconSize(QSize(width, self._size))
        self._recolor()

    @property
    def _has_text_beside(self) -> bool:
        return self.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon

    def set_role(self, role: QPalette.ColorRole) -> None:
        """Set the palette role of the icon's colour."""
        self._role = role
        self._recolor()

    def set_words(self, text: str, tip: str = "") -> None:
        """Set the tooltip and the accessible name; what the tooltip has beyond it, such as a shortcut, is the description."""
        self.setText(text)
        self.setToolTip(plain_tip(tip or text))
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip.removeprefix(text).strip())

    def _recolor(self) -> None:
        after = _BEFORE_TEXT if self._has_text_beside else 0
        self.setIcon(icon(self._name, self.palette(), self._role, after, self._size))
