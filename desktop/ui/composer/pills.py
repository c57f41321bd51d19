"""Pills: compact switches in a row below the composer. If space is short, some show only their icon."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMargins, QSize, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, plain_name, plain_tip, set_style_flag

_AROUND_ICON = 22
"""The width of a pill without text beyond that of its icon, in pixels."""


class Pill(IconButton):
    """A switch that shows its state as text, in the accent colour when it is active."""

    def __init__(self, icon_name: str, parent: QWidget) -> None:
        super().__init__(icon_name, parent, QPalette.ColorRole.PlaceholderText)
        self.icon_name = icon_name
        self.kind = ""
        """What the switch chooses, such as “Assistant”."""
        self.is_active = False
        self.is_offered = True
        """Whether there is anything to choose."""
        self._is_default = True
        self._hides_default = False
        self.icon_width = self.worded_width = 0
        """The widths with only the icon and with the text, in pixels, independent of the current display."""
        self.setProperty("pill", "true")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        """Return the size without the space that Qt adds for the arrow of a menu or after the text."""
        hint = super().sizeHint()
        if self.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly:
            width = _AROUND_ICON + self.iconSize().height()
            return hint.shrunkBy(QMargins(0, 0, max(0, hint.width() - width), 0))
        return hint.shrunkBy(QMargins(0, 0, 2 * self.fontMetrics().horizontalAdvance(" "), 0))

    def hide_default(self) -> None:
        """Show the switch only while it differs from its default."""
        self._hides_default = True
        self._show_or_hide()

    def set_offered(self, is_offered: bool) -> None:
        """Set whether there is anything to choose; without, the switch is hidden."""
        self.is_offered = is_offered
        self._show_or_hide()

    def _show_or_hide(self) -> None:
        self.setVisible(self.is_offered and not (self._hides_default and self._is_default))

    def show_state(self, text: str, tip: str, *, is_active: bool, is_default: bool | None = None) -> None:
        """Show the current selection, which is the default if it is not active, or as `is_default` says."""
        self.kind = tip
        self._is_default = not is_active if is_default is None else is_default
        self.setText(plain_name(text))
        self.setToolTip(plain_tip(tip))
        self.setAccessibleName(f"{tip}: {text}")
        self._measure()
        if is_active != self.is_active:
            self.is_active = is_active
            self.set_role(QPalette.ColorRole.Highlight if is_active else QPalette.ColorRole.PlaceholderText)
            set_style_flag(self, "active", is_active)
        if self._hides_default:
            self._show_or_hide()

    def set_brief(self, is_brief: bool) -> None:
        """Show only the icon, or icon and text. The tooltip explains the pill in both cases."""
        styles = Qt.ToolButtonStyle
        style = styles.ToolButtonIconOnly if is_brief or not self.text() else styles.ToolButtonTextBesideIcon
        if style != self.toolButtonStyle():
            self.setToolButtonStyle(style)

    def _measure(self) -> None:
        style = self.toolButtonStyle()
        self.ensurePolished()
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.icon_width = self.sizeHint().width()
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.worded_width = self.sizeHint().width() if self.text() else self.icon_width
        self.setToolButtonStyle(style)

    def changeEvent(self, event: QEvent) -> None:
        """Update the text on a change of language or enabled state, and the widths on a change of font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.LanguageChange, QEvent.Type.EnabledChange}:
            self.refresh()
        elif event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self.scale_icon()
            self._measure()

    def refresh(self) -> None:
        """Show the state in the current language."""
        raise NotImplementedError


class PillRow(QWidget):
    """A row of pills that can shrink to the icons, the last `right` of them at its right end.

    Active pills keep their text longer than others, and `last_worded` longest.
    """

    def __init__(
        self, pills: Sequence[Pill], last_worded: Sequence[Pill], right: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pills = tuple(pills)
        self._last_worded = frozenset(last_worded)
        self._row = hbox(self)
        for number, pill in enumerate(self._pills):
            if number == len(self._pills) - right:
                self._row.addStretch(1)
            self._row.addWidget(pill)

    def minimumSizeHint(self) -> QSize:
        """Return the size of the icons alone."""
        width = sum(pill.icon_width for pill in self._shown) + self._gaps
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the pills to the new width."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Fit the pills again when one changes its text, appears or disappears."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    @property
    def _shown(self) -> tuple[Pill, ...]:
        return tuple(pill for pill in self._pills if not pill.isHidden())

    @property
    def _gaps(self) -> int:
        return self._row.spacing() * max(0, len(self._shown) - 1)

    def _fit(self) -> None:
        shown = self._shown
        needed = sum(pill.worded_width for pill in shown) + self._gaps
        last = [pill for pill in shown if pill in self._last_worded]
        active = [pill for pill in shown if pill.is_active and pill not in last]
        giving_up = [pill for pill in shown if pill not in last and pill not in active]
        for pill in giving_up[::-1] + active[::-1] + last[::-1]:
            is_brief = needed > self.width()
            needed -= (pill.worded_width - pill.icon_width) if is_brief else 0
            pill.set_brief(is_brief)
