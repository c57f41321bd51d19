"""The reader process: takes paths, gives readings, and may die of any file."""

import logging
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn, cast

import msgspec

from desktop.errors import AppError, CorruptFile
from desktop.knowledge.loaders.document import Desk, NeedsScan, Pixels, ReadPicture
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.reading import reading_of
from desktop.knowledge.wire import (
    PageDone,
    ReaderReply,
    ReadFailed,
    ReadFile,
    ReadOk,
    ScanNeeded,
    error_fields,
)
from desktop.phrases import phrase
from desktop.text.serving import Send, serve

MAX_MEMORY_BYTES = 1024 * 1024 * 1024
TIMEOUT_S = 60.0
"""So long a file may take without a page being done."""
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

    request = msgspec.msgpack.decode(payload, type=ReadFile)
    path = Path(request.path)
    try:
        document = load(path, Desk(_seldom(lambda done, total: reply(PageDone(done, total))), _eyes(request)))
        reply(ReadOk(reading_of(document, path.stem, request.options)))
    except NeedsScan:
        reply(ScanNeeded())
    except AppError as error:
        reply(ReadFailed(type(error).__name__, error_fields(error)))
    except MemoryError:
        reply(_unread(path, _TOO_MUCH))
    except Exception as error:  # noqa: BLE001 - parsers raise what they like at hostile files
        _log.warning("cannot read %s", path, exc_info=True)
        reply(_unread(path, _FAILED.format(name=type(error).__name__)))


def _seldom(report: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """Leave out reports that nobody could read."""
    due = 0.0

    def throttled(done: int, total: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due or done == total:
            due = now + _REPORT_EVERY_S
            report(done, total)

    return throttled


def _eyes(request: ReadFile) -> ReadPicture | None:
    if not request.options.ocr:
        return None
    return _read_picture if request.reads_pictures else _leave_to_another


def _leave_to_another(_picture: Pixels) -> str:
    raise NeedsScan


def _read_picture(picture: Pixels) -> str:
    return _loaded_eyes()(picture)


@cache
def _loaded_eyes() -> ReadPicture:
    """Load what reads pictures; this process gives way to all others from then on."""
    if sys.platform != "win32":
        os.nice(_BEHIND)
    return cast("ReadPicture", import_module("desktop.knowledge.loaders.ocr").read_picture)


def _unread(path: Path, detail: str) -> ReadFailed:
    return ReadFailed(CorruptFile.__name__, {"name": path.name, "detail": detail})


if __name__ == "__main__":
    main()
