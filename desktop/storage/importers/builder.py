"""Builds Footnote records from conversations of other programs: ids are derived, sources numbered once.

Data that is missing or in an unexpected form is left empty; the rest of the conversation is imported.
"""

import hashlib
import json
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from desktop.domain.backups import ImportSource
from desktop.domain.messages import MessageStatus, Speaker
from desktop.domain.sources import SourceKind, canonical_url
from desktop.errors import NotImported
from desktop.phrases import translatable
from desktop.storage.archive_files import FileReader
from desktop.storage.records import FORMAT, VERSION, Record

MOST_MESSAGES: Final = 100_000
_TITLE_CHARS: Final = 300
_QUESTION_CHARS: Final = 60
_NAMESPACE: Final = uuid.UUID("f3b0a1de-94c4-4d4e-8a0e-5b1f6c2d7e90")
_OPEN, _CLOSE = "\uf8f0", "\uf8f1"
"""Private-use characters around the index of a source among those of its message."""

_SPOT = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_BRACKETS = re.compile(r"(?<!\])\[(\d{1,4})\](?![(\[:])")
_SPEAKERS = {
    "user": Speaker.USER,
    "human": Speaker.USER,
    "assistant": Speaker.MODEL,
    "model": Speaker.MODEL,
}
_YEARS = range(1990, 2200)
_MILLISECONDS: Final = 10_000_000_000
"""Timestamps at or above this are in milliseconds, others in seconds."""

_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)

_TRIED = 10
"""How many conversations are examined to detect the program of a list."""

_BAD = translatable("“{name}” can’t be read.")
_NOT_JSON = translatable("It contains no JSON.")
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Unreadable:
    """A conversation that cannot be read; `problem` says which and why, in words."""

    problem: str


Found = Record | Unreadable


@dataclass(frozen=True)
class ImportFormat:
    """A file format: how to detect it, and how to read its conversations one by one."""

    origin: ImportSource
    recognises: Callable[[FileReader], bool]
    conversations: Callable[[FileReader], Iterator[Found]]


@dataclass(frozen=True)
class ForeignSource:
    """A source of a message; `text` is what the program stored of it."""

    url: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True)
class ForeignMessage:
    """A message; `text` contains a `citation_placeholder` for each citation of one of its `sources`.

    `parent` is the id of the message before it; of several with the same parent, those that are not `is_shown`
    are other versions.
    """

    id: str
    speaker: Speaker
    text: str
    parent: str = ""
    at: datetime | None = None
    model: str = ""
    reasoning: str = ""
    is_shown: bool = True
    sources: tuple[ForeignSource, ...] = ()


@dataclass(frozen=True)
class ForeignChat:
    """A conversation; parents come before their successors in its messages."""

    id: str
    title: str
    created_at: datetime | None
    updated_at: datetime | None
    messages: tuple[ForeignMessage, ...]


@dataclass
class _Numbers:
    """Numbers the sources of a whole conversation."""

    moment: datetime
    by_key: dict[str, Record] = field(default_factory=dict)

    def of(self, source: ForeignSource) -> int | None:
        """Return the number of a source; None for one without a web address."""
        if _scheme_of(source.url) not in {"http", "https"}:
            return None
        key = canonical_url(source.url)
        if key not in self.by_key:
            self.by_key[key] = _source(len(self.by_key) + 1, key, source, self.moment)
        number: int = self.by_key[key]["number"]
        return number


def citation_placeholder(index: int) -> str:
    """Return the placeholder for a citation of the source at an index among those of its message."""
    return f"{_OPEN}{index}{_CLOSE}"


def with_spots(text: str, count: int) -> str:
    """Return a text with the marks `[1]` … `[count]` replaced by placeholders; other numbers in brackets stay."""

    def placeholder_at(match: re.Match[str]) -> str:
        number = int(match[1])
        return citation_placeholder(number - 1) if 1 <= number <= count else match[0]

    return _BRACKETS.sub(placeholder_at, without_spots(text))


def without_spots(text: str) -> str:
    """Return a text without the private characters of placeholders."""
    return text.replace(_OPEN, "").replace(_CLOSE, "")


def speaker_of(value: object) -> Speaker | None:
    """Return the speaker of a message; None for others, such as instructions and tool results."""
    return _SPEAKERS.get(value.casefold()) if isinstance(value, str) else None


