"""Cherry Studio's backup: data.json in an archive, with its browser storage (as seen 2024 to 2026).

Topics are in its IndexedDB; their names are in the window state, as JSON nested in JSON strings. Messages
contain their text directly, or in blocks of another table.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from desktop.domain.backups import ImportSource
from desktop.domain.messages import Speaker
from desktop.storage.archive_files import FileReader
from desktop.storage.importers.builder import (
    ForeignChat,
    ForeignMessage,
    ForeignSource,
    Found,
    ImportFormat,
    chain_messages,
    moment_of,
    object_of,
    objects,
    read_one,
    speaker_of,
    text_of,
    with_spots,
)

_DATA = "data.json"
_STATE = "persist:cherry-studio"
_TEXTS = ("main_text", "code", "translation")
_Json = dict[str, Any]


def _recognises(reader: FileReader) -> bool:
    if reader.names:
        return _DATA in reader.names
    return reader.head(1) == b"{" and b'"indexedDB"' in reader.read()


def _conversations(reader: FileReader) -> Iterator[Found]:
    whole = reader.json(_DATA if reader.names else "")
    database = object_of(object_of(whole).get("indexedDB"))
    names = _names(object_of(object_of(whole).get("localStorage")))
    blocks: defaultdict[str, list[_Json]] = defaultdict(list)
    for block in objects(database.get("message_blocks")):
        blocks[text_of(block.get("messageId"))].append(block)
    for topic in objects(database.get("topics")):
        about = {**topic, "blocks": blocks, "about": names.get(text_of(topic.get("id")), {})}
        found = read_one(ImportSource.CHERRY_STUDIO, about, _chat)
        if found is not None:
            yield found


def _names(storage: _Json) -> dict[str, _Json]:
    """Return the window's data for each topic."""
    try:
        state = json.loads(storage.get(_STATE) or "{}")
        assistants = json.loads(object_of(state).get("assistants") or "{}")
    except (ValueError, TypeError, RecursionError):
        return {}
    known = object_of(assistants)
    each = [object_of(known.get("defaultAssistant")), *objects(known.get("assistants"))]
    return {text_of(topic.get("id")): topic for one in each for topic in objects(one.get("topics"))}


def _chat(topic: _Json) -> ForeignChat:
    about, blocks = topic["about"], topic["blocks"]
    messages = [
        _message(number, row, blocks[text_of(row.get("id"))])
        for number, row in enumerate(objects(topic.get("messages")))
    ]
    moments = [message.at for message in messages if message.at]
    return ForeignChat(
        text_of(topic.get("id")),
        text_of(about.get("name")) or text_of(topic.get("name")),
        moment_of(about.get("createdAt")) or (min(moments) if moments else None),
        moment_of(about.get("updatedAt")) or (max(moments) if moments else None),
        chain_messages(message for message in messages if message.text.strip() or message.reasoning.strip()),
    )


def _message(number: int, row: _Json, blocks: list[_Json]) -> ForeignMessage:
    speaker = speaker_of(row.get("role"))
    order = row.get("blocks")
    if isinstance(order, list):
        places = {identity: place for place, identity in enumerate(order) if isinstance(identity, str)}
        blocks = sorted(blocks, key=lambda block: places.get(text_of(block.get("id")), len(places)))
    sources = tuple(source for block in blocks for source in _sources(block))
    words = [text_of(block.get("content")) for block in blocks if block.get("type") in _TEXTS]
    thoughts = [text_of(block.get("content")) for block in blocks if block.get("type") == "thinking"]
    text = "\n\n".join(filter(None, words)) or text_of(row.get("content"))
    model = row.get("model")
    return ForeignMessage(
        text_of(row.get("id")) or f"#{number}",
        speaker or Speaker.MODEL,
        with_spots(text, len(sources)) if speaker else "",
        at=moment_of(row.get("createdAt")),
        model=(text_of(object_of(model).get("id")) or text_of(model)) if speaker is Speaker.MODEL else "",
        reasoning="\n\n".join(filter(None, thoughts)) or text_of(row.get("reasoning_content")),
        sources=sources,
    )


def _sources(block: _Json) -> Iterator[ForeignSource]:
    if block.get("type") != "citation":
        return
    results = object_of(block.get("response")).get("results")
    pages = objects(results) or objects(object_of(results).get("results"))
    for page in pages:
        url = text_of(page.get("url")) or text_of(page.get("link"))
        yield ForeignSource(url, text_of(page.get("title")), text_of(page.get("content")))
    for passage in objects(block.get("knowledge")):
        yield ForeignSource(text_of(passage.get("sourceUrl")), "", text_of(passage.get("content")))


CHERRY_STUDIO = ImportFormat(ImportSource.CHERRY_STUDIO, _recognises, _conversations)
