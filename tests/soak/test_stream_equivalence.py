"""Texts of Markdown pieces, streamed: every way to cut one ends as if it had come at once, and closed blocks stay."""

import random

from desktop.render import RenderTarget, StreamRenderer, render_message
from tests.unit.render.page_model import PageModel, normal, parse
from tests.unit.render.test_message import SOURCES
from tests.unit.render.test_stream import ANSWER, DATA, PIECES

CUTS = 20
"""Ways to cut each text: letter by letter, at once, and the rest at random places."""


def documents(count, chance):
    """Yield texts: of Markdown pieces, of paragraphs of a real answer, and parts of files where there are any."""
    paragraphs = ANSWER.split("\n\n")
    files = sorted(DATA.rglob("*.md")) if DATA.is_dir() else []
    for _ in range(count):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 60)))
        if chance.random() < 0.3:
            text += "\n\n".join(chance.choices(paragraphs, k=2))
        if files and chance.random() < 0.3:
            whole = chance.choice(files).read_text(encoding="utf-8", errors="replace")
            place = chance.randrange(len(whole) + 1)
            text += whole[place : place + 300]
        yield text


def cut(text, chance):
    """Return a text in pieces, cut at random places."""
    places = sorted(chance.sample(range(len(text) + 1), min(len(text), chance.randint(0, 12))))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


def stream(pieces):
    """Return a renderer and the page after a whole stream; the page refuses changes of blocks that are closed."""
    renderer, page = StreamRenderer(SOURCES), PageModel()
    for piece in pieces:
        page.apply(renderer.feed(piece))
    page.apply(renderer.finish())
    return renderer, page


def assert_same_in_all_cuts(text, chance):
    """Stream a text in all its cuts, and render each of its beginnings."""
    once = render_message(text, SOURCES, RenderTarget.PAGE)
    expected = normal(parse(once.html))
    for pieces in (list(text), [text], *(cut(text, chance) for _ in range(CUTS - 2))):
        renderer, page = stream(pieces)
        assert page.html == expected, repr(text)
        assert (renderer.cited, renderer.unknown) == (once.cited, once.unknown), repr(text)
    for end in range(len(text)):
        render_message(text[:end], SOURCES, RenderTarget.PAGE)


def test_any_text_cut_anywhere_ends_as_if_it_had_come_at_once(times, told):
    count, chance = times(30, 5_000), random.Random(15)
    beginnings = 0
    for text in documents(count, chance):
        assert_same_in_all_cuts(text, chance)
        beginnings += len(text)
    told(
        "Texts streamed in 20 ways each, and every beginning of each",
        count,
        f"the same, {beginnings:,} beginnings",
    )
