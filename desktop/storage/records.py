"""Conversion of a conversation to JSON and back without loss: every column, including those of later migrations.

Times (`…_at`) are written as ISO 8601 in UTC, marks (`is_…`) as booleans, and JSON columns as their contents;
see docs/formats.md.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from desktop.domain.messages import MessageStatus
from desktop.domain.sources import MAX_TEXT_CHARS, MAX_TEXTS_BYTES
from desktop.errors import CitedPageDamaged
from desktop.storage.carried_rows import KEY, ROWS, read_marks, write_marks
from desktop.storage.cited_pages import add_text, load_text, pack_text, remove_unused_text, texts_bytes
from desktop.storage.db.row_checksums import MARKS, SEALED, has_seals, readable, unsound
from desktop.storage.db.rows import Value, encode_text, micros, moment

# ruff: noqa: S608 - names of tables and columns come from the schema, never from data

FORMAT: Final = "footnote-conversation"
VERSION: Final = 1

Record = dict[str, Any]

_JSON_COLUMNS = frozenset(
    {
        "steps",
        "offered",
        "known",
        "usage",
        "attachments",
        "procedure",
        "citation_check",
        "spent",
        "locator",
        "trace",
        "page_check",
    }
)
_LEFT_OUT = {
    "conversations": frozenset({"deleted_at"}),
    "messages": frozenset({"position", "conversation_id"}),
    "folders": frozenset({"is_open", "position"}),
    **{rows.table: frozenset({KEY}) for rows in ROWS},
}

_EMPTY: Record = {
    "text": "",
    "reasoning": "",
    "error": "",
    "steps": [],
    "offered": [],
    "attachments": [],
    "procedure": None,
    "citation_check": None,
    "usage": None,
    "spent": None,
    "trace": None,
    "is_damaged": False,
    "is_reasoning_damaged": False,
}
"""The contents of a deleted message until it is purged."""

_FILE_NAME: Final = re.compile("[0-9a-f]{64}")

_FOREIGN: Final = "is_foreign"

_YEARS: Final = range(1970, 3000)


def read_record(connection: sqlite3.Connection, conversation_id: str) -> Record | None:
    """Return a stored conversation, or None; an unfinished answer is INTERRUPTED.

    Damaged text is left out and marked.
    """
    found = _objects(connection, "conversations", "id = ?", (conversation_id,))
    if not found:
        return None
    (conversation,) = found
    messages = _objects(connection, "messages", "conversation_id = ? ORDER BY position", (conversation_id,))
    of_messages = "message_id IN (SELECT id FROM messages WHERE conversation_id = ?)"
    traces = {
        one["message_id"]: one["trace"]
        for one in _objects(connection, "traces", of_messages, (conversation_id,))
    }
    for message in messages:
        _finish(connection, message)
        message["trace"] = traces.get(message["id"])
        if message["deleted_at"] is not None:
            message.update(_EMPTY)  # it keeps its place, no more
    folder = _objects(connection, "folders", "id = ?", (conversation.get("folder"),))
    return {
        "format": FORMAT,
        "version": VERSION,
        "conversation": conversation,
        "folder": folder[0] if folder else None,
        **read_marks(connection, conversation_id),
        "messages": messages,
        **_read_carried(connection, conversation_id),
    }


def _read_carried(connection: sqlite3.Connection, conversation_id: str) -> Record:
    found: Record = {}
    for rows in ROWS:
        if rows.part and columns(connection, rows.table):  # a damaged database may be of an earlier version
            where = f"{KEY} = ? ORDER BY {rows.order}"
            found[rows.part] = _objects(connection, rows.table, where, (conversation_id,))
    pages = found.pop("pages", [])  # a chat without any says nothing of them
    return {**found, **_with_texts(connection, pages)}


def _with_texts(connection: sqlite3.Connection, pages: Sequence[Record]) -> Record:
    """Return the cited pages that are kept of a conversation, and their texts; a damaged one is left out."""
    texts: dict[str, str] = {}
    for digest in dict.fromkeys(page[name] for page in pages for name in ("text_hash", "newer_hash")):
        with suppress(CitedPageDamaged):
            texts[digest] = load_text(connection, digest)
    whole = [page for page in pages if page["text_hash"] in texts and page["newer_hash"] in texts]
    return (
        {"pages": whole, "page_texts": {digest: text for digest, text in texts.items() if digest}}
        if whole
        else {}
    )


def write_record(connection: sqlite3.Connection, record: Record) -> str:
    """Insert a conversation into the database, in the caller's transaction; return its id.

    Raises:
        ValueError, TypeError, KeyError, OverflowError, sqlite3.Error: the record is invalid.
    """
    _check_names(record)
    connection.execute("PRAGMA defer_foreign_keys = ON")  # of two branches the later may be written first
    conversation = dict(record["conversation"])
    conversation_id = _text(conversation["id"])
    if folder := record.get("folder"):
        if conversation.get("folder") != folder["id"]:
            message = "a conversation of another folder"
            raise ValueError(message)
        if not connection.execute("SELECT 1 FROM folders WHERE id = ?", (folder["id"],)).fetchone():
            _insert(connection, "folders", {**folder, "is_open": True})
    else:
        conversation.pop("folder", None)
    _insert(connection, "conversations", conversation)
    for message in record["messages"]:
        values = dict(message)
        trace = values.pop("trace", None)
        _insert(connection, "messages", {**values, "conversation_id": conversation_id})
        if trace is not None:
            _insert(connection, "traces", {"message_id": values["id"], "trace": trace})
    written = {**record, **_write_texts(connection, record)}
    for rows in ROWS:
        for values in (written.get(rows.part) or ()) if rows.part else ():
            _insert(connection, rows.table, {**values, KEY: conversation_id})
    for digest in written["page_texts"]:
        remove_unused_text(connection, digest)
    write_marks(connection, record, conversation_id)
    return conversation_id


def _write_texts(connection: sqlite3.Connection, record: Record) -> Record:
    """Insert the texts of cited pages; return the pages and the hashes of all inserted texts.

    Texts may have been changed where keys were masked, so they get their hashes anew. Pages whose texts would exceed the limit in
    total are left out.
    """
    hashes = {"": ""}
    refused: set[str] = set()
    for digest, text in dict(record.get("page_texts") or {}).items():
        hashes[digest], packed = pack_text(_text(text)[:MAX_TEXT_CHARS])
        add_text(connection, hashes[digest], packed)
        if texts_bytes(connection) > MAX_TEXTS_BYTES:
            remove_unused_text(connection, hashes[digest])
            refused.add(digest)
    pages: list[Record] = []
    for page in record.get("pages") or ():
        if page["text_hash"] in refused or page["newer_hash"] in refused:
            continue
        if page["file"] and not _FILE_NAME.fullmatch(_text(page["file"])):
            message = "a file of another name"
            raise ValueError(message)
        pages.append({**page, **{name: hashes[page[name]] for name in ("text_hash", "newer_hash")}})
    return {"pages": pages, "page_texts": tuple(hashes.values())}


def _check_names(record: Record) -> None:
    """See that no row says what is not its own to say: behind the last possible position there is no other."""
    rows = {
        "conversations": [record["conversation"]],
        "messages": record["messages"],
        "folders": [record["folder"]] if record.get("folder") else [],
        **{rows.table: record.get(rows.part) or [] for rows in ROWS if rows.part},
    }
    for table, found in rows.items():
        for row in found:
            if taken := row.keys() & _LEFT_OUT[table]:
                message = f"{table} say no {min(taken)}"
                raise ValueError(message)


def as_foreign(record: Record) -> Record:
    """Return a record marked as imported from a file, whatever it says: its paths are not the user's."""
    return {**record, "messages": [{**message, _FOREIGN: True} for message in record["messages"]]}