def moment_of(value: object) -> datetime | None:
    """Return the time for seconds, milliseconds or ISO 8601; None for an invalid value."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1_000 if abs(value) > _MILLISECONDS else value, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.year in _YEARS else None


def text_of(value: object) -> str:
    """Return a text value, or an empty text for another type."""
    return value if isinstance(value, str) else ""


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; none for another type."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def object_of(value: object) -> dict[str, Any]:
    """Return an object, or an empty one for another type."""
    return value if isinstance(value, dict) else {}


def _scheme_of(url: str) -> str:
    """Return the scheme of an address, empty if it is invalid."""
    try:
        return urlsplit(url.strip()).scheme.lower()
    except ValueError:
        return ""


def chain_messages(messages: Iterable[ForeignMessage]) -> tuple[ForeignMessage, ...]:
    """Return messages linked so that each follows the one before."""
    found: dict[str, ForeignMessage] = {}
    before = ""
    for number, message in enumerate(messages):
        identity = f"{message.id}#{number}" if message.id in found else message.id
        found[identity] = replace(message, id=identity, parent=before)
        before = identity
    return tuple(found.values())


def join_messages(messages: Iterable[ForeignMessage]) -> tuple[ForeignMessage, ...]:
    """Return messages without empty ones, with consecutive messages of the same speaker joined."""
    found: dict[str, list[ForeignMessage]] = {}
    stands_for: dict[str, str] = {"": ""}
    kept = [message for message in messages if message.id]
    following: defaultdict[str, int] = defaultdict(int)
    for message in kept:
        following[message.parent] += 1
    for message in kept:
        parent = stands_for.get(message.parent, "")
        before = found.get(parent)
        is_alone = following[message.parent] == 1
        if not (message.text.strip() or message.reasoning.strip()):
            stands_for[message.id] = parent
        elif before is not None and before[0].speaker is message.speaker and is_alone:
            before.append(message)
            stands_for[message.id] = parent
        else:
            stands_for[message.id] = message.id
            found[message.id] = [replace(message, parent=parent)]
    return tuple(map(_as_one, found.values()))


def _as_one(parts: list[ForeignMessage]) -> ForeignMessage:
    """Return consecutive messages of a speaker joined into the first one."""
    if len(parts) == 1:
        return parts[0]
    texts: list[str] = []
    sources: list[ForeignSource] = []
    for part in parts:
        texts.append(_SPOT.sub(partial(_shift, len(sources)), part.text))
        sources += part.sources
    return replace(
        parts[0],
        text="\n\n".join(filter(None, texts)),
        reasoning="\n\n".join(part.reasoning for part in parts if part.reasoning),
        model=next((part.model for part in reversed(parts) if part.model), ""),
        sources=tuple(sources),
    )


def _shift(before: int, match: re.Match[str]) -> str:
    return citation_placeholder(int(match[1]) + before)


def build_record(origin: ImportSource, chat: ForeignChat) -> Record | None:
    """Return a conversation as a record; None if it has no messages of a speaker.

    Raises:
        ValueError: it has too many messages.
    """
    messages = join_messages(chat.messages)
    if not messages:
        return None
    if len(messages) > MOST_MESSAGES:
        message = "too many messages"
        raise ValueError(message)
    conversation_id = _identity(origin, chat.id)
    created = chat.created_at or messages[0].at or _NO_TIME
    updated = max(chat.updated_at or created, created)
    numbers = _Numbers(updated)
    title = _line(chat.title, _TITLE_CHARS)
    rows = [
        _message(f"{origin}/{chat.id}", one, variant, created, numbers)
        for one, variant in zip(messages, _variants(messages), strict=True)
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "conversation": {
            "id": conversation_id,
            "title": title or _line(_SPOT.sub("", messages[0].text), _QUESTION_CHARS),
            "is_title_given": bool(title),
            "created_at": created.isoformat(timespec="microseconds"),
            "updated_at": updated.isoformat(timespec="microseconds"),
        },
        "folder": None,
        "uses_memory": True,
        "messages": rows,
        "sources": list(numbers.by_key.values()),
    }


def _line(text: str, chars: int) -> str:
    """Return the beginning of a text as one line."""
    return " ".join(without_spots(text[: 4 * chars]).split())[:chars]


def _variants(messages: tuple[ForeignMessage, ...]) -> Iterator[tuple[int, bool]]:
    """Yield for each message the number of its variant, and whether it is put aside."""
    families: defaultdict[str, list[ForeignMessage]] = defaultdict(list)
    for message in messages:
        families[message.parent].append(message)
    places = {}
    for family in families.values():
        shown = next((one for one in family if one.is_shown), family[-1])
        for variant, one in enumerate(family):
            places[one.id] = (variant, one is not shown)
    for message in messages:
        yield places[message.id]


def _message(
    family: str, message: ForeignMessage, place: tuple[int, bool], created: datetime, numbers: _Numbers
) -> Record:
    given = [numbers.of(source) for source in message.sources]

    def mark(match: re.Match[str]) -> str:
        index = int(match[1])
        number = given[index] if index < len(given) else None
        return "" if number is None else f"[{number}]"

    variant, is_aside = place
    return {
        "id": _identity(family, message.id),
        "parent_id": _identity(family, message.parent) if message.parent else None,
        "speaker": message.speaker.value,
        "text": _SPOT.sub(mark, message.text),
        "created_at": (message.at or created).isoformat(timespec="microseconds"),
        "status": MessageStatus.COMPLETE.value,
        "model": message.model,
        "reasoning": message.reasoning,
        "steps": [],
        "offered": sorted({number for number in given if number is not None}),
        "usage": None,
        "error": "",
        "attachments": [],
        "variant": variant,
        "is_aside": is_aside,
    }


def _source(number: int, key: str, source: ForeignSource, moment: datetime) -> Record:
    title = source.title or source.url
    text = source.text or title
    return {
        "number": number,
        "kind": SourceKind.WEB.value,
        "key": key,
        "title": title,
        "url": source.url,
        "host": urlsplit(source.url).hostname or "",
        "locator": {"page": None, "section": "", "start": None, "end": None},
        "text": text,
        "text_hash": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "read_at": moment.isoformat(timespec="microseconds"),
        "published": "",
    }


def _identity(family: str, identity: str) -> str:
    name = f"{family}/{identity}".encode("utf-8", "surrogatepass")
    return uuid.uuid5(_NAMESPACE, hashlib.sha256(name).hexdigest()).hex


Reading = Callable[[dict[str, Any]], ForeignChat]


def list_kind(
    origin: ImportSource, is_one: Callable[[dict[str, Any]], bool], read: Reading, name: str
) -> ImportFormat:
    """Return the format for files of one program.

    The files are a JSON list, alone or in archive members whose names begin with `name`, and `is_one`
    recognises a conversation of that program.
    """

    def members(reader: FileReader) -> Iterator[str]:
        return (
            member
            for member in _members(reader, name)
            if any(is_one(first) for first in _firsts(reader, member))
        )

    def recognises(reader: FileReader) -> bool:
        return next(members(reader), None) is not None

    def conversations(reader: FileReader) -> Iterator[Found]:
        for member in members(reader):
            for raw in _items(reader, member):
                found = read_one(origin, raw, read)
                if found is not None:
                    yield found

    return ImportFormat(origin, recognises, conversations)


def read_one(origin: ImportSource, raw: "msgspec.Raw | dict[str, Any]", read: Reading) -> Found | None:
    """Return a conversation of a list; None if it has no messages."""
    value: object = {}
    try:
        value = raw if isinstance(raw, dict) else json.loads(bytes(raw))
        return build_record(origin, read(object_of(value)))
    except _UNREADABLE:
        about = object_of(value)
        return Unreadable(_BAD.format(name=text_of(about.get("title")) or text_of(about.get("name")) or "?"))


def _members(reader: FileReader, name: str) -> tuple[str, ...]:
    """Return the members that may contain conversations; for a plain file the empty name."""
    if not reader.names:
        return ("",)
    found = (PurePosixPath(member) for member in reader.names)
    return tuple(
        str(path) for path in found if path.suffix == ".json" and path.name.casefold().startswith(name)
    )


def _firsts(reader: FileReader, member: str) -> Iterator[dict[str, Any]]:
    """Yield the first few items of a list, as far as they can be read."""
    try:
        items = _items(reader, member)[:_TRIED]
    except NotImported:
        return
    for item in items:
        try:
            yield object_of(json.loads(bytes(item)))
        except (ValueError, RecursionError):
            continue


def _items(reader: FileReader, member: str) -> list[msgspec.Raw]:
    """Return the items of a list as raw JSON; a single object is treated as a list of one."""
    data = reader.read(member).removeprefix(b"\xef\xbb\xbf")
    try:
        if data.lstrip()[:1] == b"{":
            return [msgspec.Raw(data)]
        return msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotImported(name=reader.path.name, detail=_NOT_JSON) from error
