"""The process that parses pages for `parser_pool`: receives responses and returns parsed pages."""

import logging
from typing import NoReturn

import msgspec

from desktop.domain.search import PageStatus, WebPage
from desktop.phrases import translatable
from desktop.search.reader.parse import ParsedPage, RawResponse, reading_of
from desktop.text.child_server import Send, serve
from desktop.text.message_codec import encode_msgpack

MAX_MEMORY_BYTES = 1024 * 1024 * 1024
LIMIT_S = 10.0

_TOO_LARGE = translatable("Reading the page needs too much memory.")
_UNPARSED = translatable("The page couldn’t be read ({detail}).")

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve until the parent process ends."""
    serve(_answer, timeout_s=LIMIT_S, max_memory_bytes=MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    received = msgspec.msgpack.decode(payload, type=RawResponse)
    try:
        reading = reading_of(received)
    except MemoryError:
        reading = ParsedPage(WebPage(PageStatus.FAILED, received.url, error=_TOO_LARGE))
    except Exception as error:  # noqa: BLE001 - parsers raise arbitrary exceptions for hostile pages
        _log.warning("cannot read %s", received.url, exc_info=True)
        words = _UNPARSED.format(detail=type(error).__name__)
        reading = ParsedPage(WebPage(PageStatus.FAILED, received.url, error=words))
    send(encode_msgpack(reading))


if __name__ == "__main__":
    main()
