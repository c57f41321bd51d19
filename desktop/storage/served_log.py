"""The log of what other programs asked: one JSON object in each line of a file of bounded size."""

from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock

from desktop.domain.serving import ServedRequest
from desktop.phrases import TranslatableMessage
from desktop.settings.atomic_files import write_whole
from desktop.text.message_codec import decode_json, encode_json

FILE_NAME: Final = "served-requests.jsonl"

MAX_BYTES: Final = 512 * 1024
"""A larger file loses its older half."""
_MOST_CHARS: Final = 300
"""Maximum length of a text in an entry."""
_MOST_HOSTS: Final = 20
_LOCK_TIMEOUT_S: Final = 5.0


class ServedRequestLog:
    """Several processes may write to it. The methods block on disk access and raise OSErrors."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_suffix(".lock"), timeout=_LOCK_TIMEOUT_S)

    def add(self, request: ServedRequest) -> None:
        """Append a request."""
        line = encode_json(_shorten(request)) + b"\n"
        with self._lock:
            with self._path.open("ab") as file:
                file.write(line)
                size = file.tell()
            if size > MAX_BYTES:
                kept = self._path.read_bytes()[-MAX_BYTES // 2 :]
                write_whole(self._path, kept.partition(b"\n")[2])

    def recent(self, count: int) -> tuple[ServedRequest, ...]:
        """Return the last requests, the newest first; damaged lines are skipped."""
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return ()
        found: list[ServedRequest] = []
        for line in reversed(lines):
            if len(found) == count:
                break
            try:
                found.append(decode_json(line, ServedRequest))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
        return tuple(found)

    def clear(self) -> None:
        """Delete all requests."""
        with self._lock:
            self._path.unlink(missing_ok=True)


def _shorten(request: ServedRequest) -> ServedRequest:
    return ServedRequest(
        request.at,
        _short(request.client),
        _short(request.tool),
        _short(request.about),
        tuple(map(_short, request.hosts[:_MOST_HOSTS])),
        _short(request.problem),
    )


def _short(text: str) -> str:
    """Return a text on one line, shortened, and without what cannot be stored."""
    if isinstance(text, TranslatableMessage):
        return text.map_texts(_short)
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1]}…"
