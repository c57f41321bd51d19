"""Sources as JSON, the way `footnote ask --json` writes them."""

from datetime import UTC, datetime
from typing import Any

from desktop.domain.sources import Locator, Source, SourceKind, host_of


def sources_from_json(document: Any) -> tuple[Source, ...]:
    """Read a list of sources, or an object with the list under "sources".

    Only "number" is needed; what is missing stays empty.

    Raises:
        ValueError: the document is neither, or a source has no number.
    """
    listed = document.get("sources") if isinstance(document, dict) else document
    if listed is None:
        return ()
    if not isinstance(listed, list):
        raise ValueError("sources must be a list")
    return tuple(map(_source, listed))


def _moment(text: Any) -> datetime:
    """Return when a source was read: now, if the file does not say, for that is when it is used."""
    return datetime.fromisoformat(str(text)) if text else datetime.now(UTC)


def _source(item: Any) -> Source:
    if not isinstance(item, dict) or not isinstance(item.get("number"), int):
        raise ValueError("every source needs a number")
    where = item.get("locator")
    url = str(item.get("url") or "")
    return Source(
        number=item["number"],
        kind=SourceKind(item.get("kind") or SourceKind.WEB),
        key=f"{item['number']}",
        title=str(item.get("title") or ""),
        url=url,
        host=host_of(url),
        locator=Locator(**where) if isinstance(where, dict) else Locator(section=str(where or "")),
        text=str(item.get("text") or ""),
        text_hash="",
        read_at=_moment(item.get("read_at")),
        published=str(item.get("published") or ""),
    )
