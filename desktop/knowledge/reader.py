"""The reader process: takes paths, gives readings, and may die of any file."""

import logging
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import msgspec

from desktop.errors import AppError, ReadingFailed
from desktop.knowledge.loaders.document import Desk, NeedsScan, Pixels, Report
from desktop.knowledge.loaders.registry import draw, load
from desktop.knowledge.reader_wire import (
    DrawFile,
    Drawn,
    PageDone,
    ReaderReply,
    ReaderRequest,
    ReadFailed,
    ReadFile,
    ReadOk,
    ScanNeeded,
)
from desktop.knowledge.reading import reading_of
from desktop.knowledge.wire import error_fields
from desktop.phrases import phrase
from desktop.text.serving import Send, serve

MAX_MEMORY_BYTES = 1024 * 1024 * 1024
TIMEOUT_S = 60.0
"""So long a file may take without a sign that it gets on: a page, or a few lines of a scan."""
_REPORT_EVERY_S = 0.1
_BEHIND = 10
"""How much more than this process everything else is in a hurry while pictures are read (see `nice`)."""
_TOO_MUCH = phrase("it takes more memory than a file may")
_FAILED = phrase("its parser failed ({name})")

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve until the worker is gone."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    serve(_answer, timeout_s=TIMEOUT_S, max_memory_bytes=MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    def reply(message: ReaderReply) -> None:
        send(msgspec.msgpack.encode(message))

    request: ReaderRequest = msgspec.msgpack.decode(payload, type=ReaderRequest)
    path = Path(request.path)
    try:
        if isinstance(request, DrawFile):
            reply(Drawn(_drawn(path, request.page)))
            return
        pages = _Pages(lambda done, total: reply(PageDone(done, total)))
        document = load(path, _desk(request, pages))
        reply(ReadOk(reading_of(document, path.stem, request.options, pages.again)))
    except NeedsScan:
        reply(ScanNeeded())
    except AppError as error:
        reply(ReadFailed(type(error).__name__, error_fields(error)))
    except MemoryError:
        reply(_unread(path, _TOO_MUCH))
    except Exception as error:  # noqa: BLE001 - parsers raise what they like at hostile files
        _log.warning("cannot read %s", path, exc_info=True)
        reply(_unread(path, _FAILED.format(name=type(error).__name__)))


def _drawn(path: Path, page: int | None) -> bytes:
    pixels = draw(path, page)
    if pixels is None:
        return b""
    jpeg: bytes = import_module("desktop.knowledge.loaders.jpeg").jpeg_of(pixels)
    return jpeg


def _desk(request: ReadFile, pages: "_Pages") -> Desk:
    if not request.options.ocr:
        return Desk(pages.done)
    if not request.reads_pictures:
        return Desk(pages.done, _leave_to_another)
    return Desk(pages.done, lambda picture: _eyes()(picture, pages.still_there))


class _Pages:
    """Passes reports of pages on, but none that nobody could read, so quickly do they follow each other."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._last = (0, 0)
        self._due = 0.0

    def done(self, done: int, total: int) -> None:
        """Hear of a page."""
        self._last = (done, total)
        if time.monotonic() >= self._due or done == total:
            self.still_there()

    def again(self) -> None:
        """Show that something gets on, whatever it is."""
        if time.monotonic() >= self._due:
            self.still_there()

    def still_there(self) -> None:
        """Show that the page at hand is being read: the one who waits would give it up otherwise."""
        self._due = time.monotonic() + _REPORT_EVERY_S
        self._report(*self._last)


def _leave_to_another(_picture: Pixels) -> str:
    raise NeedsScan


@cache
def _eyes() -> Callable[[Pixels, Callable[[], None]], str]:
    """Load what reads pictures; this process gives way to all others from then on."""
    if sys.platform != "win32":
        os.nice(_BEHIND)
    read: Callable[[Pixels, Callable[[], None]], str] = import_module(
        "desktop.knowledge.loaders.ocr"
    ).read_picture
    return read


def _unread(path: Path, detail: str) -> ReadFailed:
    return ReadFailed(ReadingFailed.__name__, {"name": path.name, "detail": detail})


if __name__ == "__main__":
    main()
