"""Pages that sources are from: which are drawn, how many, and what they are called beside the text."""

from datetime import date

import pytest

from desktop.chat.page_pictures import MOST_BYTES, MOST_PAGES, pages_of
from desktop.chat.prompt import PICTURE_TOKENS, build_prompt
from desktop.domain.knowledge import PagePicture
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind
from desktop.errors import IndexUnavailable

pytestmark = pytest.mark.anyio


def sources(*places, kind=SourceKind.FILE):
    """Return a source for each (document, page, start)."""
    ledger = Ledger()
    ledger.register(
        Passage(
            kind, document, f"text {start}", document=document, locator=Locator(page, "", start, start + 5)
        )
        for document, page, start in places
    )
    return ledger.sources


class Drawn:
    """Draws pages of `size` bytes, and keeps which."""

    def __init__(self, size=10):
        self.size = size
        self.pages = []

    async def __call__(self, sha256, page):
        self.pages.append((sha256, page))
        return PagePicture(bytes(self.size))


def asked(found, pages, context_tokens=8_000):
    built = build_prompt(
        "Who?",
        (),
        found,
        context_tokens=context_tokens,
        answer_tokens=500,
        today=date(2026, 11, 21),
        pages=pages.shown,
    )
    return built, [image.label for image in built.messages[-1].images]


async def test_a_page_of_several_sources_is_sent_once_under_all_their_numbers():
    draw = Drawn()
    found = sources(("a", 1, 0), ("a", 1, 50), ("a", 2, 90))
    built, labels = asked(found, await pages_of(found, draw))
    assert draw.pages == [("a", 1), ("a", 2)]
    assert ["[1], [2]" in labels[0], "[3]" in labels[1]] == [True, True]
    assert built.pages_shown == 2


async def test_only_so_many_pages_are_drawn():
    draw = Drawn()
    found = sources(*(("a", page, page) for page in range(1, 9)))
    assert len((await pages_of(found, draw)).shown) == len(draw.pages) == MOST_PAGES


async def test_pages_beyond_the_bytes_of_a_request_are_left_out():
    found = sources(("a", 1, 0), ("a", 2, 10), ("a", 3, 20))
    pages = await pages_of(found, Drawn(MOST_BYTES // 2))
    assert [page.numbers for page in pages.shown] == [(1,), (2,)]


async def test_web_pages_and_memories_are_never_drawn():
    draw = Drawn()
    for kind in (SourceKind.WEB, SourceKind.MEMORY):
        assert not (await pages_of(sources(("a", None, 0), kind=kind), draw)).shown
    assert draw.pages == []


async def test_a_worker_that_cannot_be_asked_is_said_once():
    async def fails(_sha256, _page):
        raise IndexUnavailable(detail="it is gone")

    pages = await pages_of(sources(("a", 1, 0), ("a", 2, 10)), fails)
    assert not pages.shown
    (problem,) = pages.problems
    assert "it is gone" in problem


async def test_text_goes_before_pictures_where_the_window_is_small():
    found = sources(("a", 1, 0), ("a", 2, 10))
    pages = await pages_of(found, Drawn())
    built, labels = asked(found, pages, context_tokens=1_500)
    assert (len(built.sources), labels) == (2, [])
    _, labels = asked(found, pages, context_tokens=1_500 + 3 * PICTURE_TOKENS)
    assert len(labels) == 1


async def test_a_source_that_does_not_fit_is_not_shown_either():
    found = sources(("a", 1, 0), ("b", 1, 0))
    pages = await pages_of(found, Drawn())
    _, labels = asked(found[:1], pages)
    assert len(labels) == 1
    assert "[1]" in labels[0]