def record_bytes(record: Record) -> bytes:
    """Return a record as the bytes of a file: the same record gives the same bytes.

    They do not say which messages are foreign: on import from a file all of them are.
    """
    messages = [
        {name: value for name, value in message.items() if name != _FOREIGN} for message in record["messages"]
    ]
    return text_bytes(json.dumps({**record, "messages": messages}, ensure_ascii=False, indent=1) + "\n")


def text_bytes(text: str) -> bytes:
    """Return JSON as UTF-8. A lone surrogate, which broken streams contain, becomes the escape that JSON has for it.

    Two surrogates side by side are one character to every reader of the file, and so they are written as one.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return whole.encode("utf-8", "backslashreplace")


def columns(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Return the exported columns of a table, in order."""
    left_out = _LEFT_OUT.get(table, frozenset())
    names = (name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"))
    return tuple(name for name in names if name not in left_out)


def _objects(
    connection: sqlite3.Connection, table: str, where: str, values: Sequence[object]
) -> list[Record]:
    own = columns(connection, table)
    marks = tuple(mark for words, mark in MARKS.items() if words in own and mark not in own)
    names = (*own, *marks)
    damage = unsound(table) if table in SEALED and has_seals(connection) else "0"
    row = ", ".join((*own, *("0" for _ in marks), damage))
    rows = connection.execute(f"SELECT {row} FROM {table} WHERE {where}", tuple(values))
    return [
        {
            name: _decode_value(name, value)
            for name, value in zip(names, readable(table, names, row), strict=True)
        }
        for row in rows
    ]


def _finish(connection: sqlite3.Connection, message: Record) -> None:
    """Add the text in the journal to a message that was interrupted or is still being written."""
    if message["status"] != MessageStatus.STREAMING:
        return
    for piece in _objects(connection, "journal", "message_id = ? ORDER BY start", (message["id"],)):
        for words, mark in MARKS.items():
            message[words] += piece[words]
            message[mark] |= piece[mark]
    message["status"] = MessageStatus.INTERRUPTED.value


def _insert(connection: sqlite3.Connection, table: str, values: Record) -> None:
    kinds = {name: kind for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")}
    unknown = values.keys() - kinds.keys()
    if unknown:
        message = f"{table} have no {min(unknown)}"
        raise ValueError(message)
    names = tuple(values)
    places = ", ".join(_place(name, values[name]) for name in names)
    connection.execute(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})",
        tuple(_encode_value(name, value, kinds[name]) for name, value in values.items()),
    )


