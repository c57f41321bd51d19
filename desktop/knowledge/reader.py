"""The reader process: takes paths on stdin, gives readings on stdout, and may die of any file."""

import faulthandler
import logging
import os
import queue
import sys
import threading
from pathlib import Path
from typing import BinaryIO, NoReturn

import msgspec

from desktop.errors import AppError, CorruptFile
from desktop.knowledge.frames import read_frame, write_frame
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.reading import reading_of
from desktop.knowledge.wire import PageDone, ReaderReply, ReadFailed, ReadOk, error_fields

MAX_MEMORY_BYTES = 1024 * 1024 * 1024
TIMEOUT_S = 60.0

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve until stdin ends."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    replies = take_stdout()
    _limit_memory()
    threading.Thread(target=_pump, args=(requests,), daemon=True).start()
    while True:
        payload = requests.get()
        # Ends the process even when a parser in C never comes back; the worker also keeps time.
        faulthandler.dump_traceback_later(TIMEOUT_S + 1, exit=True)
        _send(replies, _read(Path(msgspec.msgpack.decode(payload, type=str)), replies))
        faulthandler.cancel_dump_traceback_later()


def _pump(requests: "queue.SimpleQueue[bytes]") -> None:
    """Hand requests over, and end the process when the worker is gone, in the middle of a file too."""
    while (payload := read_frame(sys.stdin.buffer)) is not None:
        requests.put(payload)
    os._exit(0)


def take_stdout() -> BinaryIO:
    """Return stdout for messages alone: whatever else is printed goes to stderr from now on."""
    sys.stdout.flush()
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return messages


def _read(path: Path, replies: BinaryIO) -> ReaderReply:
    try:
        document = load(path, lambda done, total: _send(replies, PageDone(done, total)))
        return ReadOk(reading_of(document, path.stem))
    except AppError as error:
        return ReadFailed(type(error).__name__, error_fields(error))
    except MemoryError:
        return _unread(path, "it takes more memory than a file may")
    except Exception as error:  # noqa: BLE001 - parsers raise what they like at hostile files
        _log.warning("cannot read %s", path, exc_info=True)
        return _unread(path, f"its parser failed ({type(error).__name__})")


def _unread(path: Path, detail: str) -> ReadFailed:
    return ReadFailed(CorruptFile.__name__, {"name": path.name, "detail": detail})


def _send(replies: BinaryIO, message: ReaderReply) -> None:
    write_frame(replies, msgspec.msgpack.encode(message))


def _limit_memory() -> None:
    """Let allocations of this process fail before they starve the machine; Linux only."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - there is no such module on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


if __name__ == "__main__":
    main()
