"""Saves a file atomically, built, printed as a PDF or painted as a picture, off the GUI thread."""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMarginsF, QObject, QSizeF, Signal, Slot
from PySide6.QtGui import QPageSize

from desktop.background import BackgroundLoop, Job
from desktop.errors import NotExported, plain_reason
from desktop.phrases import translatable
from desktop.render.export.picture import (
    PAGE_HEIGHT_PT,
    PT_PER_PIXEL,
    DrawnPicture,
    PictureLook,
    PictureTooLong,
)
from desktop.render.export.printed_page import add_outline
from desktop.settings.atomic_files import write_whole


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
        from desktop.ui.transcript.pdf_printer import PdfPrinter  # noqa: PLC0415 - it loads the web engine

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


_FULL = translatable("The disk is full. Free some space, or choose another location.")
_FORBIDDEN = translatable("You don’t have permission to write there. Choose another folder.")
_NO_FOLDER = translatable("The folder does not exist. Choose another one.")
_LONG_NAME = translatable("The name is too long. Choose a shorter one.")
_OTHER = translatable("Details: {detail}.")
_REASONS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _FORBIDDEN,
    errno.ENOENT: _NO_FOLDER,
    errno.ENOTDIR: _NO_FOLDER,
    errno.ENAMETOOLONG: _LONG_NAME,
}

_NO_PAGES = translatable("Its pages couldn’t be laid out.")
TOO_LONG = translatable("It is too long for an image. Save it as PDF.")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file; an existing file of that name is replaced only when all data is written.

    Raises:
        NotExported: writing failed; an existing file is unchanged.
    """
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "no such folder", str(path.parent))
        write_whole(path, data)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or _OTHER.format(detail=plain_reason(error))
        raise NotExported(name=path.name, detail=reason) from error


class FileSaver(QObject):
    """Saves one file and then deletes itself. One of the signals reports the result; after `cancel`, none does.

    Signals:
        saved: path of the complete file.
        progressed: how much of a picture is drawn, from 0 to 1.
        failed: the error; an existing file is unchanged.
    """

    saved = Signal(object)
    progressed = Signal(float)
    failed = Signal(object)

    def __init__(self, path: Path, loop: BackgroundLoop, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._loop = loop
        self._job: Job | None = None
        self._is_over = False
        self.height = 0
        """The height of a picture that was saved, in its pixels."""

    def save(self, make: Callable[[], bytes]) -> None:
        """Write the bytes that `make` returns."""
        self._run(make, self._on_made)

    def save_as_pdf(self, make: Callable[[], bytes]) -> None:
        """Write the HTML document that `make` returns as a PDF."""
        self._run(make, self._on_page_made)

    def save_as_picture(self, make: Callable[[], bytes], look: PictureLook) -> None:
        """Write the HTML document that `make` returns as a PNG."""
        self._run(make, partial(self._on_picture_made, look))

    @Slot()
    def cancel(self) -> None:
        """Stop; if writing has not started, no file is written."""
        if self._job is not None:
            self._job.cancel()
        self._end()

    def _end(self) -> None:
        self._is_over = True
        self.deleteLater()

    def _run(self, work: Callable[[], object], then: Callable[[Any], object]) -> None:
        self._job = self._loop.run(self, partial(asyncio.to_thread, work), then, self._on_failed)

    @Slot(object)
    def _on_made(self, data: bytes) -> None:
        if not self._is_over:
            self._run(partial(write_atomically, self._path, data), self._on_saved)

    @Slot(object)
    def _on_page_made(self, html: bytes) -> None:
        if self._is_over:
            return
        from desktop.ui.transcript.pdf_printer import PdfPrinter  # noqa: PLC0415 - it loads the web engine

        printer = PdfPrinter(html, QPageSize(QPageSize.PageSizeId.A4), self)
        printer.printed.connect(partial(self._on_printed, html))
        printer.failed.connect(self._on_not_printed)
        printer.start()

    def _on_printed(self, html: bytes, pdf: bytes) -> None:
        if not self._is_over:
            self._run(partial(add_outline, pdf, html), self._on_made)

    def _on_picture_made(self, look: PictureLook, html: bytes) -> None:
        if self._is_over:
            return
        painter = PicturePainter(html, look, self._loop, self)
        painter.progressed.connect(self.progressed)
        painter.painted.connect(self._on_painted)
        painter.failed.connect(self._on_not_painted)
        painter.start()

    @Slot(object)
    def _on_painted(self, picture: DrawnPicture) -> None:
        self.height = picture.height
        self._on_made(picture.data)

    @Slot(bool)
    def _on_not_painted(self, is_too_long: bool) -> None:
        self._on_failed(NotExported(name=self._path.name, detail=TOO_LONG if is_too_long else _NO_PAGES))

    @Slot()
    def _on_not_printed(self) -> None:
        self._on_failed(NotExported(name=self._path.name, detail=_NO_PAGES))

    @Slot(object)
    def _on_saved(self, _nothing: object) -> None:
        if not self._is_over:
            self._end()
            self.saved.emit(self._path)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        if not self._is_over:
            self._end()
            self.failed.emit(error)
