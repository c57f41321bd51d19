"""Text recognition with the models of rapidocr, in reading order: columns, then lines, then the margin.

Lines are detected in a scaled-down copy and read from the original picture: detection takes most of the memory,
and does not need to resolve the letters.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from statistics import median
from typing import Any
from unicodedata import east_asian_width

import numpy as np

from desktop.knowledge.loaders.document import Pixels, reflow

_SAME_ROW = 0.5
"""Lines whose heights overlap by at least this share are in the same row."""
_PARAGRAPH_GAP = 0.9
"""A gap of at least this many line heights starts a new paragraph."""
_COLUMN_LINES = 4
_COLUMN_CHARS = 14
"""Columns of prose have at least this many lines and letters per line; anything shorter is a table."""
_GUTTERS = 64
_ALONG_MARGIN = 2
"""A line that is taller than wide by this factor is written vertically."""
_MAX_THREADS = 2
_FINDER_SIDE = 1_280
"""Longer side of the copy for line detection, in pixels."""
_TILE_SHAPE = 1.6
"""A picture with a greater ratio of height to width is a long screenshot, and is read in tiles."""
_MIN_TILE_PIXELS = 1_600
_SEAM_SHARE = 0.25
_LEAST_SCORE = 0.5
_POOR_SCORE = 0.75
"""A line with a lower score may be upside down."""
_LINES_A_SIGN = 8
_LEAST_LETTERS = 2
"""A single letter is as likely a spot or a part of a drawing."""
_MIN_SIDE = 32
_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1024 * 1024
"""See mallopt(3)."""


@dataclass(frozen=True)
class TextLine:
    """A line of text in a picture, in pixels from the top left.

    `score` is the confidence, 0 to 1; a line that `is_turned` was read upside down.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    score: float = 1.0
    is_turned: bool = False

    @property
    def height(self) -> float:
        """The approximate height of the letters."""
        return self.bottom - self.top

    def upside_down(self, width: float, height: float) -> "TextLine":
        """Return the line's position after rotating its page of this size by 180 degrees."""
        return replace(
            self,
            left=width - self.right,
            top=height - self.bottom,
            right=width - self.left,
            bottom=height - self.top,
        )


def in_reading_order(lines: Sequence[TextLine]) -> str:
    """Return the text of a page, with text along the margin at the end."""
    along = [line for line in lines if line.height > _ALONG_MARGIN * (line.right - line.left)]
    blocks = _blocks([line for line in lines if line not in along])
    return "\n\n".join(_text_of(block) for block in [*blocks, *([line] for line in along)])


def _blocks(lines: list[TextLine]) -> list[list[TextLine]]:
    """Split lines into blocks that are read from top to bottom.

    A line that crosses the gap between two columns, such as a heading, separates the columns above it from
    those below.
    """
    gutter = _gutter(lines)
    if gutter is None:
        return [lines] if lines else []
    blocks: list[list[TextLine]] = []
    band: list[TextLine] = []
    across: list[TextLine] = []
    for line in sorted(lines, key=lambda line: line.top):
        if line.left < gutter < line.right:
            blocks.extend(_sides(band, gutter))
            band = []
            across.append(line)
        else:
            if across:
                blocks.append(across)
                across = []
            band.append(line)
    blocks.extend([across] if across else [])
    blocks.extend(_sides(band, gutter))
    return blocks


def _sides(band: list[TextLine], gutter: float) -> list[list[TextLine]]:
    left = [line for line in band if line.right <= gutter]
    right = [line for line in band if line.right > gutter]
    return _blocks(left) + _blocks(right)


