"""Writes to stdout: one JSON document or text; and runs batches, with one line of output per input line.

Most of the output comes from pages, models and servers and must not control a terminal; see `harmless`.
"""

import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from desktop.domain.sources import Locator, Source
from desktop.errors import AppError, plain_reason

Answer = dict[str, Any]

_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters except tabs and line ends.

They can set colours, move the cursor, and query the terminal or send input in the user's name.
"""


class WrongArguments(ValueError):
    """The arguments of a subcommand are incomplete, or contradict one another, in a way that the parser cannot express."""


def print_json(document: Answer) -> None:
    """Print one document; escapes lone surrogates, which UTF-8 JSON cannot contain."""
    _write(json.dumps(document, ensure_ascii=False) + "\n", sys.stdout)


def print_words(text: str) -> None:
    """Print text for the user."""
    _write(f"{text}\n", sys.stdout)


def print_piece(text: str) -> None:
    """Print a part of a text for the user."""
    _write(text, sys.stdout)


def tell(text: str) -> None:
    """Print progress or an error on stderr."""
    _write(f"{text}\n", sys.stderr)


def tell_notice(notice: AppError) -> None:
    """Print a notice about the user's data on stderr."""
    tell(f"footnote: {words_of(notice)}")


def harmless(text: str) -> str:
    """Return text with terminal control characters replaced by JSON escapes."""
    return _STEERS.sub(lambda char: f"\\u{ord(char[0]):04x}", text.replace("\r\n", "\n"))


def _write(text: str, stream: TextIO) -> None:
    whole = text.encode("utf-8", "backslashreplace").decode()
    stream.write(harmless(whole) if stream.isatty() else whole)
    stream.flush()


def locator_json(locator: Locator) -> Answer:
    """Return the known parts of a locator."""
    parts = {"page": locator.page, "section": locator.section, "start": locator.start, "end": locator.end}
    return {name: value for name, value in parts.items() if value not in (None, "")}


def source_json(source: Source) -> Answer:
    """Return a source as `ask --json` shows it and `render --sources` reads it."""
    return {
        "number": source.number,
        "kind": source.kind.value,
        "title": source.title,
        "url": source.url,
        "locator": locator_json(source.locator),
        "text": source.text,
        "read_at": source.read_at.isoformat(),
        "published": source.published,
    }


async def run_batch(path: Path, respond: Callable[[Answer], Awaitable[Answer]]) -> int:
    """Answer every line of `path` in order; a line that cannot be answered gets an "error".

    Returns:
        The exit status: 0 if every line had an answer, including negative results.
    """
    status = 0
    for number, line in _requests(path):
        response, is_answered = await _respond(line, number, respond)
        print_json(response)
        status = status if is_answered else 1
    return status


def _requests(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, line


async def _respond(
    line: bytes, number: int, respond: Callable[[Answer], Awaitable[Answer]]
) -> tuple[Answer, bool]:
    try:
        request = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return {"error": f"line {number} is not UTF-8 text; save the file as UTF-8"}, False
    except (ValueError, RecursionError) as error:
        return {"error": f"line {number} is not JSON: {plain_reason(error)}"}, False
    if not isinstance(request, dict):
        return {"error": f"line {number} is not a JSON object ({{…}})"}, False
    identity = {"id": request["id"]} if "id" in request else {}
    try:
        return identity | await respond(request), True
    except (AppError, OSError, ValueError) as error:
        return identity | {"error": words_of(error)}, False


def text_of(request: Answer, name: str, default: str | None = None) -> str:
    """Return a text field of a request.

    Raises:
        ValueError: it is missing and has no default, or is not a text.
    """
    value = request.get(name, default)
    if not isinstance(value, str):
        raise ValueError(f"“{name}” must be a text")
    return value


def words_of(error: Exception) -> str:
    """Return an error as text for the user."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {plain_reason(error)}"
    return plain_reason(error)
