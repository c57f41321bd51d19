"""Read JSON that may be anything: wrong types count as missing."""

from collections.abc import Mapping, Sequence

from desktop.domain.search import SearchResult


def at(payload: object, *path: str) -> object:
    """Return what stands at a path of keys, or None."""
    for name in path:
        if not isinstance(payload, Mapping):
            return None
        payload = payload.get(name)
    return payload


def rows(payload: object, *path: str) -> list[Mapping[str, object]]:
    """Return the objects of the list at a path; an object of objects counts as a list."""
    found = at(payload, *path)
    if isinstance(found, Mapping):
        found = list(found.values())
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        return []
    return [row for row in found if isinstance(row, Mapping)]


def text(row: object, *names: str) -> str:
    """Return the first of several fields that is a text with something in it."""
    for name in names:
        value = at(row, name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def result(
    row: Mapping[str, object],
    *,
    title: str = "title",
    url: str = "url",
    snippet: Sequence[str] = (),
    published: Sequence[str] = (),
    body: Sequence[str] = (),
) -> SearchResult | None:
    """Return one result, its fields named as in `row`; None without an http(s) address."""
    address = text(row, url)
    if not address.startswith(("http://", "https://")):
        return None
    return SearchResult(
        title=text(row, title) or address,
        url=address,
        snippet=text(row, *snippet),
        published=text(row, *published),
        text=text(row, *body),
    )
