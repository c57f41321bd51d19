"""What a model says of pages without text: asked page by page, bounded, and put behind what was read."""

import asyncio

from desktop.domain.knowledge import Description
from desktop.errors import FileUnreadable
from desktop.knowledge import protocol as wire
from desktop.knowledge.ingest.picture_describer import MOST_PAGES, Describer
from desktop.knowledge.loaders.document import Document, DocumentPart
from desktop.knowledge.reader.protocol import ReadOptions, reading_of


class Program:
    """Answers what the worker shows, each picture by its bytes."""

    def __init__(self, *failing, undrawn=()):
        self.failing = failing
        self.undrawn = undrawn
        self.shown = []
        self.describer = Describer(self.take)

    def take(self, reply):
        self.shown.append(reply.jpeg)
        page = int(reply.jpeg)
        said = (
            Description(problem="No.") if page in self.failing else Description(f"A kite, {page}.", "llava")
        )
        asyncio.get_running_loop().call_soon(self.describer.take, reply.id, said)

    async def complete(self, document):
        async def draw(page):
            if page in self.undrawn:
                raise FileUnreadable(name="kites.pdf", detail="it is gone")
            return str(page).encode()

        return await self.describer.complete(reading_of(document, "name"), "name", ReadOptions(), draw)


def test_descriptions_stand_behind_the_text_at_their_pages():
    document = Document(
        "", (DocumentPart("The heron eats fish.", 1, "Birds"),), 3, scanned=1, wordless=(2, 3)
    )
    reading, problem = asyncio.run(Program().complete(document))
    assert [(entry.chunk.page, entry.chunk.section, entry.chunk.text) for entry in reading.entries] == [
        (1, "Birds", "The heron eats fish."),
        (2, "Description by llava", "A kite, 2."),
        (3, "Description by llava", "A kite, 3."),
    ]
    for chunk in (entry.chunk for entry in reading.entries):
        assert reading.text[chunk.start : chunk.end] == chunk.text
    assert (reading.scanned, problem) == (3, "")


def test_after_a_failure_no_other_page_is_tried_and_it_is_said():
    program = Program(2)
    reading, problem = asyncio.run(program.complete(Document("", (), 3, wordless=(1, 2, 3))))
    assert program.shown == [b"1", b"2"]
    assert [entry.chunk.page for entry in reading.entries] == [1]
    assert problem == "Not all images in it are described: No."


def test_a_page_that_cannot_be_drawn_costs_no_other_its_text():
    document = Document("", (DocumentPart("The heron eats fish.", 1),), 2, wordless=(2,))
    reading, problem = asyncio.run(Program(undrawn=(2,)).complete(document))
    assert [entry.chunk.text for entry in reading.entries] == ["The heron eats fish."]
    assert "it is gone" in problem


def test_only_so_many_pages_are_described_and_it_is_said():
    program = Program()
    _, problem = asyncio.run(program.complete(Document("", (), 30, wordless=tuple(range(1, 31)))))
    assert len(program.shown) == MOST_PAGES
    assert str(MOST_PAGES) in problem


def test_whoever_waits_no_longer_says_so_and_hears_nothing_later():
    async def scenario():
        replies = asyncio.Queue()
        describer = Describer(replies.put_nowait)

        async def draw(_page):
            return b"1"

        reading = reading_of(Document("", (), wordless=(1,)), "name")
        asked = asyncio.create_task(describer.complete(reading, "name", ReadOptions(), draw))
        shown = await replies.get()
        asked.cancel()
        await asyncio.wait({asked})
        assert asked.cancelled()
        assert replies.get_nowait() == wire.HidePicture(shown.id)
        describer.take(shown.id, Description("too late", "llava"))

    asyncio.run(scenario())
