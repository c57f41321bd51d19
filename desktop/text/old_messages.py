"""Recognises messages in English text that earlier versions stored without template and fields.

Only migrations of databases use it; whatever is made now knows its template (`desktop.phrases`). Several templates
can match a text; the one whose own words begin first counts.
"""

import json
import re
import sqlite3
from dataclasses import dataclass
from functools import cache, lru_cache

from desktop.phrases import TranslatableMessage, list_templates, message_form, sentences
from desktop.text.message_codec import encode_message

_KNOWN_TEXTS = 4_096
_MAX_CHARS = 4_000
"""Longer texts are not ours; matching our sentences in a megabyte of server output would take minutes."""

_DEPTH = 4
_FIELD = re.compile(r"\{(\w+)\}")
_FIELDS_BEHIND = re.compile(r"(?<=[.!?])(?: \{\w+\})+$")
_LAST_FIELD = re.compile(r"\{\w+\}$")
_FLAGS = re.DOTALL | re.IGNORECASE
_WITHIN_SENTENCE = r"(?:(?<![.!?])\s|\S)"
_SENTENCE_END = r"(?=$|(?<=[.!?])\s)"
_NEXT_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class _Pattern:
    template: str
    regex: re.Pattern[str]
    has_field_first: bool
    last_field: str
    """A field at the very end, which may contain several sentences and is told after this one."""

    def words_from(self, match: re.Match[str]) -> int:
        """Return where the literal words of the template begin in a match."""
        return match.end(1) if self.has_field_first else match.start()


@lru_cache(maxsize=_KNOWN_TEXTS)
def recognise_message(english: str) -> str:
    """Return the messages that a text consists of as one; text that is not Footnote's is returned as it is."""
    if len(english) > _MAX_CHARS:
        return english
    found = _recognise_text(english, _DEPTH)
    return found if found.casefold() == english.casefold() else english


def _recognise_text(english: str, depth: int) -> str:
    """Recognise `english` sentence by sentence; fields may contain sentences themselves, up to `depth` levels."""
    if depth == 0:
        return english
    said: list[str] = []
    start = 0
    while start < len(english):
        if found := _match(english, start):
            known, match = found
            fields = {name: _recognise_text(value, depth - 1) for name, value in match.groupdict().items()}
            end = match.end()
            if known.last_field:
                fields = dict.fromkeys(_FIELD.findall(known.template), "") | fields
                fields[known.last_field] = _recognise_text(english[end:].strip(), depth)
                end = len(english)
            said.append(TranslatableMessage(known.template, fields))
        else:
            end = _next_sentence(english, start)
            said.append(english[start:end])
        space = _SPACE.match(english, end)
        start = end if space is None else space.end()
    return sentences(said) if any(isinstance(piece, TranslatableMessage) for piece in said) else english


def _match(text: str, start: int) -> tuple[_Pattern, re.Match[str]] | None:
    """Return the template at `start`: among several, the one whose literal words begin first."""
    matches = ((known, match) for known in _patterns() if (match := known.regex.match(text, start)))
    return min(matches, key=lambda found: found[0].words_from(found[1]), default=None)


def _next_sentence(text: str, start: int) -> int:
    """Return the end of the sentence that begins at `start`."""
    found = _NEXT_SENTENCE.search(text, start)
    return found.start() if found else len(text)


@cache
def _patterns() -> tuple[_Pattern, ...]:
    """Return the patterns of all templates; those with the longest literal text come first."""
    ordered = sorted(list_templates(), key=lambda template: len(_FIELD.sub("", template)), reverse=True)
    return tuple(map(_compile, ordered))


def _compile(template: str) -> _Pattern:
    words, end, last_field = template, _SENTENCE_END, ""
    if behind := _FIELDS_BEHIND.search(template):
        words, last_field = template[: behind.start()], _FIELD.findall(behind.group())[0]
    elif last := _LAST_FIELD.search(template):
        words, end, last_field = template[: last.start()], "", last.group()[1:-1]
    return _Pattern(template, re.compile(_regex(words) + end, _FLAGS), template.startswith("{"), last_field)


def _regex(template: str) -> str:
    first, *rest = _FIELD.split(template)
    words = re.escape(first)
    for name, after in zip(rest[::2], rest[1::2], strict=True):
        words += f"(?P<{name}>{_field(after)}){re.escape(after)}"
    return words


def _field(after: str) -> str:
    """Return the pattern of a field: only fields in quotes or brackets can contain several sentences."""
    return "[^”]*?" if after[0] == "”" else ".*?" if after[0] == ")" else _WITHIN_SENTENCE + "+?"


_KEYS = frozenset({"detail", "ended_by", "error", "fallback_reason", "notes", "problem", "reason"})
"""The fields of steps, traces, checks, procedures and topics that hold messages."""


def install(connection: sqlite3.Connection) -> None:
    """Register the SQL functions with which a migration replaces texts: `with_message` and `with_messages`."""
    connection.create_function("with_message", 1, _with_message, deterministic=True)
    connection.create_function("with_messages", 1, _with_messages, deterministic=True)


def _with_message(text: bytes) -> bytes:
    """Return a text as it is stored, with the template and fields of its message."""
    try:
        return encode_message(recognise_message(text.decode())).encode()
    except UnicodeError:
        return text


def _with_messages(document: bytes) -> bytes:
    """Return a JSON document with the messages in it recognised."""
    try:
        found = json.loads(document.decode("utf-8", "surrogatepass"))
        recognised = _recognise_within(found)
        if recognised == found:
            return document
        written = json.dumps(recognised, ensure_ascii=False, separators=(",", ":"))
        return written.encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return document


def _recognise_within(value: object, *, is_message: bool = False) -> object:
    if isinstance(value, str):
        known = recognise_message(value) if is_message else value
        return message_form(known) if isinstance(known, TranslatableMessage) else value
    if isinstance(value, list):
        return [_recognise_within(each, is_message=is_message) for each in value]
    if isinstance(value, dict):
        return {name: _recognise_within(each, is_message=name in _KEYS) for name, each in value.items()}
    return value
