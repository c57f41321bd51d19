"""Where in the settings something is, found by the words for it in any language of the window."""

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from desktop.resources import resources_dir
from desktop.ui.settings.page import Page
from desktop.ui.settings.rows import Context

WHOLE_PAGE = -1


@dataclass(frozen=True)
class Place:
    """A row of a page, or the page itself: `row` is `WHOLE_PAGE`. `haystack` is what it is found by."""

    page: str
    row: int
    title: str
    haystack: tuple[str, ...]


def places_of(pages: Iterable[Page], context: Context) -> tuple[Place, ...]:
    """Return every place that can be searched for, in the order of the pages."""
    found = []
    for page in pages:
        title = page.title()
        found.append(Place(page.id, WHOLE_PAGE, title, _haystack((title,))))
        for number, row in enumerate(page.rows(context)):
            words = tuple(filter(None, row.words))
            if words:
                found.append(Place(page.id, number, words[0], _haystack(words)))
    return tuple(found)


def search(places: Iterable[Place], wanted: str) -> tuple[Place, ...]:
    """Return the places that hold all words of `wanted`; those of a page together, the best page first."""
    words = wanted.casefold().split()
    if not words:
        return ()
    best: dict[str, int] = {}
    hits: dict[str, list[tuple[int, Place]]] = defaultdict(list)
    for place in places:
        rank = _rank(place, words)
        if rank is not None:
            hits[place.page].append((rank, place))
            best[place.page] = min(rank, best.get(place.page, rank))
    ordered = sorted(hits, key=best.__getitem__)
    return tuple(place for page in ordered for _rank, place in sorted(hits[page], key=lambda hit: hit[0]))


def _rank(place: Place, words: Iterable[str]) -> int | None:
    """Return 0 for a title that begins so, 1 for a title, 2 for anything else that is said there."""
    text = "\n".join(place.haystack)
    if not all(word in text for word in words):
        return None
    title = place.haystack[0]
    if not all(word in title for word in words):
        return 2
    return 0 if title.startswith(next(iter(words))) else 1


def _haystack(words: Iterable[str]) -> tuple[str, ...]:
    others = _other_words()
    shown = tuple(words)
    return tuple(
        each.casefold() for each in (*shown, *(other for word in shown for other in others.get(word, ())))
    )


@cache
def _other_words() -> Mapping[str, tuple[str, ...]]:
    """Return what each sentence of the window is in the other language, both ways."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((resources_dir() / "translations").glob("*.ts")):
        for message in ET.parse(path).iter("message"):  # noqa: S314 - a file of our own
            source, translation = message.findtext("source", ""), message.findtext("translation", "")
            if source and translation:
                found[source].add(translation)
                found[translation].add(source)
    return {words: tuple(sorted(others)) for words, others in found.items()}
