"""Pictures on their way into a message: pasted ones become files, large ones smaller."""

import asyncio
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, Qt, Signal, Slot
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from desktop.background import BackgroundLoop, Job
from desktop.chat.album import is_picture
from desktop.chat.ports import Pictures
from desktop.ui.composer import Composer

LONGEST_SIDE = 2_048
"""More than that no model looks at; it would only cost."""

_LARGE_BYTES = 2 * 1024 * 1024
_JPEG_QUALITY = 88


class PictureTaking(QObject):
    """Watches what is attached in the composer.

    Signals:
        failed: the error that kept a picture from being kept.
    """

    failed = Signal(object)

    def __init__(self, composer: Composer, pictures: Pictures, loop: BackgroundLoop) -> None:
        super().__init__(composer)
        self._composer = composer
        self._pictures = pictures
        self._loop = loop
        self._seen: set[Path] = set()
        composer.text.picture_given.connect(self._on_picture_given)
        composer.files.changed.connect(self._on_files_changed)

    @Slot(QImage)
    def _on_picture_given(self, image: QImage) -> None:
        self._keep(image, self.tr("picture"), None)

    @Slot()
    def _on_files_changed(self) -> None:
        attached = set(self._composer.files.paths)
        new, self._seen = attached - self._seen, attached
        for path in new:
            if is_picture(path) and is_large(path):
                self._keep(QImage(str(path)), path.stem, path)

    def _keep(self, image: QImage, name: str, original: Path | None) -> None:
        if image.isNull():
            return
        job = Job(partial(self._packed_and_kept, image, name, original), self._loop, self)
        job.succeeded.connect(self._on_kept)
        job.failed.connect(self.failed)
        job.start()

    async def _packed_and_kept(
        self, image: QImage, name: str, original: Path | None
    ) -> tuple[Path | None, Path]:
        data, suffix = await asyncio.to_thread(packed, image)
        return original, await self._pictures.keep(data, f"{name}{suffix}")

    @Slot(object)
    def _on_kept(self, kept: tuple[Path | None, Path]) -> None:
        original, smaller = kept
        paths = self._composer.files.paths
        if original is None:
            self._composer.attach_files((smaller,))
        elif original in paths:
            self._composer.files.replace(smaller if path == original else path for path in paths)


def is_large(path: Path) -> bool:
    """Say whether a picture is larger than anybody would look at; what is no picture is not."""
    size = QImageReader(str(path)).size()
    if not size.isValid():
        return False
    return max(size.width(), size.height()) > LONGEST_SIDE or path.stat().st_size > _LARGE_BYTES


def packed(image: QImage) -> tuple[bytes, str]:
    """Return a picture in bounds, and the suffix for it: PNG as long as that is small, else JPEG."""
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
