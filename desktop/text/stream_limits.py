"""Limits how much a server may send in one response (bytes, lines, idle time), and parses Retry-After.

A limit is a token bucket (https://en.wikipedia.org/wiki/Token_bucket): it starts with a burst, refills with
time and with every piece of content, and a server that exhausts it is cut off. Used for models and tool
servers.
"""

import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from desktop.errors import plain_reason
from desktop.phrases import translatable

UNPACKABLE = "gzip, deflate"
"""For Accept-Encoding: the encodings that `Unpacker` supports."""

PIECE_BYTES = 65_536
"""The maximum size of a piece of unpacked data."""

_MAGIC_BYTES = 2
"""The number of bytes that identify the start of a gzip member or a zlib header."""

_MEGABYTE = 1024 * 1024
_TOO_MUCH = translatable("It sent more than {megabytes} MB.")
_NO_CONTENT = translatable("It sent {count} nearly empty lines.")
_NO_CONTENT_BYTES = translatable("It sent {megabytes} MB of nearly empty data.")
_SILENT = translatable("It sent no part of an answer for {seconds} s.")
_UNKNOWN_PACKING = translatable("It sent data in an unexpected encoding ({encoding}).")


class LimitExceeded(ValueError):
    """A server sent more than any response needs."""


@dataclass(frozen=True)
class StreamLimits:
    """The limits of one stream; None in `total_bytes` or `silence_s` means no limit.

    The reader of the stream decides what is `content`; if it reports none, only the burst and the time count.
    """

    burst_lines: int = 20_000
    lines_per_s: int = 100
    lines_per_content: int = 100
    burst_bytes: int = 32 * _MEGABYTE
    bytes_per_s: int = _MEGABYTE // 4
    bytes_per_content: int = 16_384
    total_bytes: int | None = None
    silence_s: float | None = None


class StreamMeter:
    """Counts the data of a stream; `clock` returns seconds."""

    def __init__(self, limits: StreamLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._started = self._last_content = clock()
        self._lines = self._bytes = self._contents = 0

    def note_content(self) -> None:
        """Record that the data counted so far contained content: words, a call or a result."""
        self._contents += 1
        self._last_content = self._clock()

    def take(self, piece: bytes) -> None:
        """Count a piece of the stream.

        Raises:
            LimitExceeded: the limit is exceeded.
        """
        limits, now = self._limits, self._clock()
        self._bytes += len(piece)
        # A line may end with LF, CR or both, so the larger number counts.
        self._lines += max(piece.count(b"\n"), piece.count(b"\r"))
        passed = now - self._started
        lines = limits.burst_lines + limits.lines_per_s * passed + limits.lines_per_content * self._contents
        size = limits.burst_bytes + limits.bytes_per_s * passed + limits.bytes_per_content * self._contents
        if limits.total_bytes is not None and self._bytes > limits.total_bytes:
            raise LimitExceeded(_TOO_MUCH.format(megabytes=limits.total_bytes // _MEGABYTE))
        if self._lines > lines:
            raise LimitExceeded(_NO_CONTENT.format(count=self._lines))
        if self._bytes > size:
            raise LimitExceeded(_NO_CONTENT_BYTES.format(megabytes=self._bytes // _MEGABYTE))
        if limits.silence_s is not None and now - self._last_content > limits.silence_s:
            raise LimitExceeded(_SILENT.format(seconds=round(limits.silence_s)))


class Unpacker:
    """Undoes a Content-Encoding piece by piece, so that a small body cannot fill the memory.

    Raises:
        ValueError: this encoding was not requested.
    """

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise ValueError(_UNKNOWN_PACKING.format(encoding=name[:40]))
        self._is_plain = name in {"", "identity"}
        self._is_gzip = name.endswith("gzip")
        self._bits = 16 + zlib.MAX_WBITS if self._is_gzip else zlib.MAX_WBITS
        self._inflate = zlib.decompressobj(self._bits)
        self._has_begun = False
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked `data` in pieces of at most `PIECE_BYTES`.

        Raises:
            ValueError: the data is damaged.
        """
        if self._is_plain:
            for start in range(0, len(data), PIECE_BYTES):
                yield data[start : start + PIECE_BYTES]
            return
        data, self._held = self._held + data, b""
        if len(data) < _MAGIC_BYTES and (self._inflate.eof or not self._has_begun):
            self._held = data  # not enough bytes to recognize the format
        elif not self._inflate.eof or self._begin_member(data):
            yield from self._unpack(data)

    def _unpack(self, rest: bytes) -> Iterator[bytes]:
        while True:
            piece = self._inflate_piece(rest)
            if piece:
                yield piece
            if self._inflate.eof:
                rest = self._inflate.unused_data
                if len(rest) < _MAGIC_BYTES:
                    self._held = rest
                    return
                if not self._begin_member(rest):
                    return
            else:
                rest = self._inflate.unconsumed_tail
                if not rest and len(piece) < PIECE_BYTES:
                    return

    def _begin_member(self, data: bytes) -> bool:
        """Start another gzip member after a complete one; anything else is padding."""
        if not self._is_gzip or not data.startswith(b"\x1f\x8b"):
            return False
        self._inflate = zlib.decompressobj(self._bits)
        return True

    def _inflate_piece(self, data: bytes) -> bytes:
        try:
            piece = self._inflate.decompress(data, PIECE_BYTES)
        except zlib.error as error:
            if self._has_begun or self._is_gzip or self._bits < 0:
                raise ValueError(plain_reason(error)) from error
            # "deflate" should have a zlib header, but some servers omit it (RFC 9110, 8.4.1.2)
            self._bits = -zlib.MAX_WBITS
            self._inflate = zlib.decompressobj(self._bits)
            return self._inflate_piece(data)
        self._has_begun = True
        return piece


_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def retry_after_s(header: str) -> float | None:
    """Return Retry-After in seconds, from seconds or a date (RFC 9110, 10.2.3); None if it is invalid."""
    written = header.strip()
    if _SECONDS.fullmatch(written):
        return float(written)
    try:
        until = parsedate_to_datetime(written)
    except (ValueError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
