"""A row of widgets that goes on in further lines where it is too narrow for all of them."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget
from shiboken6 import isValid


class WrappingRow(QLayout):
    """Puts widgets beside each other, and in further lines those for which there is no room.

    Texts that may wrap, and widgets with an expanding width, share what is left of their line.
    """

    def __init__(self, parent: QWidget | None = None, spacing: int = 8, *, is_centered: bool = False) -> None:
        super().__init__()
        self._is_centered = is_centered
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        if parent is not None:
            parent.setLayout(self)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._valid())

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None beyond the end."""
        items = self._valid()
        return items[index] if 0 <= index < len(items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item and return it, or None beyond the end."""
        items = self._valid()
        return items.pop(index) if 0 <= index < len(items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Take the width that there is."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Return true: the number of lines depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        return self._place(self._inside(QRect(0, 0, width, 0)), moves=False) + self._around().height()

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        sizes = [item.sizeHint() for item in self._shown()]
        width = sum(size.width() for size in sizes) + self.spacing() * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0)) + self._around()

    def minimumSize(self) -> QSize:
        """Return the size of the largest widget, which has a line of its own in the narrowest row."""
        sizes = [item.minimumSize() for item in self._shown()]
        return (
            QSize(
                max((size.width() for size in sizes), default=0),
                max((size.height() for size in sizes), default=0),
            )
            + self._around()
        )

    def setGeometry(self, rect: QRect) -> None:
        """Place the widgets in lines."""
        super().setGeometry(rect)
        self._place(self._inside(rect), moves=True)

    def _inside(self, rect: QRect) -> QRect:
        return rect.marginsRemoved(self.contentsMargins())

    def _around(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _valid(self) -> list[QLayoutItem]:
        """Return the items that still exist; those of a window that is being deleted may go before the row does.

        Qt asks the row on in a change of style, and ends the program at the second error in an answer.
        """
        if not all(map(isValid, self._items)):
            self._items = [item for item in self._items if isValid(item)]
        return self._items

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._valid() if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        used = 0
        for item in self._shown():
            needed = item.sizeHint().width()
            if not lines or used + self.spacing() + needed > width:
                lines.append([])
                used = -self.spacing()
            lines[-1].append(item)
            used += self.spacing() + needed
        return lines

    def _widths(self, line: Sequence[QLayoutItem], room: int) -> list[int]:
        wanted = [min(item.sizeHint().width(), room) for item in line]
        growing = [at for at, item in enumerate(line) if _grows(item)]
        left = max(0, room - sum(wanted) - self.spacing() * (len(line) - 1))
        for place, at in enumerate(growing):
            most = line[at].maximumSize().width()
            share = min(left // (len(growing) - place), max(0, most - wanted[at]))
            wanted[at] += share
            left -= share
        return wanted

    def _place(self, rect: QRect, *, moves: bool) -> int:
        """Return the height of all lines in the width of `rect`; with `moves`, put the widgets there."""
        top = rect.top()
        for line in self._lines(rect.width()):
            widths = self._widths(line, rect.width())
            heights = [_height(item, width) for item, width in zip(line, widths, strict=True)]
            spare = rect.width() - sum(widths) - self.spacing() * (len(line) - 1)
            left = rect.left() + (max(0, spare) // 2 if self._is_centered else 0)
            for item, width, height in zip(line, widths, heights, strict=True):
                if moves:
                    item.setGeometry(QRect(left, top + (max(heights) - height) // 2, width, height))
                left += width + self.spacing()
            top += max(heights) + self.spacing()
        return max(0, top - self.spacing() - rect.top())


def _grows(item: QLayoutItem) -> bool:
    return item.hasHeightForWidth() or bool(item.expandingDirections() & Qt.Orientation.Horizontal)


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
