"""Turns an HTML document into a picture: printed in a hidden page, then drawn off the GUI thread."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from PySide6.QtCore import QMarginsF, QObject, QSizeF, Signal, Slot
from PySide6.QtGui import QPageSize

from desktop.background import BackgroundLoop, Job
from desktop.render.export.picture import (
    PAGE_HEIGHT_PT,
    PT_PER_PIXEL,
    DrawnPicture,
    PictureLook,
    PictureTooLong,
)


class PicturePainter(QObject):
    """Paints one picture. `deleteLater` cancels: no signal is emitted afterwards.

    Signals:
        progressed: how much is drawn, from 0 to 1.
        painted: the `DrawnPicture`.
        failed: whether the document is too long; if not, it could not be laid out.
    """

    progressed = Signal(float)
    painted = Signal(object)
    failed = Signal(bool)

    def __init__(
        self,
        html: bytes,
        look: PictureLook,
        loop: BackgroundLoop,
        parent: QObject,
        most_pixels: float = float("inf"),
    ) -> None:
        super().__init__(parent)
        from desktop.ui.export.pdf_printer import PdfPrinter  # noqa: PLC0415 - it loads the web engine

        self._look = look
        self._loop = loop
        self._most_pixels = most_pixels
        self._job: Job | None = None
        self._printer = PdfPrinter(html, picture_paper(look.width), self, QMarginsF())
        self._printer.printed.connect(self._on_printed)
        self._printer.failed.connect(self._on_not_printed)

    def start(self) -> None:
        """Start; `painted` or `failed` follows."""
        self._printer.start()

    @Slot(object)
    def _on_printed(self, pdf: bytes) -> None:
        work = partial(_draw, pdf, self._look, self._most_pixels)
        self._job = self._loop.run(self, work, None, self._on_failed, progressed=self._on_progressed)

    @Slot()
    def _on_not_printed(self) -> None:
        self.failed.emit(False)

    @Slot(object)
    def _on_progressed(self, step: object) -> None:
        if isinstance(step, DrawnPicture):
            self.painted.emit(step)
        elif isinstance(step, float):
            self.progressed.emit(step)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(isinstance(error, PictureTooLong))


def picture_paper(width: int) -> QPageSize:
    """Return the paper for a picture that is `width` pixels of the page wide."""
    size = QSizeF(width * PT_PER_PIXEL, PAGE_HEIGHT_PT)
    return QPageSize(size, QPageSize.Unit.Point, "picture", QPageSize.SizeMatchPolicy.ExactMatch)


async def _draw(pdf: bytes, look: PictureLook, most_pixels: float) -> AsyncIterator[float | DrawnPicture]:
    from desktop.render.export.picture_drawing import draw_picture  # noqa: PLC0415 - it loads NumPy

    steps = draw_picture(pdf, look, most_pixels)
    while (step := await asyncio.to_thread(next, steps, None)) is not None:
        yield step
