"""A conversation as one picture of any length.

Its HTML is printed by a web engine to pages without margins, as high as PDF allows; `picture_drawing` draws what is on
them. Memory depends on the width, not on the length.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from desktop.domain.messages import Conversation
from desktop.domain.sources import Source
from desktop.render.export.common_parts import with_claims
from desktop.render.export.html import HtmlPage
from desktop.render.export.private_sources import cited_numbers
from desktop.render.labels import Labels
from desktop.text.html_element import EMPTY, Html

PAGE_HEIGHT_PT: Final = 14_400
"""The highest page of a PDF."""
PT_PER_PIXEL: Final = 0.75
LEAST_WIDTH, WIDTH, MOST_WIDTH = 320, 760, 1600
"""In pixels of the page."""
COMMON_LIMIT: Final = 32_767
"""Many programs open no higher pictures."""
MOST_HEIGHT: Final = 500_000
"""In pixels of the page: about 600 screens."""


@dataclass(frozen=True)
class PictureLook:
    """How a picture looks; `width` is in pixels of the page, of which the picture has up to two for each."""

    is_dark: bool = False
    width: int = WIDTH


@dataclass(frozen=True)
class DrawnPicture:
    """A PNG file."""

    data: bytes
    width: int
    height: int


class PictureTooLong(Exception):
    """The conversation is longer than `MOST_HEIGHT`."""


def picture_page_of(conversation: Conversation, labels: Labels, look: PictureLook = PictureLook()) -> bytes:
    """Return the HTML document to print for a picture; sources that are not cited are not part of it."""
    conversation = with_claims(conversation, labels)
    cited = cited_numbers(conversation)
    known = tuple(source for source in conversation.sources if source.number in cited)
    page = _PicturePage(replace(conversation, sources=known), labels).write()
    return (page.replace("<html ", '<html class="dark" ', 1) if look.is_dark else page).encode(
        errors="replace"
    )


class _PicturePage(HtmlPage):
    style: ClassVar[tuple[str, ...]] = ("page/export.css", "page/code.css", "page/picture.css")

    def _lists(self) -> Html:
        return self._list(self._labels.sources, self._used.cited)

    def _ways_back(self, _number: int) -> Html:
        return EMPTY

    def _passage(self, _source: Source) -> Html:
        return EMPTY
