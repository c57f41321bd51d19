"""Where cycles of objects are collected: in the thread of the window, and in no other.

Python collects in whichever thread happens to make the next object. In the asyncio thread it would destroy
widgets there that nobody refers to any more, and Qt does not survive that.
"""

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

LOOK_MS: Final = 100


class Collector(QObject):
    """Takes collecting over from Python while it lives; `close` gives it back."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def close(self) -> None:
        """Let Python collect by itself again."""
        self._timer.stop()
        gc.enable()

    @Slot()
    def look(self) -> None:
        """Collect the oldest generation of which there is as much as Python's own thresholds allow."""
        due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(due):
            gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))