def _gutter(lines: list[TextLine]) -> float | None:
    """Return the position of the gap between two columns of prose, or None."""
    if len(lines) < 2 * _COLUMN_LINES:
        return None
    first, last = min(line.left for line in lines), max(line.right for line in lines)
    places = [first + (last - first) * step / _GUTTERS for step in range(1, _GUTTERS)]
    crossed = {
        place: sum(line.left < place < line.right for line in lines)
        for place in places
        if _parts_prose(lines, place)
    }
    if not crossed:
        return None
    fewest = min(crossed.values())
    best = [place for place, count in crossed.items() if count == fewest]
    return best[len(best) // 2]


def _parts_prose(lines: list[TextLine], place: float) -> bool:
    left = [line for line in lines if line.right <= place]
    right = [line for line in lines if line.left >= place]
    across = len(lines) - len(left) - len(right)
    return (
        min(len(left), len(right)) >= max(_COLUMN_LINES, across)
        and all(median(_width(line.text) for line in side) >= _COLUMN_CHARS for side in (left, right))
        and min(_bottom(left), _bottom(right)) > max(_top(left), _top(right))
    )


def _width(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _top(lines: list[TextLine]) -> float:
    return min(line.top for line in lines)


def _bottom(lines: list[TextLine]) -> float:
    return max(line.bottom for line in lines)


def _text_of(block: list[TextLine]) -> str:
    """Return the text of a block as paragraphs; rows with several cells stay on separate lines."""
    texts: list[str] = []
    prose: list[str] = []
    below: list[TextLine] = []
    for row in _rows(block):
        is_apart = bool(below) and _top(row) - _bottom(below) > _PARAGRAPH_GAP * median(
            line.height for line in row
        )
        if prose and (is_apart or len(row) > 1):
            texts.append(reflow("\n".join(prose)))
            prose = []
        if is_apart:
            texts.append("")
        words = [line.text.strip() for line in sorted(row, key=lambda line: line.left)]
        (texts if len(row) > 1 else prose).append(" ".join(words))
        below = row
    if prose:
        texts.append(reflow("\n".join(prose)))
    return "\n".join(texts)


def _rows(block: list[TextLine]) -> list[list[TextLine]]:
    rows: list[list[TextLine]] = []
    for line in sorted(block, key=lambda line: line.top + line.bottom):
        if rows and _is_beside(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _is_beside(row: list[TextLine], line: TextLine) -> bool:
    last = row[-1]
    shared = min(last.bottom, line.bottom) - max(last.top, line.top)
    return shared > _SAME_ROW * min(last.height, line.height)


def _no_sign() -> None:
    """Do nothing."""


def read_picture(picture: Pixels, sign: Callable[[], None] = _no_sign) -> str:
    """Return the text in a picture in reading order; empty if there is none.

    `sign` is called at each step and every few lines: on a busy machine, loading the models takes half a
    minute, and a full page another.

    Raises:
        MemoryError: the models need more memory than this process may use.
    """
    try:
        _engine()
        sign()
        texts = [in_reading_order(_lines(tile, sign)) for tile in _tiles(picture)]
    except _module("inference_engine.onnxruntime.main").ONNXRuntimeError as error:
        raise MemoryError from error  # the model files were checked, so this is the only possible reason
    text = "\n\n".join(filter(None, texts))
    return text if sum(map(str.isalnum, text)) >= _LEAST_LETTERS else ""


def _tiles(picture: Pixels) -> Iterator[Pixels]:
    """Split a long picture at empty rows."""
    height, width = picture.shape[:2]
    step = max(_MIN_TILE_PIXELS, round(width * _TILE_SHAPE))
    top = 0
    while height - top > step * (1 + _SEAM_SHARE):
        first = top + round(step * (1 - _SEAM_SHARE))
        unrest = picture[first : top + step].std(axis=(1, 2))
        cut = first + int(unrest.argmin())
        yield picture[top:cut]
        top = cut
    yield picture[top:]


def _lines(picture: Pixels, sign: Callable[[], None]) -> list[TextLine]:
    if min(picture.shape[:2]) < _MIN_SIDE:
        picture = _pad(picture)
    crops, boxes = _find_lines(picture)
    sign()
    if sum(_is_upright(box) for box in boxes) * 2 > len(boxes):
        picture = np.ascontiguousarray(np.rot90(picture))
        crops, boxes = _find_lines(picture)
    lines = _read(crops, boxes, sign)
    if sum(line.is_turned for line in lines) * 2 > len(lines):
        height, width = picture.shape[:2]
        lines = [line.upside_down(width, height) for line in lines]
    return lines


def _find_lines(picture: Pixels) -> tuple[list[Pixels], list[Any]]:
    """Return the lines of a picture, cut out and straightened, and their corners."""
    try:
        crops, found = _engine().detect_and_crop(picture, {})
    except _module("main").RapidOCRError:  # raised if there are none
        return [], []
    return crops, list(found.boxes)


def _is_upright(box: Any) -> bool:
    width, height = np.ptp(box[:, 0]), np.ptp(box[:, 1])
    return bool(height > 2 * width)


def _read(crops: list[Pixels], boxes: list[Any], sign: Callable[[], None]) -> list[TextLine]:
    """Return the text of the lines; barely legible lines are also tried upside down."""
    lines = [_line(box, *reading) for box, reading in zip(boxes, _recognise(crops, sign), strict=True)]
    poor = [index for index, line in enumerate(lines) if line.score < _POOR_SCORE]
    turned = _recognise([np.rot90(crops[index], 2) for index in poor], sign)
    for index, (text, score) in zip(poor, turned, strict=True):
        if score > lines[index].score:
            lines[index] = replace(lines[index], text=text, score=score, is_turned=True)
    return [line for line in lines if line.score >= _LEAST_SCORE and line.text.strip()]


def _recognise(crops: list[Pixels], sign: Callable[[], None]) -> list[tuple[str, float]]:
    read: list[tuple[str, float]] = []
    for begin in range(0, len(crops), _LINES_A_SIGN):
        found = _engine().recognize_txt(crops[begin : begin + _LINES_A_SIGN])
        read.extend(zip(found.txts, found.scores, strict=True))
        sign()
    return read


def _line(box: Any, text: str, score: float) -> TextLine:
    (left, top), (right, bottom) = box.min(axis=0), box.max(axis=0)
    return TextLine(text, float(left), float(top), float(right), float(bottom), score)


def _pad(picture: Pixels) -> Pixels:
    below, beside = (max(0, _MIN_SIDE - side) for side in picture.shape[:2])
    return np.pad(picture, ((0, below), (0, beside), (0, 0)), mode="edge")


@lru_cache(maxsize=1)
def _engine() -> Any:
    """Return the models; loading them takes a second."""
    _give_memory_back()
    return import_module("rapidocr").RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_vertical_padding": False,  # boxes must refer to the picture itself
            "Det.limit_type": "max",
            "Det.limit_side_len": _FINDER_SIDE,
            "Rec.rec_batch_num": 1,  # lines differ in length, and a batch pads all of them to the longest
            "EngineConfig.onnxruntime.intra_op_num_threads": min(_MAX_THREADS, os.cpu_count() or 1),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _give_memory_back() -> None:
    """Make glibc return memory to the system, as tensors of varying sizes fragment its heap."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def _module(name: str) -> Any:
    """Return a module of rapidocr, which has no type hints."""
    return import_module(f"rapidocr.{name}")
