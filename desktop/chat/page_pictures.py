"""Pages that sources are from, shown beside their text to models that see: scans, photos, screenshots."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace

from desktop.domain.knowledge import PagePicture
from desktop.domain.models import Image
from desktop.domain.sources import Source, SourceKind, document_of
from desktop.errors import KnowledgeError
from desktop.phrases import phrase

MOST_PAGES = 4
MOST_BYTES = 3 * 1024 * 1024
"""What four pages of the largest size take: servers take tens of megabytes in one request."""

_TEXT_ALONE = phrase("The model is given only the text of scanned pages, not their pictures. {reason}")
_LABEL = "The page that source {numbers} was read from:"

DrawPage = Callable[[str, int | None], Awaitable[PagePicture]]
"""Draws a page of the file with a SHA-256."""


@dataclass(frozen=True)
class Page:
    """A page and the numbers of the sources that were read from it."""

    numbers: tuple[int, ...]
    image: Image


@dataclass(frozen=True)
class Pages:
    """What can be shown, the most important first; `problems` say in words what cannot."""

    shown: tuple[Page, ...] = ()
    problems: tuple[str, ...] = ()


NO_PAGES = Pages()


async def draw_nothing(_sha256: str, _page: int | None) -> PagePicture:
    """Stand for a knowledge room without pictures."""
    return PagePicture()


async def pages_of(sources: Sequence[Source], draw: DrawPage) -> Pages:
    """Return the pages of those sources that were read from pictures, as many as may be sent."""
    numbers: dict[tuple[str, int | None], list[int]] = {}
    for source in sources:
        if source.kind is SourceKind.FILE:
            numbers.setdefault((document_of(source), source.locator.page), []).append(source.number)
    shown: list[Page] = []
    problems: dict[str, None] = {}
    room = MOST_BYTES
    for (sha256, page), of_page in numbers.items():
        if len(shown) == MOST_PAGES:
            break
        try:
            picture = await draw(sha256, page)
        except KnowledgeError as error:
            picture = PagePicture(problem=str(error))
        if picture.problem:
            problems[_TEXT_ALONE.format(reason=picture.problem)] = None
        elif picture.jpeg and len(picture.jpeg) <= room:
            room -= len(picture.jpeg)
            shown.append(Page(tuple(of_page), Image("image/jpeg", picture.jpeg)))
    return Pages(tuple(shown), tuple(problems))


def labelled(pages: Sequence[Page], kept: Collection[int], most: int) -> tuple[Image, ...]:
    """Return at most so many pictures of the sources that are kept, each under their numbers."""
    images = []
    for page in pages:
        numbers = [number for number in page.numbers if number in kept]
        if numbers:
            label = _LABEL.format(numbers=", ".join(f"[{number}]" for number in numbers))
            images.append(replace(page.image, label=label))
    return tuple(images[:most])
