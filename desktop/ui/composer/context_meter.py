"""The token meter: the context window that a message will use, and what the conversation has used so far."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLocale, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.domain.models import Price, UsageReported
from desktop.ui.widgets.labels import money, short_count

NEAR = 0.7
"""The share of the context window from which a bar is shown."""

_BAR_WIDTH = 48
_BAR_HEIGHT = 4
_GAP = 8
_SIZE = 0.85
_LEAST_COST = 0.0001
"""Lower costs are not shown, because they would be rounded to zero."""


@dataclass(frozen=True)
class TokenLoad:
    """Token counts: estimates for `draft` and `history`; `given` and `made` are reported by servers.

    `space` is the context window minus the reserve for the answer. `cost` is the amount spent so far, or None
    if no price is known; `price` is the price of the model that will be asked.
    """

    draft: int = 0
    history: int = 0
    space: int = 0
    given: int = 0
    made: int = 0
    cost: float | None = None
    currency: str = ""
    price: Price | None = None

    @property
    def share(self) -> float:
        """The used share of the context window; can exceed 1."""
        return (self.draft + self.history) / self.space if self.space else 0.0


class ContextMeter(QWidget):
    """Shows the number of tokens, and a bar when little of the context window is left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._load = TokenLoad()
        self.text = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * _SIZE)
        self.setFont(font)
        self.show_load(TokenLoad())

    @property
    def has_bar(self) -> bool:
        """Whether the context window is nearly full."""
        return self._load.share >= NEAR

    def show_load(self, load: TokenLoad) -> None:
        """Show `load`."""
        self._load = load
        self.text = self._words()
        self.setVisible(bool(self.text))
        self.setToolTip(self._tip())
        self.setAccessibleName(self._tip())
        self.updateGeometry()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Update the texts when the language changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.show_load(self._load)

    def sizeHint(self) -> QSize:
        """Return the size of the text and, if shown, the bar."""
        bar = _BAR_WIDTH + _GAP if self.has_bar else 0
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text) + bar + 2, metrics.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text and the bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        left = 0
        if self.has_bar:
            self._paint_bar(painter)
            left = _BAR_WIDTH + _GAP
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        place = self.rect().adjusted(left, 0, 0, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.text)

    def _paint_bar(self, painter: QPainter) -> None:
        palette = self.palette()
        bar = QRect(0, (self.height() - _BAR_HEIGHT) // 2, _BAR_WIDTH, _BAR_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(bar, 2, 2)
        bar.setWidth(max(_BAR_HEIGHT, round(_BAR_WIDTH * min(1.0, self._load.share))))
        painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
        painter.drawRoundedRect(bar, 2, 2)

    def _words(self) -> str:
        load = self._load
        if self.has_bar:
            return self.tr("{percent}% of context used").format(percent=round(100 * load.share))
        if load.draft:
            return self.tr("About {count} tokens").format(count=QLocale().toString(load.draft))
        if not load.given and not load.made:
            return ""
        total = self.tr("{count} tokens used").format(count=short_count(load.given + load.made))
        return total if load.cost is None else f"{total} · {money(load.cost, load.currency)}"

    def _tip(self) -> str:
        load = self._load
        lines = [
            self._append_cost(
                self.tr("This message: about {count} tokens").format(count=QLocale().toString(load.draft)),
                load.draft,
            ),
            self._append_cost(
                self.tr("Earlier messages: about {count} of {space}").format(
                    count=QLocale().toString(load.history), space=QLocale().toString(load.space)
                ),
                load.history,
            ),
        ]
        if self.has_bar:
            lines.append(self.tr("Older messages that don’t fit are left out."))
        if load.given or load.made:
            spent = self.tr("Used so far: {given} input tokens, {made} output tokens")
            spent = spent.format(given=QLocale().toString(load.given), made=QLocale().toString(load.made))
            lines.append(spent if load.cost is None else f"{spent} · {money(load.cost, load.currency)}")
        return "\n".join(lines)

    def _append_cost(self, words: str, tokens: int) -> str:
        """Append the cost of sending `tokens`, if the model's price is known."""
        price = self._load.price
        cost = UsageReported(input_tokens=tokens).cost(price) if price else 0.0
        if price is None or cost < _LEAST_COST:
            return words
        return f"{words} · ≈ {money(cost, price.currency)}"