def _place(name: str, value: object) -> str:
    is_text = name in _JSON_COLUMNS or (isinstance(value, str) and not name.endswith("_at"))
    return "CAST(? AS TEXT)" if is_text else "?"


def _decode_value(name: str, value: Any) -> Any:
    if name in _JSON_COLUMNS:
        return json.loads(value)
    if value is not None and name.endswith("_at"):
        return moment(value).isoformat(timespec="microseconds")
    return bool(value) if name.startswith("is_") else value


def _encode_value(name: str, value: Any, kind: str) -> Value:
    """Return a value in the storage class of its column `kind`: SQLite would convert numbers to text and back."""
    if name in _JSON_COLUMNS:
        return encode_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    if value is None:
        return None
    if name.endswith("_at"):
        return micros(parse_moment(value))
    if kind == "TEXT":
        return encode_text(_text(value))
    if isinstance(value, int):
        return value
    message = f"{name} cannot be {type(value).__name__}"
    raise TypeError(message)


def parse_moment(value: object) -> datetime:
    """Return the time given in a file.

    Raises:
        ValueError, TypeError: it is invalid, without time zone, or in a year that some systems do not support.
    """
    told = datetime.fromisoformat(_text(value))
    if told.tzinfo is None or told.year not in _YEARS:
        message = f"no moment of ours: {value!r:.40}"
        raise ValueError(message)
    return told


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"not a text: {value!r:.40}"
        raise TypeError(message)
    return value
