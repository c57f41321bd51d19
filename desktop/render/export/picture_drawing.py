"""Draws the printed pages of a conversation as one PNG: in strips, each packed before the next is drawn."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from desktop.render.export.picture import (
    COMMON_LIMIT,
    MOST_HEIGHT,
    PT_PER_PIXEL,
    DrawnPicture,
    PictureLook,
    PictureTooLong,
)

_FINEST: Final = 2.0
_STRIP_PIXELS: Final = 1_000_000
_COVERS: Final = 0.99
"""What is so much of the page's height is its background."""
_MARGIN_PT: Final = 24
_GAP_PT: Final = 9
"""Between two pages, where the web engine leaves the space between paragraphs out."""
_PAPER = {False: (255, 255, 255, 255), True: (28, 29, 31, 255)}
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_UP = 2
"""The filter of PNG that keeps the difference to the row above."""

_pdfium_lock = Lock()  # global, because PDFium works in one thread at a time

Pixels = npt.NDArray[np.uint8]


def draw_picture(
    pdf: bytes, look: PictureLook, most_pixels: float = float("inf")
) -> Iterator[float | DrawnPicture]:
    """Yield how much of a printed page is drawn, from 0 to 1, and at last the picture.

    Above 16,000 pixels of the page, the picture has fewer pixels for each of them, at least one; with `most_pixels`
    also less than one, so that it has no more than these.

    Raises:
        PictureTooLong: it is higher than `MOST_HEIGHT`.
    """
    with _pdfium_lock:
        document = _pdfium().PdfDocument(pdf)
    try:
        with _pdfium_lock:
            bands = [band for page in document for band in _bands_of(page)]
        yield from _draw_bands(bands, look, most_pixels)
    finally:
        with _pdfium_lock:
            document.close()


def _pdfium() -> Any:
    return import_module("pypdfium2")  # takes 50 ms to load; it has no type hints


@dataclass(frozen=True)
class _Band:
    """The part of a page that is shown, from its top; in points."""

    page: Any
    width: float
    page_height: float
    height: float


def _bands_of(page: Any) -> Iterator[_Band]:
    width, height = page.get_size()
    tops_and_bottoms = [(found.get_bounds()[3], found.get_bounds()[1]) for found in page.get_objects()]
    lowest = min((low for top, low in tops_and_bottoms if top - low < height * _COVERS), default=height)
    used = height - max(0.0, lowest)
    if used > 0:
        yield _Band(page, width, height, min(height, used))


def _draw_bands(bands: list[_Band], look: PictureLook, most_pixels: float) -> Iterator[float | DrawnPicture]:
    total = sum(band.height for band in bands) + _GAP_PT * max(0, len(bands) - 1) + _MARGIN_PT
    page_pixels = total / PT_PER_PIXEL
    if page_pixels > MOST_HEIGHT:
        raise PictureTooLong
    width_pt = bands[0].width if bands else look.width * PT_PER_PIXEL
    finest = min(_FINEST, max(1.0, COMMON_LIMIT / page_pixels))
    scale = min(finest, (most_pixels / (page_pixels * width_pt / PT_PER_PIXEL)) ** 0.5) / PT_PER_PIXEL
    width = max(1, int(width_pt * scale))
    packer = _PngPacker(width)
    done = 0.0
    for index, band in enumerate(bands):
        rows = int(band.height * scale)
        strip = max(1, _STRIP_PIXELS // width)
        for first in range(0, rows, strip):
            last = min(first + strip, rows)
            with _pdfium_lock:
                drawn = _draw(band, first, last, scale, look)
            packer.add(_fit(drawn, width, look))
            yield min(1.0, (done + last / scale) / total)
        done += band.height
        if index + 1 < len(bands):
            packer.add(_blank(width, _GAP_PT, scale, look))
    packer.add(_blank(width, _MARGIN_PT, scale, look))
    yield packer.finish()


def _draw(band: _Band, first: int, last: int, scale: float, look: PictureLook) -> Pixels:
    """Return some rows of a page, counted from its top."""
    whole = ceil(band.page_height * scale)
    # PDFium's margins are rounded up to whole rows: half a row less gives exactly the one that is meant.
    crop = (0, max(0.0, (whole - last - 0.5) / scale), 0, max(0.0, (first - 0.5) / scale))
    bitmap = band.page.render(scale=scale, crop=crop, fill_color=_PAPER[look.is_dark], rev_byteorder=True)
    try:
        rows: Pixels = bitmap.to_numpy()[:, :, :3].copy()
    finally:
        bitmap.close()
    return rows[: last - first]


def _fit(rows: Pixels, width: int, look: PictureLook) -> Pixels:
    if rows.shape[1] >= width:
        return rows[:, :width]
    beside = np.full((rows.shape[0], width - rows.shape[1], 3), _PAPER[look.is_dark][:3], np.uint8)
    return np.concatenate([rows, beside], axis=1)


def _blank(width: int, height_pt: float, scale: float, look: PictureLook) -> Pixels:
    return np.full((int(height_pt * scale), width, 3), _PAPER[look.is_dark][:3], np.uint8)


class _PngPacker:
    """Writes a PNG file row by row (RGB, 8 bits; ISO/IEC 15948)."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._height = 0
        self._above = np.zeros((1, width * 3), np.uint8)
        self._packer = zlib.compressobj(6)
        self._pieces: list[bytes] = []

    def add(self, rows: Pixels) -> None:
        """Add rows."""
        if not rows.shape[0]:
            return
        flat = rows.reshape(rows.shape[0], self._width * 3)
        changes = flat - np.concatenate([self._above, flat[:-1]])  # modulo 256, as the filter wants
        self._above = flat[-1:].copy()
        self._height += flat.shape[0]
        filters = np.full((flat.shape[0], 1), _UP, np.uint8)
        self._pieces.append(self._packer.compress(np.concatenate([filters, changes], axis=1).tobytes()))

    def finish(self) -> DrawnPicture:
        """Return the file."""
        self._pieces.append(self._packer.flush())
        header = struct.pack(">IIBBBBB", self._width, self._height, 8, 2, 0, 0, 0)
        data = b"".join(filter(None, self._pieces))
        chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", data), _chunk(b"IEND", b""))
        return DrawnPicture(_SIGNATURE + b"".join(chunks), self._width, self._height)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
