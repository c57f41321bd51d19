"""Pictures: the text in them, and their conversion to a JPEG of limited size for models."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from desktop.errors import CorruptFile, NothingToRead, ReadingFailed
from desktop.knowledge.loaders.document import (
    Document,
    DocumentPart,
    LoaderContext,
    Pixels,
    document_of,
    shows_something,
)
from desktop.phrases import translatable

MAX_PIXELS = 80_000_000
"""Maximum number of pixels; unpacked, this takes a quarter of the memory allowed per file."""
_WIDTH = 2_200
_LENGTH = 24_000
"""Maximum length of a side; larger pictures are scaled down, but long screenshots stay long."""
_FEW_PIXELS = 24
"""A picture with a shorter side is a line or a dot."""
_LEAST_SIDE = 40
"""Smaller embedded pictures are logos or icons."""
_MAX_FRAMES = 2_000
_PAGED = frozenset({"TIFF"})
_TOO_LARGE = translatable("the image has more than {size} million pixels")
MAX_BYTES = 750 * 1024
SIDES = (1_568, 1_024, 640)
"""Longer sides to try, in pixels. Models scale down anything larger than the first; the others are for noisy
pictures.
"""
_QUALITY = 80


def load_picture(path: Path, context: LoaderContext) -> Document:
    """Load the text in a picture, or on each page of a multi-page scan.

    Raises:
        CorruptFile: it is not a picture, or a damaged one.
        ReadingFailed: it has too many pixels.
        NothingToRead: it shows no text.
        NeedsScan: as `LoaderContext.read_picture` does.
    """
    if context.read_picture is None:
        raise NothingToRead(
            name=path.name, detail=translatable("It is an image, and text recognition is off.")
        )
    Image.MAX_IMAGE_PIXELS = None  # pictures that are too large are rejected below with our own message
    try:
        with Image.open(path) as picture:
            return _document(picture, path, context)
    except (UnidentifiedImageError, SyntaxError, ValueError, EOFError, OSError) as error:
        raise CorruptFile(name=path.name, detail=translatable("it is not a readable image")) from error


def draw_frame(path: Path, page: int | None) -> Pixels:
    """Return a picture, or one page of a multi-page scan.

    Raises:
        ReadingFailed: it has too many pixels.
        OSError, EOFError: it is not a picture, or has no such page.
    """
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(path) as picture:
        picture.seek((page or 1) - 1)
        _check(picture, path)
        return _pixels(picture)


def draw_embedded(content: bytes) -> "Pixels | None":
    """Return an embedded picture, or None if it is small, too large or of an unknown format."""
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(content)) as picture:
            if min(picture.size) < _LEAST_SIDE or picture.width * picture.height > MAX_PIXELS:
                return None
            return _pixels(picture)
    except (UnidentifiedImageError, SyntaxError, ValueError, EOFError, OSError):
        return None


def _check(frame: Image.Image, path: Path) -> None:
    if frame.width * frame.height > MAX_PIXELS:
        raise ReadingFailed(name=path.name, detail=_TOO_LARGE.format(size=MAX_PIXELS // 10**6))


def _document(picture: Image.Image, path: Path, context: LoaderContext) -> Document:
    assert context.read_picture is not None
    frames = getattr(picture, "n_frames", 1) if picture.format in _PAGED else 1
    total = min(frames, _MAX_FRAMES)
    parts: list[DocumentPart] = []
    wordless: list[int | None] = []
    context.report(0, total)
    for number, frame in enumerate(_frames(picture, total), start=1):
        _check(frame, path)
        page = number if total > 1 else None
        if min(frame.size) >= _FEW_PIXELS:
            pixels = _pixels(frame)
            text = context.read_picture(pixels)
            parts.append(DocumentPart(text, page))
            if not text and context.describes and shows_something(pixels):
                wordless.append(page)
        context.report(number, total)
    scanned = sum(bool(part.text) for part in parts)
    document = document_of("", parts, frames if frames > 1 else None, scanned, is_cut=frames > total)
    if not document.parts and not wordless:
        raise NothingToRead(name=path.name, detail=translatable("No text was recognized in the image."))
    return replace(document, wordless=tuple(wordless))


def _frames(picture: Image.Image, total: int) -> Iterator[Image.Image]:
    for number, frame in enumerate(ImageSequence.Iterator(picture)):
        if number == total:
            return
        yield frame


def _pixels(frame: Image.Image) -> Pixels:
    frame.draft("RGB", (_WIDTH, _LENGTH))
    upright = ImageOps.exif_transpose(frame)
    if upright.width > _WIDTH or upright.height > _LENGTH:
        upright.thumbnail((max(_WIDTH, 1), _LENGTH))
    flat = Image.new("RGB", upright.size, "white")
    with_alpha = upright.convert("RGBA")
    flat.paste(with_alpha, mask=with_alpha.getchannel("A"))
    return np.ascontiguousarray(np.asarray(flat)[:, :, ::-1])


def jpeg_of(pixels: Pixels) -> bytes:
    """Return a picture as the largest JPEG of at most `MAX_BYTES`."""
    picture = Image.fromarray(pixels[:, :, ::-1])
    content = b""
    for side in SIDES:
        picture.thumbnail((side, side))
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=_QUALITY)
        content = buffer.getvalue()
        if len(content) <= MAX_BYTES:
            break
    return content
