"""Chatbox's export: one JSON object with all sessions (as seen 2023 to 2026)."""

from collections.abc import Iterator
from typing import Any

from desktop.domain.backups import ImportSource
from desktop.domain.messages import Speaker
from desktop.storage.archive_files import FileReader
from desktop.storage.importers.builder import (
    ForeignChat,
    ForeignMessage,
    Found,
    ImportFormat,
    chain_messages,
    moment_of,
    object_of,
    objects,
    read_one,
    speaker_of,
    text_of,
    without_spots,
)

_SESSIONS = "chat-sessions"
_SESSION = "session:"
_Json = dict[str, Any]


def _recognises(reader: FileReader) -> bool:
    if reader.names or reader.head(1) not in {b"{", b"\xef"}:
        return False
    head = reader.read()
    return b'"chat-sessions' in head or b'"session:' in head


def _conversations(reader: FileReader) -> Iterator[Found]:
    whole = object_of(reader.json())
    kept = objects(whole.get(_SESSIONS))
    apart = (value for key, value in whole.items() if key.startswith(_SESSION) and isinstance(value, dict))
    for session in (*kept, *apart):
        for thread in (session, *objects(session.get("threads"))):
            about = (
                thread if thread is session else {**thread, "name": thread.get("name") or session.get("name")}
            )
            found = read_one(ImportSource.CHATBOX, about, _chat)
            if found is not None:
                yield found


def _chat(session: _Json) -> ForeignChat:
    messages = [_message(number, row) for number, row in enumerate(objects(session.get("messages")))]
    moments = [message.at for message in messages if message.at]
    return ForeignChat(
        text_of(session.get("id")) or text_of(session.get("name")),
        text_of(session.get("name")),
        moment_of(session.get("createdAt")) or (min(moments) if moments else None),
        max(moments) if moments else None,
        chain_messages(message for message in messages if message.text.strip() or message.reasoning.strip()),
    )


def _message(number: int, row: _Json) -> ForeignMessage:
    speaker = speaker_of(row.get("role"))
    parts = objects(row.get("contentParts"))
    words = [text_of(part.get("text")) for part in parts if part.get("type") == "text"]
    thoughts = [text_of(part.get("text")) for part in parts if part.get("type") == "reasoning"]
    text = "\n\n".join(filter(None, words)) or text_of(row.get("content"))
    return ForeignMessage(
        text_of(row.get("id")) or f"#{number}",
        speaker or Speaker.MODEL,
        without_spots(text) if speaker else "",
        at=moment_of(row.get("timestamp")),
        model=text_of(row.get("model")) if speaker is Speaker.MODEL else "",
        reasoning="\n\n".join(filter(None, thoughts)) or text_of(row.get("reasoningContent")),
    )


CHATBOX = ImportFormat(ImportSource.CHATBOX, _recognises, _conversations)
