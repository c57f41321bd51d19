"""Conversion of our data to SQLite values and back.

Text is stored as UTF-8 bytes in which lone surrogates, which file names and broken streams can contain, are
encoded like any other code point (Python's `surrogatepass`), and cast to TEXT. NUL and all other characters are
preserved exactly.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeVar

import msgspec

from desktop.domain.citation_check import CitationCheck
from desktop.domain.messages import (
    OUTSIDE,
    AnswerCost,
    AnswerRole,
    ConversationInfo,
    Folder,
    LabelColor,
    Message,
    MessageStatus,
    Placement,
    SettingsPage,
    Speaker,
    Step,
)
from desktop.domain.models import UsageReported
from desktop.domain.procedures import DraftState, Procedure, Research, SummaryState, TextCheck
from desktop.domain.sources import Locator, NumberRanges, Source, SourceKind
from desktop.domain.trace import Trace
from desktop.phrases import has_message_form, messages_in
from desktop.text.message_codec import decode_message, encode_message, with_forms

_T = TypeVar("_T")

PLACE_COLUMNS = "is_pinned, folder, tint, is_archived"

CONVERSATION_COLUMNS = f"id, title, created_at, updated_at, assistant, {PLACE_COLUMNS}"

FOLDER_COLUMNS = "id, name, tint, is_open, position"

MESSAGE_COLUMNS = (
    "id, conversation_id, speaker, text, created_at, status, model, reasoning, steps, offered, usage, "
    "error, attachments, procedure, citation_check, spent, standing, cure, is_damaged, is_reasoning_damaged, "
    "is_foreign, known"
)

SOURCE_COLUMNS = (
    "number, kind, key, title, url, host, locator, text, text_hash, read_at, published, is_damaged"
)

# INTEGER columns of STRICT tables turn numbers written as text back into numbers.
# A folder that has been deleted meanwhile is none.
_KNOWN = {"folder": "(SELECT id FROM folders WHERE id = CAST(? AS TEXT))"}
PLACE_PLACES, CONVERSATION_PLACES, FOLDER_PLACES, MESSAGE_PLACES, SOURCE_PLACES = (
    ", ".join(_KNOWN.get(column, "CAST(? AS TEXT)") for column in columns.split(", "))
    for columns in (PLACE_COLUMNS, CONVERSATION_COLUMNS, FOLDER_COLUMNS, MESSAGE_COLUMNS, SOURCE_COLUMNS)
)

_ProcedureName = Literal["research", "reading", "writing", "checking"]
_PROCEDURES: dict[str, type[Procedure]] = {
    "research": Research,
    "reading": SummaryState,
    "writing": DraftState,
    "checking": TextCheck,
}
_NAMES = {kind: name for name, kind in _PROCEDURES.items()}

_KINDS: tuple[Any, ...] = (
    tuple[Step, ...],
    tuple[int, ...],
    tuple[str, ...],
    NumberRanges,
    UsageReported,
    CitationCheck,
    AnswerCost,
    Locator,
    Trace,
)
_DECODERS = {kind: msgspec.json.Decoder(kind) for kind in _KINDS}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Value = bytes | int | None
Row = tuple[Any, ...]


def encode_text(text: str) -> bytes:
    """Return text in its stored form."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(value: bytes) -> str:
    """Return text from its stored form; damaged text is decoded as far as possible."""
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


