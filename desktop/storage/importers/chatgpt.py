"""ChatGPT's export: conversations.json, a list of trees of messages (as seen 2023 to 2026).

Answers that searched have `content_references`, which name the pages behind private characters in the text;
older ones have `citations` at places of it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from desktop.domain.backups import ImportSource
from desktop.domain.messages import Speaker
from desktop.storage.importers.builder import (
    ForeignChat,
    ForeignMessage,
    ForeignSource,
    citation_placeholder,
    list_kind,
    moment_of,
    object_of,
    objects,
    speaker_of,
    text_of,
    without_spots,
)

_HIDDEN = re.compile("\ue200[^\ue200\ue201]*\ue201")
_MOST_MARKS = 2_000
"""Maximum number of citations per message; a small file could otherwise exhaust the memory."""

_OLD_MARK = "【"
_IMAGE = "🖼"
_FILE = "📎 "

_Json = dict[str, Any]
_Place = tuple[int, int, list[ForeignSource]]
"""Start and end of a citation, and its sources."""


def _is_one(item: _Json) -> bool:
    return isinstance(item.get("mapping"), dict)


def _chat(item: _Json) -> ForeignChat:
    nodes = {key: node for key, node in item["mapping"].items() if isinstance(node, dict)}
    shown = _path_to(nodes, text_of(item.get("current_node")))
    identity = text_of(item.get("conversation_id")) or text_of(item.get("id")) or text_of(item.get("title"))
    return ForeignChat(
        identity,
        text_of(item.get("title")),
        moment_of(item.get("create_time")),
        moment_of(item.get("update_time")),
        tuple(_message(key, node, not shown or key in shown) for key, node in _in_order(nodes)),
    )


def _path_to(nodes: dict[str, _Json], last: str) -> set[str]:
    """Return the ids from the last message shown up to the first; stops at a cycle."""
    path: set[str] = set()
    while last in nodes and last not in path:
        path.add(last)
        last = text_of(nodes[last].get("parent"))
    return path


def _in_order(nodes: dict[str, _Json]) -> Iterator[tuple[str, _Json]]:
    """Yield all nodes connected to a first one, parents before their successors."""
    waiting = [key for key, node in nodes.items() if node.get("parent") not in nodes]
    seen = set(waiting)
    for key in waiting:  # it grows while it is walked
        yield key, nodes[key]
        for child in nodes[key].get("children") or ():
            if isinstance(child, str) and child in nodes and child not in seen:
                seen.add(child)
                waiting.append(child)


def _message(key: str, node: _Json, is_shown: bool) -> ForeignMessage:
    message = object_of(node.get("message"))
    speaker = speaker_of(object_of(message.get("author")).get("role"))
    metadata = object_of(message.get("metadata"))
    content = object_of(message.get("content"))
    text, reasoning = "", ""
    sources: tuple[ForeignSource, ...] = ()
    is_said = message.get("recipient", "all") == "all" and not metadata.get(
        "is_visually_hidden_from_conversation"
    )
    if speaker is not None and is_said:
        text, reasoning = _text(content), _thoughts(content)
        references = _references(text, objects(metadata.get("content_references")))
        citations = _citations(text, objects(metadata.get("citations")))
        text, sources = _mark(text, chain(references, citations))
        names = (text_of(each.get("name")) for each in objects(metadata.get("attachments")))
        text = "\n\n".join([text, *(f"{_FILE}{name}" for name in names if name)]).strip()
    return ForeignMessage(
        key,
        speaker or Speaker.MODEL,
        _HIDDEN.sub("", text),
        text_of(node.get("parent")),
        moment_of(message.get("create_time")),
        text_of(metadata.get("model_slug")),
        reasoning,
        is_shown,
        sources,
    )


def _text(content: _Json) -> str:
    match content.get("content_type"):
        case "text" | "multimodal_text":
            parts = content.get("parts")
            return without_spots(
                "\n\n".join(filter(None, map(_part, parts if isinstance(parts, list) else ())))
            )
        case "code":
            return f"```\n{without_spots(text_of(content.get('text')))}\n```"
    return ""


def _part(part: object) -> str:
    if isinstance(part, dict):
        return _IMAGE if part.get("content_type") == "image_asset_pointer" else text_of(part.get("text"))
    return text_of(part)


def _thoughts(content: _Json) -> str:
    thoughts = objects(content.get("thoughts")) if content.get("content_type") == "thoughts" else []
    return "\n\n".join(
        "\n".join(filter(None, (text_of(one.get("summary")), text_of(one.get("content")))))
        for one in thoughts
    )


def _references(text: str, references: list[_Json]) -> Iterator[_Place]:
    """Yield the positions of cited search results; of several with the same mark, the first counts."""
    seen = set()
    for reference in references:
        matched = text_of(reference.get("matched_text"))
        pages = [each for each in (reference, *objects(reference.get("items"))) if text_of(each.get("url"))]
        if not matched.strip() or matched in seen or not pages:
            continue
        seen.add(matched)
        cited = [
            ForeignSource(text_of(page["url"]), text_of(page.get("title")), text_of(page.get("snippet")))
            for page in pages
        ]
        start = text.find(matched)
        while start >= 0:
            end = start + len(matched)
            yield start, end, cited
            start = text.find(matched, end)


def _citations(text: str, citations: list[_Json]) -> Iterator[_Place]:
    for citation in citations:
        about = object_of(citation.get("metadata"))
        start, end, url = citation.get("start_ix"), citation.get("end_ix"), text_of(about.get("url"))
        if isinstance(start, int) and isinstance(end, int) and url and text[start : start + 1] == _OLD_MARK:
            yield start, end, [ForeignSource(url, text_of(about.get("title")), text_of(about.get("text")))]


def _mark(text: str, places: Iterable[_Place]) -> tuple[str, tuple[ForeignSource, ...]]:
    """Return a text with placeholders at its citations, and the cited sources.

    A mark inside another one is left out, and so are all beyond the maximum number.
    """
    numbers: dict[ForeignSource, int] = {}
    pieces, at = [], 0
    for start, end, cited in sorted(_as_many_as_count(places), key=lambda place: (place[0], -place[1])):
        if not at <= start < end <= len(text):
            continue
        spots = (citation_placeholder(numbers.setdefault(source, len(numbers))) for source in cited)
        pieces += [text[at:start], *spots]
        at = end
    return "".join([*pieces, text[at:]]), tuple(numbers)


def _as_many_as_count(places: Iterable[_Place]) -> Iterator[_Place]:
    marks = 0
    for place in places:
        marks += len(place[2])
        if marks > _MOST_MARKS:
            return
        yield place


CHATGPT = list_kind(ImportSource.CHATGPT, _is_one, _chat, "conversations")
