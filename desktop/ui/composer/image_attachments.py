"""Images attached to a message: pasted images are saved as files, large ones are scaled down."""

import asyncio
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Pictures
from desktop.chat.prompt import is_picture
from desktop.ui.composer.attachments import PICTURE_SIZE
from desktop.ui.composer.composer import Composer

_T = TypeVar("_T")

LONGEST_SIDE = 2_048
"""Longest side in pixels. Models use no higher resolution, and more pixels would only increase the cost."""

_SHARPEST = 2
"""Maximum device pixel ratio of a preview."""

_LARGE_BYTES = 2 * 1024 * 1024
_JPEG_QUALITY = 88


class ImageAttachments(QObject):
    """Handles the images attached in the composer.

    Signals:
        failed: the error that prevented saving an image.
    """

    failed = Signal(object)

    def __init__(self, composer: Composer, pictures: Pictures, loop: BackgroundLoop) -> None:
        super().__init__(composer)
        self._composer = composer
        self._pictures = pictures
        self._loop = loop
        self._seen: set[Path] = set()

    @Slot(QImage)
    def attach(self, image: QImage) -> None:
        """Attach an image that was pasted."""
        if not image.isNull():
            kept = partial(self._composer.attach_in, self._composer.key)
            self._loop.run(self, partial(self._kept, image, self.tr("image")), kept, self.failed)

    @Slot()
    def shrink_new(self) -> None:
        """Show the attached images, and replace large ones by smaller copies."""
        attached = set(self._composer.files.paths)
        new, self._seen = attached - self._seen, attached
        for path in filter(is_picture, new):
            self._loop.run(self, partial(self._smaller, path), partial(self._on_smaller, path), self.failed)
            small = partial(asyncio.to_thread, read_small, path)
            self._loop.run(self, small, partial(self._composer.files.show_picture, path), self.failed)

    async def _kept(self, image: QImage, name: str) -> Path:
        data, suffix = await asyncio.to_thread(compress_image, image)
        return await self._pictures.keep(data, f"{name}{suffix}")

    async def _smaller(self, path: Path) -> Path | None:
        """Return the path of a reduced copy of an image, or None if the image is small enough."""
        image = await asyncio.to_thread(read_large, path)
        return None if image is None else await self._kept(image, path.stem)

    def _on_smaller(self, original: Path, smaller: Path | None) -> None:
        paths = self._composer.files.paths
        if smaller is not None and original in paths:
            self._composer.files.replace(smaller if path == original else path for path in paths)


def read_large(path: Path) -> QImage | None:
    """Return an image that must be scaled down; None for smaller images and for other files."""
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)  # the reduced copy does not contain the EXIF orientation of the original
    size = reader.size()
    is_large = max(size.width(), size.height()) > LONGEST_SIDE or reader.device().size() > _LARGE_BYTES
    if not size.isValid() or not is_large:
        return None
    image = reader.read()
    return None if image.isNull() else image


def read_small(path: Path) -> QImage:
    """Return a preview of an image for its chip; a null image if the file is not an image."""
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    bounds = QSize(_SHARPEST * PICTURE_SIZE, _SHARPEST * PICTURE_SIZE)
    if reader.size().isValid():
        reader.setScaledSize(reader.size().scaled(bounds, Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


def compress_image(image: QImage) -> tuple[bytes, str]:
    """Return an image scaled to the limits, and its suffix: PNG if that is small enough, otherwise JPEG."""
    if max(image.width(), image.height()) > LONGEST_SIDE:
        image = image.scaled(
            LONGEST_SIDE,
            LONGEST_SIDE,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    png = _encoded(image, b"PNG")
    if len(png) <= _LARGE_BYTES:
        return png, ".png"
    flat = image.convertToFormat(QImage.Format.Format_RGB32)
    return _encoded(flat, b"JPEG", _JPEG_QUALITY), ".jpg"


def _encoded(image: QImage, kind: bytes, quality: int = -1) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind))
    writer.setQuality(quality)
    writer.write(image)
    return bytes(data.data())
