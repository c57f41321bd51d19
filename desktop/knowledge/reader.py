"""The reader process: takes paths, gives readings, and may die of any file."""

import logging
import os
from pathlib import Path
from typing import NoReturn

import msgspec

from desktop.errors import AppError, CorruptFile
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.reading import reading_of
from desktop.knowledge.wire import PageDone, ReaderReply, ReadFailed, ReadOk, error_fields
from desktop.text.serving import Send, serve

MAX_MEMORY_BYTES = 1024 * 1024 * 1024
TIMEOUT_S = 60.0

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve until the worker is gone."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    serve(_answer, timeout_s=TIMEOUT_S, max_memory_bytes=MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    def reply(message: ReaderReply) -> None:
        send(msgspec.msgpack.encode(message))

    path = Path(msgspec.msgpack.decode(payload, type=str))
    try:
        document = load(path, lambda done, total: reply(PageDone(done, total)))
        reply(ReadOk(reading_of(document, path.stem)))
    except AppError as error:
        reply(ReadFailed(type(error).__name__, error_fields(error)))
    except MemoryError:
        reply(_unread(path, "it takes more memory than a file may"))
    except Exception as error:  # noqa: BLE001 - parsers raise what they like at hostile files
        _log.warning("cannot read %s", path, exc_info=True)
        reply(_unread(path, f"its parser failed ({type(error).__name__})"))


def _unread(path: Path, detail: str) -> ReadFailed:
    return ReadFailed(CorruptFile.__name__, {"name": path.name, "detail": detail})


if __name__ == "__main__":
    main()
