"""Stores the icons of visited sites in a folder, after checking that they are small raster images."""

import asyncio
import os
import re
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from desktop.domain.pictures import ICO, Picture, picture_type

MAX_SIDE: Final = 1024
"""In pixels; a small file may claim to be a huge image."""

Size = tuple[int, int]

_ICO_ENTRY: Final = 16
_LEAST_BITMAP_HEADER = 40
_ICO_HEADER: Final = 6
_MAX_ICO_ENTRIES: Final = 64
_JPEG_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_JPEG_MARKER = 0xFF
_JPEG_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})


def raster_type(data: bytes, max_side: int = MAX_SIDE) -> str:
    """Return the media type of a raster image of at most `max_side` pixels per side, or an empty string."""
    media_type = picture_type(data)
    if media_type not in _SIZES:
        return ""
    try:
        width, height = _SIZES[media_type](data)
    except (struct.error, IndexError, ValueError):
        return ""
    return media_type if 0 < width <= max_side and 0 < height <= max_side else ""


def _png_size(data: bytes) -> Size:
    if data[12:16] != b"IHDR":
        raise ValueError
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _gif_size(data: bytes) -> Size:
    width, height = struct.unpack("<HH", data[6:10])
    return width, height


def _webp_size(data: bytes) -> Size:
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    raise ValueError


def _jpeg_size(data: bytes) -> Size:
    at = 2
    while data[at] == _JPEG_MARKER:
        marker = data[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 if marker in _JPEG_BARE else 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    raise ValueError


def _ico_size(data: bytes) -> Size:
    """Return the largest size; each entry is a bitmap with its own size header, or a PNG."""
    (count,) = struct.unpack("<H", data[4:6])
    if not 0 < count <= _MAX_ICO_ENTRIES:
        raise ValueError
    sizes = [_ico_entry_size(data, _ICO_HEADER + _ICO_ENTRY * index) for index in range(count)]
    return max(width for width, _ in sizes), max(height for _, height in sizes)


def _ico_entry_size(data: bytes, at: int) -> Size:
    length, offset = struct.unpack("<II", data[at + 8 : at + 16])
    picture = data[offset : offset + length]
    if offset < _ICO_HEADER or len(picture) < length:
        raise ValueError
    if picture_type(picture) == "image/png":
        return _png_size(picture)
    header, width, height = struct.unpack("<Iii", picture[:12])
    if header < _LEAST_BITMAP_HEADER:
        raise ValueError
    return width, abs(height) // 2  # the mask lies below the image


_SIZES: Final[dict[str, Callable[[bytes], Size]]] = {
    "image/png": _png_size,
    ICO: _ico_size,
    "image/jpeg": _jpeg_size,
    "image/gif": _gif_size,
    "image/webp": _webp_size,
}


MAX_BYTES: Final = 64 * 1024
MAX_ICONS: Final = 1_000
FRESH_S: Final = 30 * 24 * 3600.0
"""How long an icon counts as up to date."""

_ID: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class IconStore:
    """Stores one file per icon, named by `icon_id`; each file is validated again when it is read.

    Icons are optional: if the disk is full or unreadable, the tile shows a letter.
    """

    folder: Path
    clock: Callable[[], float] = time.time

    async def find(self, icon_id: str) -> Picture | None:
        """Return the icon of a site, or None."""
        return await asyncio.to_thread(self._find, icon_id)

    async def is_fresh(self, icon_id: str) -> bool:
        """Say whether the stored icon is recent enough."""
        return await asyncio.to_thread(self._is_fresh, icon_id)

    async def put(self, icon_id: str, data: bytes) -> bool:
        """Store `data` if it is a valid icon; return whether it is."""
        if not raster_type(data) or len(data) > MAX_BYTES or not _ID.fullmatch(icon_id):
            return False
        await asyncio.to_thread(self._put, icon_id, data)
        return True

    async def clear(self) -> None:
        """Delete all icons."""
        await asyncio.to_thread(self._drop, 0)

    def _find(self, icon_id: str) -> Picture | None:
        if not _ID.fullmatch(icon_id):
            return None
        try:
            with (self.folder / icon_id).open("rb") as file:
                data = file.read(MAX_BYTES)
        except OSError:
            return None
        media_type = raster_type(data)
        return Picture(media_type, data) if media_type else None

    def _is_fresh(self, icon_id: str) -> bool:
        try:
            return self.clock() - (self.folder / icon_id).stat().st_mtime < FRESH_S
        except OSError:
            return False

    def _put(self, icon_id: str, data: bytes) -> None:
        part = self.folder / f"{icon_id}.part"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.write_bytes(data)
            now = self.clock()
            os.utime(part, (now, now))
            part.replace(self.folder / icon_id)
        except OSError:
            return
        self._drop(MAX_ICONS)

    def _drop(self, kept: int) -> None:
        """Delete all but the `kept` newest."""
        try:
            files = sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
            for file in files[kept:]:
                file.unlink(missing_ok=True)
        except OSError:  # no folder yet, or another process is cleaning up as well
            return