def micros(moment: datetime) -> int:
    """Return microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """Return the time for a number from `micros`."""
    return _EPOCH + value * _MICROSECOND


def conversation_of(row: Row) -> ConversationInfo:
    """Read CONVERSATION_COLUMNS."""
    identity, title, created, updated, assistant, *place = row
    return ConversationInfo(identity, title, moment(created), moment(updated), assistant, place_of(place))


def conversation_values(info: ConversationInfo) -> tuple[Value, ...]:
    """Return CONVERSATION_COLUMNS."""
    return (
        encode_text(info.id),
        encode_text(info.title),
        micros(info.created_at),
        micros(info.updated_at),
        encode_text(info.assistant),
        *place_values(info.place),
    )


def place_of(row: Sequence[Any]) -> Placement:
    """Read PLACE_COLUMNS."""
    is_pinned, folder, tint, is_archived = row
    if not (is_pinned or folder or tint or is_archived):
        return OUTSIDE  # as nearly all of ten thousand are
    return Placement(bool(is_pinned), folder or "", LabelColor(tint), bool(is_archived))


def place_values(place: Placement) -> tuple[Value, ...]:
    """Return PLACE_COLUMNS."""
    folder = encode_text(place.folder) if place.folder else None
    return (place.is_pinned, folder, encode_text(place.tint), place.is_archived)


def folder_of(row: Row) -> Folder:
    """Read FOLDER_COLUMNS."""
    identity, name, tint, is_open, position = row
    return Folder(identity, name, LabelColor(tint), bool(is_open), position)


def folder_values(folder: Folder) -> tuple[Value, ...]:
    """Return FOLDER_COLUMNS."""
    return (
        encode_text(folder.id),
        encode_text(folder.name),
        encode_text(folder.tint),
        folder.is_open,
        folder.position,
    )


def message_values(message: Message) -> tuple[Value, ...]:
    """Return MESSAGE_COLUMNS."""
    return (
        encode_text(message.id),
        encode_text(message.conversation_id),
        encode_text(message.speaker),
        encode_text(message.text),
        micros(message.created_at),
        encode_text(message.status),
        encode_text(message.model),
        encode_text(message.reasoning),
        to_json(message.steps),
        to_json(message.offered),
        to_json(message.usage),
        encode_text(encode_message(message.error)),
        to_json(message.attachments),
        to_json(_procedure_values(message.procedure)),
        to_json(message.check),
        to_json(message.spent),
        encode_text(message.standing),
        encode_text(message.settings_page),
        message.is_damaged,
        message.is_reasoning_damaged,
        message.is_foreign,
        to_json(message.known),
    )


def message_of(row: Row) -> Message:
    """Read MESSAGE_COLUMNS."""
    return Message(
        id=row[0],
        conversation_id=row[1],
        speaker=Speaker(row[2]),
        text=row[3],
        created_at=moment(row[4]),
        status=MessageStatus(row[5]),
        model=row[6],
        reasoning=row[7],
        steps=_from_json(row[8], tuple[Step, ...]),
        offered=_from_json(row[9], tuple[int, ...]),
        usage=_decode_optional(row[10], UsageReported),
        error=decode_message(row[11]),
        attachments=_from_json(row[12], tuple[str, ...]),
        procedure=_procedure_of(row[13]),
        check=_decode_optional(row[14], CitationCheck),
        spent=_decode_optional(row[15], AnswerCost),
        standing=AnswerRole(row[16]),
        settings_page=SettingsPage(row[17]),
        is_damaged=bool(row[18]),
        is_reasoning_damaged=bool(row[19]),
        is_foreign=bool(row[20]),
        known=_read_known(row[21]),
    )


def _read_known(value: str) -> NumberRanges | None:
    """Read the source numbers known to a message; None if damaged: they are then computed again."""
    try:
        return _decode_optional(value, NumberRanges)
    except (ValueError, msgspec.MsgspecError):
        return None


def cost_of(value: str) -> AnswerCost | None:
    """Read what an answer has cost."""
    return _decode_optional(value, AnswerCost)


def attachments_of(value: str) -> tuple[str, ...]:
    """Read the paths of the files attached to a message."""
    return _from_json(value, tuple[str, ...])


def source_values(source: Source) -> tuple[Value, ...]:
    """Return SOURCE_COLUMNS."""
    return (
        source.number,
        encode_text(source.kind),
        encode_text(source.key),
        encode_text(encode_message(source.title)),
        encode_text(source.url),
        encode_text(source.host),
        to_json(source.locator),
        encode_text(source.text),
        encode_text(source.text_hash),
        micros(source.read_at),
        encode_text(source.published),
        source.is_damaged,
    )


def source_of(row: Row) -> Source:
    """Read SOURCE_COLUMNS."""
    return Source(
        number=row[0],
        kind=SourceKind(row[1]),
        key=row[2],
        title=decode_message(row[3]) if row[1] == SourceKind.MEMORY else row[3],
        url=row[4],
        host=row[5],
        locator=_from_json(row[6], Locator),
        text=row[7],
        text_hash=row[8],
        read_at=moment(row[9]),
        published=row[10],
        is_damaged=bool(row[11]),
    )


_STORED_KEY: Final = b'"fate":'
"""The key of `source_use` in stored records, which data folders made by earlier versions hold; text inside a JSON
string cannot contain it, because its quotes are escaped there."""


def trace_value(trace: Trace) -> bytes:
    """Return a trace in its stored form."""
    return to_json(trace).replace(b'"source_use":', _STORED_KEY)


def trace_of(value: str) -> Trace:
    """Read a trace."""
    return _from_json(value.replace(_STORED_KEY.decode(), '"source_use":'), Trace)


def _procedure_values(procedure: Procedure | None) -> dict[str, Procedure] | None:
    """Return a procedure under the name of its kind."""
    return None if procedure is None else {_NAMES[type(procedure)]: procedure}


def _procedure_of(value: str) -> Procedure | None:
    if value == "null":
        return None
    ((name, state),) = msgspec.convert(json.loads(value), dict[_ProcedureName, Any]).items()
    return msgspec.convert(messages_in(state), _PROCEDURES[name])


def to_json(value: object) -> bytes:
    """Return a dataclass in its stored form."""
    # The standard module and not msgspec's own encoder, which refuses lone surrogates.
    return encode_text(json.dumps(with_forms(value), ensure_ascii=False, separators=(",", ":")))


def _decode_optional(text: str, kind: type[_T]) -> _T | None:
    return None if text == "null" else _from_json(text, kind)


def _from_json(text: str, kind: type[_T]) -> _T:
    # A long conversation has some ten thousand such values, nearly all of them simple.
    if has_message_form(text):
        return msgspec.convert(messages_in(json.loads(text)), kind)
    try:
        value: _T = _DECODERS[kind].decode(text)
    except (UnicodeEncodeError, msgspec.DecodeError):
        return msgspec.convert(
            json.loads(text), kind
        )  # which takes lone surrogates, and numbers that are none
    return value
