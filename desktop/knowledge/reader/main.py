"""The reader process: receives paths, returns parsed files, and may be killed by any file."""

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import msgspec

from desktop.domain.addresses import path_of, path_text
from desktop.errors import AppError, ReadingFailed
from desktop.knowledge.loaders.document import LoaderContext, NeedsScan, Pixels, Report
from desktop.knowledge.loaders.registry import draw, is_large, load
from desktop.knowledge.reader.protocol import (
    DrawFile,
    Drawn,
    LargeFile,
    PageDone,
    ReaderReply,
    ReaderRequest,
    ReadFailed,
    ReadFile,
    ReadOk,
    ScanNeeded,
    reading_of,
)
from desktop.phrases import translatable
from desktop.text.child_server import Send, serve
from desktop.text.message_codec import encode_msgpack, error_fields

MAX_MEMORY_BYTES = 1024 * 1024 * 1024
TIMEOUT_S = 60.0
"""Maximum time per file."""
SCAN_TIMEOUT_S = 180.0
"""Maximum time for a few lines of a scan: it runs with low priority, and may get a tenth of a CPU."""
LOAD_S = 40.0
READ_S = 52.0
"""After this time, excluding pictures, loading stops, and no more of the loaded text is split."""
_REPORT_EVERY_S = 0.1
_BEHIND = 10
"""Niceness that is added while pictures are read (see `nice`)."""
_TOO_MUCH = translatable("it needs too much memory")
_FAILED = translatable("its parser failed ({name})")

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve requests until the worker has ended."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    serve(_answer, timeout_s=SCAN_TIMEOUT_S, max_memory_bytes=MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    def reply(message: ReaderReply) -> None:
        send(encode_msgpack(message))

    request: ReaderRequest = msgspec.msgpack.decode(payload, type=ReaderRequest)
    path = Path(request.path)
    try:
        with _provide_text_path(path_of(request.path)) as found:
            if isinstance(request, DrawFile):
                reply(Drawn(_draw_jpeg(found, request.page)))
                return
            reply(PageDone(0, 0))  # starts the timeout
            if request.max_bytes is not None and is_large(found, request.max_bytes):
                reply(LargeFile())
                return
            progress = _Progress(lambda done, total: reply(PageDone(done, total)))
            document = load(found, _context(request, progress))
        reply(ReadOk(reading_of(document, path.stem, request.options, progress.goes_on)))
    except NeedsScan:
        reply(ScanNeeded())
    except AppError as error:
        reply(ReadFailed(type(error).__name__, error_fields(error)))
    except MemoryError:
        reply(_unread(path, _TOO_MUCH))
    except Exception as error:  # noqa: BLE001 - parsers raise what they like at hostile files
        _log.warning("cannot read %s", path, exc_info=True)
        reply(_unread(path, _FAILED.format(name=type(error).__name__)))


@contextmanager
def _provide_text_path(path: Path) -> Iterator[Path]:
    """Provide a path that every parser accepts, even if the file's name is not valid text."""
    if path_text(path) == str(path):
        yield path
        return
    with TemporaryDirectory() as folder:
        link = Path(folder, Path(path_text(path)).name)
        link.symlink_to(path)
        yield link


def _draw_jpeg(path: Path, page: int | None) -> bytes:
    pixels = draw(path, page)
    if pixels is None:
        return b""
    jpeg: bytes = import_module("desktop.knowledge.loaders.picture").jpeg_of(pixels)
    return jpeg


def _context(request: ReadFile, progress: "_Progress") -> LoaderContext:
    options = request.options
    if not options.ocr:
        return LoaderContext(progress.done, None, progress.is_late, keeps_links=options.keeps_links)
    read_picture = progress.read_picture if request.reads_pictures else _leave_to_another
    return LoaderContext(
        progress.done,
        read_picture,
        progress.is_late,
        describes=options.describes,
        keeps_links=options.keeps_links,
    )


class _Progress:
    """Forwards the progress of pages, rate-limited, and knows when a file has used up its time."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._last = (0, 0)
        self._due = 0.0
        self._began = time.monotonic()

    def done(self, done: int, total: int) -> None:
        """Report the progress of pages."""
        self._last = (done, total)
        if time.monotonic() >= self._due or done == total:
            self.still_there()

    def is_late(self) -> bool:
        """Say whether to stop loading."""
        return time.monotonic() - self._began > LOAD_S

    def goes_on(self) -> bool:
        """Report a sign of life, and say whether there is time left."""
        now = time.monotonic()
        if now >= self._due:
            self.still_there()
        return now - self._began < READ_S

    def read_picture(self, picture: Pixels) -> str:
        """Return the text in a picture; its time does not count, as no other files wait for scans."""
        began = time.monotonic()
        text = _ocr()(picture, self.still_there)
        self._began += time.monotonic() - began
        return text

    def still_there(self) -> None:
        """Report a sign of life for the current page, so that the worker does not time out."""
        self._due = time.monotonic() + _REPORT_EVERY_S
        self._report(*self._last)


def _leave_to_another(_picture: Pixels) -> str:
    raise NeedsScan


@cache
def _ocr() -> Callable[[Pixels, Callable[[], None]], str]:
    """Load the OCR function; from then on, this process runs with low priority."""
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
